"""What a name means at one place: a variable of a comprehension, or one that is declared.

Source: cel-go 0.26 `checker/env.go`, `checker/scopes.go`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import lru_cache
from typing import Final

from webhook.cel import library
from webhook.cel.dialect import Dialect
from webhook.cel.library.declare import Function
from webhook.cel.names import Names, names
from webhook.cel.overload_order import in_order
from webhook.cel.types import Type

_HIDDEN: Final = frozenset({"__not_strictly_false__", "_in_"})
"""Old names of operators, which programs may hold but which no expression may call."""
_FIRST_WITH_ROOTS: Final = 37
"""cel-go 0.27, so Kubernetes 1.37, tells variables of comprehensions from declared names: a leading
dot skips them, and a name that begins with one is never a qualified name."""


@lru_cache(maxsize=64)
def _declared(dialect: Dialect) -> tuple[Names, Mapping[str, Function]]:
    functions = library.functions(dialect)
    visible = {
        name: in_order(function) for name, function in functions.items() if name not in _HIDDEN
    }
    return names(dialect), visible


class Scopes:
    """The names of a dialect, and the variables of the comprehensions that one is in."""

    def __init__(self, dialect: Dialect) -> None:
        self._names, self._functions = _declared(dialect)
        self._dots_skip_variables = dialect.minor >= _FIRST_WITH_ROOTS
        self._inner: list[dict[str, Type]] = []

    @contextmanager
    def within(self, variables: dict[str, Type]) -> Iterator[None]:
        """Open a scope with these variables."""
        self._inner.append(variables)
        yield
        self._inner.pop()

    def type_of(self, name: str) -> Type | None:
        """Return the type of a name, which may be qualified; None if there is none."""
        bare = name.removeprefix(".")
        if bare == name or not self._dots_skip_variables:
            # Before cel-go 0.27 a qualified name is looked up as a whole, whatever its root is.
            root = bare.partition(".")[0] if self._dots_skip_variables else bare
            for scope in reversed(self._inner):
                if root in scope:
                    return scope[root] if root == bare else None
        return self._names.idents.get(bare)

    def type_named(self, name: str) -> Type | None:
        """Return the type of a name that is to be a message's."""
        if not self._dots_skip_variables:
            return self.type_of(name)
        declared = self._names.idents.get(name.removeprefix("."))
        return declared if declared is not None and declared.kind == "type" else None

    def resolved_name(self, name: str) -> str:
        """Return a name as the evaluator needs it: with a leading dot only where that matters."""
        bare = name.removeprefix(".")
        if self._dots_skip_variables and any(bare in scope for scope in self._inner):
            return name
        return bare

    def function(self, name: str) -> Function | None:
        """Return the function of a name, which may be qualified; None if there is none."""
        return self._functions.get(name.removeprefix("."))

    def fields_of(self, kind: Type, name: str) -> Mapping[str, Type] | None:
        """Return the fields of an object type of a name; None if such a type is not known."""
        fields = self._names.fields_of(kind)
        return {} if fields is None and name in self._names.idents else fields

    def is_message(self, kind: Type) -> bool:
        """Whether a type can be built with `name{field: value}`."""
        return kind.kind == "null" or self._names.fields_of(kind) is not None
