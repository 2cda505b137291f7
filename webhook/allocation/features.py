"""Which allocator: gates of the scheduler, and what changed between its versions.

Sources: kubernetes/dynamic-resource-allocation `structured` 0.34, 0.36 and 0.37; gate defaults of
kubernetes 1.34 to 1.37 (`pkg/features`).
"""

from __future__ import annotations

from dataclasses import dataclass

from webhook.cel.dialect import NEWEST_MINOR, OLDEST_MINOR
from webhook.world.types import World

_BETA = 36
"""Partitionable devices, device taints, consumable capacity and binding conditions are on."""


@dataclass(frozen=True, slots=True)
class Features:
    """The gates that change what is allocated, and the minor version for what has no gate."""

    minor: int = NEWEST_MINOR
    admin_access: bool = True
    prioritized_list: bool = True
    partitionable: bool = True
    taints: bool = True
    consumable: bool = True
    binding: bool = True
    list_attributes: bool = False

    @property
    def remembers_last_value(self) -> bool:
        """Whether distinctAttribute remembers one value for each request only (up to 1.36)."""
        return self.minor < 37

    @property
    def takes_of_incomplete(self) -> bool:
        """Whether devices of incomplete pools are taken, and an invalid pool is an error (1.34)."""
        return self.minor < 35

    @property
    def every_taint_counts(self) -> bool:
        """Whether taints of effect None keep requests off too (a fault of 1.34)."""
        return self.minor < 35

    @property
    def all_drops_full(self) -> bool:
        """Whether All leaves out devices whose remaining capacity is too small (up to 1.36)."""
        return self.minor < 37


def features_of(world: World) -> Features:
    """Give the features of the world's scheduler.

    The API server drops fields of a gate that is off, so a slice that has them tells that the gate
    is on. With an unknown version every feature counts as on.
    """
    kept = world.cache.get("allocation features")
    if isinstance(kept, Features):
        return kept
    minor = NEWEST_MINOR if world.kubernetes is None else world.kubernetes[1]
    minor = min(max(minor, OLDEST_MINOR), NEWEST_MINOR)
    gates = world.kubernetes_gates
    beta = minor >= _BETA
    devices = [device for pool in world.pools or () for device in pool.devices]
    found = Features(
        minor=minor,
        admin_access=gates.get("DRAAdminAccess", True),
        prioritized_list=gates.get("DRAPrioritizedList", True),
        partitionable=gates.get(
            "DRAPartitionableDevices", beta or any(device.consumes for device in devices)
        ),
        taints=gates.get("DRADeviceTaints", beta or any(device.taints for device in devices)),
        consumable=gates.get(
            "DRAConsumableCapacity",
            beta or any(device.cel.allow_multiple_allocations for device in devices),
        ),
        binding=gates.get(
            "DRADeviceBindingConditions",
            beta or any(device.binding_conditions for device in devices),
        )
        and gates.get("DRAResourceClaimDeviceStatus", True),
        list_attributes=gates.get("DRAListTypeAttributes", False),
    )
    world.cache["allocation features"] = found
    return found
