"""Worst cases end within the step budget, and a fleet costs what its kinds cost."""

from __future__ import annotations

from types import MappingProxyType
from typing import Any

import pytest

from tests.allocation.tables import CLASSES, build_world, claim_of
from webhook.allocation.features import features_of
from webhook.allocation.held import held
from webhook.allocation.job import make_job
from webhook.allocation.layout import layout
from webhook.allocation.placing import STEPS, place_claim, place_pod
from webhook.allocation.search import Budget, Rules, Search
from webhook.cel.device import Attribute
from webhook.cel.device import Device as CelDevice
from webhook.kube.classes import parse_class
from webhook.kube.types import PodSpec, Toleration
from webhook.world.types import InventoryDevice, Node, NodeScope, Pool, World

PRODUCTS = ("A", "B", "C")


def fleet(nodes: int, size: int = 8) -> World:
    """Make a fleet of three kinds of nodes; every GPU has its own uuid."""
    shared: dict[object, Attribute] = {}

    def text(value: str) -> Attribute:
        return shared.setdefault(value, Attribute("string", value))

    pools = []
    for number in range(nodes):
        name = f"n{number}"
        devices = tuple(
            InventoryDevice(
                f"gpu-{slot}",
                "gpu.nvidia.com",
                name,
                NodeScope(node=name),
                CelDevice(
                    "gpu.nvidia.com",
                    MappingProxyType(
                        {
                            "type": text("gpu"),
                            "productName": text(PRODUCTS[number % 3]),
                            "uuid": Attribute("string", f"{number}-{slot}"),
                            "slot": shared.setdefault(slot, Attribute("int", slot)),
                            "ex.com/root": text(f"r{slot // 2}"),
                        }
                    ),
                ),
                slice_name=name,
            )
            for slot in range(size)
        )
        pools.append(Pool("gpu.nvidia.com", name, 1, 1, 1, devices, nodes=(name,)))
    raw = {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "DeviceClass",
        "metadata": {"name": "gpu"},
        "spec": {"selectors": [{"cel": {"expression": CLASSES["gpu"]}}]},
    }
    device_class = parse_class(raw)
    assert device_class is not None
    return World(
        kubernetes=(1, 36),
        classes={"gpu": device_class},
        pools=tuple(pools),
        nodes={pool.name: Node(pool.name) for pool in pools},
        claims={},
    )


def test_a_fleet_of_equal_nodes_is_judged_by_its_shapes() -> None:
    world = fleet(300)
    assert sorted(len(shape.nodes) for shape in layout(world).shapes) == [100, 100, 100]
    assert len(place_claim(claim_of("c", {"gpu": 8}), world, steps=3 * 8).nodes) == 300


@pytest.mark.slow
def test_eighty_thousand_devices_take_no_more_steps_than_three_nodes() -> None:
    world = fleet(10_000)
    assert len(place_claim(claim_of("c", {"gpu": 8}), world, steps=3 * 8).nodes) == 10_000
    pod = PodSpec(("spec",), tolerations=(Toleration(operator="Exists"),))
    assert len(place_pod(pod, [claim_of("c", {"gpu": 1})], world, steps=3).nodes) == 10_000
    refused = place_claim(claim_of("c", {"gpu": 9}), world)
    assert refused.verdict == "never"
    assert refused.certain


@pytest.mark.parametrize(
    "claim",
    [
        {f"gpu{i}": 1 for i in range(9)},
        {f"r{i}": {"where": "gpu.slot >= 0"} for i in range(32)},
        {"gpu": {"count": 8}, "~match": ["ex.com/root"]},
        {"gpu": {"count": 8}, "~match": ["gpu.nvidia.com/uuid"]},
        {**{f"r{i}": 1 for i in range(8)}, "~match": ["gpu.nvidia.com/slot of r6, r7"]},
        {**{f"r{i}": {"where": f"gpu.slot != {i}"} for i in range(8)}, "z": 1},
        {"a": 5, "b": 3, "~distinct": ["ex.com/root of a", "ex.com/root of b"]},
        {
            **{f"r{i}": 2 for i in range(4)},
            "~match": [f"ex.com/root of r{i}, r3" for i in range(3)],
        },
    ],
)
def test_adversarial_claims_end_within_the_budget(claim: dict[str, Any]) -> None:
    for nodes in (1, 30):
        placement = place_claim(claim_of("c", claim), fleet(nodes))
        assert placement.verdict in {"never", "unknown"}


def test_the_budget_is_kept_to_the_step() -> None:
    world = fleet(1)
    job = make_job(world, [(0, claim_of("c", {"gpu": 8}))])
    view = layout(world).shapes[0].view
    rules = Rules(features_of(world), held(world))
    budget = Budget(STEPS)
    assert Search(view, job, rules, budget).run().fits
    assert budget.steps - budget.left == 8
    for steps in range(8):
        claim = claim_of("c", {"gpu": 8})
        assert place_claim(claim, world, steps).verdict == "unknown"


def test_a_pod_of_hundreds_of_devices_needs_no_deep_stack() -> None:
    devices = [{"driver": "gpu", "at": "a", "count": 1200}]
    world = build_world({"nodes": {"a": {}}, "devices": devices})
    claims = [claim_of(f"c{i}", {"gpu": 32}) for i in range(36)]
    placement = place_pod(PodSpec(("spec",)), claims, world)
    assert placement.nodes == ("a",)


def test_partitions_of_many_cards_are_counted_without_a_search() -> None:
    entries: list[dict[str, Any]] = []
    for card in range(8):
        uses = {f"c{card}": {"slices": 3}}
        entries.append(
            {
                "driver": "part",
                "at": "a",
                "pool": "cards",
                "name": f"p{card}",
                "count": 4,
                "uses": [uses] * 4,
            }
        )
    sets = {f"c{card}": {"slices": 7} for card in range(8)}
    entries.append({"driver": "part", "at": "a", "pool": "cards", "count": 0, "counters": sets})
    world = build_world({"nodes": {"a": {}}, "devices": entries})
    assert place_claim(claim_of("c", {"part": 16}), world).verdict == "fits"
    refused = place_claim(claim_of("c", {"part": 17}), world, steps=200)
    assert refused.verdict == "never"
