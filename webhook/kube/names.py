"""Suggestions for misspelt names: what was probably meant."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from webhook.cel.nearest import distance
from webhook.cel.nearest import nearest as nearest_one

_LONGEST: Final = 128
"""Longer words get no suggestion: the comparison is quadratic in their length."""
_MOST: Final = 2000
"""So many candidates are compared; names of one kind in one namespace are far fewer."""


def nearest(word: str, candidates: Iterable[str], limit: int = 3) -> tuple[str, ...]:
    """Give the candidates that resemble `word`, nearest first, at most `limit` of them.

    Nearness is that of `webhook.cel.nearest`, so that selectors and fields are mended alike. A
    candidate equal to the word is no suggestion.
    """
    if not 0 < len(word) <= _LONGEST or limit < 1:
        return ()
    near: list[tuple[int, str]] = []
    for index, candidate in enumerate(dict.fromkeys(candidates)):
        if index >= _MOST:
            break
        if not candidate or candidate == word or len(candidate) > _LONGEST:
            continue
        if nearest_one(word, (candidate,)) is not None:
            near.append((distance(word.casefold(), candidate.casefold()), candidate))
    return tuple(candidate for _, candidate in sorted(near)[:limit])
