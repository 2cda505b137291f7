"""The hardware catalogue: what a node of a cloud instance type would publish.

It stands in for ResourceSlices while a node pool has no node. It is knowledge about hardware in
general, not about a cluster: it may explain, warn and suggest, and is no ground for a denial.
The figures (`data/catalogue.csv`) describe driver gpu.nvidia.com 0.5.0.
"""

from __future__ import annotations

import csv
import functools
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import resources
from types import MappingProxyType
from typing import Final

from webhook.cel.device import Attribute
from webhook.cel.device import Device as CelDevice

GPU_DRIVER: Final = "gpu.nvidia.com"
PCIE_ROOT: Final = "resource.kubernetes.io/pcieRoot"

UNKNOWN_ATTRIBUTES: Final = frozenset(
    {"uuid", "driverVersion", "cudaDriverVersion", "pciBusID", "addressingMode", "numaNode"}
)
"""Attributes that differ from boot to boot or with the driver, without their domain."""

MIG_CAPACITIES: Final = frozenset(
    {"multiprocessors", "copyEngines", "decoders", "encoders", "jpegEngines", "ofaEngines"}
)
"""Capacities of a whole GPU under DynamicMIG (driver 25.12 and later), not in the catalogue."""

# AWS: families whose letters are not those of an NVIDIA GPU type; g4ad has AMD GPUs.
# Azure: only N sizes have GPUs. Google: only a2 and later `a`, and `g` machine types bring
# GPUs with them; n1 can have them attached, so nothing is said of n1.
_WITHOUT_GPU: Final = re.compile(
    r"(?:(?:a|c|d|dl|f|h|hpc|i|im|inf|is|m|mac|r|t|trn|u|vt|x|z)[0-9u][a-z0-9-]*\.[a-z0-9*-]+"
    r"|g4ad\.[a-z0-9*]+"
    r"|Standard_(?!N)[A-Z][A-Za-z0-9_-]*"
    r"|(?:c2d?|c3d?|c4[ad]?|e2|f1|h3|h4d|m[1-4]|n2d?|n4|t2[ad]|x4|z3)-[a-z0-9-]+)"
)


@dataclass(frozen=True, slots=True)
class CatalogueRow:
    """One instance type. Memory is in MiB, None where it is not known."""

    provider: str
    instance_type: str
    product_name: str
    gpu_count: int
    memory_mib: int | None
    memory_dynamic_mig_mib: int | None
    architecture: str
    cuda_compute_capability: str
    brand: str
    mig_capable: bool
    nvlink_fabric: bool
    vgpu: bool
    arch: str
    pcie_roots: tuple[str, ...]
    documented: bool

    @property
    def unknown_attributes(self) -> frozenset[str]:
        """Names (without domain) of attributes whose values on this type are unknown."""
        return UNKNOWN_ATTRIBUTES if self.pcie_roots else UNKNOWN_ATTRIBUTES | {"pcieRoot"}

    @property
    def family(self) -> str:
        """The part before the dot: `g5` of `g5.xlarge`; the whole name where there is no dot."""
        return self.instance_type.partition(".")[0]


@functools.cache
def rows() -> Mapping[str, CatalogueRow]:
    """Give the catalogue: instance type → row, in the order of the table."""
    table = resources.files("webhook.world").joinpath("data/catalogue.csv")
    with table.open(encoding="utf-8") as lines:
        found = {entry["instance_type"]: _row(entry) for entry in csv.DictReader(lines)}
    return MappingProxyType(found)


def row_of(instance_type: str) -> CatalogueRow | None:
    """Give the row of an instance type, None when the catalogue does not have it."""
    return rows().get(instance_type)


def devices_of(instance_type: str, dynamic_mig: bool | None = None) -> tuple[CelDevice, ...] | None:
    """Give the whole GPUs that a node of the type would publish; None for an unknown type.

    `dynamic_mig`: the driver's gate DynamicMIG, None when unknown (then the figures are those
    without it). Attributes that cannot be known are left out: see `unknown_attributes`.
    """
    row = row_of(instance_type)
    if row is None:
        return None
    memory = row.memory_mib
    if dynamic_mig and row.memory_dynamic_mig_mib is not None:
        memory = row.memory_dynamic_mig_mib
    roots = row.pcie_roots
    return tuple(
        _device(
            row.product_name,
            row.brand,
            row.architecture,
            row.cuda_compute_capability,
            roots[min(index, len(roots) - 1)] if roots else "",
            memory,
        )
        for index in range(row.gpu_count)
    )


