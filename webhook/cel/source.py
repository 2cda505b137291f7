"""Where an error stands in an expression, and how cel-go lists errors under their source lines.

Places are offsets in code points, as `ast` keeps them; lines and columns appear only here.
Source: cel-go 0.26 `common/errors.go`, `common/error.go` and `common/source.go`.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Final

NO_PLACE: Final = -1
"""The offset of an error that has no place (a limit, for instance)."""
MAX_ERRORS: Final = 100
"""Errors that one listing shows (cel-go 0.26 `maxErrorsToReport`)."""
_MAX_SNIPPET_BYTES: Final = 16_384
_WIDE: Final = 0x80
"""From here on a character takes more than one byte, and gets the wide dot or caret."""


@dataclass(frozen=True, slots=True)
class Issue:
    """One error of a stage: its place, in code points from the start or `NO_PLACE`, and text."""

    offset: int
    message: str


def locate(expression: str, offset: int) -> tuple[int, int]:
    """Return line and column, both from 1, of an offset in code points.

    Without a place it is (-1, 0); in an empty expression (1, 0), where ANTLR stands before the
    first character.
    """
    return _Lines(expression).locate(offset)


def render_errors(expression: str, errors: Sequence[Issue]) -> str:
    """Return the listing that follows `compilation failed: `, sorted by line and column."""
    lines = _Lines(expression)
    shown = sorted(errors[:MAX_ERRORS], key=lambda issue: issue.offset)
    listing = [lines.render(issue) for issue in shown]
    if len(errors) > MAX_ERRORS:
        listing.append(f"{len(errors) - MAX_ERRORS} more errors were truncated")
    return "\n".join(listing)


class _Lines:
    """The lines of an expression; only a line feed ends one."""

    def __init__(self, expression: str) -> None:
        self._lines = expression.split("\n")
        lengths = (len(line) + 1 for line in self._lines)
        self._starts = [0, *accumulate(lengths)][:-1]
        self._empty = not expression

    def locate(self, offset: int) -> tuple[int, int]:
        if offset < 0:
            return -1, 0
        if self._empty:
            return 1, 0
        line = bisect_right(self._starts, offset)
        return line, offset - self._starts[line - 1] + 1

    def render(self, issue: Issue) -> str:
        line, column = self.locate(issue.offset)
        text = f"ERROR: <input>:{line}:{column}: {issue.message}"
        if line < 1 or self._empty:
            return text
        source = self._lines[line - 1]
        if len(source.encode("utf-8", "surrogatepass")) > _MAX_SNIPPET_BYTES:
            return text
        dots = "".join("．" if ord(c) >= _WIDE else "." for c in source[: column - 1])
        under = source[column - 1 : column]
        caret = "＾" if under and ord(under) >= _WIDE else "^"
        return f"{text}\n | {source.replace(chr(9), ' ')}\n | {dots}{caret}"
