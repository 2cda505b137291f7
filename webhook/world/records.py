"""Source objects after projection: what worlds are built from, and rebuilt from.

Rules read the world; only this floor reads records. They are kept because a later object replaces
an earlier one of the same key, and because pools, node counts and catalogue pools are derived from
several objects at once.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from webhook.kube.types import EMPTY, Taint
from webhook.world.types import DeviceTaint, InventoryDevice, NodeScope

ObjectId: TypeAlias = "tuple[str, str, str, str]"
"""(API group, kind, namespace, name)."""


@dataclass(frozen=True, slots=True, eq=False)
class SliceRecord:
    """One ResourceSlice, whatever its version.

    `scope` is that of the slice; with perDeviceNodeSelection it is empty and each device has its
    own. `fault` says what in it could not be read; the pool of a faulty slice is unknown.
    """

    name: str
    driver: str
    pool: str
    generation: int
    announced: int
    scope: NodeScope
    per_device: bool = False
    devices: tuple[InventoryDevice, ...] = ()
    counters: tuple[tuple[str, Mapping[str, str]], ...] = ()
    fault: str = ""


@dataclass(frozen=True, slots=True)
class TaintRule:
    """A DeviceTaintRule: the taint it adds to the devices that every given part selects.

    `judged` is False when the rule selects by CEL or by class (resource.k8s.io v1alpha3 before
    Kubernetes 1.35), which is not evaluated here.
    """

    name: str
    taint: DeviceTaint
    driver: str = ""
    pool: str = ""
    device: str = ""
    selects: bool = True
    judged: bool = True


@dataclass(frozen=True, slots=True)
class PoolSource:
    """One declared node pool as its document has it.

    `labels_of_nodes`: label keys and values, each of which alone marks a node as one of the pool's.
    `suffix`: nodes whose `giantswarm.io/machine-pool` label is this, or ends in a dash and this,
    are the pool's; used where the cluster's name is not known. `by_type` lets nodes count by
    instance type where none carries a pool label.
    `open_ended`: instance types cannot be told from the document (or not all of them).
    """

    name: str
    instance_types: tuple[str, ...]
    open_ended: bool = False
    min_size: int | None = None
    max_size: int | None = None
    taints: tuple[Taint, ...] = ()
    labels: Mapping[str, str] = EMPTY
    labels_of_nodes: tuple[tuple[str, str], ...] = ()
    suffix: str = ""
    by_type: bool = False


@dataclass(frozen=True, slots=True)
class Records:
    """Everything a world was built from, by key; replaced as a whole, never changed."""

    slices: Mapping[str, SliceRecord] = EMPTY
    taint_rules: Mapping[str, TaintRule] = EMPTY
    node_pools: Mapping[ObjectId, tuple[PoolSource, ...]] = EMPTY
    workloads: Mapping[ObjectId, Any] = EMPTY
    objects: Mapping[ObjectId, Mapping[str, Any]] = field(default_factory=dict)
