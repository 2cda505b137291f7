"""The parser: trees, places, limits and the listing of errors."""

from __future__ import annotations

import time

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from webhook.cel.ast import (
    Call,
    Comprehension,
    Entry,
    Expr,
    Ident,
    ListExpr,
    Literal,
    MapExpr,
    Select,
    Struct,
)
from webhook.cel.dialect import Dialect
from webhook.cel.parser import parse
from webhook.cel.source import Issue, locate, render_errors
from webhook.cel.values import UInt


def show(expr: Expr) -> str:
    """Spell a tree so that its shape can be read: operators as calls, optional entries with `?`."""
    match expr:
        case Literal():
            suffix = "u" if isinstance(expr.value, UInt) else ""
            return repr(expr.value) + suffix
        case Ident():
            return expr.name
        case Select():
            return f"{show(expr.operand)}.{expr.field}{'~' if expr.test_only else ''}"
        case Call():
            inside = ", ".join(map(show, expr.args))
            prefix = "" if expr.target is None else f"{show(expr.target)}->"
            return f"{prefix}{expr.function}({inside})"
        case ListExpr():
            parts = [
                ("?" if index in expr.optional else "") + show(element)
                for index, element in enumerate(expr.elements)
            ]
            return f"[{', '.join(parts)}]"
        case MapExpr():
            return f"{{{', '.join(map(_show_entry, expr.entries))}}}"
        case Struct():
            return f"{expr.name}{{{', '.join(map(_show_entry, expr.entries))}}}"
        case Comprehension():
            return f"fold({show(expr.range)})"


def _show_entry(entry: Entry) -> str:
    key = entry.key if isinstance(entry.key, str) else show(entry.key)
    return f"{'?' if entry.optional else ''}{key}: {show(entry.value)}"


def tree_of(expression: str, dialect: Dialect = Dialect()) -> Expr:  # noqa: B008 - frozen
    result = parse(expression, dialect)
    assert result.errors == ()
    assert result.tree is not None
    return result.tree


def errors_of(expression: str, dialect: Dialect = Dialect()) -> str:  # noqa: B008 - frozen
    result = parse(expression, dialect)
    assert result.tree is None
    return render_errors(expression, result.errors)


SHAPES = [
    ("a + b * c", "_+_(a, _*_(b, c))"),
    ("a - b - c", "_-_(_-_(a, b), c)"),
    ("a < b == c in d", "@in(_==_(_<_(a, b), c), d)"),
    ("a ? b : c ? d : e", "_?_:_(a, b, _?_:_(c, d, e))"),
    ("a || b && c", "_||_(a, _&&_(b, c))"),
    ("a && b && c && d", "_&&_(_&&_(a, b), _&&_(c, d))"),
    ("a || b || c", "_||_(_||_(a, b), c)"),
    ("(a || b) || c", "_||_(_||_(a, b), c)"),
    ("a || (b || c)", "_||_(a, _||_(b, c))"),
    ("!!a", "a"),
    ("!!!a", "!_(a)"),
    ("--a", "a"),
    ("-a", "-_(a)"),
    ("!-1", "!_(-1)"),
    ("--1", "1"),
    ("---1", "-_(1)"),
    ("a - -1", "_-_(a, -1)"),
    ("a--1", "_-_(a, -1)"),
    ("a -1", "_-_(a, 1)"),
    ("- 1", "-1"),
    ("-(1)", "-_(1)"),
    ("-1.size()", "-1->size()"),
    ("-1u", "-_(1u)"),
    ("1.size()", "1->size()"),
    ("1.e3", "1.e3"),
    ("a.?b", "_?._(a, 'b')"),
    ("a[?b]", "_[?_](a, b)"),
    ("a[b].c(d, e)", "_[_](a, b)->c(d, e)"),
    ("[a, ?b,]", "[a, ?b]"),
    ("[,]", "[]"),
    ("{a: b, ?c: d,}", "{a: b, ?c: d}"),
    ("{,}", "{}"),
    ("{a ? b : c: d}", "{_?_:_(a, b, c): d}"),
    ("a.b{c: d, ?e: f}", "a.b{c: d, ?e: f}"),
    (".a.b{}", ".a.b{}"),
    ("if{}", "if{}"),
    ("-a{}", "-_(a{})"),
    (".a.b", ".a.b"),
    (".f(x)", ".f(x)"),
    ("a.if", "a.if"),
    ("a.for()", "a->for()"),
    ("a // b\n", "a"),
    ("has(a.b)", "a.b~"),
    (".has(a)", ".has(a)"),
    ("x.has(a)", "x->has(a)"),
]


