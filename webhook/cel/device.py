"""A device as a selector sees it: all that this floor knows of Kubernetes objects."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Final, TypeAlias

AttributeKind: TypeAlias = str
"""int, bool, string, version, or their list forms ints, bools, strings, versions."""

_ORDER: Final = ("int", "bool", "string", "version", "ints", "bools", "strings", "versions")


@dataclass(frozen=True, slots=True)
class Attribute:
    """One attribute value as the API has it: `kind` is the field that is set.

    `value` is an int, bool, str (string and version) or a tuple of these; kind "" means that no
    known field is set, which makes the whole device fail when it is converted.
    """

    kind: AttributeKind
    value: Any


@dataclass(frozen=True, slots=True, eq=False)
class Device:
    """A device of one driver: names as in the ResourceSlice (unqualified or `domain/name`).

    `capacity` maps names to quantity text. Compared and hashed by identity; whoever groups devices
    builds keys of the parts that matter.
    """

    driver: str
    attributes: Mapping[str, Attribute] = field(default_factory=lambda: MappingProxyType({}))
    capacity: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    allow_multiple_allocations: bool = False
    cache: dict[object, object] = field(default_factory=dict, repr=False)
    """Private to the evaluator: the device's CEL binding, built at the first evaluation."""

    @classmethod
    def from_api(cls, driver: str, device: Mapping[str, Any]) -> Device:
        """Read a device as it stands in a ResourceSlice (v1, v1beta2, or v1beta1's `basic`)."""
        body = device.get("basic") if isinstance(device.get("basic"), Mapping) else device
        assert body is not None  # noqa: S101 - isinstance above
        attributes: dict[str, Attribute] = {}
        raw_attributes = body.get("attributes")
        if isinstance(raw_attributes, Mapping):
            for name, raw in raw_attributes.items():
                attributes[str(name)] = _attribute(raw)
        capacity: dict[str, str] = {}
        raw_capacity = body.get("capacity")
        if isinstance(raw_capacity, Mapping):
            for name, raw in raw_capacity.items():
                value = raw.get("value") if isinstance(raw, Mapping) else raw
                capacity[str(name)] = str(value)
        return cls(
            driver=driver,
            attributes=MappingProxyType(attributes),
            capacity=MappingProxyType(capacity),
            allow_multiple_allocations=body.get("allowMultipleAllocations") is True,
        )


def _attribute(raw: object) -> Attribute:
    if isinstance(raw, Mapping):
        for kind in _ORDER:
            value = raw.get(kind)
            if value is not None:
                return Attribute(kind, tuple(value) if isinstance(value, list) else value)
    return Attribute("", None)
