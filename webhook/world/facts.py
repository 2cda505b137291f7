"""ClusterFacts: what no Kubernetes object says of a cluster, stated in one document."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from webhook.world.faults import WorldError
from webhook.world.raw import mapping, sequence, text
from webhook.world.types import DriverFacts

API_VERSION: Final = "drawbridge/v1"
KIND: Final = "ClusterFacts"
_KEYS: Final = (
    "apiVersion", "kind", "metadata", "kubernetesVersion", "servedResourceVersions",
    "kubernetesFeatureGates", "nvidiaDraDriver", "nodeAutoscaling", "nodePools",
)  # fmt: skip
_DRIVER_KEYS: Final = (
    "chartVersion", "upstreamVersion", "gpusEnabled", "computeDomainsEnabled", "featureGates",
)  # fmt: skip


def is_facts(raw: Mapping[str, Any]) -> bool:
    """Whether the document is a ClusterFacts."""
    return raw.get("kind") == KIND and raw.get("apiVersion") == API_VERSION


def check_keys(raw: Mapping[str, Any], file: str, line: int) -> None:
    """Raise WorldError for a key that does not exist: a misspelt fact would silently be unknown."""
    driver = raw.get("nvidiaDraDriver")
    for given, known, where in (
        (raw, _KEYS, ""),
        (mapping(driver), _DRIVER_KEYS, "nvidiaDraDriver."),
    ):
        unknown = [str(key) for key in given if key not in known]
        if unknown:
            raise WorldError(
                f"ClusterFacts has no field {where}{unknown[0]}; fields are {', '.join(known)}",
                file,
                line,
            )
    version = raw.get("kubernetesVersion")
    if version is not None and parse_version(str(version)) is None:
        raise WorldError(
            f'kubernetesVersion is "{version}"; write a version such as v1.35.2', file, line
        )
    gates = (raw.get("kubernetesFeatureGates"), mapping(driver).get("featureGates"))
    for given_gates in gates:
        if given_gates is not None and not (
            isinstance(given_gates, Mapping)
            and all(isinstance(value, bool) for value in given_gates.values())
        ):
            raise WorldError("feature gates take true or false for each name", file, line)


def parse_version(text_: str) -> tuple[int, int] | None:
    """Read major and minor of `v1.35.2`; None when it is no version."""
    found = re.match(r"v?(\d{1,3})\.(\d{1,4})(?:\D|$)", text_.strip())
    return (int(found[1]), int(found[2])) if found else None


def driver_facts(raw: Mapping[str, Any]) -> DriverFacts:
    """Read what the document says of the NVIDIA driver."""
    driver = mapping(raw.get("nvidiaDraDriver"))
    gpus, domains = driver.get("gpusEnabled"), driver.get("computeDomainsEnabled")
    gates = driver.get("featureGates")
    return DriverFacts(
        chart_version=text(driver.get("chartVersion")),
        upstream_version=text(driver.get("upstreamVersion")).removeprefix("v"),
        gpus_enabled=gpus if isinstance(gpus, bool) else None,
        compute_domains_enabled=domains if isinstance(domains, bool) else None,
        feature_gates=dict(gates) if isinstance(gates, Mapping) else None,
    )


def served_versions(raw: Mapping[str, Any]) -> frozenset[str] | None:
    """Read the served versions of resource.k8s.io; None when not said."""
    given = raw.get("servedResourceVersions")
    if given is None:
        return None
    return frozenset(text(item).rpartition("/")[2] for item in sequence(given))


def autoscaling(raw: Mapping[str, Any]) -> str | None:
    """Read `nodeAutoscaling`: a word, or a boolean for none and some."""
    given = raw.get("nodeAutoscaling")
    if isinstance(given, bool):
        return "some" if given else "none"
    return given if isinstance(given, str) and given else None
