"""The next world from the last one and some objects: the one place where a world comes about.

Objects are projected at once to what rules read; a later object replaces an earlier one of its key.
Derived parts (pools, node counts, catalogue pools) are rebuilt only where their sources changed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any, Final

from webhook.kube.claims import parse_claim
from webhook.kube.classes import parse_class
from webhook.kube.types import Claim, DeviceClass
from webhook.world.facts import (
    autoscaling,
    driver_facts,
    is_facts,
    parse_version,
    served_versions,
)
from webhook.world.inventory import assemble_pools, read_taint_rule
from webhook.world.nodes import read_node
from webhook.world.pools import (
    at_zero,
    declare,
    pools_of_config_map,
    pools_of_facts,
    pools_of_karpenter,
)
from webhook.world.raw import excerpt, group_of, mapping, name_of, namespace_of, text, texts
from webhook.world.records import ObjectId, PoolSource, Records, SliceRecord, TaintRule
from webhook.world.slices import Shared, read_slice
from webhook.world.types import DriverFacts, DriverWorkload, Node, ObjectKey, World
from webhook.world.workloads import read_workload

DEFAULT_NAMESPACE: Final = "default"
_RESOURCE: Final = "resource.k8s.io"
_KEPT_KINDS: Final = frozenset(
    {"App", "HelmRelease", "ClusterPolicy", "Application", "ComputeDomain"}
)


@dataclass(slots=True)
class _Draft:
    """The parts of the next world while objects are added; never leaves this module."""

    classes: dict[str, DeviceClass]
    slices: dict[str, SliceRecord]
    taint_rules: dict[str, TaintRule]
    nodes: dict[str, Node]
    namespaces: dict[str, Mapping[str, str]]
    templates: dict[ObjectKey, Claim]
    claims: dict[ObjectKey, Claim]
    workloads: dict[ObjectId, DriverWorkload]
    node_pools: dict[ObjectId, tuple[PoolSource, ...]]
    objects: dict[ObjectId, Mapping[str, Any]]
    coming: dict[ObjectKey, str]
    notes: list[str]
    shared: Shared = field(default_factory=dict)
    facts: Mapping[str, Any] | None = None


def extend(
    world: World, objects: Iterable[Mapping[str, Any]], namespace: str = DEFAULT_NAMESPACE
) -> World:
    """Give the world with `objects` added; `world` itself stays as it is.

    Objects without a namespace are in `namespace`. Kinds of which the world knew nothing stay
    unknown unless an object of the kind is added. Never raises: what cannot be read is skipped and
    noted in `World.notes`.
    """
    records = world.records or Records()
    draft = _Draft(
        classes=dict(world.classes or {}),
        slices=dict(records.slices),
        taint_rules=dict(records.taint_rules),
        nodes=dict(world.nodes or {}),
        namespaces=dict(world.namespaces or {}),
        templates=dict(world.templates or {}),
        claims=dict(world.claims or {}),
        workloads=dict(records.workloads),
        node_pools=dict(records.node_pools),
        objects=dict(records.objects),
        coming=dict(world.coming_templates),
        notes=list(world.notes),
    )
    added: set[str] = set()
    for raw in objects:
        if isinstance(raw, Mapping):
            kind = _add(draft, raw, namespace)
            if kind:
                added.add(kind)
    return _finish(world, draft, added) if added else world


def _key(raw: Mapping[str, Any], namespace: str = "") -> ObjectId:
    return (group_of(raw), text(raw.get("kind")), namespace_of(raw, namespace), name_of(raw))


def _add(draft: _Draft, raw: Mapping[str, Any], namespace: str) -> str:
    """Project one object into the draft; gives the kind that was added, empty for none."""
    kind, group = text(raw.get("kind")), group_of(raw)
    if is_facts(raw):
        draft.facts = raw
        return kind
    adders: dict[tuple[str, str], Callable[[_Draft, Mapping[str, Any], str], bool]] = {
        (_RESOURCE, "ResourceSlice"): _add_slice,
        (_RESOURCE, "DeviceTaintRule"): _add_taint_rule,
        (_RESOURCE, "DeviceClass"): _add_class,
        (_RESOURCE, "ResourceClaim"): _add_claim,
        (_RESOURCE, "ResourceClaimTemplate"): _add_claim,
        ("", "Node"): _add_node,
        ("", "Namespace"): _add_namespace,
        ("", "ConfigMap"): _add_config_map,
        ("apps", "DaemonSet"): _add_workload,
        ("apps", "Deployment"): _add_workload,
        ("karpenter.sh", "NodePool"): _add_karpenter,
        ("resource.nvidia.com", "ComputeDomain"): _add_compute_domain,
    }
    adder = adders.get((group, kind))
    if adder is None:
        if kind in _KEPT_KINDS:
            draft.objects[_key(raw, namespace)] = raw
            return kind
        return ""
    if not adder(draft, raw, namespace):
        draft.notes.append(f"a {kind} could not be read: {excerpt(name_of(raw) or raw)}")
    return kind


def _add_slice(draft: _Draft, raw: Mapping[str, Any], _: str) -> bool:
    record = read_slice(raw, draft.shared)
    if record is None:
        return False
    draft.slices[record.name or f"#{len(draft.slices)}"] = record
    return True


def _add_taint_rule(draft: _Draft, raw: Mapping[str, Any], _: str) -> bool:
    rule = read_taint_rule(raw)
    if rule is None:
        return False
    draft.taint_rules[rule.name] = rule
    return True


def _add_class(draft: _Draft, raw: Mapping[str, Any], _: str) -> bool:
    device_class = parse_class(raw)
    if device_class is None:
        return False
    draft.classes[device_class.name] = device_class
    return True


def _add_claim(draft: _Draft, raw: Mapping[str, Any], namespace: str) -> bool:
    claim = parse_claim(raw)
    if claim is None or not claim.name:
        return False
    key = (claim.namespace or namespace, claim.name)
    store = draft.claims if claim.kind == "ResourceClaim" else draft.templates
    store[key] = replace(claim, namespace=key[0])
    return True


def _add_node(draft: _Draft, raw: Mapping[str, Any], _: str) -> bool:
    node = read_node(raw)
    if node is None:
        return False
    draft.nodes[node.name] = node
    return True


def _add_namespace(draft: _Draft, raw: Mapping[str, Any], _: str) -> bool:
    name = name_of(raw)
    labels = texts(mapping(raw.get("metadata")).get("labels"))
    draft.namespaces[name] = MappingProxyType(labels)
    return bool(name)


def _add_config_map(draft: _Draft, raw: Mapping[str, Any], namespace: str) -> bool:
    pools = pools_of_config_map(raw)
    key = _key(raw, namespace)
    if pools:
        draft.node_pools[key] = pools
    else:
        draft.node_pools.pop(key, None)
    return True


def _add_karpenter(draft: _Draft, raw: Mapping[str, Any], _: str) -> bool:
    draft.node_pools[_key(raw)] = pools_of_karpenter(raw)
    return True


def _add_workload(draft: _Draft, raw: Mapping[str, Any], namespace: str) -> bool:
    workload = read_workload(raw)
    if workload is not None:
        draft.workloads[_key(raw, namespace)] = workload
    return True


def _add_compute_domain(draft: _Draft, raw: Mapping[str, Any], namespace: str) -> bool:
    channel = mapping(mapping(raw.get("spec")).get("channel"))
    template = text(mapping(channel.get("resourceClaimTemplate")).get("name"))
    key = _key(raw, namespace)
    draft.objects[key] = raw
    if template:
        draft.coming[key[2], template] = f"ComputeDomain {name_of(raw)}"
    return True


def _finish(world: World, draft: _Draft, added: set[str]) -> World:
    """Freeze the draft; unknown kinds stay unknown unless one of them was added."""
    facts = draft.facts
    nodes = MappingProxyType(draft.nodes) if world.nodes is not None or "Node" in added else None
    records = Records(
        MappingProxyType(draft.slices),
        MappingProxyType(draft.taint_rules),
        MappingProxyType(draft.node_pools),
        MappingProxyType(draft.workloads),
        MappingProxyType(draft.objects),
    )
    pools = world.pools
    if added & {"ResourceSlice", "DeviceTaintRule"} and (draft.slices or world.pools is not None):
        pools = tuple(assemble_pools(draft.slices.values(), draft.taint_rules.values()).values())
    if facts is not None:
        from_facts = pools_of_facts(facts.get("nodePools"))
        if from_facts is not None:
            draft.node_pools[("drawbridge", "ClusterFacts", "", "")] = from_facts
            records = replace(records, node_pools=MappingProxyType(draft.node_pools))
    sources = tuple(source for found in draft.node_pools.values() for source in found)
    declared = declare(sources, nodes) if draft.node_pools else world.node_pools
    stated = world.driver_facts if facts is None else driver_facts(facts)
    return replace(
        world,
        generation=world.generation + 1,
        kubernetes=_kubernetes(world, facts, nodes),
        served_resource_versions=(
            served_versions(facts) if facts is not None else world.served_resource_versions
        ),
        kubernetes_gates=(
            _bools(facts.get("kubernetesFeatureGates"))
            if facts is not None
            else world.kubernetes_gates
        ),
        classes=_known(draft.classes, world.classes, "DeviceClass" in added),
        pools=pools,
        nodes=nodes,
        namespaces=_known(draft.namespaces, world.namespaces, "Namespace" in added),
        templates=_known(draft.templates, world.templates, "ResourceClaimTemplate" in added),
        claims=_known(draft.claims, world.claims, "ResourceClaim" in added),
        workloads=tuple(draft.workloads.values()),
        driver_facts=stated,
        node_autoscaling=autoscaling(facts) if facts is not None else world.node_autoscaling,
        node_pools=declared,
        catalogue_pools=at_zero(sources, declared or (), _dynamic_mig(stated)),
        coming_templates=MappingProxyType(draft.coming),
        objects=tuple(draft.objects.values()),
        notes=tuple(draft.notes),
        records=records,
        cache={},
    )


def _known(now: dict[Any, Any], before: Mapping[Any, Any] | None, added: bool) -> Any:
    return MappingProxyType(now) if before is not None or added else None


def _bools(raw: object) -> Mapping[str, bool]:
    return {str(name): value for name, value in mapping(raw).items() if isinstance(value, bool)}


def _dynamic_mig(facts: DriverFacts) -> bool | None:
    return None if facts.feature_gates is None else facts.feature_gates.get("DynamicMIG", False)


def _kubernetes(
    world: World, facts: Mapping[str, Any] | None, nodes: Mapping[str, Node] | None
) -> tuple[int, int] | None:
    """Give the version stated, else the one that all kubelets agree on."""
    if facts is not None and facts.get("kubernetesVersion") is not None:
        return parse_version(str(facts["kubernetesVersion"]))
    if world.kubernetes is not None:
        return world.kubernetes
    versions = {parse_version(node.kubelet_version) for node in (nodes or {}).values()}
    return versions.pop() if len(versions) == 1 else None
