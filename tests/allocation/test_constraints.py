"""Constraints while devices come and go."""

from __future__ import annotations

from types import MappingProxyType

import pytest

from webhook.allocation.constraints import Tracker, lookup
from webhook.cel.device import Attribute
from webhook.cel.device import Device as CelDevice
from webhook.kube.types import Constraint
from webhook.world.types import InventoryDevice, NodeScope

SCOPE = NodeScope(all_nodes=True)


def device(kind: str, value: object, name: str = "a") -> InventoryDevice:
    attributes = MappingProxyType({name: Attribute(kind, value)})
    return InventoryDevice("d", "x.com", "p", SCOPE, CelDevice("x.com", attributes))


def tracker(
    *,
    distinct: bool = False,
    lists: bool = False,
    last: bool = False,
    requests: tuple[str, ...] = (),
) -> Tracker:
    if distinct:
        constraint = Constraint((), requests, "", "x.com/a")
    else:
        constraint = Constraint((), requests, "x.com/a")
    return Tracker(constraint, lists=lists, last_only=last)


def test_a_name_is_found_with_and_without_its_domain() -> None:
    assert lookup(device("int", 1, "a"), "x.com/a") == Attribute("int", 1)
    assert lookup(device("int", 1, "x.com/a"), "x.com/a") == Attribute("int", 1)
    assert lookup(device("int", 1, "a"), "y.com/a") is None
    assert lookup(device("int", 1, "y.com/a"), "y.com/a") == Attribute("int", 1)
    assert lookup(device("int", 1, "b"), "x.com/a") is None


@pytest.mark.parametrize(
    ("first", "second", "equal"),
    [
        (("string", "r"), ("string", "r"), True),
        (("string", "r"), ("string", "s"), False),
        (("int", 1), ("int", 1), True),
        (("int", 1), ("bool", True), False),
        (("string", "1.0.0"), ("version", "1.0.0"), False),
        (("ints", (1, 2)), ("ints", (1, 2)), False),
        (("", None), ("", None), False),
    ],
)
def test_match_wants_equal_values_of_one_kind(
    first: tuple[str, object], second: tuple[str, object], equal: bool
) -> None:
    match = tracker()
    assert match.add("r", "r", device(*first))
    assert match.add("r", "r", device(*second)) is equal


@pytest.mark.parametrize(
    ("values", "last"),
    [
        ([("ints", (1, 2)), ("ints", (2, 3)), ("int", 2)], True),
        ([("ints", (1, 2)), ("ints", (2, 3)), ("int", 3)], False),
        ([("ints", (1, 2)), ("strings", ("1",))], False),
        ([("ints", ()), ("ints", ())], False),
    ],
)
def test_with_lists_match_wants_a_common_value(
    values: list[tuple[str, object]], last: bool
) -> None:
    match = tracker(lists=True)
    answers = [match.add("r", "r", device(*value)) for value in values]
    assert answers[-1] is last


def test_match_forgets_what_was_given_back() -> None:
    match = tracker()
    assert match.add("r", "r", device("int", 1))
    assert not match.add("r", "r", device("int", 2))
    match.remove("r", "r")
    assert match.add("r", "r", device("int", 2))


def test_lists_widen_again_when_devices_are_given_back() -> None:
    match = tracker(lists=True)
    assert match.add("r", "r", device("ints", (1, 2)))
    assert match.add("r", "r", device("int", 2))
    match.remove("r", "r")
    assert match.add("r", "r", device("int", 1))


def test_other_requests_are_not_concerned() -> None:
    match = tracker(requests=("a", "b/small"))
    assert match.add("c", "c", device("int", 1, "other"))
    match.remove("c", "c")
    assert match.add("b", "b/large", device("int", 1, "other"))
    assert not match.add("b", "b/small", device("int", 1, "other"))
    assert not match.add("a", "a/x", device("int", 1, "other"))


def test_distinct_wants_different_values() -> None:
    distinct = tracker(distinct=True)
    assert distinct.add("r", "r", device("int", 1))
    assert not distinct.add("r", "r", device("int", 1))
    assert distinct.add("r", "r", device("int", 2))
    assert not distinct.add("r", "r", device("int", 1))
    assert not distinct.add("r", "r", device("int", 3, "other"))
    distinct.remove("r", "r")
    assert distinct.add("r", "r", device("int", 2))


def test_until_1_36_distinct_remembers_the_last_value_of_each_request() -> None:
    distinct = tracker(distinct=True, last=True)
    assert distinct.add("r", "r", device("int", 1))
    assert distinct.add("r", "r", device("int", 2))
    assert distinct.add("r", "r", device("int", 1))
    assert not distinct.add("s", "s", device("int", 1))
