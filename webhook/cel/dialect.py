"""Which CEL: server version, environment and feature gates select functions and types."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Dialect:
    """One environment of the DRA compiler.

    `minor` is the minor version of the Kubernetes server (1.34 is 34). `stored` selects the
    StoredExpressions environment (what the scheduler understands), otherwise NewExpressions (what
    the API server admits on create, with compatibility version minor - 1). The two gates are
    DRAConsumableCapacity and DRAListTypeAttributes.
    Source: kubernetes/apiserver pkg/cel/environment, dynamic-resource-allocation/cel, 1.34-1.37.
    """

    minor: int = 36
    stored: bool = False
    consumable_capacity: bool = False
    list_type_attributes: bool = False


OLDEST_MINOR: Final = 34
NEWEST_MINOR: Final = 37
COST_LIMIT: Final = 1_000_000
"""Both the estimate's limit and the run-time limit (resource/v1 CELSelectorExpressionMaxCost)."""
MAX_LENGTH_BYTES: Final = 10_240
"""Longest expression (resource/v1 CELSelectorExpressionMaxLength)."""
