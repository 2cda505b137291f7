"""Plain YAML scalars as kubectl reads them, and as they reach the API server.

kubectl turns YAML into JSON with sigs.k8s.io/yaml (its fork of go-yaml v2, resolve.go; kubectl
1.37): YAML 1.1 words for booleans, no sexagesimal numbers, dates stay text, underscores in numbers
are dropped, a leading zero means octal. Go then writes a float without a fraction as a whole
number, so `50.0` reaches the server as `50`.
"""

from __future__ import annotations

import base64
import binascii
import math
import re
from decimal import Decimal
from typing import Any, Final

TAG_PREFIX: Final = "tag:yaml.org,2002:"

_WORDS: Final[dict[str, Any]] = {
    **dict.fromkeys(("y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE"), True),
    **dict.fromkeys(("on", "On", "ON"), True),
    **dict.fromkeys(("n", "N", "no", "No", "NO", "false", "False", "FALSE"), False),
    **dict.fromkeys(("off", "Off", "OFF"), False),
    **dict.fromkeys(("", "~", "null", "Null", "NULL"), None),
    **dict.fromkeys((".nan", ".NaN", ".NAN"), math.nan),
    **dict.fromkeys((".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF"), math.inf),
    **dict.fromkeys(("-.inf", "-.Inf", "-.INF"), -math.inf),
}
_NUMERIC: Final = frozenset("+-.0123456789")
_FLOAT: Final = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
_INTEGER: Final = re.compile(
    r"([-+]?)(?:0[xX]([0-9a-fA-F]+)|0[oO]([0-7]+)|0[bB]([01]+)|(0[0-7]+)|(0|[1-9][0-9]*))"
)
_MOST_DIGITS: Final = 400
"""More digits make no finite number, or none that anything takes."""


def resolve(text: str) -> Any:
    """Give the JSON value of a plain scalar.

    Raises ValueError for what has no JSON form (`.nan`, `.inf`).
    """
    if text in _WORDS:
        value = _WORDS[text]
        if isinstance(value, float):
            raise ValueError(f"{text} has no JSON form; write a number")
        return value
    if text[0] not in _NUMERIC or len(text) > _MOST_DIGITS:
        return text
    plain = text.replace("_", "")
    whole = _INTEGER.fullmatch(plain)
    if whole is not None:
        number = _whole(whole)
        # Beyond 64 bits a decimal number is read as float, as strconv's range ends there.
        if -(1 << 63) <= number < 1 << 64:
            return number
        if whole[6] is None:
            return number
    if text[0] == ".":
        plain = text
    if _FLOAT.fullmatch(plain) is None:
        return text
    value = float(plain)
    return text if math.isinf(value) else as_json_number(value)


def _whole(match: re.Match[str]) -> int:
    sign, hexadecimal, octal, binary, old_octal, decimal = match.groups()
    for digits, base in ((hexadecimal, 16), (octal, 8), (binary, 2), (old_octal, 8), (decimal, 10)):
        if digits is not None:
            return -int(digits, base) if sign == "-" else int(digits, base)
    raise AssertionError("the pattern has one of these groups")


def as_json_number(value: float) -> int | float:
    """Give a float as Go's encoding/json writes it: whole below 1e21, in its shortest digits."""
    if value.is_integer() and abs(value) < 1e21:
        return int(Decimal(repr(value)))
    return value


def resolve_tagged(text: str, tag: str) -> Any:
    """Give the JSON value of a scalar with an explicit tag; raises ValueError when it cannot be.

    Tags of the application (`!foo`) leave the text as it is.
    """
    if not tag.startswith(TAG_PREFIX):
        return text
    name = tag.removeprefix(TAG_PREFIX)
    if name == "binary":
        try:
            return base64.b64decode(text, validate=False).decode()
        except (binascii.Error, ValueError) as error:
            raise ValueError("!!binary is no base64 of text; write the text itself") from error
    wanted: dict[str, type | tuple[type, ...]] = {
        "bool": bool,
        "int": int,
        "float": (int, float),
        "null": type(None),
    }
    if name not in wanted:
        return text
    value = resolve(text)
    if not isinstance(value, wanted[name]) or (isinstance(value, bool) and name != "bool"):
        raise ValueError(f"!!{name} does not fit {text[:40]!r}; remove the tag or mend the value")
    return value


def key_text(value: Any) -> str | None:
    """Give a scalar as a key of a JSON object, as sigs.k8s.io/yaml does; None for null."""
    if value is None:
        return None
    if isinstance(value, bool):
        return "true" if value else "false"
    return value if isinstance(value, str) else str(value)
