"""Quantities of Kubernetes: exact, as `resource.Quantity` stores, computes and prints them.

A quantity is kept as an int64 with a power of ten, or as a big decimal; which one is visible
(`isInteger`), and so is copied here. Source: kubernetes/apimachinery `pkg/api/resource` 0.36.
"""

from __future__ import annotations

import re
from functools import total_ordering
from typing import Final

from webhook.cel.values import CostExceededError

_WRONG: Final = (
    "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"
)
_SUFFIX: Final = "unable to parse quantity's suffix"
_SHAPE: Final = re.compile(r"([+-]?)([0-9]*)(?:\.([0-9]*))?([eEinumkKMGTP]*[-+]?[0-9]*)\Z")
_ALL_ZERO: Final = re.compile(r"[+-]?0+\Z")
_BINARY: Final = {"Ki": 10, "Mi": 20, "Gi": 30, "Ti": 40, "Pi": 50, "Ei": 60}
_DECIMAL: Final = {
    "n": -9,
    "u": -6,
    "m": -3,
    "": 0,
    "k": 3,
    "M": 6,
    "G": 9,
    "T": 12,
    "P": 15,
    "E": 18,
}
_DECIMAL_BY_EXPONENT: Final = {exponent: suffix for suffix, exponent in _DECIMAL.items()}
_BINARY_BY_EXPONENT: Final = {0: "", **{exponent: suffix for suffix, exponent in _BINARY.items()}}
_INT64: Final = 1 << 63
_MOST_DIGITS: Final = 18
_LONGEST_EXPONENT: Final = 5_000
"""Powers of ten are capped here where digits are needed; Go would compute for minutes."""
_NANO: Final = -9


class QuantityError(ValueError):
    """A text that is no quantity; the message is the API server's."""


class _Decimal:
    """A big decimal that several quantities may share: `add` changes it for all (up to 1.36)."""

    __slots__ = ("exponent", "unscaled")

    def __init__(self, unscaled: int, exponent: int) -> None:
        self.unscaled = unscaled
        self.exponent = exponent


