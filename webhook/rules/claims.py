"""Claims and templates as objects: layout, version, classes, namespaces.

What the API server would refuse by itself is said here too, since a check of files has no API
server, and since its own text is often the worse one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from webhook.kube.names import nearest
from webhook.kube.types import Claim, DeviceRequest, SchemaFault
from webhook.nvidia.types import COMPUTE_DOMAIN_DRIVER, GPU_DRIVER
from webhook.rules.classes import WELL_KNOWN, drivers_of
from webhook.rules.context import Context
from webhook.rules.types import Finding, Rule

ADMIN_ACCESS_LABEL = "resource.kubernetes.io/admin-access"
"""resource/v1 DRAAdminNamespaceLabelKey, 1.34."""
MAX_LISTED = 8


def check_schema(context: Context) -> Iterable[Finding]:
    """claim-schema: the object is not laid out as its API version wants it.

    Each version of resource.k8s.io has its own layout: v1 and v1beta2 put the class under
    `exactly` (or under each entry of `firstAvailable`), v1beta1 has it directly in the request.
    Unknown fields, fields of another version, missing or contradicting fields and bad names are
    refused by the API server, some only under strict field validation (kubectl's default); without
    it they are dropped in silence. Names in `config[].requests` are the subject of
    cfg-request-unknown, constraint attributes of claim-constraint.

    Refuses always. Mend: the layout in the message.
    """
    claim = context.claim
    if claim is None:
        return
    for fault in claim.faults:
        if _is_request_reference(claim, fault) or _is_constraint_attribute(fault):
            continue
        yield context.finding("claim-schema", "deny", fault.path, fault.what, fault.seen, fault.fix)


def _is_request_reference(claim: Claim, fault: SchemaFault) -> bool:
    """Whether the fault is a name in `config[].requests` or `constraints[].requests`."""
    tail = fault.path[len(claim.spec_path) :]
    return (
        fault.kind == "invalid"
        and len(tail) >= 5
        and tail[1] in {"config", "constraints"}
        and tail[3] == "requests"
    )


def _is_constraint_attribute(fault: SchemaFault) -> bool:
    return (
        fault.kind == "invalid"
        and bool(fault.path)
        and fault.path[-1] in {"matchAttribute", "distinctAttribute"}
    )


def check_constraint_names(context: Context) -> Iterator[Finding]:
    """claim-constraint (names): an attribute in a constraint must carry its domain.

    Unlike a selector, a constraint names one attribute as `domain/name`. The API server refuses a
    bare name.
    """
    claim = context.claim
    if claim is None:
        return
    for fault in claim.faults:
        if not _is_constraint_attribute(fault):
            continue
        attribute = fault.path[-1]
        index = fault.path[-2]
        constraint = next((c for c in claim.constraints if c.path[-1] == index), None)
        name = ""
        if constraint is not None:
            name = (
                constraint.match_attribute
                if attribute == "matchAttribute"
                else constraint.distinct_attribute
            )
        drivers = sorted(
            {
                driver
                for request in claim.device_requests
                for driver in drivers_of(context.world, request.device_class, context.gpu_drivers)
            }
        )
        bare = "/" not in name and bool(name)
        fix = f'write "{drivers[0] if drivers else GPU_DRIVER}/{name}"' if bare else fault.fix
        yield context.finding("claim-constraint", "deny", fault.path, fault.what, fault.seen, fix)


def check_api_version(context: Context) -> Iterable[Finding]:
    """claim-api-version: the cluster does not serve this API version.

    resource.k8s.io/v1 exists from Kubernetes 1.34 on; v1beta1 came with 1.32, v1beta2 with 1.33,
    and both are gone from 1.38; v1alpha3 no longer has claims. Which of them a server serves is a
    matter of its configuration.

    Warns: an older object may be meant for another cluster. Silent where the server's version and
    its served versions are unknown. Mend: one of the versions served.
    """
    claim = context.claim
    if claim is None:
        return
    served = context.world.served_resource_versions
    kubernetes = context.world.kubernetes
    version = claim.version
    if served:
        if version in served:
            return
        versions = ", ".join(sorted(served))
        seen = f"the API server serves resource.k8s.io {versions}"
        fix = f"write the object in resource.k8s.io/{_best(served)}"
    elif kubernetes is not None:
        since = _SINCE.get(version)
        if since is not None and since <= kubernetes < _UNTIL.get(version, (2, 0)):
            return
        text = f"{kubernetes[0]}.{kubernetes[1]}"
        seen = f"Kubernetes is {text}, " + (
            f"resource.k8s.io/{version} exists since {since[0]}.{since[1]}"
            if since is not None and kubernetes < since
            else f"which has no resource.k8s.io/{version}"
        )
        usable = [v for v, first in _SINCE.items() if first <= kubernetes]
        fix = (
            f"write the object in resource.k8s.io/{usable[0]}, if the server has it enabled, or "
            "upgrade to Kubernetes 1.34 or later"
            if usable
            else "upgrade to Kubernetes 1.34 or later"
        )
    else:
        return
    yield context.finding(
        "claim-api-version",
        "warn",
        ("apiVersion",),
        f"{claim.api_version} is not served",
        seen,
        fix,
    )


_SINCE = {"v1": (1, 34), "v1beta2": (1, 33), "v1beta1": (1, 32)}
_UNTIL = {"v1beta1": (1, 38), "v1beta2": (1, 38)}


def _best(served: frozenset[str]) -> str:
    return next((version for version in _SINCE if version in served), min(served))


def check_empty(context: Context) -> Iterable[Finding]:
    """claim-empty: the claim asks for nothing.

    The API server stores a claim without requests, the scheduler places its pods, and no container
    gets a device.

    Warns. Mend: a request.
    """
    claim = context.claim
    if claim is None or claim.requests:
        return
    path = (*claim.spec_path, "devices", "requests")
    if any(fault.path[: len(path) - 1] == path[:-1] for fault in claim.faults):
        return
    example = (
        "{name: gpu, deviceClassName: gpu.nvidia.com}"
        if claim.version == "v1beta1"
        else "{name: gpu, exactly: {deviceClassName: gpu.nvidia.com}}"
    )
    yield context.finding(
        "claim-empty",
        "warn",
        path,
        "is empty: the pod will be scheduled and its containers get no device",
        "no requests",
        f"add a request, e.g. {example}",
    )


def check_class_unknown(context: Context) -> Iterable[Finding]:
    """claim-class-unknown: there is no such DeviceClass.

    The API server stores the claim all the same; its pods stay Pending with the event `device class
    … does not exist`.

    Refuses where the vendor's other classes are there, or the name is a near miss of one; warns
    where there is no class at all, or none of that vendor (the driver may be installed later).
    Silent where classes are unknown. Mend: a class from the list, or the driver's chart value
    that creates it.
    """
    claim = context.claim
    if claim is None or context.world.classes is None:
        return
    for request in claim.device_requests:
        if request.device_class and request.device_class not in context.world.classes:
            yield _class_unknown(context, request)


def _class_unknown(context: Context, request: DeviceRequest) -> Finding:
    classes = context.world.classes or {}
    name = request.device_class
    path = (*request.path, "deviceClassName")
    what = f'names DeviceClass "{name}", which does not exist'
    if not classes:
        seen = (
            "the cluster has no DeviceClass at all"
            if context.world.absence_known
            else "no DeviceClass is known"
        )
        return context.finding(
            "claim-class-unknown",
            "warn",
            path,
            what,
            seen,
            f"install the driver that brings {name} before pods use this claim"
            + (" (dra-driver-nvidia-gpu)" if name in WELL_KNOWN else ""),
        )
    listed = sorted(classes)
    near = nearest(name, listed, 1)
    seen = "DeviceClasses are " + ", ".join(listed[:MAX_LISTED])
    if len(listed) > MAX_LISTED:
        seen += f" and {len(listed) - MAX_LISTED} more"
    driver = WELL_KNOWN.get(name)
    fixes: list[str] = []
    if driver == GPU_DRIVER and context.driver.gpus_enabled is False:
        seen += "; the driver runs with its GPU half off (resources.gpus.enabled: false)"
        fixes.append(
            "set resources.gpus.enabled: true and gpuResourcesEnabledOverride: true in the values "
            "of dra-driver-nvidia-gpu"
        )
    elif driver == GPU_DRIVER:
        fixes.append(
            "if the driver runs without its GPU half, set resources.gpus.enabled: true and "
            "gpuResourcesEnabledOverride: true in the values of dra-driver-nvidia-gpu"
        )
    elif driver == COMPUTE_DOMAIN_DRIVER:
        fixes.append(
            "set resources.computeDomains.enabled: true in the values of dra-driver-nvidia-gpu "
            "(needs NVLink-fabric hardware)"
        )
    if near and driver is None:
        fixes.insert(0, f'write "{near[0]}"')
    if not fixes:
        fixes.append("use one of these, or install the driver that brings it")
    # A class in the domain of another vendor may come with a driver that is not installed yet; one
    # in a domain whose classes are there, or in none, will not come by itself.
    vendor = ".".join(name.split(".")[-2:]) if "." in name else ""
    foreign = bool(vendor) and not any(other.endswith(vendor) for other in listed)
    return context.finding(
        "claim-class-unknown",
        "deny" if context.world.absence_known and (near or not foreign) else "warn",
        path,
        what,
        seen,
        "; or ".join(fixes),
    )


def check_admin_access(context: Context) -> Iterable[Finding]:
    """claim-admin-access: administrative access without the namespace's permission.

    `adminAccess: true` gives devices that others use; the API server takes it only in namespaces
    that carry the label resource.kubernetes.io/admin-access with the value "true".

    Refuses; warns where the namespace is not known. Mend: the label, or leave adminAccess out.
    """
    claim = context.claim
    if claim is None:
        return
    for request in claim.device_requests:
        if not request.admin_access:
            continue
        labels = (context.world.namespaces or {}).get(context.namespace)
        if labels is not None and labels.get(ADMIN_ACCESS_LABEL) == "true":
            continue
        known = labels is not None
        value = None if labels is None else labels.get(ADMIN_ACCESS_LABEL)
        seen = (
            f"namespace {context.namespace} is not known here"
            if not known
            else f"namespace {context.namespace} has no label {ADMIN_ACCESS_LABEL}"
            if value is None
            else f'namespace {context.namespace} has {ADMIN_ACCESS_LABEL}: "{value}"'
        )
        yield context.finding(
            "claim-admin-access",
            "deny" if known else "warn",
            (*request.path, "adminAccess"),
            "asks for administrative access, which only labelled namespaces may have",
            seen,
            f'label namespace {context.namespace} with {ADMIN_ACCESS_LABEL}: "true" '
            "(an administrator's decision), or leave adminAccess out",
        )


RULES = (
    Rule("claim-schema", "deny", "claim", ("nothing",), check_schema, "layout and names"),
    Rule(
        "claim-api-version", "warn", "claim", ("nothing",), check_api_version, "API version served"
    ),
    Rule("claim-empty", "warn", "claim", ("nothing",), check_empty, "no requests"),
    Rule(
        "claim-class-unknown", "deny", "claim", ("classes",), check_class_unknown, "no such class"
    ),
    Rule(
        "claim-admin-access",
        "deny",
        "claim",
        ("namespaces",),
        check_admin_access,
        "adminAccess without the label",
    ),
)
