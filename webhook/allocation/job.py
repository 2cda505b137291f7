"""What is to be allocated together: claims as slots of choices, with what each choice matches."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import cast

from webhook import cel
from webhook.allocation.matching import Failure, RequestMatch, request_match
from webhook.allocation.types import RequestRef
from webhook.kube.types import Claim, Constraint, DeviceRequest
from webhook.world.groups import identifiers
from webhook.world.types import InventoryDevice, World


@dataclass(frozen=True, slots=True, eq=False)
class Wanted:
    """One device request (or one alternative) and the devices that its selectors take.

    Devices are known by their `id()`: a view's devices are those of the world. `failing` are those
    on which a selector fails.
    """

    ref: RequestRef
    class_known: bool | None
    compiles: bool
    matching: frozenset[int]
    failing: Mapping[int, Failure]
    match: RequestMatch | None = None

    @property
    def request(self) -> DeviceRequest:
        """The request as written."""
        return self.ref.request

    @property
    def base(self) -> str:
        """The name of the entry in `devices.requests`."""
        return self.ref.request.name.partition("/")[0]


@dataclass(frozen=True, slots=True, eq=False)
class Slot:
    """One entry of `devices.requests`: one choice, or the alternatives of firstAvailable."""

    choices: tuple[Wanted, ...]
    is_list: bool


@dataclass(frozen=True, slots=True, eq=False)
class ClaimJob:
    """The slots and constraints of one claim."""

    claim: int
    slots: tuple[Slot, ...]
    constraints: tuple[Constraint, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Job:
    """Claims that are allocated together on one node.

    `refined`: a selector or constraint reads what tells equal devices apart, so that nodes of equal
    shape may differ for this job.
    """

    claims: tuple[ClaimJob, ...]
    refined: bool = False

    @property
    def wanted(self) -> tuple[Wanted, ...]:
        """Every choice, in order."""
        return tuple(w for claim in self.claims for slot in claim.slots for w in slot.choices)

    def only(self, slot: Slot, *, constraints: bool = False) -> Job:
        """Give the job of one slot alone."""
        return Job(
            tuple(
                replace(claim, slots=(slot,), constraints=claim.constraints if constraints else ())
                for claim in self.claims
                if slot in claim.slots
            ),
            self.refined,
        )

    def of_claim(self, index: int) -> Job:
        """Give the job of one claim alone."""
        return Job(tuple(c for c in self.claims if c.claim == index), self.refined)

    def without_constraints(self, keep: Constraint | None = None) -> Job:
        """Give the job with no constraint, or with one only."""
        return Job(
            tuple(
                replace(claim, constraints=tuple(c for c in claim.constraints if c is keep))
                for claim in self.claims
            ),
            self.refined,
        )


def make_job(world: World, claims: Sequence[tuple[int, Claim]]) -> Job:
    """Make the job of claims, each with its number."""
    made = tuple(
        ClaimJob(
            index,
            tuple(
                Slot(
                    tuple(wanted(world, RequestRef(index, choice)) for choice in request.choices),
                    bool(request.alternatives),
                )
                for request in claim.requests
                if request.choices
            ),
            claim.constraints,
        )
        for index, claim in claims
    )
    return Job(made, _is_refined(world, made))


def wanted(world: World, ref: RequestRef) -> Wanted:
    """Match one request against the devices of the world."""
    request = ref.request
    match = request_match(world, request)
    key = (
        "matching ids",
        request.device_class,
        tuple(source.expression for source in request.selectors),
    )
    kept = world.cache.get(key)
    if kept is None:
        kept = (
            frozenset(map(id, match.matching)),
            {id(device): failure for failure in match.failures for device in failure.devices},
        )
        world.cache[key] = kept
    matching, failing = cast("tuple[frozenset[int], dict[int, Failure]]", kept)
    return Wanted(ref, match.class_known, match.compiles, matching, failing, match)


def _is_refined(world: World, claims: Sequence[ClaimJob]) -> bool:
    telling = {
        (driver, name) if "/" not in name else cast("tuple[str, str]", tuple(name.split("/", 1)))
        for driver, name in identifiers(world)
    }
    if not telling and not any(_reads_everything(claim) for claim in claims):
        return False
    for claim in claims:
        if _reads_everything(claim):
            return True
        for constraint in claim.constraints:
            name = constraint.match_attribute or constraint.distinct_attribute
            domain, _, rest = name.partition("/")
            if (domain, rest) in telling:
                return True
        for slot in claim.slots:
            for choice in slot.choices:
                if any(selector.reads.attributes & telling for selector in _selectors(choice)):
                    return True
    return False


def _selectors(choice: Wanted) -> list[cel.Selector]:
    return [step.selector for step in choice.match.steps] if choice.match is not None else []


def _reads_everything(claim: ClaimJob) -> bool:
    return any(
        selector.reads.everything
        for slot in claim.slots
        for choice in slot.choices
        for selector in _selectors(choice)
    )


def select(choice: Wanted, device: InventoryDevice) -> bool | Failure:
    """Whether the selectors take the device, or how they fail on it."""
    key = id(device)
    return choice.failing.get(key) or key in choice.matching
