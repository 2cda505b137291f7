"""Can the pod ever be placed: one node for all its claims, within its selectors and tolerations."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import cast

from webhook.allocation.placing import place_claim, place_pod
from webhook.allocation.types import (
    Busy,
    CelError,
    ConstraintUnsatisfiable,
    CountersExhausted,
    CountTooHigh,
    NoCommonNode,
    NodeSelection,
    NodeTaint,
    Pinned,
    Placement,
    PoolAtZero,
    Reason,
    TogetherTooMany,
)
from webhook.kube.types import Claim, Path, PodSpec
from webhook.rules.context import Context
from webhook.rules.placement_words import (
    busy_seen,
    common_seen,
    constraint_seen,
    count_seen,
    counters_seen,
    nodes_text,
    pool_text,
    taint_text,
    toleration_text,
)
from webhook.rules.references import resolve
from webhook.rules.tolerations import missing_tolerations
from webhook.rules.types import Action, Finding, Rule
from webhook.rules.wording import count_of, listed


def check_no_node(context: Context) -> Iterable[Finding]:
    """pod-no-node: each claim can be served, but no one node serves them all for this pod.

    All claims of a pod are served by the node that the pod runs on; the pod's node selector,
    required node affinity and tolerations say which nodes these may be, and claims that are
    allocated already pin the pod to theirs. Taints of GPU nodes are the usual cause: the GPU
    toleration is missing.

    Refuses a Pod where the slices are complete and the nodes known; warns for pod templates, where
    something may still add to the pods, and where a pool at zero or a passing state of nodes would
    help. Silent where nodes are not known. Mend: the toleration or selector in the message.
    """
    for pod, names, placement in _placements(context):
        action: Action = "warn"
        if placement.verdict == "never" and placement.certain and _is_bare(context):
            action = "deny"
        if placement.verdict in {"never", "not-now"}:
            for reason in placement.reasons:
                yield from _finding(context, pod, names, placement, reason, action)


def check_pod_runtime(context: Context) -> Iterable[Finding]:
    """sel-runtime (pods): a node that the pod may go to has a device on which a selector fails.

    The error ends the scheduling of the whole pod, though other nodes would do. Nodes that the
    pod's node selector, affinity or tolerations rule out are not asked.

    Refuses a Pod, warns for pod templates. Mend: a guard in the selector, or a node selector that
    leaves the node out.
    """
    for pod, names, placement in _placements(context):
        errors = [reason for reason in placement.reasons if isinstance(reason, CelError)]
        if placement.verdict == "error" and errors:
            yield _runtime(context, pod, names, placement, errors[0])


def _is_bare(context: Context) -> bool:
    return context.carrier is not None and context.carrier.is_pod


def _placements(context: Context) -> Iterator[tuple[PodSpec, tuple[str, ...], Placement]]:
    """Place each pod specification whose claims can be served alone; kept in the context."""
    carrier = context.carrier
    if carrier is None or not context.world.nodes:
        return
    kept = context.memo.get("pod placements")
    if kept is None:
        kept = [found for pod in carrier.pods if (found := _place(context, pod)) is not None]
        context.memo["pod placements"] = kept
    yield from cast("list[tuple[PodSpec, tuple[str, ...], Placement]]", kept)


def _place(context: Context, pod: PodSpec) -> tuple[PodSpec, tuple[str, ...], Placement] | None:
    if not pod.claims or pod.node_name:
        return None
    found: dict[str, Claim] = {}
    for reference in resolve(pod, context.namespace, context.world):
        claim = reference.claim
        if claim is not None and claim.requests and not claim.deleting:
            found[reference.entry.name] = claim
    if not found:
        return None
    for claim in found.values():
        # What keeps a claim alone from being served is said of the claim.
        if claim.allocation is None and not _can_be_served(context, claim):
            return None
    tolerated = pod
    if context.tolerations_injected and not _is_bare(context):
        added = missing_tolerations(pod, context)
        tolerated = replace(pod, tolerations=(*pod.tolerations, *added))
    return pod, tuple(found), place_pod(tolerated, tuple(found.values()), context.world)


def _can_be_served(context: Context, claim: Claim) -> bool:
    key = ("placed alone", claim.kind, claim.namespace, claim.name)
    if key not in context.memo:
        context.memo[key] = place_claim(claim, context.world)
    alone = cast("Placement", context.memo[key])
    if alone.verdict == "fits":
        return True
    if alone.verdict == "error":
        # Some node has a failing device, others may fit; whether the pod meets it is its own story.
        return bool(alone.nodes)
    return alone.verdict == "not-now"


def _finding(
    context: Context,
    pod: PodSpec,
    names: tuple[str, ...],
    placement: Placement,
    reason: Reason,
    action: Action,
) -> Iterator[Finding]:
    told = _told(context, pod, names, placement, reason)
    if told is not None:
        path, what, seen, fix = told
        yield context.finding("pod-no-node", action, path, what, seen, fix)


def _told(
    context: Context,
    pod: PodSpec,
    names: tuple[str, ...],
    placement: Placement,
    reason: Reason,
) -> tuple[Path, str, str, str] | None:
    """Word one reason; None where the claim's own rules say it."""
    claims = (*pod.path, "resourceClaims")
    match reason:
        case NodeTaint():
            return _taint_told(pod, reason)
        case NodeSelection():
            field = "nodeSelector" if pod.node_selector else "affinity"
            return (
                (*pod.path, field),
                "leaves out every node that could serve the pod's claims",
                f"{nodes_text(reason.nodes)} could serve them, excluded by {listed(reason.labels)}",
                "select nodes that have the devices, or ask for devices of the selected nodes",
            )
        case NoCommonNode():
            parts = [names[part.claim] for part in reason.parts if part.request is None]
            if len(parts) < 2:
                return None
            return (
                claims,
                "names claims that no one node can serve together",
                common_seen(reason, parts),
                "ask for devices that one node has, or split the work into several pods",
            )
        case TogetherTooMany() if len(names) > 1:
            return (
                claims,
                f"needs {count_of(reason.wanted, 'device')} on one node",
                f"the most that match on one node is {reason.most} (node {reason.node or 'any'})",
                f"ask for at most {reason.most} in all, or split the work into several pods",
            )
        case CountersExhausted() if len(names) > 1:
            return (
                claims,
                "names claims whose devices draw on the same counters",
                counters_seen(reason),
                f"ask for at most {reason.best} together, or for smaller partitions",
            )
        case Pinned():
            entry = names[reason.claim]
            return (
                claims,
                f'names claim "{entry}", which is allocated where the rest cannot be served',
                f"allocated on {nodes_text(reason.nodes)}, the rest: {nodes_text(placement.nodes)}",
                "wait until the claim is deallocated, or use another one",
            )
        case Busy() if placement.verdict == "not-now" and not _waits_alone(context, pod):
            return (
                claims,
                "must wait: devices that could serve its claims are allocated to others",
                busy_seen(reason),
                f"wait until devices on {nodes_text(placement.nodes)} come free",
            )
        case PoolAtZero():
            return (
                claims,
                "can be served together by hardware that is not up now only",
                pool_text(reason),
                "nothing, if the pool scales from zero; the pod stays Pending until a node is up",
            )
        case CountTooHigh():
            return (claims, "cannot be served on any node", count_seen(reason), "ask for less")
        case ConstraintUnsatisfiable():
            return (claims, "cannot be served on any node", constraint_seen(reason), "ask for less")
        case _:
            return None


