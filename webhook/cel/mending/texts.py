"""Quantities and versions as people write them, turned into what Kubernetes parses."""

from __future__ import annotations

import re
from typing import Final

from webhook.cel.fleet import quote

_QUANTITY: Final = re.compile(r"\s*([+-]?(?:\d+\.?\d*|\.\d+))\s*([A-Za-z]*)\s*\Z", re.ASCII)
_SUFFIXES: Final = {"n", "u", "m", "", "k", "M", "G", "T", "P", "E", "Ki", "Mi", "Gi", "Ti", "Pi"}
_BINARY: Final = {"ki": "Ki", "mi": "Mi", "gi": "Gi", "ti": "Ti", "pi": "Pi", "ei": "Ei"}
_DECIMAL: Final = {"k": "k", "m": "M", "g": "G", "t": "T", "p": "P", "e": "E", "": ""}
_VERSION: Final = re.compile(
    r"\s*[vV]?(\d+)(?:\.(\d+))?(?:\.(\d+))?((?:-[0-9A-Za-z.-]+)?(?:\+[0-9A-Za-z.-]+)?)\s*\Z",
    re.ASCII,
)
_NUMBER: Final = re.compile(r"\d+(?:\.\d+){0,2}\Z", re.ASCII)


def quantity_text(text: str) -> str | None:
    """Return `text` as a quantity that parses, `40GB` as `40G`; None where it cannot be told."""
    found = _QUANTITY.match(text)
    if found is None:
        return None
    number, unit = found[1], found[2]
    if unit in _SUFFIXES or unit == "Ei":
        return number + unit
    low = unit.lower().removesuffix("ytes").removesuffix("yte").removesuffix("b")
    if low in _BINARY:
        return number + _BINARY[low]
    if low in _DECIMAL:
        return number + _DECIMAL[low]
    return None


def version_text(text: str) -> str | None:
    """Return `text` as a version of three parts, `v8.0` as `8.0.0`; None where it is none."""
    found = _VERSION.match(text)
    if found is None:
        return None
    parts = [str(int(part or 0)) for part in (found[1], found[2], found[3])]
    return ".".join(parts) + (found[4] or "")


def version_call(text: str) -> str | None:
    """Return `semver("8.0.0")` for `8.0`, None where it is no version."""
    version = version_text(text)
    return None if version is None else f"semver({quote(version)})"


def quantity_call(text: str) -> str | None:
    """Return `quantity("40G")` for `40GB`, None where it is no quantity."""
    mended = quantity_text(text)
    return None if mended is None else f"quantity({quote(mended)})"


def is_number(text: str) -> bool:
    """Tell whether a text is digits with points, as in `535` or `535.183`."""
    return _NUMBER.match(text) is not None


def bytes_text(value: int) -> str:
    """Write a number of bytes with the largest binary suffix that divides it."""
    for suffix, shift in (("Ti", 40), ("Gi", 30), ("Mi", 20), ("Ki", 10)):
        if value and value % (1 << shift) == 0:
            return f"{value >> shift}{suffix}"
    return str(value)
