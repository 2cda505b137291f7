"""Numbers and texts as Go's strconv and fmt read and print them.

Source: Go 1.26 `strconv` and `fmt`; used wherever a text of the API server or a conversion depends
on them.
"""

from __future__ import annotations

import math
import re
import unicodedata
from typing import Final

_INT: Final = re.compile(r"[+-]?[0-9]+\Z")
_UINT: Final = re.compile(r"[0-9]+\Z")
_UINT64_MAX: Final = 2**64 - 1
_DECIMAL: Final = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?\Z")
_HEX: Final = re.compile(
    r"([+-]?)0[xX]_?([0-9a-fA-F][0-9a-fA-F_]*)?(?:\.([0-9a-fA-F][0-9a-fA-F_]*)?)?[pP]([+-]?[0-9]+)\Z"
)
_ESCAPES: Final = {
    7: "\\a",
    8: "\\b",
    9: "\\t",
    10: "\\n",
    11: "\\v",
    12: "\\f",
    13: "\\r",
    34: '\\"',
    92: "\\\\",
}


def quote(text: str) -> str:
    """Quote as `%q` does: what is not printable is escaped."""
    parts = ['"']
    for char in text:
        code = ord(char)
        if code in _ESCAPES:
            parts.append(_ESCAPES[code])
        elif 0xD800 <= code <= 0xDFFF:
            parts.append("\\ufffd")
        elif is_printable(char):
            parts.append(char)
        elif code < 0x80:
            parts.append(f"\\x{code:02x}")
        else:
            parts.append(f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}")
    parts.append('"')
    return "".join(parts)


def quote_bytes(data: bytes) -> str:
    """Quote bytes as `%q` does: what is no UTF-8 is escaped byte by byte."""
    parts = []
    for char in data.decode("utf-8", "surrogateescape"):
        code = ord(char)
        parts.append(f"\\x{code - 0xDC00:02x}" if 0xDC80 <= code <= 0xDCFF else quote(char)[1:-1])
    return f'"{"".join(parts)}"'


def is_printable(char: str) -> bool:
    """Go's strconv.IsPrint: letters, marks, numbers, punctuation, symbols and the ASCII space."""
    return char == " " or unicodedata.category(char)[0] in "LMNPS"


def parse_int(text: str) -> int | None:
    """strconv.ParseInt in base 10 for 64 bits; None if it fails."""
    if len(text) > 400 or not _INT.match(text):
        return None
    value = int(text)
    return value if -(2**63) <= value < 2**63 else None


def parse_uint(text: str) -> int:
    """strconv.ParseUint in base 10 for 64 bits; ValueError with Go's text."""
    if not _UINT.match(text):
        raise ValueError(f"strconv.ParseUint: parsing {quote(text)}: invalid syntax")
    if len(text) > 400 or int(text) > _UINT64_MAX:
        raise ValueError(f"strconv.ParseUint: parsing {quote(text)}: value out of range")
    return int(text)


def atoi(text: str) -> int:
    """strconv.Atoi; ValueError with Go's text."""
    if not _INT.match(text):
        raise ValueError(f"strconv.Atoi: parsing {quote(text)}: invalid syntax")
    value = parse_int(text)
    if value is None:
        raise ValueError(f"strconv.Atoi: parsing {quote(text)}: value out of range")
    return value


_FIRST_EXPONENT: Final = 6
"""Shortest texts show an exponent from 1e+06 on, however many digits there are (%g)."""
_SPECIAL: Final = {"inf": math.inf, "infinity": math.inf, "nan": math.nan}


def parse_float(text: str) -> float | None:
    """strconv.ParseFloat for 64 bits; None if it fails."""
    lowered = text.lower()
    sign, body = 1.0, lowered
    if lowered[:1] in {"+", "-"}:
        sign, body = (-1.0 if lowered[0] == "-" else 1.0), lowered[1:]
    if body in _SPECIAL:
        if body == "nan" and body != lowered:
            return None
        return sign * _SPECIAL[body]
    if _DECIMAL.match(text):
        value = float(text)
        return None if math.isinf(value) else value
    found = _HEX.match(text)
    if found is None or not _underscores_fit(text):
        return None
    return _hex_float(found)


def _underscores_fit(text: str) -> bool:
    """Underscores stand only between digits, or after the prefix."""
    return "__" not in text and not re.search(r"_[^0-9a-fA-F]|[^0-9a-fA-FxX]_|_\Z", text)


def _hex_float(found: re.Match[str]) -> float | None:
    whole = (found[2] or "").replace("_", "")
    fraction = (found[3] or "").replace("_", "")
    if not whole and not fraction:
        return None
    exponent = max(-100_000, min(100_000, int(found[4][:12])))
    mantissa = int(whole + fraction or "0", 16)
    if mantissa == 0:
        return -0.0 if found[1] == "-" else 0.0
    shift = exponent - 4 * len(fraction)
    try:
        value = mantissa * 2**shift if shift >= 0 else mantissa / 2**-shift
        value = float(value)
    except OverflowError:
        if shift >= 0 or mantissa.bit_length() + shift > 1024:
            return None
        value = 0.0
    return -value if found[1] == "-" else value


def format_g(value: float) -> str:
    """`%g` and `%v` of a double: the shortest text, with an exponent from 1e+06 and below 1e-04."""
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "+Inf" if value > 0 else "-Inf"
    digits, exponent = shortest(abs(value))
    sign = "-" if math.copysign(1.0, value) < 0 else ""
    if value == 0:
        return f"{sign}0"
    if exponent < -4 or exponent >= _FIRST_EXPONENT:
        mantissa = digits[0] + ("." + digits[1:] if len(digits) > 1 else "")
        return f"{sign}{mantissa}e{'-' if exponent < 0 else '+'}{abs(exponent):02d}"
    return sign + plain(digits, exponent)


def shortest(value: float) -> tuple[str, int]:
    """Return the shortest digits that read back, and the decimal exponent of the first."""
    text = repr(value)
    mantissa, _, power = text.partition("e")
    whole, _, fraction = mantissa.partition(".")
    digits = (whole + fraction).lstrip("0")
    exponent = len(whole) - 1 + (int(power) if power else 0)
    if whole == "0":
        leading = len(fraction) - len(fraction.lstrip("0"))
        exponent = -leading - 1 + (int(power) if power else 0)
    digits = digits.rstrip("0") or "0"
    return digits, exponent


def plain(digits: str, exponent: int) -> str:
    """Digits without an exponent."""
    if exponent < 0:
        return "0." + "0" * (-exponent - 1) + digits
    if len(digits) <= exponent + 1:
        return digits + "0" * (exponent + 1 - len(digits))
    return digits[: exponent + 1] + "." + digits[exponent + 1 :]


def format_plain(value: float) -> str:
    """strconv.FormatFloat(value, 'f', -1, 64)."""
    if not math.isfinite(value):
        return format_g(value)
    sign = "-" if math.copysign(1.0, value) < 0 else ""
    return sign + (plain(*shortest(abs(value))) if value else "0")
