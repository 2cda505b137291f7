"""The grammar: cel-python's with ours on top, compiled to a table that the rest agrees with."""

from __future__ import annotations

import pytest

from webhook.cel.builder import Builder
from webhook.cel.grammar import Production, table
from webhook.cel.lexer import END, scan


def _productions() -> set[Production]:
    rows = table().actions
    return {action for row in rows for action in row.values() if isinstance(action, Production)}


def test_every_rule_that_is_reduced_has_its_builder_and_every_builder_its_rule() -> None:
    built = {production.origin for production in _productions() if not production.passes_on}
    assert built == set(Builder.build)


def test_rules_that_pass_on_have_one_child_and_it_is_a_rule() -> None:
    passing = [production for production in _productions() if production.passes_on]
    kinds = {kind for row in table().actions for kind in row}
    assert len(passing) > 10
    assert all(len(production.symbols) == 1 for production in passing)
    assert all(production.symbols[0] not in kinds for production in passing)


TOKENS = [
    ("a", ["IDENT"]),
    ("in", ["IN"]),
    ("true null", ["BOOL_LIT", "NULL_LIT"]),
    ("1 1u 1.5", ["INT_LIT", "UINT_LIT", "FLOAT_LIT"]),
    ("'a' b'a'", ["STRING_LIT", "BYTES_LIT"]),
    ("`a`", ["ESCAPED_IDENT"]),
    ("a{", ["IDENT", "NAME_BRACE"]),
    ("a.b{", ["IDENT", ".", "IDENT", "NAME_BRACE"]),
    (").b{", [")", ".", "IDENT", "{"]),
    ("-1", ["INT_LIT"]),
    ("a-1", ["IDENT", "-", "INT_LIT"]),
    ("--1", ["-", "-", "INT_LIT"]),
    ("-1u", ["-", "UINT_LIT"]),
    ("a//b\r c\nd", ["IDENT", "IDENT"]),
    ('""""""', ["STRING_LIT"]),
    ('"""a', ["STRING_LIT"]),
    ("rb''", ["IDENT", "STRING_LIT"]),
    ("a=b", ["IDENT"]),
    ("1.e3", ["INT_LIT", ".", "IDENT"]),
    ("0xg", ["INT_LIT", "IDENT"]),
]


@pytest.mark.parametrize(("text", "kinds"), TOKENS, ids=[case[0] for case in TOKENS])
def test_text_is_cut_as_cel_go_cuts_it(text: str, kinds: list[str]) -> None:
    assert [token.kind for token in scan(text).tokens] == [*kinds, END]


def test_every_kind_of_token_is_known_to_the_grammar() -> None:
    known = {kind for row in table().actions for kind in row}
    seen = {token.kind for text, _ in TOKENS for token in scan(text).tokens}
    operators = scan("== != < <= >= > && || [ ] { } ( ) . , - ! ? : + * / %").tokens
    assert seen | {token.kind for token in operators} <= known
