from __future__ import annotations

import json

import jsonschema

from webhook.report import Judged, NotChecked, Report, render_json, render_text
from webhook.rules.types import Finding

DENIED = Judged(
    "v1",
    "Pod",
    "demo",
    "trainer",
    "dir/a.yaml",
    3,
    (
        Finding("pod-claim-source", "deny", ("spec",), "spec", "spec is wrong", line=7, column=5),
        Finding("pod-claim-unused", "warn", ("spec",), "spec", "nobody uses it"),
        Finding("tol-inject", "note", (), "", "only for the audit log"),
    ),
)
PATCHED = Judged(
    "v1",
    "Pod",
    "demo",
    "runner\x1b[2J",
    "b\n.yaml",
    1,
    patch=(
        {
            "op": "add",
            "path": "/spec/tolerations",
            "value": [{"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"}],
        },
    ),
)
CLASS = Judged("resource.k8s.io/v1", "DeviceClass", "", "gpu.nvidia.com", "c.yaml", 9)
REPORT = Report((DENIED, PATCHED, CLASS), (NotChecked("gates", "nobody told\nthem"),))

FINDING = {
    "type": "object",
    "additionalProperties": False,
    "required": ["rule", "action", "field", "message", "line", "column"],
    "properties": {
        "rule": {"type": "string"},
        "action": {"enum": ["deny", "warn", "note"]},
        "field": {"type": "string"},
        "message": {"type": "string"},
        "line": {"type": ["integer", "null"]},
        "column": {"type": ["integer", "null"]},
    },
}
SCHEMA = {
    "type": "object",
    "additionalProperties": False,
    "required": ["allowed", "objects", "notChecked"],
    "properties": {
        "allowed": {"type": "boolean"},
        "objects": {
            "type": "array",
            "items": {
                "type": "object",
                "additionalProperties": False,
                "required": [
                    "apiVersion",
                    "kind",
                    "namespace",
                    "name",
                    "source",
                    "allowed",
                    "findings",
                    "patch",
                ],
                "properties": {
                    "apiVersion": {"type": "string"},
                    "kind": {"type": "string"},
                    "namespace": {"type": "string"},
                    "name": {"type": "string"},
                    "source": {
                        "type": "object",
                        "additionalProperties": False,
                        "required": ["file", "line"],
                        "properties": {"file": {"type": "string"}, "line": {"type": "integer"}},
                    },
                    "allowed": {"type": "boolean"},
                    "findings": {"type": "array", "items": FINDING},
                    "patch": {"type": "array", "items": {"type": "object"}},
                },
            },
        },
        "notChecked": {
            "type": "array",
            "items": {
                "type": "object",
                "additionalProperties": False,
                "required": ["what", "why"],
                "properties": {"what": {"type": "string"}, "why": {"type": "string"}},
            },
        },
    },
}


def test_the_json_form_is_the_one_that_was_agreed() -> None:
    document = json.loads(render_json(REPORT))
    jsonschema.validate(document, SCHEMA)
    assert document["allowed"] is False
    assert [item["allowed"] for item in document["objects"]] == [False, True, True]
    assert document["objects"][0] == {
        "apiVersion": "v1",
        "kind": "Pod",
        "namespace": "demo",
        "name": "trainer",
        "source": {"file": "dir/a.yaml", "line": 3},
        "allowed": False,
        "findings": [
            {
                "rule": "pod-claim-source",
                "action": "deny",
                "field": "spec",
                "message": "spec is wrong",
                "line": 7,
                "column": 5,
            },
            {
                "rule": "pod-claim-unused",
                "action": "warn",
                "field": "spec",
                "message": "nobody uses it",
                "line": None,
                "column": None,
            },
            {
                "rule": "tol-inject",
                "action": "note",
                "field": "",
                "message": "only for the audit log",
                "line": None,
                "column": None,
            },
        ],
        "patch": [],
    }
    assert document["objects"][1]["patch"] == list(PATCHED.patch)
    assert "\n" not in render_json(REPORT)


def test_the_text_form_has_a_line_for_each_finding_and_a_summary() -> None:
    assert render_text(REPORT).split("\n") == [
        "dir/a.yaml:7:5: deny pod-claim-source: Pod demo/trainer: spec is wrong",
        "dir/a.yaml:3: warn pod-claim-unused: Pod demo/trainer: nobody uses it",
        (
            "b\\x0a.yaml:1: patch tol-inject: Pod demo/runner\\x1b[2J: admission adds the "
            "toleration nvidia.com/gpu (NoSchedule)"
        ),
        "not checked: gates: nobody told\\x0athem",
        "3 objects: 1 denied, 0 warned, 1 would be patched, 1 not checked",
        "",
    ]


def test_an_empty_report_is_allowed_and_says_so() -> None:
    assert Report().allowed
    assert render_text(Report()) == "0 objects: 0 denied, 0 warned\n"
    assert json.loads(render_json(Report())) == {"allowed": True, "objects": [], "notChecked": []}


def test_an_object_that_is_denied_and_warned_counts_once() -> None:
    warned = Judged("v1", "Pod", "", "x", findings=(DENIED.findings[1],))
    report = Report((DENIED, warned))
    assert report.warned
    assert render_text(report).endswith("2 objects: 1 denied, 1 warned\n")
