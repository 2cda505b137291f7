from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given

from tests.kube.json_values import json_values
from webhook.kube.pods import parse_carrier
from webhook.kube.types import (
    Container,
    ContainerClaim,
    NodeRequirement,
    PodCarrier,
    PodClaim,
    PodSpec,
    Toleration,
    path_text,
)

SPEC: dict[str, Any] = {
    "containers": [{"name": "c", "resources": {"claims": [{"name": "gpu"}]}}],
    "resourceClaims": [{"name": "gpu", "resourceClaimTemplateName": "one"}],
}
TEMPLATE = {"metadata": {"labels": {"a": "b"}}, "spec": SPEC}


def carrier_of(kind: str, api_version: str = "apps/v1", **fields: Any) -> PodCarrier:
    value = {"apiVersion": api_version, "kind": kind, "metadata": {"name": "x"}, **fields}
    carrier = parse_carrier(value)
    assert carrier is not None
    return carrier


def pod_of(**spec: Any) -> PodSpec:
    return carrier_of("Pod", "v1", spec=spec).pods[0]


def said(pod: PodSpec) -> list[str]:
    return [f"{path_text(f.path)} {f.what}; SEEN: {f.seen}; FIX: {f.fix}" for f in pod.faults]


def test_a_pod_is_read_as_far_as_claims_and_scheduling_go() -> None:
    pod = pod_of(
        resourceClaims=[
            {"name": "gpu", "resourceClaimTemplateName": "one"},
            {"name": "shared", "resourceClaimName": "two"},
        ],
        initContainers=[{"name": "i", "resources": {"claims": [{"name": "gpu", "request": "r"}]}}],
        containers=[{"name": "c", "resources": {"limits": {"nvidia.com/gpu": 1, "cpu": "500m"}}}],
        tolerations=[{"key": "k", "operator": "Equal", "value": "v", "effect": "NoSchedule"}],
        nodeSelector={"a": "b"},
        nodeName="n",
        schedulingGates=[{"name": "g"}],
        affinity={
            "nodeAffinity": {
                "requiredDuringSchedulingIgnoredDuringExecution": {
                    "nodeSelectorTerms": [
                        {
                            "matchExpressions": [{"key": "a", "operator": "In", "values": ["b"]}],
                            "matchFields": [{"key": "metadata.name", "operator": "NotIn"}],
                        },
                        {},
                    ]
                }
            }
        },
    )
    use = ContainerClaim(("spec", "initContainers", 0, "resources", "claims", 0), "gpu", "r")
    assert pod == PodSpec(
        path=("spec",),
        claims=(
            PodClaim(("spec", "resourceClaims", 0), "gpu", "", "one"),
            PodClaim(("spec", "resourceClaims", 1), "shared", "two", ""),
        ),
        containers=(
            Container(
                ("spec", "containers", 0),
                "c",
                "containers",
                (),
                {"nvidia.com/gpu": "1", "cpu": "500m"},
            ),
            Container(("spec", "initContainers", 0), "i", "initContainers", (use,), {}, {}),
        ),
        tolerations=(Toleration("k", "Equal", "v", "NoSchedule"),),
        tolerations_present=True,
        node_selector={"a": "b"},
        affinity_terms=(
            (
                NodeRequirement("a", "In", ("b",)),
                NodeRequirement("metadata.name", "NotIn", (), on_field=True),
            ),
            (),
        ),
        node_name="n",
        scheduling_gates=("g",),
    )


def test_an_absent_list_of_tolerations_differs_from_an_empty_one() -> None:
    assert not pod_of().tolerations_present
    assert not pod_of(tolerations=None).tolerations_present
    assert pod_of(tolerations=[]).tolerations_present


def test_generated_names_are_shown_with_a_star_and_owners_are_read() -> None:
    value = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "generateName": "night-run-",
            "namespace": "demo",
            "ownerReferences": [{"kind": "Job", "controller": True}],
        },
    }
    carrier = parse_carrier(value)
    assert carrier is not None
    assert carrier.is_pod
    assert (carrier.name, carrier.display_name) == ("", "night-run-*")
    assert (carrier.owner_kind, carrier.namespace) == ("Job", "demo")


TWO = {"leaderTemplate": TEMPLATE, "workerTemplate": TEMPLATE, "size": 4}


