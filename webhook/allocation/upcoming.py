"""Nodes that do not exist yet: whether a declared pool at zero would serve, by the catalogue.

The catalogue knows GPUs and what their driver would publish of them, no other devices; what it
cannot know counts in the pool's favour and is named.
"""

from __future__ import annotations

from dataclasses import replace

from webhook import cel
from webhook.allocation.ground import attempt
from webhook.allocation.job import ClaimJob, Job, Slot, Wanted
from webhook.allocation.layout import Item, View
from webhook.allocation.matching import device_outcomes
from webhook.allocation.nodes import Selection, untolerated
from webhook.allocation.search import Budget, Rules
from webhook.allocation.types import PoolAtZero
from webhook.kube.types import Constraint, DeviceRequest, PodSpec
from webhook.world.types import CataloguePool, InventoryDevice, Node, NodeScope, Pool, World

_DEVICES_OF_CLASS = "the devices of class {}"


def pools_that_serve(
    world: World, job: Job, pod: PodSpec | None, rules: Rules, budget: Budget
) -> tuple[PoolAtZero, ...]:
    """Give the pools at zero whose nodes would serve the job, or may."""
    found: list[PoolAtZero] = []
    for pool in world.catalogue_pools:
        if pod is not None and not _lets_in(pool, pod):
            continue
        if not pool.known:
            found.append(PoolAtZero(pool, "the hardware of the pool"))
            continue
        view, reduced, undecided = _imagine(world, job, pool)
        if attempt(view, reduced, rules, budget).fits:
            found.append(PoolAtZero(pool, undecided))
    return tuple(found)


def _lets_in(pool: CataloguePool, pod: PodSpec) -> bool:
    """Whether the pod may go to the pool's nodes; labels that only a cloud sets count as right."""
    declared = pool.pool
    node = Node(declared.name, declared.labels, declared.taints)
    if untolerated(pod, node) is not None:
        return False
    labels = {k: v for k, v in pod.node_selector.items() if k in declared.labels}
    return Selection(labels, None).selects(node)


def _imagine(world: World, job: Job, pool: CataloguePool) -> tuple[View, Job, str]:
    """Make the view of a node of the pool, and the part of the job that can be judged there."""
    name = pool.pool.name
    devices = tuple(
        InventoryDevice(f"gpu-{index}", device.driver, name, NodeScope(node=name), device)
        for index, device in enumerate(pool.devices)
    )
    driver = devices[0].driver if devices else ""
    known = Pool(driver, name, 1, 1, 1, devices, nodes=(name,))
    kinds: dict[int, int] = {}
    items = tuple(
        Item(device, 0, reachable=True, kind=kinds.setdefault(id(device.cel), len(kinds)))
        for device in devices
    )
    undecided = ""
    claims: list[ClaimJob] = []
    for claim in job.claims:
        slots: list[Slot] = []
        dropped = False
        for slot in claim.slots:
            judged = [_wanted(world, choice, devices, pool) for choice in slot.choices]
            opened = next((why for choice, why in judged if choice is None), "")
            if opened:
                undecided = undecided or opened
                dropped = True
                continue
            undecided = undecided or next((why for _, why in judged if why), "")
            slots.append(Slot(tuple(c for c, _ in judged if c is not None), slot.is_list))
        constraints = tuple(c for c in claim.constraints if _is_known(c, pool, dropped=dropped))
        if len(constraints) < len(claim.constraints) and not undecided:
            first = next(c for c in claim.constraints if c not in constraints)
            undecided = first.match_attribute or first.distinct_attribute
        claims.append(replace(claim, slots=tuple(slots), constraints=constraints))
    return View((known,), items), Job(tuple(claims), refined=True), undecided


def _wanted(
    world: World, choice: Wanted, devices: tuple[InventoryDevice, ...], pool: CataloguePool
) -> tuple[Wanted | None, str]:
    """Match a request against catalogue devices; None where the class is not of their kind."""
    of_class = replace(choice.request, selectors=())
    if not any(_outcome(world, of_class, d.cel, pool)[0] for d in devices):
        return None, _DEVICES_OF_CLASS.format(choice.request.device_class)
    matching: set[int] = set()
    undecided = ""
    for device in devices:
        takes, why = _outcome(world, choice.request, device.cel, pool)
        if takes:
            matching.add(id(device))
            undecided = undecided or why
    return replace(choice, matching=frozenset(matching), failing={}), undecided


def _outcome(
    world: World, request: DeviceRequest, device: cel.Device, pool: CataloguePool
) -> tuple[bool, str]:
    count, undecided, _ = device_outcomes(world, request, (device,), pool.unknown_attributes)
    return bool(count or undecided), undecided


def _is_known(constraint: Constraint, pool: CataloguePool, *, dropped: bool) -> bool:
    """Whether the catalogue can judge a constraint: it knows the attribute, and all requests."""
    name = constraint.match_attribute or constraint.distinct_attribute
    rest = name.rpartition("/")[2]
    if dropped or rest in pool.unknown_attributes or name in pool.unknown_attributes:
        return False
    return all(name in d.attributes or rest in d.attributes for d in pool.devices)
