"""Why a selector matches what it matches: over a set of devices, in the set's own values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from webhook.cel.compile import Outcome, Selector
from webhook.cel.device import Device

Part: TypeAlias = Literal["driver", "attribute", "capacity", "allowMultipleAllocations"]


@dataclass(frozen=True, slots=True)
class Read:
    """One thing a selector reads; `domain` and `name` are empty for driver and the flag.

    `name` is empty too when only the domain is known.
    """

    part: Part
    domain: str = ""
    name: str = ""

    @property
    def text(self) -> str:
        """Write it as a selector does, `device.attributes["gpu.nvidia.com"].productName`."""
        if self.part == "driver":
            return "device.driver"
        if self.part == "allowMultipleAllocations":
            return "device.allowMultipleAllocations"
        word = "attributes" if self.part == "attribute" else "capacity"
        base = f'device.{word}["{self.domain}"]'
        return f"{base}.{self.name}" if self.name else base


@dataclass(frozen=True, slots=True)
class ExplainedGroup:
    """Devices that the selector cannot tell apart: how many, which, what it saw and said.

    `indices` point into the devices given; `values` are (read, value text), value None when the
    device lacks it; `conjuncts` holds one outcome per top-level && term.
    """

    count: int
    indices: tuple[int, ...]
    outcome: Outcome
    values: tuple[tuple[Read, str | None], ...]
    conjuncts: tuple[Outcome, ...]


@dataclass(frozen=True, slots=True)
class Conjunct:
    """One top-level && term: its text, and what it says of the whole set.

    `only_excluder` counts devices that match in every other term: mending this one term would let
    them in.
    """

    text: str
    offset: int
    matches: int
    excludes: int
    errors: int
    only_excluder: int


@dataclass(frozen=True, slots=True)
class Comparison:
    """A read compared with a literal: `wanted` in value text, and the nearest value that is there.

    `operator` is the CEL function: `==`, `in`, `compareTo`, `startsWith`, `matches` …
    `satisfied` counts devices whose value equals the wanted one (for == and in only).
    """

    read: Read
    operator: str
    wanted: tuple[str, ...]
    nearest: str | None
    offset: int


@dataclass(frozen=True, slots=True)
class ReadValues:
    """What the set has for one read: (value text, count), most frequent first.

    `missing` counts devices without it. `nearest` is the nearest thing that devices do have when
    none has this one: another name, domain, or part (an attribute sought in capacity).
    """

    read: Read
    values: tuple[tuple[str, int], ...]
    missing: int
    nearest: Read | None


@dataclass(frozen=True, slots=True)
class RaisedError:
    """A run-time error: such a device aborts the scheduling of the whole pod on its node."""

    text: str
    count: int
    indices: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Explanation:
    """The answer of `explain`: counts are of devices (the counts given are summed)."""

    total: int
    matching: int
    false: int
    failing: int
    groups: tuple[ExplainedGroup, ...]
    conjuncts: tuple[Conjunct, ...]
    comparisons: tuple[Comparison, ...]
    reads: tuple[ReadValues, ...]
    errors: tuple[RaisedError, ...]


def explain(selector: Selector, devices: Sequence[tuple[Device, int]]) -> Explanation:
    """Explain a selector over devices, each standing for a number of equal ones."""
    total = sum(count for _, count in devices)
    return Explanation(total, 0, 0, total, (), (), (), (), ())