@pytest.mark.parametrize(("expression", "shape"), SHAPES, ids=[case[0] for case in SHAPES])
def test_expressions_have_the_shape_that_cel_go_gives_them(expression: str, shape: str) -> None:
    assert show(tree_of(expression)) == shape


LITERALS = [
    ("007", 7),
    ("0x1F", 31),
    ("-0x10", -16),
    ("-9223372036854775808", -(2**63)),
    ("18446744073709551615u", UInt(2**64 - 1)),
    ("0xFFu", UInt(255)),
    (".5e1", 5.0),
    ("1e-400", 0.0),
    ("-2.5", -2.5),
    ("null", None),
    ("true", True),
    (r"'\a\b\f\n\r\t\v\\\'\"\`\?'", "\a\b\f\n\r\t\v\\'\"`?"),
    (r"'\x41\X42\u00e9\U0001F600\101'", "ABé😀A"),
    (r"'\xff'", "ÿ"),
    (r"b'\xff\377é'", b"\xff\xff\xc3\xa9"),
    (r"r'\d'", "\\d"),
    ('r"\\"', "\\"),
    ("br'\\x'", b"\\x"),
    ('"""a"b\r\nc"""', 'a"b\nc'),
    ("'''a\rb'''", "a\nb"),
    ('""', ""),
    ('R"""a\\"""', "a\\"),
]


@pytest.mark.parametrize(("text", "value"), LITERALS, ids=[case[0] for case in LITERALS])
def test_literals_have_the_value_that_cel_go_reads(text: str, value: object) -> None:
    tree = tree_of(text)
    assert isinstance(tree, Literal)
    assert tree.value == value
    assert type(tree.value) is type(value)


PLACES = [
    ("ab + c", 3),
    ("ab ? c : d", 3),
    ("a in b", 2),
    ("f(x)", 1),
    ("a.f (x)", 4),
    ("a .b", 2),
    ("a.?b", 1),
    ("ab[0]", 2),
    (" [1]", 1),
    ("T{a: 1}", 1),
    ("- 1", 0),
    ("!a", 0),
    (".a", 1),
    ("x.all(y, y)", 5),
    ("'é' + 'x'", 4),
    ("a && b && c", 7),
]


@pytest.mark.parametrize(("expression", "offset"), PLACES, ids=[case[0] for case in PLACES])
def test_nodes_stand_where_cel_go_puts_them(expression: str, offset: int) -> None:
    assert tree_of(expression).offset == offset


def test_ids_are_unique() -> None:
    tree = tree_of("a.optMap(x, x.b[?0]).orValue({1: [2]}) && c.all(i, v, has(v.d))")
    seen: list[int] = []
    pending: list[Expr] = [tree]
    while pending:
        expr = pending.pop()
        seen.append(expr.id)
        match expr:
            case Select():
                pending.append(expr.operand)
            case Call():
                pending.extend(expr.args)
                pending.extend([expr.target] if expr.target is not None else [])
            case ListExpr():
                pending.extend(expr.elements)
            case MapExpr() | Struct():
                for entry in expr.entries:
                    pending.append(entry.value)
                    pending.extend([] if isinstance(entry.key, str) else [entry.key])
            case Comprehension():
                pending.extend([expr.range, expr.accu_init, expr.condition, expr.step, expr.result])
            case _:
                pass
    assert len(seen) > 30
    assert len(set(seen)) == len(seen)


SYNTAX = [
    ("", 1, 0),
    (" ", 1, 2),
    ("1 +\n", 2, 1),
    ("a ? b ? c : d : e", 1, 7),
    ("x.in", 1, 3),
    ("x.null", 1, 3),
    ("1.", 1, 3),
    ("1..2", 1, 3),
    ("-!true", 1, 2),
    ("f(1,)", 1, 5),
    ("[1,,2]", 1, 4),
    ("(1 + 2", 1, 7),
    ("1 2", 1, 3),
    ("f(x){}", 1, 5),
    ("{}{}", 1, 3),
    ("a[0].b{}", 1, 7),
    ("rb'x'", 1, 3),
    (r"'\d'", 1, 1),
    ("'abc", 1, 1),
    ("a = b", 1, 3),
    ("a & b", 1, 3),
    ("é", 1, 1),
    ("'é' é", 1, 5),
    ("a\u00a0== b", 1, 2),
    ("`a`", 1, 1),
    ("if a then b", 1, 1),
    ("x.all(1, true", 1, 7),
    ("has(a + ", 1, 7),
]