@total_ordering
class Quantity:
    """One quantity: `value` × 10^`exponent`. Equal and ordered by value, whatever the notation."""

    __slots__ = ("_decimal", "_exponent", "_value", "form")

    def __init__(
        self,
        value: int,
        exponent: int = 0,
        form: str = "DecimalSI",
        decimal: _Decimal | None = None,
    ) -> None:
        self._value = value
        self._exponent = exponent
        self._decimal = decimal
        self.form = form

    @property
    def unscaled(self) -> int:
        """The digits, without the power of ten."""
        return self._decimal.unscaled if self._decimal else self._value

    @property
    def exponent(self) -> int:
        """The power of ten."""
        return self._decimal.exponent if self._decimal else self._exponent

    @property
    def is_big(self) -> bool:
        """Whether it is stored as a big decimal."""
        return self._decimal is not None

    @property
    def sign(self) -> int:
        """-1, 0 or 1."""
        return (self.unscaled > 0) - (self.unscaled < 0)

    def as_int64(self) -> int | None:
        """Return what `AsInt64` does: None for big decimals and for negative powers of ten."""
        if self._decimal is not None or self._exponent < 0:
            return None
        if self._exponent > _MOST_DIGITS:
            return None if self._value else 0
        value = self._value * 10**self._exponent
        return int(value) if -_INT64 <= value < _INT64 else None

    def as_float(self) -> float:
        """Return `AsApproximateFloat64`."""
        try:
            base = float(self.unscaled)
        except OverflowError:
            base = float("inf") * self.sign
        exponent = self.exponent
        return base if exponent == 0 else base * float(f"1e{exponent}")

    def rounded_up(self) -> int:
        """Return the value as an integer, rounded away from zero (`Value`, without its int64)."""
        if self.exponent >= 0:
            return int(self.unscaled * 10 ** min(self.exponent, _LONGEST_EXPONENT))
        whole, rest = divmod(abs(self.unscaled), 10**-self.exponent)
        return int(self.sign * (whole + (rest > 0)))

    def compare(self, other: Quantity) -> int:
        """Return -1, 0 or 1."""
        if self.sign != other.sign or self.sign == 0:
            return (self.sign > other.sign) - (self.sign < other.sign)
        # By their order of magnitude first: exponents may be far apart.
        ours = _digits(self.unscaled) + self.exponent
        theirs = _digits(other.unscaled) + other.exponent
        if ours == theirs:
            low = min(self.exponent, other.exponent)
            ours = abs(self.unscaled) * 10 ** (self.exponent - low)
            theirs = abs(other.unscaled) * 10 ** (other.exponent - low)
        return self.sign * ((ours > theirs) - (ours < theirs))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Quantity) and self.compare(other) == 0

    def __lt__(self, other: Quantity) -> bool:
        return self.compare(other) < 0

    def __hash__(self) -> int:
        unscaled, exponent = self.unscaled, self.exponent
        while unscaled and unscaled % 10 == 0:
            unscaled //= 10
            exponent += 1
        return hash((unscaled, exponent if unscaled else 0))

    def __repr__(self) -> str:
        return f"Quantity({self})"

    def fresh(self) -> Quantity:
        """Return a copy that shares no big decimal."""
        if self._decimal is None:
            return self
        copied = _Decimal(self._decimal.unscaled, self._decimal.exponent)
        return type(self)(0, 0, self.form, copied)

    def added(self, other: Quantity, sign: int = 1, *, in_place: bool = False) -> SumQuantity:
        """Return the sum (or difference, sign -1).

        `in_place` changes a receiver stored as a big decimal, as `add` and `sub` did up to 1.36.
        """
        form = self.form
        if self.sign == 0 and (sign < 0 or self._decimal or other._decimal or self._value == 0):
            form = other.form
        if self._decimal is None and other._decimal is None:
            fast = self._added_fast(other, sign)
            if fast is not None:
                return SumQuantity(*fast, form)
        if abs(self.exponent - other.exponent) > 2 * _LONGEST_EXPONENT:
            raise CostExceededError
        low = min(self.exponent, other.exponent)
        total = self.unscaled * 10 ** (self.exponent - low)
        total += sign * other.unscaled * 10 ** (other.exponent - low)
        decimal = self._decimal if in_place and self._decimal else _Decimal(0, 0)
        decimal.unscaled, decimal.exponent = total, low
        return SumQuantity(0, 0, form, decimal)

    def _added_fast(self, other: Quantity, sign: int) -> tuple[int, int] | None:
        mine, theirs = self._value, sign * other._value
        if theirs == 0:
            return mine, self._exponent
        if mine == 0:
            return theirs, other._exponent
        if abs(self._exponent - other._exponent) > 2 * _MOST_DIGITS:
            return None
        low = min(self._exponent, other._exponent)
        mine *= 10 ** (self._exponent - low)
        theirs *= 10 ** (other._exponent - low)
        total = mine + theirs
        fits = max(abs(mine), abs(theirs), abs(total)) < _INT64
        return (total, low) if fits else None

    def __str__(self) -> str:
        """Return the canonical text, as Go's `String` of a computed quantity."""
        if self.sign == 0:
            return "0"
        form = self.form
        if form == "BinarySI" and (self._is_below_1024() or self._has_fraction()):
            form = "DecimalSI"
        if form == "BinarySI":
            value, power = self.rounded_up(), 0
            while value % 1024 == 0 and power < 60:
                value //= 1024
                power += 10
            return f"{_print(value)}{_BINARY_BY_EXPONENT[power]}"
        value, exponent = self.unscaled, self.exponent
        while value % 10 == 0:
            value //= 10
            exponent += 1
        value *= 10 ** (exponent % 3)
        exponent -= exponent % 3
        if form == "DecimalExponent":
            return f"{_print(value)}e{exponent}" if exponent else _print(value)
        return f"{_print(value)}{_DECIMAL_BY_EXPONENT.get(exponent, '')}"

    def _is_below_1024(self) -> bool:
        return abs(self.rounded_up()) < 1024 or (
            abs(self.rounded_up()) == 1024 and self._has_fraction()
        )

    def _has_fraction(self) -> bool:
        return self.exponent < 0 and self.unscaled % 10**-self.exponent != 0


