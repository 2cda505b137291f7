"""The world: everything known about a cluster, as one immutable value.

None, or an absent fact, means *unknown* and never *no*. Sources (files, catalogue, watches) build
the next world and swap the reference; rules only read it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

from webhook.cel.device import Device as CelDevice
from webhook.kube.types import EMPTY, Claim, DeviceClass, NodeRequirement, Taint

if TYPE_CHECKING:
    from webhook.world.records import Records

ObjectKey: TypeAlias = "tuple[str, str]"
"""(namespace, name)."""


@dataclass(frozen=True, slots=True)
class DeviceTaint:
    """A taint of a device: effects NoSchedule, NoExecute, None."""

    key: str
    value: str
    effect: str


@dataclass(frozen=True, slots=True)
class CounterUse:
    """What a device consumes of one counter set of its pool: counter name → quantity text."""

    counter_set: str
    counters: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class NodeScope:
    """On which nodes a device can be used.

    Exactly one of: `node` (one name), `all_nodes`, `terms` (node selector, an OR of ANDs); the
    slice's own scope, or the device's where the slice says perDeviceNodeSelection.
    """

    node: str = ""
    all_nodes: bool = False
    terms: tuple[tuple[NodeRequirement, ...], ...] | None = None


@dataclass(frozen=True, slots=True, eq=False)
class InventoryDevice:
    """One device of a slice of the newest generation of its pool.

    `cel` is what selectors see; devices that agree in everything a selector could read except
    values unique to each (uuid, bus ids) still have their own `cel`.
    """

    name: str
    driver: str
    pool: str
    scope: NodeScope
    cel: CelDevice
    taints: tuple[DeviceTaint, ...] = ()
    consumes: tuple[CounterUse, ...] = ()
    capacity_policies: Mapping[str, Any] = EMPTY
    """capacity name → the raw `requestPolicy` object, where there is one."""
    slice_name: str = ""
    binds_to_node: bool = False
    binding_conditions: tuple[str, ...] = ()
    per_device: bool = False
    """Whether the slice says perDeviceNodeSelection: the scope is the device's own."""

    @property
    def key(self) -> tuple[str, str, str]:
        """(driver, pool, device): what an allocation result names."""
        return (self.driver, self.pool, self.name)


@dataclass(frozen=True, slots=True)
class Pool:
    """A pool of one driver: complete when as many slices of the newest generation as announced.

    `invalid` says why the pool is contradictory (scheduler refuses it), empty when it is sound.
    """

    driver: str
    name: str
    generation: int
    slices_seen: int
    slices_announced: int
    devices: tuple[InventoryDevice, ...] = ()
    shared_counters: Mapping[str, Mapping[str, str]] = EMPTY
    """counter set → counter → quantity text."""
    invalid: str = ""
    nodes: tuple[str, ...] = ()
    """Names of nodes that the pool's slices name, devices or not."""

    @property
    def complete(self) -> bool:
        """Whether all announced slices of the newest generation were seen and agree."""
        return not self.invalid and self.slices_seen == self.slices_announced


@dataclass(frozen=True, slots=True)
class Node:
    """A node as far as scheduling with devices goes."""

    name: str
    labels: Mapping[str, str] = EMPTY
    taints: tuple[Taint, ...] = ()
    allocatable: Mapping[str, str] = EMPTY
    unschedulable: bool = False
    kubelet_version: str = ""


@dataclass(frozen=True, slots=True)
class NodePool:
    """A declared node pool (ClusterFacts, cluster values); it may have no node yet.

    `instance_types`: the ones it may create; `node_count` is how many known nodes belong to it,
    None when nodes are unknown. `max_size` None when not declared.
    """

    name: str
    instance_types: tuple[str, ...]
    min_size: int | None = None
    max_size: int | None = None
    taints: tuple[Taint, ...] = ()
    labels: Mapping[str, str] = EMPTY
    node_count: int | None = None


