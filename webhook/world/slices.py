"""ResourceSlices of every version, projected to one record each.

Versions: v1 and v1beta2 have the device's fields at the device, v1beta1 and v1alpha3 below `basic`
(kubernetes/api 1.36 `resource/*/types.go`). Nothing here raises: what cannot be read becomes the
record's `fault`, and makes the pool unknown.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any, TypeAlias

from webhook.cel.device import Attribute
from webhook.cel.device import Device as CelDevice
from webhook.kube.types import EMPTY
from webhook.world.nodes import read_scope
from webhook.world.raw import integer, mapping, name_of, scalar, sequence, text, texts
from webhook.world.records import SliceRecord
from webhook.world.types import CounterUse, DeviceTaint, InventoryDevice, NodeScope

Shared: TypeAlias = "dict[object, Any]"
"""Values seen so far, so that equal parts of many devices are one object in memory."""

NOWHERE = NodeScope()


def read_slice(raw: Mapping[str, Any], shared: Shared | None = None) -> SliceRecord | None:
    """Project a ResourceSlice; None when it names no driver or no pool.

    `shared` is a table that the caller keeps over many slices: a fleet of 80,000 devices has few
    distinct attributes, and one table for all of them keeps one copy of each.
    """
    table: Shared = {} if shared is None else shared
    spec = mapping(raw.get("spec"))
    pool = mapping(spec.get("pool"))
    driver, pool_name = text(spec.get("driver")), text(pool.get("name"))
    if not driver or not pool_name:
        return None
    faults: list[str] = []
    per_device = spec.get("perDeviceNodeSelection") is True
    scope = read_scope(spec)
    if scope is None and not per_device:
        faults.append("it says on no node how its devices are reached")
    devices: list[InventoryDevice] = []
    name = name_of(raw)
    for index, entry in enumerate(sequence(spec.get("devices"))):
        device = _read_device(entry, driver, pool_name, name, scope, table)
        if device is None:
            faults.append(f"device {index} is no object with a name")
        else:
            devices.append(device)
    counters = _read_counters(spec.get("sharedCounters"))
    if counters is None:
        faults.append("its shared counters cannot be read")
    generation, announced = integer(pool.get("generation")), integer(pool.get("resourceSliceCount"))
    if generation is None and pool.get("generation") is not None:
        faults.append("the pool's generation is no number")
    return SliceRecord(
        name=name,
        driver=driver,
        pool=pool_name,
        generation=generation or 0,
        announced=announced or 0,
        scope=scope or NOWHERE,
        per_device=per_device,
        devices=tuple(devices),
        counters=counters or (),
        fault=faults[0] if faults else "",
    )


def _read_device(
    entry: object,
    driver: str,
    pool: str,
    slice_name: str,
    scope: NodeScope | None,
    table: Shared,
) -> InventoryDevice | None:
    device = mapping(entry)
    name = text(device.get("name"))
    if not name:
        return None
    body = device["basic"] if isinstance(device.get("basic"), Mapping) else device
    own_scope = scope if scope is not None else read_scope(body) or NOWHERE
    policies = {
        str(key): value["requestPolicy"]
        for key, value in mapping(body.get("capacity")).items()
        if isinstance(value, Mapping) and isinstance(value.get("requestPolicy"), Mapping)
    }
    return InventoryDevice(
        name=name,
        driver=driver,
        pool=pool,
        scope=own_scope,
        cel=_share_parts(CelDevice.from_api(driver, device), table),
        taints=_read_taints(body.get("taints")),
        consumes=tuple(
            CounterUse(
                text(use.get("counterSet")), MappingProxyType(_quantities(use.get("counters")))
            )
            for use in map(mapping, sequence(body.get("consumesCounters")))
        ),
        capacity_policies=MappingProxyType(policies) if policies else EMPTY,
        slice_name=slice_name,
        binds_to_node=body.get("bindsToNode") is True,
        binding_conditions=tuple(
            text(condition) for condition in sequence(body.get("bindingConditions"))
        ),
        per_device=scope is None,
    )


def _read_taints(raw: object) -> tuple[DeviceTaint, ...]:
    entries = sequence(raw)
    if not entries:
        return ()
    return tuple(
        DeviceTaint(text(taint.get("key")), text(taint.get("value")), text(taint.get("effect")))
        for taint in map(mapping, entries)
        if text(taint.get("key"))
    )


def _read_counters(raw: object) -> tuple[tuple[str, Mapping[str, str]], ...] | None:
    """Read `sharedCounters` in order, doubles included; None when an entry cannot be read."""
    sets: list[tuple[str, Mapping[str, str]]] = []
    for entry in map(mapping, sequence(raw)):
        name = text(entry.get("name"))
        if not name:
            return None
        sets.append((name, MappingProxyType(_quantities(entry.get("counters")))))
    return tuple(sets)


def _quantities(raw: object) -> dict[str, str]:
    """Read `{name: {value: quantity}}`."""
    return {
        str(name): scalar(entry.get("value")) if isinstance(entry, Mapping) else scalar(entry)
        for name, entry in mapping(raw).items()
    }


def _share_parts(device: CelDevice, table: Shared) -> CelDevice:
    attributes: dict[str, Attribute] = {}
    for name, attribute in device.attributes.items():
        key = ("attribute", attribute.kind, *_hashable(attribute.value))
        attributes[table.setdefault(("name", name), name)] = table.setdefault(key, attribute)
    capacity = tuple(sorted(device.capacity.items()))
    shared_capacity = table.setdefault(("capacity", capacity), device.capacity)
    return replace(
        device,
        driver=table.setdefault(("name", device.driver), device.driver),
        attributes=MappingProxyType(attributes),
        capacity=shared_capacity,
    )


def _hashable(value: object) -> tuple[object, ...]:
    """Give a key that tells values apart that Python calls equal (1, 1.0, True)."""
    if value.__class__ is str or value.__class__ is int:
        return (value.__class__, value)
    return (value.__class__, repr(value))


def read_labels(raw: Mapping[str, Any]) -> Mapping[str, str]:
    """Read the labels of an object, without entries that are no text."""
    return MappingProxyType(texts(mapping(raw.get("metadata")).get("labels")))
