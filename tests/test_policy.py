from __future__ import annotations

from pathlib import Path

import pytest

from webhook.policy import NamespaceOverride, Policy, PolicyError, load_policy, parse_policy

RULES = ("sel-compile", "gate-off", "claim-schema")


def test_an_empty_file_gives_the_defaults(tmp_path: Path) -> None:
    file = tmp_path / "policy.yaml"
    file.write_text("# nothing yet\n---\n")
    policy = load_policy(file)
    assert policy == Policy()
    assert policy.mutation.enabled
    (toleration,) = policy.mutation.tolerations
    assert (toleration.key, toleration.operator, toleration.effect) == (
        "nvidia.com/gpu",
        "Exists",
        "NoSchedule",
    )
    assert policy.gpu_drivers == ("gpu.nvidia.com", "compute-domain.nvidia.com")
    assert policy.on_internal_error == "allow"


def test_a_whole_policy_is_read() -> None:
    policy = parse_policy(
        b"""
rules: {sel-compile: warn, gate-off: off}
namespaces:
- match: [kube-*, lab]
  rules: {claim-schema: off}
exemptNamespaces: [gpu-operator]
mutation:
  enabled: no
  patchWorkloads: true
  tolerations: [{key: a/b, operator: Equal, value: x, effect: NoExecute}]
gpuDrivers: [gpu.example.com]
driver: {version: 0.5.0, featureGates: {MPSSupport: yes}}
onInternalError: deny
""",
        "p.yaml",
        RULES,
    )
    assert policy.rules == {"sel-compile": "warn", "gate-off": "off"}
    assert policy.namespaces == (
        NamespaceOverride(match=("kube-*", "lab"), rules={"claim-schema": "off"}),
    )
    assert policy.is_exempt("gpu-operator")
    assert not policy.is_exempt("gpu-operator-2")
    assert policy.mutation.patch_workloads
    assert not policy.mutation.enabled
    assert policy.mutation.tolerations[0].value == "x"
    assert policy.driver is not None
    assert policy.driver.feature_gates == {"MPSSupport": True}
    assert policy.on_internal_error == "deny"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "rules: {}\nexemptNamespace: []\n",
            "p.yaml:2:1: exemptNamespace is not a key of a policy; write exemptNamespaces",
        ),
        (
            "mutation:\n  tolerations:\n  - {kee: a}\n",
            "p.yaml:3:11: mutation.tolerations[0].kee is not a key of a policy; write key",
        ),
        (
            "driver: {zebra: 1}\n",
            (
                "p.yaml:1:17: driver.zebra is not a key of a policy; the keys here are version, "
                "featureGates"
            ),
        ),
        (
            "rules:\n  sel-compile: loud\n",
            "p.yaml:2:16: rules.sel-compile: input should be 'deny', 'warn', 'note' or 'off'",
        ),
        (
            "rules:\n  sel-compil: off\n",
            'p.yaml:2:15: rules names "sel-compil", which is no rule; write sel-compile',
        ),
        (
            "namespaces:\n- match: [a]\n  rules: {nothing-such: off}\n",
            (
                'p.yaml:3:25: namespaces[0].rules names "nothing-such", which is no rule; '
                "`drawbridge rules` lists them"
            ),
        ),
        ("rules: {}\nrules: {}\n", "p.yaml:2:1: rules stands twice; keep one"),
        ("- a\n", "p.yaml:1:1: the policy must be an object of keys and values"),
        (
            "rules: {}\n---\nrules: {}\n",
            "p.yaml:3:1: a second document; write one policy in one document",
        ),
        (
            "rules:\n\tx: y\n",
            "p.yaml:2:1: no YAML: a tab indents here, which YAML does not allow; write blanks",
        ),
    ],
)
def test_faults_are_told_with_line_and_column(text: str, message: str) -> None:
    with pytest.raises(PolicyError) as caught:
        parse_policy(text.encode(), "p.yaml", RULES)
    assert str(caught.value) == message
    assert str(caught.value).startswith(f"p.yaml:{caught.value.line}:{caught.value.column}: ")


def test_all_faults_are_told_at_once_in_the_order_of_the_file() -> None:
    with pytest.raises(PolicyError) as caught:
        parse_policy(b"rules: {gate-of: off}\nx: 1\ndriver: {version: 0.5}\n", "p", RULES)
    assert [line.split(" ")[0] for line in str(caught.value).split("\n")] == [
        "p:1:18:",
        "p:2:4:",
        "p:3:19:",
    ]


def test_a_file_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(PolicyError, match="cannot be read: No such file"):
        load_policy(tmp_path / "none.yaml")
    with pytest.raises(PolicyError, match="cannot be read"):
        load_policy(tmp_path)


@pytest.mark.parametrize(
    ("rules", "default", "action"),
    [
        ({}, "deny", "deny"),
        ({"r": "warn"}, "deny", "warn"),
        ({"r": "off"}, "deny", "off"),
        ({"r": "note"}, "warn", "note"),
        ({"r": "deny"}, "warn", "warn"),
    ],
)
def test_a_policy_lowers_and_never_lifts_what_was_said_for_want_of_knowledge(
    rules: dict[str, str], default: str, action: str
) -> None:
    policy = Policy.model_validate({"rules": rules})
    assert policy.action("r", default, "n") == action


def test_overrides_hold_for_the_namespaces_that_match_and_the_last_one_counts() -> None:
    policy = Policy.model_validate(
        {
            "rules": {"r": "warn"},
            "namespaces": [
                {"match": ["lab-*"], "rules": {"r": "off"}},
                {"match": ["lab-1"], "rules": {"r": "deny"}},
            ],
        }
    )
    assert [policy.action("r", "deny", n) for n in ("x", "lab-2", "lab-1")] == [
        "warn",
        "off",
        "deny",
    ]
