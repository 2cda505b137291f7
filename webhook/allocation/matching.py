"""Which devices a request matches: selectors of the class, then its own, as the scheduler does.

Selectors are tried in order and stop at the first false; a run-time error ends the attempt
(kubernetes/dynamic-resource-allocation 1.36 `structured` allocators). Devices are grouped by what
the selectors read, and each group is evaluated once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias, cast

from webhook import cel
from webhook.cel.dialect import NEWEST_MINOR, OLDEST_MINOR
from webhook.kube.types import DeviceRequest, SelectorSource
from webhook.world.groups import Group, groups, pool_of
from webhook.world.types import CataloguePool, InventoryDevice, World

Origin: TypeAlias = Literal["class", "request"]


@dataclass(frozen=True, slots=True)
class Failure:
    """A run-time error: which selector, its text, and the devices that raise it."""

    origin: Origin
    index: int
    source: SelectorSource
    text: str
    devices: tuple[InventoryDevice, ...]


@dataclass(frozen=True, slots=True)
class Step:
    """One selector of the chain: how many devices reached it, and how many it let through."""

    origin: Origin
    index: int
    source: SelectorSource
    selector: cel.Selector
    seen: tuple[tuple[cel.Device, int], ...]
    passed: int
    excluded: int
    failed: int


@dataclass(frozen=True, slots=True)
class RequestMatch:
    """What one request matches in a world.

    `class_known`: None when classes are unknown, False when there is no such class. `candidates`
    are the devices of the class, `matching` those that the request's selectors leave. `compiles` is
    False when a selector does not compile in the scheduler's dialect; nothing is evaluated then.
    """

    request: DeviceRequest
    class_known: bool | None
    compiles: bool = True
    candidates: tuple[InventoryDevice, ...] = ()
    matching: tuple[InventoryDevice, ...] = ()
    steps: tuple[Step, ...] = ()
    failures: tuple[Failure, ...] = ()
    candidate_kinds: tuple[tuple[cel.Device, int], ...] = ()

    @property
    def request_failures(self) -> tuple[Failure, ...]:
        """The errors that the request's own selectors raise."""
        return tuple(failure for failure in self.failures if failure.origin == "request")


@dataclass(frozen=True, slots=True)
class CatalogueMatch:
    """What a declared pool at zero would do for a request.

    `undecided` names what decides and cannot be known before a node is up. `count` is how many
    devices of one node match.
    """

    pool: CataloguePool
    outcome: Literal["fits", "no", "undecided"]
    undecided: str = ""
    count: int = 0
    error: str = ""


def scheduler_dialect(world: World) -> cel.Dialect:
    """Give the dialect in which the scheduler of this world understands stored expressions."""
    minor = NEWEST_MINOR if world.kubernetes is None else world.kubernetes[1]
    minor = min(max(minor, OLDEST_MINOR), NEWEST_MINOR)
    gates = world.kubernetes_gates
    return cel.Dialect(
        minor=minor,
        stored=True,
        consumable_capacity=gates.get("DRAConsumableCapacity", minor >= 36),
        list_type_attributes=gates.get("DRAListTypeAttributes", False),
    )


@dataclass(slots=True)
class _Chain:
    """The compiled selectors of a class and a request, in the scheduler's order."""

    items: list[tuple[Origin, int, SelectorSource, cel.Selector]] = field(default_factory=list)

    def add(self, origin: Origin, sources: Sequence[SelectorSource], dialect: cel.Dialect) -> None:
        for index, source in enumerate(sources):
            self.items.append((origin, index, source, cel.compile(source.expression, dialect)))

    @property
    def compiles(self) -> bool:
        return all(item[3].verdict in {"ok", "too_complex"} for item in self.items)

    def reads(self) -> cel.Reads:
        every = [selector.reads for *_, selector in self.items]
        return cel.Reads(
            driver=True,
            attributes=frozenset().union(*(reads.attributes for reads in every)),
            capacity=frozenset().union(*(reads.capacity for reads in every)),
            allow_multiple=any(reads.allow_multiple for reads in every),
            everything=any(reads.everything for reads in every),
        )


def request_match(world: World, request: DeviceRequest) -> RequestMatch:
    """Match one request against the world's devices; kept with the world.

    Devices of pools that the scheduler holds invalid are left out, those of incomplete pools are
    in: `is_complete` tells whether absence can be trusted.
    """
    key = (
        "match",
        request.device_class,
        tuple(source.expression for source in request.selectors),
    )
    kept = world.cache.get(key)
    if kept is None:
        kept = _match(world, request)
        world.cache[key] = kept
    found = cast("RequestMatch", kept)
    if found.request is request:
        return found
    return RequestMatch(
        request,
        found.class_known,
        found.compiles,
        found.candidates,
        found.matching,
        _at(found.steps, request),
        tuple(
            Failure(
                f.origin, f.index, _source(f.origin, f.index, f.source, request), f.text, f.devices
            )
            for f in found.failures
        ),
        found.candidate_kinds,
    )


def _source(
    origin: Origin, index: int, source: SelectorSource, request: DeviceRequest
) -> SelectorSource:
    return request.selectors[index] if origin == "request" else source