@pytest.mark.parametrize(("expression", "line", "column"), SYNTAX, ids=[c[0] for c in SYNTAX])
def test_the_first_error_has_the_place_that_cel_go_names(
    expression: str, line: int, column: int
) -> None:
    listing = errors_of(expression)
    assert listing.startswith(f"ERROR: <input>:{line}:{column}: ")


TEXTS = [
    ("9223372036854775808", "1:1: invalid int literal"),
    ("-(9223372036854775808)", "1:3: invalid int literal"),
    ("9" * 5000, "1:1: invalid int literal"),
    ("18446744073709551616u", "1:1: invalid uint literal"),
    ("1e400", "1:1: invalid double literal"),
    (r"'\ud800'", "1:1: invalid unicode code point"),
    (r"'\U00110000'", "1:1: invalid unicode code point"),
    (r"b'\u0041'", "1:1: unable to unescape string"),
    ("package", "1:1: reserved identifier: package"),
    ("a + .if", "1:5: reserved identifier: if"),
    ("while(1)", "1:1: reserved identifier: while"),
    ("a.`b c`", "1:3: unsupported syntax: '`'"),
]


@pytest.mark.parametrize(("expression", "text"), TEXTS, ids=[case[1] for case in TEXTS])
def test_refused_literals_and_names_have_the_text_of_cel_go(expression: str, text: str) -> None:
    assert errors_of(expression).split("\n")[0] == f"ERROR: <input>:{text}"


def test_back_quoted_fields_are_fields_from_1_37_on() -> None:
    assert show(tree_of("a.`b c`", Dialect(minor=37))) == "a.b c"
    assert show(tree_of("T{`a-b`: 1}", Dialect(minor=37))) == "T{a-b: 1}"


def test_all_errors_are_listed_under_their_lines_with_wide_carets() -> None:
    expression = "'日' + é ||\n\tif"
    assert errors_of(expression) == (
        "ERROR: <input>:1:7: Syntax error: token recognition error at: 'é'\n"
        " | '日' + é ||\n"
        " | .．....＾\n"
        "ERROR: <input>:1:9: Syntax error: extraneous input '||' expecting {'[', '{', '(', '.', "
        "'-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, "
        "IDENTIFIER}\n"
        " | '日' + é ||\n"
        " | .．....．.^\n"
        "ERROR: <input>:2:2: reserved identifier: if\n"
        " |  if\n"
        " | .^"
    )
    assert errors_of("\tif") == "ERROR: <input>:1:2: reserved identifier: if\n |  if\n | .^"


MENDED = [
    ("(1", ["1:3: Syntax error: missing ')' at '<EOF>'"]),
    ("1)", ["1:2: Syntax error: extraneous input ')' expecting <EOF>"]),
    ("[1 2]", ["1:4: Syntax error: extraneous input '2' expecting {']', ','}"]),
    ("{1 2}", ["1:4: Syntax error: missing ':' at '2'"]),
    (
        "x.all(1, true",
        [
            "1:7: argument must be a simple name",
            "1:14: Syntax error: missing ')' at '<EOF>'",
        ],
    ),
]


@pytest.mark.parametrize(("expression", "errors"), MENDED, ids=[case[0] for case in MENDED])
def test_one_token_too_many_or_too_few_hides_no_other_error(
    expression: str, errors: list[str]
) -> None:
    lines = errors_of(expression).split("\n")
    found = [line.removeprefix("ERROR: <input>:") for line in lines if line.startswith("ERROR")]
    assert found == errors


def test_more_than_a_hundred_errors_are_cut_off() -> None:
    lines = errors_of("$" * 300).split("\n")
    assert sum(line.startswith("ERROR") for line in lines) == 100
    assert lines[-1] == "1 more errors were truncated"


