"""Programs at run time: results, errors, costs, and ends."""

from __future__ import annotations

import time

import pytest

from webhook import cel

DEVICE = cel.Device.from_api(
    "gpu.example.com",
    {
        "name": "gpu-0",
        "attributes": {
            "model": {"string": "A100"},
            "index": {"int": 3},
            "healthy": {"bool": True},
            "driverVersion": {"version": "550.54.15"},
            "net.example.com/speed": {"int": 100},
        },
        "capacity": {"memory": {"value": "40Gi"}},
    },
)
A = 'device.attributes["gpu.example.com"]'
STORED = cel.Dialect(stored=True)


def outcome(expression: str, device: cel.Device = DEVICE) -> cel.Outcome:
    return cel.compile(expression, STORED).evaluate(device)


@pytest.mark.parametrize(
    "expression",
    [
        'device.driver == "gpu.example.com"',
        f'{A}.model == "A100" && {A}.index > 2',
        'device.attributes["net.example.com"].speed == 100',
        "has(device.attributes.whatever)",
        f"!has({A}.nothing) && !has({A}.model.string)",
        f'{A}.driverVersion.isGreaterThan(semver("550.0.0"))',
        'device.capacity["gpu.example.com"].memory.compareTo(quantity("40Gi")) == 0',
        f"{A}.nothing || true",
        "[1, 2, 3].exists(x, 1 / (x - 1) > 0 || x == 2)",
        f'{A}.?nothing.orValue("x") == "x"',
        "[3, 1, 2].sort() == [1, 2, 3]",
        '{"a": 1}.transformMap(k, v, v + 1) == {"a": 2}',
        "cel.bind(x, 1 / 0, true)",
        '"%.2f".format([1234567.891]) == "1,234,567.89"',
        "dyn(9007199254740993) == 9007199254740992.0",
        'dyn("1.2.3") != semver("1.2.3")',
        '[dyn(quantity("1"))] == [dyn(2)]',
        f"{A}.healthy",
    ],
)
def test_a_selector_matches(expression: str) -> None:
    assert outcome(expression) == cel.Outcome(True, None, outcome(expression).cost)


@pytest.mark.parametrize(
    ("expression", "error"),
    [
        (f"{A}.nothing == 1", "no such key: nothing"),
        (f'{A}.model.string == "A100"', "no such key: string"),
        (f'{A}.driverVersion == "550.54.15"', "no such overload"),
        (
            f'{A}.driverVersion in ["550.54.15"]',
            "internal error: runtime error: hash of unhashable type cel.Semver",
        ),
        (
            f"{A}.model",
            (
                "CEL result of type string could not be converted to bool: "
                "unsupported native conversion from string to 'bool'"
            ),
        ),
        ("1 / 0 == 1", "division by zero"),
        ("[1][5] == 1", "index out of bounds: 5"),
        ("optional.none().value() == 1", "optional.none() dereference"),
        ("dyn(1) + 1.0 == 2.0", "no such overload"),
        ("{1: 2}[dyn(1.5)] == 2", "no such key: 1.5"),
    ],
)
def test_a_selector_fails_with_cel_go_s_text(expression: str, error: str) -> None:
    found = outcome(expression)
    assert (found.match, found.error) == (None, error)


@pytest.mark.parametrize(
    ("expression", "cost"),
    [
        (f'{A}.model == "A100"', 5),
        (f"has({A}.model)", 3),
        ("[1, 2, 3].all(x, x > 0)", 16),
    ],
)
def test_costs_are_counted(expression: str, cost: int) -> None:
    assert outcome(expression).cost == cost


def test_a_device_with_a_list_fails_whatever_the_expression_says() -> None:
    device = cel.Device.from_api("d", {"attributes": {"m": {"strings": ["a"]}}})
    assert outcome("true", device).error == "attribute m: unsupported attribute value"


def _doubled(start: str, step: str, result: str) -> str:
    opened = "".join(f"cel.bind(b{i + 1}, {step.replace('#', f'b{i}')}, " for i in range(40))
    return f"cel.bind(b0, {start}, {opened}{result.replace('#', 'b40')}{')' * 41}"


@pytest.mark.parametrize(
    "expression",
    [
        "lists.range(9000000000000000000).size() > 0",
        _doubled('"aaaaaaaaaa"', "# + #", "#.size() > 0"),
        _doubled("[1]", "# + #", "#.all(x, x > 0)"),
        _doubled("[1]", "[#, #]", "# == #"),
        _doubled("[1]", "[#, #]", '"%s".format([#]).size() > 0'),
        _doubled("[1]", "[#, #]", "#.flatten(60).size() > 0"),
        "sets.equivalent(lists.range(5000), lists.range(5000))",
        "lists.range(1000).all(x, lists.range(1000).exists(y, y == x))",
    ],
)
def test_a_hostile_selector_ends_by_its_cost(expression: str) -> None:
    selector = cel.compile(expression, STORED)
    start = time.perf_counter()
    found = selector.evaluate(DEVICE)
    assert found.error == "operation cancelled: actual cost limit exceeded"
    assert time.perf_counter() - start < 2


def test_adding_to_a_big_capacity_does_not_outlive_the_evaluation() -> None:
    device = cel.Device.from_api("d", {"capacity": {"m": {"value": "1Pi"}}})
    q = 'device.capacity["d"].m'
    expression = f'{q}.add(quantity("1")).compareTo(quantity("1Pi")) == 1 && {q}.sub(1).sign() == 1'
    again = f'{q}.add(1) == quantity("1125899906842625")'
    assert cel.compile(expression, STORED).verdict == "invalid"
    assert [outcome(again, device).match for _ in range(2)] == [True, True]
