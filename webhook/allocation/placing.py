"""Can it be placed? The scheduler's answer for a claim, or a pod with its claims, and the reason.

First the scheduler's own search on all nodes. If none fits, one circumstance after the other is put
aside, the most passing first: allocations of other claims, taints of devices, states of nodes, then
pools at zero are imagined; what makes it fit is the reason, and the answer is "not now". What keeps
it from fitting beyond all of these is why it never will. Whether "never" may be trusted stands
beside it (`Placement.certain`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from webhook.allocation.diagnose import Bench, diagnose
from webhook.allocation.features import features_of
from webhook.allocation.ground import Allowed, Trial, everywhere, shapes_for, try_job
from webhook.allocation.held import NOTHING_HELD, Held, Holder, held
from webhook.allocation.job import Job, make_job
from webhook.allocation.knowledge import is_certain
from webhook.allocation.layout import Shape
from webhook.allocation.nodes import Selection, passes_by_itself, untolerated
from webhook.allocation.search import Budget, Fault, OutOfStepsError, Rules, tainted
from webhook.allocation.types import (
    AllConstrained,
    Busy,
    CelError,
    Incomplete,
    NoClass,
    NodeSelection,
    NodeTaint,
    NothingKnown,
    OverLimit,
    Pinned,
    Placement,
    Reason,
    RequestRef,
    Tainted,
    Unsupported,
    Verdict,
)
from webhook.allocation.types import (
    Budget as BudgetSpent,
)
from webhook.allocation.upcoming import pools_that_serve
from webhook.kube.types import Claim, PodSpec, Taint
from webhook.world.types import DeviceTaint, Node, World

STEPS = 100_000
"""How many steps the searches for one answer may take together."""


@dataclass(frozen=True, slots=True)
class _Case:
    """One question: what is placed, where, under which rules, with how many steps left."""

    world: World
    job: Job
    pod: PodSpec | None
    held: Held
    shapes: tuple[Shape, ...]
    rules: Rules
    budget: Budget
    pins: tuple[tuple[int, tuple[str, ...]], ...] = ()

    def bare(self) -> Rules:
        """Give the rules without what passes: allocations, device taints, failing selectors."""
        return replace(self.rules, held=NOTHING_HELD, taints=False, errors=False)

    def attempt(self, rules: Rules, allowed: Allowed) -> Trial:
        """Try the job on the allowed nodes."""
        return try_job(self.shapes, self.job, rules, self.budget, allowed)


def place_claim(claim: Claim, world: World, steps: int = STEPS) -> Placement:
    """Say whether a claim alone can be placed on any node; the claim's own allocation counts not.

    Never raises; out of steps it says `unknown`.
    """
    return _place(world, ((0, claim),), (), None, steps)


def place_pod(pod: PodSpec, claims: Sequence[Claim], world: World, steps: int = STEPS) -> Placement:
    """Say whether one node can serve all claims of a pod within its selectors and tolerations.

    `claims` are the claims and templates that its entries lead to, in order; those allocated
    already pin the node. Never raises; out of steps it says `unknown`.
    """
    job = tuple((i, claim) for i, claim in enumerate(claims) if claim.allocation is None)
    pins = tuple(
        (index, claim.allocation_nodes)
        for index, claim in enumerate(claims)
        if claim.allocation is not None and claim.allocation_nodes
    )
    return _place(world, job, pins, pod, steps)


def _place(
    world: World,
    claims: Sequence[tuple[int, Claim]],
    pins: tuple[tuple[int, tuple[str, ...]], ...],
    pod: PodSpec | None,
    steps: int,
) -> Placement:
    if world.classes is None:
        return Placement("unknown", reasons=(NothingKnown("classes"),))
    if world.pools is None:
        return Placement("unknown", reasons=(NothingKnown("slices"),))
    job = make_job(world, claims)
    taken = held(world)
    case = _Case(
        world,
        job,
        pod,
        taken,
        shapes_for(world, job, taken),
        Rules(features_of(world), taken),
        Budget(steps),
        pins,
    )
    try:
        return _judge(case)
    except OutOfStepsError:
        return Placement("unknown", reasons=(BudgetSpent(steps),))


def _judge(case: _Case) -> Placement:
    strict = _allowed(case)
    now = case.attempt(case.rules, strict)
    if now.faults:
        return _faulted(case, now)
    if now.nodes:
        return Placement("fits", now.nodes, certain=True)
    return _later(case, strict) or _never(case, strict)


def _later(case: _Case, strict: Allowed) -> Placement | None:
    """Put aside what passes by itself, one thing after the other; None if nothing helps."""
    free = replace(case.rules, held=NOTHING_HELD, errors=False)
    clean = replace(case.rules, taints=False, errors=False)
    bare = case.bare()
    steps: tuple[tuple[Rules, Allowed, Callable[[Trial], tuple[Reason, ...]]], ...] = (
        (free, strict, lambda _: (_busy(case),)),
        (clean, strict, lambda _: _tainted(case, strict)),
        (bare, strict, lambda _: (_busy(case), *_tainted(case, strict))),
        (bare, _allowed(case, pins=False), lambda _: tuple(Pinned(i, n) for i, n in case.pins)),
        (
            bare,
            _allowed(case, pins=False, passing=False),
            lambda trial: _node_taints(case, trial.nodes),
        ),
    )
    for rules, allowed, reasons in steps:
        if (rules is free and not _holds_something(case)) or (
            allowed is not strict and case.pod is None
        ):
            continue
        trial = case.attempt(rules, allowed)
        if trial.nodes:
            return Placement("not-now", trial.nodes, reasons(trial), certain=True)
    pools = pools_that_serve(case.world, case.job, case.pod, bare, case.budget)
    if pools:
        return Placement("not-now", (), pools)
    return None


def _never(case: _Case, strict: Allowed) -> Placement:
    bare = case.bare()
    certain = is_certain(case.world, case.job) and (
        case.pod is None or case.world.nodes is not None
    )
    everything = case.attempt(bare, everywhere)
    if case.pod is not None and everything.nodes:
        unknown = tuple(name for name in everything.nodes if not _is_known(case.world, name))
        if unknown:
            return Placement("unknown", unknown, (NothingKnown("nodes"),))
        return Placement("never", (), _kept_out(case, everything.nodes), certain=certain)
    del strict
    bench = Bench(case.shapes, bare, case.budget, everywhere)
    reasons = diagnose(bench, case.job)
    return Placement("never", (), (*reasons, *_unseen(case)), certain=certain)


# Nodes.


def _is_known(world: World, name: str) -> bool:
    return world.nodes is None or name in world.nodes


def _allowed(
    case: _Case,
    *,
    pins: bool = True,
    passing: bool = True,
    taints: bool = True,
    selection: bool = True,
) -> Allowed:
    """Say on which nodes the pod may be; each keyword set aside widens that."""
    pod, nodes = case.pod, case.world.nodes
    if pod is None:
        return everywhere
    pinned = [frozenset(names) for _, names in case.pins] if pins else []
    choice = Selection(pod.node_selector, pod.affinity_terms)

    def allows(name: str) -> bool:
        if any(name not in names for names in pinned):
            return False
        if nodes is None:
            return True
        node = nodes.get(name)
        if node is None or (selection and not choice.selects(node)):
            return False
        taint = untolerated(pod, node) if taints else None
        return taint is None or (not passing and passes_by_itself(taint))

    return allows


def _nodes_of(case: _Case, names: Iterable[str]) -> list[Node]:
    nodes = case.world.nodes or {}
    return [nodes[name] for name in names if name in nodes]


def _node_taints(case: _Case, names: Sequence[str]) -> tuple[Reason, ...]:
    pod = case.pod
    found: dict[Taint, list[str]] = {}
    for node in _nodes_of(case, names) if pod is not None else ():
        taint = untolerated(pod, node) if pod is not None else None
        if taint is not None:
            found.setdefault(taint, []).append(node.name)
    return tuple(
        NodeTaint(taint, tuple(nodes), passes_by_itself(taint)) for taint, nodes in found.items()
    )


def _kept_out(case: _Case, names: Sequence[str]) -> tuple[Reason, ...]:
    """Say what keeps the pod off the nodes that would serve: taints, selection, or both."""
    pod = case.pod
    if pod is None:
        return ()
    untainted = [name for name in names if _allowed(case, pins=False, taints=False)(name)]
    if untainted:
        return _node_taints(case, untainted)
    selected = [name for name in names if _allowed(case, pins=False, selection=False)(name)]
    choice = Selection(pod.node_selector, pod.affinity_terms)
    excluded = NodeSelection(
        tuple(selected or names), choice.excludes(_nodes_of(case, selected or names))
    )
    return (excluded,) if selected else (excluded, *_node_taints(case, names))


# What holds devices.


def _holds_something(case: _Case) -> bool:
    return bool(case.held.devices or case.held.sharers)


def _busy(case: _Case) -> Reason:
    """Name the holders of devices that the job could use, or of counters that these need."""
    allocated = {*case.held.devices, *case.held.sharers}
    matching: set[tuple[str, str, str]] = set()
    counting: set[tuple[str, str]] = set()
    for choice in case.job.wanted:
        for device in choice.match.matching if choice.match is not None else ():
            if device.key in allocated:
                matching.add(device.key)
            if device.consumes:
                counting.add((device.driver, device.pool))
    matching |= {key for key in allocated if key[:2] in counting}
    holders: set[Holder] = set()
    for key in matching:
        holders.update(case.held.sharers.get(key, ()))
        if key in case.held.devices:
            holders.add(case.held.devices[key])
    return Busy(len(matching), tuple(sorted(holders)))


def _tainted(case: _Case, allowed: Allowed) -> tuple[Reason, ...]:
    refs: dict[DeviceTaint, dict[int, RequestRef]] = {}
    devices: dict[DeviceTaint, dict[int, str]] = {}
    for choice in case.job.wanted:
        for device in choice.match.matching if choice.match is not None else ():
            taint = tainted(device, choice.request.tolerations, case.rules.features)
            node = device.scope.node
            if taint is not None and (not node or allowed(node)):
                refs.setdefault(taint, {})[id(choice)] = choice.ref
                devices.setdefault(taint, {})[id(device)] = node
    return tuple(
        Tainted(
            tuple(refs[taint].values()),
            taint,
            len(found),
            tuple(sorted({node for node in found.values() if node})),
        )
        for taint, found in sorted(devices.items(), key=lambda entry: -len(entry[1]))
    )


def _unseen(case: _Case) -> tuple[Reason, ...]:
    drivers = {
        device.driver
        for choice in case.job.wanted
        for device in (choice.match.candidates if choice.match is not None else ())
    }
    return tuple(
        Incomplete(
            pool.driver,
            pool.name,
            pool.invalid or f"{pool.slices_seen} of {pool.slices_announced} slices are there",
        )
        for pool in case.world.pools or ()
        if not pool.complete and (not drivers or pool.driver in drivers)
    )


# Errors that end the scheduler's attempt.


def _faulted(case: _Case, trial: Trial) -> Placement:
    reasons: list[Reason] = []
    verdicts: set[Verdict] = set()
    for node, fault in trial.faults:
        verdict, reason = _reason_of(case, node, fault)
        verdicts.add(verdict)
        if reason not in reasons:
            reasons.append(reason)
    order: tuple[Verdict, ...] = ("never", "error", "unknown")
    worst: Verdict = next((verdict for verdict in order if verdict in verdicts), "unknown")
    certain = is_certain(case.world, case.job)
    return Placement(worst, trial.nodes, tuple(reasons), certain=certain)


def _reason_of(case: _Case, node: str, fault: Fault) -> tuple[Verdict, Reason]:
    ref, device = fault.ref, fault.device
    if fault.kind == "class" and ref is not None:
        known = case.world.absence_known
        return ("never", NoClass(ref)) if known else ("unknown", NothingKnown("classes"))
    if fault.kind == "incomplete" and fault.pool is not None:
        pool = fault.pool
        why = pool.invalid or f"{pool.slices_seen} of {pool.slices_announced} slices are there"
        return "unknown", Incomplete(pool.driver, pool.name, why)
    if fault.kind == "limit":
        claim = case.job.claims[fault.claim]
        everything = any(
            choice.request.mode == "All" for slot in claim.slots for choice in slot.choices
        )
        return "error" if everything else "never", OverLimit(
            claim.claim, fault.count, node if everything else ""
        )
    if fault.kind == "constraint" and ref is not None and device is not None and fault.constraint:
        return "error", AllConstrained(ref, fault.constraint, device, node)
    if fault.kind == "selector" and ref is not None and device is not None:
        failure = fault.failure
        if failure is None:
            return "error", CelError(ref, "request", 0, "", "does not compile", device, node)
        return "error", CelError(
            ref,
            failure.origin,
            failure.index,
            failure.source.expression,
            failure.text,
            device,
            node,
        )
    return "error", Unsupported(ref, fault.gate)