def _at(steps: tuple[Step, ...], request: DeviceRequest) -> tuple[Step, ...]:
    """Give the steps with the paths of another request of equal selectors."""
    return tuple(
        Step(
            step.origin,
            step.index,
            _source(step.origin, step.index, step.source, request),
            step.selector,
            step.seen,
            step.passed,
            step.excluded,
            step.failed,
        )
        for step in steps
    )


def _match(world: World, request: DeviceRequest) -> RequestMatch:
    if world.classes is None:
        return RequestMatch(request, None)
    device_class = world.classes.get(request.device_class)
    if device_class is None:
        return RequestMatch(request, False if world.absence_known else None)
    dialect = scheduler_dialect(world)
    chain = _Chain()
    chain.add("class", device_class.selectors, dialect)
    chain.add("request", request.selectors, dialect)
    if not chain.compiles:
        return RequestMatch(request, True, compiles=False)
    alive = [
        Group(group.key, group.representative, devices)
        for group in groups(world, chain.reads())
        if (devices := tuple(d for d in group.devices if not _invalid(world, d)))
    ]
    candidates: list[Group] = alive
    steps: list[Step] = []
    failures: dict[tuple[Origin, int, str], list[InventoryDevice]] = {}
    sources: dict[tuple[Origin, int], SelectorSource] = {}
    for position, (origin, index, source, selector) in enumerate(chain.items):
        sources[origin, index] = source
        passed: list[Group] = []
        failed = 0
        for group in alive:
            outcome = selector.evaluate(group.representative)
            if outcome.match:
                passed.append(group)
            elif outcome.error is not None:
                failures.setdefault((origin, index, outcome.error), []).extend(group.devices)
                failed += group.count
        seen = sum(group.count for group in alive)
        through = sum(group.count for group in passed)
        steps.append(
            Step(
                origin,
                index,
                source,
                selector,
                tuple((group.representative, group.count) for group in alive),
                through,
                seen - through - failed,
                failed,
            )
        )
        alive = passed
        last_of_class = position + 1 == len(chain.items) or chain.items[position + 1][0] != origin
        if origin == "class" and last_of_class:
            candidates = alive
    return RequestMatch(
        request,
        True,
        True,
        _devices(candidates),
        _devices(alive),
        tuple(steps),
        tuple(
            Failure(origin, index, sources[origin, index], text, tuple(devices))
            for (origin, index, text), devices in failures.items()
        ),
        tuple((group.representative, group.count) for group in candidates),
    )


def _devices(found: list[Group]) -> tuple[InventoryDevice, ...]:
    return tuple(device for group in found for device in group.devices)


def _invalid(world: World, device: InventoryDevice) -> bool:
    pool = pool_of(world, device)
    return pool is not None and bool(pool.invalid)


def is_complete(world: World, drivers: Sequence[str]) -> bool:
    """Whether every pool of the drivers was seen whole and the world is fresh.

    With no driver named, all pools count.
    """
    if world.pools is None or world.freshness == "stale" or not world.absence_known:
        return False
    return all(pool.complete for pool in world.pools if not drivers or pool.driver in drivers)


def catalogue_match(world: World, request: DeviceRequest) -> tuple[CatalogueMatch, ...]:
    """Ask each declared pool at zero whether its nodes would publish a matching device."""
    return tuple(_catalogue_match(world, request, pool) for pool in world.catalogue_pools)


def _catalogue_match(world: World, request: DeviceRequest, pool: CataloguePool) -> CatalogueMatch:
    if not pool.known:
        return CatalogueMatch(pool, "undecided", "the hardware of the pool")
    count, undecided, error = device_outcomes(world, request, pool.devices, pool.unknown_attributes)
    if count:
        return CatalogueMatch(pool, "fits", count=count)
    if undecided:
        return CatalogueMatch(pool, "undecided", undecided)
    return CatalogueMatch(pool, "no", error=error)


def device_outcomes(
    world: World,
    request: DeviceRequest,
    devices: Sequence[cel.Device],
    unknown: frozenset[str],
) -> tuple[int, str, str]:
    """Run the selectors over devices of the catalogue.

    Gives how many match, which unknown attribute leaves it open (empty: none), and the first error.
    """
    device_class = (world.classes or {}).get(request.device_class)
    dialect = scheduler_dialect(world)
    chain = _Chain()
    chain.add("class", device_class.selectors if device_class is not None else (), dialect)
    chain.add("request", request.selectors, dialect)
    if not chain.compiles:
        return 0, "", "does not compile"
    count, undecided, error = 0, "", ""
    for device in devices:
        matches = True
        for *_, selector in chain.items:
            open_read = next(
                (name for _, name in sorted(selector.reads.attributes) if name in unknown), ""
            )
            outcome = selector.evaluate(device)
            if outcome.match is False and not open_read:
                matches = False
                break
            if outcome.match is not True:
                matches = False
                if open_read:
                    undecided = open_read
                else:
                    error = error or (outcome.error or "")
                break
        count += matches
    return count, undecided, error
