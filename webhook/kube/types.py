"""API objects in one normal form: what rules read, whatever version the user wrote.

Paths are those of the object as the user wrote it (flat requests stay flat), so that a finding can
be put where it belongs. Parsers never raise: what does not fit the schema becomes a `SchemaFault`
and the value its default.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal, TypeAlias

Path: TypeAlias = "tuple[str | int, ...]"
JsonObject: TypeAlias = "Mapping[str, Any]"


class _Empty(Mapping[Any, Any]):
    """The empty mapping; hashable, since a dataclass takes no other default (CPython 3.11)."""

    __slots__ = ()

    def __getitem__(self, key: object) -> Any:
        raise KeyError(key)

    def __iter__(self) -> Iterator[Any]:
        return iter(())

    def __len__(self) -> int:
        return 0

    def __hash__(self) -> int:
        return 0

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Mapping) and not other

    def __repr__(self) -> str:
        return "{}"


EMPTY: Final[Mapping[Any, Any]] = _Empty()


@dataclass(frozen=True, slots=True)
class SchemaFault:
    """Something the API server would refuse: `path` is the place, `kind` the sort of fault.

    `what` states the fault, `seen` what was given, `fix` what to write; each is one clause without
    a full stop, ready to be joined as `WHAT; SEEN: …; FIX: …`.
    """

    path: Path
    kind: Literal["unknown-field", "required", "wrong-type", "invalid", "forbidden", "too-many"]
    what: str
    seen: str
    fix: str


@dataclass(frozen=True, slots=True)
class Duplicate:
    """A key that stands twice in one object of the text; `values` in order, the last one counts."""

    path: Path
    values: tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Toleration:
    """A toleration of a pod, or of a device request; missing text fields are empty."""

    key: str = ""
    operator: str = ""
    value: str = ""
    effect: str = ""


@dataclass(frozen=True, slots=True)
class Taint:
    """A taint of a node or of a device."""

    key: str
    value: str = ""
    effect: str = ""


@dataclass(frozen=True, slots=True)
class SelectorSource:
    """One CEL selector: `path` ends in `cel.expression`."""

    path: Path
    expression: str


@dataclass(frozen=True, slots=True)
class DeviceRequest:
    """What one request, or one alternative of a request, asks for.

    `name` is `gpu`, or `gpu/small` for an alternative. `path` is the object that holds
    `deviceClassName`: `requests[0].exactly` in v1, `requests[0]` in a flat one,
    `requests[0].firstAvailable[1]` for an alternative.
    """

    name: str
    path: Path
    device_class: str
    selectors: tuple[SelectorSource, ...] = ()
    mode: Literal["ExactCount", "All"] = "ExactCount"
    count: int = 1
    admin_access: bool = False
    tolerations: tuple[Toleration, ...] = ()
    capacity_requests: Mapping[str, str] = EMPTY


@dataclass(frozen=True, slots=True)
class Request:
    """One entry of `devices.requests`: exactly one device request, or a list of alternatives."""

    name: str
    path: Path
    exactly: DeviceRequest | None = None
    alternatives: tuple[DeviceRequest, ...] = ()

    @property
    def choices(self) -> tuple[DeviceRequest, ...]:
        """All device requests of this entry, in order of preference."""
        return (self.exactly,) if self.exactly is not None else self.alternatives


@dataclass(frozen=True, slots=True)
class Constraint:
    """One entry of `devices.constraints`; no requests means all of the claim."""

    path: Path
    requests: tuple[str, ...] = ()
    match_attribute: str = ""
    distinct_attribute: str = ""


@dataclass(frozen=True, slots=True)
class OpaqueConfig:
    """Driver parameters of a claim (`devices.config[]`) or of a device class (`spec.config[]`).

    `path` is the entry, `path + ("opaque", "parameters")` the parameters. `parameters` is the raw
    JSON value (any type; None when absent, see `has_parameters`).
    """

    path: Path
    driver: str
    parameters: Any
    requests: tuple[str, ...] = ()
    has_parameters: bool = True


@dataclass(frozen=True, slots=True)
class AllocatedDevice:
    """One result of an allocation."""

    request: str
    driver: str
    pool: str
    device: str
    admin_access: bool = False
    share_id: str = ""
    consumed_capacity: Mapping[str, str] = EMPTY


@dataclass(frozen=True, slots=True)
class Claim:
    """A ResourceClaim or ResourceClaimTemplate.

    `spec_path` is `("spec",)` for a claim, `("spec", "spec")` for a template. `allocation` is None
    while nothing is allocated; `allocation_nodes` names the node of an allocation that is pinned to
    one (from its nodeSelector), empty when unknown or any.
    """

    api_version: str
    kind: Literal["ResourceClaim", "ResourceClaimTemplate"]
    namespace: str
    name: str
    spec_path: Path
    requests: tuple[Request, ...] = ()
    constraints: tuple[Constraint, ...] = ()
    configs: tuple[OpaqueConfig, ...] = ()
    faults: tuple[SchemaFault, ...] = ()
    annotations: Mapping[str, str] = EMPTY
    owner_kind: str = ""
    allocation: tuple[AllocatedDevice, ...] | None = None
    allocation_nodes: tuple[str, ...] = ()
    reserved_for: tuple[str, ...] = ()
    """Names of the pods (or other consumers) that the claim is reserved for."""
    deleting: bool = False

    @property
    def version(self) -> str:
        """The version part of `api_version`, e.g. `v1beta1`."""
        return self.api_version.rpartition("/")[2]

    @property
    def device_requests(self) -> tuple[DeviceRequest, ...]:
        """Every device request, alternatives included."""
        return tuple(choice for request in self.requests for choice in request.choices)


@dataclass(frozen=True, slots=True)
class PodClaim:
    """One entry of a pod's `spec.resourceClaims`."""

    path: Path
    name: str
    claim_name: str = ""
    template_name: str = ""


