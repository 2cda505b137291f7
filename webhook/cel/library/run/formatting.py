"""`format` (cel-go 0.26 `ext/formatting.go`, locale en_US)."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Final

from webhook.cel.gotext import quote, quote_bytes
from webhook.cel.library.run.conversions import BY_OVERLOAD as CONVERSIONS
from webhook.cel.library.run.conversions import duration_text
from webhook.cel.library.run.strings import bounded
from webhook.cel.printed import printed, timestamp_text
from webhook.cel.values import (
    LIST_TYPES,
    MAP_TYPES,
    CelError,
    Duration,
    Steps,
    TypeValue,
    UInt,
    list_items,
    list_size,
    type_name,
)

_MOST_PRECISION: Final = 1_000_000
_PRINTABLE: Final = (
    "string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, "
    "durations, and timestamps"
)
_SUPERSCRIPTS: Final = str.maketrans("0123456789-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻")


def _bad(text: str, value: Any) -> CelError:
    return CelError(f"error during formatting: {text}, was given {type_name(value)}")


def _text(value: Any, steps: Steps | None = None) -> str:
    kind = type(value)
    if kind is str:
        return str(value)
    if kind is bytes:
        return str(CONVERSIONS["bytes_to_string"](value))
    if value is None:
        return "null"
    if kind in LIST_TYPES:
        inner = steps or Steps()
        inner.take(1 + list_size(value))
        return "[" + ", ".join([_inner(item, inner) for item in list_items(value)]) + "]"
    if kind in MAP_TYPES:
        return _map(value, steps or Steps())
    if kind is Duration:
        return duration_text(value)
    name = type_name(value)
    if name == "google.protobuf.Timestamp":
        return timestamp_text(value)
    if kind in {int, UInt, bool, float, TypeValue}:
        return printed(value) if kind is not UInt else str(int(value))
    raise _bad(_PRINTABLE, value)


def _inner(value: Any, steps: Steps) -> str:
    kind = type(value)
    if kind is str:
        return quote(value)
    if kind is bytes:
        return f"b{quote_bytes(value)}"
    if kind is float:
        if math.isfinite(value):
            return f"{value:.6f}"
        return quote(printed(value))
    if kind is Duration:
        return f"duration({quote(duration_text(value))})"
    if type_name(value) == "google.protobuf.Timestamp":
        return f"timestamp({quote(timestamp_text(value))})"
    if kind in {int, UInt, bool, TypeValue, type(None)} or kind in LIST_TYPES or kind in MAP_TYPES:
        return _text(value, steps)
    raise CelError(f"error during formatting: no formatting function for {type_name(value)}")


def _map(value: Any, steps: Steps) -> str:
    steps.take(1 + len(value))
    pairs = []
    for key, item in value.items():
        if type(key) not in {str, bool, int, UInt}:
            raise CelError(
                "error during formatting: no formatting function for map key of type "
                f"{type_name(key)}"
            )
        pairs.append((_inner(key, steps), _inner(item, steps)))
    return (
        "{"
        + ", ".join(
            f"{key}:{item}"
            for key, item in sorted(pairs, key=lambda p: p[0].encode("utf-8", "surrogatepass"))
        )
        + "}"
    )


def _decimal(value: Any) -> str:
    if type(value) not in {int, UInt}:
        raise _bad("decimal clause can only be used on integers", value)
    return str(int(value))


_NAMED: Final = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}


def _double(value: Any, clause: str) -> float:
    if type(value) is float:
        return value
    if type(value) is str and value in _NAMED:
        return _NAMED[value]
    raise _bad(f"{clause} clause can only be used on doubles", value)


def _special(value: float) -> str | None:
    if math.isnan(value):
        return "NaN"
    return ("∞" if value > 0 else "-∞") if math.isinf(value) else None


def _fixed(value: Any, precision: int) -> str:
    number = _double(value, "fixed-point")
    bounded(precision)
    return _special(number) or f"{number:,.{precision}f}"


def _scientific(value: Any, _precision: int) -> str:
    number = _double(value, "scientific")
    special = _special(number)
    if special:
        return special
    mantissa, _, exponent = f"{number:.6e}".partition("e")
    sign = "-" if exponent[0] == "-" else ""
    return f"{mantissa}×10{(sign + exponent[1:]).translate(_SUPERSCRIPTS)}"


def _binary(value: Any) -> str:
    if type(value) is bool:
        return "1" if value else "0"
    if type(value) not in {int, UInt}:
        raise _bad("only integers and bools can be formatted as binary", value)
    return f"{int(value):b}"


def _hex(value: Any, *, upper: bool) -> str:
    if type(value) is str:
        text = value.encode("utf-8", "surrogatepass").hex()
    elif type(value) is bytes:
        text = value.hex()
    elif type(value) in {int, UInt}:
        text = f"{int(value):x}"
    else:
        raise _bad("only integers, byte buffers, and strings can be formatted as hex", value)
    return text.upper() if upper else text


def _octal(value: Any) -> str:
    if type(value) not in {int, UInt}:
        raise _bad("octal clause can only be used on integers", value)
    return f"{int(value):o}"


def _clause(verb: str, value: Any, precision: int) -> str:
    match verb:
        case "s":
            return _text(value)
        case "d":
            return _decimal(value)
        case "f":
            return _fixed(value, precision)
        case "e":
            return _scientific(value, precision)
        case "b":
            return _binary(value)
        case "x" | "X":
            return _hex(value, upper=verb == "X")
        case _:
            return _octal(value)


def render(pattern: str, values: Any) -> str:
    """Return the text of a format; CelError for clauses that do not fit."""
    items = list_items(values)
    parts: list[str] = []
    position = used = length = 0
    while position < len(pattern):
        char = pattern[position]
        position += 1
        if char != "%":
            parts.append(char)
            continue
        if position >= len(pattern):
            raise CelError("unexpected end of string")
        if pattern[position] == "%":
            parts.append("%")
            position += 1
            continue
        if used >= len(items):
            raise CelError(f"index {used} out of range")
        verb, precision, position = _read(pattern, position)
        parts.append(_clause(verb, items[used], precision))
        length += len(parts[-1])
        bounded(length)
        used += 1
    return "".join(parts)


def _read(pattern: str, position: int) -> tuple[str, int, int]:
    precision = 6
    fail = "could not parse formatting clause"
    if pattern[position] == ".":
        end = position + 1
        while end < len(pattern) and pattern[end] in "0123456789":
            end += 1
        if end == len(pattern):
            raise CelError(
                f"{fail}: error while parsing precision: could not find end of precision specifier"
            )
        digits = pattern[position + 1 : end]
        if not digits:
            raise CelError(
                f"{fail}: error while parsing precision: error while converting precision to "
                'integer: strconv.Atoi: parsing "": invalid syntax'
            )
        precision = min(int(digits[:18]), _MOST_PRECISION)
        position = end
    verb = pattern[position]
    if verb not in "sdfebxXo":
        raise CelError(f'{fail}: unrecognized formatting clause "{verb}"')
    return verb, precision, position + 1


BY_OVERLOAD: Final[dict[str, Callable[..., Any]]] = {"string_format": render}
