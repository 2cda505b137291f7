"""`==` and the orders of cel-go, where the left operand decides.

Source: cel-go 0.26 `common/types` (`Equal`, `Compare` of each type) and kubernetes apiserver 1.36
`pkg/cel/{quantity,semver,ip,cidr,url,format}.go`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Final

from webhook.cel.instants import Instant
from webhook.cel.quantity import Quantity, SumQuantity
from webhook.cel.semver import Semver
from webhook.cel.urls import URL
from webhook.cel.values import (
    LIST_TYPES,
    MAP_TYPES,
    CelError,
    CIDRValue,
    ConcatList,
    Duration,
    FormatValue,
    IPValue,
    MapValue,
    OptionalValue,
    Steps,
    TypeValue,
    UInt,
    list_items,
    list_size,
    no_such_overload,
)

_NUMBERS: Final = frozenset({int, UInt, float})
_PLAIN: Final = frozenset({bool, str, bytes, Duration, TypeValue})
_PICKY: Final = {
    Semver: frozenset({Semver}),
    Quantity: frozenset({Quantity}),
    SumQuantity: frozenset({Quantity}),
    IPValue: frozenset({IPValue}),
    CIDRValue: frozenset({CIDRValue}),
    URL: frozenset({URL}),
    FormatValue: frozenset({FormatValue}),
}
"""Types whose `==` is an error against anything else."""
_INT64: Final = 2.0**63
_UINT64: Final = 2.0**64
_MISSING: Final = object()


def equal(left: Any, right: Any, steps: Steps | None = None) -> bool:
    """Return `left == right`; CelError where the left one refuses the right one's type."""
    if left is None or right is None:
        return left is right
    kind = type(left)
    if kind in _PLAIN:
        return type(right) is kind and bool(left == right)
    if kind in _NUMBERS:
        return type(right) in _NUMBERS and compare_numbers(left, right) == 0
    if kind in LIST_TYPES:
        return _equal_lists(left, right, steps)
    if kind in MAP_TYPES:
        return _equal_maps(left, right, steps)
    allowed = _PICKY.get(kind)
    if allowed is not None:
        if type(right) not in allowed:
            raise no_such_overload()
        if kind is FormatValue:
            return bool(left.name == right.name)
        return bool(left == right)
    if kind is Instant:
        return (
            type(right) is Instant and left.seconds == right.seconds and left.nanos == right.nanos
        )
    if kind is OptionalValue:
        return _equal_optionals(left, right)
    return False


def surely_equal(left: Any, right: Any) -> bool:
    """Return whether `left.Equal(right)` is true: an error is not."""
    if left is None:
        return right is None
    try:
        return equal(left, right)
    except CelError:
        return False


def _equal_lists(left: Any, right: Any, outer: Steps | None) -> bool:
    if type(right) not in LIST_TYPES or list_size(left) != list_size(right):
        return False
    if _are_alike(list_items(left), list_items(right)):
        return tuple(list_items(left)) == tuple(list_items(right))
    steps = outer or Steps()
    if outer:
        steps.take(1 + list_size(left))
    error: CelError | None = None
    for ours, theirs in zip(list_items(left), list_items(right), strict=True):
        try:
            if not equal(ours, theirs, steps):
                return False
        except CelError as failed:
            error = error or failed
    if error is not None and type(left) is ConcatList:
        raise error
    return True


def _are_alike(left: Sequence[Any], right: Sequence[Any]) -> bool:
    """Whether all elements are of one simple type, so that Python's own equality will do."""
    if not left:
        return True
    kinds = set(map(type, left))
    return len(kinds) == 1 and kinds <= _SIMPLE and set(map(type, right)) == kinds


_SIMPLE: Final = frozenset({int, UInt, str, bool, bytes})


def _equal_maps(left: MapValue, right: Any, outer: Steps | None) -> bool:
    if type(right) not in MAP_TYPES or len(left) != len(right):
        return False
    steps = outer or Steps()
    if outer:
        steps.take(1 + len(left))
    for key, ours in left.items():
        theirs = right.find(key, _MISSING)
        if theirs is _MISSING:
            if right.default is None:
                return False
            theirs = right.default
        try:
            if not equal(ours, theirs, steps):
                return False
        except CelError:
            continue
    return True


def _equal_optionals(left: OptionalValue, right: Any) -> bool:
    if type(right) is not OptionalValue:
        return False
    if not left.present or not right.present:
        return left.present == right.present
    if left.content is None:
        return right.content is None
    return equal(left.content, right.content)


def compare_numbers(left: Any, right: Any) -> int:
    """Return -1, 0 or 1 for two numbers, or 2 if one is NaN; integers meet doubles as doubles."""
    if type(left) is float:
        if type(right) is float:
            if math.isnan(left) or math.isnan(right):
                return 2
            return (left > right) - (left < right)
        return _compare_double(left, right)
    if type(right) is float:
        turned = _compare_double(right, left)
        return turned if turned == 2 else -turned
    return int(left > right) - int(left < right)


def _compare_double(double: float, integer: int) -> int:
    if math.isnan(double):
        return 2
    low, high = (0.0, _UINT64) if type(integer) is UInt else (-_INT64, _INT64)
    if double < low:
        return -1
    if double > high:
        return 1
    other = float(integer)
    return (double > other) - (double < other)


ORDERED: Final = frozenset({int, UInt, float, str, bytes, bool, Instant, Duration})
"""The types that have an order."""


def compare(left: Any, right: Any) -> int:
    """Return -1, 0 or 1; `left` is of an ordered type. CelError for unlike types and for NaN."""
    kind = type(left)
    if kind in _NUMBERS:
        if kind is float and math.isnan(left):
            raise CelError("NaN values cannot be ordered")
        if type(right) not in _NUMBERS:
            raise no_such_overload()
        order = compare_numbers(left, right)
        if order == 2:
            raise CelError("NaN values cannot be ordered")
        return order
    if type(right) is not kind:
        raise no_such_overload()
    if kind is Instant:
        ours, theirs = (left.seconds, left.nanos), (right.seconds, right.nanos)
        return (ours > theirs) - (ours < theirs)
    if kind is Duration:
        left, right = left.nanoseconds, right.nanoseconds
    return int(left > right) - int(left < right)
