"""Pods, and everything that carries pod templates, as far as claims and scheduling go.

Carriers are found by shape, not by a list of kinds: an object at a key `template` (or one that ends
in `Template`) that holds `spec.containers` is a pod template, in a Deployment as in a JobSet,
LeaderWorkerSet, PyTorchJob, RayCluster or a kind not yet invented. Nothing here raises.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from webhook.kube.pod_specs import read_pod
from webhook.kube.reading import controller_kind
from webhook.kube.types import EMPTY, Path, PodCarrier, PodSpec

_MAX_DEPTH: Final = 14
"""A pod template inside an AppWrapper of a JobSet stands 10 deep."""
_MAX_TEMPLATES: Final = 64
_PASSED_OVER: Final = frozenset({"metadata", "status"})
_NO_CARRIERS: Final = frozenset({"AdmissionReview", "CustomResourceDefinition", "List"})
_UNCOUNTED: Final = frozenset({"DaemonSet"})
"""Kinds that run one pod on each node: how many is not in the object."""


def parse_carrier(obj: Mapping[str, Any]) -> PodCarrier | None:
    """Read a Pod or an object with pod templates; None when it holds neither."""
    kind, api_version = _text(obj, "kind"), _text(obj, "apiVersion")
    if kind in _NO_CARRIERS or kind.endswith("List"):
        return None
    metadata = _mapping(obj, "metadata")
    if kind == "Pod" and api_version == "v1":
        pods: list[PodSpec] = [read_pod(_mapping(obj, "spec"), ("spec",))]
        parallel: list[int | None] = [1]
    else:
        found = list(_templates(obj, kind))
        if not found:
            return None
        pods = [read_pod(spec, path) for spec, path, _ in found]
        parallel = [amount for _, _, amount in found]
    name, generated = _text(metadata, "name"), _text(metadata, "generateName")
    return PodCarrier(
        api_version=api_version,
        kind=kind,
        namespace=_text(metadata, "namespace"),
        name=name,
        display_name=name or (f"{generated}*" if generated else ""),
        pods=tuple(pods),
        parallel=tuple(parallel),
        owner_kind=controller_kind(metadata),
        deleting=metadata.get("deletionTimestamp") is not None,
    )


def _templates(
    obj: Mapping[str, Any], kind: str
) -> Iterator[tuple[Mapping[str, Any], Path, int | None]]:
    """Find pod templates below `obj`: specification, its path, how many run side by side.

    The walk is depth first in the order of the text, and bounded in depth and in what it finds.
    """
    number = 0
    stack: list[tuple[Any, Path, int | None]] = [(obj, (), None if kind in _UNCOUNTED else 1)]
    while stack:
        node, path, amount = stack.pop()
        inner: list[tuple[Any, Path, int | None]] = []
        if isinstance(node, Mapping):
            spec = _pod_spec(node, path)
            if spec is not None:
                number += 1
                yield spec, (*path, "spec"), amount
                if number >= _MAX_TEMPLATES:
                    return
                continue
            amount = _times(amount, node)
            inner = [
                (child, (*path, key), _of_group(amount, node, key))
                for key, child in node.items()
                if (path or key not in _PASSED_OVER) and isinstance(child, Mapping | list)
            ]
        elif isinstance(node, list):
            inner = [
                (child, (*path, index), amount)
                for index, child in enumerate(node)
                if isinstance(child, Mapping | list)
            ]
        if len(path) < _MAX_DEPTH:
            stack += reversed(inner)


def _pod_spec(node: Mapping[str, Any], path: Path) -> Mapping[str, Any] | None:
    """Give the pod specification of a template; None when `node` is none."""
    key = path[-1] if path else ""
    if not isinstance(key, str) or not (key == "template" or key.endswith("Template")):
        return None
    spec = node.get("spec")
    if not isinstance(spec, Mapping):
        return None
    holds = isinstance(spec.get("containers"), list) or isinstance(spec.get("resourceClaims"), list)
    return spec if holds else None


def _times(amount: int | None, node: Mapping[str, Any]) -> int | None:
    """Multiply by what an object on the way says of number: replicas, parallelism, count."""
    for key in ("replicas", "parallelism", "count", "numOfHosts"):
        value = node.get(key)
        if value is None:
            continue
        if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < 1 << 31:
            return None
        if key == "parallelism":
            completions = node.get("completions")
            if isinstance(completions, int) and not isinstance(completions, bool):
                value = min(value, max(completions, 0))
        amount = None if amount is None else amount * value
    return amount


def _of_group(amount: int | None, node: Mapping[str, Any], key: str) -> int | None:
    """Multiply a LeaderWorkerSet's workers: a group is one leader and `size - 1` workers."""
    if key != "workerTemplate" or "size" not in node:
        return amount
    size = node["size"]
    if isinstance(size, bool) or not isinstance(size, int) or not 1 <= size < 1 << 31:
        return None
    # Without a template of its own the leader is made from the workers' (LeaderWorkerSet v1).
    workers = size - 1 if isinstance(node.get("leaderTemplate"), Mapping) else size
    return None if amount is None else amount * workers


def _text(holder: Mapping[str, Any], key: str) -> str:
    value = holder.get(key)
    return value if isinstance(value, str) else ""


def _mapping(holder: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    value = holder.get(key)
    return value if isinstance(value, Mapping) else EMPTY
