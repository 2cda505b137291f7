"""Consumable capacity: what a request takes of a device's capacities, and whether it fits.

Follows kubernetes/dynamic-resource-allocation 0.36 `consumable_capacity.go`. Amounts are exact
numbers; a text that is no quantity counts as zero, since the API server lets none pass.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Mapping
from fractions import Fraction
from typing import Any, Final, TypeAlias

from webhook.cel import quantity
from webhook.world.types import InventoryDevice

Amount: TypeAlias = "int | Fraction"
Consumed: TypeAlias = "Mapping[str, Amount]"
NOTHING: Final[Consumed] = {}


@functools.lru_cache(maxsize=4096)
def amount(text: str) -> Amount:
    """Read a quantity as an exact number."""
    try:
        parsed = quantity.parse(text)
    except quantity.QuantityError:
        return 0
    exponent = max(min(parsed.exponent, 5_000), -5_000)
    if exponent >= 0:
        return int(parsed.unscaled * 10**exponent)
    return Fraction(parsed.unscaled, 10**-exponent)


def taken(device: InventoryDevice, wanted: Mapping[str, str]) -> dict[str, Amount] | None:
    """Give what a request takes of each capacity of a device; None where a policy forbids it.

    A capacity that is not asked for is taken by its policy's default, or whole. An asked amount is
    rounded up to the policy's range or values. Asking for a capacity that the device lacks is
    None.
    """
    if any(name not in device.cel.capacity for name in wanted):
        return None
    found: dict[str, Amount] = {}
    for name, whole in device.cel.capacity.items():
        policy = device.capacity_policies.get(name)
        policy = policy if isinstance(policy, Mapping) else None
        consumed = _consumed(amount(whole), wanted.get(name), policy)
        if policy is not None and _violates(consumed, policy):
            return None
        found[name] = consumed
    return found


def has_room(device: InventoryDevice, consumed: Consumed, *used: Consumed) -> bool:
    """Whether `consumed` fits beside what is `used` already."""
    for name, wanted in consumed.items():
        total = wanted + sum(part.get(name, 0) for part in used)
        if total > amount(device.cel.capacity[name]):
            return False
    return True


def _consumed(whole: Amount, wanted: str | None, policy: Mapping[str, Any] | None) -> Amount:
    if wanted is None:
        default = None if policy is None else policy.get("default")
        return whole if default is None else amount(str(default))
    asked = amount(wanted)
    if policy is None:
        return asked
    valid = policy.get("validRange")
    if isinstance(valid, Mapping) and valid.get("min") is not None:
        return _round_up(asked, valid)
    values = policy.get("validValues")
    if isinstance(values, list):
        return next((v for v in (amount(str(text)) for text in values) if asked <= v), asked)
    return asked


def _round_up(asked: Amount, valid: Mapping[str, Any]) -> Amount:
    least = amount(str(valid["min"]))
    if asked < least:
        return least
    if valid.get("step") is None:
        return asked
    # resource.Quantity.Value rounds up to whole numbers.
    step, start = math.ceil(amount(str(valid["step"]))), math.ceil(least)
    if step <= 0:
        return asked
    return start + step * -(-(math.ceil(asked) - start) // step)


def _violates(consumed: Amount, policy: Mapping[str, Any]) -> bool:
    default = policy.get("default")
    if default is not None and consumed == amount(str(default)):
        return False
    valid = policy.get("validRange")
    if isinstance(valid, Mapping):
        if valid.get("max") is not None and consumed > amount(str(valid["max"])):
            return True
        step = math.ceil(amount(str(valid["step"]))) if valid.get("step") is not None else 0
        least = math.ceil(amount(str(valid.get("min", "0"))))
        return step > 0 and (math.ceil(consumed) - least) % step != 0
    values = policy.get("validValues")
    if isinstance(values, list) and values:
        return all(consumed != amount(str(text)) for text in values)
    return False
