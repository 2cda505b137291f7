"""Rules about placement: the whole text of each kind of reason, and when they are silent."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.allocation.tables import build_world, claim_of
from webhook.kube.pods import parse_carrier
from webhook.kube.types import Claim, Document
from webhook.nvidia.driver import driver_state
from webhook.rules import placement, placement_pods
from webhook.rules.context import Context
from webhook.rules.types import Finding
from webhook.world import extend
from webhook.world.types import World

TAINT = "nvidia.com/gpu=Exists:NoSchedule"
BASE: dict[str, Any] = {
    "nodes": {"a": {"taints": [TAINT]}, "b": {"taints": [TAINT]}, "c": {"labels": {"zone": "x"}}},
    "devices": [
        {
            "driver": "gpu",
            "at": "a",
            "count": 1,
            "product": "NVIDIA A10G",
            "attributes": {"ex.com/root": "r0"},
        },
        {
            "driver": "gpu",
            "at": "b",
            "count": 4,
            "product": "NVIDIA A10G",
            "attributes": {"ex.com/root": ["r0", "r0", "r1", "r1"]},
        },
        {"driver": "nic", "at": "c", "count": 2},
        {
            "driver": "part",
            "at": "c",
            "pool": "cards",
            "count": 3,
            "uses": [{"c0": {"slices": 2}}] * 3,
        },
        {
            "driver": "part",
            "at": "c",
            "pool": "cards",
            "count": 0,
            "counters": {"c0": {"slices": 5}},
        },
    ],
}


def context_of(world: World, claim: Claim) -> Context:
    return Context(world, driver_state(world), Document({}), "default", claim=claim)


def of_claim(claim: dict[str, Any], **more: Any) -> list[Finding]:
    context = context_of(build_world({**BASE, **more}), claim_of("c", claim))
    return [finding for rule in placement.RULES for finding in rule.check(context)]


def lines(findings: list[Finding]) -> list[str]:
    return [f"{finding.action} {finding.rule}: {finding.message}" for finding in findings]


REQUESTS = "spec.devices.requests"
TABLE: list[tuple[dict[str, Any], dict[str, Any], list[str]]] = [
    ({"gpu": 4}, {}, []),
    (
        {"gpu": 8},
        {},
        [
            (
                f"deny claim-count: {REQUESTS}[0].exactly.count asks for 8 devices on one node; "
                "SEEN: "
                'the most on one node is 4 (node b, "NVIDIA A10G"); FIX: ask for at most 4, or '
                "spread "
                "the work over several pods: one node serves all devices of a claim"
            )
        ],
    ),
    (
        {"gpu": 33},
        {},
        [
            (
                f"deny claim-count: {REQUESTS}[0].exactly.count asks for 33 devices; SEEN: a "
                "claim has "
                "32 devices at most; FIX: ask for at most 32, or make several claims"
            )
        ],
    ),
    (
        {"x": 3, "y": 2},
        {},
        [
            (
                f'deny claim-count: {REQUESTS} asks for 5 devices on one node in requests "x", '
                '"y"; '
                "SEEN: the most that match on one node is 4 (node b); FIX: ask for at most 4 in "
                "all: "
                "one node serves the whole claim"
            )
        ],
    ),
    (
        {"gpu": 1, "nic": 1},
        {},
        [
            (
                f"deny claim-count: {REQUESTS} asks for devices that no one node has together; "
                "SEEN: "
                '"gpu" fits 2 nodes (a, b), "nic" fits node c; no node has both; FIX: ask for '
                "devices "
                "that one node has, or make claims of their own for several pods"
            )
        ],
    ),
    (
        {"gpu": 3, "~match": ["ex.com/root"]},
        {},
        [
            (
                "deny claim-constraint: spec.devices.constraints[0].matchAttribute cannot be "
                "satisfied "
                'on any node; SEEN: the most devices with one value is 2 ("r0" on node b), '
                "wanted 3; "
                "FIX: ask for at most 2 under this constraint, or drop it"
            )
        ],
    ),
    (
        {"gpu": 1, "~match": ["ex.com/rail"]},
        {},
        [
            (
                "deny claim-constraint: spec.devices.constraints[0].matchAttribute cannot be "
                "satisfied "
                'on any node; SEEN: no device that request "gpu" could get has ex.com/rail; FIX: '
                "leave "
                'request "gpu" out of the constraint\'s requests, or drop the constraint'
            )
        ],
    ),
    (
        {"part": 3},
        {},
        [
            (
                f"deny claim-counters: {REQUESTS}[0].exactly.count asks for 3 devices that draw "
                "on the "
                "same counters; SEEN: counter set c0 on node c has 5 of slices, each device "
                "takes at "
                "least 2; 2 of 3 devices can be had together; FIX: ask for at most 2, or for "
                "smaller "
                "partitions"
            )
        ],
    ),
    (
        {"gpu": {"first": {"h": {"where": 'gpu.productName == "NVIDIA H100"'}, "m": {"count": 8}}}},
        {},
        [
            (
                f"deny claim-alternatives: {REQUESTS}[0].firstAvailable has 2 alternatives, and "
                "no node "
                'can serve any; SEEN: "h": productName is "NVIDIA A10G" (5 devices), wanted '
                '"NVIDIA H100"; "m": wants 8; the most on one node is 4 (node b, "NVIDIA A10G"); '
                "FIX: "
                "add an alternative that the hardware here can serve"
            )
        ],
    ),
    (
        {"gpu": 2},
        {"held": [{"device": f"gpu/b/gpu-{i}", "by": "train"} for i in range(3)]},
        [
            (
                f"warn claim-busy: {REQUESTS} must wait: every device that would fit is "
                "allocated to "
                "another claim; SEEN: 3 devices allocated to other/train; FIX: wait until "
                "devices on "
                "node b come free, or share a claim by resourceClaimName"
            )
        ],
    ),
    (
        {"gpu": 1},
        {"devices": [{"driver": "gpu", "at": "a", "taint": "gpu.nvidia.com/xid=79:NoSchedule"}]},
        [
            (
                f"warn claim-tainted: {REQUESTS}[0].exactly.tolerations tolerates none of the "
                "devices "
                "that would fit; SEEN: taint gpu.nvidia.com/xid=79:NoSchedule on 1 device on "
                "node a; "
                "FIX: wait until the taint is gone, or add to the request's tolerations {key: "
                "gpu.nvidia.com/xid, operator: Exists, effect: NoSchedule}"
            )
        ],
    ),
    (
        {"gpu": 8},
        {"pools": [{"name": "big", "instanceType": "p5.48xlarge", "minSize": 0, "maxSize": 2}]},
        [
            (
                f"warn sel-catalogue-only: {REQUESTS} is served by hardware that is not up now "
                "only: no "
                "node that is up has all of it; SEEN: pool big has no node; p5.48xlarge would "
                "bring 8 x "
                '"NVIDIA H100 80GB HBM3"; FIX: nothing, if the pool scales from zero; the pod '
                "stays "
                "Pending until a node is up"
            )
        ],
    ),
    (
        {"gpu": {"all": True}, "~match": ["ex.com/root"]},
        {},
        [
            (
                "warn claim-constraint: spec.devices.constraints[0].matchAttribute excludes a "
                "device "
                'that request "gpu" must take, since allocationMode is All: an error that ends the '
                "scheduling of the pod; SEEN: device gpu-2 on node b differs in ex.com/root or "
                "lacks "
                "it; FIX: write ExactCount, or narrow the selectors to devices of one value"
            )
        ],
    ),
    ({"gpu": {"where": 'gpu.productName == "NVIDIA H100"'}}, {}, []),
    ({"gpu": {"class": "no-such-class"}}, {}, []),
]


@pytest.mark.parametrize(("claim", "more", "expected"), TABLE)
def test_a_claim_is_told_the_smallest_true_reason(
    claim: dict[str, Any], more: dict[str, Any], expected: list[str]
) -> None:
    assert lines(of_claim(claim, **more)) == expected


def test_what_is_not_seen_whole_is_only_warned_of() -> None:
    devices = [*BASE["devices"], {"driver": "gpu", "at": "c", "slices": 2}]
    findings = of_claim({"gpu": 8}, devices=devices)
    assert [(f.rule, f.action) for f in findings] == [("claim-count", "warn")]


def test_a_claim_that_is_allocated_is_not_asked_about() -> None:
    assert of_claim({"gpu": 8, "=allocated": {"node": "a"}}) == []


def of_pod(
    spec: dict[str, Any], claims: dict[str, dict[str, Any]], *, kind: str = "Pod", **more: Any
) -> list[Finding]:
    world = build_world({**BASE, **more})
    objects = []
    for name, claim in claims.items():
        devices: dict[str, Any] = {"requests": []}
        for request in claim_of(name, claim).requests:
            exactly = request.exactly
            assert exactly is not None
            body: dict[str, Any] = {"deviceClassName": exactly.device_class, "count": exactly.count}
            body["selectors"] = [{"cel": {"expression": s.expression}} for s in exactly.selectors]
            devices["requests"].append({"name": request.name, "exactly": body})
        objects.append(
            {
                "apiVersion": "resource.k8s.io/v1",
                "kind": "ResourceClaimTemplate",
                "metadata": {"name": name, "namespace": "default"},
                "spec": {"spec": {"devices": devices}},
            }
        )
    world = extend(world, objects)
    pod = {
        "containers": [{"name": "c", "image": "i"}],
        "resourceClaims": [{"name": n, "resourceClaimTemplateName": n} for n in claims],
        **spec,
    }
    raw: dict[str, Any] = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "p"},
        "spec": pod,
    }
    if kind != "Pod":
        raw = {
            "apiVersion": "apps/v1",
            "kind": kind,
            "metadata": {"name": "p"},
            "spec": {"template": {"spec": pod}},
        }
    carrier = parse_carrier(raw)
    assert carrier is not None
    context = Context(world, driver_state(world), Document(raw), "default", carrier=carrier)
    return list(_checked(context))


def _checked(context: Context) -> Iterator[Finding]:
    for rule in placement_pods.RULES:
        yield from rule.check(context)


TOLERANT = {"tolerations": [{"key": "nvidia.com/gpu", "operator": "Exists"}]}
PODS: list[tuple[dict[str, Any], dict[str, Any], list[str]]] = [
    (TOLERANT, {"g": {"gpu": 1}}, []),
    (
        {},
        {"g": {"gpu": 1}},
        [
            (
                "deny pod-no-node: spec.tolerations tolerates the taint of none of the nodes "
                "that could "
                f"serve its claims; SEEN: taint {TAINT} on 2 nodes (a, b); FIX: add the toleration "
                "{key: nvidia.com/gpu, operator: Exists, effect: NoSchedule}"
            )
        ],
    ),
    (
        {**TOLERANT, "nodeSelector": {"zone": "x"}},
        {"g": {"gpu": 1}},
        [
            (
                "deny pod-no-node: spec.nodeSelector leaves out every node that could serve the "
                "pod's "
                "claims; SEEN: 2 nodes (a, b) could serve them, excluded by zone=x; FIX: select "
                "nodes "
                "that have the devices, or ask for devices of the selected nodes"
            )
        ],
    ),
    (
        TOLERANT,
        {"g": {"gpu": 1}, "n": {"nic": 1}},
        [
            (
                "deny pod-no-node: spec.resourceClaims names claims that no one node can serve "
                'together; SEEN: "g" fits 2 nodes (a, b), "n" fits node c; no node has both; '
                "FIX: ask "
                "for devices that one node has, or split the work into several pods"
            )
        ],
    ),
    (
        TOLERANT,
        {"g": {"gpu": 3}, "h": {"gpu": 2}},
        [
            (
                "deny pod-no-node: spec.resourceClaims needs 5 devices on one node; SEEN: the "
                "most that "
                "match on one node is 4 (node b); FIX: ask for at most 4 in all, or split the "
                "work into "
                "several pods"
            )
        ],
    ),
    (TOLERANT, {"g": {"gpu": 8}}, []),
]


@pytest.mark.parametrize(("spec", "claims", "expected"), PODS)
def test_a_pod_is_told_why_no_node_serves_it(
    spec: dict[str, Any], claims: dict[str, Any], expected: list[str]
) -> None:
    assert lines(of_pod(spec, claims)) == expected


def test_a_pod_template_is_warned_and_gets_the_toleration_later() -> None:
    assert of_pod({}, {"g": {"gpu": 1}}, kind="Deployment") == []
    spec = {"nodeSelector": {"zone": "x"}}
    findings = of_pod(spec, {"g": {"gpu": 1}}, kind="Deployment")
    assert [(f.rule, f.action) for f in findings] == [("pod-no-node", "warn")]
    assert findings[0].field == "spec.template.spec.nodeSelector"


def test_a_cordoned_node_only_makes_the_pod_wait() -> None:
    nodes = {"a": {"cordoned": True}, "b": {"cordoned": True}, "c": {}}
    assert lines(of_pod({}, {"g": {"gpu": 4}}, nodes=nodes)) == [
        (
            "warn pod-no-node: spec must wait: the nodes that could serve its claims take no "
            "pods now; "
            "SEEN: taint node.kubernetes.io/unschedulable:NoSchedule on node b; FIX: wait until "
            "the "
            "nodes are back, or have them uncordoned"
        )
    ]


def test_a_pod_is_refused_where_a_selector_fails_on_a_node_that_it_may_use() -> None:
    devices = [
        {"driver": "gpu", "at": "a", "product": "X"},
        {"driver": "gpu", "at": "b", "attributes": {"rare": 1}},
    ]
    claims = {"g": {"gpu": {"where": "gpu.rare == 1"}}}
    assert lines(of_pod(TOLERANT, claims, devices=devices)) == [
        (
            "deny sel-runtime: spec.resourceClaims[0] cannot be scheduled: selector 0 of request "
            '"gpu" '
            'of claim "g" fails on a device that the scheduler asks it about, which ends the '
            "attempt "
            "for the whole pod: no such key: rare; SEEN: device gpu-0 on node a; node b would "
            "fit; FIX: "
            "guard the selector (.?name.orValue(…), or has(…) && …), or keep the pod off the "
            "node by a "
            "nodeSelector"
        )
    ]
    chosen = {**TOLERANT, "nodeSelector": {"kubernetes.io/hostname": "b"}}
    assert of_pod(chosen, claims, devices=devices) == []


def test_nothing_is_said_where_nodes_are_not_known() -> None:
    assert of_pod({}, {"g": {"gpu": 1}}, nodes={}) == []


def test_every_rule_has_a_page() -> None:
    for rule in (*placement.RULES, *placement_pods.RULES):
        assert rule.page.startswith(rule.id)
        assert rule.page.count("\n") > 3
