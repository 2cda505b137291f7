"""From text to the abstract tree, or to cel-go's errors; never raises.

Walks the LALR table of `grammar` over the tokens of `lexer` and lets `builder` build the tree as it
goes. A syntax error ends it, but the part before is completed with what is missing, because cel-go
reports the other errors in it too, and sorts them before the syntax error.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from webhook.cel.ast import Expr
from webhook.cel.builder import Builder
from webhook.cel.dialect import Dialect
from webhook.cel.grammar import Production, table
from webhook.cel.lexer import END, Token, scan
from webhook.cel.nesting import (
    MAX_DEPTH,
    MAX_LOOKAHEAD,
    Rule,
    exceeds_lookahead,
    make_room,
    too_deep_at,
)
from webhook.cel.source import MAX_ERRORS, NO_PLACE, Issue

_MAX_CODE_POINTS: Final = 100_000
_OPERAND: Final = (
    "{'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, "
    "BYTES, IDENTIFIER}"
)
_MAX_RECOVERIES: Final = 30
_CLOSERS: Final = frozenset({")", "]", "}", ":", ","})
_OPERANDS: Final = frozenset(
    {
        *("[", "{", "(", ".", "-", "!", "BOOL_LIT", "NULL_LIT", "FLOAT_LIT", "INT_LIT"),
        *("UINT_LIT", "STRING_LIT", "BYTES_LIT", "IDENT"),
    }
)
# Tried in this order to complete what stands before a syntax error.
_FILLERS: Final = (END, ")", "]", "}", "INT_LIT", ":", "IDENT")
_DEEPER: Final = frozenset({"member_dot", "member_dot_arg", "member_index"})
_DEEPER_OF_SIZE: Final = {"relation": 2, "addition": 2, "multiplication": 2, "expr": 5}
"""Rules whose nodes cel-go's visitor counts; some only with that many symbols."""


@dataclass(frozen=True, slots=True, eq=False)
class ParseResult:
    """The tree, or None with at least one error."""

    tree: Expr | None
    errors: tuple[Issue, ...] = ()


def parse(expression: str, dialect: Dialect = Dialect()) -> ParseResult:  # noqa: B008 - frozen
    """Parse an expression and expand its macros.

    The dialect decides about `sortBy` and back-quoted fields. Texts of syntax errors are close to
    ANTLR's, not equal. Source: cel-go 0.26 `parser/parser.go`.
    """
    if len(expression) > _MAX_CODE_POINTS:
        size = f"size: {len(expression)}, limit {_MAX_CODE_POINTS}"
        text = f"expression code point size exceeds limit: {size}"
        return ParseResult(None, (Issue(NO_PLACE, text),))
    tokens = scan(expression)
    if len(tokens.errors) > MAX_ERRORS:
        return ParseResult(None, tuple(tokens.errors))
    if len(tokens.tokens) > MAX_DEPTH:
        make_room()
    deep = too_deep_at(tokens.tokens)
    walk = _Walk(tokens.tokens, Builder(dialect))
    failed_at = walk.run()
    errors = list(tokens.errors)
    for _ in range(_MAX_RECOVERIES):
        if failed_at is None:
            break
        mended = walk.mend(failed_at)
        if mended is None:
            break
        errors.append(mended.issue)
        failed_at = walk.run(mended.go_on_at)
    if failed_at is not None and (deep is None or failed_at < deep):
        errors.append(walk.syntax_error(failed_at))
        # Recovery reaches the deep part only if it has to leave out no more than this token.
        deep = deep if walk.fits_without(failed_at) else None
    limit = ""
    if deep is not None:
        limit = f"expression recursion limit exceeded: {MAX_DEPTH}"
    elif failed_at is None:
        limit = "max recursion depth exceeded" if walk.height > MAX_DEPTH else ""
    elif exceeds_lookahead(tokens.tokens, failed_at, walk.failed_rule()):
        limit = f"error recovery token lookahead limit exceeded: {MAX_LOOKAHEAD}"
    else:
        walk.complete(failed_at)
    # At a limit cel-go stops before it looks at the tree.
    errors.extend([Issue(NO_PLACE, limit)] if limit else walk.builder.errors)
    return ParseResult(None if errors else walk.tree, tuple(errors))


def _opens_entry(value: object) -> bool:
    return isinstance(value, Token) and value.kind in {"{", ","}


@dataclass(frozen=True, slots=True)
class _Mended:
    """A syntax error that one token less or more makes good, and where to go on."""

    go_on_at: int
    issue: Issue


