"""A pod's specification: claims, containers, tolerations, where it may run.

Faults are those that concern claims; the rest of a pod is the API server's business. Facts:
kubernetes/pkg/apis/core/validation 1.36 (validatePodResourceClaims and its like for containers).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Literal

from webhook.kube.affinity import node_terms
from webhook.kube.formats import as_label, label_fault, subdomain_fault
from webhook.kube.reading import Reader, excerpt
from webhook.kube.types import (
    Container,
    ContainerClaim,
    NodeRequirement,
    Path,
    PodClaim,
    PodSpec,
    Toleration,
)

_ENTRY: Final = ("name", "resourceClaimName", "resourceClaimTemplateName")
_RETIRED: Final = "source"
_USE: Final = ("name", "request")
_ELSEWHERE: Final = "put it in spec.resourceClaims; here stands the name of that entry"
_USE_HINTS: Final = {
    "resourceClaimName": _ELSEWHERE,
    "resourceClaimTemplateName": _ELSEWHERE,
    "requests": "write request: NAME, one entry for each request",
}
_ENTRY_HINTS: Final = {
    "request": "put it in the container's resources.claims entry",
    "claimName": "write resourceClaimName",
    "templateName": "write resourceClaimTemplateName",
}
Role = Literal["containers", "initContainers", "ephemeralContainers"]
_ROLES: Final[tuple[Role, ...]] = ("containers", "initContainers", "ephemeralContainers")


def read_pod(spec: Mapping[str, Any], path: Path) -> PodSpec:
    """Read the pod specification that stands at `path`; never raises."""
    reader = Reader()
    claims = _read_claims(spec, path, reader)
    containers = tuple(
        container for role in _ROLES for container in _read_containers(spec, role, path, reader)
    )
    # What follows belongs to the API server: it is read, and not judged.
    ignored = Reader()
    tolerations = spec.get("tolerations")
    affinity = ignored.mapping(spec, "affinity", path)
    return PodSpec(
        path=path,
        claims=claims,
        containers=containers,
        tolerations=_read_tolerations(spec, path, ignored),
        tolerations_present=tolerations is not None,
        node_selector=ignored.text_map(spec, "nodeSelector", path),
        affinity_terms=_read_affinity(affinity, path, ignored),
        node_name=ignored.text(spec, "nodeName", path),
        scheduling_gates=tuple(
            ignored.text(gate, "name", place)
            for place, gate in ignored.objects(spec, "schedulingGates", path)
        ),
        faults=tuple(reader.faults),
    )


def _read_claims(spec: Mapping[str, Any], path: Path, reader: Reader) -> tuple[PodClaim, ...]:
    found: list[PodClaim] = []
    seen: set[str] = set()
    for place, item in reader.objects(spec, "resourceClaims", path, _entry_fix):
        count = len(reader.faults)
        entry = PodClaim(
            path=place,
            name=reader.text(item, "name", place),
            claim_name=reader.text(item, "resourceClaimName", place),
            template_name=reader.text(item, "resourceClaimTemplateName", place),
        )
        _check_retired(item, entry, reader)
        reader.unknown_fields(
            item, place, _ENTRY, "a pod's resourceClaims", hints=_ENTRY_HINTS, skip=(_RETIRED,)
        )
        if len(reader.faults) == count:
            _check_source(item, entry, reader)
        _check_name(entry.name, (*place, "name"), seen, reader, "gpu")
        for key, name in (
            ("resourceClaimName", entry.claim_name),
            ("resourceClaimTemplateName", entry.template_name),
        ):
            if name and subdomain_fault(name):
                fix = "write the name of the object as it stands in its metadata"
                reader.fault("invalid", (*place, key), subdomain_fault(name), excerpt(name), fix)
        found.append(entry)
    return tuple(found)


def _entry_fix(item: object) -> str:
    name = item if isinstance(item, str) and not subdomain_fault(item) else "gpu-template"
    return f"write {{name: gpu, resourceClaimTemplateName: {name}}}"


def _check_retired(item: Mapping[str, Any], entry: PodClaim, reader: Reader) -> None:
    """Report the wrapper `source:`, which Kubernetes 1.31 took away."""
    source = item.get(_RETIRED)
    if source is None:
        return
    inner = source if isinstance(source, Mapping) else {}
    shown = ", ".join(
        f"{key}: {inner[key]}" for key in _ENTRY[1:] if isinstance(inner.get(key), str)
    )
    reader.fault(
        "unknown-field",
        (*entry.path, _RETIRED),
        "is a retired wrapper (gone since Kubernetes 1.31); its field stands in the entry itself",
        f"source: {{{shown[:160]}}}",
        f"write {{name: {entry.name or 'gpu'}, "
        f"{shown[:160] or 'resourceClaimTemplateName: NAME'}}}",
    )


def _check_source(item: Mapping[str, Any], entry: PodClaim, reader: Reader) -> None:
    by_claim = item.get("resourceClaimName") is not None
    by_template = item.get("resourceClaimTemplateName") is not None
    if by_claim and by_template:
        reader.fault(
            "invalid",
            entry.path,
            "must have exactly one of resourceClaimName and resourceClaimTemplateName",
            f"both: {excerpt(entry.claim_name)} and {excerpt(entry.template_name)}",
            "keep resourceClaimName for a claim that pods share, resourceClaimTemplateName for one "
            "of each pod's own",
        )
    elif not by_claim and not by_template:
        reader.fault(
            "required",
            entry.path,
            "must have exactly one of resourceClaimName and resourceClaimTemplateName",
            "neither",
            f"write {{name: {entry.name or 'gpu'}, resourceClaimTemplateName: NAME}}",
        )
    else:
        key = "resourceClaimName" if by_claim else "resourceClaimTemplateName"
        if item.get(key) == "":
            fix = f"write {key}: NAME"
            reader.fault("invalid", (*entry.path, key), "must not be empty", '""', fix)


def _check_name(name: str, path: Path, seen: set[str], reader: Reader, example: str) -> None:
    if any(fault.path == path for fault in reader.faults):
        return
    if not name:
        reader.fault("required", path, "is required", "no name", f"write name: {example}")
    elif label_fault(name):
        fix = f"write name: {as_label(name) or example}"
        reader.fault("invalid", path, label_fault(name), excerpt(name), fix)
    elif name in seen:
        reader.fault(
            "invalid",
            path,
            "repeats the name of an earlier entry",
            excerpt(name),
            "write another name, or remove the entry",
        )
    seen.add(name)


def _read_containers(
    spec: Mapping[str, Any], role: Role, path: Path, reader: Reader
) -> tuple[Container, ...]:
    ignored = Reader()
    found: list[Container] = []
    for place, item in ignored.objects(spec, role, path):
        resources = ignored.mapping(item, "resources", place)
        where = (*place, "resources")
        found.append(
            Container(
                path=place,
                name=ignored.text(item, "name", place),
                role=role,
                claims=_read_uses(resources, where, reader),
                limits=_amounts(resources, "limits"),
                requests=_amounts(resources, "requests"),
            )
        )
    return tuple(found)


def _read_uses(
    resources: Mapping[str, Any], path: Path, reader: Reader
) -> tuple[ContainerClaim, ...]:
    found: list[ContainerClaim] = []
    seen: set[str] = set()
    for place, item in reader.objects(resources, "claims", path, _use_fix):
        use = ContainerClaim(
            path=place,
            name=reader.text(item, "name", place),
            request=reader.text(item, "request", place),
        )
        count = len(reader.faults)
        reader.unknown_fields(item, place, _USE, "a container's claims", hints=_USE_HINTS)
        if use.name in seen:
            reader.fault(
                "invalid",
                (*place, "name"),
                "repeats the name of an earlier entry",
                excerpt(use.name),
                "name each claim once; without request it gives all devices of the claim",
            )
        elif not use.name and len(reader.faults) == count and item.get("name") in (None, ""):
            fix = "write name: NAME, as in spec.resourceClaims"
            reader.fault("required", (*place, "name"), "is required", "no name", fix)
        if use.name:
            seen.add(use.name)
        found.append(use)
    return tuple(found)


def _use_fix(item: object) -> str:
    return (
        f"write {{name: {item}}}"
        if isinstance(item, str) and len(item) < 64
        else "write {name: gpu}"
    )


def _amounts(resources: Mapping[str, Any], key: str) -> Mapping[str, str]:
    amounts = resources.get(key)
    if not isinstance(amounts, Mapping):
        return {}
    return {
        name: value if isinstance(value, str) else excerpt(value)
        for name, value in amounts.items()
        if isinstance(value, str | int | float) and not isinstance(value, bool)
    }


def _read_tolerations(
    spec: Mapping[str, Any], path: Path, ignored: Reader
) -> tuple[Toleration, ...]:
    return tuple(
        Toleration(
            key=ignored.text(item, "key", place),
            operator=ignored.text(item, "operator", place),
            value=ignored.text(item, "value", place),
            effect=ignored.text(item, "effect", place),
        )
        for place, item in ignored.objects(spec, "tolerations", path)
    )


def _read_affinity(
    affinity: Mapping[str, Any], path: Path, ignored: Reader
) -> tuple[tuple[NodeRequirement, ...], ...] | None:
    node = ignored.mapping(affinity, "nodeAffinity", path)
    return node_terms(node.get("requiredDuringSchedulingIgnoredDuringExecution"))
