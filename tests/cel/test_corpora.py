"""The shared corpora, counted per group and per level against the real implementation's answers."""

from __future__ import annotations

import functools
import json
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from webhook import cel

DATA = Path(__file__).parent / "data"
GROUPS = sorted(
    path.stem for path in DATA.glob("*.jsonl") if path.stem not in {"devices", "versions"}
)
SLOW = {"cost_heavy"}
SERVERS = ("1.34", "1.35", "1.36", "1.37")
_POSITION = re.compile(r"ERROR: <input>:(-?\d+):(\d+): (.*)")


@functools.cache
def _devices() -> dict[str, cel.Device]:
    return {
        line["ref"]: cel.Device.from_api(line["driver"], line["device"])
        for line in map(json.loads, (DATA / "devices.jsonl").read_text("utf-8").splitlines())
    }


@functools.cache
def _deviations() -> dict[tuple[str, str], str]:
    """(level, case) → why ours differs."""
    listed = {}
    for line in (DATA / "deviations.tsv").read_text("utf-8").splitlines():
        if line and not line.startswith("#"):
            level, case, reason = line.split("\t")
            listed[level, case] = reason
    return listed


def _cases(group: str) -> list[dict[str, Any]]:
    lines = (DATA / f"{group}.jsonl").read_text("utf-8").split("\n")
    return [json.loads(line) for line in lines if line]


def _dialect(case: dict[str, Any], minor: int) -> cel.Dialect:
    features = case.get("features", {})
    return cel.Dialect(
        minor=minor,
        stored=bool(case.get("stored")),
        consumable_capacity=features.get("EnableConsumableCapacity") is True,
        list_type_attributes=features.get("EnableListTypeAttributes") is True,
    )


@dataclass
class _Tally:
    """Per level: how many comparisons were made, and those that failed, with what was seen."""

    compared: dict[str, int] = field(default_factory=dict)
    failed: dict[str, list[tuple[str, object, object]]] = field(default_factory=dict)

    def compare(self, level: str, case: str, ours: object, theirs: object) -> None:
        self.compared[level] = self.compared.get(level, 0) + 1
        if ours != theirs:
            self.failed.setdefault(level, []).append((case, ours, theirs))


def _first_position(text: str) -> tuple[str, str] | None:
    found = _POSITION.search(text)
    return (found[1], found[2]) if found else None


def _compare_compile(
    tally: _Tally, case: str, selector: cel.Selector, expected: dict[str, Any]
) -> None:
    verdict = "internal" if expected["verdict"] == "panic" else expected["verdict"]
    tally.compare("verdict", case, selector.verdict, verdict)
    if "error" in expected:
        theirs = expected["error"]
        if expected["verdict"] == "panic":
            return
        if "Syntax error" in theirs:
            ours = _first_position(selector.error or "")
            tally.compare("syntax position", case, ours, _first_position(theirs))
        else:
            tally.compare("text", case, selector.error, theirs)
        return
    tally.compare("type", case, selector.result_type, expected["type"])
    tally.compare("max cost", case, selector.max_cost, expected["maxCost"])


def _compare_results(
    tally: _Tally, case: dict[str, Any], selector: cel.Selector, expected: dict[str, Any]
) -> None:
    for ref, theirs in zip(case["devices"], expected.get("results", ()), strict=True):
        outcome = selector.evaluate(_devices()[ref])
        name = f"{case['id']}/{ref}"
        if "anyOf" in theirs:
            options = [one.get("match") for one in theirs["anyOf"]]
            tally.compare("outcome", name, outcome.match in options, True)
            continue
        tally.compare("outcome", name, outcome.match, theirs.get("match"))
        if "err" in theirs:
            tally.compare("text", name, outcome.error, theirs["err"])
        if "cost" in theirs:
            tally.compare("cost", name, outcome.cost, theirs["cost"])


RAN: dict[str, _Tally] = {}
"""What was compared so far, by group, for the summary."""


@functools.cache
def _run(group: str) -> _Tally:
    tally = RAN[group] = _Tally()
    for case in _cases(group):
        selector = cel.compile(case["expression"], _dialect(case, 36))
        expected = case["expected"]
        _compare_compile(tally, case["id"], selector, expected)
        if "error" not in expected and selector.result_type is not None and case["devices"]:
            _compare_results(tally, case, selector, expected)
    return tally


@functools.cache
def _run_versions() -> _Tally:
    tally = RAN["versions"] = _Tally()
    for case in _cases("versions"):
        for server in SERVERS:
            name = f"{case['id']}@{server}"
            selector = cel.compile(case["expression"], _dialect(case, int(server[2:])))
            expected = case["expectedByServer"][server]
            _compare_compile(tally, name, selector, expected)
            if "error" not in expected and selector.result_type is not None and case["devices"]:
                _compare_results(tally, case | {"id": name}, selector, expected)
    return tally


PARAMETERS = [
    pytest.param(group, marks=[pytest.mark.slow] if group in SLOW else []) for group in GROUPS
]


def _show(failures: list[tuple[str, object, object]]) -> str:
    lines = [f"{case}: ours {ours!r}, Go's {theirs!r}" for case, ours, theirs in failures[:20]]
    return f"{len(failures)} differ\n" + "\n".join(lines)


@pytest.mark.parametrize("group", PARAMETERS)
@pytest.mark.parametrize("level", ["verdict", "outcome", "type", "max cost"])
def test_what_admits_or_refuses_agrees_everywhere(group: str, level: str) -> None:
    failures = _run(group).failed.get(level, [])
    assert not failures, _show(failures)


@pytest.mark.parametrize("group", PARAMETERS)
@pytest.mark.parametrize("level", ["text", "cost", "syntax position"])
def test_what_only_reads_differently_is_listed_with_its_reason(group: str, level: str) -> None:
    unlisted = [
        failure
        for failure in _run(group).failed.get(level, [])
        if (level, failure[0]) not in _deviations()
    ]
    assert not unlisted, _show(unlisted)


@pytest.mark.slow
def test_no_listed_deviation_has_been_mended() -> None:
    differing = {
        (level, failure[0])
        for tally in [*map(_run, GROUPS), _run_versions()]
        for level, failures in tally.failed.items()
        for failure in failures
    }
    assert set(_deviations()) - differing == set()


@pytest.mark.slow
@pytest.mark.parametrize("level", ["text", "cost", "syntax position"])
def test_at_least_99_of_100_agree_where_texts_and_numbers_may_differ(level: str) -> None:
    tallies = [_run(group) for group in GROUPS]
    compared = sum(tally.compared.get(level, 0) for tally in tallies)
    failed = sum(len(tally.failed.get(level, ())) for tally in tallies)
    assert compared > 100
    assert failed <= compared / 100, f"{failed} of {compared} differ"


@pytest.mark.parametrize(
    "level", ["verdict", "outcome", "type", "max cost", "text", "cost", "syntax position"]
)
def test_each_server_version_accepts_what_it_accepts(level: str) -> None:
    unlisted = [
        failure
        for failure in _run_versions().failed.get(level, [])
        if (level, failure[0]) not in _deviations()
    ]
    assert not unlisted, _show(unlisted)


def test_the_corpora_are_whole() -> None:
    assert sum(len(_cases(group)) for group in [*GROUPS, "versions"]) == 6686
