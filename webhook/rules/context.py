"""What a rule may look at: one object, the world, and how the object came here.

A context knows no policy file and no door; what rules need of either stands here as a plain value.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from webhook.kube.types import (
    Claim,
    DeviceClass,
    Document,
    Duplicate,
    Path,
    PodCarrier,
    Toleration,
    path_text,
)
from webhook.nvidia.types import COMPUTE_DOMAIN_DRIVER, GPU_DRIVER, DriverState
from webhook.rules.types import Action, Finding
from webhook.world.types import World


@dataclass(frozen=True, slots=True)
class Context:
    """The input of the rules for one object.

    Exactly one of `claim`, `carrier`, `compute_domain` is set. `from_file`: the object was read
    from a file, not from an AdmissionReview. `bundle`: everything that will be applied together is
    already in the world, so a reference that leads nowhere is final. `memo` is shared by all rules
    of one admission: analyses that several rules read are kept there.
    """

    world: World
    driver: DriverState
    document: Document
    namespace: str
    claim: Claim | None = None
    carrier: PodCarrier | None = None
    compute_domain: Mapping[str, Any] | None = None
    from_file: bool = False
    bundle: bool = False
    tolerations_injected: bool = True
    """Whether pods get their GPU tolerations by mutation (policy)."""
    injected_tolerations: tuple[Toleration, ...] = (
        Toleration("nvidia.com/gpu", "Exists", "", "NoSchedule"),
    )
    gpu_drivers: tuple[str, ...] = (GPU_DRIVER, COMPUTE_DOMAIN_DRIVER)
    memo: dict[object, Any] = field(default_factory=dict)

    @property
    def duplicates(self) -> tuple[Duplicate, ...]:
        """Keys that stand twice in the text of the object."""
        return self.document.duplicates

    def class_of(self, name: str) -> DeviceClass | None:
        """Give the device class, None when it is not in the world."""
        return (self.world.classes or {}).get(name)

    def finding(
        self,
        rule: str,
        action: Action,
        path: Path,
        what: str,
        seen: str = "",
        fix: str = "",
        *,
        expression_place: tuple[int, int] | None = None,
    ) -> Finding:
        """Build a finding whose message is `PATH what; SEEN: seen; FIX: fix`.

        `what` is a predicate of the field (`matches no device`), in which the path is not repeated;
        an empty path (the whole object) is left out. Line breaks become blanks: a message is one
        line, because the API server drops a warning that holds a control character.
        """
        where = path_text(path)
        parts = [f"{where} {what}" if where else what]
        if seen:
            parts.append(f"SEEN: {seen}")
        if fix:
            parts.append(f"FIX: {fix}")
        message = one_line("; ".join(parts))
        line, column = expression_place or (None, None)
        return Finding(rule, action, path, where, message, line, column)


def one_line(text: str) -> str:
    """Fold line breaks and other control characters of `text` into single blanks."""
    cleaned = "".join(" " if ord(c) < 0x20 or 0x7F <= ord(c) < 0xA0 else c for c in text)
    return " ".join(cleaned.split())
