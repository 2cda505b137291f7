"""Quantities: parsing, storage, arithmetic, canonical text."""

from __future__ import annotations

import pytest

from webhook.cel.quantity import Quantity, QuantityError, parse

CANONICAL = [
    ("0", "0"),
    ("000", "0"),
    ("1024Ki", "1Mi"),
    ("1000m", "1"),
    ("1.5Gi", "1536Mi"),
    ("0.5Ki", "512"),
    ("1500m", "1500m"),
    ("1000000", "1M"),
    ("1e3", "1e3"),
    ("12E", "12E"),
    ("Gi", "0"),
    ("1.", "1"),
    (".5", "500m"),
    ("-2Gi", "-2Gi"),
    ("0.0000000001", "1n"),
    ("10Ei", "9223372036854775807"),
]


@pytest.mark.parametrize(("text", "canonical"), CANONICAL)
def test_the_canonical_text_is_go_s(text: str, canonical: str) -> None:
    assert str(parse(text)) == canonical


@pytest.mark.parametrize("text", ["", "1KI", "1 Gi", "1.2.3", "abc", "1Gi1x"])
def test_a_text_of_another_shape_is_refused(text: str) -> None:
    with pytest.raises(QuantityError, match="must match the regular expression"):
        parse(text)


@pytest.mark.parametrize("text", ["1K", "K1", "1e", "1Gi1", "1mm"])
def test_an_unknown_suffix_is_refused(text: str) -> None:
    with pytest.raises(QuantityError, match="unable to parse quantity's suffix"):
        parse(text)


@pytest.mark.parametrize(
    ("text", "stored"),
    [("5", 5), ("1k", 1000), ("1Gi", 2**30), ("1.0", None), ("1000m", None), ("1Pi", None)],
)
def test_the_integer_depends_on_how_the_value_is_stored(text: str, stored: int | None) -> None:
    assert parse(text).as_int64() == stored


def test_quantities_are_ordered_by_value_whatever_the_notation() -> None:
    assert parse("1Gi") == parse("1073741824")
    assert hash(parse("1000m")) == hash(parse("1"))
    assert parse("1G") < parse("1Gi") < parse("1e99999999")
    assert parse("-1e99999999") < parse("-1")


def test_values_round_up_to_whole_units() -> None:
    assert parse("1500m").rounded_up() == 2
    assert parse("-1500m").rounded_up() == -2


def test_adding_in_place_changes_a_big_receiver_only() -> None:
    big, small = parse("1Pi"), parse("1")
    big.added(small, in_place=True)
    assert big == Quantity(2**50 + 1)
    small.added(parse("1Pi"), in_place=True)
    assert small == Quantity(1)


def test_thousands_of_digits_are_no_trouble() -> None:
    assert str(parse("9" * 9_000)) == "9" * 9_000
    assert parse("9" * 9_000) > parse("8" * 9_000)
