"""Why a job can never be placed: the smallest true reason.

The job is taken apart until a part fails by itself: one alternative, one request, one claim's
requests without and with constraints, claims together. Everything passing is put aside here (other
claims' allocations, device taints), since it is not what makes a job impossible.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from webhook.allocation import capacity
from webhook.allocation.bounds import counter_bound, served, usable
from webhook.allocation.constraints import lookup
from webhook.allocation.ground import Allowed, try_job
from webhook.allocation.job import ClaimJob, Job, Slot, Wanted
from webhook.allocation.layout import Item, Shape
from webhook.allocation.search import Budget, Rules
from webhook.allocation.types import (
    MAX_DEVICES,
    AlternativeFails,
    AlternativesFail,
    CapacityTooHigh,
    ConstraintUnsatisfiable,
    CountersExhausted,
    CountTooHigh,
    NoClass,
    NoCommonNode,
    NodesOfPart,
    NoDevices,
    OverLimit,
    Reason,
    RequestRef,
    TogetherTooMany,
)
from webhook.kube.types import Constraint
from webhook.world.types import InventoryDevice


@dataclass(frozen=True, slots=True)
class Bench:
    """Where a job is taken apart: shapes, relaxed rules, who is allowed where, steps left."""

    shapes: tuple[Shape, ...]
    rules: Rules
    budget: Budget
    allowed: Allowed

    def nodes(self, job: Job, rules: Rules | None = None) -> tuple[str, ...]:
        """Give the nodes that a job fits."""
        return try_job(self.shapes, job, rules or self.rules, self.budget, self.allowed).nodes

    def open_shapes(self) -> Iterable[tuple[Shape, tuple[str, ...]]]:
        """Give the shapes with those of their nodes that are allowed."""
        for shape in self.shapes:
            here = tuple(name for name in shape.nodes if self.allowed(name))
            if here:
                yield shape, here


def diagnose(bench: Bench, job: Job) -> tuple[Reason, ...]:
    """Find the reasons, in the order of requests and claims; empty when the job fits after all."""
    found: list[Reason] = []
    fits: list[NodesOfPart] = []
    for claim in job.claims:
        alone = job.of_claim(claim.claim)
        nodes = bench.nodes(alone)
        if not nodes:
            found += _of_claim(bench, alone, claim)
        fits.append(NodesOfPart(claim.claim, None, nodes))
    if found or len(job.claims) < 2 or bench.nodes(job):
        return tuple(found)
    if not _common(fits):
        return (NoCommonNode(tuple(fits)),)
    return (_together(bench, job),)


def _common(parts: Sequence[NodesOfPart]) -> frozenset[str]:
    common = frozenset(parts[0].nodes)
    for part in parts[1:]:
        common &= frozenset(part.nodes)
    return common


def _of_claim(bench: Bench, job: Job, claim: ClaimJob) -> list[Reason]:
    found: list[Reason] = []
    parts: list[NodesOfPart] = []
    for slot in claim.slots:
        nodes = bench.nodes(job.only(slot))
        if not nodes:
            found.append(_of_slot(bench, job, claim, slot))
        parts += [NodesOfPart(claim.claim, choice.request, nodes) for choice in slot.choices[:1]]
    if found:
        return found
    least = sum(min(_count(bench, choice) for choice in slot.choices) for slot in claim.slots)
    if least > MAX_DEVICES:
        return [OverLimit(claim.claim, least)]
    if not bench.nodes(job.without_constraints()):
        return [NoCommonNode(tuple(parts))] if not _common(parts) else [_together(bench, job)]
    failing = [
        constraint
        for constraint in claim.constraints
        if not bench.nodes(job.without_constraints(constraint))
    ]
    return [_of_constraint(bench, claim, c) for c in failing or claim.constraints]


def _of_slot(bench: Bench, job: Job, claim: ClaimJob, slot: Slot) -> Reason:
    if not slot.is_list:
        return _of_choice(bench, slot.choices[0])
    alternatives = tuple(
        AlternativeFails(choice.request, _of_choice(bench, choice)) for choice in slot.choices
    )
    del job
    return AlternativesFail(claim.claim, slot.choices[0].base, alternatives)


def _count(bench: Bench, choice: Wanted) -> int:
    if choice.request.mode != "All":
        return choice.request.count
    counts = [len(usable(choice, shape.view, bench.rules)) for shape, _ in bench.open_shapes()]
    return min((count for count in counts if count), default=0)


def _of_choice(bench: Bench, choice: Wanted) -> Reason:
    """Say why one request cannot be served on any node."""
    ref = choice.ref
    if choice.class_known is not True:
        return NoClass(ref)
    of_class = len(choice.match.candidates) if choice.match is not None else 0
    views = [(shape, nodes, _suiting(bench, choice, shape)) for shape, nodes in bench.open_shapes()]
    if not any(items for *_, items in views):
        return NoDevices(ref, of_class)
    found = [(shape, nodes, usable(choice, shape.view, bench.rules)) for shape, nodes, _ in views]
    if not any(items for *_, items in found):
        return _of_capacity(choice, [item for *_, items in views for item in items])
    if choice.request.mode == "All":
        shape, nodes, items = max(found, key=lambda entry: len(entry[2]))
        if len(items) > MAX_DEVICES:
            return OverLimit(ref.claim, len(items), nodes[0])
        return _of_counters(bench, (choice,), len(items), shape, nodes[0], items)
    if choice.request.count > MAX_DEVICES:
        return OverLimit(ref.claim, choice.request.count)
    most = max(len(items) for *_, items in found)
    best = [(nodes, items) for _, nodes, items in found if len(items) == most]
    if most < choice.request.count:
        nodes, items = best[0]
        count = sum(len(names) for names, _ in best)
        return CountTooHigh(
            ref, choice.request.count, most, nodes[0], product([i.device for i in items]), count
        )
    shape, nodes, items = max(found, key=lambda entry: served(entry[2], entry[0].view, bench.rules))
    return _of_counters(bench, (choice,), choice.request.count, shape, nodes[0], items)


def _suiting(bench: Bench, choice: Wanted, shape: Shape) -> list[Item]:
    """Give the devices whose selectors match, capacities aside."""
    features = replace(bench.rules.features, consumable=False)
    return usable(choice, shape.view, replace(bench.rules, features=features))


def product(devices: Sequence[InventoryDevice]) -> str:
    """Name the product of the devices; empty when they name none, or several."""
    names = set()
    for device in devices:
        attribute = device.cel.attributes.get("productName")
        names.add(str(attribute.value) if attribute is not None else "")
    return names.pop() if len(names) == 1 else ""


def _of_capacity(choice: Wanted, items: Sequence[Item]) -> Reason:
    wanted = choice.request.capacity_requests
    for name, text in wanted.items():
        values = [i.device.cel.capacity[name] for i in items if name in i.device.cel.capacity]
        most = max(values, key=capacity.amount, default="")
        if not values or capacity.amount(most) < capacity.amount(text):
            return CapacityTooHigh(choice.ref, name, text, most)
    name = next(iter(wanted), "")
    return CapacityTooHigh(choice.ref, name, wanted.get(name, ""), "")


def _of_counters(
    bench: Bench,
    choices: Sequence[Wanted],
    wanted: int,
    shape: Shape,
    node: str,
    items: Sequence[Item],
) -> Reason:
    refs = tuple(choice.ref for choice in choices)
    sets: dict[tuple[int, str], list[Item]] = {}
    for item in items:
        for use in item.device.consumes[:1]:
            sets.setdefault((item.pool, use.counter_set), []).append(item)
    best = served(items, shape.view, bench.rules)
    if not sets:
        return TogetherTooMany(refs, wanted, best, node)
    (_, name), members = max(sets.items(), key=lambda entry: len(entry[1]))
    bound = counter_bound(members, shape.view, bench.rules, name)
    return CountersExhausted(
        refs,
        name,
        bound.counter,
        str(bound.left),
        str(bound.needed),
        wanted,
        min(best, wanted - 1),
        node,
    )


def _together(bench: Bench, job: Job) -> Reason:
    """Say that parts which fit alone want too much of the same node."""
    choices = [slot.choices[0] for claim in job.claims for slot in claim.slots]
    refs: tuple[RequestRef, ...] = tuple(choice.ref for choice in choices)
    wanted = sum(_count(bench, choice) for choice in choices)
    best: tuple[int, Shape, str, list[Item]] | None = None
    for shape, nodes in bench.open_shapes():
        union: dict[int, Item] = {}
        for choice in choices:
            union.update({id(i.device): i for i in usable(choice, shape.view, bench.rules)})
        items = list(union.values())
        if best is None or len(items) > best[0]:
            best = (len(items), shape, nodes[0], items)
    if best is None:
        return TogetherTooMany(refs, wanted, 0, "")
    count, shape, node, items = best
    if bench.nodes(job.without_constraints(), replace(bench.rules, counters=False)):
        return _of_counters(bench, choices, wanted, shape, node, items)
    return TogetherTooMany(refs, wanted, count, node)


def _of_constraint(bench: Bench, claim: ClaimJob, constraint: Constraint) -> Reason:
    name = constraint.match_attribute or constraint.distinct_attribute
    covered = [
        choice
        for slot in claim.slots
        for choice in slot.choices[:1]
        if not constraint.requests
        or choice.base in constraint.requests
        or choice.request.name in constraint.requests
    ]
    wanted = sum(_count(bench, choice) for choice in covered)
    missing = tuple(
        choice.request
        for choice in covered
        if not any(
            lookup(item.device, name) is not None
            for shape, _ in bench.open_shapes()
            for item in usable(choice, shape.view, bench.rules)
        )
    )
    best, value, node = 0, "", ""
    if missing:
        return ConstraintUnsatisfiable(claim.claim, constraint, wanted, 0, "", "", missing)
    for shape, nodes in bench.open_shapes():
        groups: dict[tuple[str, str], dict[int, str]] = {}
        for choice in covered:
            for item in usable(choice, shape.view, bench.rules):
                attribute = lookup(item.device, name)
                if attribute is not None:
                    key = (attribute.kind, str(attribute.value))
                    groups.setdefault(key, {})[id(item.device)] = key[1]
        if constraint.match_attribute:
            for (_, text), members in groups.items():
                if len(members) > best:
                    best, value, node = len(members), text, nodes[0]
        elif len(groups) > best:
            best, node = len(groups), nodes[0]
    return ConstraintUnsatisfiable(claim.claim, constraint, wanted, best, value, node)
