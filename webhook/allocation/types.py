"""Answers of the allocation floor: verdicts, and reasons as values.

No text for people is made here; `rules` words what these values say.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from webhook.kube.types import Constraint, DeviceRequest, Taint
from webhook.world.types import CataloguePool, DeviceTaint, InventoryDevice

Verdict: TypeAlias = Literal["fits", "not-now", "never", "unknown", "error"]
"""`error`: the scheduler's attempt ends in an error whatever other nodes offer."""

MAX_DEVICES = 32
"""Devices in one claim (resource/v1 AllocationResultsMaxSize)."""


@dataclass(frozen=True, slots=True)
class RequestRef:
    """One device request of one of the claims that are placed together."""

    claim: int
    request: DeviceRequest


@dataclass(frozen=True, slots=True)
class NoClass:
    """There is no such DeviceClass."""

    where: RequestRef


@dataclass(frozen=True, slots=True)
class NoDevices:
    """No device that any node can reach matches the class and the selectors."""

    where: RequestRef
    of_class: int
    """How many devices the class has."""


@dataclass(frozen=True, slots=True)
class CountTooHigh:
    """One request wants more matching devices than any one node has.

    `node` is a node with the most, `kind` the product there (empty when devices name none),
    `nodes` how many nodes have as many.
    """

    where: RequestRef
    wanted: int
    most: int
    node: str
    kind: str
    nodes: int


@dataclass(frozen=True, slots=True)
class TogetherTooMany:
    """Requests that draw on the same devices want more of them together than any node has."""

    where: tuple[RequestRef, ...]
    wanted: int
    most: int
    node: str


@dataclass(frozen=True, slots=True)
class OverLimit:
    """More than 32 devices in one claim; `node` names where allocationMode All has so many."""

    claim: int
    wanted: int
    node: str = ""


@dataclass(frozen=True, slots=True)
class NoCommonNode:
    """Each part fits some nodes, and no node all of them.

    `parts` are requests (of one claim) or whole claims (`request` None), with the nodes that each
    fits.
    """

    parts: tuple[NodesOfPart, ...]


@dataclass(frozen=True, slots=True)
class NodesOfPart:
    """A request, or a claim, with the nodes that it fits alone."""

    claim: int
    request: DeviceRequest | None
    nodes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ConstraintUnsatisfiable:
    """A constraint that no node can satisfy.

    `missing` are the requests whose devices lack the attribute on all nodes. Otherwise `best` is
    how many of the `wanted` devices can be had under it, `value` the attribute's value there (for
    matchAttribute), `node` the place.
    """

    claim: int
    constraint: Constraint
    wanted: int
    best: int
    value: str
    node: str
    missing: tuple[DeviceRequest, ...] = ()


@dataclass(frozen=True, slots=True)
class CountersExhausted:
    """Devices exist one by one; shared counters cannot serve them together.

    `left` is what the counter set has in all; `wanted` devices, of which `best` can be had.
    """

    where: tuple[RequestRef, ...]
    counter_set: str
    counter: str
    left: str
    needed: str
    wanted: int
    best: int
    node: str


@dataclass(frozen=True, slots=True)
class CapacityTooHigh:
    """No device has the capacity that a request asks for (consumable capacity)."""

    where: RequestRef
    capacity: str
    wanted: str
    most: str


@dataclass(frozen=True, slots=True)
class Tainted:
    """Only devices with a taint that the request does not tolerate would do."""

    where: tuple[RequestRef, ...]
    taint: DeviceTaint
    devices: int
    nodes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class NodeTaint:
    """Only nodes with a taint that the pod does not tolerate would do."""

    taint: Taint
    nodes: tuple[str, ...]
    passing: bool = False
    """Whether the taint is a state of the node that passes (not ready, cordoned, pressure)."""


@dataclass(frozen=True, slots=True)
class NodeSelection:
    """Only nodes that the pod's node selector or required affinity excludes would do."""

    nodes: tuple[str, ...]
    labels: tuple[str, ...]
    """`key=value` of the node selector that excludes them, or the keys of the affinity."""


@dataclass(frozen=True, slots=True)
class Busy:
    """It would fit if devices were free that other claims hold.

    `holders` are (namespace, name) of the claims.
    """

    devices: int
    holders: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Pinned:
    """A claim of the pod is allocated already, on nodes where the rest does not fit."""

    claim: int
    nodes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class AlternativeFails:
    """One alternative of a firstAvailable, and why it cannot be served."""

    request: DeviceRequest
    reason: Reason


@dataclass(frozen=True, slots=True)
class AlternativesFail:
    """No alternative of a firstAvailable can be served."""

    claim: int
    name: str
    alternatives: tuple[AlternativeFails, ...]


@dataclass(frozen=True, slots=True)
class PoolAtZero:
    """A declared node pool without nodes would serve, or may (`undecided`: what is not known)."""

    pool: CataloguePool
    undecided: str = ""


@dataclass(frozen=True, slots=True)
class Incomplete:
    """A pool of devices is not seen whole, or contradicts itself."""

    driver: str
    pool: str
    why: str


@dataclass(frozen=True, slots=True)
class CelError:
    """A selector fails on a device that the scheduler asks it about, which ends the attempt.

    `origin` is `class` or `request`, `index` the selector's; `node` is where it happens.
    """

    where: RequestRef
    origin: Literal["class", "request"]
    index: int
    expression: str
    text: str
    device: InventoryDevice
    node: str


@dataclass(frozen=True, slots=True)
class AllConstrained:
    """allocationMode All, and a device that the claim's constraint excludes: an error (1.34 on)."""

    where: RequestRef
    constraint: Constraint
    device: InventoryDevice
    node: str


@dataclass(frozen=True, slots=True)
class Unsupported:
    """A feature whose gate is off in the scheduler."""

    where: RequestRef | None
    gate: str


@dataclass(frozen=True, slots=True)
class Budget:
    """The search was given up after so many steps."""

    steps: int


@dataclass(frozen=True, slots=True)
class NothingKnown:
    """Classes, slices or nodes are not known."""

    what: Literal["classes", "slices", "nodes"]


Reason: TypeAlias = (
    NoClass
    | NoDevices
    | CountTooHigh
    | TogetherTooMany
    | OverLimit
    | NoCommonNode
    | ConstraintUnsatisfiable
    | CountersExhausted
    | CapacityTooHigh
    | Tainted
    | NodeTaint
    | NodeSelection
    | Busy
    | Pinned
    | AlternativesFail
    | PoolAtZero
    | Incomplete
    | CelError
    | AllConstrained
    | Unsupported
    | Budget
    | NothingKnown
)


@dataclass(frozen=True, slots=True)
class Placement:
    """Whether claims can be placed, where, or why not.

    `nodes` are those that fit now (or, with `not-now`, would fit). `certain`: the devices that
    matter were seen whole and fresh, and no undeclared hardware can come; only then is `never` a
    ground to refuse. `reasons` are ordered, the smallest true one first.
    """

    verdict: Verdict
    nodes: tuple[str, ...] = ()
    reasons: tuple[Reason, ...] = ()
    certain: bool = False
