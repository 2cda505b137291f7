"""Whether one type may stand for another, and what that says about type variables.

A transcription of cel-go's rules, quirks included, because verdicts depend on them: bindings of
variables are made by every overload that fits, in order, and widened by later uses. Bindings are
kept in one table with a log to undo failed attempts, where cel-go copies the table. Loops stand
where `all` could: it would take C stack for each level of a deep type.
Source: cel-go 0.26 `checker/types.go`, `checker/mapping.go` and `common/types/types.go`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from webhook.cel.types import DYN, Type, checker_name, list_of, map_of, param

_MAX_WORK: Final = 250_000
"""Steps for one expression. Types double with nested bindings (`{x: x}`), cel-go has no limit."""
_NULLABLE: Final = frozenset({"optional", "opaque", "object", "any", "duration", "timestamp"})
_BY_NAME: Final = frozenset(
    {"bool", "bytes", "double", "int", "string", "uint", "duration", "timestamp", "object"}
)
_BY_PARAMETERS: Final = frozenset({"opaque", "optional", "list", "map"})


class TypesTooLargeError(Exception):
    """The types of an expression grow beyond all bounds; only a hostile one's do."""


def base_kind(t: Type) -> str:
    """Return the kind of a type; a wrapper has that of the type within."""
    return t.params[0].kind if t.kind == "wrapper" else t.kind


def is_dyn(t: Type) -> bool:
    """Whether a type says nothing: dyn or any."""
    return t.kind in {"dyn", "any"}


def is_dyn_or_error(t: Type) -> bool:
    """Whether a type says nothing, or comes from an expression that has an error."""
    return t.kind in {"dyn", "any", "error"}


def unwrap_optional(t: Type) -> tuple[Type, bool]:
    """Return the type within an optional, and whether it was one."""
    if t.kind == "optional" and t.params:
        return t.params[0], True
    return t, False


def same_type(a: Type, b: Type) -> bool:
    """Whether two types are exactly the same; a wrapper is the same as the type within."""
    if a is b:
        return True
    if a.kind == "wrapper":
        a = a.params[0]
    if b.kind == "wrapper":
        b = b.params[0]
    if a.kind != b.kind or a.name != b.name or len(a.params) != len(b.params):
        return False
    for inner, other in zip(a.params, b.params, strict=True):  # noqa: SIM110 - as said above
        if not same_type(inner, other):
            return False
    return True


