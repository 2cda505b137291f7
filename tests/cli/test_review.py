from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

import webhook.engine
from tests.cli.conftest import Outcome
from webhook.policy import Policy
from webhook.rules import claims
from webhook.world import empty

review = pytest.importorskip("webhook.server.review", reason="the server's codec is not there yet")

Run = Callable[..., Outcome]


@pytest.fixture(autouse=True)
def _rules(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(webhook.engine, "RULES", claims.RULES)


def _review(uid: str, request: dict[str, Any]) -> dict[str, Any]:
    return {
        "apiVersion": "admission.k8s.io/v1",
        "kind": "AdmissionReview",
        "request": {
            "uid": uid,
            "kind": {
                "group": "resource.k8s.io",
                "version": "v1",
                "kind": "ResourceClaim",
            },
            "resource": {
                "group": "resource.k8s.io",
                "version": "v1",
                "resource": "resourceclaims",
            },
            "namespace": "demo",
            "operation": "CREATE",
            "userInfo": {"username": "someone"},
            "object": {
                "apiVersion": "resource.k8s.io/v1",
                "kind": "ResourceClaim",
                "metadata": {"name": "c"},
                "spec": {"devices": {"requests": [request]}},
            },
            "oldObject": None,
        },
    }


GOOD = _review("good", {"name": "gpu", "exactly": {"deviceClassName": "gpu.nvidia.com"}})
BAD = _review("bad", {"name": "gpu", "deviceClassName": "gpu.nvidia.com"})


def test_each_review_gets_one_line_with_the_bytes_of_the_server(run: Run) -> None:
    text = json.dumps(GOOD) + "\n" + json.dumps(BAD)
    found = run("review", "r.json", files={"r.json": text})
    assert found.code == 1
    lines = found.out.splitlines()
    assert [json.loads(line)["response"]["uid"] for line in lines] == ["good", "bad"]
    assert [json.loads(line)["response"]["allowed"] for line in lines] == [True, False]
    for line, asked in zip(lines, (GOOD, BAD), strict=True):
        body = json.dumps(asked).encode()
        reply = review.answer(body, phase="validate", world=empty(), policy=Policy())
        assert line.encode() == reply.body.rstrip(b"\n")


def test_yaml_is_answered_like_json(run: Run) -> None:
    as_json = run("review", "-", stdin=json.dumps(BAD))
    # JSON behind a comment is YAML.
    as_yaml = run("review", "-", stdin=f"# a review\n---\n{json.dumps(BAD)}\n")
    assert as_json == as_yaml
    assert as_yaml.code == 1


def test_all_allowed_ends_with_zero_in_both_phases(run: Run) -> None:
    for phase in ("validate", "mutate"):
        assert run("review", "-", "--phase", phase, stdin=json.dumps(GOOD)).code == 0


@pytest.mark.parametrize(
    ("arguments", "stdin", "words"),
    [
        (("nosuch.yaml",), "", "nosuch.yaml: cannot be read"),
        (("-",), "a: [", "<stdin>:"),
        (("-",), "", "holds no AdmissionReview"),
        (("-", "--cluster", "-"), "", "only once"),
    ],
)
def test_what_cannot_be_read_ends_with_code_two(
    run: Run, arguments: tuple[str, ...], stdin: str, words: str
) -> None:
    found = run("review", *arguments, stdin=stdin)
    assert found.code == 2
    assert words in found.err
