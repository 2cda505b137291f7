"""The situations from public reports that speak of claims, templates and pods, on their doors."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml as pyyaml

from tests.cases.doors import HERE, Said, admit_through_reviews, call, check
from webhook.cli.worlds import world_from_options
from webhook.kube.yaml import load_documents
from webhook.policy import Policy
from webhook.world import extend

REPORTS = sorted(path.parent.name for path in (HERE / "reports").glob("*/expect.md"))


def _expected(name: str) -> dict[str, Any]:
    text = (HERE / "reports" / name / "expect.md").read_text()
    block = re.search(r"```yaml\n(.*?)```", text, re.DOTALL)
    assert block is not None
    expected: dict[str, Any] = pyyaml.safe_load(block[1])
    return expected


def _path(name: str, file: str) -> Path:
    return HERE / "reports" / name / file


def _of_mode(*modes: str) -> list[str]:
    return [name for name in REPORTS if _expected(name)["mode"] in modes]


def _judge(name: str, expected: dict[str, Any], said: list[Said], verdict: str) -> None:
    also = expected.get("also_acceptable", [])
    subjects = [part.strip() for part in expected["object"].split(", ")]
    texts = "\n".join(text for item in said for text in item.texts)
    for subject in subjects:
        kind, _, path = subject.partition(" ")
        own = [s for s in said if s.kind == kind and _fits(s.name, path.rpartition("/")[2])]
        assert own, f"{name}: nothing was said of {subject}"
        for item in own:
            assert item.verdict in {verdict, *also}, f"{name}: {item.verdict}: {texts}"
    for pattern in expected.get("must_mention", []):
        assert re.search(pattern, texts, re.IGNORECASE), f"{name}: {pattern!r} not in: {texts}"
    for pattern in expected.get("must_not", []):
        assert not re.search(pattern, texts, re.IGNORECASE), f"{name}: {pattern!r} in: {texts}"
    for subject, wanted in expected.get("per_object", {}).items():
        kind, _, own_name = subject.partition(" ")
        verdicts = {s.verdict for s in said if (s.kind, s.name) == (kind, own_name)}
        assert verdicts <= set(re.split(r"\s+or\s+", wanted)), f"{name}: {subject}: {texts}"


def _fits(name: str, pattern: str) -> bool:
    return re.fullmatch(pattern.replace("*", ".*"), name) is not None


@pytest.mark.parametrize("name", _of_mode("ci", "both"))
def test_a_check_of_files_answers_as_the_report_asks(name: str) -> None:
    expected = _expected(name)
    _, said = check([str(_path(name, "input.yaml")), "--cluster", str(_path(name, "cluster.yaml"))])
    _judge(name, expected, said, expected.get("ci_verdict", expected["verdict"]))


@pytest.mark.parametrize("name", _of_mode("webhook", "both"))
def test_the_webhook_answers_as_the_report_asks(name: str) -> None:
    expected = _expected(name)
    base = world_from_options([str(_path(name, "cluster.yaml"))])
    documents = load_documents(_path(name, "input.yaml").read_bytes(), name)
    said: list[Said] = []
    for index, document in enumerate(documents):
        value = document.value
        world = extend(base, [d.value for d in documents[:index]])
        if value["kind"] == "AdmissionReview":
            response = call(value, "validate", world, Policy())
            texts = list(response.get("warnings", []))
            if not response["allowed"]:
                texts.append(response["status"]["message"])
            said.append(
                Said(
                    kind=value["request"]["object"]["kind"],
                    name=expected["object"].rpartition("/")[2],
                    verdict="deny" if not response["allowed"] else "warn" if texts else "allow",
                    texts=tuple(texts),
                )
            )
        elif name.startswith("pub-14"):
            # By the time a validating webhook sees a pod all mutations are done: the report asks
            # what is said of a pod that came through without one.
            policy = Policy.model_validate({"mutation": {"enabled": False}})
            said.append(admit_through_reviews(value, world, policy))
        else:
            said.append(admit_through_reviews(value, world))
    _judge(name, expected, said, expected["verdict"])


def test_the_reports_left_out_are_those_that_no_review_can_show() -> None:
    """Operational ones speak of the registration and of certificates."""
    assert {name[:6] for name in _of_mode("operational")} == {"pub-24", "pub-25"}
