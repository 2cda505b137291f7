"""What a product can do: MIG partitions, multi-node NVLink; None where the tables do not know it.

Facts: NVIDIA MIG user guide and mig-parted's device tables (products with their profiles),
multi-node NVLink systems as of 2026.
"""

from __future__ import annotations

import re
from typing import Final

_VGPU_NAME: Final = re.compile(r"-\d+[QCBA]$")
_VGPU_BRANDS: Final = frozenset(
    {"NvidiaVWS", "NvidiaVCS", "NvidiaVPC", "NvidiaVApps", "NvidiaCloudGaming", "Grid"}
)
_CAPABLE_WORDS: Final = (
    "A100", "A800", "A30", "H100", "H200", "H800", "H20", "GH200", "B200", "GB200", "B300", "GB300",
)  # fmt: skip
_CAPABLE_RTX: Final = ("RTX PRO 6000 Blackwell", "RTX PRO 5000 Blackwell", "RTX PRO 4500 Blackwell")
_INCAPABLE_WORDS: Final = (
    "V100", "T4", "T4G", "A10", "A10G", "A16", "A40", "A2", "L4", "L40", "L40S", "P100", "P4",
    "GB10",
)  # fmt: skip
_CAPABLE_BY_CAPABILITY: Final = {
    "7.0": False, "7.2": False, "7.5": False, "8.0": True, "8.6": False, "8.7": False, "8.9": False,
    "9.0": True, "10.0": True, "10.3": True, "12.1": False,
}  # fmt: skip
_NO_FABRIC: Final = (
    *_INCAPABLE_WORDS,
    "A100",
    "A800",
    "A30",
    "H100",
    "H200",
    "H800",
    "H20",
    "B200",
    "B300",
)
CAPABLE_TEXT: Final = "A100, A30, H100, H200, GH200, B200, B300, GB200, GB300, RTX PRO 6000"


def _words(product: str) -> list[str]:
    return re.findall(r"[A-Za-z0-9]+", product)


def is_virtual(product: str, brand: str = "") -> bool:
    """Whether the device is a slice of a GPU behind a virtual GPU manager."""
    return _VGPU_NAME.search(product) is not None or brand in _VGPU_BRANDS


def capable(product: str, compute_capability: str = "", brand: str = "") -> bool | None:
    """Whether the GPU can be partitioned (MIG); None when the product is not in the tables."""
    if is_virtual(product, brand):
        return False
    words = _words(product)
    if any(word in _CAPABLE_WORDS for word in words):
        return True
    if any(name in product for name in _CAPABLE_RTX):
        return True
    if any(word in _INCAPABLE_WORDS for word in words):
        return False
    major_minor = ".".join(compute_capability.split(".")[:2])
    return _CAPABLE_BY_CAPABILITY.get(major_minor)


def fabric(product: str) -> bool | None:
    """Whether the GPU is part of multi-node NVLink systems; None when not in the tables.

    GH200 is sold with and without a fabric, so it counts as unknown.
    """
    words = _words(product)
    if "GB200" in words or "GB300" in words:
        return True
    if "GH200" in words:
        return None
    if any(word in _NO_FABRIC for word in words) or "RTX" in words:
        return False
    return None


DEVICE_TYPES: Final = {
    "gpu.nvidia.com": "gpu",
    "mig.nvidia.com": "mig",
    "vfio.gpu.nvidia.com": "vfio",
    "compute-domain-daemon.nvidia.com": "daemon",
    "compute-domain-default-channel.nvidia.com": "channel",
}
"""Device type of each class of the driver's chart (25.12 to 0.5)."""

_TYPE_TEST: Final = re.compile(r"""\.type\s*==\s*(['"])([a-z]+)\1""")


def device_type_of_class(name: str, expressions: tuple[str, ...]) -> str | None:
    """Give the device type that a class is limited to by its selectors, None when that is open.

    `expressions` are the class's selectors; without any the well-known name decides.
    """
    for expression in expressions:
        found = _TYPE_TEST.search(expression)
        if found is not None and "||" not in expression:
            return found[2]
    return DEVICE_TYPES.get(name)


PUBLISHED: Final = {
    "gpu": ("memory",),
    "mig": (
        "multiprocessors", "copyEngines", "decoders", "encoders", "jpegEngines", "ofaEngines",
        "memory",
    ),
    "vfio": ("addressableMemory",),
}  # fmt: skip
"""Capacities by device type (0.5, DynamicMIG off)."""
