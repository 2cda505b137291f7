"""The scheduler's search for devices on one node: depth first, in order, the first solution wins.

Claims one after the other, in each its requests, for each request devices in the order of the view;
alternatives of firstAvailable in their order. A device that is taken must have its counters, be
without untolerated taints, and satisfy the claim's constraints; otherwise the next is tried, and
when none is left the search goes back. Selectors are asked only about devices that are free, so an
error ends the search exactly where the scheduler meets it.

Two things are added to what kubernetes/dynamic-resource-allocation 0.34 to 0.37 does, and change no
answer: a device equal to one that has failed at the same place is passed over, and the search ends
after a number of steps. The stack is explicit, since a pod may ask for hundreds of devices.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import TypeAlias

from webhook.allocation import capacity
from webhook.allocation.capacity import NOTHING, Amount, amount
from webhook.allocation.constraints import Tracker, lookup
from webhook.allocation.features import Features
from webhook.allocation.held import NOTHING_HELD, DeviceKey, Held
from webhook.allocation.job import ClaimJob, Job, Wanted, select
from webhook.allocation.layout import Item, View
from webhook.allocation.matching import Failure
from webhook.allocation.types import MAX_DEVICES, RequestRef
from webhook.kube.types import Constraint, Toleration
from webhook.world.types import DeviceTaint, InventoryDevice, Pool

Counters: TypeAlias = "dict[tuple[str, str], Amount]"
"""(counter set, counter) → amount."""


@dataclass(frozen=True, slots=True)
class Rules:
    """What the search looks at; a relaxed search tells what stands in the way."""

    features: Features = field(default_factory=Features)
    held: Held = NOTHING_HELD
    taints: bool = True
    counters: bool = True
    errors: bool = True
    """Whether a selector that fails ends the search; otherwise its device is passed over."""
    keeps_refused_counters: bool = False
    """Copy a fault of 1.34 to 1.36: a device refused for a taint or a constraint, and a shared one
    that is given back, keeps its counters for the rest of the search. Mended in 1.37."""


class Budget:
    """How many steps searches may still take together."""

    __slots__ = ("left", "steps")

    def __init__(self, steps: int) -> None:
        self.steps = steps
        self.left = steps

    def spend(self) -> None:
        """Take one step, or give up."""
        self.left -= 1
        if self.left < 0:
            raise OutOfStepsError


class OutOfStepsError(Exception):
    """The budget is spent; the answer is unknown."""


@dataclass(frozen=True, slots=True)
class Fault:
    """An error that ends the scheduler's attempt.

    `selector`: a selector fails on `device`. `class`: no such class. `incomplete`: All, and a pool
    is not whole (`pool`). `limit`: more than 32 devices (`count`). `constraint`: All, and a
    constraint excludes `device`. `gate`: the feature `gate` is off.
    """

    kind: str
    ref: RequestRef | None = None
    failure: Failure | None = None
    device: InventoryDevice | None = None
    pool: Pool | None = None
    constraint: Constraint | None = None
    claim: int = 0
    count: int = 0
    gate: str = ""


class FaultError(Exception):
    """Carries a fault out of the search."""

    def __init__(self, fault: Fault) -> None:
        super().__init__(fault.kind)
        self.fault = fault


@dataclass(frozen=True, slots=True)
class Found:
    """The end of a search: whether a solution was found, which, or the error that ended it."""

    fits: bool
    devices: tuple[tuple[RequestRef, InventoryDevice], ...] = ()
    fault: Fault | None = None


class _Signal(Enum):
    DONE = 1
    FAILED = 2
    EXCEEDED = 3
    """The claim would have more than 32 devices."""
    NEXT = 4
    """Try the next candidate of the uppermost frame."""


@dataclass(slots=True)
class _Frame:
    """A place in the search: a choice among alternatives (`sub` -1), or one device of a request."""

    claim: int
    slot: int
    sub: int
    index: int
    position: int
    is_choice: bool = False
    only_exceeded: bool = True
    picked: _Picked | None = None
    tried: set[object] = field(default_factory=set)


@dataclass(slots=True)
class _Picked:
    item: int
    wanted: Wanted
    counters: bool
    share: Mapping[str, Amount] | None
    marked: bool


class Search:
    """One search on one view. `run` gives the end; it may raise OutOfStepsError."""

    def __init__(self, view: View, job: Job, rules: Rules, budget: Budget) -> None:
        self._view = view
        self._job = job
        self._rules = rules
        self._features = rules.features
        self._budget = budget
        self._stack: list[_Frame] = []
        self._taken: dict[int, set[int]] = {}
        self._sharing: dict[int, list[Mapping[str, Amount]]] = {}
        self._used: dict[int, Counters] = {}
        self._left: dict[int, Counters] = {}
        self._results: list[list[tuple[RequestRef, InventoryDevice]]] = [[] for _ in job.claims]
        self._all: dict[int, list[int]] = {}
        self._same: dict[int, object] = {}
        self._trackers = [
            [
                Tracker(
                    constraint,
                    lists=self._features.list_attributes,
                    last_only=self._features.remembers_last_value,
                )
                for constraint in claim.constraints
            ]
            for claim in job.claims
        ]
        self._prunes = not any(_depends_on_order(claim, self._features) for claim in job.claims)

    def run(self) -> Found:
        """Search; gives the first solution in the scheduler's order, or why there is none."""
        try:
            self._validate()
            fits = self._search()
        except FaultError as error:
            return Found(fits=False, fault=error.fault)
        if not fits:
            return Found(fits=False)
        return Found(fits=True, devices=tuple(r for results in self._results for r in results))

    # Before the search: what the allocator checks of all requests.

    def _validate(self) -> None:
        for number, claim in enumerate(self._job.claims):
            least = 0
            for slot in claim.slots:
                if slot.is_list and not self._features.prioritized_list:
                    raise FaultError(Fault("gate", slot.choices[0].ref, gate="DRAPrioritizedList"))
                for choice in slot.choices:
                    self._check_gates(choice)
                least += min(self._count(choice, number) for choice in slot.choices)
            if least > MAX_DEVICES:
                raise FaultError(Fault("limit", claim=number, count=least))
            for constraint in claim.constraints:
                if not constraint.match_attribute and not self._features.consumable:
                    raise FaultError(
                        Fault("gate", constraint=constraint, gate="DRAConsumableCapacity")
                    )

    def _check_gates(self, choice: Wanted) -> None:
        if choice.request.capacity_requests and not self._features.consumable:
            raise FaultError(Fault("gate", choice.ref, gate="DRAConsumableCapacity"))
        if choice.request.admin_access and not self._features.admin_access:
            raise FaultError(Fault("gate", choice.ref, gate="DRAAdminAccess"))
        if choice.class_known is not True:
            raise FaultError(Fault("class", choice.ref))

    def _count(self, choice: Wanted, claim: int) -> int:
        """Say how many devices a choice needs; for All this finds them."""
        del claim
        if choice.request.mode != "All":
            return choice.request.count
        found: list[int] = []
        for pool in self._view.pools:
            if not pool.complete:
                raise FaultError(Fault("incomplete", choice.ref, pool=pool))
        for position, item in enumerate(self._view.items):
            self._budget.spend()
            if self._selectable(choice, item) and self._suits_all(choice, position):
                found.append(position)
        self._all[id(choice)] = found
        return len(found)

    def _suits_all(self, choice: Wanted, position: int) -> bool:
        if not self._features.consumable:
            return True
        device = self._view.items[position].device
        consumed = capacity.taken(device, choice.request.capacity_requests)
        if consumed is None:
            return False
        used = self._consumed(position) if self._features.all_drops_full else [NOTHING]
        return capacity.has_room(device, consumed, *used)

    # The search proper.

    def _search(self) -> bool:
        signal = self._enter(0, 0, -1, 0, 0)
        while signal is not _Signal.DONE:
            if not self._stack:
                if signal is _Signal.EXCEEDED:
                    raise FaultError(Fault("limit", claim=0, count=MAX_DEVICES + 1))
                return False
            frame = self._stack[-1]
            if signal is not _Signal.NEXT:
                signal = self._after_failure(frame, signal)
                continue
            signal = self._advance(frame)
        return True

    def _enter(self, claim: int, slot: int, sub: int, index: int, start: int) -> _Signal:
        """Go to the next place that needs a device, and lay a frame for it."""
        origin = claim
        while True:
            if claim >= len(self._job.claims):
                return _Signal.DONE
            slots = self._job.claims[claim].slots
            if slot >= len(slots):
                claim, slot, sub, index, start = claim + 1, 0, -1, 0, 0
                continue
            here = slots[slot]
            if here.is_list and sub < 0:
                self._stack.append(_Frame(claim, slot, -1, 0, 0, is_choice=True))
                return _Signal.NEXT
            choice = here.choices[max(sub, 0)]
            everything = choice.request.mode == "All"
            found = self._all.get(id(choice), [])
            if everything and not found:
                return _Signal.FAILED
            count = len(found) if everything else choice.request.count
            if index < count:
                break
            slot, sub, index, start = slot + 1, -1, 0, 0
        if len(self._results[claim]) + count - index > MAX_DEVICES:
            return _Signal.EXCEEDED if claim == origin else _Signal.FAILED
        position = index if everything else start
        self._stack.append(_Frame(claim, slot, max(sub, 0), index, position))
        return _Signal.NEXT

    def _pop(self, signal: _Signal) -> _Signal:
        """Leave a frame; that a claim is too large does not concern the claim before it."""
        frame = self._stack.pop()
        if signal is _Signal.EXCEEDED:
            if self._stack and self._stack[-1].claim < frame.claim:
                return _Signal.FAILED
            if not self._stack and frame.claim > 0:
                return _Signal.FAILED
        return signal

    def _after_failure(self, frame: _Frame, signal: _Signal) -> _Signal:
        """Take back what the frame had picked, and go on or give up."""
        if frame.is_choice:
            if signal is _Signal.FAILED:
                frame.only_exceeded = False
            return _Signal.NEXT
        if frame.picked is not None:
            self._give_back(frame)
        if signal is _Signal.EXCEEDED or self._choice(frame).request.mode == "All":
            return self._pop(signal)
        return _Signal.NEXT

    def _choice(self, frame: _Frame) -> Wanted:
        return self._job.claims[frame.claim].slots[frame.slot].choices[frame.sub]

    def _advance(self, frame: _Frame) -> _Signal:
        if frame.is_choice:
            frame.sub += 1
            if frame.sub >= len(self._job.claims[frame.claim].slots[frame.slot].choices):
                return self._pop(_Signal.EXCEEDED if frame.only_exceeded else _Signal.FAILED)
            return self._enter(frame.claim, frame.slot, frame.sub, 0, 0)
        choice = self._choice(frame)
        if choice.request.mode == "All":
            return self._advance_all(frame, choice)
        items = self._view.items
        while frame.position < len(items):
            position = frame.position
            frame.position += 1
            self._budget.spend()
            if not self._is_candidate(frame, choice, position):
                continue
            if self._take(frame, choice, position, must=False):
                return self._enter(
                    frame.claim, frame.slot, frame.sub, frame.index + 1, frame.position
                )
        if self._features.takes_of_incomplete:
            for pool in self._view.pools:
                if pool.invalid:
                    raise FaultError(Fault("incomplete", choice.ref, pool=pool))
        return self._pop(_Signal.FAILED)

    def _advance_all(self, frame: _Frame, choice: Wanted) -> _Signal:
        self._budget.spend()
        position = self._all[id(choice)][frame.index]
        if not self._take(frame, choice, position, must=True):
            return self._pop(_Signal.FAILED)
        return self._enter(frame.claim, frame.slot, frame.sub, frame.index + 1, 0)

    def _is_candidate(self, frame: _Frame, choice: Wanted, position: int) -> bool:
        item = self._view.items[position]
        if choice.request.admin_access:
            if frame.claim in self._taken.get(position, ()):
                return False
        elif self._in_use(position):
            return False
        if not self._selectable(choice, item):
            return False
        if self._features.consumable:
            consumed = capacity.taken(item.device, choice.request.capacity_requests)
            if consumed is None or not capacity.has_room(
                item.device, consumed, *self._consumed(position)
            ):
                return False
        if not self._prunes or choice.request.admin_access:
            return True
        same = self._sameness(position)
        if same in frame.tried:
            return False
        frame.tried.add(same)
        return True

    def _sameness(self, position: int) -> object:
        """Give what is equal for devices that can stand for each other in this job."""
        known = self._same.get(position)
        if known is None:
            known = self._same[position] = self._compare_by(position)
        return known

    def _compare_by(self, position: int) -> object:
        item = self._view.items[position]
        device = item.device
        shared = device.cel.allow_multiple_allocations and self._features.consumable
        if shared or (device.consumes and self._rules.keeps_refused_counters):
            # Its state changes while it is taken again and again.
            return position
        key = id(device)
        return (
            item.pool if device.consumes else -1,
            item.reachable,
            item.per_device,
            tuple(w.failing.get(key) or key in w.matching for w in self._job.wanted),
            tuple(
                _value(device, constraint)
                for claim in self._job.claims
                for constraint in claim.constraints
            ),
            device.taints,
            tuple(
                (use.counter_set, tuple(sorted(use.counters.items()))) for use in device.consumes
            ),
            bool(device.binding_conditions),
            device.key in self._rules.held.devices,
            self._capacities(device),
        )

    def _capacities(self, device: InventoryDevice) -> object:
        """Give the capacities where one is asked for, or where a policy may refuse the device."""
        asked = any(wanted.request.capacity_requests for wanted in self._job.wanted)
        if not self._features.consumable or not (asked or device.capacity_policies):
            return ()
        policies = tuple((name, repr(p)) for name, p in device.capacity_policies.items())
        return (tuple(sorted(device.cel.capacity.items())), policies)

    def _selectable(self, choice: Wanted, item: Item) -> bool:
        if item.device.binding_conditions and not self._features.binding:
            return False
        if item.per_device and not self._features.partitionable:
            return False
        if not choice.compiles:
            raise FaultError(Fault("selector", choice.ref, device=item.device))
        found = select(choice, item.device)
        if isinstance(found, Failure):
            if self._rules.errors:
                raise FaultError(Fault("selector", choice.ref, failure=found, device=item.device))
            return False
        return found and item.reachable

    def _in_use(self, position: int) -> bool:
        return bool(self._taken.get(position)) or self._key(position) in self._rules.held.devices

    def _key(self, position: int) -> DeviceKey:
        return self._view.items[position].device.key

    def _consumed(self, position: int) -> list[Mapping[str, Amount]]:
        before = self._rules.held.shares.get(self._key(position), NOTHING)
        return [before, *self._sharing.get(position, ())]

    def _take(self, frame: _Frame, choice: Wanted, position: int, *, must: bool) -> bool:
        """Take a device if nothing but its selectors has been looked at yet."""
        item = self._view.items[position]
        device, request = item.device, choice.request
        multiple = device.cel.allow_multiple_allocations and self._features.consumable
        if request.admin_access:
            if not multiple and frame.claim in self._taken.get(position, ()):
                return False
        elif self._in_use(position):
            return False
        if device.consumes and not self._features.partitionable:
            return False
        shared = multiple and (
            self._key(position) in self._rules.held.sharers or bool(self._sharing.get(position))
        )
        counted = bool(device.consumes) and not shared and self._rules.counters
        if counted and not self._reserve(item):
            return False
        if self._rules.taints and tainted(device, request.tolerations, self._features):
            self._refuse(item, counted=counted)
            return False
        trackers = self._trackers[frame.claim]
        for number, tracker in enumerate(trackers):
            if not tracker.add(choice.base, request.name, device):
                for earlier in reversed(trackers[:number]):
                    earlier.remove(choice.base, request.name)
                self._refuse(item, counted=counted)
                if must:
                    raise FaultError(
                        Fault(
                            "constraint",
                            choice.ref,
                            device=device,
                            constraint=tracker.constraint,
                        )
                    )
                return False
        share: Mapping[str, Amount] | None = None
        if self._features.consumable:
            consumed = capacity.taken(device, request.capacity_requests)
            if consumed is None or not capacity.has_room(
                device, consumed, *self._consumed(position)
            ):
                for tracker in reversed(trackers):
                    tracker.remove(choice.base, request.name)
                self._refuse(item, counted=counted)
                return False
            if multiple:
                share = consumed
                self._sharing.setdefault(position, []).append(consumed)
        if not multiple:
            self._taken.setdefault(position, set()).add(frame.claim)
        self._results[frame.claim].append((choice.ref, device))
        frame.picked = _Picked(position, choice, counted, share, not multiple)
        return True

    def _give_back(self, frame: _Frame) -> None:
        picked = frame.picked
        if picked is None:
            return
        frame.picked = None
        self._results[frame.claim].pop()
        for tracker in reversed(self._trackers[frame.claim]):
            tracker.remove(picked.wanted.base, picked.wanted.request.name)
        if picked.marked:
            self._taken[picked.item].discard(frame.claim)
        if picked.share is not None:
            self._sharing[picked.item].pop()
        if picked.counters and not (
            picked.share is not None and self._rules.keeps_refused_counters
        ):
            self._release(self._view.items[picked.item])

    # Shared counters.

    def _reserve(self, item: Item) -> bool:
        used = self._used.setdefault(item.pool, {})
        left = self._left.get(item.pool)
        if left is None:
            left = self._left[item.pool] = counters_left(
                self._view.pools[item.pool], self._rules.held
            )
        for key, needed in _needs(item.device):
            used[key] = used.get(key, 0) + needed
        if any(used.get(key, 0) > available for key, available in left.items()):
            self._release(item)
            return False
        return True

    def _refuse(self, item: Item, *, counted: bool) -> None:
        if counted and not self._rules.keeps_refused_counters:
            self._release(item)

    def _release(self, item: Item) -> None:
        used = self._used[item.pool]
        for key, needed in _needs(item.device):
            used[key] -= needed


