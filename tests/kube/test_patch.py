from __future__ import annotations

import copy
from typing import Any

import jsonpatch
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.kube.json_values import json_values
from webhook.kube.patch import append, apply_add, pointer

TOLERATION = {"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"}


def test_pointers_escape_slash_and_tilde() -> None:
    assert pointer(("metadata", "annotations", "a/b~c", 0)) == "/metadata/annotations/a~1b~0c/0"
    assert pointer(()) == ""


@pytest.mark.parametrize(
    ("spec", "operations"),
    [
        ({}, [{"op": "add", "path": "/spec/tolerations", "value": [TOLERATION]}]),
        (
            {"tolerations": None},
            [{"op": "add", "path": "/spec/tolerations", "value": [TOLERATION]}],
        ),
        (
            {"tolerations": []},
            [{"op": "add", "path": "/spec/tolerations/-", "value": TOLERATION}],
        ),
        ({"tolerations": "no list"}, []),
    ],
)
def test_a_list_is_made_when_absent_and_appended_to_when_there(
    spec: dict[str, Any], operations: list[dict[str, Any]]
) -> None:
    assert list(append({"spec": spec}, ("spec", "tolerations"), [TOLERATION])) == operations


def test_nothing_is_built_where_no_patch_would_apply() -> None:
    assert append({}, ("spec", "tolerations"), [TOLERATION]) == ()
    assert append({"spec": [1]}, ("spec", "tolerations"), [TOLERATION]) == ()
    assert append({"spec": {}}, ("spec", "tolerations"), []) == ()


OBJECT: dict[str, Any] = {
    "metadata": {"annotations": {"a/b": "1"}},
    "spec": {"containers": [{"name": "a"}, {"name": "b", "env": []}], "list": [1, 2]},
}


@pytest.mark.parametrize(
    "patch",
    [
        [{"op": "add", "path": "/spec/tolerations", "value": [1]}],
        [
            {"op": "add", "path": "/spec/list/-", "value": 3},
            {"op": "add", "path": "/spec/list/-", "value": 4},
            {"op": "add", "path": "/spec/list/0", "value": 0},
        ],
        [{"op": "add", "path": "/spec/containers/1/env/-", "value": {"name": "X"}}],
        [{"op": "add", "path": "/metadata/annotations/a~1b", "value": "2"}],
        [{"op": "add", "path": "/metadata/labels", "value": {}}],
    ],
)
def test_patches_apply_as_the_jsonpatch_package_does_and_leave_the_object_alone(
    patch: list[dict[str, Any]],
) -> None:
    before = copy.deepcopy(OBJECT)
    assert apply_add(OBJECT, patch) == jsonpatch.apply_patch(OBJECT, patch)
    assert before == OBJECT


def test_only_the_way_to_the_touched_place_is_copied() -> None:
    patched = apply_add(OBJECT, [{"op": "add", "path": "/spec/list/-", "value": 3}])
    assert patched["metadata"] is OBJECT["metadata"]
    assert patched["spec"]["containers"] is OBJECT["spec"]["containers"]
    assert patched["spec"] is not OBJECT["spec"]


@pytest.mark.parametrize(
    "operation",
    [
        {"op": "remove", "path": "/spec"},
        {"op": "add", "path": "", "value": 1},
        {"op": "add", "path": "spec", "value": 1},
        {"op": "add", "path": "/none/here", "value": 1},
        {"op": "add", "path": "/spec/list/01", "value": 1},
        {"op": "add", "path": "/spec/list/9", "value": 1},
        {"op": "add", "path": "/spec/containers/x/name", "value": 1},
        {"op": "add", "path": "/spec/containers/9/name", "value": 1},
    ],
)
def test_operations_that_do_not_apply_are_refused(operation: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"."):
        apply_add(OBJECT, [operation])


@given(
    st.dictionaries(st.text(max_size=4), json_values(), max_size=4),
    st.lists(st.one_of(st.text(max_size=4), st.integers(0, 3)), min_size=1, max_size=3),
    st.lists(json_values(5), max_size=3),
)
def test_what_is_built_applies_and_appends(
    value: dict[str, Any], path: list[str | int], items: list[Any]
) -> None:
    operations = append(value, tuple(path), items)
    if not operations:
        return
    mine = apply_add(value, operations)
    assert mine == jsonpatch.apply_patch(value, list(operations))
    node: Any = mine
    for step in path:
        node = node[int(step)] if isinstance(node, list) else node[str(step)]
    assert node[-len(items) :] == items
