"""Selecting and indexing, as cel-go's attributes and qualifiers do it.

A chain of selects is one attribute: a root and qualifiers. A member of a value without members is a
missing key, not a type error. Source: cel-go 0.26 `interpreter/attributes.go`.
"""

from __future__ import annotations

from typing import Any, Final

from webhook.cel.gotext import format_g
from webhook.cel.instants import Instant
from webhook.cel.printed import printed
from webhook.cel.values import (
    LIST_TYPES,
    MAP_TYPES,
    NONE,
    CelError,
    ConcatList,
    Duration,
    MapValue,
    OptionalValue,
    Steps,
    TypeValue,
    UInt,
    go_type,
    list_items,
    list_size,
    type_name,
)

MISSING: Final = object()
_QUALIFIERS: Final = frozenset({str, int, UInt, float, bool})


def check_qualifier(key: Any) -> None:
    """Raise for a value that cannot be a key or an index."""
    if type(key) not in _QUALIFIERS:
        raise CelError(f"invalid qualifier type: {go_type(key)}")


def find(obj: Any, key: Any) -> Any:
    """Return the member `key` of a value, or MISSING; CelError for an odd index of a list."""
    kind = type(obj)
    if kind in MAP_TYPES:
        found = obj.find(key, MISSING)
        return obj.default if found is MISSING and obj.default is not None else found
    if kind in LIST_TYPES:
        index = list_index(key)
        return list_items(obj)[index] if 0 <= index < list_size(obj) else MISSING
    return MISSING


def missing(obj: Any, key: Any) -> CelError:
    """Return the error of a member that is not there."""
    if type(obj) in LIST_TYPES:
        return CelError(f"index out of bounds: {printed(key)}")
    return CelError(f"no such key: {printed(key)}")


def list_index(key: Any) -> int:
    """Return the index that a key is; CelError for what cannot be one."""
    kind = type(key)
    if kind is int:
        return int(key)
    if kind is float:
        if -(2.0**63) < key < 2.0**63 and key == int(key):
            return int(key)
        raise CelError(f"unsupported index value {format_g(key)} in list")
    if kind is UInt:
        if key < 1 << 63:
            return int(key)
        raise CelError(f"unsupported index value {int(key)} in list")
    raise CelError(f"unsupported index type '{type_name(key)}' in list")


_GO_VALUES: Final = {
    "kubernetes.Semver": "semver.Version",
    "kubernetes.Quantity": "*resource.Quantity",
    "net.IP": "netip.Addr",
    "net.CIDR": "netip.Prefix",
    "kubernetes.URL": "*url.URL",
}


def native(value: Any, steps: Steps | None = None) -> Any:
    """Return what is left of a value that goes through Go's `Value()` and back.

    Optionals inside are opened, outer maps of the device lose their default, and the types of
    Kubernetes cannot come back at all: the result is then an error, as a value.
    """
    kind = type(value)
    if kind is OptionalValue:
        return native(value.content, steps) if value.present else None
    if kind is TypeValue:
        return value.name
    if kind is MapValue and value.default is not None:
        return MapValue(value.entries, native=value.native)
    if kind is ConcatList:
        inner = steps or Steps()
        inner.take(1 + value.size)
        return tuple([native(item, inner) for item in value.items()])
    go_value = _GO_VALUES.get(type_name(value)) if kind not in _COMMON else None
    if go_value is not None:
        return CelError(f"unsupported conversion to ref.Val: ({go_value}){printed(value)}")
    return value


_COMMON: Final = frozenset({str, int, bool, float, UInt, type(None), tuple, MapValue})


def rewrapped(value: OptionalValue) -> OptionalValue:
    """Return an optional that was read through an attribute: opened and closed again."""
    if not value.present:
        return NONE
    content = native(value.content)
    return value if content is value.content else OptionalValue(present=True, content=content)


NATIVE_TIMES: Final = (Instant, Duration)
