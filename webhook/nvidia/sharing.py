"""The `sharing` block: strategies, their gates, their values, and what the kubelet plugin refuses.

Everything here is known without hardware. Sources: `Validate` and `Normalize` (sharing.go) and the
prepare path (`cmd/gpu-kubelet-plugin/sharing.go`) of dra-driver-nvidia-gpu, v25.3.2 to main of
August 2026.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from webhook.kube.json import dumps
from webhook.kube.names import nearest
from webhook.kube.types import Path
from webhook.nvidia.gates import is_at_least
from webhook.nvidia.kinds import INTERVALS, STRATEGIES, STRATEGY_GATES, Kind
from webhook.nvidia.quantities import limit_mib
from webhook.nvidia.types import DriverState, ParameterFault

_BLOCKS: Final = {"TimeSlicing": "timeSlicingConfig", "MPS": "mpsConfig"}
_UUID: Final = re.compile(r"(GPU|MIG)-[0-9A-Fa-f-]{8,}")
CHART: Final = "dra-driver-nvidia-gpu"


def _json(value: object) -> str:
    return dumps(value).decode("utf-8", "replace")[:80]


def sharing_faults(
    sharing: Mapping[str, Any], kind: Kind, state: DriverState
) -> Iterator[ParameterFault]:
    """Judge a `sharing` object; types that do not fit were reported by the decoder."""
    strategy = sharing.get("strategy")
    if strategy is not None and not isinstance(strategy, str):
        return
    if strategy not in STRATEGIES:
        yield _unknown_strategy(strategy)
        return
    gate = list(gate_fault(strategy, state))
    yield from gate
    yield from _mixed(sharing, strategy)
    block = sharing.get(_BLOCKS[strategy])
    if strategy == "TimeSlicing":
        if isinstance(block, Mapping) and "timeSlicingConfig" in _fields(kind):
            yield from _interval(block, gate_off=any(f.action == "deny" for f in gate))
    elif isinstance(block, Mapping):
        yield from _mps(block)


def _fields(kind: Kind) -> Mapping[str, Any]:
    sharing = kind.fields.get("sharing")
    return sharing.fields if sharing is not None else {}


def _unknown_strategy(strategy: str | None) -> ParameterFault:
    near = nearest(strategy or "", STRATEGIES, 1)
    if not near and strategy:
        near = tuple(s for s in STRATEGIES if s.lower() == strategy.lower().replace("-", ""))
    return ParameterFault(
        "share-unknown-strategy",
        "deny",
        ("sharing", "strategy"),
        f"{_json(strategy)} is no sharing strategy" if strategy else "names no sharing strategy",
        f"strategies are {', '.join(STRATEGIES)} (case counts)",
        f"write strategy: {near[0]}" if near else f"write one of {', '.join(STRATEGIES)}",
    )


def gate_fault(strategy: str, state: DriverState) -> Iterator[ParameterFault]:
    """Say that the strategy's gate is off, or may be off; silent on 25.3, which has no gates."""
    gate = STRATEGY_GATES[strategy]
    if not is_at_least(state.line, "25.8"):
        return
    version = state.version or state.line
    if state.gates is None:
        yield ParameterFault(
            "gate-off",
            "warn",
            ("sharing", "strategy"),
            f"asks for {strategy}, whose feature gate {gate} is off by default",
            f"not checked: the driver's gates are unknown ({state.source})",
            f"make sure that featureGates.{gate}: true is set in the values of {CHART}, or leave "
            "out sharing",
        )
    elif not state.gates.get(gate, False):
        yield ParameterFault(
            "gate-off",
            "deny",
            ("sharing", "strategy"),
            f"asks for {strategy}, whose feature gate is off",
            f"{gate}=false on driver {version} ({state.source})",
            f"set featureGates.{gate}: true in the values of {CHART} (alpha, off by default), or "
            "leave out sharing",
        )