class Bindings:
    """The type variables of one expression and what is known of them."""

    def __init__(self) -> None:
        self._bound: dict[str, Type] = {}
        self._undo: list[tuple[str, Type | None]] = []
        self._variables = 0
        self._work = 0
        # Whether a type has no variables, by identity. The types are kept alive with it, so that no
        # identity comes back.
        self._ground: dict[int, tuple[Type, bool]] = {}

    def new_variable(self) -> Type:
        """Make a type variable that nothing is known of."""
        self._variables += 1
        return param(f"_var{self._variables - 1}")

    def assignable(self, a: Type, b: Type) -> bool:
        """Whether the two fit; only then keep what this says about variables."""
        return self.all_assignable((a,), (b,))

    def all_assignable(self, these: Sequence[Type], those: Sequence[Type]) -> bool:
        """Whether all pairs fit; only then keep what this says about variables."""
        mark = len(self._undo)
        if self._all_fit(these, those):
            return True
        while len(self._undo) > mark:
            name, before = self._undo.pop()
            if before is None:
                del self._bound[name]
            else:
                self._bound[name] = before
        return False

    def resolve(self, t: Type, *, to_dyn: bool = False) -> Type:
        """Put in what is known of the variables in a type; unknown ones stay or become dyn."""
        self._step()
        if t.kind == "param":
            bound = self._bound.get(t.name)
            if bound is not None:
                return self.resolve(bound, to_dyn=to_dyn)
            return DYN if to_dyn else t
        if not t.params or self._is_ground(t):
            return t
        if t.kind == "list":
            return list_of(self.resolve(t.params[0], to_dyn=to_dyn))
        if t.kind == "map":
            key, value = t.params
            return map_of(self.resolve(key, to_dyn=to_dyn), self.resolve(value, to_dyn=to_dyn))
        if t.kind == "wrapper":
            return t
        return Type(t.kind, t.name, tuple([self.resolve(p, to_dyn=to_dyn) for p in t.params]))

    def spell(self, t: Type) -> str:
        """Spell a type for a message; raise `TypesTooLargeError` where that would take ages."""
        self._measure(t)
        return checker_name(t)

    def _measure(self, t: Type) -> None:
        self._step()
        for inner in t.params:
            self._measure(inner)

    def _step(self) -> None:
        self._work += 1
        if self._work > _MAX_WORK:
            raise TypesTooLargeError

    def _is_ground(self, t: Type) -> bool:
        """Whether a type has no variables; deep types are looked through only once."""
        if not t.params:
            return t.kind != "param"
        known = self._ground.get(id(t))
        if known is None:
            self._step()
            is_ground = True
            for inner in t.params:
                is_ground = self._is_ground(inner) and is_ground
            known = self._ground[id(t)] = (t, is_ground)
        return known[1]

    def _bind(self, variable: Type, t: Type) -> None:
        self._undo.append((variable.name, self._bound.get(variable.name)))
        self._bound[variable.name] = t

    def _all_fit(self, these: Sequence[Type], those: Sequence[Type]) -> bool:
        if len(these) != len(those):
            return False
        for a, b in zip(these, those, strict=True):  # noqa: SIM110 - as said above
            if not self._fits(a, b):
                return False
        return True

    def _fits(self, a: Type, b: Type) -> bool:
        self._step()
        if a is b and self._is_ground(a):
            return True
        if b.kind == "param":
            valid, was_bound = self._may_stand_for(b, a)
            if valid or was_bound:
                return valid
        if a.kind == "param":
            return self._may_stand_for(a, b)[0]
        if is_dyn_or_error(a) or is_dyn_or_error(b):
            return True
        if a.kind == "null":
            return _takes_null(b)
        if b.kind == "null":
            return _takes_null(a)
        kind = base_kind(a)
        if kind in _BY_NAME:
            return base_kind(b) == kind and (kind != "object" or a.name == b.name)
        if kind == "type":
            return b.kind == "type"
        if kind in _BY_PARAMETERS:
            return a.kind == b.kind and a.name == b.name and self._all_fit(a.params, b.params)
        return False

    def _may_stand_for(self, variable: Type, t: Type) -> tuple[bool, bool]:
        """Whether a type may stand for a variable, and whether the variable is bound by now."""
        if t.kind == "param" and t.name == variable.name:
            return True, True
        bound = self._bound.get(variable.name)
        if bound is None:
            if self._is_free_of(t, variable):
                self._bind(variable, t)
                return True, False
            return False, False
        if same_type(t, bound):
            return True, True
        if self._fits(t, bound):
            wider = self.more_general(t, bound)
            if self._is_free_of(wider, variable):
                self._bind(variable, wider)
            return True, True
        return False, True

    def _is_free_of(self, t: Type, variable: Type) -> bool:
        self._step()
        if self._is_ground(t):
            return True
        if t.kind == "param":
            if t.name == variable.name:
                return False
            bound = self._bound.get(t.name)
            return bound is None or self._is_free_of(bound, variable)
        for inner in t.params:  # noqa: SIM110 - as said above
            if not self._is_free_of(inner, variable):
                return False
        return True

    def more_general(self, a: Type, b: Type) -> Type:
        """Return the more general of two types that fit each other."""
        return a if self._is_less_specific(a, b) else b

    def _is_less_specific(self, a: Type, b: Type) -> bool:
        self._step()
        if a is b or is_dyn(a) or a.kind == "param":
            return True
        if is_dyn(b) or b.kind == "param":
            return False
        kind = base_kind(a)
        if kind != base_kind(b):
            return False
        if kind == "type":
            return True
        if kind not in _BY_PARAMETERS:
            return same_type(a, b)
        if a.name != b.name or len(a.params) != len(b.params):
            return False
        for inner, other in zip(a.params, b.params, strict=True):
            if not self._is_less_specific(inner, other):
                return False
        return True


def _takes_null(t: Type) -> bool:
    return t.kind in _NULLABLE or t.kind in {"wrapper", "null"}
