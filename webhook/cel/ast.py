"""The abstract tree that parser, checker, estimator and evaluator share.

Nodes follow cel-go's AST (0.26 `common/ast`): macros are already expanded, optional syntax is a
call (`_?._`, `_[?_]`), operators are calls under their internal names (`_+_`, `_==_`, `@in`,
`_?_:_`, `_&&_`, `!_`, `-_`, `_[_]`). `id` is unique within one tree; `offset` is the node's place
in code points as section 7 of the dialect's facts defines it, -1 for nodes without a place.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from webhook.cel.values import UInt

LiteralValue: TypeAlias = "bool | int | UInt | float | str | bytes | None"


@dataclass(frozen=True, slots=True, eq=False)
class Literal:
    """A constant. The Python type tells the CEL type: bool, int, UInt, float, str, bytes, None."""

    id: int
    offset: int
    value: LiteralValue


@dataclass(frozen=True, slots=True, eq=False)
class Ident:
    """A name; `name` keeps a leading dot, which means: from the root, skipping local variables."""

    id: int
    offset: int
    name: str


@dataclass(frozen=True, slots=True, eq=False)
class Select:
    """`operand.field`, or `has(operand.field)` when `test_only`."""

    id: int
    offset: int
    operand: Expr
    field: str
    test_only: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Call:
    """`function(args)` or `target.function(args)`; operators have no target."""

    id: int
    offset: int
    function: str
    args: tuple[Expr, ...]
    target: Expr | None = None


@dataclass(frozen=True, slots=True, eq=False)
class ListExpr:
    """`[a, ?b]`; `optional` holds the indices of entries that stand behind a question mark."""

    id: int
    offset: int
    elements: tuple[Expr, ...]
    optional: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True, eq=False)
class Entry:
    """One `key: value` of a map, or one `field: value` of a message (key is then the name)."""

    id: int
    offset: int
    key: Expr | str
    value: Expr
    optional: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class MapExpr:
    """`{k: v}`."""

    id: int
    offset: int
    entries: tuple[Entry, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Struct:
    """`name{field: value}`."""

    id: int
    offset: int
    name: str
    entries: tuple[Entry, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Comprehension:
    """What a macro becomes: fold over `range` with an accumulator, as in cel-go."""

    id: int
    offset: int
    range: Expr
    iter_var: str
    iter_var2: str
    """The second variable; empty for macros of one variable."""
    accu_var: str
    accu_init: Expr
    condition: Expr
    step: Expr
    result: Expr


Expr: TypeAlias = "Literal | Ident | Select | Call | ListExpr | MapExpr | Struct | Comprehension"
