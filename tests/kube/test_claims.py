from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.kube.json_values import json_values
from webhook.kube.claims import parse_claim
from webhook.kube.types import (
    AllocatedDevice,
    Claim,
    Constraint,
    DeviceRequest,
    OpaqueConfig,
    Request,
    SelectorSource,
    Toleration,
    path_text,
)

GPU = "gpu.nvidia.com"
EXACT = {"deviceClassName": GPU}


def claim_of(
    *requests: Any, version: str = "v1", kind: str = "ResourceClaim", **devices: Any
) -> Claim:
    spec: dict[str, Any] = {"devices": {"requests": list(requests), **devices}}
    value = {
        "apiVersion": f"resource.k8s.io/{version}",
        "kind": kind,
        "metadata": {"name": "c", "namespace": "n"},
        "spec": spec if kind == "ResourceClaim" else {"spec": spec},
    }
    claim = parse_claim(value)
    assert claim is not None
    return claim


def said(claim: Claim) -> list[str]:
    return [
        f"{fault.kind} {path_text(fault.path)} {fault.what}; SEEN: {fault.seen}; FIX: {fault.fix}"
        for fault in claim.faults
    ]


def with_exact(**fields: Any) -> Claim:
    return claim_of({"name": "gpu", "exactly": {**EXACT, **fields}})


def test_a_claim_of_v1_is_read_whole() -> None:
    claim = claim_of(
        {
            "name": "gpu",
            "exactly": {
                "deviceClassName": GPU,
                "selectors": [{"cel": {"expression": "true"}}],
                "count": 2,
                "adminAccess": True,
                "tolerations": [{"key": "k", "operator": "Exists", "tolerationSeconds": 3}],
                "capacity": {"requests": {"memory": "10Gi", "cores": 5}},
            },
        },
        {
            "name": "any",
            "firstAvailable": [
                {"name": "big", "deviceClassName": GPU, "allocationMode": "All"},
                {"name": "small", "deviceClassName": "mig.nvidia.com"},
            ],
        },
        constraints=[{"requests": ["gpu", "any/big"], "matchAttribute": f"{GPU}/productName"}],
        config=[{"requests": ["gpu"], "opaque": {"driver": GPU, "parameters": {"a": 50.0}}}],
    )
    at = ("spec", "devices", "requests")
    assert claim.faults == ()
    assert claim.requests == (
        Request(
            "gpu",
            (*at, 0),
            DeviceRequest(
                "gpu",
                (*at, 0, "exactly"),
                GPU,
                (SelectorSource((*at, 0, "exactly", "selectors", 0, "cel", "expression"), "true"),),
                count=2,
                admin_access=True,
                tolerations=(Toleration("k", "Exists"),),
                capacity_requests={"memory": "10Gi", "cores": "5"},
            ),
        ),
        Request(
            "any",
            (*at, 1),
            None,
            (
                DeviceRequest("any/big", (*at, 1, "firstAvailable", 0), GPU, mode="All"),
                DeviceRequest("any/small", (*at, 1, "firstAvailable", 1), "mig.nvidia.com"),
            ),
        ),
    )
    assert claim.constraints == (
        Constraint(("spec", "devices", "constraints", 0), ("gpu", "any/big"), f"{GPU}/productName"),
    )
    assert claim.configs == (
        OpaqueConfig(("spec", "devices", "config", 0), GPU, {"a": 50.0}, ("gpu",)),
    )


@pytest.mark.parametrize("version", ["v1beta1", "v1alpha3"])
def test_flat_requests_keep_the_paths_that_were_written(version: str) -> None:
    claim = claim_of(
        {"name": "gpu", **EXACT, "selectors": [{"cel": {"expression": "x"}}]},
        version=version,
        kind="ResourceClaimTemplate",
    )
    assert claim.faults == ()
    assert claim.spec_path == ("spec", "spec")
    (request,) = claim.device_requests
    assert path_text(request.path) == "spec.spec.devices.requests[0]"
    assert path_text(request.selectors[0].path) == (
        "spec.spec.devices.requests[0].selectors[0].cel.expression"
    )


