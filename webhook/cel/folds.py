"""Comprehensions at run time: folds with a lazily evaluated accumulator.

Source: cel-go 0.26 `interpreter/interpretable.go` (`evalFold`, `folder`). An error of a step
becomes the accumulator, so that `all` and `exists` can still absorb it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Final

from webhook.cel.ast import Comprehension
from webhook.cel.values import (
    LIST_TYPES,
    MAP_TYPES,
    CelError,
    CostExceededError,
    MapValue,
    MutableList,
    MutableMap,
    go_type,
    list_items,
    list_size,
)

if TYPE_CHECKING:
    from webhook.cel.planner import Planner, Run, State

_UNSET: Final = object()


def plan_fold(planner: Planner, e: Comprehension) -> Run:
    """Plan one comprehension."""
    accu_slot, first_slot, second_slot = planner.slot(), planner.slot(), planner.slot()
    outer = planner.scope
    start = planner.plan(e.accu_init).run
    over = planner.plan(e.range).run

    def accumulator(state: State) -> Any:
        value = state.slots[accu_slot]
        if value is _UNSET:
            try:
                value = start(state)
            except CelError as error:
                value = error
            if type(value) in LIST_TYPES and not list_size(value):
                value = MutableList()
            elif type(value) in MAP_TYPES and not value.entries:
                value = MutableMap()
            state.slots[accu_slot] = value
        if type(value) is CelError:
            raise value
        return value

    inner = {**outer}
    inner[e.iter_var] = lambda state: state.slots[first_slot]
    if e.iter_var2:
        inner[e.iter_var2] = lambda state: state.slots[second_slot]
    inner[e.accu_var] = accumulator
    planner.scope = inner
    condition = planner.plan(e.condition).run
    step = planner.plan(e.step).run
    planner.scope = {**outer, e.accu_var: accumulator}
    result = planner.plan(e.result).run
    planner.scope = outer
    is_pair = bool(e.iter_var2)

    def run(state: State) -> Any:
        foldable = over(state)
        pairs = _pairs(foldable) if is_pair else _singles(foldable)
        slots = state.slots
        slots[accu_slot] = _UNSET
        limit = state.limit
        for first, second in pairs:
            slots[first_slot] = first
            slots[second_slot] = second
            try:
                go_on = condition(state)
            except CelError:
                go_on = True
            if go_on is False:
                break
            try:
                slots[accu_slot] = step(state)
            except CelError as error:
                error.__traceback__ = None
                slots[accu_slot] = error
            if state.cost > limit:
                raise CostExceededError
        value = result(state)
        if type(value) is MutableList:
            return tuple(value)
        if type(value) is MutableMap:
            return MapValue(value.entries)
        return value

    return run


def _singles(value: Any) -> Iterable[tuple[Any, Any]]:
    if type(value) in LIST_TYPES:
        return [(item, None) for item in list_items(value)]
    if type(value) in MAP_TYPES:
        return [(key, None) for key in value.keys()]  # noqa: SIM118 - not a dict
    raise CelError(f"got '{go_type(value)}', expected iterable type")


def _pairs(value: Any) -> Iterable[tuple[Any, Any]]:
    if type(value) in LIST_TYPES:
        return list(enumerate(list_items(value)))
    if type(value) in MAP_TYPES:
        return list(value.items())
    raise CelError(f"unsupported comprehension range type: {go_type(value)}")
