"""Which version of the driver runs, with which gates: stated, or read from its DaemonSet."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import cast

from webhook.nvidia.gates import (
    NEWEST,
    GateTextError,
    effective,
    line_of,
    parse_gates,
    upstream_of_chart,
)
from webhook.nvidia.types import DriverState
from webhook.world.types import DriverWorkload, WorkloadContainer, World

PLUGIN_SUFFIX = "-kubelet-plugin"
GPU_CONTAINER = "gpus"
"""The container whose FEATURE_GATES decides about sharing (chart of 25.8 to 0.5)."""
_IMAGES = ("dra-driver-nvidia-gpu", "k8s-dra-driver-gpu")
_NAMES = ("dra-driver-nvidia-gpu", "nvidia-dra-driver-gpu")


@dataclass(frozen=True, slots=True)
class _Seen:
    """What one DaemonSet tells; `gates_given` None: they cannot be read."""

    where: str
    version: str
    gates_given: tuple[tuple[str, bool], ...] | None
    why_unknown: str = ""
    shares: str = ""
    gpus: bool = True
    compute_domains: bool = True


def driver_state(world: World) -> DriverState:
    """Give version and gates of the driver in this world; kept with the world.

    What is stated (flags, policy, ClusterFacts) goes before what DaemonSets show. A DaemonSet
    without FEATURE_GATES runs at its version's defaults. DaemonSets that contradict each other make
    the gates unknown, since they are then a property of the node.
    """
    kept = world.cache.get("driver state")
    if kept is None:
        kept = _state(world)
        world.cache["driver state"] = kept
    return cast("DriverState", kept)


def _state(world: World) -> DriverState:
    facts = world.driver_facts
    seen = [found for workload in world.workloads or () if (found := _read(workload)) is not None]
    version = (
        facts.upstream_version
        or upstream_of_chart(facts.chart_version)
        or _common({one.version for one in seen if one.version})
    )
    line = line_of(version) if version else NEWEST
    gpus = facts.gpus_enabled
    domains = facts.compute_domains_enabled
    if seen:
        gpus = any(one.gpus for one in seen) if gpus is None else gpus
        domains = any(one.compute_domains for one in seen) if domains is None else domains
    if facts.feature_gates is not None:
        return DriverState(
            version, line, effective(line, facts.feature_gates), _stated(world), gpus, domains
        )
    if not seen:
        return DriverState(version, line, None, "no driver was seen", gpus, domains)
    where = ", ".join(one.where for one in seen)
    unknown = next((one.why_unknown for one in seen if one.gates_given is None), "")
    if unknown:
        return DriverState(version, line, None, f"{unknown} ({where})", gpus, domains)
    views = {
        tuple(
            sorted(effective(line_of(one.version or version), dict(one.gates_given or ())).items())
        )
        for one in seen
    }
    if len(views) > 1:
        return DriverState(
            version, line, None, f"DaemonSets {where} have different gates", gpus, domains
        )
    shares = _common({one.shares for one in seen})
    return DriverState(
        version, line, dict(views.pop()), f"DaemonSet {where}", gpus, domains, shares
    )


def _stated(world: World) -> str:
    return f"stated in {world.facts_from}" if world.facts_from else "as stated"


def _common(values: set[str]) -> str:
    return values.pop() if len(values) == 1 else ""


def _read(workload: DriverWorkload) -> _Seen | None:
    """Read a DaemonSet of the driver's kubelet plugin; None for anything else."""
    if workload.kind != "DaemonSet" or not _is_plugin(workload):
        return None
    containers = {container.name: container for container in workload.containers}
    gpus = containers.get(GPU_CONTAINER)
    where = f"{workload.namespace}/{workload.name}"
    version = _version(workload, gpus)
    domains = "compute-domains" in containers
    if gpus is None:
        if domains:
            return _Seen(where, version, (), gpus=False, compute_domains=True)
        gpus = next(iter(workload.containers), None)
    if gpus is None:
        return _Seen(where, version, None, "no container was seen")
    if "FEATURE_GATES" in gpus.env_elsewhere or "*" in gpus.env_elsewhere:
        return _Seen(where, version, None, "FEATURE_GATES stands in another object")
    environment = dict(gpus.env)
    shares = environment.get("CONSUMABLE_SHARES", "")
    text = environment.get("FEATURE_GATES", "")
    for argument in gpus.args:
        if argument.startswith("--feature-gates="):
            text = argument.partition("=")[2]
    try:
        given = parse_gates(text)
    except GateTextError as error:
        return _Seen(where, version, None, f"FEATURE_GATES cannot be read: {error}")
    return _Seen(where, version, tuple(given.items()), "", shares, True, domains)


def _is_plugin(workload: DriverWorkload) -> bool:
    component = any(
        name.endswith("-component") and value == "kubelet-plugin"
        for name, value in workload.labels.items()
    )
    named = workload.name.endswith(PLUGIN_SUFFIX) and any(n in workload.name for n in _NAMES)
    image = any(
        any(name in container.image for name in _IMAGES) for container in workload.containers
    )
    generated = workload.name.startswith(("compute-domain-daemon-", "mps-control-daemon-"))
    return not generated and (named or (image and (component or PLUGIN_SUFFIX in workload.name)))


def _version(workload: DriverWorkload, container: WorkloadContainer | None) -> str:
    """Read the version label, else the image tag; suffixes such as `-ubi9` are stripped."""
    label = workload.labels.get("app.kubernetes.io/version", "")
    image = (container or next(iter(workload.containers), WorkloadContainer(""))).image
    tag = image.partition("@")[0].rpartition("/")[2].partition(":")[2]
    for text in (label, tag):
        found = re.match(r"v?(\d+\.\d+\.\d+)", text)
        if found is not None:
            return upstream_of_chart(found[1]) or found[1]
    return ""
