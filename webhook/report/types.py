"""What a check of files has to tell, before it is put into text or JSON."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from webhook.rules.types import Finding


@dataclass(frozen=True, slots=True)
class Judged:
    """One object of the input and what became of it.

    `patch` is the JSON patch that /mutate would answer. `failed` says that judging it broke off by
    a fault of ours; it is then neither allowed nor denied.
    """

    api_version: str
    kind: str
    namespace: str
    name: str
    file: str = ""
    line: int = 0
    findings: tuple[Finding, ...] = ()
    patch: tuple[Mapping[str, Any], ...] = ()
    failed: bool = False

    @property
    def allowed(self) -> bool:
        """Whether nothing refuses the object."""
        return all(finding.action != "deny" for finding in self.findings)

    @property
    def title(self) -> str:
        """The object in words: `Pod default/trainer`."""
        where = f"{self.namespace}/{self.name}" if self.namespace else self.name
        return f"{self.kind} {where}".strip()


@dataclass(frozen=True, slots=True)
class NotChecked:
    """Something that was not judged, or not wholly, and the reason."""

    what: str
    why: str


@dataclass(frozen=True, slots=True)
class Report:
    """The whole outcome, objects in the order of the input."""

    objects: tuple[Judged, ...] = ()
    not_checked: tuple[NotChecked, ...] = ()

    @property
    def allowed(self) -> bool:
        """Whether no object is denied."""
        return all(judged.allowed for judged in self.objects)

    @property
    def warned(self) -> bool:
        """Whether some object has a warning."""
        return any(f.action == "warn" for judged in self.objects for f in judged.findings)

    @property
    def failed(self) -> bool:
        """Whether judging broke off somewhere."""
        return any(judged.failed for judged in self.objects)
