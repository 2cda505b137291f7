"""What a rule is, what it is given and what it says."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from webhook.kube.types import Path

if TYPE_CHECKING:
    from webhook.rules.context import Context

Action: TypeAlias = Literal["deny", "warn", "note"]

SEVERITY: dict[str, int] = {"note": 0, "warn": 1, "deny": 2}


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing a rule has to say.

    `path` is the place in the object; `message` is `WHAT; SEEN: …; FIX: …`, one line, starting with
    the field path where it has one. `expression_line`/`expression_column` (from 1) is a place
    inside the expression at `path`. `line`/`column` are filled by the engine from the document.
    """

    rule: str
    action: Action
    path: Path
    field: str
    message: str
    expression_line: int | None = None
    expression_column: int | None = None
    line: int | None = None
    column: int | None = None


Needs: TypeAlias = Literal[
    "nothing", "classes", "devices", "gates", "nodes", "namespaces", "claims"
]


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule: a stable id, its default severity, what it must know, and its check.

    The check's docstring is the rule's page (`drawbridge rules ID`).
    """

    id: str
    severity: Action
    subject: Literal["claim", "pod", "compute-domain"]
    needs: tuple[Needs, ...]
    check: Callable[[Context], Iterable[Finding]]
    summary: str

    @property
    def page(self) -> str:
        """The rule's reference page."""
        return (self.check.__doc__ or "").strip()
