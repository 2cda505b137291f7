from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.kube.json_values import json_values
from webhook.kube.json import JsonError, dumps, dumps_standard, duplicates, loads, loads_standard
from webhook.kube.types import Duplicate

READERS: tuple[Callable[[bytes], Any], ...] = (loads, loads_standard)
REFUSED = (
    b"",
    b"  \n",
    b"nul",
    b"NaN",
    b"[Infinity]",
    b"-Infinity",
    b"1e400",
    b"[1,]",
    b"01",
    b"1.",
    b"{'a':1}",
    b'{"a":1}{"b":2}',
    b'"a\tb"',
    b'"\\ud800"',
    b'{"\\udc00":1}',
    b"\xef\xbb\xbf{}",
    b'"\xff"',
    b'"\xed\xa0\x80"',
    b"[" * 101 + b"]" * 101,
    b"[" * 100_000,
    b"9" * 5000,
)


@pytest.mark.parametrize("text", REFUSED)
@pytest.mark.parametrize("read", READERS)
def test_what_is_no_json_is_refused_by_both_parsers(
    read: Callable[[bytes], Any], text: bytes
) -> None:
    with pytest.raises(JsonError) as caught:
        read(text)
    assert ";" in str(caught.value), "the message names a remedy"


@pytest.mark.parametrize("read", READERS)
@pytest.mark.parametrize(
    ("text", "kind", "value"),
    [
        (b"50.0", float, 50.0),
        (b"50", int, 50),
        (b"-0", int, 0),
        (b"1e3", float, 1000.0),
        (b"18446744073709551616", int, 1 << 64),
        (b"-9223372036854775809", int, -(1 << 63) - 1),
        (b"true", bool, True),
        (b'"\\ud83d\\ude00"', str, "😀"),
    ],
)
def test_numbers_keep_the_kind_that_they_have_in_the_text(
    read: Callable[[bytes], Any], text: bytes, kind: type, value: object
) -> None:
    found = read(text)
    assert type(found) is kind
    assert found == value


def test_a_hundred_levels_are_read_and_brackets_in_strings_do_not_count() -> None:
    assert loads(b"[" * 100 + b"]" * 100)
    assert loads(json.dumps(["[{" * 500]).encode()) == ["[{" * 500]


def test_a_fault_in_the_text_has_its_line_and_column() -> None:
    with pytest.raises(JsonError) as caught:
        loads(b'{\n  "a": oops\n}')
    assert (caught.value.line, caught.value.column) == (2, 8)
    with pytest.raises(JsonError) as bad_bytes:
        loads(b'{\n "\xc3\xa4": "\xff"}')
    assert (bad_bytes.value.line, bad_bytes.value.column) == (2, 8)


@given(json_values())
def test_values_survive_writing_and_reading_with_either_parser(value: Any) -> None:
    for write in (dumps, dumps_standard):
        for read in READERS:
            assert read(write(value)) == value


@given(st.binary(max_size=60))
def test_both_parsers_agree_on_any_bytes(data: bytes) -> None:
    outcomes = []
    for read in READERS:
        try:
            outcomes.append(repr(read(data)))
        except JsonError:
            outcomes.append("refused")
    assert outcomes[0] == outcomes[1]


def test_values_without_a_json_form_are_refused() -> None:
    for value in ({"a": object()}, "\ud800", {"a": {1, 2}}):
        with pytest.raises(JsonError):
            dumps(value)
    assert dumps({"a": float("nan")}) == dumps_standard({"a": float("nan")}) == b'{"a":null}'


def test_keys_that_stand_twice_are_found_below_a_path() -> None:
    text = (
        b'{"request":{"object":{"spec":[{"a":1,"b":{"c":1.0,"c":1,"c":"x"},"a":{"d":0,"d":0}}]},'
        b'"uid":1,"uid":2}}'
    )
    assert duplicates(text, ("request", "object")) == (
        Duplicate(("spec", 0, "a"), (1, {"d": 0})),
        Duplicate(("spec", 0, "a", "d"), (0, 0)),
        Duplicate(("spec", 0, "b", "c"), (1.0, 1, "x")),
    )
    assert Duplicate(("request", "uid"), (1, 2)) in duplicates(text)
    assert duplicates(b'{"a":1}') == ()
    assert duplicates(b"{no json") == ()


def test_the_number_of_duplicates_is_bounded() -> None:
    text = b"{" + b",".join(b'"k%d":1,"k%d":2' % (i, i) for i in range(1000)) + b"}"
    assert len(duplicates(text)) == 50
