"""Macros: calls that the parser turns into comprehensions, one table entry each.

Expansions follow cel-go to the node, because the static and the run-time cost count them.
Source: cel-go 0.26 `parser/macro.go`, `ext/comprehensions.go`, `ext/lists.go`, `ext/bindings.go`
and `cel/library.go`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from itertools import count
from typing import Final, TypeAlias

from webhook.cel.ast import (
    Call,
    Comprehension,
    Entry,
    Expr,
    Ident,
    ListExpr,
    Literal,
    LiteralValue,
    MapExpr,
    Select,
    Struct,
)
from webhook.cel.dialect import Dialect

ACCUMULATOR: Final = "@result"
_OLD_ACCUMULATOR: Final = "__result__"
UNUSED: Final = "#unused"
"""The iteration variable of a comprehension that only binds its accumulator."""
_SORT_INPUT: Final = "@__sortBy_input__"
_MOST_COPIES: Final = 8_000
"""Nodes that copying macros may add to one tree. cel-go has no such limit and runs out of memory
instead: every `optMap` doubles its target."""


class MacroError(ValueError):
    """A macro whose arguments do not fit; `offset` is the place of the argument."""

    def __init__(self, offset: int, message: str) -> None:
        super().__init__(message)
        self.offset = offset
        self.message = message


@dataclass(slots=True)
class Maker:
    """Makes nodes with fresh ids, all at one place: the bracket of the macro's call."""

    ids: count[int]
    offset: int = -1
    copies: list[int] = field(default_factory=lambda: [0])
    """How many nodes were copied so far, shared by all makers of one tree."""

    def at(self, offset: int) -> Maker:
        """Return a maker of the same tree at another place."""
        return Maker(self.ids, offset, self.copies)

    def literal(self, value: LiteralValue) -> Literal:
        """Make a constant."""
        return Literal(next(self.ids), self.offset, value)

    def ident(self, name: str) -> Ident:
        """Make a name."""
        return Ident(next(self.ids), self.offset, name)

    def call(self, function: str, *args: Expr) -> Call:
        """Make a global call or an operator."""
        return Call(next(self.ids), self.offset, function, args)

    def member(self, function: str, target: Expr, *args: Expr) -> Call:
        """Make a member call."""
        return Call(next(self.ids), self.offset, function, args, target)

    def list(self, *elements: Expr) -> ListExpr:
        """Make a list literal."""
        return ListExpr(next(self.ids), self.offset, elements)

    def map(self) -> MapExpr:
        """Make an empty map literal."""
        return MapExpr(next(self.ids), self.offset, ())

    def accumulator(self) -> Ident:
        """Make the name of the accumulator."""
        return self.ident(ACCUMULATOR)

    def fold(
        self,
        over: Expr,
        names: tuple[str, str],
        start: Expr,
        condition: Expr,
        step: Expr,
        result: Expr,
        accumulator: str = ACCUMULATOR,
    ) -> Comprehension:
        """Make a comprehension."""
        name, second = names
        return Comprehension(
            next(self.ids),
            self.offset,
            over,
            name,
            second,
            accumulator,
            start,
            condition,
            step,
            result,
        )

    def copy(self, expr: Expr) -> Expr:
        """Copy a tree with fresh ids; every node keeps its place."""
        self.copies[0] += 1
        if self.copies[0] > _MOST_COPIES:
            raise MacroError(-1, f"macros copy more than {_MOST_COPIES} nodes")
        new = next(self.ids)
        match expr:
            case Literal() | Ident():
                return replace(expr, id=new)
            case Select():
                return replace(expr, id=new, operand=self.copy(expr.operand))
            case Call():
                args = tuple([self.copy(arg) for arg in expr.args])
                target = self.copy(expr.target) if expr.target is not None else None
                return replace(expr, id=new, args=args, target=target)
            case ListExpr():
                return replace(
                    expr, id=new, elements=tuple([self.copy(element) for element in expr.elements])
                )
            case MapExpr() | Struct():
                entries = tuple([self._copy_entry(entry) for entry in expr.entries])
                return replace(expr, id=new, entries=entries)
            case Comprehension():
                return replace(
                    expr,
                    id=new,
                    range=self.copy(expr.range),
                    accu_init=self.copy(expr.accu_init),
                    condition=self.copy(expr.condition),
                    step=self.copy(expr.step),
                    result=self.copy(expr.result),
                )

    def _copy_entry(self, entry: Entry) -> Entry:
        key = entry.key if isinstance(entry.key, str) else self.copy(entry.key)
        value = self.copy(entry.value)
        return replace(entry, id=next(self.ids), offset=self.offset, key=key, value=value)