def test_alternatives_are_read_in_every_version() -> None:
    for version in ("v1", "v1beta2", "v1beta1"):
        claim = claim_of({"name": "r", "firstAvailable": [{"name": "a", **EXACT}]}, version=version)
        assert claim.faults == ()
        assert [r.name for r in claim.device_requests] == ["r/a"]


@pytest.mark.parametrize("count", [None, 0])
def test_a_count_of_nothing_means_one(count: int | None) -> None:
    claim = with_exact(count=count, allocationMode=None)
    assert claim.faults == ()
    assert claim.device_requests[0].count == 1


@pytest.mark.parametrize(
    ("claim", "expected"),
    [
        (
            claim_of({"name": "gpu", **EXACT, "count": 2}),
            (
                "unknown-field spec.devices.requests[0].deviceClassName is not a field of a "
                "request in "
                "resource.k8s.io/v1: it belongs under exactly (also count); SEEN: the flat layout "
                "of "
                "v1beta1: deviceClassName beside name; FIX: write {name: gpu, exactly: "
                "{deviceClassName: gpu.nvidia.com, count: 2}}"
            ),
        ),
        (
            claim_of({"name": "gpu", "exactly": EXACT}, version="v1beta1"),
            (
                "unknown-field spec.devices.requests[0].exactly is not a field of a request in "
                "resource.k8s.io/v1beta1, whose requests are flat; SEEN: the layout of v1 and "
                "v1beta2; "
                "FIX: write {name: gpu, deviceClassName: gpu.nvidia.com}, or "
                "apiVersion: resource.k8s.io/v1"
            ),
        ),
        (
            claim_of({"name": "gpu"}),
            (
                "required spec.devices.requests[0] needs exactly one of exactly and "
                "firstAvailable; "
                "SEEN: neither; FIX: write {name: gpu, exactly: {deviceClassName: gpu.nvidia.com}}"
            ),
        ),
        (
            claim_of({"name": "g", "exactly": EXACT, "firstAvailable": [{"name": "a", **EXACT}]}),
            (
                "invalid spec.devices.requests[0] must have only one of exactly and "
                "firstAvailable; "
                "SEEN: both; FIX: keep exactly for one kind of device, or firstAvailable with all "
                "alternatives in it"
            ),
        ),
        (
            claim_of(
                {"name": "g", "count": 2, "firstAvailable": [{"name": "a", **EXACT}]},
                version="v1beta1",
            ),
            (
                "invalid spec.devices.requests[0] must have only one of the request's own fields "
                "and "
                "firstAvailable; SEEN: both; FIX: keep the request's own fields for one kind of "
                "device, or firstAvailable with all alternatives in it"
            ),
        ),
        (
            claim_of({"name": "gpu", "exactly": {"deviceClass": GPU}}),
            (
                "unknown-field spec.devices.requests[0].exactly.deviceClass is not a field of a "
                "device "
                'request (exactly) in resource.k8s.io/v1; SEEN: deviceClass: "gpu.nvidia.com"; '
                "FIX: write deviceClassName"
            ),
        ),
        (
            with_exact(selectors=[{"cel": None, "expression": 'device.driver == "x"'}]),
            (
                "unknown-field spec.devices.requests[0].exactly.selectors[0].expression stands "
                "beside "
                "cel and not under it: cel is empty, and the expression is no field here; "
                'SEEN: expression: "device.driver == \\"x\\""; FIX: indent expression under cel: '
                '{cel: {expression: "device.driver == \\"x\\""}}'
            ),
        ),
        (
            with_exact(selectors=['device.driver == "x"']),
            (
                "wrong-type spec.devices.requests[0].exactly.selectors[0] must be an object; "
                'SEEN: "device.driver == \\"x\\""; FIX: write '
                '{cel: {expression: "device.driver == \\"x\\""}}'
            ),
        ),
        (
            with_exact(selectors=[{}]),
            (
                "required spec.devices.requests[0].exactly.selectors[0].cel is required; SEEN: no "
                "cel; "
                'FIX: write cel: {expression: device.driver == "gpu.nvidia.com"}'
            ),
        ),
        (
            with_exact(count=-2),
            (
                "invalid spec.devices.requests[0].exactly.count must be greater than zero; "
                "SEEN: count: -2; FIX: write count: 2"
            ),
        ),
        (
            with_exact(count="2"),
            (
                "wrong-type spec.devices.requests[0].exactly.count must be a whole number; "
                'SEEN: "2"; FIX: write count: 2'
            ),
        ),
        (
            with_exact(count=3, allocationMode="All"),
            (
                "invalid spec.devices.requests[0].exactly.count must not be given when "
                "allocationMode "
                "is All; SEEN: count: 3; FIX: leave count out, or write allocationMode: ExactCount "
                "for 3"
            ),
        ),
        (
            with_exact(allocationMode="all"),
            (
                "invalid spec.devices.requests[0].exactly.allocationMode must be ExactCount or "
                "All; "
                'SEEN: "all"; FIX: write All'
            ),
        ),
        (
            claim_of({"name": "GPU_0", "exactly": EXACT}),
            (
                "invalid spec.devices.requests[0].name must be a DNS label: lower-case letters, "
                "digits "
                "and dashes, with a letter or digit at both ends; "
                'SEEN: "GPU_0"; FIX: write name: gpu-0'
            ),
        ),
        (
            claim_of({"exactly": EXACT}),
            (
                "required spec.devices.requests[0].name is required; SEEN: no name; "
                "FIX: write name: gpu"
            ),
        ),
        (
            claim_of({"name": "a", "exactly": EXACT}, {"name": "a", "exactly": EXACT}),
            (
                "invalid spec.devices.requests[1].name repeats the name of another request of the "
                'claim; SEEN: entries 0 and 1 are both called "a"; '
                'FIX: write another name, e.g. "a-1"'
            ),
        ),
        (
            claim_of({"name": "a", "exactly": {}}),
            (
                "required spec.devices.requests[0].exactly.deviceClassName is required; "
                "SEEN: no deviceClassName; FIX: write deviceClassName: gpu.nvidia.com "
                "(or mig.nvidia.com, or a class of your own)"
            ),
        ),
        (
            claim_of({"name": "a", "exactly": EXACT}, config=[{"requests": ["b"], "opaque": {}}]),
            (
                "invalid spec.devices.config[0].requests[0] names no request of the claim; "
                'SEEN: "b"; the requests are "a"; '
                'FIX: write "a"'
            ),
        ),
        (
            claim_of({"name": "gpu", "exactly": EXACT}, constraints=[{"matchAttribute": "model"}]),
            (
                "invalid spec.devices.constraints[0].matchAttribute must include the attribute's "
                'domain: DOMAIN/NAME; SEEN: "model"; FIX: write "gpu.nvidia.com/model"'
            ),
        ),
        (
            claim_of({"name": "gpu", "exactly": EXACT}, constraints=[{}]),
            (
                "required spec.devices.constraints[0].matchAttribute is required; SEEN: no "
                "attribute; "
                "FIX: write matchAttribute: resource.kubernetes.io/pcieRoot, or another attribute "
                "as "
                "DOMAIN/NAME"
            ),
        ),
        (
            claim_of({"name": "gpu", "exactly": EXACT}, config=[{"driver": GPU}]),
            (
                "unknown-field spec.devices.config[0].driver is not a field of an entry of config; "
                'SEEN: driver: "gpu.nvidia.com"; FIX: put it under opaque'
            ),
        ),
        (
            claim_of(
                {"name": "gpu", "exactly": EXACT},
                config=[{"opaque": {"driver": GPU, "parameters": "x"}}],
            ),
            (
                "wrong-type spec.devices.config[0].opaque.parameters must be an object; "
                'SEEN: "x"; FIX: write an object with apiVersion and kind, such as '
                "resource.nvidia.com/v1beta1 and GpuConfig"
            ),
        ),
        (
            claim_of(
                {"name": "gpu", "exactly": EXACT},
                config=[{"opaque": {"driver": "gpu_nvidia", "parameters": {}}}],
            ),
            (
                "invalid spec.devices.config[0].opaque.driver must be a DNS subdomain: letters, "
                'digits, dashes and dots, such as gpu.nvidia.com; SEEN: "gpu_nvidia"; '
                "FIX: write the driver's name, such as gpu.nvidia.com"
            ),
        ),
    ],
)
def test_what_the_api_server_refuses_is_said_with_its_mend(claim: Claim, expected: str) -> None:
    assert expected in said(claim)


