"""Conversions between types (cel-go 0.26 `ConvertToType` of each type)."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Final

from webhook.cel.gotext import format_g, format_plain, parse_float, parse_int, parse_uint
from webhook.cel.instants import FIRST_SECOND, LAST_SECOND, Instant, parse_duration, parse_timestamp
from webhook.cel.printed import printed, timestamp_text
from webhook.cel.values import CelError, Duration, UInt

_BOOLS: Final = {
    **dict.fromkeys(("1", "t", "T", "TRUE", "true", "True"), True),
    **dict.fromkeys(("0", "f", "F", "FALSE", "false", "False"), False),
}


def _fail(source: str, target: str) -> CelError:
    return CelError(f"type conversion error from '{source}' to '{target}'")


def _same(value: Any) -> Any:
    return value


def _to_bool(text: str) -> bool:
    if text not in _BOOLS:
        raise _fail("string", "bool")
    return _BOOLS[text]


def _text_to_int(text: str) -> int:
    value = parse_int(text)
    if value is None:
        raise _fail("string", "int")
    return value


def _double_to_int(value: float) -> int:
    if math.isnan(value) or not -(2.0**63) < value < 2.0**63:
        raise CelError("integer overflow")
    return int(value)


def _uint_to_int(value: int) -> int:
    if value >= 1 << 63:
        raise CelError("integer overflow")
    return int(value)


def _text_to_uint(text: str) -> UInt:
    try:
        return UInt(parse_uint(text))
    except ValueError as error:
        raise _fail("string", "uint") from error


def _double_to_uint(value: float) -> UInt:
    if math.isnan(value) or not 0 <= value < 2.0**64:
        raise CelError("unsigned integer overflow")
    return UInt(int(value))


def _int_to_uint(value: int) -> UInt:
    if value < 0:
        raise CelError("unsigned integer overflow")
    return UInt(value)


def _text_to_double(text: str) -> float:
    value = parse_float(text)
    if value is None:
        raise _fail("string", "double")
    return value


def _text_to_duration(text: str) -> Duration:
    value = parse_duration(text)
    if value is None:
        raise _fail("string", "google.protobuf.Duration")
    return Duration(value)


def _int_to_duration(_value: int) -> Duration:
    raise _fail("int", "google.protobuf.Duration")


def _text_to_timestamp(text: str) -> Instant:
    value = parse_timestamp(text)
    if value is None:
        raise _fail("string", "google.protobuf.Timestamp")
    return value


def _int_to_timestamp(value: int) -> Instant:
    if not FIRST_SECOND <= value <= LAST_SECOND:
        raise CelError("timestamp overflow")
    return Instant(value, 0, 0)


def _bytes_to_text(value: bytes) -> str:
    try:
        return value.decode("utf-8")
    except UnicodeDecodeError as error:
        raise CelError("invalid UTF-8 in bytes, cannot convert to string") from error


def duration_text(value: Duration) -> str:
    """Seconds as Go's Seconds() computes them in doubles."""
    whole = int(abs(value.nanoseconds) // 10**9)
    seconds = float(whole) + (abs(value.nanoseconds) % 10**9) / 1e9
    return format_plain(-seconds if value.nanoseconds < 0 else seconds) + "s"


BY_OVERLOAD: Final[dict[str, Callable[..., Any]]] = {
    "bool_to_bool": _same,
    "string_to_bool": _to_bool,
    "bytes_to_bytes": _same,
    "string_to_bytes": lambda text: text.encode("utf-8", "surrogatepass"),
    "double_to_double": _same,
    "int64_to_double": float,
    "uint64_to_double": float,
    "string_to_double": _text_to_double,
    "duration_to_duration": _same,
    "int64_to_duration": _int_to_duration,
    "string_to_duration": _text_to_duration,
    "int64_to_int64": _same,
    "double_to_int64": _double_to_int,
    "duration_to_int64": lambda value: value.nanoseconds,
    "string_to_int64": _text_to_int,
    "timestamp_to_int64": lambda value: value.seconds,
    "uint64_to_int64": _uint_to_int,
    "string_to_string": _same,
    "bool_to_string": printed,
    "bytes_to_string": _bytes_to_text,
    "double_to_string": format_g,
    "duration_to_string": duration_text,
    "int64_to_string": str,
    "uint64_to_string": lambda value: str(int(value)),
    "ip_to_string": printed,
    "cidr_to_string": printed,
    "timestamp_to_string": timestamp_text,
    "timestamp_to_timestamp": _same,
    "string_to_timestamp": _text_to_timestamp,
    "int64_to_timestamp": _int_to_timestamp,
    "uint64_to_uint64": _same,
    "double_to_uint64": _double_to_uint,
    "int64_to_uint64": _int_to_uint,
    "string_to_uint64": _text_to_uint,
}
