"""`+ - * / %` and negation with the limits of int64 and uint64.

Source: cel-go 0.26 `common/types/overflow.go` and the `Add`, `Subtract`, ... of each type.
"""

from __future__ import annotations

import math
from typing import Any, Final

from webhook.cel.instants import FIRST_SECOND, LAST_SECOND, Instant
from webhook.cel.values import (
    LIST_TYPES,
    MOST_CHARACTERS,
    CelError,
    ConcatList,
    CostExceededError,
    Duration,
    MutableList,
    UInt,
    list_items,
    list_size,
    no_such_overload,
)

_MAX: Final = 2**63 - 1
_MIN: Final = -(2**63)
_UMAX: Final = 2**64 - 1
_SECOND: Final = 1_000_000_000
_RECEIVERS: Final = frozenset({str, Instant, Duration})


def missing_operator(value: Any, name: str) -> CelError:
    """Return the error of an operator that the left value does not have."""
    return no_such_overload() if type(value) in _RECEIVERS else no_such_overload(name)


def _int(value: int) -> int:
    if _MIN <= value <= _MAX:
        return value
    raise CelError("integer overflow")


def _uint(value: int) -> UInt:
    if 0 <= value <= _UMAX:
        return UInt(value)
    raise CelError("unsigned integer overflow")


def add(left: Any, right: Any) -> Any:
    """`left + right`."""
    kind = type(left)
    if kind in LIST_TYPES:
        return _add_lists(left, right)
    if kind is Instant and type(right) is Duration:
        return _shifted(left, right.nanoseconds)
    if kind is Duration and type(right) is Instant:
        return _shifted(right, left.nanoseconds)
    if kind not in {int, UInt, float, str, bytes, Duration, Instant}:
        raise missing_operator(left, "_+_")
    if type(right) is not kind or kind is Instant:
        raise no_such_overload()
    if kind is int:
        return _int(left + right)
    if kind is UInt:
        return _uint(int(left) + int(right))
    if kind is Duration:
        return Duration(_int(left.nanoseconds + right.nanoseconds))
    if kind is not float and len(left) + len(right) > MOST_CHARACTERS:
        raise CostExceededError
    return left + right


def _add_lists(left: Any, right: Any) -> Any:
    if type(right) not in LIST_TYPES:
        raise no_such_overload()
    if type(left) is MutableList:
        left.extend(list_items(right))
        return left
    if not list_size(left):
        return right
    if not list_size(right):
        return left
    if list_size(left) + list_size(right) > _MAX:
        raise CostExceededError
    return ConcatList(left, right)


def subtract(left: Any, right: Any) -> Any:
    """`left - right`."""
    kind = type(left)
    if kind is Instant:
        if type(right) is Duration:
            return _shifted(left, -_int(-right.nanoseconds) * -1)
        if type(right) is Instant:
            seconds = _int((left.seconds - right.seconds) * _SECOND)
            return Duration(_int(seconds + left.nanos - right.nanos))
        raise no_such_overload()
    if kind not in {int, UInt, float, Duration}:
        raise missing_operator(left, "_-_")
    if type(right) is not kind:
        raise no_such_overload()
    if kind is int:
        return _int(left - right)
    if kind is UInt:
        return _uint(int(left) - int(right))
    if kind is Duration:
        return Duration(_int(left.nanoseconds - right.nanoseconds))
    return left - right


def _shifted(instant: Instant, nanoseconds: int) -> Instant:
    carry, nanos = divmod(instant.nanos + nanoseconds, _SECOND)
    seconds = instant.seconds + carry
    if not FIRST_SECOND <= seconds <= LAST_SECOND:
        raise CelError("timestamp overflow")
    return Instant(seconds, nanos, instant.offset_s)


def multiply(left: Any, right: Any) -> Any:
    """`left * right`."""
    kind = type(left)
    if kind not in {int, UInt, float}:
        raise missing_operator(left, "_*_")
    if type(right) is not kind:
        raise no_such_overload()
    if kind is int:
        return _int(left * right)
    if kind is UInt:
        return _uint(int(left) * int(right))
    return left * right


def divide(left: Any, right: Any) -> Any:
    """`left / right`: integers truncate toward zero."""
    kind = type(left)
    if kind not in {int, UInt, float}:
        raise missing_operator(left, "_/_")
    if type(right) is not kind:
        raise no_such_overload()
    if kind is float:
        return _divide_doubles(left, right)
    if right == 0:
        raise CelError("division by zero")
    quotient = abs(int(left)) // abs(int(right))
    if kind is UInt:
        return UInt(quotient)
    return _int(-quotient if (left < 0) != (right < 0) else quotient)


def _divide_doubles(left: float, right: float) -> float:
    if right != 0:
        return left / right
    if left == 0 or math.isnan(left):
        return math.nan
    return math.inf * math.copysign(1.0, left) * math.copysign(1.0, right)


def modulo(left: Any, right: Any) -> Any:
    """`left % right`: the sign is the dividend's."""
    kind = type(left)
    if kind not in {int, UInt}:
        raise missing_operator(left, "_%_")
    if type(right) is not kind:
        raise no_such_overload()
    if right == 0:
        raise CelError("modulus by zero")
    if kind is UInt:
        return UInt(int(left) % int(right))
    if left == _MIN and right == -1:
        raise CelError("integer overflow")
    rest = abs(left) % abs(right)
    return -rest if left < 0 else rest


def negate(value: Any) -> Any:
    """`-value`."""
    kind = type(value)
    if kind is int:
        return _int(-value)
    if kind is float:
        return -value
    if kind is Duration:
        return Duration(_int(-value.nanoseconds))
    raise no_such_overload() if kind is bool else missing_operator(value, "-_")