@pytest.mark.parametrize(
    ("claim", "path"),
    [
        (claim_of(*({"name": f"r{i}", "exactly": EXACT} for i in range(33))), "requests"),
        (
            claim_of(
                {"name": "r", "firstAvailable": [{"name": f"a{i}", **EXACT} for i in range(9)]}
            ),
            "requests[0].firstAvailable",
        ),
        (
            claim_of(constraints=[{"matchAttribute": "a.b/c"}] * 33),
            "constraints",
        ),
        (claim_of(config=[{"opaque": {"driver": GPU, "parameters": {}}}] * 33), "config"),
        (
            with_exact(selectors=[{"cel": {"expression": "true"}}] * 33),
            "requests[0].exactly.selectors",
        ),
        (
            claim_of(config=[{"opaque": {"driver": GPU, "parameters": {"a": "x" * 10240}}}]),
            "config[0].opaque.parameters",
        ),
    ],
)
def test_lists_and_parameters_have_the_limits_of_the_api(claim: Claim, path: str) -> None:
    assert [path_text(f.path) for f in claim.faults if f.kind == "too-many"] == [
        f"spec.devices.{path}"
    ]


def test_limits_themselves_are_allowed() -> None:
    alternatives = [{"name": f"a{i}", **EXACT} for i in range(8)]
    requests = [{"name": f"r{i}", "firstAvailable": alternatives} for i in range(32)]
    assert claim_of(*requests).faults == ()


