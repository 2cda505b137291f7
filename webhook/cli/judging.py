"""Judging the objects of files: each with the world that it will meet.

By default the bundle is one: every object meets all others, in whatever order they stand. In order,
as `kubectl apply` sends them, an object meets only the earlier ones.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final

from webhook.engine import PASS, AdmissionRequest, Decision, admit, is_compute_domain
from webhook.kube.claims import parse_claim
from webhook.kube.pods import parse_carrier
from webhook.kube.types import EMPTY, Document, Path
from webhook.kube.yaml import Below
from webhook.nvidia.driver import driver_state
from webhook.policy import Policy
from webhook.report import Judged, NotChecked, Report
from webhook.world import World, extend

_LOG: Final = logging.getLogger(__name__)
_CLUSTER_SCOPED: Final = frozenset(
    {
        "ClusterFacts",
        "ClusterPolicy",
        "ClusterRole",
        "ClusterRoleBinding",
        "CustomResourceDefinition",
        "DeviceClass",
        "DeviceTaintRule",
        "MutatingWebhookConfiguration",
        "Namespace",
        "Node",
        "NodePool",
        "PersistentVolume",
        "PriorityClass",
        "ResourceSlice",
        "RuntimeClass",
        "StorageClass",
        "ValidatingAdmissionPolicy",
        "ValidatingWebhookConfiguration",
    }
)
_REVIEW: Final[Path] = ("request", "object")


def judge_files(
    documents: Sequence[Document],
    base: World,
    policy: Policy,
    *,
    namespace: str = "default",
    in_order: bool = False,
    state: Callable[[World], World] = lambda world: world,
) -> Report:
    """Judge documents over the cluster `base`; `state` lays the facts stated outright over a world.

    Objects without a namespace are in `namespace`. AdmissionReviews are judged as their request,
    and are no part of the bundle.
    """
    stored = [document.value for document in documents if not is_review(document.value)]
    world = state(base if in_order else extend(base, stored, namespace))
    waiting: list[Mapping[str, Any]] = []
    judged: list[Judged] = []
    unjudged: dict[str, int] = {}
    for document in documents:
        decides = is_review(document.value) or _is_judged(document.value)
        if decides and waiting:
            world = state(extend(world, waiting, namespace))
            waiting = []
        request = _request(document, namespace, bundle=not in_order)
        decision = _admit(request, world, policy) if decides else PASS
        judged.append(_judged(request, decision))
        if not decides:
            kind = str(document.value.get("kind"))
            unjudged[kind] = unjudged.get(kind, 0) + 1
        if in_order and not is_review(document.value):
            waiting.append(document.value)
    if waiting:
        world = state(extend(world, waiting, namespace))
    some = any(_is_judged(d.value) or is_review(d.value) for d in documents)
    return Report(
        tuple(judged),
        (
            *_failures(judged),
            *(
                NotChecked(f"{number} {kind}", "has no claims, pods or pod templates to judge")
                for kind, number in unjudged.items()
            ),
            *(unknown_facts(world) if some else ()),
            *(NotChecked("a cluster object", note) for note in world.notes),
        ),
    )


def is_review(value: Mapping[str, Any]) -> bool:
    """Whether a document is an AdmissionReview."""
    group = str(value.get("apiVersion", "")).partition("/")[0]
    return value.get("kind") == "AdmissionReview" and group == "admission.k8s.io"


def _is_judged(value: Mapping[str, Any]) -> bool:
    return (
        value.get("kind") == "DeviceClass"
        or is_compute_domain(value)
        or parse_claim(value) is not None
        or parse_carrier(value) is not None
    )


def _request(document: Document, namespace: str, *, bundle: bool) -> AdmissionRequest:
    if is_review(document.value):
        return _request_of_review(document, bundle=bundle)
    metadata = _mapping(document.value.get("metadata"))
    scoped = document.value.get("kind") not in _CLUSTER_SCOPED
    return AdmissionRequest(
        document=document,
        namespace=_text(metadata, "namespace") or (namespace if scoped else ""),
        name=_name(metadata),
        from_file=True,
        bundle=bundle,
    )


def _request_of_review(document: Document, *, bundle: bool) -> AdmissionRequest:
    request = _mapping(document.value.get("request"))
    value = _mapping(request.get("object"))
    old = request.get("oldObject")
    size = len(_REVIEW)
    inner = Document(
        value=value,
        file=document.file,
        line=document.line,
        positions=Below(document.positions, _REVIEW),
        text_starts=Below(document.text_starts, _REVIEW),
        duplicates=tuple(
            type(found)(found.path[size:], found.values)
            for found in document.duplicates
            if found.path[:size] == _REVIEW
        ),
    )
    return AdmissionRequest(
        document=inner,
        namespace=_text(request, "namespace"),
        name=_text(request, "name") or _name(_mapping(value.get("metadata"))),
        operation=_text(request, "operation") or "CREATE",
        old=old if isinstance(old, Mapping) else None,
        sub_resource=_text(request, "subResource"),
        bundle=bundle,
    )


def _admit(request: AdmissionRequest, world: World, policy: Policy) -> Decision | None:
    """Ask the engine; a fault of ours in one object must not hide what is said of the others."""
    try:
        return admit(request, world, policy)
    except Exception:  # noqa: BLE001 - the door: see the docstring
        _LOG.exception("judging an object broke off; this is a bug of drawbridge")
        return None


def _judged(request: AdmissionRequest, decision: Decision | None) -> Judged:
    value = request.document.value
    return Judged(
        api_version=_text(value, "apiVersion"),
        kind=_text(value, "kind"),
        namespace=request.namespace,
        name=request.name,
        file=request.document.file,
        line=request.document.line,
        findings=decision.findings if decision is not None else (),
        patch=decision.patch if decision is not None else (),
        failed=decision is None,
    )


def _failures(judged: Iterable[Judged]) -> Iterable[NotChecked]:
    for item in judged:
        if item.failed:
            yield NotChecked(
                f"{item.title} ({item.file}:{item.line})",
                "judging it broke off by a bug of drawbridge, please report it",
            )


def unknown_facts(world: World) -> Iterable[NotChecked]:
    """Name the facts without which rules were silent or only warned, and where to get them."""
    if world.classes is None:
        yield NotChecked(
            "device classes", "no DeviceClass is known; give --cluster to have names looked up"
        )
    if world.pools is None and not world.catalogue_pools:
        yield NotChecked(
            "selectors against devices",
            "no ResourceSlice is known; give --cluster with `kubectl get resourceslices -o yaml`",
        )
    if driver_state(world).gates is None:
        yield NotChecked(
            "feature gates of the NVIDIA driver",
            "neither version nor DaemonSet is known; give --driver-version or --gates",
        )
    if world.nodes is None:
        yield NotChecked("placing pods on nodes", "no Node is known; give --cluster")


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else EMPTY


def _text(holder: Mapping[str, Any], key: str) -> str:
    value = holder.get(key)
    return value if isinstance(value, str) else ""


def _name(metadata: Mapping[str, Any]) -> str:
    generated = _text(metadata, "generateName")
    return _text(metadata, "name") or (f"{generated}*" if generated else "")
