"""Both doors, driven the same way: files through the command line, reviews through the codec."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import jsonpatch
from click.testing import CliRunner

from webhook.cli import main
from webhook.policy import Policy
from webhook.server.review import answer
from webhook.world import World

HERE = Path(__file__).parent
WORSE = {"allow": 0, "warn": 1, "deny": 2}


@dataclass(frozen=True)
class Said:
    """What one door said of one object."""

    kind: str
    name: str
    verdict: str
    findings: tuple[Mapping[str, Any], ...] = ()
    texts: tuple[str, ...] = ()
    patched: Mapping[str, Any] = field(default_factory=dict)
    patch: tuple[Mapping[str, Any], ...] = ()


def check(arguments: Iterable[str]) -> tuple[int, list[Said]]:
    """Run `drawbridge check … --output json` and read its answer."""
    result = CliRunner().invoke(main, ["check", *arguments, "--output", "json"])
    assert result.exit_code in {0, 1}, result.output
    answer_ = json.loads(result.stdout)
    said = [
        Said(
            kind=item["kind"],
            name=item["name"],
            verdict=verdict_of(item["findings"]),
            findings=tuple(item["findings"]),
            texts=tuple(f["message"] for f in item["findings"]),
            patch=tuple(item["patch"]),
        )
        for item in answer_["objects"]
    ]
    return result.exit_code, said


def verdict_of(findings: Iterable[Mapping[str, Any]]) -> str:
    """Give the worst of the findings."""
    actions = {finding["action"] for finding in findings}
    return "deny" if "deny" in actions else "warn" if "warn" in actions else "allow"


def review_of(value: Mapping[str, Any], namespace: str = "default") -> dict[str, Any]:
    """Wrap an object as the API server would send it on CREATE."""
    group, _, version = str(value["apiVersion"]).rpartition("/")
    plural = value["kind"].lower() + "s"
    metadata = value.get("metadata") or {}
    request: dict[str, Any] = {
        "uid": "0b1f3a52-7c1e-4f0e-9a7e-3d9d4a6b1c22",
        "kind": {"group": group, "version": version, "kind": value["kind"]},
        "resource": {"group": group, "version": version, "resource": plural},
        "requestKind": {"group": group, "version": version, "kind": value["kind"]},
        "requestResource": {"group": group, "version": version, "resource": plural},
        "namespace": metadata.get("namespace", namespace),
        "operation": "CREATE",
        "userInfo": {"username": "someone", "groups": ["system:authenticated"]},
        "object": value,
        "oldObject": None,
        "dryRun": False,
        "options": {"apiVersion": "meta.k8s.io/v1", "kind": "CreateOptions"},
    }
    if "name" in metadata:
        request["name"] = metadata["name"]
    return {"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": request}


def call(review: Mapping[str, Any], phase: str, world: World, policy: Policy) -> dict[str, Any]:
    """Send a review to one endpoint's codec; the answer is checked for its envelope."""
    body = json.dumps(review).encode()
    reply = answer(
        body, phase="mutate" if phase == "mutate" else "validate", world=world, policy=policy
    )
    assert reply.status == 200, reply
    document = json.loads(reply.body)
    assert document["apiVersion"] == "admission.k8s.io/v1"
    assert document["kind"] == "AdmissionReview"
    assert document["response"]["uid"] == review["request"]["uid"]
    response: dict[str, Any] = document["response"]
    return response


def admit_through_reviews(
    value: Mapping[str, Any], world: World, policy: Policy | None = None
) -> Said:
    """Offer an object to /mutate and then, patched, to /validate."""
    policy = policy or Policy()
    texts: list[str] = []
    current: Any = value
    patch: list[Mapping[str, Any]] = []
    denied = False
    for phase in ("mutate", "validate"):
        response = call(review_of(current), phase, world, policy)
        texts += response.get("warnings", [])
        if not response["allowed"]:
            denied = True
            texts.append(response["status"]["message"])
            break
        if response.get("patch"):
            assert phase == "mutate"
            assert response["patchType"] == "JSONPatch"
            patch = json.loads(base64.b64decode(response["patch"]))
            current = jsonpatch.apply_patch(current, patch)
    verdict = "deny" if denied else "warn" if texts else "allow"
    metadata = value.get("metadata") or {}
    return Said(
        kind=value["kind"],
        name=metadata.get("name", ""),
        verdict=verdict,
        texts=tuple(texts),
        patched=current,
        patch=tuple(patch),
    )
