"""Amounts, and what a request takes of a device's capacity."""

from __future__ import annotations

from fractions import Fraction
from types import MappingProxyType
from typing import Any

import pytest

from webhook.allocation.capacity import amount, has_room, taken
from webhook.cel.device import Device as CelDevice
from webhook.world.types import InventoryDevice, NodeScope


def device(policy: dict[str, Any] | None, whole: str = "10") -> InventoryDevice:
    policies = {} if policy is None else {"memory": policy}
    capacity = MappingProxyType({"memory": whole})
    return InventoryDevice(
        "d",
        "x",
        "p",
        NodeScope(all_nodes=True),
        CelDevice("x", capacity=capacity),
        capacity_policies=policies,
    )


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("0", 0),
        ("40Gi", 40 * 2**30),
        ("1500m", Fraction(3, 2)),
        ("1e3", 1000),
        ("2k", 2000),
        ("-1", -1),
        ("GB", 0),
        ("", 0),
    ],
)
def test_amounts_are_exact(text: str, value: object) -> None:
    assert amount(text) == value


def test_a_huge_exponent_ends() -> None:
    assert amount("1e999999999") > 0


@pytest.mark.parametrize(
    ("policy", "wanted", "consumed"),
    [
        (None, None, 10),
        (None, "3", 3),
        ({"default": "2"}, None, 2),
        ({"default": "2"}, "5", 5),
        ({"default": "2", "validValues": ["2", "4"]}, "3", 4),
        ({"default": "2", "validValues": ["2", "4"]}, "5", None),
        ({"default": "1", "validRange": {"min": "1", "step": "2"}}, "4", 5),
        ({"default": "1", "validRange": {"min": "1", "step": "2"}}, "5", 5),
        ({"default": "1", "validRange": {"min": "3"}}, "2", 3),
        ({"default": "1", "validRange": {"min": "1", "max": "6"}}, "7", None),
        ({"default": "1", "validRange": {"max": "6"}}, "6", 6),
        ({"validRange": {"min": "1", "step": "0"}}, "4", 4),
        ({"validValues": "nonsense"}, "4", 4),
    ],
)
def test_a_policy_decides_what_is_taken(
    policy: dict[str, Any] | None, wanted: str | None, consumed: int | None
) -> None:
    asked = {} if wanted is None else {"memory": wanted}
    found = taken(device(policy), asked)
    assert found == (None if consumed is None else {"memory": consumed})


def test_a_capacity_that_the_device_lacks_cannot_be_taken() -> None:
    assert taken(device(None), {"bandwidth": "1"}) is None


def test_room_is_what_others_left() -> None:
    assert has_room(device(None), {"memory": 4}, {"memory": 6})
    assert not has_room(device(None), {"memory": 4}, {"memory": 6}, {"memory": 1})
