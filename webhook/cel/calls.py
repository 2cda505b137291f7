"""Calls of functions at run time: which overload, guarded by the types of the arguments.

Source: cel-go 0.26 `common/decls/decls.go` (guards and dispatch), `interpreter/interpretable.go`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final

from webhook.cel import library
from webhook.cel.costs import call_cost, is_known_before
from webhook.cel.dialect import Dialect
from webhook.cel.implementations import IMPLEMENTATIONS, UNGUARDED
from webhook.cel.library.declare import Overload
from webhook.cel.library.run import regexes
from webhook.cel.overload_order import in_order
from webhook.cel.types import Type, output_name
from webhook.cel.values import (
    LIST_TYPES,
    MAP_TYPES,
    CelError,
    CostExceededError,
    GoPanicError,
    list_items,
    no_such_overload,
    type_name,
)

if TYPE_CHECKING:
    from webhook.cel.planner import Run, State

_STOPS_EARLY: Final = frozenset({"string_format"})
"""Calls of two arguments that do not look at the second when the first fails."""
_FAILED: Final = object()


class Calls:
    """Plans the calls of one dialect."""

    def __init__(self, dialect: Dialect) -> None:
        self._dialect = dialect
        self._functions = library.functions(dialect)
        self._unguarded = {**UNGUARDED, "matches": regexes.matches(dialect.minor)}
        self._implementations = {**IMPLEMENTATIONS, **regexes.by_overload(dialect.minor)}

    def plan(self, name: str, ids: Sequence[str], args: Sequence[Run], pattern: Any) -> Run:
        """Return what evaluates the arguments, counts the cost and calls the function."""
        only = ids[0] if len(ids) == 1 else ""
        call, singleton = self._callable(name, only, len(args))
        compiled = (
            regexes.constant(name, pattern, self._dialect.minor) if type(pattern) is str else None
        )
        if compiled is not None:
            call = compiled
        early = compiled is not None or only in _STOPS_EARLY or (not only and not singleton)
        early = (early and len(args) > 1) or len(args) > 2
        cost = call_cost(name, only)
        before = is_known_before(name, only)
        return _counted(call, args, cost, stops_early=early, before=before)

    def _callable(self, name: str, only: str, arity: int) -> tuple[Callable[..., Any], bool]:
        unguarded = self._unguarded.get(name)
        if unguarded is not None:
            return unguarded, True
        function = in_order(self._functions[name])
        if only:
            overload = next(o for o in function.overloads if o.id == only)
            return self._guarded(name, [overload]), False
        fitting = [o for o in function.overloads if len(o.params) == arity]
        return self._guarded(name, fitting), False

    def _guarded(self, name: str, overloads: Sequence[Overload]) -> Callable[..., Any]:
        table = []
        for overload in overloads:
            implementation = self._implementations.get(overload.id)
            if implementation is not None:
                table.append((overload.params, implementation))
        in_place = self._dialect.minor < _COPIES_FROM and name in {"add", "sub"}

        def call(*args: Any) -> Any:
            for params, implementation in table:
                if all(map(fits, params, args)):
                    if in_place:
                        return implementation(*args, in_place=True)
                    return implementation(*args)
            raise no_such_overload(f"{name}({', '.join(type_name(arg) for arg in args)})")

        return call


_COPIES_FROM: Final = 37
_FAST: Final[dict[str, type]] = {"string": str, "int": int, "bool": bool, "double": float}


def fits(wanted: Type, value: Any) -> bool:
    """Whether a value may be an argument of a declared type: lists are judged by the first."""
    kind = wanted.kind
    fast = _FAST.get(kind)
    if fast is not None:
        return type(value) is fast
    if kind in {"dyn", "any", "param"}:
        return True
    if kind == "list":
        if type(value) not in LIST_TYPES:
            return False
        items = list_items(value)
        return not items or fits(wanted.params[0], items[0])
    if kind == "map":
        if type(value) not in MAP_TYPES:
            return False
        for key, item in value.items():
            return fits(wanted.params[0], key) and fits(wanted.params[1], item)
        return True
    if kind == "optional":
        return type_name(value) == "optional_type"
    return type_name(value) == (wanted.name or output_name(wanted))


def _counted(
    call: Callable[..., Any],
    args: Sequence[Run],
    cost: Callable[[Sequence[Any], Any], int],
    *,
    stops_early: bool,
    before: bool,
) -> Run:
    def run(state: State) -> Any:
        values = []
        failure: CelError | None = None
        for index, arg in enumerate(args):
            try:
                values.append(arg(state))
            except CelError as error:
                failure = failure or error
                values.append(error)
                if stops_early:
                    if index == len(args) - 1:
                        state.cost += cost(values, failure)
                    raise
        if failure is not None:
            state.cost += cost(values, failure)
            raise failure
        if before:
            # What would end by its cost need not be computed.
            own = cost(values, None)
            state.cost += own
            if state.cost > state.limit:
                raise CostExceededError
            try:
                result = call(*values)
            except GoPanicError:
                state.cost -= own  # a panic comes before the step is counted
                raise
            if type(result) is CelError:
                raise result
            return result
        try:
            result = call(*values)
        except CelError as error:
            state.cost += cost(values, error)
            raise
        state.cost += cost(values, result)
        if state.cost > state.limit:
            raise CostExceededError
        if type(result) is CelError:
            raise result
        return result

    return run
