"""One engine for both doors: `admit(request, world, policy) -> Decision`.

Read from top to bottom: what is let through unseen, what the object is, what is patched, which
rules run, what the policy makes of their findings. No I/O, no clock; the doors (server, command
line) turn bytes into an `AdmissionRequest` and a `Decision` into bytes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal, cast

from webhook.kube.claims import parse_claim
from webhook.kube.patch import apply_add
from webhook.kube.pods import parse_carrier
from webhook.kube.types import Claim, Document, PodCarrier, Toleration
from webhook.nvidia.driver import driver_state
from webhook.policy import Policy
from webhook.rules import RULES
from webhook.rules.context import Context
from webhook.rules.tolerations import toleration_patch, uses_devices
from webhook.rules.types import SEVERITY, Action, Finding
from webhook.world.types import World

PatchOperation = dict[str, Any]


@dataclass(frozen=True, slots=True)
class AdmissionRequest:
    """One object on its way into the cluster.

    `namespace` is the request's (it decides, whatever the object says). `old` is the stored object
    on UPDATE. `phase` is the endpoint; `check` (files) patches and judges in one go. `bundle`: all
    that is applied together is in the world already.
    """

    document: Document
    namespace: str = ""
    name: str = ""
    operation: str = "CREATE"
    phase: Literal["mutate", "validate", "check"] = "check"
    old: Mapping[str, Any] | None = None
    sub_resource: str = ""
    from_file: bool = False
    bundle: bool = False


@dataclass(frozen=True, slots=True)
class Decision:
    """The answer to one request.

    `findings` are sorted, most useful first, with the policy's actions (deny, warn, note).
    `patch` is a JSON patch, empty in the validate phase.
    """

    findings: tuple[Finding, ...] = ()
    patch: tuple[PatchOperation, ...] = ()

    @property
    def allowed(self) -> bool:
        """Whether nothing refuses the object."""
        return all(finding.action != "deny" for finding in self.findings)


PASS = Decision()


def admit(request: AdmissionRequest, world: World, policy: Policy) -> Decision:
    """Judge one object; never raises for anything that is in the object."""
    if _passes_unseen(request, policy):
        return PASS
    context = _context(request, world, policy)
    if context is None:
        return PASS
    patch: tuple[PatchOperation, ...] = ()
    if request.phase != "validate" and policy.mutation.enabled:
        patch = toleration_patch(context, workloads=policy.mutation.patch_workloads)
    if patch:
        patched = Document(
            value=apply_add(request.document.value, patch),
            file=request.document.file,
            line=request.document.line,
            positions=request.document.positions,
            text_starts=request.document.text_starts,
            duplicates=request.document.duplicates,
        )
        context = _context(replace(request, document=patched), world, policy) or context
    findings = _judge(context, policy)
    if request.operation == "UPDATE" and request.old is not None and findings:
        findings = _soften_old_findings(request, world, policy, findings)
    return Decision(findings=_sorted(findings, request.document), patch=patch)


def _passes_unseen(request: AdmissionRequest, policy: Policy) -> bool:
    """Tell what is none of our business, before anything is parsed.

    Subresources, deletions and objects on their way out always pass: a gate that judged them would
    wedge finalizers, scaling and clean-up.
    """
    if request.operation not in {"CREATE", "UPDATE"} or request.sub_resource:
        return True
    metadata = request.document.value.get("metadata")
    if isinstance(metadata, Mapping) and metadata.get("deletionTimestamp"):
        return True
    return policy.is_exempt(request.namespace)


def _context(request: AdmissionRequest, world: World, policy: Policy) -> Context | None:
    """Parse the object; None for kinds, and for changes, that are not judged."""
    value = request.document.value
    claim: Claim | None = None
    carrier: PodCarrier | None = None
    domain: Mapping[str, Any] | None = None
    if is_compute_domain(value):
        domain = value
    else:
        claim = parse_claim(value)
        if claim is None:
            carrier = parse_carrier(value)
    if claim is not None:
        if request.operation == "UPDATE" and _same_claim_spec(value, request.old):
            return None
        claim = replace(claim, namespace=request.namespace)
    elif carrier is not None:
        if request.operation == "UPDATE" and _same_pods(carrier, request.old):
            return None
        carrier = replace(carrier, namespace=request.namespace)
        if not uses_devices(carrier, world):
            return None
    elif domain is None:
        return None
    return Context(
        world=world,
        driver=driver_state(world),
        document=request.document,
        namespace=request.namespace,
        claim=claim,
        carrier=carrier,
        compute_domain=domain,
        from_file=request.from_file,
        bundle=request.bundle,
        tolerations_injected=policy.mutation.enabled,
        injected_tolerations=tuple(
            Toleration(t.key, t.operator, t.value, t.effect) for t in policy.mutation.tolerations
        ),
        gpu_drivers=policy.gpu_drivers,
    )


def is_compute_domain(value: Mapping[str, Any]) -> bool:
    """Whether the object is a ComputeDomain of NVIDIA's driver."""
    group = str(value.get("apiVersion", "")).partition("/")[0]
    return value.get("kind") == "ComputeDomain" and group == "resource.nvidia.com"