@dataclass(frozen=True, slots=True)
class ContainerClaim:
    """One entry of a container's `resources.claims`."""

    path: Path
    name: str
    request: str = ""


@dataclass(frozen=True, slots=True)
class Container:
    """A container as far as claims go; `role` is the list it stands in."""

    path: Path
    name: str
    role: Literal["containers", "initContainers", "ephemeralContainers"]
    claims: tuple[ContainerClaim, ...] = ()
    limits: Mapping[str, str] = EMPTY
    requests: Mapping[str, str] = EMPTY


@dataclass(frozen=True, slots=True)
class NodeRequirement:
    """One match expression of a node selector term; `on_field` for matchFields."""

    key: str
    operator: str
    values: tuple[str, ...] = ()
    on_field: bool = False


@dataclass(frozen=True, slots=True)
class PodSpec:
    """A pod's specification, of a Pod or inside a workload's pod template.

    `path` leads to it in the object: `("spec",)` or `("spec", "template", "spec")`.
    `affinity_terms`: the required node affinity, an OR of ANDs; None when there is none.
    `tolerations_present` tells an absent (or null) list from an empty one.
    """

    path: Path
    claims: tuple[PodClaim, ...] = ()
    containers: tuple[Container, ...] = ()
    tolerations: tuple[Toleration, ...] = ()
    tolerations_present: bool = False
    node_selector: Mapping[str, str] = EMPTY
    affinity_terms: tuple[tuple[NodeRequirement, ...], ...] | None = None
    node_name: str = ""
    scheduling_gates: tuple[str, ...] = ()
    faults: tuple[SchemaFault, ...] = ()


@dataclass(frozen=True, slots=True)
class PodCarrier:
    """An object that is a pod or carries pod templates (Deployment, Job, RayCluster, …).

    `display_name` is the name, or `generateName` with a star.
    `parallel` holds, for each of `pods`, how many run side by side; None when unknown.
    """

    api_version: str
    kind: str
    namespace: str
    name: str
    display_name: str
    pods: tuple[PodSpec, ...]
    parallel: tuple[int | None, ...] = ()
    owner_kind: str = ""
    deleting: bool = False

    @property
    def is_pod(self) -> bool:
        """Whether the object is itself a Pod."""
        return self.kind == "Pod" and self.api_version == "v1"


@dataclass(frozen=True, slots=True)
class DeviceClass:
    """A DeviceClass: selectors that run before a request's own, and configuration for all."""

    name: str
    selectors: tuple[SelectorSource, ...] = ()
    configs: tuple[OpaqueConfig, ...] = ()
    extended_resource_name: str = ""
    generated_extended_resource: str = field(default="")
    """`deviceclass.resource.kubernetes.io/<name>`, which every class has where the gate is on."""


@dataclass(frozen=True, slots=True)
class Document:
    """One object as it stood in a file or in a request.

    `positions` maps paths to (line, column), both from 1, of the value (for mappings: of the key
    that holds it). `text_starts` maps the path of a literal block scalar, or of a plain or quoted
    scalar on one line, to (line, column, indent): where its own text begins and how many columns
    each further line is indented, so that a place inside an expression can be shown in the file.
    """

    value: Mapping[str, Any]
    file: str = ""
    line: int = 0
    positions: Mapping[Path, tuple[int, int]] = EMPTY
    text_starts: Mapping[Path, tuple[int, int, int]] = EMPTY
    duplicates: tuple[Duplicate, ...] = ()

    def position(self, path: Path) -> tuple[int, int] | None:
        """Give line and column of `path`, or of its nearest ancestor; None without positions."""
        for end in range(len(path), -1, -1):
            found = self.positions.get(path[:end])
            if found is not None:
                return found
        return None


def path_text(path: Path) -> str:
    """Write a path as the API server does: `spec.devices.requests[0].exactly`."""
    parts: list[str] = []
    for step in path:
        if isinstance(step, int):
            parts.append(f"[{step}]")
        elif step and all(c.isalnum() or c in "-_" for c in step):
            parts.append(f".{step}" if parts else step)
        else:
            parts.append(f"[{step}]")
    return "".join(parts)
