"""Feature gates of the driver by line: defaults, what needs and excludes what, and their text form.

Lines are those of kubernetes-sigs/dra-driver-nvidia-gpu: 25.3 (no gates), 25.8, 25.12, 0.4 and 0.5
(`pkg/featuregates` at v25.8.1, v25.12.0, v0.4.1 and main of August 2026).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

LINES: Final = ("25.3", "25.8", "25.12", "0.4", "0.5")
"""Oldest first; the gate library numbers them 0.1 to 0.5."""
NEWEST: Final = LINES[-1]


@dataclass(frozen=True, slots=True)
class Gate:
    """One gate: its default, its stage, the first line that has it, and what it is for."""

    name: str
    default: bool
    stage: str
    since: str
    meaning: str


GATES: Final = (
    Gate("TimeSlicingSettings", False, "alpha", "25.8", "explicit time slices"),
    Gate("MPSSupport", False, "alpha", "25.8", "MPS sharing"),
    Gate("IMEXDaemonsWithDNSNames", True, "beta", "25.8", "IMEX daemons found by name"),
    Gate("PassthroughSupport", False, "alpha", "25.12", "vfio devices"),
    Gate("DynamicMIG", False, "alpha", "25.12", "MIG partitions on demand"),
    Gate("NVMLDeviceHealthCheck", False, "alpha", "25.12", "taints on unhealthy devices"),
    Gate("ComputeDomainCliques", True, "beta", "25.12", "cliques of compute domains"),
    Gate("CrashOnNVLinkFabricErrors", True, "beta", "25.12", "stop on fabric errors"),
    Gate("DeviceMetadata", False, "alpha", "0.4", "device metadata for containers"),
    Gate("FabricManagerPartitioning", False, "alpha", "0.5", "fabric partitions"),
    Gate("HostManagedIMEXDaemon", False, "alpha", "0.5", "IMEX managed by the host"),
    Gate("ConsumableShares", False, "alpha", "0.5", "consumable shares of a GPU"),
    Gate("DRAListTypeAttributes", False, "alpha", "0.5", "list attributes"),
)


@dataclass(frozen=True, slots=True)
class Conflict:
    """Two gates that the driver refuses at start: `gate` is on, `other` is on (or must be)."""

    gate: str
    other: str
    excludes: bool
    text: str


_EXCLUDES: Final = (
    ("DynamicMIG", "PassthroughSupport", "25.12"),
    ("DynamicMIG", "NVMLDeviceHealthCheck", "25.12"),
    ("DynamicMIG", "MPSSupport", "25.12"),
    ("PassthroughSupport", "NVMLDeviceHealthCheck", "0.4"),
)
_REQUIRES: Final = (
    ("ComputeDomainCliques", "IMEXDaemonsWithDNSNames", "25.12"),
    ("DeviceMetadata", "PassthroughSupport", "0.4"),
)

_CHARTS: Final = {"26.0.0": "0.5.0", "26.4": "0.4"}
"""Chart lines with numbers of their own (Giant Swarm; announced numbers) → upstream version."""


def is_at_least(line: str, since: str) -> bool:
    """Whether a driver line is `since` or newer."""
    return LINES.index(line) >= LINES.index(since)


def line_of(version: str) -> str:
    """Give the driver line of an upstream version text; the newest for one that is not known.

    `v0.5.0-ubi9`, `25.3.2-flatcar.1` and `25.12.0-dev` are understood.
    """
    found = re.match(r"v?(\d+)\.(\d+)", version.strip())
    if found is None:
        return NEWEST
    major, minor = int(found[1]), int(found[2])
    if major == 0:
        numbered = {1: "25.3", 2: "25.8", 3: "25.12", 4: "0.4", 5: "0.5"}
        return numbered.get(minor, NEWEST)
    if major == 25:
        return "25.3" if minor < 8 else "25.8" if minor < 12 else "25.12"
    if major == 26:
        return "0.4" if minor == 4 else NEWEST
    return "25.3" if major < 25 else NEWEST


def upstream_of_chart(chart: str) -> str:
    """Give the upstream version that a chart version packages; empty when not known."""
    text = chart.removeprefix("v")
    if text in _CHARTS:
        return _CHARTS[text]
    return text if re.match(r"(25\.\d+|0\.\d+)\.", text) else ""


def gates_of(line: str) -> tuple[Gate, ...]:
    """Give the gates that a driver line has."""
    return tuple(gate for gate in GATES if is_at_least(line, gate.since))


def effective(line: str, given: Mapping[str, bool]) -> Mapping[str, bool]:
    """Give every gate of the line with its value; an explicit name beats AllAlpha and AllBeta."""
    values: dict[str, bool] = {}
    for gate in gates_of(line):
        group = "AllAlpha" if gate.stage == "alpha" else "AllBeta"
        values[gate.name] = given.get(gate.name, given.get(group, gate.default))
    return values


def conflicts(line: str, gates: Mapping[str, bool]) -> tuple[Conflict, ...]:
    """Give the combinations with which a driver of this line does not start."""
    found = [
        Conflict(
            gate,
            other,
            True,
            f"feature gate {gate} is currently mutually exclusive with {other}",
        )
        for gate, other, since in _EXCLUDES
        if is_at_least(line, since) and gates.get(gate) and gates.get(other)
    ]
    found += [
        Conflict(gate, other, False, f"feature gate {gate} requires {other} to also be enabled")
        for gate, other, since in _REQUIRES
        if is_at_least(line, since) and gates.get(gate) and gates.get(other) is False
    ]
    return tuple(found)


class GateTextError(ValueError):
    """A FEATURE_GATES text with which the plugin does not start; the message names the item."""


def parse_gates(text: str) -> Mapping[str, bool]:
    """Read `A=true,B=false,` as the driver does (k8s.io/component-base featuregate).

    White space around names and values is trimmed, an empty item is skipped, the later of two equal
    names wins. Raises GateTextError for an item without `=` or a boolean that strconv refuses.
    """
    gates: dict[str, bool] = {}
    for item in text.split(","):
        if not item.strip():
            continue
        name, equals, value = (part.strip() for part in item.partition("="))
        if not equals:
            raise GateTextError(f'missing bool value for "{name}"')
        if value in {"1", "t", "T", "TRUE", "true", "True"}:
            gates[name] = True
        elif value in {"0", "f", "F", "FALSE", "false", "False"}:
            gates[name] = False
        else:
            raise GateTextError(f'invalid value of "{name}={value}"')
    return gates
