"""Macros: the exact expansions, which the costs count, and the errors of their arguments."""

from __future__ import annotations

import pytest

from tests.cel.test_parser import errors_of, show, tree_of
from webhook.cel.ast import Call, Comprehension, Expr
from webhook.cel.dialect import Dialect

ALL = ("True", "@not_strictly_false(@result)", "_&&_(@result, {})", "@result")
EXISTS = ("False", "@not_strictly_false(!_(@result))", "_||_(@result, {})", "@result")
ONE = ("0", "True", "_?_:_({}, _+_(@result, 1), @result)", "_==_(@result, 1)")
GATHER = ("[]", "True", "_+_(@result, [{}])", "@result")
CHOOSE = ("[]", "True", "_?_:_(p, _+_(@result, [{}]), @result)", "@result")
INSERT = ("{}", "True", "cel.@mapInsert(@result, k, {})", "@result")

FOLDS = [
    ("r.all(x, p)", "r", "x", ALL, "p"),
    ("r.exists(x, p)", "r", "x", EXISTS, "p"),
    ("r.exists_one(x, p)", "r", "x", ONE, "p"),
    ("r.map(x, e)", "r", "x", GATHER, "e"),
    ("r.map(x, p, e)", "r", "x", CHOOSE, "e"),
    ("r.filter(x, p)", "r", "x", CHOOSE, "x"),
    ("r.all(k, v, p)", "r", "k,v", ALL, "p"),
    ("r.exists(k, v, p)", "r", "k,v", EXISTS, "p"),
    ("r.existsOne(k, v, p)", "r", "k,v", ONE, "p"),
    ("r.exists_one(k, v, p)", "r", "k,v", ONE, "p"),
    ("r.transformList(k, v, e)", "r", "k,v", GATHER, "e"),
    ("r.transformList(k, v, p, e)", "r", "k,v", CHOOSE, "e"),
    ("r.transformMap(k, v, e)", "r", "k,v", INSERT, "e"),
    (
        "r.transformMap(k, v, p, e)",
        "r",
        "k,v",
        ("{}", "True", "_?_:_(p, cel.@mapInsert(@result, k, {}), @result)", "@result"),
        "e",
    ),
    (
        "r.transformMapEntry(k, v, e)",
        "r",
        "k,v",
        ("{}", "True", "cel.@mapInsert(@result, {})", "@result"),
        "e",
    ),
    (
        "r.transformMapEntry(k, v, p, e)",
        "r",
        "k,v",
        ("{}", "True", "_?_:_(p, cel.@mapInsert(@result, {}), @result)", "@result"),
        "e",
    ),
]


@pytest.mark.parametrize(
    ("expression", "over", "names", "parts", "body"), FOLDS, ids=[case[0] for case in FOLDS]
)
def test_folds_have_the_parts_that_cel_go_gives_them(
    expression: str, over: str, names: str, parts: tuple[str, ...], body: str
) -> None:
    tree = tree_of(expression)
    assert isinstance(tree, Comprehension)
    assert show(tree.range) == over
    assert names == ",".join(filter(None, [tree.iter_var, tree.iter_var2]))
    assert tree.accu_var == "@result"
    start, condition, step, result = parts
    assert show(tree.accu_init) == start
    assert show(tree.condition) == condition
    assert show(tree.step) == step.replace("{}", body)
    assert show(tree.result) == result


def _binding(tree: Expr) -> tuple[str, str, str, str, str]:
    assert isinstance(tree, Comprehension)
    assert show(tree.range) == "[]"
    assert tree.iter_var == "#unused"
    assert show(tree.condition) == "False"
    assert show(tree.step) == tree.accu_var
    return tree.iter_var2, tree.accu_var, show(tree.accu_init), show(tree.result), ""


def test_bind_is_a_fold_over_nothing() -> None:
    assert _binding(tree_of("cel.bind(x, v, e)")) == ("", "x", "v", "e", "")


