"""The world that the options of a command describe: cluster files, then facts stated outright."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

import click

from webhook.policy import Policy
from webhook.world import World, empty, load


def world_from_options(
    cluster: Sequence[str] = (),
    driver_version: str | None = None,
    gates: str | None = None,
    kubernetes_version: str | None = None,
    policy: Policy | None = None,
    base: World | None = None,
) -> World:
    """Load the cluster files and lay what the options state over them.

    `base` is the world where no cluster file is given (default: nothing is known). With
    `driver_version` alone the gates are that version's defaults; `gates` sets single ones. Options
    win over the policy's `driver`, the policy wins over the cluster. Raises click.UsageError for
    text that cannot be read, webhook.world.WorldError for cluster files.
    """
    world = load(cluster) if cluster else base or empty()
    facts = world.driver_facts
    if policy is not None and policy.driver is not None:
        if policy.driver.version:
            facts = replace(facts, upstream_version=policy.driver.version)
        if policy.driver.feature_gates is not None:
            facts = replace(facts, feature_gates=policy.driver.feature_gates)
    if driver_version is not None:
        facts = replace(facts, upstream_version=driver_version.removeprefix("v"))
        facts = replace(facts, feature_gates=facts.feature_gates or {})
    if gates is not None:
        facts = replace(facts, feature_gates={**(facts.feature_gates or {}), **parse_gates(gates)})
    if kubernetes_version is not None:
        world = replace(world, kubernetes=parse_kubernetes_version(kubernetes_version))
    return replace(world, driver_facts=facts, cache={})


def parse_gates(text: str) -> dict[str, bool]:
    """Read `A=true,B=false`; raises click.UsageError with the item that is wrong."""
    gates: dict[str, bool] = {}
    for item in text.split(","):
        if not item.strip():
            continue
        name, equals, value = (part.strip() for part in item.partition("="))
        if not equals or value.lower() not in {"true", "false"} or not name:
            raise click.UsageError(f'--gates takes NAME=true or NAME=false, not "{item.strip()}"')
        gates[name] = value.lower() == "true"
    return gates


def parse_kubernetes_version(text: str) -> tuple[int, int]:
    """Read `1.35`, `v1.35.2`; raises click.UsageError."""
    found = re.fullmatch(r"v?(\d{1,3})\.(\d{1,4})([.+-].*)?", text.strip())
    if found is None:
        raise click.UsageError(f'--kubernetes-version takes a version like 1.35, not "{text}"')
    return int(found[1]), int(found[2])
