"""What a selector reads of a device: static analysis, for grouping devices.

A fleet of many thousand devices has few distinct ones as far as one selector can see. Two devices
that agree on everything in `Reads` have the same outcome, so one evaluation does for a group.
"""

from __future__ import annotations

from dataclasses import dataclass

from webhook.cel.device import Device


@dataclass(frozen=True, slots=True)
class Reads:
    """The parts of a device that can decide a selector's outcome.

    `attributes` and `capacity` hold (domain, name); an unqualified name in a ResourceSlice belongs
    to the domain of its driver. `everything` is set when the reads cannot be bounded (a dynamic
    index, iteration over a map, `"x" in device.attributes`, `size`); the other fields then hold
    what was found, for explanations.
    """

    driver: bool = False
    attributes: frozenset[tuple[str, str]] = frozenset()
    capacity: frozenset[tuple[str, str]] = frozenset()
    allow_multiple: bool = False
    everything: bool = False

    def key(self, device: Device) -> tuple[object, ...]:
        """Return a hashable key: devices of equal keys have equal outcomes."""
        return (id(device),)


EVERYTHING = Reads(driver=True, allow_multiple=True, everything=True)
NOTHING = Reads()
