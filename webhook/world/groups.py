"""Devices grouped by what a selector can see of them: cost follows kinds of hardware.

A fleet of 80,000 GPUs has a few dozen kinds. Two levels keep the work small: once per world,
devices are put into base groups by everything they publish except identifiers (attributes with many
different values, such as uuid or parentUUID); for each selector, base groups are merged by the
parts that it reads. Only a selector that reads an identifier, or whose reads cannot be bounded,
makes a pass over all devices. Keys depend on published values alone, so they mean the same in every
world and an outcome can be kept under them when slices change.

Evaluating per device and caching by value was rejected: the pass over all devices is then paid for
each new selector.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, TypeAlias, cast

from webhook.cel.device import Attribute
from webhook.cel.device import Device as CelDevice
from webhook.cel.reads import Reads
from webhook.world.types import InventoryDevice, Pool, World

MANY: Final = 64
"""From more than so many values on, an attribute tells devices apart rather than kinds."""

Key: TypeAlias = "tuple[object, ...]"


@dataclass(frozen=True, slots=True, eq=False)
class Group:
    """Devices that are the same to whoever asked; `representative` stands for all of them.

    `key` is equal for equal groups of different worlds.
    """

    key: Key
    representative: CelDevice
    devices: tuple[InventoryDevice, ...]

    @property
    def count(self) -> int:
        """How many devices there are."""
        return len(self.devices)

    @property
    def nodes(self) -> tuple[str, ...]:
        """The names of nodes that devices are bound to, in order; network devices have none."""
        return tuple(dict.fromkeys(d.scope.node for d in self.devices if d.scope.node))


@dataclass(frozen=True, slots=True, eq=False)
class _Base:
    identifiers: frozenset[tuple[str, str]]
    """(driver, attribute name as published) of attributes left out of the base groups."""
    groups: tuple[tuple[InventoryDevice, ...], ...]


def groups(world: World, reads: Reads) -> tuple[Group, ...]:
    """Group all devices of the world by what `reads` names, in the order of pools and devices.

    Devices of incomplete and invalid pools are among them: `pool_of` tells.
    """
    kept = world.cache.get(("groups", reads))
    if kept is None:
        kept = _project(world, reads)
        world.cache["groups", reads] = kept
    return cast("tuple[Group, ...]", kept)


def devices_of_world(world: World) -> Iterable[InventoryDevice]:
    """Give every device of every pool."""
    return (device for pool in world.pools or () for device in pool.devices)


def pool_of(world: World, device: InventoryDevice) -> Pool | None:
    """Give the pool that a device of this world belongs to."""
    index = world.cache.get("pools by key")
    if index is None:
        index = {(pool.driver, pool.name): pool for pool in world.pools or ()}
        world.cache["pools by key"] = index
    return cast("dict[tuple[str, str], Pool]", index).get((device.driver, device.pool))


def _project(world: World, reads: Reads) -> tuple[Group, ...]:
    base = _base_of(world)
    parts: dict[Key, list[InventoryDevice]] = {}
    if reads.everything or _reads_identifier(reads, base):
        for device in devices_of_world(world):
            parts.setdefault(reads.key(device.cel), []).append(device)
    else:
        for members in base.groups:
            parts.setdefault(reads.key(members[0].cel), []).extend(members)
    return tuple(Group(key, found[0].cel, tuple(found)) for key, found in parts.items())


def _reads_identifier(reads: Reads, base: _Base) -> bool:
    for driver, name in base.identifiers:
        domain, separator, rest = name.partition("/")
        if ((domain, rest) if separator else (driver, name)) in reads.attributes:
            return True
    return False


def _base_of(world: World) -> _Base:
    kept = world.cache.get("base groups")
    if kept is None:
        kept = _build_base(tuple(devices_of_world(world)))
        world.cache["base groups"] = kept
    return cast("_Base", kept)


def _build_base(devices: tuple[InventoryDevice, ...]) -> _Base:
    identifiers = _identifiers(devices)
    canonical: dict[int, int] = {}
    numbers: dict[Key, int] = {}

    def number(part: object, key: Key) -> int:
        """Give equal parts one number; parts that are one object are looked at once."""
        found = numbers.setdefault(key, len(numbers))
        canonical[id(part)] = found
        return found

    groups_found: dict[Key, list[InventoryDevice]] = {}
    for device in devices:
        cel = device.cel
        capacity = canonical.get(id(cel.capacity))
        if capacity is None:
            capacity = number(cel.capacity, tuple(sorted(cel.capacity.items())))
        parts: list[object] = [cel.driver, cel.allow_multiple_allocations, capacity]
        for name, attribute in cel.attributes.items():
            if (cel.driver, name) in identifiers and _is_plain(attribute):
                continue
            known = canonical.get(id(attribute))
            parts.append(name)
            parts.append(number(attribute, _value_key(attribute)) if known is None else known)
        groups_found.setdefault(tuple(parts), []).append(device)
    return _Base(identifiers, tuple(map(tuple, groups_found.values())))


def _identifiers(devices: tuple[InventoryDevice, ...]) -> frozenset[tuple[str, str]]:
    values: dict[tuple[str, str], set[object]] = {}
    for device in devices:
        cel = device.cel
        for name, attribute in cel.attributes.items():
            seen = values.setdefault((cel.driver, name), set())
            if len(seen) <= MANY and _is_plain(attribute):
                seen.add(attribute.value)
    return frozenset(key for key, seen in values.items() if len(seen) > MANY)


def _is_plain(attribute: Attribute) -> bool:
    """Tell values that can make no device fail as a whole, so that leaving them out is safe."""
    return (attribute.kind == "string" and attribute.value.__class__ is str) or (
        attribute.kind == "int" and attribute.value.__class__ is int
    )


def _value_key(attribute: Attribute) -> Key:
    return (attribute.kind, attribute.value.__class__, repr(attribute.value))


def base_groups(world: World) -> tuple[tuple[InventoryDevice, ...], ...]:
    """Give the devices grouped by all that they publish except identifiers."""
    return _base_of(world).groups


def identifiers(world: World) -> frozenset[tuple[str, str]]:
    """Give (driver, attribute name as published) of what tells devices apart rather than kinds."""
    return _base_of(world).identifiers
