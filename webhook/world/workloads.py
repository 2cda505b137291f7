"""DaemonSets and Deployments that could be a GPU driver, projected to images, arguments, gates."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from webhook.world.raw import integer, mapping, name_of, namespace_of, sequence, text
from webhook.world.slices import read_labels
from webhook.world.types import DriverWorkload, WorkloadContainer

_WORDS: Final = ("dra-driver", "compute-domain", "mps-control-daemon")
_KEPT_ENV: Final = ("FEATURE_GATES", "CONSUMABLE_SHARES", "IMEX_MODE", "IMEX_ISOLATION")
"""Only these variables are kept: the values of others may be secrets."""


def read_workload(raw: Mapping[str, Any]) -> DriverWorkload | None:
    """Project a DaemonSet or Deployment; None for one that has nothing to do with DRA drivers."""
    kind = raw.get("kind")
    if kind not in {"DaemonSet", "Deployment"}:
        return None
    pod = mapping(mapping(mapping(raw.get("spec")).get("template")).get("spec"))
    containers = tuple(_container(mapping(item)) for item in sequence(pod.get("containers")))
    name = name_of(raw)
    texts_ = [name, *(container.image for container in containers)]
    if not any(word in found for found in texts_ for word in _WORDS):
        return None
    status = mapping(raw.get("status"))
    return DriverWorkload(
        kind="DaemonSet" if kind == "DaemonSet" else "Deployment",
        namespace=namespace_of(raw, "default"),
        name=name,
        labels=read_labels(raw),
        containers=containers,
        desired=integer(status.get("desiredNumberScheduled", status.get("replicas"))),
        ready=integer(status.get("numberReady", status.get("readyReplicas"))),
    )


def _container(raw: Mapping[str, Any]) -> WorkloadContainer:
    literal: list[tuple[str, str]] = []
    elsewhere: list[str] = []
    for item in sequence(raw.get("env")):
        entry = mapping(item)
        name = text(entry.get("name"))
        if name not in _KEPT_ENV:
            continue
        if entry.get("valueFrom") is not None:
            elsewhere.append(name)
        else:
            literal.append((name, text(entry.get("value"))))
    if sequence(raw.get("envFrom")) and not any(name == "FEATURE_GATES" for name, _ in literal):
        elsewhere.append("*")
    arguments = [text(item) for part in ("command", "args") for item in sequence(raw.get(part))]
    return WorkloadContainer(
        name=text(raw.get("name")),
        image=text(raw.get("image")),
        args=tuple(argument for argument in arguments if argument.startswith("--feature-gates")),
        env=tuple(literal),
        env_elsewhere=tuple(elsewhere),
    )
