"""ResourceClaim and ResourceClaimTemplate in one normal form, whatever their version.

Nothing here raises, whatever JSON value comes in. What the API server's decoding (strict field
validation, kubectl's default) and its own validation would refuse is kept as `Claim.faults`; what
depends on its feature gates is not judged. Facts: see `claim_fields` and `claim_requests`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from webhook.kube import claim_fields as fields
from webhook.kube.affinity import named_nodes
from webhook.kube.claim_configs import read_configs, read_constraints
from webhook.kube.claim_requests import read_quantities, read_requests
from webhook.kube.formats import subdomain_fault
from webhook.kube.reading import Reader, controller_kind, excerpt
from webhook.kube.types import AllocatedDevice, Claim, Path

_CLAIM: Literal["ResourceClaim"] = "ResourceClaim"
_TEMPLATE: Literal["ResourceClaimTemplate"] = "ResourceClaimTemplate"


def parse_claim(obj: Mapping[str, Any]) -> Claim | None:
    """Read a ResourceClaim or ResourceClaimTemplate of resource.k8s.io; None for all else."""
    api_version, kind = obj.get("apiVersion"), obj.get("kind")
    if not isinstance(api_version, str) or api_version.partition("/")[0] != fields.GROUP:
        return None
    if kind not in (_CLAIM, _TEMPLATE):
        return None
    version = api_version.rpartition("/")[2]
    template = kind == _TEMPLATE
    reader = Reader()
    judged = version in fields.NESTED or version in fields.FLAT
    metadata = reader.mapping(obj, "metadata", ())
    spec, spec_path = _read_spec(obj, version, template, reader)
    devices = reader.mapping(spec, "devices", spec_path)
    place = (*spec_path, "devices")
    reader.unknown_fields(
        devices,
        place,
        fields.DEVICES,
        f"devices in resource.k8s.io/{version}",
        hints=fields.DEVICES_HINTS,
    )
    requests = read_requests(devices, place, version, reader)
    name, namespace, annotations = _read_metadata(metadata, reader)
    constraints = read_constraints(devices, place, requests, reader)
    configs = read_configs(devices, place, requests, reader)
    status = obj.get("status")
    allocation = status.get("allocation") if isinstance(status, Mapping) else None
    results, nodes = _read_allocation(allocation)
    return Claim(
        api_version=api_version,
        kind=_TEMPLATE if template else _CLAIM,
        namespace=namespace,
        name=name,
        spec_path=spec_path,
        requests=requests,
        constraints=constraints,
        configs=configs,
        faults=tuple(reader.faults) if judged else (),
        annotations=annotations,
        owner_kind=controller_kind(metadata),
        allocation=results,
        allocation_nodes=nodes,
        reserved_for=_read_consumers(status),
        deleting=metadata.get("deletionTimestamp") is not None,
    )


def _read_spec(
    obj: Mapping[str, Any], version: str, template: bool, reader: Reader
) -> tuple[Mapping[str, Any], Path]:
    known = ("apiVersion", "kind", "metadata", "spec", *(() if template else ("status",)))
    what = f"a {_TEMPLATE if template else _CLAIM}"
    reader.unknown_fields(obj, (), known, what, hints=fields.TOP_HINTS)
    spec = reader.mapping(obj, "spec", ())
    path: Path = ("spec",)
    if template:
        reader.unknown_fields(
            spec, path, ("metadata", "spec"), f"the spec of {what}", hints=fields.TEMPLATE_HINTS
        )
        reader.unknown_fields(
            reader.mapping(spec, "metadata", path),
            (*path, "metadata"),
            fields.METADATA,
            "metadata",
        )
        spec, path = reader.mapping(spec, "spec", path), (*path, "spec")
    names = ("devices", "controller") if version == "v1alpha3" else ("devices",)
    reader.unknown_fields(
        spec,
        path,
        names,
        f"the spec of a claim in resource.k8s.io/{version}",
        hints=fields.SPEC_HINTS,
    )
    return spec, path


def _read_metadata(
    metadata: Mapping[str, Any], reader: Reader
) -> tuple[str, str, Mapping[str, str]]:
    path: Path = ("metadata",)
    reader.unknown_fields(
        metadata, path, fields.METADATA, "metadata", hints={"spec": "put it beside metadata"}
    )
    count = len(reader.faults)
    name = reader.text(metadata, "name", path)
    generated = reader.text(metadata, "generateName", path)
    where = (*path, "name")
    if not name and not generated and len(reader.faults) == count:
        fix = "write name: NAME, or generateName: PREFIX-"
        reader.fault("required", where, "is required", "neither name nor generateName", fix)
    elif name and subdomain_fault(name):
        better = name.lower().replace("_", "-").replace(" ", "-")
        fix = f"write name: {better}" if not subdomain_fault(better) else "write another name"
        reader.fault("invalid", where, subdomain_fault(name), excerpt(name), fix)
    reader.text_map(metadata, "labels", path)
    annotations = reader.text_map(metadata, "annotations", path)
    return name, reader.text(metadata, "namespace", path), annotations


def _read_allocation(
    allocation: object,
) -> tuple[tuple[AllocatedDevice, ...] | None, tuple[str, ...]]:
    """Read `status.allocation`, which is the server's word: odd things in it are passed over."""
    if not isinstance(allocation, Mapping):
        return None, ()
    ignored = Reader()
    results: list[AllocatedDevice] = []
    devices = ignored.mapping(allocation, "devices", ())
    for path, item in ignored.objects(devices, "results", ()):
        results.append(
            AllocatedDevice(
                request=ignored.text(item, "request", path),
                driver=ignored.text(item, "driver", path),
                pool=ignored.text(item, "pool", path),
                device=ignored.text(item, "device", path),
                admin_access=ignored.boolean(item, "adminAccess", path),
                share_id=ignored.text(item, "shareID", path),
                consumed_capacity=read_quantities(item, "consumedCapacity", path, ignored),
            )
        )
    return tuple(results), named_nodes(allocation.get("nodeSelector"))


def _read_consumers(status: object) -> tuple[str, ...]:
    if not isinstance(status, Mapping):
        return ()
    ignored = Reader()
    return tuple(
        ignored.text(item, "name", path)
        for path, item in ignored.objects(status, "reservedFor", ())
    )
