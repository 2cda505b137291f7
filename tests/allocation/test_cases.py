"""The table of allocation cases: verdict, nodes and the smallest true reason of each."""

from __future__ import annotations

import pytest

from tests.allocation.tables import Case, cases, told
from webhook.allocation.placing import place_claim, place_pod

CASES = list(cases())


@pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])
def test_each_case_gets_its_answer(case: Case) -> None:
    if case.pod is None and len(case.claims) == 1:
        placement = place_claim(case.claims[0], case.world, case.steps)
    else:
        pod = case.pod
        assert pod is not None, "several claims need a pod"
        placement = place_pod(pod, case.claims, case.world, case.steps)
    answer = told(placement)
    assert {key: answer[key] for key in case.expected} == case.expected


def test_the_table_has_many_cases() -> None:
    assert len(CASES) >= 150
    assert len({case.name for case in CASES}) == len(CASES)
