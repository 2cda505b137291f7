"""Parameter kinds of resource.nvidia.com/v1beta1: every field with its type, declared once.

Source: kubernetes-sigs/dra-driver-nvidia-gpu `api/nvidia.com/resource/v1beta1` at v25.3.2, v25.8.1,
v25.12.0, v0.4.1 and main of August 2026.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

API_VERSION: Final = "resource.nvidia.com/v1beta1"


@dataclass(frozen=True, slots=True)
class Field:
    """One field: its JSON type, since which driver line, and its fields when it is an object.

    `type`: string, int, bool, quantity, quantities (a map of them), object.
    """

    type: str
    since: str = "25.3"
    fields: Mapping[str, Field] = field(default_factory=dict)
    values: tuple[str, ...] = ()
    """Allowed values of a string, where the driver checks them outside `sharing`."""


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind: the device type it configures (empty: it is no configuration), and its driver."""

    name: str
    driver: str
    device_type: str
    since: str
    fields: Mapping[str, Field] = field(default_factory=dict)


_MPS: Final = Field(
    "object",
    fields={
        "defaultActiveThreadPercentage": Field("int"),
        "defaultPinnedDeviceMemoryLimit": Field("quantity"),
        "defaultPerDevicePinnedMemoryLimit": Field("quantities"),
        "multiUser": Field("bool", since="0.5"),
    },
)
_TIME_SLICING: Final = Field("object", fields={"interval": Field("string")})

KINDS: Final = {
    kind.name: kind
    for kind in (
        Kind(
            "GpuConfig",
            "gpu.nvidia.com",
            "gpu",
            "25.3",
            {
                "sharing": Field(
                    "object",
                    fields={
                        "strategy": Field("string"),
                        "timeSlicingConfig": _TIME_SLICING,
                        "mpsConfig": _MPS,
                    },
                )
            },
        ),
        Kind(
            "MigDeviceConfig",
            "gpu.nvidia.com",
            "mig",
            "25.3",
            {"sharing": Field("object", fields={"strategy": Field("string"), "mpsConfig": _MPS})},
        ),
        Kind(
            "VfioDeviceConfig",
            "gpu.nvidia.com",
            "vfio",
            "25.12",
            {
                "iommu": Field(
                    "object",
                    since="0.4",
                    fields={
                        "backendPolicy": Field("string", values=("LegacyOnly", "PreferIommuFD")),
                        "enableAPIDevice": Field("bool"),
                    },
                )
            },
        ),
        Kind(
            "ComputeDomainChannelConfig",
            "compute-domain.nvidia.com",
            "channel",
            "25.3",
            {"domainID": Field("string"), "allocationMode": Field("string", since="25.8")},
        ),
        Kind(
            "ComputeDomainDaemonConfig",
            "compute-domain.nvidia.com",
            "daemon",
            "25.3",
            {"domainID": Field("string")},
        ),
        Kind("ComputeDomain", "", "", "25.3"),
        Kind("ComputeDomainClique", "", "", "25.12"),
    )
}

STRATEGIES: Final = ("TimeSlicing", "MPS")
INTERVALS: Final = ("Default", "Short", "Medium", "Long")
STRATEGY_GATES: Final = {"TimeSlicing": "TimeSlicingSettings", "MPS": "MPSSupport"}
CONFIG_KINDS: Final = tuple(kind.name for kind in KINDS.values() if kind.device_type)


def kinds_for(driver: str) -> tuple[str, ...]:
    """Name the kinds that configure devices of a driver."""
    return tuple(kind.name for kind in KINDS.values() if kind.driver == driver)


def kind_for_type(device_type: str) -> str:
    """Name the kind that configures a device type, empty when there is none."""
    return next((k.name for k in KINDS.values() if k.device_type == device_type), "")