@pytest.mark.parametrize(
    ("carrier", "paths", "parallel"),
    [
        (
            carrier_of("Deployment", spec={"replicas": 3, "template": TEMPLATE}),
            ["spec.template.spec"],
            (3,),
        ),
        (carrier_of("ReplicaSet", spec={"template": TEMPLATE}), ["spec.template.spec"], (1,)),
        (carrier_of("StatefulSet", spec={"template": TEMPLATE}), ["spec.template.spec"], (1,)),
        (carrier_of("DaemonSet", spec={"template": TEMPLATE}), ["spec.template.spec"], (None,)),
        (
            carrier_of("Job", "batch/v1", spec={"parallelism": 8, "template": TEMPLATE}),
            ["spec.template.spec"],
            (8,),
        ),
        (
            carrier_of(
                "Job", "batch/v1", spec={"parallelism": 8, "completions": 2, "template": TEMPLATE}
            ),
            ["spec.template.spec"],
            (2,),
        ),
        (
            carrier_of(
                "CronJob", "batch/v1", spec={"jobTemplate": {"spec": {"template": TEMPLATE}}}
            ),
            ["spec.jobTemplate.spec.template.spec"],
            (1,),
        ),
        (
            carrier_of("ReplicationController", "v1", spec={"replicas": 2, "template": TEMPLATE}),
            ["spec.template.spec"],
            (2,),
        ),
        (carrier_of("PodTemplate", "v1", template=TEMPLATE), ["template.spec"], (1,)),
        (
            carrier_of(
                "JobSet",
                "jobset.x-k8s.io/v1alpha2",
                spec={
                    "replicatedJobs": [
                        {
                            "name": "w",
                            "replicas": 2,
                            "template": {"spec": {"parallelism": 3, "template": TEMPLATE}},
                        }
                    ]
                },
            ),
            ["spec.replicatedJobs[0].template.spec.template.spec"],
            (6,),
        ),
        (
            carrier_of(
                "LeaderWorkerSet",
                "leaderworkerset.x-k8s.io/v1",
                spec={"replicas": 2, "leaderWorkerTemplate": TWO},
            ),
            [
                "spec.leaderWorkerTemplate.leaderTemplate.spec",
                "spec.leaderWorkerTemplate.workerTemplate.spec",
            ],
            (2, 6),
        ),
        (
            carrier_of(
                "PyTorchJob",
                "kubeflow.org/v1",
                spec={
                    "pytorchReplicaSpecs": {
                        "Master": {"template": TEMPLATE},
                        "Worker": {"replicas": 4, "template": TEMPLATE},
                    }
                },
            ),
            [
                "spec.pytorchReplicaSpecs.Master.template.spec",
                "spec.pytorchReplicaSpecs.Worker.template.spec",
            ],
            (1, 4),
        ),
        (
            carrier_of(
                "RayJob",
                "ray.io/v1",
                spec={
                    "rayClusterSpec": {
                        "headGroupSpec": {"template": TEMPLATE},
                        "workerGroupSpecs": [
                            {"replicas": 2, "numOfHosts": 4, "template": TEMPLATE}
                        ],
                    }
                },
            ),
            [
                "spec.rayClusterSpec.headGroupSpec.template.spec",
                "spec.rayClusterSpec.workerGroupSpecs[0].template.spec",
            ],
            (1, 8),
        ),
        (
            carrier_of(
                "AppWrapper",
                "workload.codeflare.dev/v1beta2",
                spec={
                    "components": [
                        {
                            "template": {
                                "kind": "Deployment",
                                "spec": {"replicas": 2, "template": TEMPLATE},
                            }
                        }
                    ]
                },
            ),
            ["spec.components[0].template.spec.template.spec"],
            (2,),
        ),
        (
            carrier_of(
                "Workload",
                "kueue.x-k8s.io/v1beta1",
                spec={"podSets": [{"name": "main", "count": 5, "template": TEMPLATE}]},
            ),
            ["spec.podSets[0].template.spec"],
            (5,),
        ),
        (
            carrier_of("Deployment", spec={"replicas": "many", "template": TEMPLATE}),
            ["spec.template.spec"],
            (None,),
        ),
    ],
)
def test_pod_templates_are_found_by_shape_with_how_many_run_side_by_side(
    carrier: PodCarrier, paths: list[str], parallel: tuple[int | None, ...]
) -> None:
    assert [path_text(pod.path) for pod in carrier.pods] == paths
    assert carrier.parallel == parallel
    assert all(pod.claims[0].template_name == "one" for pod in carrier.pods)
    assert not carrier.is_pod


@pytest.mark.parametrize(
    "value",
    [
        {},
        {"kind": "ConfigMap", "apiVersion": "v1", "data": {"template": "x"}},
        {"kind": "Deployment", "spec": {"template": {"spec": {}}}},
        {"kind": "AdmissionReview", "request": {"object": {"spec": {"template": TEMPLATE}}}},
        {"kind": "X", "status": {"template": TEMPLATE}},
        {"kind": "PodList", "items": [{"template": TEMPLATE}]},
    ],
)
def test_other_objects_carry_no_pods(value: dict[str, Any]) -> None:
    assert parse_carrier(value) is None


