"""A corrected expression for the common mistakes, with each mistake named."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from webhook.cel.device import Device
from webhook.cel.dialect import Dialect


@dataclass(frozen=True, slots=True)
class Correction:
    """One corrected expression and one short clause for each fault that it mends."""

    expression: str
    faults: tuple[str, ...]


def doctor(
    expression: str,
    dialect: Dialect,
    devices: Sequence[tuple[Device, int]] = (),
    default_domain: str | None = None,
) -> Correction | None:
    """Propose one corrected expression, or None when nothing certain can be said.

    `default_domain` is the domain of the driver meant (the class's), used where it is missing.
    """
    return None
