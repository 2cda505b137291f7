"""The order in which overloads are tried."""

from __future__ import annotations

from webhook.cel import library
from webhook.cel.dialect import Dialect
from webhook.cel.overload_order import _ORDER, in_order

STORED = library.functions(Dialect(minor=36, stored=True))


def test_the_table_names_every_overload_of_its_functions_and_no_other() -> None:
    for name, order in _ORDER.items():
        assert {overload.id for overload in STORED[name].overloads} == set(order), name
        assert len(order) == len(set(order)), name


def test_overloads_are_put_into_the_order_of_the_table() -> None:
    for name, order in _ORDER.items():
        assert tuple(overload.id for overload in in_order(STORED[name]).overloads) == order


def test_functions_that_are_not_in_the_table_keep_their_order() -> None:
    function = STORED["_*_"]
    assert in_order(function) is function
