"""The nearest word: what somebody probably meant."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

_LONGEST: Final = 256
"""Longer words are not compared: names and values of devices are at most 64 characters long."""


def distance(a: str, b: str) -> int:
    """Return the edit distance (insertions, deletions, replacements) of two words."""
    if len(a) < len(b):
        a, b = b, a
    previous = list(range(len(b) + 1))
    for row, left in enumerate(a, 1):
        current = [row]
        for column, right in enumerate(b, 1):
            current.append(
                min(
                    previous[column] + 1,
                    current[column - 1] + 1,
                    previous[column - 1] + (left != right),
                )
            )
        previous = current
    return previous[-1]


def nearest(word: str, candidates: Iterable[str]) -> str | None:
    """Return the candidate that is probably meant by `word`, None when none is near.

    Differences of case, spaces, `-` and `_` hardly count; beyond them at most one third of the word
    may differ. A candidate that contains the word, or is contained in it, is near too.
    """
    if not 0 < len(word) <= _LONGEST:
        return None
    plain = _plain(word)
    scored: list[tuple[float, str]] = []
    for candidate in candidates:
        if not candidate or len(candidate) > _LONGEST:
            continue
        other = _plain(candidate)
        if plain == other:
            scored.append((0, candidate))
            continue
        steps = distance(plain, other)
        limit = max(1, min(len(plain), len(other)) // 3)
        if steps <= limit:
            scored.append((steps, candidate))
        elif min(len(plain), len(other)) >= 3 and (plain in other or other in plain):
            scored.append((limit + steps / _LONGEST, candidate))
    return min(scored)[1] if scored else None


def _plain(word: str) -> str:
    return "".join(c for c in word.casefold() if c not in " -_")
