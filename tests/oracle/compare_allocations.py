"""Compare our search with Kubernetes' own allocator over random inventories and pods.

    python -m tests.oracle.compare_allocations --count 2000 --seed 1 --kubernetes 1.36

For each pod and node: whether all its claims fit together, or that an error ends the attempt; from
1.36 on, where the order of pools is defined, also which devices are chosen. Nodes are judged one by
one and by shapes; both must agree.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from tests.oracle.allocations import claim_sets, inventories
from webhook.allocation.features import features_of
from webhook.allocation.ground import attempt, shapes_for
from webhook.allocation.held import held
from webhook.allocation.job import make_job
from webhook.allocation.layout import layout
from webhook.allocation.search import Budget, Found, OutOfStepsError, Rules, Search
from webhook.kube.claims import parse_claim
from webhook.world import extend
from webhook.world.types import World

HERE: Final = Path(__file__).parent / "allocator"
BUILDS: Final[Mapping[str, tuple[str, ...]]] = {
    "1.34": ("-modfile=go.1.34.mod", "-tags=v134"),
    "1.36": (),
    "1.37": ("-modfile=go.1.37.mod",),
}
"""What to build with, by version."""
STEPS: Final = 300_000
INVENTORIES: Final = 20


def build(version: str, folder: Path) -> Path:
    """Build the oracle for a Kubernetes version; raises CalledProcessError where it does not."""
    go = shutil.which("go") or "go"
    program = folder / f"allocator-{version}"
    command = [go, "build", *BUILDS[version], "-o", str(program), "."]
    subprocess.run(command, cwd=HERE, check=True, capture_output=True)  # noqa: S603 - our program
    return program


def compare(program: Path, seed: int, count: int, version: str) -> tuple[list[str], dict[str, int]]:
    """Return what differs, one text each, and how many answers of each sort there were."""
    minor = int(version.partition(".")[2])
    made = list(inventories(seed, INVENTORIES, minor))
    cases: list[tuple[str, Any, list[Any]]] = []
    per = max(1, count // len(made))
    for inventory in made:
        cases += [
            (f"{inventory['id']}:{number}", inventory, claims)
            for number, claims in enumerate(claim_sets(inventory, per))
        ]
    answers = _ask(program, made, cases)
    worlds = {inventory["id"]: _world(inventory, version) for inventory in made}
    differences: list[str] = []
    counts = {"fits": 0, "no": 0, "error": 0, "unknown": 0, "slow": 0, "unordered": 0}
    for name, inventory, claims in cases:
        theirs = {answer["node"]: answer for answer in answers[name]}
        for node, ours in _ours(worlds[inventory["id"]], claims, minor):
            there = theirs[node]
            if "deadline" in there.get("error", ""):
                counts["slow"] += 1
                continue
            if ours is None:
                counts["unknown"] += 1
                continue
            counts[_verdict(ours)] += 1
            ordered = _has_order(inventory, minor)
            if not ordered and (ours.fault is not None or there.get("error")):
                # Which comes first, a solution or an error, depends on Go's map order there.
                counts["unordered"] += 1
                continue
            text = _difference(ours, there, exact=ordered)
            if text:
                differences.append(f"{name} on {node}: {text}")
    return differences, counts


def _has_order(inventory: Any, minor: int) -> bool:
    return minor >= 36 and bool(inventory["gates"]["DRAConsumableCapacity"])


def _ask(program: Path, made: Sequence[Any], cases: Sequence[Any]) -> dict[str, Any]:
    lines = [json.dumps({k: v for k, v in i.items() if k != "gates"}) for i in made]
    lines += [
        json.dumps(
            {
                "id": name,
                "inventory": inventory["id"],
                "claims": claims,
                "features": inventory["gates"],
            }
        )
        for name, inventory, claims in cases
    ]
    done = subprocess.run(  # noqa: S603 - our program
        [str(program)], input="\n".join(lines).encode(), stdout=subprocess.PIPE, check=True
    )
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    return {answer["id"]: answer["nodes"] for answer in answers}


def _world(inventory: Any, version: str) -> World:
    facts = {
        "apiVersion": "drawbridge/v1",
        "kind": "ClusterFacts",
        "kubernetesVersion": f"v{version}.0",
        "kubernetesFeatureGates": inventory["gates"],
    }
    parts = ("slices", "classes", "nodes", "allocated")
    return extend(World(), [facts, *(raw for part in parts for raw in inventory[part])])


def _ours(world: World, claims: list[Any], minor: int) -> Iterator[tuple[str, Found | None]]:
    parsed = [claim for raw in claims if (claim := parse_claim(raw)) is not None]
    job = make_job(world, list(enumerate(parsed)))
    rules = Rules(features_of(world), held(world), keeps_refused_counters=minor < 37)
    by_shape: dict[str, Found | None] = {}
    for shape in shapes_for(world, job, held(world)):
        found = _bounded(lambda v=shape.view: attempt(v, job, rules, Budget(STEPS)))
        by_shape.update(dict.fromkeys(shape.nodes, found))
    for node in world.nodes or ():
        view = layout(world).view(node)
        found = _bounded(lambda v=view: Search(v, job, rules, Budget(STEPS)).run())
        shaped = by_shape[node]
        if found is not None and shaped is not None and _verdict(found) != _verdict(shaped):
            message = f"{node}: {_verdict(found)} alone, {_verdict(shaped)} by its shape {claims}"
            raise AssertionError(message)
        yield node, found


def _bounded(run: Any) -> Found | None:
    try:
        found: Found = run()
    except OutOfStepsError:
        return None
    return found


def _verdict(found: Found) -> str:
    return "error" if found.fault is not None else "fits" if found.fits else "no"


def _difference(ours: Found, theirs: Any, *, exact: bool) -> str:
    error = theirs.get("error", "")
    if "invalid resource pools were encountered" in error:
        # Not an error of the attempt: it only tells why this node does not fit.
        error = ""
    verdict = "error" if error else "fits" if theirs["fits"] else "no"
    if verdict != _verdict(ours):
        return f"theirs {verdict} {error}, ours {_verdict(ours)} {ours.fault}"
    if exact and verdict == "fits":
        mine = [f"{ref.request.name}={'/'.join(device.key)}" for ref, device in ours.devices]
        chosen = [text for devices in theirs.get("devices") or () for text in devices or ()]
        if mine != chosen:
            return f"theirs {chosen}, ours {mine}"
    return ""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a comparison from the command line."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--kubernetes", choices=sorted(BUILDS), default="1.36")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        program = build(options.kubernetes, Path(folder))
        found, counts = compare(program, options.seed, options.count, options.kubernetes)
    for text in found[:40]:
        sys.stdout.write(f"{text}\n")
    sys.stdout.write(f"{len(found)} differences; {counts}\n")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
