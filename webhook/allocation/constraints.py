"""matchAttribute and distinctAttribute while devices are chosen one by one.

Follows kubernetes/dynamic-resource-allocation 0.34 to 0.37 (`matchAttributeConstraint`,
`distinctAttributeConstraint`). A constraint names its attribute as `domain/name`; devices publish
it so, or without the domain where that is the driver's.
"""

from __future__ import annotations

from typing import TypeAlias

from webhook.cel.device import Attribute
from webhook.kube.types import Constraint
from webhook.world.types import InventoryDevice

Values: TypeAlias = "tuple[str, frozenset[object]]"
"""(scalar kind, values): a scalar is a set of one."""

_SCALARS = {"ints": "int", "bools": "bool", "strings": "string", "versions": "version"}


def lookup(device: InventoryDevice, name: str) -> Attribute | None:
    """Find the attribute of a device by its full name."""
    found = device.cel.attributes.get(name)
    if found is not None:
        return found
    domain, separator, rest = name.partition("/")
    if not separator or domain != device.driver:
        return None
    return device.cel.attributes.get(rest)


def values_of(attribute: Attribute, *, lists: bool) -> Values | None:
    """Give the values to compare; None for what the allocator cannot compare."""
    if attribute.kind in _SCALARS:
        if not lists or not isinstance(attribute.value, tuple) or not attribute.value:
            return None
        return (_SCALARS[attribute.kind], frozenset(map(_plain, attribute.value)))
    if not attribute.kind:
        return None
    return (attribute.kind, frozenset({_plain(attribute.value)}))


def _plain(value: object) -> object:
    """Keep apart what Python calls equal (1 and True), and let nothing be unhashable."""
    if isinstance(value, str) or value.__class__ is int:
        return value
    return (str(type(value)), str(value))


class Tracker:
    """One constraint of a claim: `add` before a device is taken, `remove` when it is given back.

    `last_only`: distinctAttribute up to 1.36 remembers one value for each request, and forgets it
    when any device of that request is given back.
    """

    __slots__ = (
        "_by_request",
        "_count",
        "_distinct",
        "_last_only",
        "_lists",
        "_name",
        "_names",
        "_values",
        "constraint",
    )

    def __init__(self, constraint: Constraint, *, lists: bool, last_only: bool) -> None:
        self.constraint = constraint
        self._distinct = bool(constraint.distinct_attribute) and not constraint.match_attribute
        self._name = constraint.match_attribute or constraint.distinct_attribute
        self._names = frozenset(constraint.requests)
        self._lists = lists
        self._last_only = last_only
        self._count = 0
        self._values: list[Values | None] = []
        self._by_request: dict[str, Values | None] = {}

    def concerns(self, base: str, full: str) -> bool:
        """Whether the constraint speaks of this request (its own, or its parent's name)."""
        return not self._names or base in self._names or full in self._names

    def add(self, base: str, full: str, device: InventoryDevice) -> bool:
        """Take the device in, or say that the constraint forbids it."""
        if not self.concerns(base, full):
            return True
        attribute = lookup(device, self._name)
        if attribute is None:
            return False
        values = values_of(attribute, lists=self._lists)
        if self._distinct:
            return self._add_distinct(base, values)
        return self._add_equal(values)

    def _add_equal(self, values: Values | None) -> bool:
        if self._count == 0:
            if values is None and self._lists:
                return False
            self._values = [values]
        else:
            held = self._values[-1]
            if values is None or held is None or held[0] != values[0]:
                return False
            common = held[1] & values[1]
            if not common:
                return False
            self._values.append((values[0], common))
        self._count += 1
        return True

    def _add_distinct(self, base: str, values: Values | None) -> bool:
        others = list(self._by_request.values()) if self._last_only else self._values
        if (self._count or not self._last_only) and any(_meet(values, other) for other in others):
            return False
        if self._last_only:
            self._by_request[base] = values
        else:
            self._values.append(values)
        self._count += 1
        return True

    def remove(self, base: str, full: str) -> None:
        """Give back the device that was added last."""
        if not self.concerns(base, full):
            return
        self._count -= 1
        if self._distinct and self._last_only:
            self._by_request.pop(base, None)
        else:
            self._values.pop()


def _meet(one: Values | None, other: Values | None) -> bool:
    """Whether two values are not distinct; what cannot be compared never is."""
    if one is None:
        return True
    return other is not None and one[0] == other[0] and bool(one[1] & other[1])
