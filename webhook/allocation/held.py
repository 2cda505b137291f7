"""What is allocated already: which devices other claims hold, and how much of shared ones.

Follows kubernetes 1.36 `dynamicresources` (`foreachAllocatedDevice`): results with administrative
access hold nothing, results with a share identifier hold an amount, all others the device.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias, cast

from webhook.allocation.capacity import Amount, amount
from webhook.world.types import World

DeviceKey: TypeAlias = "tuple[str, str, str]"
"""(driver, pool, device)."""
Holder: TypeAlias = "tuple[str, str]"
"""(namespace, name) of a claim."""


@dataclass(frozen=True, slots=True)
class Held:
    """Devices allocated whole, and the consumed capacity of shared ones, with their holders."""

    devices: Mapping[DeviceKey, Holder] = field(default_factory=dict)
    shares: Mapping[DeviceKey, Mapping[str, Amount]] = field(default_factory=dict)
    sharers: Mapping[DeviceKey, tuple[Holder, ...]] = field(default_factory=dict)

    def has(self, key: DeviceKey) -> bool:
        """Whether the device is allocated, whole or in part (it then uses its counters)."""
        return key in self.devices or key in self.sharers


NOTHING_HELD = Held()


def held(world: World) -> Held:
    """Collect the allocations of all claims of the world; kept with it."""
    kept = world.cache.get("allocation held")
    if kept is None:
        kept = _collect(world)
        world.cache["allocation held"] = kept
    return cast("Held", kept)


def _collect(world: World) -> Held:
    devices: dict[DeviceKey, Holder] = {}
    shares: dict[DeviceKey, dict[str, Amount]] = {}
    sharers: dict[DeviceKey, tuple[Holder, ...]] = {}
    for holder, claim in (world.claims or {}).items():
        for result in claim.allocation or ():
            if result.admin_access:
                continue
            key = (result.driver, result.pool, result.device)
            if not result.share_id:
                devices[key] = holder
                continue
            sharers[key] = (*sharers.get(key, ()), holder)
            for name, value in result.consumed_capacity.items():
                used = shares.setdefault(key, {})
                used[name] = used.get(name, 0) + amount(value)
    return Held(devices, shares, sharers)
