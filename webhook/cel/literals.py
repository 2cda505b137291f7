"""The values of literals, with cel-go's errors.

Source: cel-go 0.26 `parser/unescape.go` and the literal visitors of `parser/parser.go`.
"""

from __future__ import annotations

import math
import re
from typing import Final

from webhook.cel.lexer import Token
from webhook.cel.values import UInt

_INT_MIN: Final = -(2**63)
_INT_MAX: Final = 2**63 - 1
_UINT_MAX: Final = 2**64 - 1
_MOST_DIGITS: Final = 20
"""No 64-bit number has more; Python refuses to read very long ones."""
_SIMPLE: Final = dict(zip("abfnrtv\\'\"`?", "\a\b\f\n\r\t\v\\'\"`?", strict=True))
# The lexer lets only whole escapes pass.
_ESCAPE: Final = re.compile(
    r"\\(?:[xX]([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-3][0-7]{2})|(.))"
)


class LiteralError(ValueError):
    """A literal that is a token but has no value; its text is the message."""


def read_int(text: str) -> int:
    """Read a signed 64-bit integer, decimal or hexadecimal, with its sign."""
    value = _magnitude(text.removeprefix("-"))
    value = -value if text.startswith("-") else value
    if not _INT_MIN <= value <= _INT_MAX:
        raise LiteralError("invalid int literal")
    return value


def read_uint(text: str) -> UInt:
    """Read an unsigned 64-bit integer, with its suffix."""
    value = _magnitude(text[:-1])
    if value > _UINT_MAX:
        raise LiteralError("invalid uint literal")
    return UInt(value)


def _magnitude(text: str) -> int:
    base, digits = (16, text[2:]) if text.startswith("0x") else (10, text)
    digits = digits.lstrip("0") or "0"
    return int(digits, base) if len(digits) <= _MOST_DIGITS else _UINT_MAX + 1


def read_double(text: str) -> float:
    """Read a double; what is too large is an error, what is too small becomes 0."""
    value = float(text)
    if math.isinf(value):
        raise LiteralError("invalid double literal")
    return value


def read_string(text: str) -> str:
    """Read a string literal with its quotes and prefix."""
    body, raw = _body(text)
    if raw or "\\" not in body:
        return body
    return _ESCAPE.sub(_code_point, body)


def read_bytes(text: str) -> bytes:
    """Read a bytes literal with its quotes and prefixes."""
    body, raw = _body(text[1:])
    if raw or "\\" not in body:
        return body.encode("utf-8", "surrogatepass")
    parts: list[bytes] = []
    position = 0
    for found in _ESCAPE.finditer(body):
        parts.append(body[position : found.start()].encode("utf-8", "surrogatepass"))
        parts.append(_bytes_of(found))
        position = found.end()
    parts.append(body[position:].encode("utf-8", "surrogatepass"))
    return b"".join(parts)


def _body(text: str) -> tuple[str, bool]:
    """Strip prefix and quotes; line breaks become line feeds."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    raw = text[0] in "rR"
    if raw:
        text = text[1:]
    width = 3 if len(text) >= 6 and text[:3] in {'"""', "'''"} else 1
    return text[width:-width], raw


def _code_point(found: re.Match[str]) -> str:
    hexadecimal, octal, simple = found[1] or found[2] or found[3], found[4], found[5]
    if simple:
        return _SIMPLE[simple]
    value = int(hexadecimal, 16) if hexadecimal else int(octal, 8)
    if 0xD800 <= value <= 0xDFFF or value > 0x10FFFF:
        raise LiteralError("invalid unicode code point")
    return chr(value)


def _bytes_of(found: re.Match[str]) -> bytes:
    if found[2] or found[3]:
        raise LiteralError("unable to unescape string")
    if found[5]:
        return _SIMPLE[found[5]].encode()
    return bytes([int(found[1], 16) if found[1] else int(found[4], 8)])


def read_literal(token: Token) -> bool | int | UInt | float | str | bytes | None:
    """Read the value of a literal token; raise `LiteralError` where cel-go refuses it."""
    match token.kind:
        case "STRING_LIT":
            return read_string(token.text)
        case "INT_LIT":
            return read_int(token.text)
        case "BOOL_LIT":
            return token.text == "true"
        case "FLOAT_LIT":
            return read_double(token.text)
        case "UINT_LIT":
            return read_uint(token.text)
        case "BYTES_LIT":
            return read_bytes(token.text)
        case _:
            return None
