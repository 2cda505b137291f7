"""What the functions do, by overload id; those without guards by function name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from webhook.cel import arithmetic
from webhook.cel.equality import ORDERED, compare, surely_equal
from webhook.cel.library.run import (
    addresses,
    conversions,
    formatting,
    lists,
    named_formats,
    quantities,
    strings,
    times,
    versions,
    weblinks,
)
from webhook.cel.values import (
    LIST_TYPES,
    MAP_TYPES,
    TypeValue,
    list_items,
    no_such_overload,
    type_name,
)


def _ordering(name: str, wanted: frozenset[int]) -> Callable[[Any, Any], bool]:
    def order(left: Any, right: Any) -> bool:
        if type(left) not in ORDERED:
            raise no_such_overload(name)
        return compare(left, right) in wanted

    return order


def _in(left: Any, right: Any) -> bool:
    if type(right) in LIST_TYPES:
        return any(surely_equal(left, item) for item in list_items(right))
    if type(right) in MAP_TYPES:
        return right.find(left, _MISSING) is not _MISSING
    raise no_such_overload()


def _not(value: Any) -> bool:
    if type(value) is not bool:
        raise no_such_overload()
    return not value


def _same(value: Any) -> Any:
    return value


def _type(value: Any) -> TypeValue:
    return TypeValue(type_name(value))


_MISSING: Final = object()

UNGUARDED: Final[Mapping[str, Callable[..., Any]]] = {
    "_+_": arithmetic.add,
    "_-_": arithmetic.subtract,
    "_*_": arithmetic.multiply,
    "_/_": arithmetic.divide,
    "_%_": arithmetic.modulo,
    "-_": arithmetic.negate,
    "!_": _not,
    "_<_": _ordering("_<_", frozenset({-1})),
    "_<=_": _ordering("_<=_", frozenset({-1, 0})),
    "_>_": _ordering("_>_", frozenset({1})),
    "_>=_": _ordering("_>=_", frozenset({1, 0})),
    "@in": _in,
    "dyn": _same,
    "type": _type,
    "size": strings.size,
    "startsWith": strings.starts_with,
    "endsWith": strings.ends_with,
    "contains": strings.contains,
    "sort": lists.sort,
    "@sortByAssociatedKeys": lists.sort_by_keys,
    "flatten": lists.flatten,
}

IMPLEMENTATIONS: Final[Mapping[str, Callable[..., Any]]] = {
    **conversions.BY_OVERLOAD,
    **times.BY_OVERLOAD,
    **strings.BY_OVERLOAD,
    **formatting.BY_OVERLOAD,
    **lists.BY_OVERLOAD,
    **quantities.BY_OVERLOAD,
    **versions.BY_OVERLOAD,
    **weblinks.BY_OVERLOAD,
    **addresses.BY_OVERLOAD,
    **named_formats.BY_OVERLOAD,
}
