"""Cheap proofs that a search must fail, so that hopeless ones cost no search.

Each bound is a necessary condition: enough usable devices for each request, enough of one
attribute value under matchAttribute, enough in the shared counters. None of them says that a
solution exists. They hold only where no selector fails, since an error comes before the failure.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from webhook.allocation import capacity
from webhook.allocation.capacity import Amount, amount
from webhook.allocation.constraints import lookup
from webhook.allocation.job import ClaimJob, Job, Wanted
from webhook.allocation.layout import Item, View
from webhook.allocation.search import Rules, counters_left, tainted
from webhook.allocation.types import MAX_DEVICES
from webhook.kube.types import Constraint


def usable(choice: Wanted, view: View, rules: Rules) -> list[Item]:
    """Give the devices of a view that could serve the choice when nothing else is taken."""
    features = rules.features
    admin = choice.request.admin_access
    return [
        item
        for item in view.items
        if id(item.device) in choice.matching
        and item.reachable
        and (admin or item.device.key not in rules.held.devices)
        and not (rules.taints and tainted(item.device, choice.request.tolerations, features))
        and not ((item.device.consumes or item.per_device) and not features.partitionable)
        and not (item.device.binding_conditions and not features.binding)
        and (not features.consumable or _has_capacity(choice, item, rules))
    ]


def _has_capacity(choice: Wanted, item: Item, rules: Rules) -> bool:
    consumed = capacity.taken(item.device, choice.request.capacity_requests)
    used = rules.held.shares.get(item.device.key, capacity.NOTHING)
    return consumed is not None and capacity.has_room(item.device, consumed, used)


def is_hopeless(job: Job, view: View, rules: Rules) -> bool:
    """Whether no search on this view can succeed, nor meet an error."""
    choices = job.wanted
    if rules.errors and any(
        id(item.device) in choice.failing for choice in choices for item in view.items
    ):
        return False
    if any(choice.class_known is not True or not choice.compiles for choice in choices):
        return False
    if any(choice.request.mode == "All" for choice in choices):
        return False
    if any(_exceeds(claim) for claim in job.claims):
        # That is an error, not merely a failure.
        return False
    if rules.features.takes_of_incomplete and any(pool.invalid for pool in view.pools):
        return False
    found = {id(choice): usable(choice, view, rules) for choice in choices}
    if len(choices) > 1 and not _can_all_be_had(job, found):
        return True
    for claim in job.claims:
        for slot in claim.slots:
            if all(
                choice.request.count > served(found[id(choice)], view, rules)
                for choice in slot.choices
            ):
                return True
        for constraint in claim.constraints:
            if constraint.match_attribute and not rules.features.list_attributes:
                covered = _covered(claim, constraint)
                if covered and not _some_value_serves(covered, constraint, found):
                    return True
    return False


def _exceeds(claim: ClaimJob) -> bool:
    least = sum(min(choice.request.count for choice in slot.choices) for slot in claim.slots)
    return least > MAX_DEVICES


def _can_all_be_had(job: Job, found: dict[int, list[Item]]) -> bool:
    """Whether every plain request can have devices of its own, constraints and counters aside.

    A matching of requests and devices by augmenting paths. Requests with administrative access take
    nothing from others, and shared devices serve any number.
    """
    wants: list[list[int]] = []
    for claim in job.claims:
        for slot in claim.slots:
            choice = slot.choices[0]
            if slot.is_list or choice.request.admin_access:
                continue
            items = found[id(choice)]
            if any(item.device.cel.allow_multiple_allocations for item in items):
                continue
            wants += [[id(item.device) for item in items]] * choice.request.count
    owner: dict[int, int] = {}
    return all(_augment(wants, number, owner) for number in range(len(wants)))


def _augment(wants: list[list[int]], start: int, owner: dict[int, int]) -> bool:
    """Find a device for one more want, moving others if need be (breadth first)."""
    parent: dict[int, tuple[int, int]] = {}
    seen: set[int] = set()
    queue = [start]
    for want in queue:
        for device in wants[want]:
            if device in seen:
                continue
            seen.add(device)
            parent[device] = (want, owner.get(device, -1))
            if device not in owner:
                _flip(parent, device, owner)
                return True
            queue.append(owner[device])
    return False


def _flip(parent: dict[int, tuple[int, int]], device: int, owner: dict[int, int]) -> None:
    """Give the free device at the end of a path to its want, and so on back to the start."""
    held = {want: taken for taken, want in owner.items()}
    current: int | None = device
    while current is not None:
        want, _ = parent[current]
        previous = held.get(want)
        owner[current] = want
        current = previous


def _covered(claim: ClaimJob, constraint: Constraint) -> list[Wanted]:
    """Give the plain requests that a constraint speaks of."""
    names = constraint.requests
    return [
        slot.choices[0]
        for slot in claim.slots
        if not slot.is_list and (not names or slot.choices[0].base in names)
    ]


def _some_value_serves(
    covered: list[Wanted], constraint: Constraint, found: dict[int, list[Item]]
) -> bool:
    together: dict[object, set[int]] = {}
    values: list[dict[object, int]] = []
    shared = False
    for choice in covered:
        counts: dict[object, int] = {}
        for item in found[id(choice)]:
            attribute = lookup(item.device, constraint.match_attribute)
            if attribute is not None:
                key = (attribute.kind, repr(attribute.value))
                counts[key] = counts.get(key, 0) + 1
                together.setdefault(key, set()).add(id(item.device))
                shared = shared or item.device.cel.allow_multiple_allocations
        values.append(counts)
        shared = shared or choice.request.admin_access
    total = 0 if shared else sum(choice.request.count for choice in covered)
    return any(
        len(together[value]) >= total
        and all(
            counts.get(value, 0) >= choice.request.count
            for choice, counts in zip(covered, values, strict=True)
        )
        for value in values[0]
    )


def served(items: Sequence[Item], view: View, rules: Rules) -> int:
    """Give an upper bound of how many of the devices can be had together, by shared counters."""
    if not rules.counters or not any(item.device.consumes for item in items):
        return len(items)
    free = 0
    sets: dict[tuple[int, str], list[Item]] = {}
    for item in items:
        if item.device.consumes:
            first = item.device.consumes[0].counter_set
            sets.setdefault((item.pool, first), []).append(item)
        else:
            free += 1
    return free + sum(
        min(len(members), counter_bound(members, view, rules, name).count)
        for (_, name), members in sets.items()
    )


@dataclass(frozen=True, slots=True)
class CounterBound:
    """The counter that limits most how many devices of one counter set can be had."""

    count: int
    counter: str = ""
    left: Amount = 0
    needed: Amount = 0


def counter_bound(items: Sequence[Item], view: View, rules: Rules, name: str) -> CounterBound:
    """Find the counter of set `name` that allows the fewest of `items` (all of one pool)."""
    left = counters_left(view.pools[items[0].pool], rules.held)
    best = CounterBound(len(items))
    for (counter_set, counter), available in sorted(left.items()):
        if counter_set != name:
            continue
        least = min(_need(item, name, counter) for item in items)
        if least > 0 and math.floor(max(available, 0) / least) < best.count:
            count = math.floor(max(available, 0) / least)
            best = CounterBound(count, counter, available, least)
    return best


def _need(item: Item, name: str, counter: str) -> Amount:
    needs: Iterable[Amount] = (
        amount(use.counters[counter])
        for use in item.device.consumes
        if use.counter_set == name and counter in use.counters
    )
    return sum(needs)
