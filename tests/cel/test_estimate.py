from __future__ import annotations

import pytest

from webhook import cel
from webhook.cel.device_sizes import NO_PATH, path_of, size_of_path
from webhook.cel.sizes import UINT64_MAX, Range, divide_up, fixed, scale, wrap

GPU = 'device.attributes["gpu.nvidia.com"]'
UNKNOWN_TRAVERSED = 1844674407370955264
"""An unknown size times 0.1, in doubles."""

# Numbers of k8s.io/dynamic-resource-allocation 1.36.2 with cel-go 0.26.0.
COSTS = [
    ("true", 0),
    ("device.driver == 'x'", 3),
    (f'{GPU}.productName == "NVIDIA A100-SXM4-40GB"', 7),
    (f'{GPU}.type == "gpu" && {GPU}.architecture == "Ampere"', 10),
    (f"has({GPU}.profile)", 3),
    ('device.capacity["d"].memory.compareTo(quantity("40Gi")) >= 0', 7),
    (f'{GPU}.architecture in ["Ampere", "Hopper"]', 16),
    ("[1, 2, 3].all(x, x > 1)", 26),
    ("[1, 2, 3].exists(x, x > 1)", 29),
    ("[1, 2, 3].exists_one(x, x > 1)", 24),
    ("cel.bind(x, 1, x == 1)", 12),
    ("matches('a', 'a')", 1),
    ('device.capacity["d"].memory != quantity("1")', UNKNOWN_TRAVERSED + 5),
    ('device.capacity["d"]["memory"] != quantity("1")', 5),
    ("type(1) == int", UNKNOWN_TRAVERSED + 2),
    ("lists.range(3).size() == 3", 16),
    ("[1, 2].slice(2, 1).size() == 0", UINT64_MAX),
    ('device.attributes.d.all(k, v, k.contains("aaaaaaaaaaaaaaaaaaaa"))', UINT64_MAX),
]


@pytest.mark.parametrize(("expression", "cost"), COSTS)
def test_the_estimate_is_the_api_server_s_number(expression: str, cost: int) -> None:
    assert cel.compile(expression).max_cost == cost


@pytest.mark.parametrize(("n", "verdict"), [(999_987, "ok"), (999_988, "too_complex")])
def test_above_the_limit_means_refused_and_at_the_limit_admitted(n: int, verdict: str) -> None:
    # The range costs 11 + n, size and == one each.
    assert cel.compile(f"lists.range({n}).size() == {n}").verdict == verdict


@pytest.mark.parametrize(
    ("value", "factor", "result"),
    [
        (0, 0.1, 0),
        (1, 0.1, 1),
        (10, 0.1, 1),
        (11, 0.1, 2),
        (30, 0.1, 3),
        (3, 0.1, 1),
        (UINT64_MAX, 0.1, UNKNOWN_TRAVERSED),
        (UINT64_MAX, 1, UINT64_MAX),
        (UINT64_MAX, 2, UINT64_MAX),
        (2**63, 3.0, UINT64_MAX),
    ],
)
def test_factors_apply_in_doubles_and_saturate(value: int, factor: float, result: int) -> None:
    assert scale(value, factor) == result


def test_sums_and_products_saturate() -> None:
    top = fixed(UINT64_MAX)
    assert top + fixed(1) == top
    assert top * fixed(2) == top
    assert top * fixed(0) == fixed(0)
    assert Range(1, 2).union(Range(0, 9)) == Range(0, 9)


def test_unchecked_arithmetic_wraps_as_go_s_does() -> None:
    assert wrap(-1) == UINT64_MAX
    assert wrap(2**64 + 3) == 3
    assert divide_up(7, 2) == 4
    assert divide_up(UINT64_MAX, 1) == 2**63


@pytest.mark.parametrize(
    ("steps", "size"),
    [
        (["driver"], 63),
        (["attributes"], 32),
        (["attributes", "@keys"], 63),
        (["attributes", "@values"], 32),
        (["attributes", "@values", "@keys"], 32),
        (["attributes", "@values", "productName"], 64),
        (["attributes", "@values", "@values"], 64),
        (["attributes", "domain"], None),
        (["attributes", "domain", "name"], None),
        (["capacity", "@values", "@values"], 0),
        (["capacity", "@values", "memory"], None),
        (["allowMultipleAllocations"], 1),
        (["nothing"], None),
    ],
)
def test_sizes_by_path(steps: list[str], size: int | None) -> None:
    path = path_of("device")
    for step in steps:
        path = path.then(step)
    assert size_of_path(path) == (None if size is None else Range(0, size))


def test_paths_that_grow_out_of_one_share_their_storage_as_go_s_slices_do() -> None:
    base = path_of("device").then("attributes").then("@values")
    keys = base.then("@keys")
    values = base.then("@values")
    assert list(keys) == list(values) == ["device", "attributes", "@values", "@values"]
    assert list(NO_PATH.then("a")) == ["a"]
    assert list(NO_PATH) == []
