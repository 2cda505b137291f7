"""Which overloads of a function fit a call, and what type the call then has.

Source: cel-go 0.26 `checker/checker.go`, `resolveOverload`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from webhook.cel.library.declare import Function, Overload
from webhook.cel.types import DYN, Type
from webhook.cel.unify import Bindings, is_dyn, same_type


@dataclass(frozen=True, slots=True)
class Resolution:
    """The ids of the overloads that fit, in order of declaration, and the type of the call."""

    overloads: tuple[str, ...]
    result: Type


def resolve(
    function: Function, found: Sequence[Type], bindings: Bindings, *, is_member: bool
) -> Resolution | None:
    """Find the overloads that take arguments of these types (the receiver first).

    All that fit are kept, because arguments of type dyn or any leave the choice to run time. The
    result is that of the first one, or dyn where they differ. What each says about type variables
    stays in `bindings`, even for the next ones.
    """
    result: Type | None = None
    fitting: list[str] = []
    for overload in function.overloads:
        if overload.member != is_member:
            continue
        wanted, returned = _instantiate(overload, bindings)
        if not bindings.all_assignable(found, wanted):
            continue
        fitting.append(overload.id)
        returned = bindings.resolve(returned)
        if result is None:
            result = returned
        elif not is_dyn(result) and not same_type(returned, result):
            result = DYN
    return None if result is None else Resolution(tuple(fitting), result)


def _instantiate(overload: Overload, bindings: Bindings) -> tuple[tuple[Type, ...], Type]:
    """Give an overload type variables of its own."""
    variables: dict[str, Type] = {}
    params = tuple([_fresh(t, variables, bindings) for t in overload.params])
    return params, _fresh(overload.result, variables, bindings)


def _fresh(t: Type, variables: dict[str, Type], bindings: Bindings) -> Type:
    if t.kind == "param":
        if t.name not in variables:
            variables[t.name] = bindings.new_variable()
        return variables[t.name]
    if not t.params or t.kind == "wrapper":
        return t
    return Type(t.kind, t.name, tuple([_fresh(p, variables, bindings) for p in t.params]))