def _mixed(sharing: Mapping[str, Any], strategy: str) -> Iterator[ParameterFault]:
    other = next(block for name, block in _BLOCKS.items() if name != strategy)
    if sharing.get(other) is not None:
        yield ParameterFault(
            "share-mixed-strategy",
            "deny",
            ("sharing", other),
            f"does not belong to strategy {strategy}: the driver refuses both together",
            f"strategy: {strategy} and {other}: {_json(sharing[other])}",
            f"leave {other} out, or write the other strategy",
        )


def _interval(block: Mapping[str, Any], *, gate_off: bool) -> Iterator[ParameterFault]:
    path = ("sharing", "timeSlicingConfig")
    interval = block.get("interval")
    if interval is None:
        if not gate_off and not set(block) - {"interval"}:
            yield ParameterFault(
                "share-empty-time-slicing",
                "deny",
                path,
                "has no interval: this crashes the driver",
                f"timeSlicingConfig: {_json(dict(block))}",
                "leave timeSlicingConfig out (the interval is then Default), or write interval: "
                "Default",
            )
        return
    if isinstance(interval, str) and interval not in INTERVALS:
        near = nearest(interval, INTERVALS, 1)
        yield ParameterFault(
            "share-unknown-interval",
            "deny",
            (*path, "interval"),
            f'"{interval}" is no time-slice interval',
            f"intervals are {', '.join(INTERVALS)} (case counts)",
            f"write interval: {near[0]}" if near else f"write one of {', '.join(INTERVALS)}",
        )


def _mps(block: Mapping[str, Any]) -> Iterator[ParameterFault]:
    path: Path = ("sharing", "mpsConfig")
    percentage = block.get("defaultActiveThreadPercentage")
    if (
        isinstance(percentage, int | float)
        and not isinstance(percentage, bool)
        and not 0 <= percentage <= 100
    ):
        yield ParameterFault(
            "share-thread-percentage",
            "deny",
            (*path, "defaultActiveThreadPercentage"),
            f"is {percentage}, outside 0 to 100",
            f"the value {percentage}",
            f"write a number from 0 to 100, e.g. {100 if percentage > 100 else 0}",
        )
    limit = block.get("defaultPinnedDeviceMemoryLimit")
    if limit is not None:
        yield from _limit(limit, (*path, "defaultPinnedDeviceMemoryLimit"))
    per_device = block.get("defaultPerDevicePinnedMemoryLimit")
    if isinstance(per_device, Mapping):
        for key, amount in per_device.items():
            yield from _limit(amount, (*path, "defaultPerDevicePinnedMemoryLimit", key))
            yield from _device_key(str(key), (*path, "defaultPerDevicePinnedMemoryLimit", key))


def _limit(value: Any, path: Path) -> Iterator[ParameterFault]:
    if isinstance(value, bool | Mapping | list):
        return
    amount = limit_mib(value)
    if amount is not None and amount < 1:
        yield ParameterFault(
            "share-memory-limit",
            "deny",
            path,
            f"{_json(value)} is too low: the driver counts whole MiB",
            f"it becomes {amount}M, the minimum is 1Mi",
            "write 1Mi or more",
        )


def _device_key(key: str, path: Path) -> Iterator[ParameterFault]:
    if re.fullmatch(r"[+-]?\d+", key) is not None:
        if int(key) < 0:
            yield ParameterFault(
                "share-device-key",
                "deny",
                path,
                f'"{key}" is no index of a device',
                "indices count from 0 through the sorted UUIDs of the claim's devices",
                'write "0" for the first device',
            )
        return
    if _UUID.match(key) is not None:
        yield ParameterFault(
            "share-device-key",
            "warn",
            path,
            f'"{key}" names one device, but the scheduler chooses which device the claim gets',
            "prepare fails on any other device",
            'write an index such as "0", or defaultPinnedDeviceMemoryLimit for all',
        )
        return
    yield ParameterFault(
        "share-device-key",
        "deny",
        path,
        f'"{key}" is neither a whole number nor the UUID of a GPU',
        "keys are indices (from 0 through the sorted UUIDs of the claim's devices) or UUIDs",
        'write "0" for the first device, or defaultPinnedDeviceMemoryLimit for all',
    )
