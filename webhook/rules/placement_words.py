"""What the reasons of the allocation floor read like: SEEN and FIX of each."""

from __future__ import annotations

from collections.abc import Sequence

from webhook import cel
from webhook.allocation.matching import request_match
from webhook.allocation.types import (
    AlternativesFail,
    Busy,
    CapacityTooHigh,
    ConstraintUnsatisfiable,
    CountersExhausted,
    CountTooHigh,
    NoClass,
    NoCommonNode,
    NoDevices,
    OverLimit,
    PoolAtZero,
    Reason,
    Tainted,
    TogetherTooMany,
)
from webhook.kube.types import DeviceRequest, Taint
from webhook.rules.wording import comparisons_seen, count_of, listed
from webhook.world.types import DeviceTaint, World

NODES_SHOWN = 3


def nodes_text(nodes: Sequence[str], of: str = "node") -> str:
    """Write `node a`, `2 nodes (a, b)`; a node that is not known has no name."""
    names = [name or "any" for name in nodes]
    if len(names) == 1:
        return f"{of} {names[0]}"
    return f"{count_of(len(names), of)} ({listed(names, NODES_SHOWN)})"


def taint_text(taint: Taint | DeviceTaint) -> str:
    """Write `key=value:effect`, as kubectl does."""
    value = f"={taint.value}" if taint.value else ""
    return f"{taint.key}{value}:{taint.effect}"


def toleration_text(taint: Taint | DeviceTaint) -> str:
    """Write the toleration that covers a taint."""
    return f"{{key: {taint.key}, operator: Exists, effect: {taint.effect}}}"


def count_seen(reason: CountTooHigh) -> str:
    """Say where the most devices are."""
    kind = f', "{reason.kind}"' if reason.kind else ""
    others = f" and {count_of(reason.nodes - 1, 'other node')}" if reason.nodes > 1 else ""
    return f"the most on one node is {reason.most} (node {reason.node or 'any'}{kind}{others})"


def common_seen(reason: NoCommonNode, names: Sequence[str]) -> str:
    """Say which nodes each part fits: `gpu fits node a, nic fits node b; no node has all`."""
    parts = [
        f'"{name}" fits {nodes_text(part.nodes)}'
        for name, part in zip(names, reason.parts, strict=True)
    ]
    return f"{', '.join(parts)}; no node has {'both' if len(parts) == 2 else 'all'}"


def constraint_seen(reason: ConstraintUnsatisfiable) -> str:
    """Say how far the constraint can be satisfied, and where."""
    constraint = reason.constraint
    name = constraint.match_attribute or constraint.distinct_attribute
    if reason.missing:
        names = listed(f'"{request.name}"' for request in reason.missing)
        return f"no device that request {names} could get has {name}"
    if not reason.best:
        return f"no device that could be had has {name}"
    where = f"node {reason.node or 'any'}"
    if constraint.match_attribute:
        return (
            f'the most devices with one value is {reason.best} ("{reason.value}" on {where}), '
            f"wanted {reason.wanted}"
        )
    return (
        f"the most different values on one node is {reason.best} ({where}), wanted {reason.wanted}"
    )


def counters_seen(reason: CountersExhausted) -> str:
    """Say which counter runs out first."""
    text = f"counter set {reason.counter_set} on node {reason.node or 'any'}"
    if reason.counter:
        text += (
            f" has {reason.left} of {reason.counter}, each device takes at least {reason.needed}"
        )
    return f"{text}; {reason.best} of {reason.wanted} devices can be had together"


def busy_seen(reason: Busy) -> str:
    """Say who holds the devices."""
    if not reason.holders:
        return "other claims hold what it needs"
    names = listed((f"{namespace}/{name}" for namespace, name in reason.holders), 3)
    return f"{count_of(reason.devices, 'device')} allocated to {names}"


def tainted_seen(reason: Tainted) -> str:
    """Say which taint stands on how many devices."""
    where = f" on {nodes_text(reason.nodes)}" if reason.nodes else ""
    return f"taint {taint_text(reason.taint)} on {count_of(reason.devices, 'device')}{where}"


def pool_text(reason: PoolAtZero) -> str:
    """Say what a pool at zero would bring."""
    pool = reason.pool
    name = pool.pool.name
    if reason.undecided:
        kind = f" ({pool.instance_type})" if pool.instance_type else ""
        return f"{reason.undecided} is known only once a node of pool {name}{kind} is up"
    return (
        f"pool {name} has no node; {pool.instance_type} would bring "
        f'{len(pool.devices)} x "{pool.product}"'
    )


def no_devices_seen(world: World, request: DeviceRequest) -> str:
    """Say what the devices of the class have, compared with what is wanted."""
    match = request_match(world, request)
    steps = [step for step in match.steps if step.origin == "request" and step.seen]
    if steps:
        seen = comparisons_seen(cel.explain(steps[-1].selector, steps[-1].seen))
        if seen:
            return seen
    return f"class {request.device_class} has {count_of(len(match.candidates), 'device')}"


def shortly(world: World, reason: Reason) -> str:
    """Give one reason in a few words, for lists of alternatives."""
    match reason:
        case NoClass(where=where):
            return f"DeviceClass {where.request.device_class} does not exist"
        case NoDevices(where=where):
            return no_devices_seen(world, where.request)
        case CountTooHigh():
            return f"wants {reason.wanted}; {count_seen(reason)}"
        case OverLimit():
            return f"wants {reason.wanted} devices, a claim has 32 at most"
        case CountersExhausted():
            return counters_seen(reason)
        case CapacityTooHigh():
            return capacity_seen(reason)
        case TogetherTooMany():
            return f"wants {reason.wanted}, node {reason.node or 'any'} has {reason.most}"
        case _:
            return "cannot be served"


def capacity_seen(reason: CapacityTooHigh) -> str:
    """Say what the devices have of a capacity."""
    if not reason.most:
        return f"no device that matches has the capacity {reason.capacity} to give"
    return f"the most {reason.capacity} that a device has is {reason.most}, wanted {reason.wanted}"


def alternatives_seen(world: World, reason: AlternativesFail) -> str:
    """List the alternatives, each with its reason."""
    return "; ".join(
        f'"{entry.request.name.rpartition("/")[2]}": {shortly(world, entry.reason)}'
        for entry in reason.alternatives
    )