def test_very_long_lines_are_not_quoted() -> None:
    assert render_errors("a" * 16_384, [Issue(3, "x")]).count("\n") == 2
    assert render_errors("a" * 16_385, [Issue(3, "x")]) == "ERROR: <input>:1:4: x"


def test_offsets_become_lines_and_columns() -> None:
    assert [locate("ab\ncd", offset) for offset in (0, 2, 3, 5, -1)] == [
        (1, 1),
        (1, 3),
        (2, 1),
        (2, 3),
        (-1, 0),
    ]


NESTING = [
    ("({})", "brackets", "expression recursion limit exceeded: 250"),
    ("[{}]", "lists", "expression recursion limit exceeded: 250"),
    ("f({})", "calls", "expression recursion limit exceeded: 250"),
    ("a ? b : {}", "branches", "expression recursion limit exceeded: 250"),
    ("{} + a", "sums", "max recursion depth exceeded"),
    ("{}.a", "selects", "max recursion depth exceeded"),
    ("{}.f()", "member calls", "max recursion depth exceeded"),
    ("{}[0]", "indices", "max recursion depth exceeded"),
]


@pytest.mark.parametrize(("form", "name", "text"), NESTING, ids=[case[1] for case in NESTING])
def test_nesting_is_limited_as_in_cel_go(form: str, name: str, text: str) -> None:
    before, after = form.split("{}")
    limit = 250 if text.startswith("max") else 249
    within = before * limit + "x" + after * limit
    beyond = before * (limit + 1) + "x" + after * (limit + 1)
    assert name
    assert parse(within).errors == ()
    assert errors_of(beyond) == f"ERROR: <input>:-1:0: {text}"


def test_right_operands_in_brackets_pass_the_limit_sooner() -> None:
    assert parse("(1 + " * 124 + "1" + ")" * 124).errors == ()
    assert parse("(1 + " * 125 + "1" + ")" * 125).tree is None


def test_long_chains_of_conditions_and_repeated_operators_are_no_nesting() -> None:
    assert parse(" && ".join(["a"] * 2000)).tree is not None
    assert parse("!" * 5000 + "a").tree is not None


def test_skipping_too_many_tokens_ends_the_recovery() -> None:
    assert errors_of("1 " * 257).count("lookahead") == 0
    assert "-1:0: error recovery token lookahead limit exceeded: 256" in errors_of("1 " * 258)


def test_a_target_that_doubles_with_every_macro_is_stopped() -> None:
    assert errors_of("a" + ".optMap(x, x)" * 40).startswith("ERROR: <input>:-1:0: macros copy")


HOSTILE = [
    *("(", "[", "{", "!", "-", "?", "$", '"', "'", "\\", "`", "a.", "a.?b", "1 ", "f(", "has("),
    *(
        "[1].all(x,",
        "a.optMap(x,",
        "{1:",
        "a{b:",
        "a?b:",
        "a&&",
        '"""',
        'r"""a',
        '"\\x4',
        "a==",
        "\n",
    ),
    *("a.b.c{},", "()", "[[],", "//", "é", "日=", "@", "in ", "1e"),
]


@pytest.mark.parametrize("piece", HOSTILE)
def test_ten_kibibytes_of_anything_are_parsed_in_time(piece: str) -> None:
    expression = (piece * 10_240)[:10_240]
    parse("1")
    start = time.perf_counter()
    result = parse(expression)
    render_errors(expression, result.errors)
    assert time.perf_counter() - start < 0.25


PIECES = st.sampled_from(
    [
        *("(", ")", "[", "]", "{", "}", ".", "?", ",", ":", "-", "!", "+", "*", "&&", "||", "=="),
        *("<", "in", "true", "null", "1", "2u", "1.5", '"a"', "b'x'", "x", "has(", ".all(x,", "é"),
        *(".optMap(y,", "cel.bind(z,", "if", "`a`", "\\", '"', "\n", " ", "a.b{", "// ", "&", "😀"),
    ]
)


@given(st.lists(PIECES, max_size=40).map("".join) | st.text(max_size=60))
@example("\ud800")
@settings(max_examples=300, deadline=None)
def test_parsing_never_raises_and_always_answers(expression: str) -> None:
    result = parse(expression)
    assert (result.tree is None) == bool(result.errors)
    assert render_errors(expression, result.errors).count("ERROR") <= 100