Args: TypeAlias = Sequence[Expr]
Expander: TypeAlias = Callable[[Maker, Expr, Args], "Expr | None"]
"""Returns None where the call only looks like the macro (`x.bind` of anything but `cel`)."""


def expand_global(maker: Maker, function: str, args: Args) -> Expr | None:
    """Expand a global macro; None if there is none of that name and number of arguments."""
    if function == "has" and len(args) == 1:
        return _has(maker, args[0])
    return None


def expand_member(
    maker: Maker, function: str, target: Expr, args: Args, dialect: Dialect
) -> Expr | None:
    """Expand a member macro; None if there is none of that name and number of arguments."""
    if function == "sortBy" and not _has_sort_by(dialect):
        return None
    expander = _MEMBERS.get((function, len(args)))
    return expander(maker, target, args) if expander else None


def _has_sort_by(dialect: Dialect) -> bool:
    """Whether lists are at version 3 (apiserver `environment/base.go`: introduced in 1.34)."""
    return dialect.stored or dialect.minor > 34


def _has(maker: Maker, argument: Expr) -> Expr:
    if not isinstance(argument, Select):
        raise MacroError(argument.offset, "invalid argument to has() macro")
    return Select(next(maker.ids), maker.offset, argument.operand, argument.field, test_only=True)


def _name(argument: Expr, otherwise: str) -> str:
    if not isinstance(argument, Ident):
        raise MacroError(argument.offset, otherwise)
    return argument.name


def _variable(argument: Expr, otherwise: str = "argument must be a simple name") -> str:
    name = _name(argument, otherwise)
    if name in {ACCUMULATOR, _OLD_ACCUMULATOR}:
        raise MacroError(argument.offset, "iteration variable overwrites accumulator variable")
    return name


def _variables(args: Args) -> tuple[str, str]:
    first, second = (_name(arg, "argument must be a simple name") for arg in args[:2])
    if first == second:
        raise MacroError(args[1].offset, f"duplicate variable name: {first}")
    return _variable(args[0]), _variable(args[1])


def _names(args: Args) -> tuple[tuple[str, str], Expr]:
    """Return the variables of a quantifier and its predicate."""
    if len(args) == 3:
        return _variables(args), args[2]
    return (_variable(args[0]), ""), args[1]


def _all(m: Maker, target: Expr, args: Args) -> Expr:
    names, predicate = _names(args)
    condition = m.call("@not_strictly_false", m.accumulator())
    step = m.call("_&&_", m.accumulator(), predicate)
    return m.fold(target, names, m.literal(True), condition, step, m.accumulator())


def _exists(m: Maker, target: Expr, args: Args) -> Expr:
    names, predicate = _names(args)
    condition = m.call("@not_strictly_false", m.call("!_", m.accumulator()))
    step = m.call("_||_", m.accumulator(), predicate)
    return m.fold(target, names, m.literal(False), condition, step, m.accumulator())


def _exists_one(m: Maker, target: Expr, args: Args) -> Expr:
    names, predicate = _names(args)
    more = m.call("_+_", m.accumulator(), m.literal(1))
    step = m.call("_?_:_", predicate, more, m.accumulator())
    result = m.call("_==_", m.accumulator(), m.literal(1))
    return m.fold(target, names, m.literal(0), m.literal(True), step, result)


def _when(m: Maker, predicate: Expr | None, step: Expr) -> Expr:
    """Take a step only where the predicate holds."""
    return step if predicate is None else m.call("_?_:_", predicate, step, m.accumulator())


def _gather(m: Maker, target: Expr, names: tuple[str, str], args: Args) -> Expr:
    """Fold into a list: the last argument for each element, where the first of two holds."""
    step = m.call("_+_", m.accumulator(), m.list(args[-1]))
    step_where = _when(m, args[0] if len(args) == 2 else None, step)
    return m.fold(target, names, m.list(), m.literal(True), step_where, m.accumulator())