def test_references_to_alternatives_are_known_and_repetitions_are_no_reference_faults() -> None:
    claim = claim_of(
        {"name": "r", "firstAvailable": [{"name": "a", **EXACT}]},
        constraints=[{"matchAttribute": "a.b/c", "requests": ["r", "r/a", "r/b", "r", "x/y/z"]}],
    )
    assert [(f.kind, f.path[-1]) for f in claim.faults] == [
        ("invalid", 2),
        ("forbidden", 3),
        ("invalid", 4),
    ]


@pytest.mark.parametrize(
    ("change", "path"),
    [
        ({"devices": {}}, "devices"),
        ({"status": {}}, "status"),
        ({"spec": {"devices": {}}}, "spec.devices"),
        ({"spec": {"spec": {"device": {}}}}, "spec.spec.device"),
        ({"metadata": {"name": "c", "label": {}}}, "metadata.label"),
        ({"metadata": {"name": "c", "labels": {"a": True}}}, "metadata.labels.a"),
        ({"metadata": {"name": "A_b"}}, "metadata.name"),
        ({"metadata": {}}, "metadata.name"),
        ({"metadata": None}, "metadata.name"),
        ({"spec": []}, "spec"),
    ],
)
def test_the_frame_of_a_template_is_read_strictly(change: dict[str, Any], path: str) -> None:
    value = {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "ResourceClaimTemplate",
        "metadata": {"name": "c"},
        "spec": {"spec": {"devices": {}}},
        **change,
    }
    claim = parse_claim(value)
    assert claim is not None
    assert [path_text(fault.path) for fault in claim.faults] == [path]


def test_a_claim_with_the_spec_of_a_template_is_told_where_devices_belong() -> None:
    value = {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "ResourceClaim",
        "metadata": {"generateName": "c-"},
        "spec": {"spec": {"devices": {}}},
    }
    claim = parse_claim(value)
    assert claim is not None
    assert "devices directly under spec" in claim.faults[0].fix