class _Walk:
    """One walk of the table over the tokens."""

    def __init__(self, tokens: list[Token], builder: Builder) -> None:
        self.builder = builder
        self.tree: Expr | None = None
        self.height = 0
        self._tokens = tokens
        self._table = table()
        self._states = [self._table.start]
        self._values: list[Any] = []
        # Depths are followed only where there are enough tokens to pass the limit.
        self._heights: list[int] | None = [] if len(tokens) > MAX_DEPTH else None

    def run(self, start: int = 0) -> int | None:
        """Walk to the end; return the index of the token that does not fit, if one does not."""
        for index in range(start, len(self._tokens)):
            if not self._take(self._tokens[index]):
                return index
        self.tree = self._values[0]
        if self._heights:
            self.height = self._heights[0]
        return None

    def _take(self, token: Token) -> bool:
        """Reduce what the token completes and shift it; False if it does not fit."""
        actions, gotos = self._table.actions, self._table.gotos
        states, values = self._states, self._values
        kind, build = token.kind, Builder.build
        while True:
            action = actions[states[-1]].get(kind)
            if isinstance(action, int):
                states.append(action)
                values.append(token)
                if self._heights is not None:
                    self._heights.append(0)
                return True
            if action is None:
                return False
            if action.passes_on:
                states[-1] = gotos[states[-2]][action.origin]
                continue
            size = len(action.symbols)
            parts = values[-size:]
            del values[-size:], states[-size:]
            values.append(build[action.origin](self.builder, parts))
            states.append(gotos[states[-1]][action.origin])
            if self._heights is not None:
                self._lift(self._heights, action)

    @staticmethod
    def _lift(heights: list[int], production: Production) -> None:
        size = len(production.symbols)
        below = heights[-size:]
        if production.origin == "member_object":
            below[0] = 0  # a name, which the grammar reads as selects
        origin = production.origin
        counts = origin in _DEEPER or _DEEPER_OF_SIZE.get(origin) == size
        heights[-size:] = [max(below) + counts]

    def mend(self, failed_at: int) -> _Mended | None:
        """Leave out one token or put one in, where ANTLR does."""
        token = self._tokens[failed_at]
        following = self._tokens[failed_at + 1].kind if token.kind != END else ""
        needs_operand = self.fits("INT_LIT")
        if needs_operand:
            can_follow = _OPERANDS
        elif self.fits(END):
            can_follow = frozenset({END})
        else:
            can_follow = _CLOSERS - {","} if self.fits(")") else _CLOSERS
        if following in can_follow and self.fits(following):
            return _Mended(failed_at + 1, self.syntax_error(failed_at, "extraneous"))
        if not needs_operand and not self.fits(END):
            for kind in (")", "]", "}", ":"):
                if self.fits(kind, token.kind):
                    self._take(Token(kind, kind, token.offset))
                    text = f"Syntax error: missing '{kind}' at '{token.text}'"
                    return _Mended(failed_at, Issue(token.offset, text))
        return None

    def complete(self, failed_at: int) -> None:
        """Put in what is missing before a syntax error, for the sake of the errors in there."""
        offset = self._tokens[failed_at].offset
        following = self._tokens[failed_at + 1 : failed_at + 2]
        has_colon = bool(following) and following[0].kind == ":"
        self._drop_dot()
        for _ in range(4 * len(self._values) + 8):
            filler = next((kind for kind in _FILLERS if self.fits(kind)), None)
            if filler is None or not self._take(Token(filler, "0", offset)) or filler == END:
                return
            if filler == ":" and not has_colon:
                self._forget_key()

    def _drop_dot(self) -> None:
        """Drop a dot that no field follows: cel-go goes on with what stands before it."""
        kinds = [value.kind if isinstance(value, Token) else "" for value in self._values[-2:]]
        size = 2 if kinds == [".", "?"] else int(kinds[-1:] == ["."])
        before = self._values[-size - 1 : -size] if size else []
        # Tokens and unfinished operators are tuples, as before a leading dot.
        if before and not isinstance(before[0], tuple):
            del self._values[-size:], self._states[-size:]
            if self._heights is not None:
                del self._heights[-size:]

    def _forget_key(self) -> None:
        """Drop the errors in the key of a map that has no value: cel-go does not visit it."""
        before: Any = None
        for value in reversed(self._values[:-1]):
            if isinstance(before, Token) and before.kind == "?" and not _opens_entry(value):
                return  # the colon of a condition
            if _opens_entry(value):
                kept = [issue for issue in self.builder.errors if issue.offset < value.offset]
                self.builder.errors[:] = kept
                return
            before = value

    def fits(self, *kinds: str) -> bool:
        """Whether tokens of these kinds could come next: walk the states without building."""
        actions, gotos = self._table.actions, self._table.gotos
        states = list(self._states)
        for kind in kinds:
            while not isinstance(action := actions[states[-1]].get(kind), int):
                if action is None:
                    return False
                del states[-len(action.symbols) :]
                states.append(gotos[states[-1]][action.origin])
            states.append(action)
        return True

    def fits_without(self, index: int) -> bool:
        """Whether the token after one that does not fit would fit in its place."""
        rest = self._tokens[index + 1 : index + 2]
        return bool(rest) and self.fits(rest[0].kind)

    def failed_rule(self) -> Rule:
        """Return the rule of cel-go's grammar that a token which does not fit breaks."""
        if self.fits(END):
            return "start"
        if self.fits("IDENT") and not self.fits("INT_LIT"):
            return "member"
        return "expr" if self.fits(":") else "primary"

    def syntax_error(self, index: int, how: str = "mismatched") -> Issue:
        """Describe a token that does not fit, about as ANTLR would."""
        if self._tokens[index].kind == "-" and self.fits("INT_LIT"):
            index += 1  # a sign fits, but no number follows
        token = self._tokens[index]
        if self.fits(END):
            expected = "<EOF>"
        elif self.fits("INT_LIT"):
            expected = _OPERAND
        elif self.fits(")"):
            expected = "')'"
        else:
            closers = [f"'{kind}'" for kind in ("]", "}", ":", ",") if self.fits(kind)]
            expected = ", ".join(closers) or "IDENTIFIER"
            if len(closers) > 1:
                expected = f"{{{expected}}}"
        message = f"Syntax error: {how} input '{token.text}' expecting {expected}"
        return Issue(token.offset, message)
