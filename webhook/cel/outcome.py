"""What an evaluation says."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Outcome:
    """The scheduler's answer for one device: `match`, or else the text of its run-time error.

    `cost` is what cel-go's run-time cost tracker counts.
    """

    match: bool | None
    error: str | None
    cost: int
