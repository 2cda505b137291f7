"""From text to tokens, exactly as cel-go's lexer cuts it.

cel-python's terminals differ in escapes, raw strings, signs and `1.` (section 3.5 of the dialect),
so the grammar is fed by this hand-written scanner instead of Lark's. The kinds of tokens are the
names of cel-python's terminals, and punctuation is named by itself.
Source: cel-go 0.26 `parser/gen/CEL.g4` and the recovery of ANTLR 4's lexers.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final, NamedTuple

from webhook.cel.source import MAX_ERRORS, Issue

END: Final = "$END"
NAME_BRACE: Final = "NAME_BRACE"
"""The brace after a dotted name, which opens a message; every other one opens a map."""
ESCAPED_IDENT: Final = "ESCAPED_IDENT"


class Token(NamedTuple):
    """One token: kind (a terminal of the grammar), text, and offset in code points."""

    kind: str
    text: str
    offset: int


@dataclass(frozen=True, slots=True)
class Tokens:
    """All tokens of an expression, `END` last, and the characters that are none."""

    tokens: list[Token]
    errors: list[Issue]


_ESCAPE: Final = (
    r"""\\(?:[abfnrtv"'\\?`]|[xX][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|[0-3][0-7]{2})"""
)
# Tripled quotes stand first, because the longest token wins and `""` always matches too. Possessive
# repeats keep every attempt linear, so no text can make the scanner backtrack.
_STRING: Final = "|".join(
    [
        rf'"""[^\\"]*+(?:(?:{_ESCAPE}|"(?!""))[^\\"]*+)*+"""',
        rf"'''[^\\']*+(?:(?:{_ESCAPE}|'(?!''))[^\\']*+)*+'''",
        rf'"[^\\"\n\r]*+(?:{_ESCAPE}[^\\"\n\r]*+)*+"',
        rf"'[^\\'\n\r]*+(?:{_ESCAPE}[^\\'\n\r]*+)*+'",
        r'[rR](?:"""(?s:.*?)"""|"[^"\n\r]*+")',
        r"[rR](?:'''(?s:.*?)'''|'[^'\n\r]*+')",
    ]
)
_FLOAT: Final = (
    r"[0-9]+\.[0-9]+(?:[eE][+-]?[0-9]+)?|[0-9]+[eE][+-]?[0-9]+|\.[0-9]+(?:[eE][+-]?[0-9]+)?"
)
_TOKEN: Final = re.compile(
    rf"(?P<HIDDEN>(?:[\t \r\n\f]|//[^\n]*)+)"
    rf"|(?P<BYTES_LIT>[bB](?:{_STRING}))"
    rf"|(?P<STRING_LIT>{_STRING})"
    rf"|(?P<IDENT>[A-Za-z_][A-Za-z0-9_]*)"
    rf"|(?P<FLOAT_LIT>{_FLOAT})"
    rf"|(?P<UINT_LIT>(?:0x[0-9a-fA-F]+|[0-9]+)[uU])"
    rf"|(?P<INT_LIT>0x[0-9a-fA-F]+|[0-9]+)"
    rf"|(?P<OP>==|!=|<=|>=|&&|\|\||[][<>{{}}().,\-!?:+*/%])"
    rf"|(?P<ESCAPED_IDENT>`[A-Za-z0-9_.\-/ ]+`)"
)
# How far ANTLR's lexer follows a token before it gives up; the character that stops it is lost too.
_PART_ESCAPE: Final = r"\\(?:[xX][0-9a-fA-F]?|u[0-9a-fA-F]{0,3}|U[0-9a-fA-F]{0,7}|[0-3][0-7]?)?"
_BROKEN: Final = re.compile(
    rf'"[^\\"\n\r]*+(?:{_ESCAPE}[^\\"\n\r]*+)*+(?:{_PART_ESCAPE})?'
    rf"|'[^\\'\n\r]*+(?:{_ESCAPE}[^\\'\n\r]*+)*+(?:{_PART_ESCAPE})?"
    rf"|`[A-Za-z0-9_.\-/ ]*"
    rf"|[=&|]"
)
_KEYWORDS: Final = {"in": "IN", "true": "BOOL_LIT", "false": "BOOL_LIT", "null": "NULL_LIT"}
_ENDS_OPERAND: Final = frozenset(
    {
        *("IDENT", ESCAPED_IDENT, "STRING_LIT", "BYTES_LIT", "INT_LIT", "UINT_LIT", "FLOAT_LIT"),
        *("BOOL_LIT", "NULL_LIT", ")", "]", "}"),
    }
)


def scan(expression: str) -> Tokens:
    """Cut an expression into tokens; what is no token is reported and skipped as ANTLR does.

    After 101 errors it stops, as cel-go's parser does.
    """
    tokens: list[Token] = []
    errors: list[Issue] = []
    position, length = 0, len(expression)
    match = _TOKEN.match
    append = tokens.append
    while position < length:
        found = match(expression, position)
        if found is None:
            position = _skip_broken(expression, position, errors)
            if len(errors) > MAX_ERRORS:
                break
            continue
        kind, start = found.lastgroup or "", position
        position = found.end()
        if kind == "HIDDEN":
            continue
        text = found.group()
        if kind == "OP":
            kind = NAME_BRACE if text == "{" and _follows_name(tokens) else text
        elif kind == "IDENT":
            kind = _KEYWORDS.get(text, kind)
        elif kind in {"INT_LIT", "FLOAT_LIT"} and _is_signed(tokens):
            start = tokens.pop().offset
            text = "-" + text
        append(Token(kind, text, start))
    append(Token(END, "<EOF>", length))
    return Tokens(tokens, errors)


def _skip_broken(expression: str, position: int, errors: list[Issue]) -> int:
    found = _BROKEN.match(expression, position)
    end = (found.end() if found else position) + 1
    text = expression[position:end].replace("\n", "\\n").replace("\r", "\\r").replace("\t", "\\t")
    errors.append(Issue(position, f"Syntax error: token recognition error at: '{text}'"))
    return end


def _is_signed(tokens: list[Token]) -> bool:
    """Whether the last token is a minus that belongs to the number that follows.

    It does in front of an operand, and only a single one: `--1` is a number behind two operators.
    """
    if not tokens or tokens[-1].kind != "-":
        return False
    if len(tokens) == 1:
        return True
    before = tokens[-2].kind
    if before in _ENDS_OPERAND:
        return False
    if before != "-":
        return True
    return len(tokens) > 2 and tokens[-3].kind in _ENDS_OPERAND


def _follows_name(tokens: list[Token]) -> bool:
    """Whether the tokens end in a dotted name that is an operand of its own."""
    index = len(tokens) - 1
    if index < 0 or tokens[index].kind != "IDENT":
        return False
    while index >= 2 and tokens[index - 1].kind == "." and tokens[index - 2].kind == "IDENT":
        index -= 2
    if index >= 1 and tokens[index - 1].kind == ".":
        index -= 1
    if index < 1:
        return True
    before = tokens[index - 1].kind
    is_optional_select = before == "?" and index >= 2 and tokens[index - 2].kind == "."
    return before not in _ENDS_OPERAND and not is_optional_select
