"""What a set of devices has: domains, names and values with counts, in the words of selectors."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal, TypeAlias

from webhook.cel.device import Attribute, Device
from webhook.cel.nearest import nearest
from webhook.cel.reads import candidates

Part: TypeAlias = Literal["driver", "attribute", "capacity", "allowMultipleAllocations"]

_ESCAPES: Final = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t"}


def quote(text: str) -> str:
    """Write a text as a CEL string literal."""
    return '"' + "".join(_ESCAPES.get(c, c) for c in text) + '"'


@dataclass(frozen=True, slots=True)
class Read:
    """One thing that a selector reads; `domain` and `name` are empty for driver and the flag.

    `name` alone is empty for the whole map of a domain.
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
        base = f"device.{word}[{quote(self.domain)}]"
        return f"{base}{member(self.name)}" if self.name else base


_KEYWORDS: Final = frozenset({"in", "true", "false", "null"})


def member(name: str) -> str:
    """Write the access to a member: `.name`, or an index where the name is no identifier."""
    if name.isascii() and name.isidentifier() and name not in _KEYWORDS:
        return f".{name}"
    return f"[{quote(name)}]"


def value_text(value: object) -> str:
    """Write an attribute or a capacity as people compare it: texts in quotes, the rest plain."""
    if isinstance(value, str):
        return value
    if not isinstance(value, Attribute):
        return str(value)
    if isinstance(value.value, tuple):
        kind = value.kind.removesuffix("s")
        return "[" + ", ".join(value_text(Attribute(kind, one)) for one in value.value) + "]"
    if value.kind == "string" and isinstance(value.value, str):
        return quote(value.value)
    if isinstance(value.value, bool):
        return "true" if value.value else "false"
    return str(value.value)


def seen_value(device: Device, read: Read) -> str | None:
    """Return the text of what a device has for a read, None when it lacks it."""
    if read.part == "driver":
        return quote(device.driver)
    if read.part == "allowMultipleAllocations":
        return "true" if device.allow_multiple_allocations else "false"
    values = device.attributes if read.part == "attribute" else device.capacity
    found = candidates(values, device.driver, read.domain, read.name)
    return value_text(found[0]) if found else None


@dataclass(frozen=True, slots=True)
class Fleet:
    """An index over devices; `known` maps each attribute and capacity to its values with counts."""

    devices: tuple[tuple[Device, int], ...] = ()
    known: dict[Read, Counter[str]] = field(default_factory=dict)
    kinds: dict[Read, Counter[str]] = field(default_factory=dict)
    """Kinds (int, bool, string, version, …; quantity for capacity) by read, with counts."""

    @classmethod
    def of(cls, devices: Iterable[tuple[Device, int]]) -> Fleet:
        """Index devices, each standing for a number of equal ones."""
        fleet = cls(tuple(devices))
        for device, count in fleet.devices:
            for name, attribute in device.attributes.items():
                read = _read("attribute", device.driver, name)
                fleet._add(read, value_text(attribute), attribute.kind, count)
            for name, text in device.capacity.items():
                fleet._add(_read("capacity", device.driver, name), text, "quantity", count)
        return fleet

    def _add(self, read: Read, text: str, kind: str, count: int) -> None:
        self.known.setdefault(read, Counter())[text] += count
        self.kinds.setdefault(read, Counter())[kind] += count

    @property
    def total(self) -> int:
        """How many devices there are."""
        return sum(count for _, count in self.devices)

    def kind(self, read: Read) -> str | None:
        """Return the kind that most devices give to a read, None when none has it."""
        kinds = self.kinds.get(read)
        return kinds.most_common(1)[0][0] if kinds else None

    def domains(self) -> list[str]:
        """Return every domain that names belong to, and every driver, the commonest first."""
        counts: Counter[str] = Counter()
        for read, values in self.known.items():
            counts[read.domain] += values.total()
        for device, count in self.devices:
            counts[device.driver] += count
        return [domain for domain, _ in counts.most_common()]

    def names(self, part: Part, domain: str) -> list[str]:
        """Return the names of one domain."""
        return [r.name for r in self.known if r.part == part and r.domain == domain]

    def values(self, read: Read) -> list[tuple[str, int]]:
        """Return the values for a read with counts, the most frequent first, then by text."""
        if read.part in {"attribute", "capacity"}:
            counter = self.known.get(read, Counter())
        else:
            counter = Counter()
            for device, count in self.devices:
                counter[seen_value(device, read) or ""] += count
        return sorted(counter.items(), key=lambda item: (-item[1], item[0]))

    def nearest_read(self, read: Read) -> Read | None:
        """Return what devices do have that is nearest to a read that none has.

        First the same name in the other part or in another domain, then a like name in the same
        domain, then a like domain, then a like name anywhere.
        """
        if read.part not in {"attribute", "capacity"}:
            return None
        other: Part = "capacity" if read.part == "attribute" else "attribute"
        swapped = Read(other, read.domain, read.name)
        if swapped in self.known:
            return swapped
        like = nearest(read.name, self.names(read.part, read.domain))
        if like is not None:
            return Read(read.part, read.domain, like)
        for part in (read.part, other):
            homes = [r.domain for r in self.known if r.part == part and r.name == read.name]
            if homes:
                return Read(part, nearest(read.domain, homes) or homes[0], read.name)
        like = nearest(read.name, self.names(other, read.domain))
        if like is not None:
            return Read(other, read.domain, like)
        # `device.attributes["productName"].string`: a name where the domain belongs.
        for part in (read.part, other):
            for known in self.known:
                if known.part == part and nearest(read.domain, [known.name]) == known.name:
                    return known
        domain = nearest(read.domain, self.domains())
        if domain is not None and domain != read.domain:
            return self.nearest_read(Read(read.part, domain, read.name)) or None
        return None


def _read(part: Part, driver: str, name: str) -> Read:
    domain, slash, rest = name.partition("/")
    return Read(part, domain, rest) if slash else Read(part, driver, name)


def missing(devices: Sequence[tuple[Device, int]], read: Read) -> int:
    """Count the devices that lack a read."""
    return sum(count for device, count in devices if seen_value(device, read) is None)
