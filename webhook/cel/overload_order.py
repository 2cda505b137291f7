"""The order in which cel-go tries the overloads of a function.

It decides what an element of unknown type becomes: `[].sum()` is an int because that overload is
the first. The library declares overloads by name; those that cel-go declares otherwise stand here.
Source: the environments of kubernetes apiserver 1.36 with cel-go 0.26, listed in their own order
(`Env.Functions`, `OverloadDecls`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Final

from webhook.cel.library.declare import Function

_ORDERED: Final = (
    *("bool", "int64", "int64_double", "int64_uint64", "uint64", "uint64_double", "uint64_int64"),
    *("double", "double_int64", "double_uint64", "string", "bytes", "timestamp", "duration"),
)
_ELEMENTS: Final = ("int", "uint", "double", "bool", "duration", "timestamp", "string", "bytes")
_SORTED: Final = (
    *("int", "uint", "double", "bool", "google.protobuf.Duration", "google.protobuf.Timestamp"),
    *("string", "bytes"),
)
_ADDED: Final = (
    *("bytes", "double", "duration_duration", "duration_timestamp", "timestamp_duration"),
    *("int64", "list", "string", "uint64"),
)
_PARTS: Final = ("hours", "milliseconds", "minutes")


def _each(prefix: str, middles: Iterable[str], suffix: str = "") -> tuple[str, ...]:
    return tuple(f"{prefix}{middle}{suffix}" for middle in middles)


_ORDER: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        "_+_": _each("add_", _ADDED),
        "_<_": _each("less_", _ORDERED),
        "_<=_": _each("less_equals_", _ORDERED),
        "_>_": _each("greater_", _ORDERED),
        "_>=_": _each("greater_equals_", _ORDERED),
        "_[?_]": (
            "list_optindex_optional_int",
            "optional_list_optindex_optional_int",
            "map_optindex_optional_value",
            "optional_map_optindex_optional_value",
        ),
        "int": _each(
            "", ("int64", "double", "duration", "string", "timestamp", "uint64"), "_to_int64"
        ),
        "uint": _each("", ("uint64", "double", "int64", "string"), "_to_uint64"),
        "string": (
            *_each("", ("string", "bool", "bytes", "double", "duration", "int64"), "_to_string"),
            *_each("", ("timestamp", "uint64", "ip", "cidr"), "_to_string"),
        ),
        "timestamp": _each("", ("timestamp", "int64", "string"), "_to_timestamp"),
        "size": (
            *("size_bytes", "bytes_size", "size_list", "list_size"),
            *("size_map", "map_size", "size_string", "string_size"),
        ),
        **{
            f"get{part.capitalize()}": (
                f"timestamp_to_{part}",
                f"timestamp_to_{part}_with_tz",
                f"duration_to_{part}",
            )
            for part in _PARTS
        },
        "getSeconds": (
            "timestamp_to_seconds",
            "timestamp_to_seconds_tz",
            "duration_to_seconds",
        ),
        "@sortByAssociatedKeys": _each("list_", _SORTED, "_sortByAssociatedKeys"),
        "sort": _each("list_", _SORTED, "_sort"),
        "isSorted": _each("list_", _ELEMENTS, "_is_sorted_bool"),
        "max": tuple(f"list_{element}_max_{element}" for element in _ELEMENTS),
        "min": tuple(f"list_{element}_min_{element}" for element in _ELEMENTS),
        "sum": tuple(f"list_{e}_sum_{e}" for e in ("int", "uint", "double", "duration")),
        "semver": ("string_to_semver", "string_bool_to_semver"),
        "containsCIDR": ("cidr_contains_cidr_string", "cidr_contains_cidr"),
        "containsIP": ("cidr_contains_ip_string", "cidr_contains_ip_ip"),
        "ip": ("string_to_ip", "cidr_ip"),
    }
)


def in_order(function: Function) -> Function:
    """Return a function with its overloads in cel-go's order; unknown ones come last."""
    order = _ORDER.get(function.name)
    if order is None:
        return function
    rank = {overload: index for index, overload in enumerate(order)}
    return replace(
        function,
        overloads=tuple(sorted(function.overloads, key=lambda o: rank.get(o.id, len(rank)))),
    )
