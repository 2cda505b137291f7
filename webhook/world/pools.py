"""Declared node pools: from ClusterFacts, cluster values, Karpenter; and which of them are at zero.

A pool is at zero when no known node belongs to it, for whatever reason. What its nodes would
publish comes from the hardware catalogue.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fnmatch import fnmatchcase
from typing import Any, Final

import yaml

from webhook.world.catalogue import devices_of, has_no_gpu, row_of, rows, unknown_of
from webhook.world.nodes import read_taints
from webhook.world.raw import integer, mapping, name_of, sequence, text, texts
from webhook.world.records import PoolSource
from webhook.world.types import CataloguePool, Node, NodePool

TYPE_LABEL: Final = "node.kubernetes.io/instance-type"
POOL_LABEL: Final = "giantswarm.io/machine-pool"
KARPENTER_LABEL: Final = "karpenter.sh/nodepool"
MAX_VALUES_BYTES: Final = 1024 * 1024


def pools_of_config_map(raw: Mapping[str, Any]) -> tuple[PoolSource, ...]:
    """Read `global.nodePools` of cluster values in `data.values`; empty when there are none."""
    values = mapping(raw.get("data")).get("values")
    if not isinstance(values, str) or "nodePools" not in values or len(values) > MAX_VALUES_BYTES:
        return ()
    try:
        document = yaml.load(values, Loader=yaml.CSafeLoader)
    except (yaml.YAMLError, RecursionError, ValueError):
        return ()
    settings = mapping(mapping(document).get("global"))
    cluster = text(mapping(settings.get("metadata")).get("name"))
    return tuple(
        _cluster_pool(str(name), mapping(pool), cluster)
        for name, pool in mapping(settings.get("nodePools")).items()
    )


def _cluster_pool(name: str, pool: Mapping[str, Any], cluster: str) -> PoolSource:
    types, open_ended = _types_of(pool)
    full = f"{cluster}-{name}" if cluster else ""
    return PoolSource(
        name=name,
        instance_types=types,
        open_ended=open_ended,
        min_size=integer(pool.get("minSize")),
        max_size=integer(pool.get("maxSize")),
        taints=read_taints(pool.get("customNodeTaints")),
        labels_of_nodes=(
            ((POOL_LABEL, full), (KARPENTER_LABEL, full), (KARPENTER_LABEL, name)) if full else ()
        ),
        suffix="" if full else name,
    )


def pools_of_facts(raw: object) -> tuple[PoolSource, ...] | None:
    """Read `nodePools` of a ClusterFacts document; None when the key is absent."""
    if raw is None:
        return None
    found: list[PoolSource] = []
    for entry in sequence(raw):
        pool = mapping(entry)
        types, open_ended = _types_of(pool)
        labels = texts(pool.get("labels"))
        name = text(pool.get("name"))
        found.append(
            PoolSource(
                name=name,
                instance_types=types,
                open_ended=open_ended,
                min_size=integer(pool.get("minSize")),
                max_size=integer(pool.get("maxSize")),
                taints=read_taints(pool.get("taints")),
                labels=labels,
                labels_of_nodes=tuple(labels.items()),
                suffix=name,
                by_type=True,
            )
        )
    return tuple(found)


def pools_of_karpenter(raw: Mapping[str, Any]) -> tuple[PoolSource, ...]:
    """Read a NodePool of karpenter.sh."""
    spec = mapping(mapping(mapping(raw.get("spec")).get("template")).get("spec"))
    types, open_ended = _types_of(spec)
    name = name_of(raw)
    return (
        PoolSource(
            name=name,
            instance_types=types,
            open_ended=open_ended,
            taints=read_taints(spec.get("taints")),
            labels_of_nodes=((KARPENTER_LABEL, name),),
        ),
    )


def _types_of(pool: Mapping[str, Any]) -> tuple[tuple[str, ...], bool]:
    """Give the instance types of a pool, and whether others may come."""
    single = text(pool.get("instanceType"))
    several = [text(item) for item in sequence(pool.get("instanceTypes"))]
    override = [
        text(mapping(item).get("instanceType"))
        for item in sequence(pool.get("instanceTypeOverrides"))
    ]
    named = [name for name in (single, *several, *override) if name]
    if named:
        return tuple(dict.fromkeys(named)), False
    requirements = [mapping(item) for item in sequence(pool.get("requirements"))]
    if not requirements:
        return (), True
    return _types_of_requirements(requirements)


def _types_of_requirements(
    requirements: list[Mapping[str, Any]],
) -> tuple[tuple[str, ...], bool]:
    """Give the catalogue's types that Karpenter requirements allow."""
    for requirement in requirements:
        if requirement.get("key") == TYPE_LABEL and requirement.get("operator") == "In":
            return tuple(text(value) for value in sequence(requirement.get("values"))), False
    candidates = list(rows())
    narrowed = False
    for requirement in requirements:
        key = text(requirement.get("key")).rpartition("/")[2]
        values = [text(value) for value in sequence(requirement.get("values"))]
        operator = requirement.get("operator")
        if operator not in {"In", "NotIn"}:
            continue
        tests = {
            "instance-family": lambda name, wanted: name.partition(".")[0] in wanted,
            "instance-gpu-name": lambda name, wanted: any(
                word.lower() in row_product(name).lower() for word in wanted
            ),
            "instance-category": lambda name, wanted: name[:1] in wanted,
            "instance-size": lambda name, wanted: name.partition(".")[2] in wanted,
        }
        test = tests.get(key)
        if test is None:
            continue
        narrowed = True
        candidates = [name for name in candidates if test(name, values) is (operator == "In")]
    return (tuple(candidates), False) if narrowed else ((), True)