def _same_claim_spec(value: Mapping[str, Any], old: Mapping[str, Any] | None) -> bool:
    """Claim and template specs are immutable: an UPDATE with an equal one must always pass."""
    return old is not None and value.get("spec") == old.get("spec")


def _same_pods(carrier: PodCarrier, old: Mapping[str, Any] | None) -> bool:
    """Whether nothing that rules read has changed.

    `spec.resourceClaims` of a stored Pod cannot change, and refusing its labels or status would
    only wedge it, so an UPDATE of a Pod is never judged.
    """
    if carrier.is_pod:
        return True
    if old is None:
        return False
    before = parse_carrier(old)
    return before is not None and before.pods == carrier.pods


def _judge(context: Context, policy: Policy) -> list[Finding]:
    """Run the rules that fit the object's subject, then apply the policy."""
    subject = _subject(context)
    findings: list[Finding] = []
    for rule in RULES:
        if rule.subject != subject:
            continue
        for finding in rule.check(context):
            action = policy.action(finding.rule, finding.action, context.namespace)
            if action != "off":
                findings.append(replace(finding, action=cast("Action", action)))
    return findings


def _subject(context: Context) -> str:
    if context.claim is not None:
        return "claim"
    return "pod" if context.carrier is not None else "compute-domain"


def _soften_old_findings(
    request: AdmissionRequest, world: World, policy: Policy, findings: list[Finding]
) -> list[Finding]:
    """Warn only, where the stored object had the very same fault: an update may not be wedged."""
    old = replace(request, document=Document(value=request.old or {}), operation="CREATE", old=None)
    context = _context(old, world, policy)
    before = set() if context is None else {(f.rule, f.message) for f in _judge(context, policy)}
    return [
        replace(finding, action="warn")
        if finding.action == "deny" and (finding.rule, finding.message) in before
        else finding
        for finding in findings
    ]


def _sorted(findings: list[Finding], document: Document) -> tuple[Finding, ...]:
    """Drop repetitions, add places in the file, and put the worst and earliest cause first."""
    order = {rule.id: index for index, rule in enumerate(RULES)}
    unique = {(f.rule, f.path, f.message): f for f in reversed(findings)}
    placed = [_placed(finding, document) for finding in unique.values()]
    return tuple(
        sorted(
            placed,
            key=lambda f: (-SEVERITY[f.action], order.get(f.rule, len(order)), f.field, f.message),
        )
    )


def _placed(finding: Finding, document: Document) -> Finding:
    """Give the finding its line and column in the file, inside an expression where it has one."""
    if finding.expression_line is not None and finding.expression_column is not None:
        start = document.text_starts.get(finding.path)
        if start is not None:
            line, column, indent = start
            first = finding.expression_line == 1
            return replace(
                finding,
                line=line + finding.expression_line - 1,
                column=(column if first else indent + 1) + finding.expression_column - 1,
            )
    place = document.position(finding.path)
    return finding if place is None else replace(finding, line=place[0], column=place[1])
