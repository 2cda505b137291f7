"""Compare our CEL with Go's own over random expressions.

    python -m tests.oracle.compare --count 20000 --seed 1 --kubernetes 1.36

Builds the program beside this file (Go must be installed) against the modules of the chosen
version, asks it three times, because Go's map order is random, and leaves out what it does not
answer the same way each time.
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

from tests.oracle.expressions import expressions
from webhook import cel

HERE: Final = Path(__file__).parent
DEVICES: Final = HERE.parent / "cel" / "data" / "devices.jsonl"
BUILDS: Final[Mapping[str, tuple[str, ...]]] = {
    "1.34": ("-modfile=go.1.34.mod", "-tags=v134"),
    "1.36": (),
}
"""What to build with, by version; the server's minor version is also its own dialect."""
FEATURES: Final[tuple[dict[str, bool], ...]] = (
    {},
    {},
    {},
    {"EnableConsumableCapacity": True},
    {"EnableListTypeAttributes": True},
    {"EnableConsumableCapacity": True, "EnableListTypeAttributes": True},
)


def build(version: str, folder: Path) -> Path:
    """Build the oracle for a Kubernetes version; raises CalledProcessError where it does not."""
    go = shutil.which("go") or "go"
    program = folder / f"oracle-{version}"
    command = [go, "build", *BUILDS[version], "-o", str(program), "."]
    subprocess.run(command, cwd=HERE, check=True, capture_output=True)  # noqa: S603 - our program
    return program


def cases(seed: int, count: int, version: str) -> list[dict[str, Any]]:
    """Return cases in the corpora's form: random expressions over twenty devices."""
    refs = [json.loads(line)["ref"] for line in DEVICES.read_text("utf-8").splitlines()]
    made: list[dict[str, Any]] = []
    for number, expression in enumerate(expressions(seed, count)):
        features = {} if version == "1.34" else FEATURES[number % len(FEATURES)]
        case: dict[str, Any] = {"id": f"{seed}-{number}", "expression": expression}
        if features:
            case["features"] = features
        if number % 7 == 0:
            case["stored"] = True
        case["devices"] = [refs[(number + step) % len(refs)] for step in range(20)]
        made.append(case)
    return made


def ask(program: Path, asked: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return Go's answers."""
    text = "\n".join(json.dumps(case) for case in asked)
    command = [str(program), "-devices", str(DEVICES)]
    run = subprocess.run(  # noqa: S603 - our program
        command, input=text, capture_output=True, text=True, encoding="utf-8", check=True
    )
    return [json.loads(line) for line in run.stdout.splitlines()]


def answer(
    case: Mapping[str, Any], devices: Mapping[str, cel.Device], minor: int
) -> dict[str, Any]:
    """Return our answer to a case, in the same form."""
    features = case.get("features", {})
    selector = cel.compile(
        case["expression"],
        cel.Dialect(
            minor=minor,
            stored=bool(case.get("stored")),
            consumable_capacity=bool(features.get("EnableConsumableCapacity")),
            list_type_attributes=bool(features.get("EnableListTypeAttributes")),
        ),
    )
    given: dict[str, Any] = {"id": case["id"], "verdict": selector.verdict}
    if selector.result_type is None:
        return given | {"error": selector.error}
    given |= {"type": selector.result_type, "maxCost": selector.max_cost}
    outcomes = [selector.evaluate(devices[ref]) for ref in case["devices"]]
    given["results"] = [
        {"match": o.match, "cost": o.cost} if o.error is None else {"err": o.error, "cost": o.cost}
        for o in outcomes
    ]
    return given


def devices() -> dict[str, cel.Device]:
    """Return the corpora's devices by reference."""
    lines = map(json.loads, DEVICES.read_text("utf-8").splitlines())
    return {line["ref"]: cel.Device.from_api(line["driver"], line["device"]) for line in lines}


def differences(
    case: Mapping[str, Any], ours: Mapping[str, Any], theirs: Sequence[Mapping[str, Any]]
) -> Iterator[str]:
    """Yield what differs: verdict, type, maxCost, error text, and each device's result and cost."""
    first = theirs[0]
    for key in ("verdict", "type", "maxCost"):
        if ours.get(key) != first.get(key):
            yield f"{key}: ours {ours.get(key)!r}, Go's {first.get(key)!r}"
            return
    if "error" in first:
        text = first["error"]
        syntax = "Syntax error" in text or text.startswith("PANIC")
        if not syntax and ours.get("error") != text:
            yield f"error: ours {ours.get('error')!r}, Go's {text!r}"
        return
    for number, ref in enumerate(case["devices"]):
        for key in ("match", "err", "cost"):
            seen = {json.dumps(run["results"][number].get(key)) for run in theirs}
            mine = ours["results"][number].get(key)
            if seen == {"null"} and key == "cost":
                continue  # the device could not be converted, so nothing was counted
            if key == "err" and all('"attribute ' in text for text in seen):
                continue  # which of several faulty attributes is named is random
            if len(seen) == 1 and json.dumps(mine) not in seen:
                yield f"{ref} {key}: ours {mine!r}, Go's {theirs[0]['results'][number].get(key)!r}"
                return


def compare(program: Path, seed: int, count: int, version: str) -> list[str]:
    """Return one line for each case that differs."""
    asked = cases(seed, count, version)
    runs = [ask(program, asked) for _ in range(3)]
    known = devices()
    found: list[str] = []
    for case, *theirs in zip(asked, *runs, strict=True):
        ours = answer(case, known, int(version.partition(".")[2]))
        found.extend(
            f"{case['id']} {case['expression']!r} {case.get('features', '')}"
            f"{' stored' if case.get('stored') else ''}\n    {line}"
            for line in differences(case, ours, theirs)
        )
    return found


def main() -> int:
    """Run from the command line; exit code 1 where something differs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--kubernetes", choices=sorted(BUILDS), default="1.36")
    parser.add_argument("--program", type=Path, help="an oracle that is built already")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        program = given.program or build(given.kubernetes, Path(folder))
        found = compare(program, given.seed, given.count, given.kubernetes)
    sys.stdout.write("\n".join(found[:200]) + f"\n{len(found)} of {given.count} differ\n")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
