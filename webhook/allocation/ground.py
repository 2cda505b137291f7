"""The nodes on which a job is tried: shapes split by what matters to the job, and who may go there.

A shape of the layout stands for nodes of equal devices. Allocations, and requests that read what
tells equal devices apart, split it further; nodes that stay together are searched once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TypeAlias

from webhook.allocation.bounds import is_hopeless
from webhook.allocation.constraints import lookup
from webhook.allocation.held import Held
from webhook.allocation.job import Job
from webhook.allocation.layout import Layout, Shape, View, layout
from webhook.allocation.search import Budget, Fault, Found, Rules, Search
from webhook.kube.types import Constraint
from webhook.world.types import InventoryDevice, World

Allowed: TypeAlias = Callable[[str], bool]
Key: TypeAlias = "tuple[object, ...]"


@dataclass(frozen=True, slots=True)
class Trial:
    """What became of one job under some rules: the nodes that fit, and errors with their nodes."""

    nodes: tuple[str, ...] = ()
    faults: tuple[tuple[str, Fault], ...] = ()


def everywhere(_: str) -> bool:
    """Allow every node."""
    return True


def try_job(
    shapes: Iterable[Shape], job: Job, rules: Rules, budget: Budget, allowed: Allowed = everywhere
) -> Trial:
    """Try a job on all allowed nodes; may raise OutOfStepsError."""
    nodes: list[str] = []
    faults: list[tuple[str, Fault]] = []
    for shape in shapes:
        here = tuple(name for name in shape.nodes if allowed(name))
        if not here:
            continue
        found = attempt(shape.view, job, rules, budget)
        if found.fault is not None:
            faults.append((here[0], found.fault))
        elif found.fits:
            nodes += here
    return Trial(tuple(nodes), tuple(faults))


def attempt(view: View, job: Job, rules: Rules, budget: Budget) -> Found:
    """Search on one view, unless a bound tells that it must fail."""
    if is_hopeless(job, view, rules):
        budget.spend()
        return Found(fits=False)
    return Search(view, job, rules, budget).run()


def shapes_for(world: World, job: Job, held: Held) -> tuple[Shape, ...]:
    """Split the world's shapes for a job."""
    whole = layout(world)
    busy = _nodes_with_allocations(world, held)
    found: list[Shape] = []
    for shape in whole.shapes:
        found += _split(whole, shape, job, held, busy)
    return tuple(found)


def _nodes_with_allocations(world: World, held: Held) -> frozenset[str]:
    pools: dict[tuple[str, str], set[str]] = {}
    for driver, pool, name in (*held.devices, *held.sharers):
        pools.setdefault((driver, pool), set()).add(name)
    found: set[str] = set()
    for known in world.pools or ():
        names = pools.get((known.driver, known.name))
        if names:
            found |= {d.scope.node for d in known.devices if d.name in names and d.scope.node}
    return frozenset(found)


def _split(
    whole: Layout, shape: Shape, job: Job, held: Held, busy: frozenset[str]
) -> Iterable[Shape]:
    if not job.refined and not (busy and any(name in busy for name in shape.nodes)):
        return (shape,)
    members: dict[Key, tuple[View, list[str]]] = {}
    for name in shape.nodes:
        if not job.refined and name not in busy:
            key: Key = ()
            if key in members:
                members[key][1].append(name)
                continue
            view = whole.view(name)
        else:
            view = whole.view(name)
            key = _signature(view, job, held)
        members.setdefault(key, (view, []))[1].append(name)
    return [Shape(tuple(names), view) for view, names in members.values()]


def _signature(view: View, job: Job, held: Held) -> Key:
    """Give what tells nodes of one shape apart for this job; values only by where they recur."""
    parts: list[object] = [
        tuple(
            (
                item.device.key in held.devices,
                tuple(sorted(held.shares.get(item.device.key, {}).items())),
                item.device.key in held.sharers,
            )
            if item.device.key in held.devices or item.device.key in held.sharers
            else ()
            for item in view.items
        )
    ]
    if job.refined:
        parts += [
            tuple(
                2 if id(item.device) in choice.failing else id(item.device) in choice.matching
                for item in view.items
            )
            for choice in job.wanted
        ]
        parts += [
            _pattern([item.device for item in view.items], constraint)
            for claim in job.claims
            for constraint in claim.constraints
        ]
    return tuple(parts)


def _pattern(devices: list[InventoryDevice], constraint: Constraint) -> Key:
    name = constraint.match_attribute or constraint.distinct_attribute
    numbers: dict[object, int] = {}
    found: list[object] = []
    for device in devices:
        attribute = lookup(device, name)
        if attribute is None:
            found.append(-1)
        elif isinstance(attribute.value, tuple):
            found.append((attribute.kind, repr(attribute.value)))
        else:
            value = (attribute.kind, repr(attribute.value))
            found.append(numbers.setdefault(value, len(numbers)))
    return tuple(found)


def pools_unseen(view: View) -> list[tuple[str, str, str]]:
    """Name (driver, pool, why) of pools in a view that are not whole or contradict themselves."""
    return [
        (
            pool.driver,
            pool.name,
            pool.invalid or f"{pool.slices_seen} of {pool.slices_announced} slices",
        )
        for pool in view.pools
        if not pool.complete
    ]
