from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import webhook.engine
from tests.cli.conftest import Outcome
from tests.kube.json_values import json_values
from webhook.cli.judging import judge_files
from webhook.kube.json import dumps
from webhook.kube.types import Document
from webhook.kube.yaml import load_documents
from webhook.policy import Policy
from webhook.report import Report
from webhook.rules import claims, pods
from webhook.world import World, empty

Run = Callable[..., Outcome]

TEMPLATE = """\
apiVersion: resource.k8s.io/v1
kind: ResourceClaimTemplate
metadata: {name: one}
spec:
  spec:
    devices:
      requests:
      - name: gpu
        exactly: {deviceClassName: gpu.nvidia.com}
"""
FLAT = TEMPLATE.replace(
    "exactly: {deviceClassName: gpu.nvidia.com}", "deviceClassName: gpu.nvidia.com"
)
POD = """\
apiVersion: v1
kind: Pod
metadata: {name: trainer}
spec:
  containers:
  - name: main
    resources: {claims: [{name: gpu}]}
  resourceClaims:
  - {name: gpu, resourceClaimTemplateName: one}
"""
CLASSES = """\
apiVersion: resource.k8s.io/v1
kind: DeviceClass
metadata: {name: gpu.nvidia.com}
spec:
  selectors: [{cel: {expression: device.driver == "gpu.nvidia.com"}}]
---
apiVersion: v1
kind: Namespace
metadata: {name: default}
"""


