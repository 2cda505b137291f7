from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.oracle.expressions import expressions
from webhook import cel
from webhook.cel.parser import parse
from webhook.cel.reads import Reads, candidates, leaves_of, reads_of

DATA = Path(__file__).parent / "data"
cel.compile("true")  # makes room for deep trees, which Hypothesis must not see happen
A, B = ("d", "a"), ("d", "b")


def _reads(expression: str) -> Reads:
    tree = parse(expression).tree
    assert tree is not None
    return reads_of(tree)


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("true", Reads()),
        ('device.driver == "x"', Reads(driver=True)),
        ('device.attributes["d"].a == "x"', Reads(attributes=frozenset({A}))),
        ('device.attributes["d"]["a"] == "x"', Reads(attributes=frozenset({A}))),
        ("device.attributes.d.a.further", Reads(attributes=frozenset({A}))),
        ('"a" in device.attributes["d"]', Reads(attributes=frozenset({A}))),
        ('has(device.attributes["d"].a)', Reads(attributes=frozenset({A}))),
        ("has(device.attributes.d)", Reads()),
        ('device.attributes["d"].?a.orValue("") == "x"', Reads(attributes=frozenset({A}))),
        ("device.attributes.?d.?a.hasValue()", Reads(attributes=frozenset({A}))),
        ('dyn(device.attributes)["d"].a', Reads(attributes=frozenset({A}))),
        ('cel.bind(m, device.attributes["d"], m.a && m.b)', Reads(attributes=frozenset({A, B}))),
        ('cel.bind(d, "d", device.attributes[d].a)', Reads(attributes=frozenset({A}))),
        ('[1].all(x, device.attributes["d"].a == x)', Reads(attributes=frozenset({A}))),
        ('device.capacity["d"].a.isInteger()', Reads(capacity=frozenset({A}))),
        ("device.allowMultipleAllocations", Reads(allow_multiple=True)),
    ],
)
def test_constant_paths_are_read_exactly(expression: str, expected: Reads) -> None:
    assert _reads(expression) == expected


@pytest.mark.parametrize(
    "expression",
    [
        '"d" in device.attributes',
        "device.attributes.all(d, true)",
        'device.attributes["d"].exists(k, k == "a")',
        'device.attributes["d"].filter(k, true).size() == 1',
        'size(device.attributes["d"]) == 1',
        "device == device",
        "device.attributes[device.driver].a",
        '(true ? device.attributes["a"] : device.attributes["b"]).x',
        'device.attributes[?"d"].optMap(m, m.a).hasValue()',
        'optional.of(device.attributes)["d"].hasValue()',
        'device.?attributes["d"].hasValue()',
        '[device.attributes["d"]].size() == 1',
        '[1].all(device, .device.driver == "x")',
        'cel.bind(m, device.attributes, m["d"] == {})',
    ],
)
def test_what_cannot_be_bounded_reads_everything(expression: str) -> None:
    assert _reads(expression).everything


def test_leaves_are_followed_through_binds_and_functions_that_keep_the_value() -> None:
    tree = parse('cel.bind(p, device.attributes["d"].?a.orValue(""), p.lowerAscii() == "x")').tree
    assert tree is not None
    assert set(leaves_of(tree).values()) == {("attribute", "d", "a")}


@pytest.mark.parametrize(
    ("driver", "domain", "name", "found"),
    [
        ("d", "d", "plain", ("unqualified",)),
        ("e", "d", "plain", ()),
        ("e", "d", "own", ("qualified",)),
        ("d", "d", "both", ("both unqualified", "both qualified")),
        ("d", "d", "o/own", ()),
        ("d/x", "d/x", "plain", ("unqualified",)),
    ],
)
def test_names_belong_to_the_domain_of_their_driver_or_their_own(
    driver: str, domain: str, name: str, found: tuple[str, ...]
) -> None:
    values = {
        "plain": "unqualified",
        "d/own": "qualified",
        "both": "both unqualified",
        "d/both": "both qualified",
    }
    assert candidates(values, driver, domain, name) == found


def test_values_of_unlike_types_make_unlike_keys() -> None:
    reads = Reads(attributes=frozenset({A}))
    devices = [
        cel.Device("d", {"a": cel.Attribute(kind, value)})
        for kind, value in [("int", 1), ("bool", True), ("string", "1"), ("version", "1.0.0")]
    ]
    assert len({reads.key(device) for device in devices}) == 4


def test_a_device_that_cannot_be_converted_is_never_grouped_with_a_sound_one() -> None:
    sound = cel.Device("d", {"x": cel.Attribute("version", "1.0.0")})
    broken = cel.Device("d", {"x": cel.Attribute("version", "1.0")})
    assert Reads().key(sound) != Reads().key(broken)


def _devices() -> list[cel.Device]:
    lines = (DATA / "devices.jsonl").read_text("utf-8").splitlines()
    return [cel.Device.from_api(d["driver"], d["device"]) for d in map(json.loads, lines)]


def _outcomes_by_key(expression: str, devices: list[cel.Device]) -> dict[object, set[object]]:
    selector = cel.compile(expression, cel.Dialect(consumable_capacity=True))
    found: dict[object, set[object]] = {}
    for device in devices:
        outcome = selector.evaluate(device)
        seen = (outcome.match, outcome.error, outcome.cost)
        found.setdefault(selector.reads.key(device), set()).add(seen)
    return found


@given(seed=st.integers(min_value=0, max_value=2**32))
@settings(max_examples=60, deadline=None)
def test_devices_that_agree_on_the_reads_have_the_same_outcome(seed: int) -> None:
    devices = _devices()
    for expression in expressions(seed, 5):
        for outcomes in _outcomes_by_key(expression, devices).values():
            assert len(outcomes) == 1, expression


@pytest.mark.parametrize("group", ["realistic", "device_semantics", "devices_odd", "optional"])
def test_the_corpora_s_devices_group_soundly(group: str) -> None:
    devices = _devices()
    for line in (DATA / f"{group}.jsonl").read_text("utf-8").splitlines():
        expression = json.loads(line)["expression"]
        for outcomes in _outcomes_by_key(expression, devices).values():
            assert len(outcomes) == 1, expression
