"""The validators: literals that the API server judges before anything is evaluated."""

from __future__ import annotations

import pytest

from tests.cel.test_checker import checked
from webhook.cel.instants import parse_duration, parse_timestamp
from webhook.cel.source import render_errors
from webhook.cel.validators import validate


def errors_of(expression: str) -> list[str]:
    result = checked(expression)
    assert result.errors == ()
    validation = validate(result)
    assert validation.panic is None
    listing = render_errors(expression, validation.errors).split("\n")
    return [line.removeprefix("ERROR: <input>:") for line in listing if line.startswith("ERROR")]


ACCEPTED = [
    "duration('1h30m') == duration('-1.5s')",
    "timestamp('2020-01-01T00:00:00Z') == timestamp(0)",
    "'a'.matches('a|b') && matches('a', '(')",
    "duration(device.driver) == duration('0')",
    "[[], [1]] == [[1], []]",
    "[device.driver, 'a'] == []",
    "['%s %d'.format(['a', 1])] == ['']",
    "'%%'.format([]) == '%'",
    "'%s'.format([[1, 'a', {1: 2}]]) == ''",
    "'%.3f %e %b %x %X %o'.format([1.0, 2.0, true, 'a', b'a', 1u]) == ''",
    "'%s'.format([dyn(1)]) == ''",
    "'%d %d'.format(dyn([1])) == ''",
    "device.driver.format([1, 2]) == ''",
]


@pytest.mark.parametrize("expression", ACCEPTED)
def test_good_literals_pass(expression: str) -> None:
    assert errors_of(expression) == []


STRINGS = (
    "error during formatting: string clause can only be used on strings, bools, bytes, ints, "
    "doubles, maps, lists, types, durations, and timestamps, was given"
)
DECIMALS = "error during formatting: decimal clause can only be used on integers, was given"
FIXED = "error during formatting: fixed-point clause can only be used on doubles, was given"
CLAUSE = "could not parse formatting clause:"
ATOI = "error while converting precision to integer: strconv.Atoi: parsing"
PRECISION = f"{CLAUSE} error while parsing precision:"
REFUSED = [
    (
        "duration('1d') == duration('x')",
        ["1:10: invalid duration argument", "1:28: invalid duration argument"],
    ),
    (
        "true || duration('') == duration(1)",
        ["1:18: invalid duration argument", "1:34: invalid duration argument"],
    ),
    (
        "timestamp('2020-13-01T00:00:00Z') == timestamp(253402300800)",
        ["1:11: invalid timestamp argument", "1:48: invalid timestamp argument"],
    ),
    ("timestamp(null) == timestamp(0)", ["1:11: invalid timestamp argument"]),
    ("'a'.matches('(')", ["1:13: invalid matches argument"]),
    ("matches('(', 'a')", ["1:9: invalid matches argument"]),
    (r"'a'.matches('\\C')", ["1:13: invalid matches argument"]),
    ("[1, 'a', 2, b'x'] == []", ["1:5: expected type 'int' but found 'string'"]),
    ("[1, dyn(2)] == []", ["1:8: expected type 'int' but found 'dyn'"]),
    ("[device.attributes.a.b, 'x'] == []", ["1:25: expected type 'any' but found 'string'"]),
    (
        "{1: 1, 'a': 1u, 2: 'x'} == {}",
        [
            "1:8: expected type 'int' but found 'string'",
            "1:13: expected type 'int' but found 'uint'",
            "1:20: expected type 'int' but found 'string'",
        ],
    ),
    ("[?optional.of(1), 'a'] == []", ["1:19: expected type 'int' but found 'string'"]),
    ("'%d'.format(['a']) == ''", [f"1:14: {DECIMALS} string"]),
    ("'%s'.format([quantity('1')]) == ''", [f"1:22: {STRINGS} kubernetes.Quantity"]),
    ("'%s'.format([[1, [optional.of(1)]]]) == ''", [f"1:30: {STRINGS} optional_type"]),
    ("'%f'.format([1]) == ''", [f"1:14: {FIXED} int"]),
    ("'%s'.format([device.attributes.a.b]) == ''", [f"1:33: {STRINGS} google.protobuf.Any"]),
    ("'%s %s'.format([1]) == ''", ["1:15: index 1 out of range"]),
    (
        "'%s'.format([1, 2]) == ''",
        ["1:12: too many arguments supplied to string.format (expected 1, got 2)"],
    ),
    ("'%'.format([1]) == ''", ["1:11: unexpected end of string"]),
    ("'%q'.format([1]) == ''", [f'1:12: {CLAUSE} unrecognized formatting clause "q"']),
    ("'%é'.format([1]) == ''", [f'1:12: {CLAUSE} unrecognized formatting clause "Ã"']),
    (
        "'%.f'.format([1.0]) == ''",
        [f'1:13: {PRECISION} {ATOI} "": invalid syntax'],
    ),
    ("'%.3'.format([1.0]) == ''", [f"1:13: {PRECISION} could not find end of precision specifier"]),
]


