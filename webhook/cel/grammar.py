"""The parse table: cel-python's grammar, with `kubernetes.lark`, compiled by Lark to LALR(1).

Lark's own loop and tree were measured and left out: they fold every level of precedence into a
one-child node and cost five to ten times as much as walking Lark's table with one-child levels
skipped (`parser`). The grammar and its table are Lark's and cel-python's.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from importlib.util import find_spec
from typing import TypeAlias

from lark import Lark
from lark.grammar import Rule
from lark.lexer import PatternStr
from lark.parsers.lalr_analysis import Shift


@dataclass(frozen=True, slots=True, eq=False)
class Production:
    """One alternative of a rule: its name, its symbols, whether it only passes its child on."""

    origin: str
    symbols: tuple[str, ...]
    passes_on: bool


Action: TypeAlias = int | Production
"""The state to shift to, or the production to reduce by."""


@dataclass(frozen=True, slots=True, eq=False)
class Table:
    """An LALR(1) table: what to do in a state on a kind of token, and where a rule leads to."""

    start: int
    actions: tuple[Mapping[str, Action], ...]
    gotos: tuple[Mapping[str, int], ...]


@cache
def table() -> Table:
    """Compile the grammar (about a tenth of a second, once in a process)."""
    spec = find_spec("celpy")
    folders = list(spec.submodule_search_locations or ()) if spec else []
    text = files("webhook.cel").joinpath("kubernetes.lark").read_text("utf-8")
    lark = Lark(text, parser="lalr", lexer="basic", start="expr", import_paths=folders)
    parse_table = lark.parse_interactive("").parser_state.parse_conf.parse_table
    kinds = {
        terminal.name: _kind(terminal.name, terminal.pattern.value)
        for terminal in lark.terminals
        if isinstance(terminal.pattern, PatternStr)
    }
    productions = {rule: _production(rule, kinds) for rule in lark.rules}
    count = max(parse_table.states) + 1
    actions: list[dict[str, Action]] = [{} for _ in range(count)]
    gotos: list[dict[str, int]] = [{} for _ in range(count)]
    rule_names = {rule.origin.name for rule in lark.rules}
    for state, row in parse_table.states.items():
        for symbol, (kind, argument) in row.items():
            name = _bare(symbol)
            if symbol in rule_names:
                gotos[state][name] = argument
            elif kind is Shift:
                actions[state][kinds.get(symbol, name)] = argument
            else:
                actions[state][kinds.get(symbol, name)] = productions[argument]
    # Lark stops in its end state; an action of its own spares the walk that question.
    end = parse_table.end_states["expr"]
    actions[end]["$END"] = end
    return Table(
        parse_table.start_states["expr"],
        tuple(actions),
        tuple(gotos),
    )


def _kind(name: str, text: str) -> str:
    """Name a terminal as the lexer does: punctuation by itself, words by the terminal's name."""
    return _bare(name) if text.isalpha() else text


def _bare(name: str) -> str:
    """Drop the name space that Lark gives to imported rules and terminals."""
    return str(name).replace("cel__", "")


def _production(rule: Rule, kinds: Mapping[str, str]) -> Production:
    origin = _bare(rule.origin.name)
    symbols = tuple(kinds.get(symbol.name, _bare(symbol.name)) for symbol in rule.expansion)
    passes_on = len(symbols) == 1 and not rule.expansion[0].is_term and origin not in _BUILT
    return Production(origin, symbols, passes_on)


_BUILT = frozenset({"expr", "element", "elements", "exprlist", "fieldinits", "mapinits"})
"""Rules that build something even of a single child."""