@pytest.fixture(autouse=True)
def _rules(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep to the rules of two modules, so that these tests speak of the door alone."""
    monkeypatch.setattr(webhook.engine, "RULES", (*claims.RULES, *pods.RULES))


def test_a_file_without_faults_is_allowed(run: Run) -> None:
    found = run("check", "t.yaml", "--output", "json", files={"t.yaml": TEMPLATE})
    assert found.code == 0
    assert found.json["allowed"] is True
    (item,) = found.json["objects"]
    assert item == {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "ResourceClaimTemplate",
        "namespace": "default",
        "name": "one",
        "source": {"file": "t.yaml", "line": 1},
        "allowed": True,
        "findings": [],
        "patch": [],
    }


def test_a_fault_is_told_with_file_line_and_column(run: Run) -> None:
    found = run("check", "t.yaml", files={"t.yaml": f"---\n# a comment\n{FLAT}"})
    assert found.code == 1
    first, *_, last = found.out.splitlines()
    assert first.startswith(
        "t.yaml:11:26: deny claim-schema: ResourceClaimTemplate default/one: "
        "spec.spec.devices.requests[0].deviceClassName is not a field"
    )
    assert last.startswith("1 object: 1 denied, 0 warned")


def test_json_has_the_same_message_as_text(run: Run) -> None:
    text = run("check", "t.yaml", files={"t.yaml": FLAT}).out
    found = run("check", "t.yaml", "--output", "json").json
    (finding,) = found["objects"][0]["findings"]
    assert set(finding) == {"rule", "action", "field", "message", "line", "column"}
    assert finding["message"] in text
    assert (finding["line"], finding["column"]) == (9, 26)


def test_every_object_of_files_folders_and_lists_is_listed_in_order(run: Run) -> None:
    files = {
        "a/z.yaml": TEMPLATE,
        "a/b/one.yml": f"{POD}---\n{CLASSES}",
        "a/c.json": '{"kind":"PodList","apiVersion":"v1","items":[{"metadata":{"name":"x"}}]}',
        "a/.git/hidden.yaml": "not: read",
        "a/notes.txt": "not read",
        "a/values.yaml": "replicas: 2\n",
    }
    found = run("check", "a", "--output", "json", files=files).json
    assert [(o["kind"], o["name"], o["namespace"]) for o in found["objects"]] == [
        ("Pod", "trainer", "default"),
        ("DeviceClass", "gpu.nvidia.com", ""),
        ("Namespace", "default", ""),
        ("Pod", "x", "default"),
        ("ResourceClaimTemplate", "one", "default"),
    ]
    skipped = {n["what"] for n in found["notChecked"]}
    assert "a/values.yaml:1" in skipped
    assert "1 Namespace" in skipped


def test_standard_input_is_read_and_namespaces_are_filled_in(run: Run) -> None:
    found = run(
        "check", "-", "--namespace", "lab", "--output", "json", stdin=f"{TEMPLATE}---\n{POD}"
    )
    assert [o["namespace"] for o in found.json["objects"]] == ["lab", "lab"]
    assert found.json["objects"][0]["source"]["file"] == "<stdin>"
    assert found.code == 0


MISSING = "pod-claim-missing"


def _rules_said(found: Outcome) -> set[str]:
    return {f["rule"] for o in found.json["objects"] for f in o["findings"]}


def test_a_bundle_is_one_and_in_order_only_earlier_objects_are_stored(run: Run) -> None:
    files = {"x.yaml": f"{POD}---\n{TEMPLATE}", "c.yaml": CLASSES}
    options = ("--cluster", "c.yaml", "--output", "json")
    assert MISSING not in _rules_said(run("check", "x.yaml", *options, files=files))
    in_order = run("check", "x.yaml", *options, "--in-order")
    assert MISSING in _rules_said(in_order)
    assert in_order.code == 0
    turned = {"y.yaml": f"{TEMPLATE}---\n{POD}"}
    assert MISSING not in _rules_said(run("check", "y.yaml", *options, "--in-order", files=turned))


def test_warnings_count_only_when_strict(run: Run) -> None:
    pod = POD.replace("{claims: [{name: gpu}]}", "{}")
    options = ("check", "p.yaml", "t.yaml", "--cluster", "c.yaml")
    files = {"p.yaml": pod, "t.yaml": TEMPLATE, "c.yaml": CLASSES}
    assert run(*options, files=files).code == 0
    strict = run(*options, "--strict")
    assert strict.code == 1
    assert "warn pod-claim-unused" in strict.out


def test_a_policy_lowers_and_switches_off(run: Run) -> None:
    files = {"t.yaml": FLAT, "warn.yaml": "rules: {claim-schema: warn}", "x.yaml": "ruls: {}"}
    warned = run("check", "t.yaml", "--policy", "warn.yaml", files=files)
    assert warned.code == 0
    assert ": warn claim-schema: " in warned.out
    exempt = {"e.yaml": "exemptNamespaces: [default]"}
    assert run("check", "t.yaml", "--policy", "e.yaml", files=exempt).code == 0
    broken = run("check", "t.yaml", "--policy", "x.yaml")
    assert broken.code == 2
    assert "x.yaml:1:1: ruls is not a key of a policy; write rules" in broken.err


def test_injected_tolerations_are_shown_as_a_patch(run: Run) -> None:
    files = {"p.yaml": f"{POD}---\n{TEMPLATE}", "c.yaml": CLASSES}
    options = ("check", "p.yaml", "--cluster", "c.yaml")
    found = run(*options, "--output", "json", files=files).json
    assert [o["patch"] for o in found["objects"]] == [
        [
            {
                "op": "add",
                "path": "/spec/tolerations",
                "value": [{"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"}],
            }
        ],
        [],
    ]
    assert "p.yaml:1: patch tol-inject: Pod default/trainer: admission adds" in run(*options).out


def test_reviews_are_judged_as_their_request(run: Run) -> None:
    review = (
        "apiVersion: admission.k8s.io/v1\nkind: AdmissionReview\nrequest:\n  uid: u\n"
        "  namespace: lab\n  operation: CREATE\n  object:\n"
        + "".join(f"    {line}\n" for line in FLAT.splitlines())
    )
    found = run("check", "r.yaml", "--output", "json", files={"r.yaml": review})
    assert found.code == 1
    (item,) = found.json["objects"]
    assert (item["kind"], item["namespace"], item["name"]) == (
        "ResourceClaimTemplate",
        "lab",
        "one",
    )
    (finding,) = item["findings"]
    assert finding["field"] == "spec.spec.devices.requests[0].deviceClassName"
    assert finding["line"] == 16
    gone = review.replace("CREATE", "DELETE").split("  object:")[0] + "  object: null\n"
    assert run("check", "-", stdin=gone).code == 0


def test_what_is_not_known_is_told_as_not_checked(run: Run) -> None:
    found = run("check", "t.yaml", "--output", "json", files={"t.yaml": TEMPLATE}).json
    whats = {n["what"] for n in found["notChecked"]}
    assert {"device classes", "feature gates of the NVIDIA driver"} <= whats
    told = run("check", "t.yaml", "--driver-version", "0.5.0", "--output", "json").json
    assert "feature gates of the NVIDIA driver" not in {n["what"] for n in told["notChecked"]}


@pytest.mark.parametrize(
    ("arguments", "stdin", "words"),
    [
        (("nosuch.yaml",), "", "nosuch.yaml: cannot be read: No such file or directory"),
        (("-",), "a: [1", "<stdin>:2:1: no YAML"),
        (("-",), b"a: \xff", "<stdin>:1:4: the file is not UTF-8"),
        (("-",), "just: this\n", "<stdin>:1:1: is no Kubernetes object; write apiVersion and kind"),
        (("-",), "- a\n", "<stdin>:1:1: the document is a list"),
        (("-",), "[" * 5000, "nests deeper"),
        (("-", "--cluster", "-"), "", "standard input (-) can be read only once"),
        (("-", "--cluster", "nosuch"), "", "nosuch"),
        (("-", "--gates", "A=1"), "", "--gates takes NAME=true"),
        (("-", "--kubernetes-version", "new"), "", "--kubernetes-version takes a version"),
        (("-", "--policy", "nosuch"), "", "nosuch: cannot be read"),
        (("-", "--output", "xml"), "", "xml"),
        ((), "", "Missing argument"),
        ((".",), "", "holds no .yaml"),
    ],
)
def test_what_cannot_be_read_ends_with_code_two_and_says_where(
    run: Run, arguments: tuple[str, ...], stdin: str | bytes, words: str
) -> None:
    found = run("check", *arguments, stdin=stdin)
    assert found.code == 2
    assert words in found.err
    assert found.out == ""


def test_a_bug_in_a_rule_ends_with_code_two_and_the_other_objects_are_judged(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(_: object) -> Any:
        raise RuntimeError("of ours")

    rule = pods.RULES[0]
    table = (type(rule)(rule.id, "deny", "pod", (), broken, "broken"), *claims.RULES)
    monkeypatch.setattr(webhook.engine, "RULES", table)
    found = run("check", "x.yaml", "--output", "json", files={"x.yaml": f"{POD}---\n{FLAT}"})
    assert found.code == 2
    assert [len(o["findings"]) for o in found.json["objects"]] == [0, 1]
    assert found.json["notChecked"][0]["what"] == "Pod default/trainer (x.yaml:1)"


def _judge(value: dict[str, Any], world: World) -> Report:
    return judge_files([Document(value=value, file="f", line=1)], world, Policy())


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60)
@given(
    st.sampled_from(["ResourceClaim", "Pod", "Deployment", "AdmissionReview", "ResourceSlice"]),
    json_values(),
)
def test_no_object_makes_the_judging_break_off(kind: str, inner: Any) -> None:
    versions = {"Pod": "v1", "Deployment": "apps/v1", "AdmissionReview": "admission.k8s.io/v1"}
    value = {
        "apiVersion": versions.get(kind, "resource.k8s.io/v1"),
        "kind": kind,
        "metadata": inner,
        "spec": inner,
        "request": {"object": inner, "oldObject": inner, "namespace": inner, "operation": inner},
    }
    assert not _judge(value, empty()).failed


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60)
@given(st.binary(max_size=40), st.sampled_from(["json", "text"]))
def test_any_input_gets_an_answer_and_one_of_three_codes(run: Run, data: bytes, form: str) -> None:
    found = run("check", "-", "--output", form, stdin=data)
    assert found.code in {0, 2}
    assert bool(found.out) is (found.code == 0)


FORBIDDEN = ("fastapi", "uvicorn", "kubernetes", "cryptography", "starlette", "anyio", "rich")


@pytest.mark.slow
def test_a_check_imports_nothing_of_the_service(tmp_path: Path) -> None:
    file = tmp_path / "p.yaml"
    file.write_text(f"{POD}---\n{TEMPLATE}")
    script = (
        "import sys\nfrom webhook.cli import main\n"
        f"try:\n    main(['check', {str(file)!r}])\n"
        "except SystemExit as end:\n    code = end.code\n"
        f"found = [m for m in {FORBIDDEN!r} if m in sys.modules]\n"
        "sys.stderr.write(f'{code} {found}')\n"
    )
    root = str(Path(webhook.engine.__file__).parents[1])
    done = subprocess.run(  # noqa: S603 - our own interpreter and script
        [sys.executable, "-c", script], cwd=root, capture_output=True, text=True, check=True
    )
    assert done.stderr == "0 []"


def test_a_large_bundle_is_judged_in_good_time() -> None:
    pods_ = [
        {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {"name": f"p{i}"},
            "spec": {"containers": [{"name": "c"}], "resourceClaims": []},
        }
        for i in range(500)
    ]
    text = dumps({"apiVersion": "v1", "kind": "List", "items": pods_})
    documents = load_documents(text, "f")
    report = judge_files(documents, empty(), Policy(), in_order=True)
    assert len(report.objects) == 500
    assert report.allowed
