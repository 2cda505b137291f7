"""Ranges of sizes and costs: the arithmetic of the static cost estimate.

Everything is uint64 and saturates; a factor is applied in doubles and rounded up, because the
API server's number comes out of exactly these doubles.
Source: google/cel-go checker/cost.go 0.26, `SizeEstimate`, `CostEstimate`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

UINT64_MAX: Final = 2**64 - 1
_TWO_TO_64: Final = 2.0**64
_OUT_OF_RANGE: Final = 1 << 63
"""What Go on amd64 makes of a double beyond uint64."""


@dataclass(frozen=True, slots=True)
class Range:
    """From the least to the largest: a size (characters, bytes, entries) or a cost."""

    min: int
    max: int

    def __add__(self, other: Range) -> Range:
        """Add, saturating."""
        return Range(
            min(self.min + other.min, UINT64_MAX),
            min(self.max + other.max, UINT64_MAX),
        )

    def __mul__(self, other: Range) -> Range:
        """Multiply, saturating."""
        return Range(
            min(self.min * other.min, UINT64_MAX),
            min(self.max * other.max, UINT64_MAX),
        )

    def scaled(self, factor: float) -> Range:
        """Multiply by a factor in doubles and round up."""
        return Range(scale(self.min, factor), scale(self.max, factor))

    def union(self, other: Range) -> Range:
        """Return the range that holds both."""
        return Range(min(self.min, other.min), max(self.max, other.max))


def fixed(value: int) -> Range:
    """Return the range of one value."""
    return Range(value, value)


def scale(value: int, factor: float) -> int:
    """Return ⌈value × factor⌉, computed in doubles and saturating."""
    as_double = float(value)
    if as_double > 0 and factor > 0 and as_double > _TWO_TO_64 / factor:
        return UINT64_MAX
    product = math.ceil(as_double * factor)
    return UINT64_MAX if product >= _TWO_TO_64 else product


def divide_up(value: int, divisor: int) -> int:
    """Return ⌈value / divisor⌉ in doubles, as Go converts it back to uint64."""
    quotient = math.ceil(float(value) / float(divisor))
    return _OUT_OF_RANGE if quotient > UINT64_MAX else quotient


def wrap(value: int) -> int:
    """Reduce to uint64 the way Go's unchecked arithmetic does."""
    return value & UINT64_MAX


ZERO: Final = fixed(0)
ONE: Final = fixed(1)
UNKNOWN: Final = Range(0, UINT64_MAX)
"""The size of what nothing is known of."""

STRING_FACTOR: Final = 0.1
"""Cost of one character of a traversal (cel-go common.StringTraversalCostFactor)."""
REGEX_FACTOR: Final = 0.25
"""Cost of one character of a pattern (cel-go common.RegexStringLengthCostFactor)."""
LIST_COST: Final = fixed(10)
MAP_COST: Final = fixed(30)
MESSAGE_COST: Final = fixed(40)


@dataclass(frozen=True, slots=True)
class CallEstimate:
    """The cost of one call without its arguments, and the size of its result if it is known."""

    cost: Range
    size: Range | None = None
