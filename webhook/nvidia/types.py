"""What is known of the NVIDIA DRA driver in one cluster."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from webhook.kube.types import EMPTY, Path

GPU_DRIVER = "gpu.nvidia.com"
COMPUTE_DOMAIN_DRIVER = "compute-domain.nvidia.com"


@dataclass(frozen=True, slots=True)
class DriverState:
    """Version and gates of the driver.

    `line` is the driver line that judges (`0.5`, `0.4`, `25.12`, `25.8`, `25.3`), the newest when
    the version is unknown; `version` the full text or empty. `gates` maps every gate of that line
    to its value, None when unknown. `source` says where it is from, for SEEN:
    `FEATURE_GATES of DaemonSet kube-system/dra-driver-nvidia-gpu-kubelet-plugin`.
    """

    version: str
    line: str
    gates: Mapping[str, bool] | None
    source: str
    gpus_enabled: bool | None = None
    compute_domains_enabled: bool | None = None
    consumable_shares: str = ""

    @property
    def version_known(self) -> bool:
        """Whether the version was seen, so that strictness by version can deny."""
        return bool(self.version)


@dataclass(frozen=True, slots=True)
class ParameterFault:
    """One fault of opaque parameters, found without knowing any hardware.

    `rule` is the id in rules.md (`cfg-unknown-field`, `share-unknown-strategy`, `gate-off` …);
    `path` is below the parameters object (empty for the object itself).
    """

    rule: str
    action: Literal["deny", "warn"]
    path: Path
    what: str
    seen: str
    fix: str


@dataclass(frozen=True, slots=True)
class Parameters:
    """Decoded parameters: the kind if it could be told, the values as given, and all faults."""

    kind: str
    api_version: str
    values: Mapping[str, Any] = EMPTY
    faults: tuple[ParameterFault, ...] = ()
    strategy: str = ""
    """`TimeSlicing`, `MPS` or empty."""
    device_type: str = ""
    """gpu, mig, vfio, channel, daemon; empty when the kind is no configuration."""

    @property
    def decodes(self) -> bool:
        """Whether the driver could read it at all (no decode fault)."""
        return bool(self.kind) and not any(
            f.rule.startswith("cfg-") and f.action == "deny" for f in self.faults
        )