@pytest.mark.parametrize(("expression", "errors"), REFUSED, ids=[case[0] for case in REFUSED])
def test_bad_literals_are_refused_in_the_words_of_cel_go(
    expression: str, errors: list[str]
) -> None:
    assert errors_of(expression) == errors


@pytest.mark.parametrize("expression", ["[?dyn(1)] == []", "{?'a': device.attributes.a.b} == {}"])
def test_optional_entries_of_unknown_type_are_a_panic(expression: str) -> None:
    assert validate(checked(expression)).panic == (
        "PANIC: runtime error: index out of range [0] with length 0"
    )


DURATIONS = [
    ("0", 0),
    ("-0", 0),
    ("1h30m", 5_400_000_000_000),
    ("1.5h", 5_400_000_000_000),
    (".5s", 500_000_000),
    ("1.s", 1_000_000_000),
    ("-2m", -120_000_000_000),
    ("+1us2µs3μs4ns", 6_004),
    ("9223372036854775807ns", 2**63 - 1),
    ("-9223372036854775808ns", -(2**63)),
    ("9223372036854775808ns", None),
    ("2562047h48m", None),
    ("1", None),
    ("", None),
    ("-", None),
    (".s", None),
    ("1d", None),
    ("1s ", None),
    ("1 s", None),
    ("1e3s", None),
    ("9" * 400 + "s", None),
]


@pytest.mark.parametrize(("text", "nanoseconds"), DURATIONS)
def test_durations_are_read_as_go_reads_them(text: str, nanoseconds: int | None) -> None:
    assert parse_duration(text) == nanoseconds


TIMESTAMPS = [
    ("1970-01-01T00:00:00Z", (0, 0, 0)),
    ("1970-01-01T00:00:01.5Z", (1, 500_000_000, 0)),
    ("1970-01-01T00:00:01,1234567891Z", (1, 123_456_789, 0)),
    ("1970-01-01T1:00:00+01:00", (0, 0, 3600)),
    ("1970-01-02T00:00:00+24:00", (0, 0, 86_400)),
    ("2000-02-29T00:00:00Z", (951_782_400, 0, 0)),
    ("0001-01-01T00:00:00Z", (-62_135_596_800, 0, 0)),
    ("0000-12-31T23:00:00-01:00", (-62_135_596_800, 0, -3600)),
    ("9999-12-31T23:59:59.999999999Z", (253_402_300_799, 999_999_999, 0)),
    ("9999-12-31T23:59:59-00:01", None),
    ("0001-01-01T00:00:00+00:01", None),
    ("1900-02-29T00:00:00Z", None),
    ("1970-01-01T00:00:60Z", None),
    ("1970-01-01T24:00:00Z", None),
    ("1970-01-01t00:00:00Z", None),
    ("1970-01-01T00:00:00z", None),
    ("1970-01-01T00:00:00", None),
    ("1970-01-01T00:00:00+25:00", None),
    ("1970-1-01T00:00:00Z", None),
    ("1970-01-01T00:00:00.Z", None),
    ("٠970-01-01T00:00:00Z", None),
]


@pytest.mark.parametrize(("text", "instant"), TIMESTAMPS)
def test_timestamps_are_read_as_go_reads_them(
    text: str, instant: tuple[int, int, int] | None
) -> None:
    found = parse_timestamp(text)
    parts = None if found is None else (found.seconds, found.nanos, found.offset_s)
    assert parts == instant
