"""How far the absence of a solution is a fact: what was seen whole, and what could still come."""

from __future__ import annotations

from webhook.allocation.job import Job
from webhook.allocation.matching import is_complete
from webhook.world.types import World


def may_grow(world: World) -> bool:
    """Whether hardware that is not declared could still come.

    True only where nodes are said to be autoscaled and no pools are declared.
    """
    return (
        world.node_autoscaling is not None
        and world.node_autoscaling.lower() not in {"none", "false", "off", ""}
        and world.node_pools is None
    )


def is_certain(world: World, job: Job) -> bool:
    """Whether the pools of the drivers that the job's classes use were seen whole and fresh."""
    drivers: set[str] = set()
    for choice in job.wanted:
        found = {device.driver for device in choice.match.candidates} if choice.match else set()
        if not found:
            # Nothing of the class is live: any driver may bring devices of it yet.
            return False
        drivers |= found
    return is_complete(world, sorted(drivers)) and not may_grow(world)
