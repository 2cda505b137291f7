"""Semantic versions: strict and mended parsing, and precedence."""

from __future__ import annotations

from itertools import pairwise

import pytest

from webhook.cel.semver import SemverError, compare, parse, parse_normalised

ASCENDING = [
    *("1.0.0-1", "1.0.0-2", "1.0.0-alpha", "1.0.0-alpha.1", "1.0.0-alpha.beta", "1.0.0-beta"),
    *("1.0.0", "1.0.1", "1.2.0", "2.0.0"),
]


def test_precedence_is_that_of_semver_org() -> None:
    versions = [parse(text) for text in ASCENDING]
    for left, right in pairwise(versions):
        assert compare(left, right) == -1
        assert compare(right, left) == 1
        assert left < right


def test_build_metadata_is_kept_and_not_compared() -> None:
    assert parse("1.0.0+a") == parse("1.0.0+b")
    assert str(parse("1.0.0-rc.1+a.b")) == "1.0.0-rc.1+a.b"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "Version string empty"),
        ("1.2", "No Major.Minor.Patch elements found"),
        ("v1.2.3", 'Invalid character(s) found in major number "v1"'),
        ("1.02.3", 'Minor number must not contain leading zeroes "02"'),
        ("1.2.3-", "Prerelease is empty"),
        ("1.2.3-01", 'Numeric PreRelease version must not contain leading zeroes "01"'),
        ("1.2.3-a_b", 'Invalid character(s) found in prerelease "a_b"'),
        ("1.2.3+", "Build meta data is empty"),
        ("..1", 'strconv.ParseUint: parsing "": invalid syntax'),
        (
            "99999999999999999999.0.0",
            'strconv.ParseUint: parsing "99999999999999999999": value out of range',
        ),
    ],
)
def test_what_is_no_version_is_told_as_blang_tells_it(text: str, message: str) -> None:
    with pytest.raises(SemverError) as caught:
        parse(text)
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("text", "mended"), [("v1", "1.0.0"), ("1.2", "1.2.0"), ("01.02.03", "1.2.3"), ("0", "0.0.0")]
)
def test_short_and_padded_versions_are_mended(text: str, mended: str) -> None:
    assert parse_normalised(text) == parse(mended)


def test_a_short_version_has_no_prerelease() -> None:
    with pytest.raises(SemverError, match="short version cannot contain"):
        parse_normalised("1.2-rc1")