def test_the_search_is_bounded_in_depth_and_number() -> None:
    deep: Any = {"template": TEMPLATE}
    for _ in range(20):
        deep = {"x": deep}
    assert parse_carrier({"kind": "X", "spec": deep}) is None
    many = carrier_of("X", spec={"all": [{"template": TEMPLATE}] * 100})
    assert len(many.pods) == len(many.parallel) == 64


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        (
            {"resourceClaims": [{"name": "g", "source": {"resourceClaimName": "card-0"}}]},
            (
                "spec.resourceClaims[0].source is a retired wrapper (gone since Kubernetes 1.31); "
                "its "
                "field stands in the entry itself; SEEN: source: {resourceClaimName: card-0}; "
                "FIX: write {name: g, resourceClaimName: card-0}"
            ),
        ),
        (
            {"resourceClaims": [{"name": "g"}]},
            (
                "spec.resourceClaims[0] must have exactly one of resourceClaimName and "
                "resourceClaimTemplateName; SEEN: neither; "
                "FIX: write {name: g, resourceClaimTemplateName: NAME}"
            ),
        ),
        (
            {
                "resourceClaims": [
                    {"name": "g", "resourceClaimName": "a", "resourceClaimTemplateName": "b"}
                ]
            },
            (
                "spec.resourceClaims[0] must have exactly one of resourceClaimName and "
                'resourceClaimTemplateName; SEEN: both: "a" and "b"; FIX: keep resourceClaimName '
                "for a "
                "claim that pods share, resourceClaimTemplateName for one of each pod's own"
            ),
        ),
        (
            {"resourceClaims": [{"name": "g", "templateName": "a"}]},
            (
                "spec.resourceClaims[0].templateName is not a field of a pod's resourceClaims; "
                'SEEN: templateName: "a"; FIX: write resourceClaimTemplateName'
            ),
        ),
        (
            {"resourceClaims": [{"name": "g", "resourceClaimName": "a"}] * 2},
            (
                "spec.resourceClaims[1].name repeats the name of an earlier entry; "
                'SEEN: "g"; FIX: write another name, or remove the entry'
            ),
        ),
        (
            {"resourceClaims": ["gpu"]},
            (
                'spec.resourceClaims[0] must be an object; SEEN: "gpu"; '
                "FIX: write {name: gpu, resourceClaimTemplateName: gpu}"
            ),
        ),
        (
            {"containers": [{"resources": {"claims": ["gpu"]}}]},
            (
                'spec.containers[0].resources.claims[0] must be an object; SEEN: "gpu"; '
                "FIX: write {name: gpu}"
            ),
        ),
        (
            {"containers": [{"resources": {"claims": [{"name": "a"}, {"name": "a"}]}}]},
            (
                "spec.containers[0].resources.claims[1].name repeats the name of an earlier entry; "
                'SEEN: "a"; FIX: name each claim once; without request it gives all devices of the '
                "claim"
            ),
        ),
        (
            {"containers": [{"resources": {"claims": [{"resourceClaimName": "a"}]}}]},
            (
                "spec.containers[0].resources.claims[0].resourceClaimName is not a field of a "
                'container\'s claims; SEEN: resourceClaimName: "a"; FIX: put it in '
                "spec.resourceClaims; here stands the name of that entry"
            ),
        ),
    ],
)
def test_what_the_api_server_refuses_in_claims_is_said_once(
    spec: dict[str, Any], expected: str
) -> None:
    assert said(pod_of(**spec)) == [expected]


def test_containers_that_name_undeclared_claims_are_no_fault_of_the_layout() -> None:
    pod = pod_of(containers=[{"resources": {"claims": [{"name": "other"}]}}])
    assert pod.faults == ()


@given(json_values())
def test_no_json_value_makes_the_parser_raise(inner: Any) -> None:
    container = {"name": inner, "resources": inner}
    for value in (
        inner if isinstance(inner, dict) else {"kind": inner},
        {"apiVersion": "v1", "kind": "Pod", "metadata": inner, "spec": inner},
        {"kind": "Pod", "apiVersion": "v1", "spec": {"resourceClaims": inner, "containers": inner}},
        {"kind": "Pod", "apiVersion": "v1", "spec": {"resourceClaims": [inner], "affinity": inner}},
        {
            "kind": "D",
            "spec": {"replicas": inner, "template": {"spec": {"containers": [container]}}},
        },
    ):
        carrier = parse_carrier(value)
        assert carrier is None or len(carrier.pods) == len(carrier.parallel)
