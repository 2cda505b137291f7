"""Go's order of equal elements."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from webhook.cel.unstable import unstable_order


@given(st.lists(st.integers(0, 9), max_size=300))
def test_the_order_is_ascending_and_loses_nothing(keys: list[int]) -> None:
    order = unstable_order(len(keys), lambda a, b: keys[a] < keys[b])
    assert sorted(order) == list(range(len(keys)))
    assert [keys[index] for index in order] == sorted(keys)


@given(st.lists(st.integers(0, 3), max_size=12))
def test_few_elements_keep_their_order(keys: list[int]) -> None:
    order = unstable_order(len(keys), lambda a, b: keys[a] < keys[b])
    assert order == sorted(range(len(keys)), key=keys.__getitem__)


def test_more_elements_change_places_as_in_go() -> None:
    keys = [number % 3 for number in range(1, 21)]
    order = unstable_order(20, lambda a, b: keys[a] < keys[b])
    assert order != sorted(range(20), key=keys.__getitem__)


def test_a_comparison_that_never_holds_ends() -> None:
    assert sorted(unstable_order(100, lambda _a, _b: False)) == list(range(100))
