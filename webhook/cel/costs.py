"""The run-time cost of each function, from its actual arguments and result.

Sources: cel-go 0.26 `interpreter/runtimecost.go`, `ext/{lists,sets}.go`, kubernetes apiserver 1.36
`pkg/cel/library/cost.go` (`CallCost`). A failed argument counts as size 1.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, TypeAlias

from webhook.cel.values import (
    LIST_TYPES,
    MAP_TYPES,
    CelError,
    GoPanicError,
    OptionalValue,
    Steps,
    list_items,
    list_size,
    type_name,
)

Cost: TypeAlias = Callable[[Sequence[Any], Any], int]


def size_of(value: Any) -> int:
    """Return the size of a value: characters, bytes, entries; 1 for all others."""
    kind = type(value)
    if kind is str or kind is bytes:
        return len(value)
    if kind in LIST_TYPES:
        return list_size(value)
    if kind in MAP_TYPES:
        return len(value)
    if kind is OptionalValue:
        return size_of(value.content) if value.present else 1
    if kind is CelError:
        return 1
    name = type_name(value)
    if name == "net.IP":
        return len(value.packed)
    return (value.bits + 7) // 8 if name == "net.CIDR" else 1


def scaled(size: float, factor: float) -> int:
    """⌈size × factor⌉ in doubles."""
    return math.ceil(float(size) * factor)


def _one(_args: Sequence[Any], _result: Any) -> int:
    return 1


def _of_first(factor: float) -> Cost:
    return lambda args, _result: scaled(size_of(args[0]), factor)


def _pattern(args: Sequence[Any], _result: Any) -> int:
    return scaled(1.0 + size_of(args[0]), 0.1) * scaled(size_of(args[1]), 0.25)


def _traversal(value: Any, steps: Steps | None = None) -> int:
    kind = type(value)
    if kind is str:
        return int(len(value.encode("utf-8", "surrogatepass")) * 0.1)
    if kind is bytes:
        return int(len(value) * 0.1)
    if kind in LIST_TYPES:
        if steps:
            steps.take(1 + list_size(value))
        inner = steps or Steps()
        return sum([_traversal(item, inner) for item in list_items(value)])
    if kind in MAP_TYPES:
        inner = steps or Steps()
        inner.take(1 + len(value))
        return sum([_traversal(key) + _traversal(item, inner) for key, item in value.items()])
    return 1


def _traversed(args: Sequence[Any], _result: Any) -> int:
    return _traversal(args[0])


def _joined(_args: Sequence[Any], result: Any) -> int:
    return scaled(size_of(result) * 2, 0.1)


def _contains_ip(args: Sequence[Any], _result: Any) -> int:
    return scaled(2 * size_of(args[0]), 0.1)


def _contains_ip_text(args: Sequence[Any], result: Any) -> int:
    return _contains_ip(args, result) + scaled(size_of(args[1]), 0.1)


def _contains_cidr(args: Sequence[Any], result: Any) -> int:
    return _contains_ip(args, result) + scaled(size_of(args[0]), 0.1) + 1


def _contains_cidr_text(args: Sequence[Any], result: Any) -> int:
    return _contains_cidr(args, result) + scaled(size_of(args[1]), 0.1)


def _validated(args: Sequence[Any], _result: Any) -> int:
    longest = getattr(args[0], "max_regex_size", None)
    if longest is None:
        return 1
    return scaled(1.0 + size_of(args[1]), 0.1) * scaled(longest, 0.25)


def _selector(args: Sequence[Any], _result: Any) -> int:
    size = size_of(args[1])
    return 10 + scaled(size, 0.1) + scaled(scaled(size, 0.5), 50.0)


_BY_FUNCTION: Final[Mapping[str, Cost]] = {
    "check": lambda _args, _result: 350_000,
    **dict.fromkeys(("fieldSelector", "labelSelector"), _selector),
    **dict.fromkeys(("isSorted", "sum", "max", "min", "indexOf", "lastIndexOf"), _traversed),
    **dict.fromkeys(("url", "lowerAscii", "upperAscii", "substring", "trim"), _of_first(0.1)),
    **dict.fromkeys(("replace", "split"), lambda args, _r: scaled(size_of(args[0]) * 2, 0.1)),
    "join": _joined,
    **dict.fromkeys(("find", "findAll"), _pattern),
    **dict.fromkeys(("cidr", "isIP", "isCIDR"), _of_first(0.1)),
    "ip.isCanonical": lambda args, _result: scaled(size_of(args[0]) * 2, 0.1),
    "containsIP": _contains_ip,
    "containsCIDR": _contains_cidr,
    **dict.fromkeys(("quantity", "isQuantity", "semver", "isSemver"), _of_first(0.1)),
    "validate": _validated,
    "ip": _of_first(0.1),
}


def _allocated(factor: float, size: int) -> int:
    return int(size * factor) + 11


def _output(_args: Sequence[Any], result: Any) -> int:
    return _allocated(1, size_of(result))


def _ranged(args: Sequence[Any], _result: Any) -> int:
    # By the argument, so that the list is not built when it is too long.
    return 12 if type(args[0]) is not int else 11 + max(0, args[0])


def _flattened(args: Sequence[Any], _result: Any) -> int:
    depth = 1.0
    if len(args) == 2:
        if type(args[1]) is not int:
            raise GoPanicError("interface conversion: ref.Val is *types.Err, not types.Int")
        depth = float(args[1])
    return _allocated(depth, size_of(args[0]))


def _self_compared(index: int) -> Cost:
    def cost(args: Sequence[Any], _result: Any) -> int:
        value = args[index]
        if type(value) not in LIST_TYPES:
            raise GoPanicError(
                "interface conversion: *types.Err is not traits.Lister: missing method Add"
            )
        size = list_size(value)
        if not size:
            return 11
        text = type(list_items(value)[0]) in {str, bytes}
        return _allocated(2.1 if text else 2.0, size * size)

    return cost


def _sets(factor: int) -> Cost:
    return lambda args, _result: 1 + size_of(args[0]) * size_of(args[1]) * factor


def _smaller(args: Sequence[Any], _result: Any) -> int:
    return scaled(min(size_of(args[0]), size_of(args[1])), 0.1)


_SORTS: Final = (
    *("bool", "bytes", "double", "int", "string", "uint"),
    *("google.protobuf.Duration", "google.protobuf.Timestamp"),
)
_BY_OVERLOAD: Final[Mapping[str, Cost]] = {
    "cidr_ip": _one,
    "cidr_contains_ip_string": _contains_ip_text,
    "cidr_contains_cidr_string": _contains_cidr_text,
    **dict.fromkeys(("list_slice", "list_reverse"), _output),
    "lists_range": _ranged,
    **dict.fromkeys(("list_flatten", "list_flatten_int"), _flattened),
    "list_distinct": _self_compared(0),
    **{f"list_{kind}_sort": _self_compared(0) for kind in _SORTS},
    **{f"list_{kind}_sortByAssociatedKeys": _self_compared(1) for kind in _SORTS},
    **dict.fromkeys(("list_sets_contains_list", "list_sets_intersects_list"), _sets(1)),
    "list_sets_equivalent_list": _sets(2),
    **dict.fromkeys(
        (
            *("starts_with_string", "ends_with_string", "string_to_bytes", "bytes_to_string"),
            *("strings_quote", "string_format"),
        ),
        _of_first(0.1),
    ),
    "in_list": lambda args, _result: size_of(args[1]),
    **{
        f"{order}_{kind}": _smaller
        for order in ("less", "less_equals", "greater", "greater_equals")
        for kind in ("string", "bytes")
    },
    **dict.fromkeys(
        ("add_string", "add_bytes"),
        lambda args, _result: scaled(size_of(args[0]) + size_of(args[1]), 0.1),
    ),
    "matches_string": _pattern,
    "contains_string": lambda args, _result: (
        scaled(size_of(args[0]), 0.1) * scaled(size_of(args[1]), 0.1)
    ),
}


def is_known_before(name: str, overload: str) -> bool:
    """Whether the cost of a call needs no result, so that the limit can be held before it."""
    return name != "join" and _BY_OVERLOAD.get(overload) is not _output


def call_cost(name: str, overload: str) -> Cost:
    """Return the cost of calls of a function; `overload` is empty if run time chooses it."""
    return _BY_OVERLOAD.get(overload) or _BY_FUNCTION.get(name) or _one
