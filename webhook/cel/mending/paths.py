"""What a path into `device` was meant to read: domain, name and part, as far as it can be told.

`device.attributes["productName"].string` names an attribute where a domain belongs and a member
that does not exist; `device.attributes.gpu.nvidia.com.productName` takes a domain apart. Each
reading is tried against what the devices have, the literal one first.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from webhook.cel.fleet import Fleet, Part, Read, quote
from webhook.cel.nearest import nearest

SUFFIXES: Final = {
    "string": "string",
    "stringValue": "string",
    "str": "string",
    "text": "string",
    "int": "int",
    "intValue": "int",
    "integer": "int",
    "bool": "bool",
    "boolValue": "bool",
    "boolean": "bool",
    "version": "version",
    "versionValue": "version",
    "semver": "version",
    "quantity": "quantity",
    "value": "",
    "val": "",
    "raw": "",
}
"""Members that attributes and capacities do not have, with the kind of value they hint at."""

PARTS: Final[dict[str, Part]] = {
    "attributes": "attribute",
    "attribute": "attribute",
    "attrs": "attribute",
    "capacity": "capacity",
    "capacities": "capacity",
}


@dataclass(frozen=True, slots=True)
class Resolved:
    """A read, how many steps it took, the hint of a suffix dropped, and the faults.

    Faults are (kind, item): the doctor puts those of one kind into one clause.
    """

    read: Read
    used: int
    hint: str
    faults: tuple[tuple[str, str], ...]


def resolve(
    fleet: Fleet, default_domain: str | None, part: Part, steps: list[str]
) -> Resolved | None:
    """Resolve the steps after `device.attributes` or `device.capacity`; None if it stays as it is.

    None too where the path ends in a domain, or where the domain is missing and nobody says which.
    """
    domain, name_at, faults = _domain_and_name(fleet, default_domain, part, steps)
    if domain is None or name_at > len(steps):
        return None
    if "/" in steps[name_at - 1] and faults and faults[-1][0] == "qualified":
        name = steps[name_at - 1].partition("/")[2]
    else:
        name = steps[name_at - 1]
    read = Read(part, domain, name)
    used = name_at
    hint = ""
    while used < len(steps) and steps[used] in SUFFIXES:
        hint = hint or SUFFIXES[steps[used]]
        faults.append(("suffix", f".{steps[used]}"))
        used += 1
    if fleet.known and read not in fleet.known:
        meant = fleet.nearest_read(read)
        if meant is not None:
            faults.extend(_renamed(read, meant, faults))
            read = meant
    return Resolved(read, used, hint, tuple(faults))


def _domain_and_name(
    fleet: Fleet, default_domain: str | None, part: Part, steps: list[str]
) -> tuple[str | None, int, list[tuple[str, str]]]:
    """Return the domain, the number of steps up to and including the name, and the faults."""
    if not steps:
        return None, 0, []
    first = steps[0]
    domains = set(fleet.domains())
    if default_domain is not None:
        domains.add(default_domain)
    if first in domains and not (
        len(steps) > 1 and steps[1] in SUFFIXES and _is_name(fleet, first)
    ):
        return first, 2, []
    for length in range(2, len(steps) + 1):
        joined = ".".join(steps[:length])
        if joined in domains:
            return joined, length + 1, [("dotted", joined)]
    if "/" in first and (len(steps) == 1 or steps[1] in SUFFIXES):
        domain, _, name = first.partition("/")
        return domain, 1, [("qualified", first)] if name else []
    homes = [r.domain for r in fleet.known if r.name == first and r.part == part]
    homes += [r.domain for r in fleet.known if r.name == first and r.part != part]
    looks_like_name = "." not in first and (len(steps) == 1 or steps[1] in SUFFIXES)
    if homes and (len(steps) == 1 or steps[1] not in fleet.names(part, first)):
        home = default_domain if default_domain in homes else homes[0]
        return home, 1, [(f"domain {home}", first)]
    if looks_like_name and (not fleet.known or nearest(first, {r.name for r in fleet.known})):
        meant = default_domain if default_domain is not None else _only(fleet)
        return meant, 1, [(f"domain {meant}", first)]
    return first, 2, []


def _is_name(fleet: Fleet, word: str) -> bool:
    return any(r.name == word for r in fleet.known)


def _only(fleet: Fleet) -> str | None:
    drivers = {device.driver for device, _ in fleet.devices}
    return drivers.pop() if len(drivers) == 1 else None


def _renamed(read: Read, meant: Read, before: list[tuple[str, str]]) -> list[tuple[str, str]]:
    faults: list[tuple[str, str]] = []
    if meant.part != read.part:
        words = {"attribute": "an attribute", "capacity": "a capacity"}
        faults.append(("part", f"{meant.name} is {words[meant.part]}, not {words[read.part]}"))
    if meant.name != read.name:
        faults.append(("name", f"no device has {read.name}; the nearest name is {meant.name}"))
    if meant.domain != read.domain and not any(kind[:7] == "domain " for kind, _ in before):
        faults.append(("wrong domain", f"{meant.name} belongs to the domain {quote(meant.domain)}"))
    return faults
