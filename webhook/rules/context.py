"""What a rule may look at: one object, the world, and how the object came here."""

from __future__ import annotations

from dataclasses import dataclass

from webhook.world.types import World


@dataclass(frozen=True, slots=True)
class Context:
    """The input of one rule for one object."""

    world: World
