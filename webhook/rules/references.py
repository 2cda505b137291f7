"""What a pod's claims lead to: the claims and templates of the world, or why they are not there."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, TypeAlias

from webhook.kube.types import Claim, PodCarrier, PodClaim, PodSpec
from webhook.world.types import World

State: TypeAlias = Literal["found", "missing", "coming", "unknown", "faulty"]


@dataclass(frozen=True, slots=True)
class Reference:
    """One entry of `spec.resourceClaims` and what it leads to.

    `found`: `claim` is set. `coming`: a controller will create the template. `missing`: it is known
    that the world does not have it. `unknown`: nothing is known of such objects. `faulty`: the
    entry names both or neither.
    """

    pod: PodSpec
    entry: PodClaim
    state: State
    claim: Claim | None = None
    coming_from: str = ""

    @property
    def kind(self) -> str:
        """The kind that the entry names."""
        return "ResourceClaim" if self.entry.claim_name else "ResourceClaimTemplate"

    @property
    def name(self) -> str:
        """The name that the entry gives."""
        return self.entry.claim_name or self.entry.template_name


def resolve(pod: PodSpec, namespace: str, world: World) -> tuple[Reference, ...]:
    """Follow every claim entry of one pod specification."""
    return tuple(_resolve(pod, entry, namespace, world) for entry in pod.claims)


def _resolve(pod: PodSpec, entry: PodClaim, namespace: str, world: World) -> Reference:
    if bool(entry.claim_name) == bool(entry.template_name):
        return Reference(pod, entry, "faulty")
    by_name = bool(entry.claim_name)
    store = world.claims if by_name else world.templates
    name = entry.claim_name or entry.template_name
    found = (store or {}).get((namespace, name))
    if found is not None:
        return Reference(pod, entry, "found", found)
    if not by_name and (namespace, name) in world.coming_templates:
        return Reference(
            pod, entry, "coming", coming_from=world.coming_templates[(namespace, name)]
        )
    return Reference(pod, entry, "unknown" if store is None else "missing")


def all_references(carrier: PodCarrier, world: World) -> Iterator[Reference]:
    """Follow every claim entry of every pod specification of an object."""
    for pod in carrier.pods:
        yield from resolve(pod, carrier.namespace, world)
