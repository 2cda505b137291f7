"""Tolerations for GPU taints: which are missing, and the patch that adds them.

Facts: rules.md `tol-inject`; taint matching as in kubernetes/component-helpers 1.36
(`ToleratesTaint`). Patches are appended only: a stored pod accepts that too.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from webhook.allocation.nodes import tolerates
from webhook.kube.types import Path, PodCarrier, PodSpec, Taint, Toleration
from webhook.rules.classes import drivers_of
from webhook.rules.context import Context
from webhook.rules.references import resolve
from webhook.world.types import World

PLATFORM_TAINT_VALUE = "Exists"
"""The value that the platform's node pools give their GPU taint (tutorial, step 2)."""
GPU_RESOURCE = "nvidia.com/gpu"
CLASS_RESOURCE_PREFIX = "deviceclass.resource.kubernetes.io/"
"""Implicit extended resource of every class (resource/v1 ResourceDeviceClassPrefix, 1.36)."""


def covered(tolerations: tuple[Toleration, ...], taint: Taint) -> bool:
    """Whether any of `tolerations` covers `taint`."""
    return any(tolerates(toleration, taint) for toleration in tolerations)


def extended_resources(pod: PodSpec) -> Iterator[tuple[Path, str]]:
    """Give path and name of every limit or request that could be a device class's resource."""
    for container in pod.containers:
        for where, amounts in (("limits", container.limits), ("requests", container.requests)):
            for name, amount in amounts.items():
                if "/" in name and amount not in {"0", ""}:
                    yield (*container.path, "resources", where, name), name


def class_for_resource(world: World, resource: str) -> str | None:
    """Name the device class that serves an extended resource; None when no class does."""
    if resource.startswith(CLASS_RESOURCE_PREFIX):
        name = resource.removeprefix(CLASS_RESOURCE_PREFIX)
        return name if name in (world.classes or {}) else None
    for device_class in (world.classes or {}).values():
        if device_class.extended_resource_name == resource:
            return device_class.name
    return None


def uses_devices(carrier: PodCarrier, world: World) -> bool:
    """Whether any pod of the object asks for devices at all; all other pods are let through."""
    for pod in carrier.pods:
        if pod.claims or any(container.claims for container in pod.containers) or pod.faults:
            return True
        for _, resource in extended_resources(pod):
            if resource == GPU_RESOURCE or class_for_resource(world, resource) is not None:
                return True
    return False


def uses_gpu_driver(pod: PodSpec, context: Context) -> bool:
    """Whether one of the pod's claims or resources is for a class of a GPU driver."""
    for reference in resolve(pod, context.namespace, context.world):
        if reference.claim is None:
            continue
        for request in reference.claim.device_requests:
            if drivers_of(context.world, request.device_class, context.gpu_drivers):
                return True
    for _, resource in extended_resources(pod):
        name = class_for_resource(context.world, resource)
        if name is not None and drivers_of(context.world, name, context.gpu_drivers):
            return True
    return False


def taints_to_cover(context: Context, wanted: Toleration) -> tuple[Taint, ...]:
    """Give the taints, of known nodes and declared pools, that `wanted` is there for.

    Where none is known, the platform's own: a node that comes up later will carry it.
    """
    found: dict[tuple[str, str, str], Taint] = {}
    sources = [node.taints for node in (context.world.nodes or {}).values()]
    sources += [pool.taints for pool in context.world.node_pools or ()]
    for taints in sources:
        for taint in taints:
            # PreferNoSchedule never keeps a pod away.
            if taint.key == wanted.key and taint.effect in {"NoSchedule", "NoExecute"}:
                found[taint.key, taint.value, taint.effect] = taint
    if found:
        return tuple(found.values())
    value = wanted.value or PLATFORM_TAINT_VALUE
    return (Taint(wanted.key, value, wanted.effect or "NoSchedule"),)


def missing_tolerations(pod: PodSpec, context: Context) -> tuple[Toleration, ...]:
    """Give the tolerations that the pod needs for its GPUs and does not have."""
    if not uses_gpu_driver(pod, context):
        return ()
    added: list[Toleration] = []
    for wanted in context.injected_tolerations:
        for taint in taints_to_cover(context, wanted):
            if covered((*pod.tolerations, *added), taint):
                continue
            fits = tolerates(wanted, taint)
            added.append(wanted if fits else Toleration(taint.key, "Exists", "", taint.effect))
    return tuple(added)


def toleration_patch(context: Context, *, workloads: bool) -> tuple[dict[str, Any], ...]:
    """Build the JSON patch that appends what is missing; empty when nothing is.

    Pods only, unless `workloads`: the pods of a workload come by themselves later and are patched
    then. Applying the patch and asking again yields none.
    """
    carrier = context.carrier
    if carrier is None or not (carrier.is_pod or workloads):
        return ()
    operations: list[dict[str, Any]] = []
    for pod in carrier.pods:
        added = [_as_json(toleration) for toleration in missing_tolerations(pod, context)]
        if not added or not _patchable(context, pod):
            continue
        pointer = "".join(f"/{_escaped(step)}" for step in (*pod.path, "tolerations"))
        if pod.tolerations_present:
            operations += [{"op": "add", "path": f"{pointer}/-", "value": item} for item in added]
        else:
            operations.append({"op": "add", "path": pointer, "value": added})
    return tuple(operations)


def _patchable(context: Context, pod: PodSpec) -> bool:
    """Whether `tolerations` is a list or absent: no patch applies to anything else."""
    node: Any = context.document.value
    for step in pod.path:
        node = node[step]
    return node.get("tolerations") is None or isinstance(node.get("tolerations"), list)


def _as_json(toleration: Toleration) -> dict[str, str]:
    parts = {
        "key": toleration.key,
        "operator": toleration.operator,
        "value": toleration.value,
        "effect": toleration.effect,
    }
    return {name: text for name, text in parts.items() if text}


def _escaped(step: str | int) -> str:
    """Escape one step of a JSON pointer (RFC 6901)."""
    return str(step).replace("~", "~0").replace("/", "~1")
