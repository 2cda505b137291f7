"""Which taints a pod tolerates, and which nodes it selects."""

from __future__ import annotations

import pytest

from webhook.allocation.nodes import Selection, tolerates, untolerated
from webhook.kube.types import NodeRequirement, PodSpec, Taint, Toleration
from webhook.world.types import Node

GPU = Taint("nvidia.com/gpu", "Exists", "NoSchedule")


@pytest.mark.parametrize(
    ("toleration", "covers"),
    [
        (Toleration("nvidia.com/gpu", "Exists"), True),
        (Toleration("nvidia.com/gpu", "Exists", "", "NoSchedule"), True),
        (Toleration("nvidia.com/gpu", "Exists", "", "NoExecute"), False),
        (Toleration("nvidia.com/gpu", "Equal", "Exists"), True),
        (Toleration("nvidia.com/gpu", "", "Exists"), True),
        (Toleration("nvidia.com/gpu"), False),
        (Toleration("nvidia.com/gpu", "Equal", "present"), False),
        (Toleration("", "Exists"), True),
        (Toleration("", "Equal", "Exists"), False),
        (Toleration("other", "Exists"), False),
        (Toleration("nvidia.com/gpu", "Like", "Exists"), False),
    ],
)
def test_a_toleration_covers_a_taint(toleration: Toleration, covers: bool) -> None:
    assert tolerates(toleration, GPU) is covers


def test_the_lasting_taint_is_named_before_the_passing_one() -> None:
    node = Node("n", taints=(Taint("node.kubernetes.io/not-ready", "", "NoSchedule"), GPU))
    assert untolerated(PodSpec(()), node) == GPU


def test_a_cordoned_node_has_a_taint_of_its_own() -> None:
    node = Node("n", unschedulable=True)
    taint = untolerated(PodSpec(()), node)
    assert taint is not None
    assert taint.key == "node.kubernetes.io/unschedulable"
    tolerant = PodSpec((), tolerations=(Toleration("", "Exists"),))
    assert untolerated(tolerant, node) is None


def test_a_selection_names_what_excludes() -> None:
    node = Node("n", {"zone": "a"})
    wanted = Selection({"zone": "b", "disk": "ssd"}, None)
    assert not wanted.selects(node)
    assert wanted.excludes([node]) == ("zone=b", "disk=ssd")
    terms = ((NodeRequirement("zone", "In", ("b",)),),)
    assert Selection({}, terms).excludes([node]) == ("zone",)


def test_no_term_selects_nothing() -> None:
    node = Node("n", {"zone": "a"})
    assert Selection({}, None).selects(node)
    assert not Selection({}, ()).selects(node)
    assert not Selection({}, ((),)).selects(node)
