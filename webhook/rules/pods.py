"""How pods, and workloads with pod templates, use claims."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from webhook.kube.names import nearest
from webhook.kube.types import PodSpec
from webhook.rules.context import Context
from webhook.rules.references import Reference, all_references, resolve
from webhook.rules.tolerations import (
    CLASS_RESOURCE_PREFIX,
    GPU_RESOURCE,
    class_for_resource,
    extended_resources,
    uses_gpu_driver,
)
from webhook.rules.types import Finding, Rule

EXTENDED_RESOURCE_SINCE = (1, 36)
"""The first Kubernetes with gate DRAExtendedResource on by default."""


def check_claim_source(context: Context) -> Iterable[Finding]:
    """pod-claim-source: a claim entry does not say exactly one of claim and template.

    Each entry of `spec.resourceClaims` has a name and exactly one of `resourceClaimName` (an
    existing claim, shared by all who name it) and `resourceClaimTemplateName` (a new claim for each
    pod). The wrapper `source:` of the alpha API is gone.

    Refuses: the API server does, too. Mend: one of the two fields.
    """
    carrier = context.carrier
    if carrier is None:
        return
    for pod in carrier.pods:
        for fault in pod.faults:
            yield context.finding(
                "pod-claim-source", "deny", fault.path, fault.what, fault.seen, fault.fix
            )


def check_claim_undeclared(context: Context) -> Iterable[Finding]:
    """pod-claim-undeclared: a container names a claim that the pod does not declare.

    `resources.claims[].name` refers to `spec.resourceClaims[].name`, not to a ResourceClaim.

    Refuses: the API server does, too. Mend: a declared name.
    """
    carrier = context.carrier
    if carrier is None:
        return
    for pod in carrier.pods:
        declared = [entry.name for entry in pod.claims]
        for container in pod.containers:
            for use in container.claims:
                if not use.name or use.name in declared:
                    continue
                near = nearest(use.name, declared, 1)
                yield context.finding(
                    "pod-claim-undeclared",
                    "deny",
                    (*use.path, "name"),
                    f'names claim "{use.name}", which the pod does not declare',
                    "spec.resourceClaims declares "
                    + (", ".join(f'"{name}"' for name in declared) or "none"),
                    f'write "{near[0]}"'
                    if near
                    else f"add an entry with name: {use.name} to spec.resourceClaims"
                    if not declared
                    else "write one of these names, or declare the claim in spec.resourceClaims",
                )


def check_claim_unused(context: Context) -> Iterable[Finding]:
    """pod-claim-unused: the pod declares a claim that no container uses.

    The scheduler allocates the devices all the same, and nobody gets them.

    Warns. Mend: a `resources.claims` entry in the container that needs the device.
    """
    carrier = context.carrier
    if carrier is None:
        return
    for pod in carrier.pods:
        used = {use.name for container in pod.containers for use in container.claims}
        for entry in pod.claims:
            if not entry.name or entry.name in used:
                continue
            first = next((c.name for c in pod.containers if c.role == "containers"), "")
            yield context.finding(
                "pod-claim-unused",
                "warn",
                (*entry.path, "name"),
                f'declares claim "{entry.name}", which no container uses: a device is taken and '
                "nobody has it",
                "containers "
                + ", ".join(f'"{c.name}"' for c in pod.containers)
                + f' name no claim "{entry.name}"',
                f'add resources: {{claims: [{{name: {entry.name}}}]}} to container "{first}", or '
                "remove the entry",
            )


def check_claim_missing(context: Context) -> Iterable[Finding]:
    """pod-claim-missing: the claim or template that the pod names is not there (yet).

    Without its template a pod stays Pending with one event and no condition; without its named
    claim there is not even an event. Both start by themselves once the object comes, and the order
    of objects in one apply is not in the user's hands.

    Warns at admission; refuses in a check of files where the whole bundle and the namespace are
    known. Silent where a ComputeDomain will create the template. Mend: the name, the namespace, or
    the missing object.
    """
    carrier = context.carrier
    if carrier is None:
        return
    for reference in all_references(carrier, context.world):
        if reference.state == "missing" or (
            reference.state == "unknown" and context.from_file and context.bundle
        ):
            yield _missing(context, reference)


def _missing(context: Context, reference: Reference) -> Finding:
    world = context.world
    by_name = reference.kind == "ResourceClaim"
    store = (world.claims if by_name else world.templates) or {}
    here = sorted(name for namespace, name in store if namespace == context.namespace)
    elsewhere = sorted(namespace for namespace, name in store if name == reference.name)
    near = nearest(reference.name, here, 1)
    if elsewhere:
        seen = f"namespace {elsewhere[0]} has one of that name"
        fix = f"create it in namespace {context.namespace}: claims do not reach across namespaces"
    elif here:
        more = "" if len(here) <= 5 else f" and {len(here) - 5} more"
        seen = f"namespace {context.namespace} has {', '.join(here[:5])}{more}"
        fix = f'write "{near[0]}"' if near else f"create {reference.kind} {reference.name}"
    else:
        seen = f"no {reference.kind} is known in namespace {context.namespace}"
        fix = f"create {reference.kind} {reference.name} in namespace {context.namespace}"
    if not near:
        fix += "; the pod starts by itself once it is there"
    final = (
        context.bundle
        and world.absence_known
        and reference.state == "missing"
        and context.namespace in (world.namespaces or {})
    )
    field = "resourceClaimName" if by_name else "resourceClaimTemplateName"
    return context.finding(
        "pod-claim-missing",
        "deny" if final else "warn",
        (*reference.entry.path, field),
        f"names {reference.kind} {context.namespace}/{reference.name}, which is not there"
        + ("" if final else " (yet): the pod stays Pending until it is"),
        seen,
        fix,
    )


def check_request_unknown(context: Context) -> Iterable[Finding]:
    """pod-request-unknown: a container asks for a request that the claim does not have.

    `resources.claims[].request` limits a container to the devices of one request. A name that the
    claim does not have gives the container nothing, in silence.

    Warns. Silent where the claim is not known. Mend: a request of the claim, or leave it out.
    """
    carrier = context.carrier
    if carrier is None:
        return
    for pod in carrier.pods:
        claims = {
            reference.entry.name: reference
            for reference in resolve(pod, context.namespace, context.world)
        }
        for container in pod.containers:
            for use in container.claims:
                reference = claims.get(use.name)
                if not use.request or reference is None or reference.claim is None:
                    continue
                names = [request.name for request in reference.claim.requests]
                if use.request in names or not names:
                    continue
                near = nearest(use.request, names, 1)
                yield context.finding(
                    "pod-request-unknown",
                    "warn",
                    (*use.path, "request"),
                    f'asks for request "{use.request}", which {reference.kind} '
                    f"{context.namespace}/{reference.name} does not have: the container gets no "
                    "device",
                    "its requests are " + ", ".join(f'"{name}"' for name in names),
                    f'write "{near[0] if near else names[0]}", or leave request out to get all',
                )


def check_node_name(context: Context) -> Iterable[Finding]:
    """pod-node-name: `nodeName` goes past the scheduler, which alone allocates devices.

    A pod that is created with a node is never seen by the scheduler; nobody allocates its claim,
    and the kubelet refuses to start it.

    Refuses for a Pod, warns in a pod template. Silent where every claim is a named one that is
    already allocated. Mend: a nodeSelector on kubernetes.io/hostname.
    """
    carrier = context.carrier
    if carrier is None:
        return
    for pod in carrier.pods:
        if not pod.node_name or not pod.claims:
            continue
        references = resolve(pod, context.namespace, context.world)
        if all(r.claim is not None and r.claim.allocation is not None for r in references):
            continue
        if any(r.entry.claim_name and r.claim is None for r in references):
            # The named claim may be allocated already; nobody here can tell.
            continue
        yield context.finding(
            "pod-node-name",
            "deny" if carrier.is_pod else "warn",
            (*pod.path, "nodeName"),
            "goes past the scheduler, which alone allocates devices: the pod will never start",
            f"nodeName {pod.node_name} and a claim that is not allocated",
            "leave nodeName out and write nodeSelector: {kubernetes.io/hostname: "
            f"{pod.node_name}}}, or a node affinity",
        )


def check_extended_resource(context: Context) -> Iterable[Finding]:
    """pod-extended-resource: a GPU as a resource limit that nothing serves, or twice.

    `limits: {nvidia.com/gpu: 1}` is served by a device plugin, which makes nodes offer the
    resource, or through DRA by a DeviceClass with that extendedResourceName, where the Kubernetes
    gate DRAExtendedResource is on (alpha and off before 1.36). A limit beside a GPU claim takes two
    GPUs.

    Warns. Silent where nodes are not known. Mend: a claim, or the gate; never a limit beside a
    claim.
    """
    carrier = context.carrier
    if carrier is None:
        return
    for pod in carrier.pods:
        seen: set[str] = set()
        for path, resource in extended_resources(pod):
            if resource in seen:
                continue
            seen.add(resource)
            yield from _extended_resource(context, pod, path, resource)


def _extended_resource(
    context: Context, pod: PodSpec, path: tuple[str | int, ...], resource: str
) -> Iterator[Finding]:
    world = context.world
    class_name = class_for_resource(world, resource)
    if resource != GPU_RESOURCE and class_name is None:
        return
    if pod.claims and uses_gpu_driver(pod, context) and _has_gpu_claim(pod, context):
        yield context.finding(
            "pod-extended-resource",
            "warn",
            path,
            f"asks for {resource} beside a GPU claim: the pod takes two GPUs, or stays Pending",
            "claims " + ", ".join(f'"{entry.name}"' for entry in pod.claims),
            "keep the claim and remove the limit",
        )
        return
    if not world.nodes or resource.startswith(CLASS_RESOURCE_PREFIX):
        return
    if any(node.allocatable.get(resource, "0") != "0" for node in world.nodes.values()):
        return
    offered = f"no node offers {resource}"
    gate = world.kubernetes_gates.get("DRAExtendedResource")
    if class_name is None:
        if world.classes is None:
            return
        yield context.finding(
            "pod-extended-resource",
            "warn",
            path,
            f"asks for {resource}, which nothing here serves",
            f"{offered} and no DeviceClass has it as extendedResourceName",
            "ask through a claim (resourceClaims with a ResourceClaimTemplate), or set "
            f"extendedResourceName: {resource} in the DeviceClass (Kubernetes 1.36, or gate "
            "DRAExtendedResource)",
        )
        return
    if gate is True or (
        gate is None
        and world.kubernetes is not None
        and world.kubernetes >= EXTENDED_RESOURCE_SINCE
    ):
        return
    state = (
        "is off"
        if gate is False
        else f"is off by default on Kubernetes {world.kubernetes[0]}.{world.kubernetes[1]}"
        if world.kubernetes is not None
        else "is not known to be on (not checked)"
    )
    yield context.finding(
        "pod-extended-resource",
        "warn",
        path,
        f"asks for {resource}, which nothing here serves",
        f"{offered}; DeviceClass {class_name} has extendedResourceName: {resource}, but the "
        f"Kubernetes gate DRAExtendedResource that honours it {state}",
        "ask through a claim (resourceClaims with a ResourceClaimTemplate), or have the gate "
        "DRAExtendedResource switched on",
    )


def _has_gpu_claim(pod: PodSpec, context: Context) -> bool:
    claims_only = PodSpec(path=pod.path, claims=pod.claims)
    return uses_gpu_driver(claims_only, context)


RULES = (
    Rule("pod-claim-source", "deny", "pod", ("nothing",), check_claim_source, "claim or template"),
    Rule(
        "pod-claim-undeclared",
        "deny",
        "pod",
        ("nothing",),
        check_claim_undeclared,
        "claim not declared",
    ),
    Rule("pod-claim-missing", "warn", "pod", ("claims",), check_claim_missing, "object missing"),
    Rule("pod-claim-unused", "warn", "pod", ("nothing",), check_claim_unused, "claim not used"),
    Rule(
        "pod-request-unknown", "warn", "pod", ("claims",), check_request_unknown, "no such request"
    ),
    Rule("pod-node-name", "deny", "pod", ("nothing",), check_node_name, "past the scheduler"),
    Rule(
        "pod-extended-resource",
        "warn",
        "pod",
        ("nodes",),
        check_extended_resource,
        "resource limit that nothing serves",
    ),
)