def test_what_depends_on_gates_is_no_fault() -> None:
    claim = with_exact(
        adminAccess=True,
        tolerations=[{"key": "k", "operator": "Sometimes"}],
        capacity={"requests": {"memory": "1Gi"}},
    )
    assert claim.faults == ()
    assert claim_of(constraints=[{"distinctAttribute": "a.b/c"}]).faults == ()


def test_versions_that_nobody_knows_are_read_and_not_judged() -> None:
    for item in ({"name": "gpu", **EXACT}, {"name": "gpu", "exactly": EXACT, "new": 1}):
        claim = claim_of(item, version="v2")
        assert claim.faults == ()
        assert claim.device_requests[0].device_class == GPU


def test_status_owner_and_deletion_are_read() -> None:
    value = {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "ResourceClaim",
        "metadata": {
            "name": "c",
            "annotations": {"a": "b"},
            "deletionTimestamp": "2026-01-01T00:00:00Z",
            "ownerReferences": [{"kind": "X"}, {"kind": "Pod", "controller": True}],
        },
        "spec": {},
        "status": {
            "reservedFor": [{"resource": "pods", "name": "p", "uid": "u"}],
            "allocation": {
                "devices": {
                    "results": [
                        {
                            "request": "gpu",
                            "driver": GPU,
                            "pool": "node-a",
                            "device": "gpu-0",
                            "adminAccess": True,
                            "shareID": "s",
                            "consumedCapacity": {"memory": "1Gi"},
                        }
                    ]
                },
                "nodeSelector": {
                    "nodeSelectorTerms": [
                        {
                            "matchFields": [
                                {"key": "metadata.name", "operator": "In", "values": ["node-a"]}
                            ]
                        }
                    ]
                },
            },
        },
    }
    claim = parse_claim(value)
    assert claim is not None
    assert claim.allocation == (
        AllocatedDevice("gpu", GPU, "node-a", "gpu-0", True, "s", {"memory": "1Gi"}),
    )
    assert claim.allocation_nodes == ("node-a",)
    assert claim.reserved_for == ("p",)
    assert (claim.owner_kind, claim.deleting, claim.annotations) == ("Pod", True, {"a": "b"})
    assert claim_of().allocation is None


@pytest.mark.parametrize(
    "value",
    [
        {},
        {"apiVersion": "v1", "kind": "ResourceClaim"},
        {"apiVersion": "resource.k8s.io/v1", "kind": "DeviceClass"},
        {"apiVersion": 5, "kind": "ResourceClaim"},
        {"apiVersion": "resource.k8s.io/v1", "kind": ["ResourceClaim"]},
    ],
)
def test_other_objects_are_no_claims(value: dict[str, Any]) -> None:
    assert parse_claim(value) is None


VERSIONS = st.sampled_from(["v1", "v1beta2", "v1beta1", "v1alpha3", "v9"])


@given(VERSIONS, st.sampled_from(["ResourceClaim", "ResourceClaimTemplate"]), json_values())
def test_no_json_value_makes_the_parser_raise(version: str, kind: str, inner: Any) -> None:
    base = {"apiVersion": f"resource.k8s.io/{version}", "kind": kind}
    for value in (
        {**base, **(inner if isinstance(inner, dict) else {"spec": inner})},
        {**base, "metadata": inner, "status": inner, "spec": {"devices": inner, "spec": inner}},
        {**base, "spec": {"devices": {"requests": inner, "constraints": inner, "config": inner}}},
        {**base, "spec": {"devices": {"requests": [inner], "config": [{"opaque": inner}]}}},
        {**base, "spec": {"devices": {"requests": [{"exactly": inner, "firstAvailable": inner}]}}},
        {**base, "status": {"allocation": inner, "reservedFor": inner}},
    ):
        claim = parse_claim({**value, **base})
        assert claim is not None
        for fault in claim.faults:
            assert fault.what
            assert fault.fix
            assert len(json.dumps([fault.what, fault.seen, fault.fix])) < 4000