def _depends_on_order(claim: ClaimJob, features: Features) -> bool:
    """Whether it matters which of several equal devices is taken.

    So it does where distinctAttribute forgets, and where All meets an error at the first free
    device that a constraint excludes, but merely fails at one in use.
    """
    if features.remembers_last_value and any(c.distinct_attribute for c in claim.constraints):
        return True
    return bool(claim.constraints) and any(
        choice.request.mode == "All" for slot in claim.slots for choice in slot.choices
    )


def _needs(device: InventoryDevice) -> list[tuple[tuple[str, str], Amount]]:
    return [
        ((use.counter_set, name), amount(text))
        for use in device.consumes
        for name, text in use.counters.items()
    ]


def counters_left(pool: Pool, held: Held) -> Counters:
    """Give what the counters of a pool have after what is allocated; it may be negative."""
    left: Counters = {
        (name, counter): amount(text)
        for name, counters in pool.shared_counters.items()
        for counter, text in counters.items()
    }
    if held.devices or held.sharers:
        for device in pool.devices:
            if device.consumes and held.has(device.key):
                for key, needed in _needs(device):
                    if key in left:
                        left[key] -= needed
    return left


def tainted(
    device: InventoryDevice, tolerations: tuple[Toleration, ...], features: Features
) -> DeviceTaint | None:
    """Give the first taint of a device that keeps a request off it.

    Effects other than NoSchedule and NoExecute prevent nothing; an empty key tolerates every key
    whatever the operator (kubernetes/dynamic-resource-allocation `ToleratesTaint`).
    """
    if not features.taints:
        return None
    for taint in device.taints:
        known = taint.effect in {"NoSchedule", "NoExecute"} or features.every_taint_counts
        if known and not any(_tolerates(toleration, taint) for toleration in tolerations):
            return taint
    return None


def _tolerates(toleration: Toleration, taint: DeviceTaint) -> bool:
    if toleration.effect and toleration.effect != taint.effect:
        return False
    if toleration.key and toleration.key != taint.key:
        return False
    if toleration.operator in {"", "Equal"}:
        return toleration.value == taint.value
    return toleration.operator == "Exists"


def _value(device: InventoryDevice, constraint: Constraint) -> object:
    name = constraint.match_attribute or constraint.distinct_attribute
    attribute = lookup(device, name)
    return None if attribute is None else (attribute.kind, repr(attribute.value))