@dataclass(frozen=True, slots=True)
class CataloguePool:
    """A declared pool of which no node is there, with the devices its nodes would publish."""

    pool: NodePool
    instance_type: str
    devices: tuple[CelDevice, ...]
    product: str
    unknown_attributes: frozenset[str]
    """Attributes that the catalogue cannot know (driverVersion, uuid …): unqualified names."""
    known: bool = True
    """False when it is not known what hardware the pool brings (a type that the catalogue lacks,
    requirements that name none): it might serve anything, so nothing is denied because of it."""


@dataclass(frozen=True, slots=True)
class DriverWorkload:
    """A DaemonSet or Deployment, projected to what tells a driver's version and gates."""

    kind: Literal["DaemonSet", "Deployment"]
    namespace: str
    name: str
    labels: Mapping[str, str] = EMPTY
    containers: tuple[WorkloadContainer, ...] = ()
    desired: int | None = None
    ready: int | None = None


@dataclass(frozen=True, slots=True)
class WorkloadContainer:
    """Name, image, arguments and literal environment of one container; later names win."""

    name: str
    image: str = ""
    args: tuple[str, ...] = ()
    env: tuple[tuple[str, str], ...] = ()
    env_elsewhere: tuple[str, ...] = ()
    """Names of variables whose value stands in another object (`valueFrom`); `*` for `envFrom`."""


@dataclass(frozen=True, slots=True)
class DriverFacts:
    """What a ClusterFacts document, policy or flags say of the NVIDIA DRA driver."""

    chart_version: str = ""
    upstream_version: str = ""
    gpus_enabled: bool | None = None
    compute_domains_enabled: bool | None = None
    feature_gates: Mapping[str, bool] | None = None
    """None: not said. Empty: said to be at the version's defaults."""


Freshness: TypeAlias = Literal["files", "live", "stale"]

UNKNOWN_SLICES: Final = "no ResourceSlice was given"


@dataclass(frozen=True, slots=True)
class World:
    """One snapshot of a cluster.

    `classes`, `pools`, `nodes`, `namespaces`, `templates`, `claims` are None when nothing at all is
    known of that kind (not listed, not given); an empty mapping when it is known that there is
    none. For worlds from files a kind is known when a cluster source was given at all, see
    `webhook.world.files`.
    """

    generation: int = 0
    freshness: Freshness = "files"
    kubernetes: tuple[int, int] | None = None
    served_resource_versions: frozenset[str] | None = None
    kubernetes_gates: Mapping[str, bool] = EMPTY
    classes: Mapping[str, DeviceClass] | None = None
    pools: tuple[Pool, ...] | None = None
    nodes: Mapping[str, Node] | None = None
    namespaces: Mapping[str, Mapping[str, str]] | None = None
    """namespace → labels."""
    templates: Mapping[ObjectKey, Claim] | None = None
    claims: Mapping[ObjectKey, Claim] | None = None
    workloads: tuple[DriverWorkload, ...] | None = None
    driver_facts: DriverFacts = field(default_factory=DriverFacts)
    node_autoscaling: str | None = None
    """`none` when it is said that nodes are not autoscaled; other text: they are; None: unknown."""
    node_pools: tuple[NodePool, ...] | None = None
    catalogue_pools: tuple[CataloguePool, ...] = ()
    coming_templates: Mapping[ObjectKey, str] = EMPTY
    """Templates that a controller will create, with who asks for it (`ComputeDomain ring`)."""
    objects: tuple[Mapping[str, Any], ...] = ()
    """Other objects (Apps, ConfigMaps, ClusterPolicies …), raw, for the rules that read them."""
    absence_known: bool = True
    """Whether "not in the world" means "not there". False when objects are known only from a
    bundle that was laid over an unknown cluster: what is found is real, what is not found may
    well exist in the cluster."""
    notes: tuple[str, ...] = ()
    """What could not be read, and was skipped or is unknown therefore; one sentence each."""
    facts_from: str = ""
    """Where the ClusterFacts document stands (`file:line`), empty when there is none."""
    records: Records | None = field(default=None, repr=False, compare=False)
    """The projected source objects that the next world is built from; not for rules."""
    cache: dict[object, object] = field(default_factory=dict, repr=False, compare=False)
    """Values derived from this world (device groups, driver state), by their own key; never part
    of its meaning. Dropped with the world."""