class SumQuantity(Quantity):
    """The result of `add` or `sub`: cel-go holds it by pointer, which `==` on its right refuses."""

    __slots__ = ()


_CHUNK: Final = 4_000
"""Python refuses to convert more digits than 4300 at once."""


def _read(digits: str) -> int:
    if len(digits) <= _CHUNK:
        return int(digits)
    shift: int = 10**_CHUNK
    return _read(digits[:-_CHUNK]) * shift + int(digits[-_CHUNK:])


def _print(value: int) -> str:
    if value < 0:
        return f"-{_print(-value)}"
    parts: list[str] = []
    while value >= 10**_CHUNK:
        value, rest = divmod(value, 10**_CHUNK)
        parts.append(f"{rest:0{_CHUNK}d}")
    return str(value) + "".join(reversed(parts))


def _digits(value: int) -> int:
    """Count decimal digits."""
    value = abs(value)
    count = max(0, int(value.bit_length() * 0.30102) - 1)
    while value >= 10**count:
        count += 1
    return max(count, 1)


def parse(text: str) -> Quantity:
    """Parse a quantity (`40Gi`, `1500m`, `1e3`); QuantityError with the API server's text."""
    found = _SHAPE.match(text)
    if found is None or not text:
        raise QuantityError(_WRONG)
    if text == "0" or _ALL_ZERO.match(text):
        return Quantity(0, 0, "DecimalSI")
    sign = -1 if found[1] == "-" else 1
    digits = found[2].lstrip("0") or "0"
    fraction = found[3] or ""
    base, exponent, form = _suffix(found[4])
    precision, scale, mantissa = -1, 0, 1
    if base == 10:
        scale = exponent
        precision = _MOST_DIGITS - len(digits) - len(fraction)
    elif not fraction:
        mantissa = 1 << exponent
        precision = 15 - len(digits) - int(exponent * 3 / 10) - 1
    scale -= len(fraction)
    if precision >= 0 and scale >= _NANO:
        value = _read(digits + fraction) * mantissa
        if value < _INT64:
            return Quantity(sign * value, scale, form)
    return _big(sign, _read(digits + fraction), len(fraction), base, exponent, form)


def _suffix(text: str) -> tuple[int, int, str]:
    if text in _DECIMAL:
        return 10, _DECIMAL[text], "DecimalSI"
    if text in _BINARY:
        return 2, _BINARY[text], "BinarySI"
    if text[:1] in {"e", "E"} and re.fullmatch(r"[+-]?[0-9]+", text[1:]):
        exponent = int(text[1:]) if len(text) < 40 else _LONGEST_EXPONENT + 1
        if not -(2**63) <= exponent < 2**63:
            raise QuantityError(_SUFFIX)
        exponent = (exponent + 2**31) % 2**32 - 2**31
        return 10, exponent, "DecimalExponent"
    raise QuantityError(_SUFFIX)


def _big(sign: int, unscaled: int, places: int, base: int, exponent: int, form: str) -> Quantity:
    power = -places
    if base == 10:
        power += exponent
    else:
        unscaled <<= exponent
    power = min(power, _LONGEST_EXPONENT) if unscaled else 0
    if power < _NANO:
        if _NANO - power > _digits(unscaled) + 1:
            unscaled = 1 if unscaled else 0
        else:
            unscaled, rest = divmod(unscaled, 10 ** (_NANO - power))
            unscaled += rest > 0
        power = _NANO
    elif power > _NANO:
        unscaled *= 10 ** (power - _NANO)
        power = _NANO
    if form == "BinarySI":
        one = 10**-power
        if unscaled > (_INT64 - 1) * one:
            unscaled, power = _INT64 - 1, 0
        elif 0 < unscaled < one:
            form = "DecimalSI"
    return Quantity(0, 0, form, _Decimal(sign * unscaled, power))
