"""Go's regular expressions in RE2's spelling."""

from __future__ import annotations

import pytest
import re2

from webhook.cel.patterns import for_re2, is_pattern

ACCEPTED = [
    *(
        "",
        "a|b",
        "(?i)a",
        "(?P<n>a)",
        "(?<n>a)",
        "(?P<1>a)",
        r"\pL",
        r"\p{Greek}",
        r"\PN",
        "a{1000}",
    ),
    *(r"\Q\C\E", r"\\C", r"\x{1F600}", "[[:alpha:]]", "[]a]", "a{,2}", r"\z", r"\Q(", "(?U)a*"),
]
REFUSED = [
    *("(", "[a", "*", "a**", "a{1001}", "(a{100}){11}", "(?=a)", "(?<!a)", r"\1", r"\y", r"\Z"),
    *(r"\C", r"a\C", "(?P<é>a)", "(?P<n", r"\p{Foo}", "[z-a]", r"[\C]", "(?x)", r"\é"),
]


@pytest.mark.parametrize("text", ACCEPTED)
def test_patterns_of_go_are_patterns(text: str) -> None:
    assert is_pattern(text, 36)


@pytest.mark.parametrize("text", REFUSED)
def test_what_go_refuses_is_no_pattern(text: str) -> None:
    assert not is_pattern(text, 36)


LOOSE = [
    (r"\p{greek}", r"\p{Greek}"),
    (r"\p{lu}", r"\p{Lu}"),
    (r"\pl", r"\p{L}"),
    (r"\p{^letter}", r"\P{L}"),
    (r"\P{Uppercase_Letter}", r"\P{Lu}"),
    (r"\p{ascii}", r"[\x00-\x7F]"),
    (r"[\P{ASCII}a]", r"[\x{80}-\x{10FFFF}a]"),
    (r"[\p{LC}]", r"[\p{Lu}\p{Ll}\p{Lt}]"),
]


@pytest.mark.parametrize(("text", "rewritten"), LOOSE)
def test_property_names_are_loose_from_1_35_on(text: str, rewritten: str) -> None:
    assert for_re2(text, 35) == rewritten
    assert is_pattern(text, 35)
    assert for_re2(text, 34) == text


@pytest.mark.parametrize(
    ("text", "matches", "fails"),
    [
        (r"^\p{Cn}$", "\u0378", "a"),
        (r"^\P{Unassigned}$", "a", "\u0378"),
        (r"^\p{Assigned}$", "a", "\u0378"),
        (r"^\p{cased letter}$", "ǅ", "ª"),
    ],
)
def test_properties_that_re2_lacks_are_spelt_out(text: str, matches: str, fails: str) -> None:
    pattern = re2.compile(for_re2(text, 36))
    assert pattern.search(matches)
    assert not pattern.search(fails)


def test_a_pattern_that_is_only_too_large_for_re2_is_a_pattern() -> None:
    assert is_pattern(r"(\pL{100}){10}", 36)
