"""Nodes, and which of them a node selector selects.

Node selectors follow kubernetes/component-helpers 1.36 `nodeaffinity`: terms are ORed, the
requirements of a term are ANDed, an empty list of terms and an empty term select nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any

from webhook.kube.types import EMPTY, NodeRequirement, Taint
from webhook.world.raw import mapping, name_of, sequence, text, texts
from webhook.world.types import Node, NodeScope


def read_node(raw: Mapping[str, Any]) -> Node | None:
    """Project a Node to what rules read; None when it has no name."""
    name = name_of(raw)
    if not name:
        return None
    spec, status = mapping(raw.get("spec")), mapping(raw.get("status"))
    return Node(
        name=name,
        labels=MappingProxyType(texts(mapping(raw.get("metadata")).get("labels"))),
        taints=read_taints(spec.get("taints")),
        allocatable=MappingProxyType(texts(status.get("allocatable"))),
        unschedulable=spec.get("unschedulable") is True,
        kubelet_version=text(mapping(status.get("nodeInfo")).get("kubeletVersion")),
    )


def read_taints(raw: object) -> tuple[Taint, ...]:
    """Read a list of taints; entries without a key are skipped."""
    entries = (mapping(entry) for entry in sequence(raw))
    return tuple(
        Taint(text(entry.get("key")), text(entry.get("value")), text(entry.get("effect")))
        for entry in entries
        if text(entry.get("key"))
    )


def read_terms(raw: object) -> tuple[tuple[NodeRequirement, ...], ...]:
    """Read the `nodeSelectorTerms` of a node selector."""
    return tuple(
        tuple(
            NodeRequirement(
                key=text(entry.get("key")),
                operator=text(entry.get("operator")),
                values=tuple(text(value) for value in sequence(entry.get("values"))),
                on_field=on_field,
            )
            for part, on_field in (("matchExpressions", False), ("matchFields", True))
            for entry in map(mapping, sequence(term.get(part)))
        )
        for term in map(mapping, sequence(mapping(raw).get("nodeSelectorTerms")))
    )


def read_scope(raw: Mapping[str, Any]) -> NodeScope | None:
    """Read nodeName, allNodes or nodeSelector of a slice or a device; None when none is set."""
    if node := text(raw.get("nodeName")):
        return NodeScope(node=node)
    if raw.get("allNodes") is True:
        return NodeScope(all_nodes=True)
    if isinstance(raw.get("nodeSelector"), Mapping):
        return NodeScope(terms=read_terms(raw["nodeSelector"]))
    return None


def includes(scope: NodeScope, node: Node) -> bool:
    """Tell whether devices of this scope can be used on the node."""
    if scope.node:
        return scope.node == node.name
    if scope.all_nodes:
        return True
    return scope.terms is not None and matches_terms(scope.terms, node.name, node.labels)


def matches_terms(
    terms: Iterable[Iterable[NodeRequirement]],
    name: str,
    labels: Mapping[str, str] = EMPTY,
) -> bool:
    """Tell whether any term selects a node of this name and these labels."""
    for term in terms:
        requirements = tuple(term)
        if requirements and all(_holds(one, name, labels) for one in requirements):
            return True
    return False


def _holds(requirement: NodeRequirement, name: str, labels: Mapping[str, str]) -> bool:
    if requirement.on_field:
        value = name if requirement.key == "metadata.name" else None
    else:
        value = labels.get(requirement.key)
    match requirement.operator:
        case "In":
            return value is not None and value in requirement.values
        case "NotIn":
            return value is None or value not in requirement.values
        case "Exists":
            return value is not None
        case "DoesNotExist":
            return value is None
        case "Gt" | "Lt":
            return _compares(requirement, value)
        case _:
            return False


def _compares(requirement: NodeRequirement, value: str | None) -> bool:
    if value is None or len(requirement.values) != 1:
        return False
    seen, bound = _integer(value), _integer(requirement.values[0])
    if seen is None or bound is None:
        return False
    return seen > bound if requirement.operator == "Gt" else seen < bound


def _integer(value: str) -> int | None:
    """Read a decimal integer as Go's ParseInt does: ASCII digits, one sign, 64 bits."""
    digits = value[1:] if value[:1] in ("+", "-") else value
    if not digits.isascii() or not digits.isdigit() or len(digits) > 19:
        return None
    return int(value)