def _map(m: Maker, target: Expr, args: Args) -> Expr:
    name = _variable(args[0], "argument is not an identifier")
    return _gather(m, target, (name, ""), args[1:])


def _filter(m: Maker, target: Expr, args: Args) -> Expr:
    name = _variable(args[0], "argument is not an identifier")
    return _gather(m, target, (name, ""), (args[1], args[0]))


def _transform_list(m: Maker, target: Expr, args: Args) -> Expr:
    return _gather(m, target, _variables(args), args[2:])


def _transform_map(m: Maker, target: Expr, args: Args) -> Expr:
    names = _variables(args)
    step = m.call("cel.@mapInsert", m.accumulator(), m.ident(names[0]), args[-1])
    step_where = _when(m, args[2] if len(args) == 4 else None, step)
    return m.fold(target, names, m.map(), m.literal(True), step_where, m.accumulator())


def _transform_map_entry(m: Maker, target: Expr, args: Args) -> Expr:
    names = _variables(args)
    step = m.call("cel.@mapInsert", m.accumulator(), args[-1])
    step_where = _when(m, args[2] if len(args) == 4 else None, step)
    return m.fold(target, names, m.map(), m.literal(True), step_where, m.accumulator())


def _bound(m: Maker, name: str, value: Expr, step: Expr, body: Expr) -> Expr:
    """Bind a name: a comprehension over nothing, whose accumulator is the name."""
    return m.fold(m.list(), (UNUSED, ""), value, m.literal(False), step, body, accumulator=name)


def _bind(m: Maker, target: Expr, args: Args) -> Expr | None:
    if not isinstance(target, Ident) or target.name != "cel":
        return None
    name = _name(args[0], "cel.bind() variable names must be simple identifiers")
    return _bound(m, name, args[1], m.ident(name), args[2])


def _opt_body(m: Maker, target: Expr, args: Args, macro: str) -> tuple[Expr, Expr]:
    name = _name(args[0], f"{macro}() variable name must be a simple identifier")
    value = m.member("value", m.copy(target))
    return m.member("hasValue", target), _bound(m, name, value, m.ident(name), args[1])


def _opt_map(m: Maker, target: Expr, args: Args) -> Expr:
    has_value, body = _opt_body(m, target, args, "optMap")
    return m.call("_?_:_", has_value, m.call("optional.of", body), m.call("optional.none"))


def _opt_flat_map(m: Maker, target: Expr, args: Args) -> Expr:
    has_value, body = _opt_body(m, target, args, "optFlatMap")
    return m.call("_?_:_", has_value, body, m.call("optional.none"))


def _sort_by(m: Maker, target: Expr, args: Args) -> Expr:
    if not isinstance(target, ListExpr | Select | Ident | Comprehension | Call):
        raise MacroError(
            target.offset,
            "sortBy can only be applied to a list, identifier, comprehension, call or select "
            "expression",
        )
    keys = _map(m, m.ident(_SORT_INPUT), args)
    body = m.member("@sortByAssociatedKeys", m.ident(_SORT_INPUT), keys)
    return _bound(m, _SORT_INPUT, target, m.ident(_SORT_INPUT), body)


_MEMBERS: Final[dict[tuple[str, int], Expander]] = {
    ("all", 2): _all,
    ("all", 3): _all,
    ("exists", 2): _exists,
    ("exists", 3): _exists,
    ("exists_one", 2): _exists_one,
    ("exists_one", 3): _exists_one,
    ("existsOne", 3): _exists_one,
    ("map", 2): _map,
    ("map", 3): _map,
    ("filter", 2): _filter,
    ("transformList", 3): _transform_list,
    ("transformList", 4): _transform_list,
    ("transformMap", 3): _transform_map,
    ("transformMap", 4): _transform_map,
    ("transformMapEntry", 3): _transform_map_entry,
    ("transformMapEntry", 4): _transform_map_entry,
    ("optMap", 2): _opt_map,
    ("optFlatMap", 2): _opt_flat_map,
    ("sortBy", 2): _sort_by,
    ("bind", 3): _bind,
}
