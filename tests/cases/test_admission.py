"""Every admission case on both doors: verdict, rules, words, patch, and the same text."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonpatch
import pytest

from tests.cases.doors import HERE, WORSE, admit_through_reviews, check
from webhook.cli.worlds import world_from_options
from webhook.kube.yaml import load_documents
from webhook.world import extend

CASES = sorted(path.stem for path in (HERE / "admission").glob("*.yaml"))


def _expected(name: str) -> dict[str, Any]:
    expected: dict[str, Any] = json.loads((HERE / "admission" / f"{name}.expect.json").read_text())
    return expected


def _options(expected: dict[str, Any]) -> dict[str, Any]:
    gates = expected["gates"]
    version = expected.get("driverVersion", "0.5.0") if gates is not None else None
    return {
        "cluster": [str(HERE / "inventories" / f"{expected['inventory']}.yaml")],
        "driver_version": version,
        "gates": ",".join(f"{k}={str(v).lower()}" for k, v in (gates or {}).items()) or None,
    }


def _flags(expected: dict[str, Any]) -> list[str]:
    options = _options(expected)
    flags = ["--cluster", options["cluster"][0]]
    if options["driver_version"]:
        flags += ["--driver-version", options["driver_version"]]
    if options["gates"]:
        flags += ["--gates", options["gates"]]
    if expected.get("order"):
        flags.append("--in-order")
    return flags


def _mentions(texts: list[str], expected: dict[str, Any], name: str) -> None:
    joined = "\n".join(texts)
    for word in expected["must_mention"]:
        assert word in joined, f"{name} must mention {word!r}: {joined}"


@pytest.mark.parametrize("name", CASES)
def test_files_get_the_expected_answer(name: str) -> None:
    expected = _expected(name)
    path = HERE / "admission" / f"{name}.yaml"
    code, said = check([str(path), *_flags(expected)])
    findings = [f for item in said for f in item.findings]
    verdict = max((item.verdict for item in said), key=WORSE.__getitem__)
    texts = "\n".join(f"{f['action']} {f['rule']}: {f['message']}" for f in findings)
    assert verdict == expected["verdict"], texts
    assert code == (1 if verdict == "deny" else 0)
    for rule in expected["rules"]:
        severe = [f for f in findings if f["rule"] == rule and f["action"] == verdict]
        assert severe, f"{rule} is not among:\n{texts}"
    ours = [f["message"] for f in findings if f["rule"] in expected["rules"]]
    _mentions(ours, expected, name)
    if verdict != "deny":
        _same_patch(path, said, expected)


def _same_patch(path: Path, said: list[Any], expected: dict[str, Any]) -> None:
    documents = {
        d.value["metadata"]["name"]: d.value
        for d in load_documents(path.read_bytes(), path.name)
        if d.value["kind"] == "Pod"
    }
    for item in said:
        if item.kind != "Pod":
            assert item.patch == ()
            continue
        before = documents[item.name]
        after = jsonpatch.apply_patch(before, list(item.patch))
        assert after == jsonpatch.apply_patch(before, expected["patch"] or [])


@pytest.mark.parametrize("name", CASES)
def test_reviews_get_the_same_answer_in_the_same_words(name: str) -> None:
    expected = _expected(name)
    path = HERE / "admission" / f"{name}.yaml"
    _, by_file = check([str(path), *_flags(expected)])
    base = world_from_options(**_options(expected))
    documents = load_documents(path.read_bytes(), path.name)
    whole = extend(base, [d.value for d in documents])
    verdicts = []
    for index, document in enumerate(documents):
        world = (
            extend(base, [d.value for d in documents[:index]]) if expected.get("order") else whole
        )
        said = admit_through_reviews(document.value, world)
        verdicts.append(said.verdict)
        mine = by_file[index]
        assert said.verdict == mine.verdict, (said, mine)
        joined = "\n".join(said.texts)
        for finding in mine.findings:
            if said.verdict != "deny" or finding["action"] == "deny":
                assert finding["message"] in joined
        if said.verdict != "deny":
            assert tuple(mine.patch) == said.patch
            again = admit_through_reviews(said.patched, world)
            assert again.patch == ()
    assert max(verdicts, key=WORSE.__getitem__) == expected["verdict"]
