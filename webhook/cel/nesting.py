"""The two limits of nesting, on the tokens, as cel-go's parser counts them.

ANTLR enters `expr`, `relation` and `calc` once more for each bracket, false branch and right
operand; 250 of one kind may be open at once. Counted here on the tokens, so that no input can make
our own parser go deep first. Source: cel-go 0.26 `recursionListener` in `parser/parser.go`.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from webhook.cel.lexer import END, NAME_BRACE, Token

MAX_DEPTH: Final = 250
MAX_LOOKAHEAD: Final = 256
"""Tokens that cel-go's recovery from a syntax error may skip at once."""

_FEWEST: Final = MAX_DEPTH // 3
"""Each bracket or branch adds at most three to a depth, so fewer need no counting."""
_RELATIONS: Final = frozenset({"<", "<=", ">", ">=", "==", "!=", "IN"})
_CLOSERS: Final = frozenset({")", "]", "}"})
_BEFORE_MARK: Final = frozenset({".", "[", "{", NAME_BRACE, ","})
Rule: TypeAlias = Literal["start", "expr", "member", "primary"]
"""The rules of cel-go's grammar in which a syntax error may occur, from the outermost inwards."""
_AFTER_MEMBER: Final = _RELATIONS | {*"*/%+-?", "&&", "||"}
_FOLLOWING: Final[Mapping[Rule, frozenset[str]]] = {
    "start": frozenset(),
    "expr": frozenset(),
    "member": _AFTER_MEMBER,
    "primary": _AFTER_MEMBER | {".", "["},
}
"""Tokens that may follow each rule; recovery ends at the first of them."""
_FOLLOWING_IN_BRACKETS: Final = _CLOSERS | {",", ":"}

_FRAMES: Final = 20_000


def make_room() -> None:
    """Let Python recurse as deep as a tree within the limits may be: 250 levels of macros.

    Python's own limit guards the C stack, which calls between Python functions do not take (3.11);
    and it is only ever raised, so that it does not matter who does it first.
    """
    if sys.getrecursionlimit() < _FRAMES:
        sys.setrecursionlimit(_FRAMES)


@dataclass(slots=True)
class _Level:
    """What is open at one bracket: calls of each rule, and where in the expression we are."""

    expr: int
    relation: int
    calc: int
    branches: int = 0
    marks: int = 0
    right_relation: int = 0
    right_sum: int = 0
    right_product: int = 0

    def restart(self) -> None:
        self.right_relation = self.right_sum = self.right_product = 0

    def inner(self) -> _Level:
        expr, relation, calc = self.depths()
        return _Level(expr + 1, relation + 1, calc + 1)

    def depths(self) -> tuple[int, int, int]:
        return (
            self.expr + self.branches,
            self.relation + self.right_relation,
            self.calc + self.right_sum + self.right_product,
        )


def too_deep_at(tokens: Sequence[Token]) -> int | None:
    """Return the index of the token at which the grammar's recursion limit is passed, if any."""
    if sum(token.kind in {"(", "[", "{", NAME_BRACE, ":"} for token in tokens) < _FEWEST:
        return None
    levels = [_Level(1, 1, 1)]
    before = END
    for index, (kind, _, _) in enumerate(tokens):
        level = levels[-1]
        opened = kind in {"(", "[", "{", NAME_BRACE}
        # A bracket that may be empty opens its expression with the first token inside.
        if not opened and kind not in _CLOSERS and kind not in {",", END}:
            _advance(level, kind, before)
        elif kind in _CLOSERS and len(levels) > 1:
            levels.pop()
        elif kind == ",":
            level.restart()
            level.branches = 0
        if kind not in _CLOSERS and kind not in {",", END} and max(level.depths()) > MAX_DEPTH:
            return index
        if opened:
            levels.append(level.inner())
            is_group = kind == "(" and before != "IDENT"
            if is_group and max(levels[-1].depths()) > MAX_DEPTH:
                return index
        before = kind
    return None


def _advance(level: _Level, kind: str, before: str) -> None:
    if kind == "?":
        level.marks += before not in _BEFORE_MARK
        level.restart()
    elif kind == ":":
        level.restart()
        if level.marks:
            level.marks -= 1
            level.branches += 1
        else:
            level.branches = 0
    elif kind in {"&&", "||"}:
        level.restart()
    elif kind in _RELATIONS:
        level.restart()
        level.right_relation = 1
    elif kind == "+" or (kind == "-" and _is_binary(before)):
        level.right_sum, level.right_product = 1, 0
    elif kind in {"*", "/", "%"}:
        level.right_product = 1


def _is_binary(before: str) -> bool:
    return before in _CLOSERS or before.endswith(("IDENT", "_LIT"))


def exceeds_lookahead(tokens: Sequence[Token], index: int, rule: Rule) -> bool:
    """Whether recovery from a syntax error at a token skips more tokens than cel-go allows."""
    if len(tokens) - 1 - index <= MAX_LOOKAHEAD:
        return False
    is_open = 0
    for token in tokens[:index]:
        is_open += token.kind in {"(", "[", "{", NAME_BRACE}
        is_open -= token.kind in _CLOSERS
    stops = _FOLLOWING[rule]
    if is_open > 0 and rule != "start":
        stops |= _FOLLOWING_IN_BRACKETS
    skipped = tokens[index : index + MAX_LOOKAHEAD + 1]
    return not any(token.kind in stops for token in skipped)
