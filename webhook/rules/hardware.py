"""Which GPU hardware is there, and which could come: facts for the MIG and fabric rules."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

from webhook import cel
from webhook.allocation.knowledge import may_grow
from webhook.nvidia.types import COMPUTE_DOMAIN_DRIVER, GPU_DRIVER
from webhook.world.groups import groups
from webhook.world.types import World

CLIQUE_LABEL = "nvidia.com/gpu.clique"
"""Set by GPU feature discovery on nodes that are part of an NVLink fabric."""

_READS = cel.Reads(
    driver=True,
    attributes=frozenset(
        (GPU_DRIVER, name) for name in ("type", "productName", "cudaComputeCapability", "brand")
    ),
)


@dataclass(frozen=True, slots=True)
class GpuKind:
    """A kind of GPU device: what it is, how many, on which nodes."""

    device_type: str
    product: str
    compute_capability: str
    brand: str
    count: int
    nodes: tuple[str, ...]


def gpu_kinds(world: World) -> tuple[GpuKind, ...]:
    """Give the kinds of devices that the GPU driver publishes; empty when none, or unknown."""
    kept = world.cache.get("gpu kinds")
    if kept is None:
        kept = tuple(
            GpuKind(
                _text(group.representative, "type"),
                _text(group.representative, "productName"),
                _text(group.representative, "cudaComputeCapability"),
                _text(group.representative, "brand"),
                group.count,
                group.nodes,
            )
            for group in groups(world, _READS)
            if group.representative.driver == GPU_DRIVER
        )
        world.cache["gpu kinds"] = kept
    return cast("tuple[GpuKind, ...]", kept)


def _text(device: cel.Device, name: str) -> str:
    attribute = device.attributes.get(name) or device.attributes.get(f"{GPU_DRIVER}/{name}")
    return str(attribute.value) if attribute is not None else ""


def products_text(kinds: tuple[GpuKind, ...]) -> str:
    """Write `"NVIDIA A10G" (5 devices)` for each product."""
    counts: dict[str, int] = {}
    for kind in kinds:
        counts[kind.product] = counts.get(kind.product, 0) + kind.count
    return ", ".join(f'"{product}" ({count})' for product, count in sorted(counts.items()))


def driver_complete(world: World, driver: str) -> bool:
    """Whether every pool of the driver was seen whole: only then is absence a fact."""
    if world.pools is None or world.freshness == "stale":
        return False
    return all(pool.complete for pool in world.pools if pool.driver == driver)


def driver_devices(world: World, driver: str) -> int:
    """How many devices the driver publishes."""
    return sum(len(pool.devices) for pool in world.pools or () if pool.driver == driver)


def has_fabric_nodes(world: World) -> bool:
    """Whether a node says that it is part of an NVLink fabric."""
    return any(CLIQUE_LABEL in node.labels for node in (world.nodes or {}).values())


def compute_domain_devices(world: World) -> int:
    """How many devices the compute-domain driver publishes."""
    return driver_devices(world, COMPUTE_DOMAIN_DRIVER)


__all__ = [
    "CLIQUE_LABEL",
    "GpuKind",
    "compute_domain_devices",
    "driver_complete",
    "driver_devices",
    "gpu_kinds",
    "has_fabric_nodes",
    "may_grow",
    "products_text",
]
