from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given

from tests.kube.json_values import json_values
from webhook.kube.classes import parse_class
from webhook.kube.types import DeviceClass, OpaqueConfig, SelectorSource

BASE = {"apiVersion": "resource.k8s.io/v1", "kind": "DeviceClass"}


@pytest.mark.parametrize("version", ["v1", "v1beta1", "v1beta2"])
def test_a_class_is_read_in_every_version(version: str) -> None:
    found = parse_class(
        {
            "apiVersion": f"resource.k8s.io/{version}",
            "kind": "DeviceClass",
            "metadata": {"name": "gpu.nvidia.com"},
            "spec": {
                "selectors": [{"cel": {"expression": "true"}}, {"cel": None}],
                "config": [{"opaque": {"driver": "d", "parameters": {"a": 1}}}, {}],
                "extendedResourceName": "nvidia.com/gpu",
            },
        }
    )
    assert found == DeviceClass(
        "gpu.nvidia.com",
        (SelectorSource(("spec", "selectors", 0, "cel", "expression"), "true"),),
        (OpaqueConfig(("spec", "config", 0), "d", {"a": 1}),),
        "nvidia.com/gpu",
        "deviceclass.resource.kubernetes.io/gpu.nvidia.com",
    )


def test_other_objects_and_nameless_ones_are_no_classes() -> None:
    assert parse_class({}) is None
    assert parse_class(BASE) is None
    assert parse_class({**BASE, "apiVersion": "v1", "metadata": {"name": "x"}}) is None


@given(json_values())
def test_no_json_value_makes_the_parser_raise(inner: Any) -> None:
    for value in (
        {**BASE, "metadata": {"name": "x"}, "spec": inner},
        {**BASE, "metadata": {"name": "x"}, "spec": {"selectors": inner, "config": inner}},
    ):
        found = parse_class(value)
        assert found is not None
        assert found.name == "x"
    parse_class({**BASE, "metadata": inner})