def _waits_alone(context: Context, pod: PodSpec) -> bool:
    """Whether one of the claims must wait by itself, which its own rule says."""
    return any(
        cast("Placement", value).verdict == "not-now"
        for key, value in context.memo.items()
        if isinstance(key, tuple)
        and key[0] == "placed alone"
        and any(key[3] in {entry.claim_name, entry.template_name} for entry in pod.claims)
    )


def _taint_told(pod: PodSpec, reason: NodeTaint) -> tuple[Path, str, str, str]:
    seen = f"taint {taint_text(reason.taint)} on {nodes_text(reason.nodes)}"
    if reason.passing:
        return (
            pod.path,
            "must wait: the nodes that could serve its claims take no pods now",
            seen,
            "wait until the nodes are back, or have them uncordoned",
        )
    return (
        (*pod.path, "tolerations"),
        "tolerates the taint of none of the nodes that could serve its claims",
        seen,
        f"add the toleration {toleration_text(reason.taint)}",
    )


def _runtime(
    context: Context,
    pod: PodSpec,
    names: tuple[str, ...],
    placement: Placement,
    error: CelError,
) -> Finding:
    entry = names[error.where.claim]
    path: Path = (*pod.path, "resourceClaims")
    for claim in pod.claims:
        if claim.name == entry:
            path = claim.path
    whose = (
        f"DeviceClass {error.where.request.device_class}"
        if error.origin == "class"
        else f'request "{error.where.request.name}" of claim "{entry}"'
    )
    fits = f"; {nodes_text(placement.nodes)} would fit" if placement.nodes else ""
    fresh = context.world.freshness != "stale"
    return context.finding(
        "sel-runtime",
        "deny" if _is_bare(context) and fresh else "warn",
        path,
        f"cannot be scheduled: selector {error.index} of {whose} fails on a device that the "
        f"scheduler asks it about, which ends the attempt for the whole pod: {error.text}",
        f"device {error.device.name} on node {error.node or 'any'}{fits}",
        "guard the selector (.?name.orValue(…), or has(…) && …)"
        + (", or keep the pod off the node by a nodeSelector" if placement.nodes else ""),
    )


RULES = (
    Rule("pod-no-node", "deny", "pod", ("devices", "nodes"), check_no_node, "no node serves all"),
    Rule("sel-runtime", "deny", "pod", ("devices", "nodes"), check_pod_runtime, "fails on a node"),
)
