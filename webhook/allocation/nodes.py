"""Which nodes a pod may go to: node selector, required affinity, taints.

Follows kubernetes/component-helpers 1.36 `nodeaffinity` and the scheduler's NodeAffinity,
TaintToleration and NodeUnschedulable plugins. Resources of nodes other than devices are not looked
at.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from webhook.kube.types import NodeRequirement, PodSpec, Taint, Toleration
from webhook.world.nodes import matches_terms
from webhook.world.types import Node

UNSCHEDULABLE = Taint("node.kubernetes.io/unschedulable", "", "NoSchedule")
_PASSING_DOMAINS = ("node.kubernetes.io/", "node.cloudprovider.kubernetes.io/")
_EFFECTS = frozenset({"NoSchedule", "NoExecute"})


def tolerates(toleration: Toleration, taint: Taint) -> bool:
    """Whether a toleration of a pod covers a taint of a node.

    An empty effect covers every effect; an empty key needs the operator Exists and covers every
    key; Equal is the default operator.
    """
    if toleration.effect and toleration.effect != taint.effect:
        return False
    if toleration.operator == "Exists":
        return not toleration.key or toleration.key == taint.key
    if toleration.operator not in {"", "Equal"}:
        return False
    return bool(toleration.key) and toleration.key == taint.key and toleration.value == taint.value


def passes_by_itself(taint: Taint) -> bool:
    """Whether a taint is a state of the node (not ready, cordoned, pressure) and may go away."""
    return taint.key.startswith(_PASSING_DOMAINS)


def untolerated(pod: PodSpec, node: Node) -> Taint | None:
    """Give the first taint that keeps the pod off the node; states that pass come last."""
    taints = [taint for taint in node.taints if taint.effect in _EFFECTS]
    if node.unschedulable and UNSCHEDULABLE not in taints:
        taints.append(UNSCHEDULABLE)
    left = [t for t in taints if not any(tolerates(known, t) for known in pod.tolerations)]
    left.sort(key=passes_by_itself)
    return left[0] if left else None


@dataclass(frozen=True, slots=True)
class Selection:
    """Node selector and required affinity of a pod."""

    labels: Mapping[str, str]
    terms: tuple[tuple[NodeRequirement, ...], ...] | None

    def selects(self, node: Node) -> bool:
        """Whether the node is one of the pod's."""
        if any(node.labels.get(key) != value for key, value in self.labels.items()):
            return False
        return self.terms is None or matches_terms(self.terms, node.name, node.labels)

    def excludes(self, nodes: Iterable[Node]) -> tuple[str, ...]:
        """Name what excludes all of `nodes`: labels of the selector, or keys of the affinity."""
        nodes = list(nodes)
        wrong = [
            f"{key}={value}"
            for key, value in self.labels.items()
            if any(node.labels.get(key) != value for node in nodes)
        ]
        if not wrong and self.terms is not None:
            keys = dict.fromkeys(r.key for term in self.terms for r in term)
            return tuple(keys)
        return tuple(wrong)
