"""What a selector reads of a device: static analysis, for grouping devices.

A fleet of many thousand devices has few distinct ones as far as one selector can see. Two devices
that agree on everything in `Reads` have the same outcome, so one evaluation does for a group.

The walk knows five things a sub-expression can be: the device, one of its two outer maps, the map
of one domain, a constant text, or anything else. As long as the first three are only selected from
by constants, the reads are known exactly; where one of them goes anywhere else (a function, a list,
an iteration, a comparison), everything is read.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final, Literal, TypeAlias

from webhook.cel import ast
from webhook.cel.device import Attribute, Device

Key: TypeAlias = "tuple[object, ...]"


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

    def key(self, device: Device) -> Key:
        """Return a hashable key: devices of equal keys have equal outcomes."""
        if self.everything:
            return _whole(device)
        parts: list[object] = [_faults(device)]
        if self.driver:
            parts.append(device.driver)
        if self.allow_multiple:
            parts.append(device.allow_multiple_allocations)
        parts.extend(
            tuple(map(_attribute_key, candidates(device.attributes, device.driver, *read)))
            for read in _ordered(self.attributes)
        )
        parts.extend(
            candidates(device.capacity, device.driver, *read) for read in _ordered(self.capacity)
        )
        return tuple(parts)


@lru_cache(maxsize=1024)
def _ordered(reads: frozenset[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
    return tuple(sorted(reads))


NOTHING: Final = Reads()
EVERYTHING: Final = Reads(driver=True, allow_multiple=True, everything=True)


def candidates(
    values: Mapping[str, object], driver: str, domain: str, name: str
) -> tuple[object, ...]:
    """Return what a device has under (domain, name): nothing, one value, or two that collide.

    Names without a slash belong to the driver's domain, others are split at the first slash; where
    a device has both forms, Kubernetes takes either (Go's map order).
    """
    found: list[object] = []
    if domain == driver and "/" not in name and name in values:
        found.append(values[name])
    if "/" not in domain:
        qualified = f"{domain}/{name}"
        if qualified in values:
            found.append(values[qualified])
    return tuple(found)


def _attribute_key(attribute: object) -> object:
    # repr, because values come from outside: 1, True and 1.0 are equal, and a mapping has no hash.
    if isinstance(attribute, Attribute):
        return (attribute.kind, repr(attribute.value))
    return repr(attribute)


def _whole(device: Device) -> Key:
    key = device.cache.get("reads.whole")
    if not isinstance(key, tuple):
        key = (
            device.driver,
            device.allow_multiple_allocations,
            tuple((n, _attribute_key(a)) for n, a in device.attributes.items()),
            tuple(device.capacity.items()),
        )
        device.cache["reads.whole"] = key
    return key


def _faults(device: Device) -> Key:
    """Return what may fail the conversion of the whole device, whatever is read of it."""
    key = device.cache.get("reads.faults")
    if not isinstance(key, tuple):
        key = tuple(
            (name, _attribute_key(attribute))
            for name, attribute in device.attributes.items()
            if attribute.kind not in {"int", "bool", "string"} and not _sound_version(attribute)
        ) + tuple(item for item in device.capacity.items() if not _plain_quantity(item[1]))
        device.cache["reads.faults"] = key
    return key


def _sound_version(attribute: Attribute) -> bool:
    """Tell versions that certainly parse; every other one counts as a fault of its own."""
    if attribute.kind != "version" or not isinstance(attribute.value, str):
        return False
    numbers = attribute.value.split(".")
    return len(numbers) == 3 and all(
        n.isascii() and n.isdigit() and len(n) < 16 and (n == "0" or n[0] != "0") for n in numbers
    )


def _plain_quantity(text: str) -> bool:
    digits = text.rstrip("KMGTPEi")
    return digits.isascii() and digits.isdigit()


Leaf: TypeAlias = (
    "tuple[Literal['driver', 'allowMultipleAllocations', 'attribute', 'capacity'], str, str]"
)
"""One thing that is read: its part, domain and name."""

_Part: TypeAlias = Literal["device", "attributes", "capacity", "domain", "text", "other"]


@dataclass(frozen=True, slots=True)
class _Place:
    """What a sub-expression is; `text` is a domain's name or a constant."""

    part: _Part
    text: str = ""
    of: Literal["attributes", "capacity"] = "attributes"
    optional: bool = False
    read: Leaf | None = None
    """Which leaf the value is, behind functions that do not change what it says."""


_OTHER: Final = _Place("other")
_SAME_READ: Final = frozenset({"orValue", "value", "lowerAscii", "upperAscii", "trim", "dyn"})


@dataclass(slots=True)
class _Walk:
    driver: bool = False
    attributes: set[tuple[str, str]] = field(default_factory=set)
    capacity: set[tuple[str, str]] = field(default_factory=set)
    allow_multiple: bool = False
    everything: bool = False
    scopes: dict[str, list[_Place]] = field(default_factory=dict)
    leaves: dict[int, Leaf] = field(default_factory=dict)

    def visit(self, e: ast.Expr) -> _Place:
        place = self._visit(e)
        if place.read is not None:
            self.leaves[e.id] = place.read
        return place

    def _visit(self, e: ast.Expr) -> _Place:
        match e:
            case ast.Literal(value=value):
                return _Place("text", value) if isinstance(value, str) else _OTHER
            case ast.Ident(name=name):
                return self._name(name)
            case ast.Select():
                return self._step(self.visit(e.operand), e.field, test_only=e.test_only)
            case ast.Call():
                return self._call(e)
            case ast.ListExpr():
                for element in e.elements:
                    self.leave(element)
            case ast.MapExpr() | ast.Struct():
                for entry in e.entries:
                    if not isinstance(entry.key, str):
                        self.leave(entry.key)
                    self.leave(entry.value)
            case ast.Comprehension():
                return self._comprehension(e)
        return _OTHER

    def leave(self, e: ast.Expr) -> None:
        """Visit a sub-expression whose value goes where it cannot be followed."""
        if self.visit(e).part not in {"text", "other"}:
            self.everything = True

    def _name(self, name: str) -> _Place:
        plain = name.lstrip(".")
        stack = self.scopes.get(plain)
        if stack:
            if plain != name:
                # From the root or the local one? Versions of cel-go differ; so take both.
                self.everything = True
            return stack[-1]
        return _Place("device") if plain == "device" else _OTHER

    def _step(
        self, place: _Place, name: str, *, test_only: bool = False, optional: bool = False
    ) -> _Place:
        optional = optional or place.optional
        match place.part:
            case "device":
                if name == "driver":
                    self.driver = True
                    return _Place("other", read=("driver", "", ""))
                if name == "allowMultipleAllocations":
                    self.allow_multiple = True
                    return _Place("other", read=("allowMultipleAllocations", "", ""))
                if name == "attributes":
                    return _Place("attributes", optional=optional)
                if name == "capacity":
                    return _Place("capacity", optional=optional)
                return _OTHER
            case "attributes" | "capacity":
                if place.optional:
                    # Through an optional the outer map hands out no empty map (cel-go 0.26).
                    self.everything = True
                if test_only:
                    return _OTHER
                return _Place("domain", name, place.part, optional)
            case "domain":
                reads = self.attributes if place.of == "attributes" else self.capacity
                reads.add((place.text, name))
                if not test_only:
                    part: Literal["attribute", "capacity"] = (
                        "attribute" if place.of == "attributes" else "capacity"
                    )
                    return _Place("other", read=(part, place.text, name))
        return _OTHER

    def _call(self, e: ast.Call) -> _Place:
        if e.function in {"_[_]", "_[?_]", "_?._"} and len(e.args) == 2:
            base = self.visit(e.args[0])
            key = self.visit(e.args[1])
            if key.part == "text":
                return self._step(base, key.text, optional=e.function != "_[_]")
            if base.part not in {"text", "other"} or key.part != "other":
                self.everything = True
            return _OTHER
        if e.function == "@in" and len(e.args) == 2:
            item = self.visit(e.args[0])
            holder = self.visit(e.args[1])
            if item.part == "text" and holder.part == "domain" and not holder.optional:
                self._step(holder, item.text)
            elif {item.part, holder.part} - {"text", "other"}:
                self.everything = True
            return _OTHER
        if e.function == "dyn" and e.target is None and len(e.args) == 1:
            return self.visit(e.args[0])
        read = None
        if e.target is not None:
            self.leave(e.target)
            read = self.leaves.get(e.target.id) if e.function in _SAME_READ else None
        for arg in e.args:
            self.leave(arg)
        return _Place("other", read=read)

    def _comprehension(self, e: ast.Comprehension) -> _Place:
        self.leave(e.range)
        if isinstance(e.range, ast.ListExpr) and not e.range.elements:
            # cel.bind and its like never run the loop, so the variable stays what it began as;
            # but cel-go replaces an empty map by one of its own, which hands out no defaults.
            bound = self.visit(e.accu_init)
            if bound.part in {"attributes", "capacity"}:
                self.everything = True
            self._push(e.accu_var, bound)
            place = self.visit(e.result)
            self.scopes[e.accu_var].pop()
            return place
        self.leave(e.accu_init)
        self._push(e.accu_var, _OTHER)
        names = [name for name in (e.iter_var, e.iter_var2) if name]
        for name in names:
            self._push(name, _OTHER)
        self.leave(e.condition)
        self.leave(e.step)
        for name in names:
            self.scopes[name].pop()
        self.leave(e.result)
        self.scopes[e.accu_var].pop()
        return _OTHER

    def _push(self, name: str, place: _Place) -> None:
        self.scopes.setdefault(name, []).append(place)


def leaves_of(tree: ast.Expr) -> Mapping[int, Leaf]:
    """Return which nodes of a tree have the value of an attribute, a capacity or the driver."""
    walk = _Walk()
    walk.leave(tree)
    return walk.leaves


def reads_of(tree: ast.Expr) -> Reads:
    """Return what a tree reads; the tree must have been parsed, types do not matter."""
    walk = _Walk()
    walk.leave(tree)
    return Reads(
        driver=walk.driver or walk.everything,
        attributes=frozenset(walk.attributes),
        capacity=frozenset(walk.capacity),
        allow_multiple=walk.allow_multiple or walk.everything,
        everything=walk.everything,
    )