@pytest.mark.parametrize(
    ("macro", "wraps"), [("optMap", True), ("optFlatMap", False)], ids=["optMap", "optFlatMap"]
)
def test_optional_macros_ask_the_target_twice(macro: str, wraps: bool) -> None:
    tree = tree_of(f"o.p.{macro}(x, e)")
    assert isinstance(tree, Call)
    assert tree.function == "_?_:_"
    condition, body, otherwise = tree.args
    assert show(condition) == "o.p->hasValue()"
    assert show(otherwise) == "optional.none()"
    if wraps:
        assert isinstance(body, Call)
        assert body.function == "optional.of"
        body = body.args[0]
    assert _binding(body) == ("", "x", "o.p->value()", "e", "")


def test_sort_by_binds_its_input_and_maps_it_to_keys() -> None:
    tree = tree_of("l.sortBy(x, x.k)")
    assert isinstance(tree, Comprehension)
    assert tree.accu_var == "@__sortBy_input__"
    assert show(tree.result) == (
        "@__sortBy_input__->@sortByAssociatedKeys(fold(@__sortBy_input__))"
    )


@pytest.mark.parametrize(
    ("dialect", "is_macro"),
    [
        (Dialect(minor=34), False),
        (Dialect(minor=34, stored=True), True),
        (Dialect(minor=35), True),
    ],
    ids=["1.34 create", "1.34 stored", "1.35 create"],
)
def test_sort_by_is_a_macro_where_the_lists_library_is_known(
    dialect: Dialect, is_macro: bool
) -> None:
    assert isinstance(tree_of("l.sortBy(x, x)", dialect), Comprehension) is is_macro


CALLS = [
    "r.all(x)",
    "r.all(a, b, c, d)",
    "r.existsOne(x, p)",
    "r.filter(x)",
    "x.bind(a, b, c)",
    "optMap(x, e)",
    "all(x, p)",
    "has()",
    "x.has(a.b)",
    "r.sortBy(x)",
]


@pytest.mark.parametrize("expression", CALLS)
def test_other_shapes_are_plain_calls(expression: str) -> None:
    assert isinstance(tree_of(expression), Call)


SORTABLE = (
    "sortBy can only be applied to a list, identifier, comprehension, call or select expression"
)
ERRORS = [
    ("has(a)", 5, "invalid argument to has() macro"),
    ("has(a.?b)", 6, "invalid argument to has() macro"),
    ("has(a['b'])", 6, "invalid argument to has() macro"),
    ("r.all(1, p)", 7, "argument must be a simple name"),
    ("r.all(a.b, p)", 8, "argument must be a simple name"),
    ("r.exists(k, 'v', p)", 13, "argument must be a simple name"),
    ("r.map('x', e)", 7, "argument is not an identifier"),
    ("r.filter(f(x), e)", 11, "argument is not an identifier"),
    ("l.sortBy(1, x)", 10, "argument is not an identifier"),
    ("r.all(k, k, p)", 10, "duplicate variable name: k"),
    ("r.all(__result__, p)", 7, "iteration variable overwrites accumulator variable"),
    ("r.map(__result__, p)", 7, "iteration variable overwrites accumulator variable"),
    (
        "r.transformList(k, __result__, p)",
        20,
        "iteration variable overwrites accumulator variable",
    ),
    ("cel.bind(a.b, 1, 2)", 11, "cel.bind() variable names must be simple identifiers"),
    ("o.optMap(1, 2)", 10, "optMap() variable name must be a simple identifier"),
    ("o.optFlatMap(1, 2)", 14, "optFlatMap() variable name must be a simple identifier"),
    (
        "{}.sortBy(x, x)",
        1,
        SORTABLE,
    ),
]


@pytest.mark.parametrize(("expression", "column", "text"), ERRORS, ids=[c[0] for c in ERRORS])
def test_unfit_arguments_are_reported_at_the_argument(
    expression: str, column: int, text: str
) -> None:
    first = errors_of(expression).split("\n")[0]
    assert first == f"ERROR: <input>:1:{column}: {text}"


def test_nodes_of_an_expansion_stand_at_the_bracket_of_the_call() -> None:
    tree = tree_of("abc.all(x, y)")
    assert isinstance(tree, Comprehension)
    assert {tree.offset, tree.accu_init.offset, tree.condition.offset, tree.step.offset} == {7}
    assert tree.range.offset == 0
    copied = tree_of("abc.optMap(x, y)")
    assert isinstance(copied, Call)
    assert copied.offset == 10
