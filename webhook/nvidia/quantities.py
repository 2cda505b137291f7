"""Quantities inside opaque parameters: what the driver takes, and what a limit becomes.

The driver uses apimachinery's `resource.Quantity` (1.34 to 1.36): bare JSON numbers are taken,
spaces around a text are trimmed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

from webhook.cel.quantity import QuantityError
from webhook.cel.quantity import parse as parse_quantity
from webhook.kube.types import Path
from webhook.nvidia.types import ParameterFault

MIB: Final = 1024 * 1024
_MENDED: Final = {
    "kb": "k", "mb": "M", "gb": "G", "tb": "T", "kib": "Ki", "mib": "Mi", "gib": "Gi", "tib": "Ti",
    "ki": "Ki", "mi": "Mi", "gi": "Gi", "ti": "Ti", "g": "G", "t": "T", "b": "", "K": "k",
}  # fmt: skip
MAX_INT64: Final = 2**63 - 1


def text_of(value: Any) -> str:
    """Give the text that the driver parses: numbers as JSON writes them, text trimmed."""
    if isinstance(value, str):
        return value.strip()
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e21:
        return str(int(value))
    return str(value).replace("e+", "e")


def bytes_of(value: Any) -> int | None:
    """Give the whole bytes of a quantity as Go's `Value()` does; None when it does not parse.

    A suffixed amount above 2^63-1 is clamped, a plain or exponent one overflows to 0.
    """
    try:
        quantity = parse_quantity(text_of(value))
    except QuantityError:
        return None
    amount = quantity.rounded_up()
    if amount > MAX_INT64:
        return MAX_INT64 if re.search(r"[A-Za-z]$", text_of(value)) else 0
    return amount


def mended(text: str) -> str:
    """Give a quantity that was probably meant, empty when nothing is near."""
    found = re.fullmatch(r"\s*([+-]?\d*\.?\d+)\s*([A-Za-z]*)\s*", text)
    if found is None:
        return ""
    suffix = found[2]
    wanted = _MENDED.get(suffix, _MENDED.get(suffix.lower()))
    return f"{found[1]}{wanted}" if wanted is not None else ""


def quantity_fault(value: Any, path: Path) -> Iterator[ParameterFault]:
    """Say that a value is no quantity."""
    if bytes_of(value) is not None:
        return
    text = str(value)
    better = mended(text)
    also = f" or {better}i" if better and better[-1] in "MGT" else ""
    yield ParameterFault(
        "cfg-bad-quantity",
        "deny",
        path,
        f'"{text}" is no quantity',
        "suffixes are k, M, G, T, P, E and Ki, Mi, Gi, Ti, Pi, Ei",
        f"write {better}{also}" if better else "write a number with one of these, e.g. 10Gi",
    )


def limit_mib(value: Any) -> int | None:
    """Give what a pinned memory limit becomes: whole MiB, None when it does not parse."""
    amount = 0 if value is None else bytes_of(value)
    return None if amount is None else amount // MIB
