"""Pools of devices, assembled from slices as the scheduler does it.

Follows kubernetes/dynamic-resource-allocation 1.36 `structured/internal/*/pools_*.go`: only slices
of the newest generation count; a pool is incomplete until as many of them are there as they
announce; it is invalid when device names repeat, counter sets repeat, or a device consumes counters
that are not there. Beyond the scheduler, slices that announce different numbers make a pool invalid
here: one of the two numbers is out of date, and nothing should be denied on such ground.

Two layouts of shared counters: until Kubernetes 1.34 counters and their devices share a slice, and
the names of counter sets are unique only in it; from 1.35 a slice has either, and names are unique
in the pool. Sets of the old layout whose names clash in the pool are kept apart as `slice/set`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any, TypeAlias

from webhook.world.raw import mapping, name_of, text
from webhook.world.records import SliceRecord, TaintRule
from webhook.world.types import CounterUse, DeviceTaint, InventoryDevice, Pool

PoolKey: TypeAlias = "tuple[str, str]"
"""(driver, pool)."""

_Counters: TypeAlias = "dict[str, Mapping[str, str]]"


def assemble_pools(
    records: Iterable[SliceRecord], rules: Iterable[TaintRule] = ()
) -> dict[PoolKey, Pool]:
    """Build all pools of the given slices, in the order of driver and pool name."""
    of_pool: dict[PoolKey, list[SliceRecord]] = {}
    for record in records:
        of_pool.setdefault((record.driver, record.pool), []).append(record)
    taints = tuple(rules)
    return {key: assemble_pool(of_pool[key], taints) for key in sorted(of_pool)}


def assemble_pool(records: Iterable[SliceRecord], rules: tuple[TaintRule, ...] = ()) -> Pool:
    """Build one pool of its slices (at least one, of any generation)."""
    every = sorted(records, key=lambda record: record.name)
    newest = max(record.generation for record in every)
    current = [record for record in every if record.generation == newest]
    first = current[0]
    counters, devices, invalid = _counters_and_devices(current)
    return Pool(
        driver=first.driver,
        name=first.pool,
        generation=newest,
        slices_seen=len(current),
        slices_announced=first.announced,
        devices=tuple(_tainted(device, rules) for device in devices) if rules else devices,
        shared_counters=MappingProxyType(counters),
        invalid=_slice_fault(current) or _repeated_name(devices) or invalid,
        nodes=_nodes_named(current),
    )


def read_taint_rule(raw: Mapping[str, Any]) -> TaintRule | None:
    """Project a DeviceTaintRule; None when it adds no taint.

    kubernetes/api 1.36 `resource/v1alpha3`, `v1beta2`: an absent selector selects nothing, an
    empty one every device. Effect None has no consequence, but is kept as it is published.
    """
    spec = mapping(raw.get("spec"))
    taint = mapping(spec.get("taint"))
    key = text(taint.get("key"))
    if not key:
        return None
    selector = mapping(spec.get("deviceSelector"))
    return TaintRule(
        name=name_of(raw),
        taint=DeviceTaint(key, text(taint.get("value")), text(taint.get("effect"))),
        driver=text(selector.get("driver")),
        pool=text(selector.get("pool")),
        device=text(selector.get("device")),
        selects=isinstance(spec.get("deviceSelector"), Mapping),
        judged=not selector.get("selectors") and not selector.get("deviceClassName"),
    )


def _counters_and_devices(
    current: list[SliceRecord],
) -> tuple[_Counters, tuple[InventoryDevice, ...], str]:
    """Merge the counter sets of a pool; the text is what is contradictory, or empty."""
    clashing = _clashing_sets(current)
    counters: _Counters = {}
    devices: list[InventoryDevice] = []
    problem = ""
    for record in current:
        own = {name: f"{record.name}/{name}" for name, _ in record.counters if name in clashing}
        scoped = own if record.devices else {}
        for name, values in record.counters:
            key = scoped.get(name, name)
            if key in counters:
                problem = problem or f"counter set {name} stands in it twice"
            counters[key] = values
        devices.extend(_rescoped(device, scoped) for device in record.devices)
    for device in devices:
        problem = problem or _missing_counter(device, counters)
    return counters, tuple(devices), problem


def _clashing_sets(current: list[SliceRecord]) -> frozenset[str]:
    seen: set[str] = set()
    clashing: set[str] = set()
    for record in current:
        names = {name for name, _ in record.counters}
        clashing |= names & seen
        seen |= names
    return frozenset(clashing)


def _rescoped(device: InventoryDevice, scoped: Mapping[str, str]) -> InventoryDevice:
    if not scoped or not device.consumes:
        return device
    uses = tuple(
        CounterUse(scoped.get(use.counter_set, use.counter_set), use.counters)
        for use in device.consumes
    )
    return replace(device, consumes=uses)


def _missing_counter(device: InventoryDevice, counters: _Counters) -> str:
    for use in device.consumes:
        available = counters.get(use.counter_set)
        if available is None:
            return (
                f"device {device.name} consumes of counter set {use.counter_set}, which is absent"
            )
        for name in use.counters:
            if name not in available:
                return (
                    f"device {device.name} consumes counter {name}, "
                    f"which counter set {use.counter_set} lacks"
                )
    return ""


def _slice_fault(current: list[SliceRecord]) -> str:
    for record in current:
        if record.fault:
            return f"slice {record.name} cannot be read: {record.fault}"
    announced = sorted({record.announced for record in current})
    if len(announced) > 1:
        return f"its slices announce {announced[0]} and {announced[-1]} slices"
    return ""


def _repeated_name(devices: tuple[InventoryDevice, ...]) -> str:
    seen: set[str] = set()
    for device in devices:
        if device.name in seen:
            return f"device name {device.name} stands in it twice"
        seen.add(device.name)
    return ""


def _nodes_named(current: list[SliceRecord]) -> tuple[str, ...]:
    names = {record.scope.node for record in current}
    names.update(
        device.scope.node for record in current if record.per_device for device in record.devices
    )
    return tuple(sorted(names - {""}))


def _tainted(device: InventoryDevice, rules: tuple[TaintRule, ...]) -> InventoryDevice:
    added = tuple(rule.taint for rule in rules if _selects(rule, device))
    return replace(device, taints=device.taints + added) if added else device


def _selects(rule: TaintRule, device: InventoryDevice) -> bool:
    return (
        rule.selects
        and rule.judged
        and rule.driver in ("", device.driver)
        and rule.pool in ("", device.pool)
        and rule.device in ("", device.name)
    )