def row_product(instance_type: str) -> str:
    """Give the product of a catalogue type, empty when there is none."""
    row = row_of(instance_type)
    return row.product_name if row is not None else ""


def declare(
    sources: Iterable[PoolSource], nodes: Mapping[str, Node] | None
) -> tuple[NodePool, ...]:
    """Turn sources into declared pools, with the number of known nodes of each."""
    return tuple(
        NodePool(
            name=source.name,
            instance_types=source.instance_types,
            min_size=source.min_size,
            max_size=source.max_size,
            taints=source.taints,
            labels=source.labels,
            node_count=None if nodes is None else _count(source, nodes),
        )
        for source in sources
    )


def _count(source: PoolSource, nodes: Mapping[str, Node]) -> int:
    labelled = sum(1 for node in nodes.values() if _belongs(source, node))
    if labelled or not source.by_type:
        return labelled
    return sum(
        1
        for node in nodes.values()
        if POOL_LABEL not in node.labels
        and KARPENTER_LABEL not in node.labels
        and any(
            fnmatchcase(node.labels.get(TYPE_LABEL, ""), name) for name in source.instance_types
        )
    )


def _belongs(source: PoolSource, node: Node) -> bool:
    if any(node.labels.get(key) == value for key, value in source.labels_of_nodes):
        return True
    label = node.labels.get(POOL_LABEL, "")
    return bool(source.suffix) and (label == source.suffix or label.endswith(f"-{source.suffix}"))


def at_zero(
    sources: Iterable[PoolSource], pools: Iterable[NodePool], dynamic_mig: bool | None
) -> tuple[CataloguePool, ...]:
    """Give, for each pool without a node, what a node of each of its types would publish."""
    found: list[CataloguePool] = []
    for source, pool in zip(sources, pools, strict=True):
        if pool.node_count or pool.max_size == 0:
            continue
        if source.open_ended or not source.instance_types:
            found.append(CataloguePool(pool, "", (), "", frozenset(), known=False))
        for name in source.instance_types:
            devices = devices_of(name, dynamic_mig)
            if devices is None:
                if not has_no_gpu(name):
                    found.append(CataloguePool(pool, name, (), "", frozenset(), known=False))
                continue
            found.append(
                CataloguePool(pool, name, devices, row_product(name), unknown_of(name, dynamic_mig))
            )
    return tuple(found)