def unknown_of(instance_type: str, dynamic_mig: bool | None = None) -> frozenset[str]:
    """Give what the catalogue cannot know of a type's devices: names without domain.

    Under DynamicMIG that includes the engine and multiprocessor capacities of whole GPUs.
    """
    row = row_of(instance_type)
    if row is None:
        return UNKNOWN_ATTRIBUTES
    known_by_mig = MIG_CAPACITIES if dynamic_mig and row.mig_capable else frozenset()
    return row.unknown_attributes | known_by_mig


def types_with(
    predicate: Callable[[CelDevice], bool],
    *,
    provider: str = "",
    dynamic_mig: bool | None = None,
) -> tuple[str, ...]:
    """Name the instance types of which some device satisfies the predicate, in table order.

    The predicate is asked once for each distinct device of the whole catalogue.
    """
    answers: dict[int, bool] = {}

    def holds(device: CelDevice) -> bool:
        # Equal devices of the catalogue are one object, so identity is enough.
        if id(device) not in answers:
            answers[id(device)] = predicate(device)
        return answers[id(device)]

    return tuple(
        row.instance_type
        for row in rows().values()
        if not provider or row.provider == provider
        if any(holds(device) for device in devices_of(row.instance_type, dynamic_mig) or ())
    )


def has_no_gpu(instance_type: str) -> bool:
    """Tell whether a type certainly brings no NVIDIA GPU; a type not recognised may bring one.

    `m6i.*` (a family) is understood too.
    """
    return instance_type not in rows() and _WITHOUT_GPU.fullmatch(instance_type) is not None


def memory_quantity(mib: int) -> str:
    """Write mebibytes as Kubernetes does: 40960 → `40Gi`, 23028 → `23028Mi`.

    The canonical form (apimachinery 1.36 `resource.Quantity`) takes the largest binary suffix
    that leaves a whole number.
    """
    amount, suffixes = mib, ["Mi", "Gi", "Ti"]
    position = 0
    while position < len(suffixes) - 1 and amount and amount % 1024 == 0:
        amount //= 1024
        position += 1
    return f"{amount}{suffixes[position]}"


def _row(entry: Mapping[str, str]) -> CatalogueRow:
    return CatalogueRow(
        provider=entry["provider"],
        instance_type=entry["instance_type"],
        product_name=entry["product_name"],
        gpu_count=int(entry["gpu_count"]),
        memory_mib=_number(entry["memory_mib"]),
        memory_dynamic_mig_mib=_number(entry["memory_dynamic_mig_mib"]),
        architecture=entry["architecture"],
        cuda_compute_capability=entry["cuda_compute_capability"],
        brand=entry["brand"],
        mig_capable=entry["mig_capable"] == "yes",
        nvlink_fabric=entry["nvlink_fabric"] == "yes",
        vgpu=entry["vgpu"] == "yes",
        arch=entry["arch"],
        pcie_roots=tuple(entry["pcie_roots"].split()),
        documented=entry["confidence"] == "documented",
    )


def _number(text: str) -> int | None:
    return int(text) if text else None


@functools.cache
def _device(
    product: str,
    brand: str,
    architecture: str,
    capability: str,
    pcie_root: str,
    memory_mib: int | None,
) -> CelDevice:
    attributes = {
        "type": Attribute("string", "gpu"),
        "productName": Attribute("string", product),
        "brand": Attribute("string", brand),
        "architecture": Attribute("string", architecture),
        "cudaComputeCapability": Attribute("version", capability),
    }
    if pcie_root:
        attributes[PCIE_ROOT] = Attribute("string", pcie_root)
    capacity = {} if memory_mib is None else {"memory": memory_quantity(memory_mib)}
    return CelDevice(GPU_DRIVER, MappingProxyType(attributes), MappingProxyType(capacity))
