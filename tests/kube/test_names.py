from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webhook.kube.names import nearest

FIELDS = ("deviceClassName", "selectors", "allocationMode", "count", "adminAccess")


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("deviceClass", ("deviceClassName",)),
        ("DeviceClassName", ("deviceClassName",)),
        ("selector", ("selectors",)),
        ("counts", ("count",)),
        ("zebra", ()),
        ("", ()),
        ("count", ()),
        ("x" * 1000, ()),
    ],
)
def test_the_field_that_was_meant_is_suggested(word: str, expected: tuple[str, ...]) -> None:
    assert nearest(word, FIELDS) == expected


def test_suggestions_are_sorted_by_nearness_and_limited() -> None:
    names = ["gpu-large", "gpu-medium", "gpu-1", "gpu-2", "gpu-22"]
    assert nearest("gpu-3", names, 2) == ("gpu-1", "gpu-2")
    assert nearest("gpu-3", names, 0) == ()


@given(st.text(max_size=200), st.lists(st.text(max_size=200), max_size=20))
def test_suggestions_are_candidates_and_never_the_word(word: str, candidates: list[str]) -> None:
    found = nearest(word, candidates)
    assert len(found) <= 3
    assert set(found) <= set(candidates) - {word}
