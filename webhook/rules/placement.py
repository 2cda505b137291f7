"""Can the claim ever be placed: counts, constraints, counters, alternatives, taints, busy devices.

The allocation floor searches as the scheduler does and gives the smallest true reason; here each
kind of reason has its rule. Silent where an earlier cause explains it (no class, no device of the
class, selectors that match nothing or fail).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import cast

from webhook.allocation.placing import place_claim
from webhook.allocation.types import (
    MAX_DEVICES,
    AllConstrained,
    AlternativesFail,
    Busy,
    CapacityTooHigh,
    ConstraintUnsatisfiable,
    CountersExhausted,
    CountTooHigh,
    NoClass,
    NoCommonNode,
    OverLimit,
    Placement,
    PoolAtZero,
    Tainted,
    TogetherTooMany,
)
from webhook.kube.types import Claim, Constraint, Path
from webhook.rules.claims import check_constraint_names
from webhook.rules.context import Context
from webhook.rules.placement_words import (
    alternatives_seen,
    busy_seen,
    capacity_seen,
    common_seen,
    constraint_seen,
    count_seen,
    counters_seen,
    nodes_text,
    pool_text,
    tainted_seen,
    toleration_text,
)
from webhook.rules.selectors import is_served
from webhook.rules.types import Action, Finding, Rule
from webhook.rules.wording import count_of, listed


def _placement(context: Context) -> Placement | None:
    """Place the claim; None where an earlier cause says more, or nothing can be said."""
    claim = context.claim
    if claim is None or claim.allocation is not None or not claim.requests or claim.deleting:
        return None
    key = "claim placement"
    if key not in context.memo:
        served = all(
            is_served(context, request.exactly)
            for request in claim.requests
            if request.exactly is not None
        )
        context.memo[key] = place_claim(claim, context.world) if served else None
    return cast("Placement | None", context.memo[key])


def _strength(placement: Placement) -> Action:
    return "deny" if placement.verdict == "never" and placement.certain else "warn"


def _requests_path(claim: Claim) -> Path:
    return (*claim.spec_path, "devices", "requests")


def check_count(context: Context) -> Iterable[Finding]:
    """claim-count: more devices than one node has, or than one claim may have.

    One node serves the whole claim; a claim has 32 devices at most (resource.k8s.io/v1). What
    counts is how many devices match the class and the selectors, whether free or not.

    Refuses above 32, and where the driver's slices are complete and no node has enough; warns where
    they are not, or nodes may be added. Mend: a count that a node has, or several claims in several
    pods.
    """
    claim = context.claim
    if claim is None:
        return
    least = sum(
        min((1 if choice.mode == "All" else choice.count) for choice in request.choices)
        for request in claim.requests
        if request.choices
    )
    if least > MAX_DEVICES:
        yield _over_limit(context, claim, OverLimit(0, least), "deny")
        return
    placement = _placement(context)
    for reason in placement.reasons if placement is not None else ():
        if placement is None:
            return
        action = _strength(placement)
        match reason:
            case OverLimit():
                yield _over_limit(context, claim, reason, action)
            case CountTooHigh():
                yield context.finding(
                    "claim-count",
                    action,
                    (*reason.where.request.path, "count"),
                    f"asks for {count_of(reason.wanted, 'device')} on one node",
                    count_seen(reason),
                    f"ask for at most {reason.most}, or spread the work over several pods: one "
                    "node serves all devices of a claim",
                )
            case TogetherTooMany():
                names = listed(f'"{ref.request.name}"' for ref in reason.where)
                yield context.finding(
                    "claim-count",
                    action,
                    _requests_path(claim),
                    f"asks for {count_of(reason.wanted, 'device')} on one node in requests {names}",
                    f"the most that match on one node is {reason.most} "
                    f"(node {reason.node or 'any'})",
                    f"ask for at most {reason.most} in all: one node serves the whole claim",
                )
            case NoCommonNode():
                names_of = [part.request.name if part.request else "" for part in reason.parts]
                yield context.finding(
                    "claim-count",
                    action,
                    _requests_path(claim),
                    "asks for devices that no one node has together",
                    common_seen(reason, names_of),
                    "ask for devices that one node has, or make claims of their own for several "
                    "pods",
                )
            case CapacityTooHigh():
                yield context.finding(
                    "claim-count",
                    action,
                    (*reason.where.request.path, "capacity", "requests", reason.capacity),
                    f"asks for {reason.wanted} of a device's {reason.capacity}",
                    capacity_seen(reason),
                    f"ask for at most {reason.most}" if reason.most else "ask for another capacity",
                )
            case _:
                pass


def _over_limit(context: Context, claim: Claim, reason: OverLimit, action: Action) -> Finding:
    everything = next((r for r in claim.device_requests if r.mode == "All"), None)
    if reason.node and everything is not None:
        return context.finding(
            "claim-count",
            action,
            (*everything.path, "allocationMode"),
            "All takes more than 32 devices, the most in one claim",
            f"node {reason.node} has {reason.wanted} that match; the error there ends the "
            "scheduling of the pod",
            "write ExactCount and a count, or narrow the selectors",
        )
    single = claim.device_requests[0] if len(claim.requests) == 1 else None
    path = (*single.path, "count") if single is not None else _requests_path(claim)
    return context.finding(
        "claim-count",
        action,
        path,
        f"asks for {count_of(reason.wanted, 'device')}",
        f"a claim has {MAX_DEVICES} devices at most",
        f"ask for at most {MAX_DEVICES}, or make several claims",
    )


def check_constraint(context: Context) -> Iterable[Finding]:
    """claim-constraint: no node can satisfy a constraint, or it names no attribute in full.

    Unlike a selector, a constraint names one attribute as `domain/name`; the API server refuses a
    bare name. matchAttribute wants one value of the attribute on all devices of the requests it
    names (or of all), distinctAttribute a different one on each; a device without the attribute
    never does. With allocationMode All a device that the constraint excludes is an error, which
    ends the scheduling of the pod.

    Refuses a bare name, and where the slices are complete; warns otherwise. Mend: the full name, a
    count that shares one value, or the constraint limited to the requests whose devices have the
    attribute.
    """
    wrong = tuple(check_constraint_names(context))
    yield from wrong
    placement, claim = _placement(context), context.claim
    if wrong or placement is None or claim is None:
        return
    for reason in placement.reasons:
        match reason:
            case ConstraintUnsatisfiable(constraint=constraint):
                yield context.finding(
                    "claim-constraint",
                    _strength(placement),
                    _constraint_path(constraint),
                    "cannot be satisfied on any node",
                    constraint_seen(reason),
                    _constraint_fix(reason),
                )
            case AllConstrained(constraint=constraint, device=device):
                name = constraint.match_attribute or constraint.distinct_attribute
                yield context.finding(
                    "claim-constraint",
                    "warn",
                    _constraint_path(constraint),
                    f'excludes a device that request "{reason.where.request.name}" must take, '
                    "since allocationMode is All: an error that ends the scheduling of the pod",
                    f"device {device.name} on node {reason.node or 'any'} differs in {name} or "
                    "lacks it",
                    "write ExactCount, or narrow the selectors to devices of one value",
                )
            case _:
                pass


def _constraint_path(constraint: Constraint) -> Path:
    field = "matchAttribute" if constraint.match_attribute else "distinctAttribute"
    return (*constraint.path, field)


def _constraint_fix(reason: ConstraintUnsatisfiable) -> str:
    if reason.missing:
        missing = {request.name.partition("/")[0] for request in reason.missing}
        names = listed(sorted(f'"{name}"' for name in missing))
        return f"leave request {names} out of the constraint's requests, or drop the constraint"
    if reason.best:
        return f"ask for at most {reason.best} under this constraint, or drop it"
    return "name an attribute that the devices have, or drop the constraint"


def check_counters(context: Context) -> Iterable[Finding]:
    """claim-counters: the devices exist one by one, but not together.

    Partitions of one GPU draw on the same counters (memory slices, multiprocessors): more of them
    are published than can be had at a time.

    Refuses where the slices are complete; warns otherwise. Mend: fewer or smaller partitions.
    """
    placement, claim = _placement(context), context.claim
    if placement is None or claim is None:
        return
    for reason in placement.reasons:
        if isinstance(reason, CountersExhausted):
            single = reason.where[0].request if len(reason.where) == 1 else None
            yield context.finding(
                "claim-counters",
                _strength(placement),
                (*single.path, "count") if single is not None else _requests_path(claim),
                f"asks for {count_of(reason.wanted, 'device')} that draw on the same counters",
                counters_seen(reason),
                f"ask for at most {reason.best}, or for smaller partitions",
            )


def check_alternatives(context: Context) -> Iterable[Finding]:
    """claim-alternatives: none of the alternatives of firstAvailable can be served.

    The scheduler takes the first alternative that one node can serve; here there is none, and the
    message says for each what is missing.

    Refuses where the slices are complete; warns otherwise. Mend: one alternative that fits the
    hardware.
    """
    placement, claim = _placement(context), context.claim
    if placement is None or claim is None:
        return
    for reason in placement.reasons:
        if not isinstance(reason, AlternativesFail):
            continue
        if all(isinstance(entry.reason, NoClass) for entry in reason.alternatives):
            continue
        request = next((r for r in claim.requests if r.name == reason.name), None)
        path = request.path if request is not None else _requests_path(claim)
        yield context.finding(
            "claim-alternatives",
            _strength(placement),
            (*path, "firstAvailable"),
            f"has {count_of(len(reason.alternatives), 'alternative')}, and no node can serve any",
            alternatives_seen(context.world, reason),
            "add an alternative that the hardware here can serve",
        )


def check_tainted(context: Context) -> Iterable[Finding]:
    """claim-tainted: every device that would fit has a taint that the request does not tolerate.

    Taints of devices (not of nodes) come from drivers, e.g. for a GPU that has reported an error,
    or from administrators' DeviceTaintRules. They are tolerated in the device request, not in the
    pod.

    Warns: a taint may go away, and to be kept from sick devices is what most want. Mend: wait, or
    tolerations of the request.
    """
    placement = _placement(context)
    for reason in placement.reasons if placement is not None else ():
        if isinstance(reason, Tainted):
            request = reason.where[0].request
            yield context.finding(
                "claim-tainted",
                "warn",
                (*request.path, "tolerations"),
                "tolerates none of the devices that would fit",
                tainted_seen(reason),
                "wait until the taint is gone, or add to the request's tolerations "
                + toleration_text(reason.taint),
            )


def check_busy(context: Context) -> Iterable[Finding]:
    """claim-busy: every device that would fit is allocated to another claim.

    A claim is one allocation that is offered to nobody else until it is deallocated; pods of a
    claim that must wait stay Pending.

    Warns: devices come free. Silent where claims are not known. Mend: wait, or name the holder's
    claim by resourceClaimName if it is to be shared.
    """
    placement, claim = _placement(context), context.claim
    if placement is None or claim is None or placement.verdict != "not-now":
        return
    for reason in placement.reasons:
        if isinstance(reason, Busy):
            yield context.finding(
                "claim-busy",
                "warn",
                _requests_path(claim),
                "must wait: every device that would fit is allocated to another claim",
                busy_seen(reason),
                f"wait until devices on {nodes_text(placement.nodes)} come free, or share a claim "
                "by resourceClaimName",
            )


def check_pool(context: Context) -> Iterable[Finding]:
    """sel-catalogue-only (placement): only a node pool without nodes would serve the whole claim.

    Devices that are up match one by one, but not in the number or combination asked for; a declared
    pool at zero would bring a node that has them, by the catalogue of instance types.

    Warns: the pod waits until such a node comes. Mend: nothing, if that is meant.
    """
    placement, claim = _placement(context), context.claim
    if placement is None or claim is None:
        return
    pools = [reason for reason in placement.reasons if isinstance(reason, PoolAtZero)]
    if pools:
        yield context.finding(
            "sel-catalogue-only",
            "warn",
            _requests_path(claim),
            "is served by hardware that is not up now only: no node that is up has all of it",
            "; ".join(pool_text(pool) for pool in pools[:3]),
            "nothing, if the pool scales from zero; the pod stays Pending until a node is up",
        )


RULES = (
    Rule("claim-count", "deny", "claim", ("devices",), check_count, "more devices than a node has"),
    Rule("claim-constraint", "deny", "claim", ("devices",), check_constraint, "unsatisfiable"),
    Rule("claim-counters", "deny", "claim", ("devices",), check_counters, "counters run out"),
    Rule("claim-alternatives", "deny", "claim", ("devices",), check_alternatives, "none can serve"),
    Rule("claim-tainted", "warn", "claim", ("devices",), check_tainted, "only tainted devices"),
    Rule("claim-busy", "warn", "claim", ("claims",), check_busy, "all devices are allocated"),
    Rule("sel-catalogue-only", "warn", "claim", ("devices",), check_pool, "only a pool at zero"),
)
