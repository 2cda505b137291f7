"""Selectors as the API server compiles them: sel-compile and sel-cost."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import product

from webhook import cel
from webhook.cel.dialect import NEWEST_MINOR, OLDEST_MINOR
from webhook.kube.types import DeviceRequest, SelectorSource
from webhook.rules.classes import drivers_of
from webhook.rules.context import Context
from webhook.rules.types import Finding, Rule
from webhook.rules.wording import correction_text, listed
from webhook.world.types import World

DEFAULT_MINOR = 36
"""Which server is assumed first where none is known; a refusal then needs all of them to refuse."""
CONSUMABLE_CAPACITY_SINCE = 36
"""DRAConsumableCapacity: alpha 1.34, beta and on in 1.36."""


def admission_dialect(world: World) -> cel.Dialect:
    """Give the dialect in which the API server of this world compiles new expressions."""
    minor = DEFAULT_MINOR if world.kubernetes is None else world.kubernetes[1]
    minor = min(max(minor, OLDEST_MINOR), NEWEST_MINOR)
    gates = world.kubernetes_gates
    return cel.Dialect(
        minor=minor,
        consumable_capacity=gates.get("DRAConsumableCapacity", minor >= CONSUMABLE_CAPACITY_SINCE),
        list_type_attributes=gates.get("DRAListTypeAttributes", False),
    )


def possible_dialects(world: World) -> Iterator[cel.Dialect]:
    """Give every dialect that the API server may have, as far as its facts are unknown."""
    assumed = admission_dialect(world)
    minors = (
        [assumed.minor] if world.kubernetes is not None else range(OLDEST_MINOR, NEWEST_MINOR + 1)
    )
    gates = world.kubernetes_gates
    consumable = (
        [assumed.consumable_capacity] if "DRAConsumableCapacity" in gates else [False, True]
    )
    lists = [assumed.list_type_attributes] if "DRAListTypeAttributes" in gates else [False, True]
    for minor, capacity, attributes in product(minors, consumable, lists):
        yield cel.Dialect(
            minor=minor, consumable_capacity=capacity, list_type_attributes=attributes
        )


def compiled(context: Context, source: SelectorSource) -> cel.Selector:
    """Compile a selector in the dialect of the API server."""
    return cel.compile(source.expression, admission_dialect(context.world))


def is_refused(context: Context, source: SelectorSource) -> bool:
    """Whether the API server refuses the expression in the dialect assumed."""
    return not compiled(context, source).ok


def check_compile(context: Context) -> Iterable[Finding]:
    """sel-compile: the selector is no expression that the API server takes.

    Syntax, types, literals, the result type and the length (10 KiB) are checked as the API server
    checks them, in the CEL of the cluster's Kubernetes version. It stops at the first stage that
    fails; the message here names the other mistakes of the expression too, since each of them would
    come up in turn, the last ones only when a pod hangs.

    Refuses; warns where the version or gates are unknown and another server would take it. Mend:
    the corrected expression, where one can be derived.
    """
    yield from _refusals(context, cost=False)


def check_cost(context: Context) -> Iterable[Finding]:
    """sel-cost: the selector's estimated cost is above the API server's limit.

    The estimate assumes the longest texts and the largest maps that a device may have; where a
    length is unknown (the result of `orValue`, `split`, `format`), it assumes the largest number.
    A short expression may therefore be too complex.

    Refuses. Mend: compare with ==, in or startsWith in place of contains or matches; write
    `!(a == b)` for `a != b` on quantities.
    """
    yield from _refusals(context, cost=True)


def _refusals(context: Context, *, cost: bool) -> Iterator[Finding]:
    for request in _requests(context):
        for source in request.selectors:
            selector = compiled(context, source)
            if selector.ok or (selector.verdict == "too_complex") is not cost:
                continue
            yield _refusal(context, request, source, selector)


def _requests(context: Context) -> tuple[DeviceRequest, ...]:
    return () if context.claim is None else context.claim.device_requests


def _refusal(
    context: Context, request: DeviceRequest, source: SelectorSource, selector: cel.Selector
) -> Finding:
    taken = any(
        cel.compile(source.expression, dialect).ok for dialect in possible_dialects(context.world)
    )
    correction = cel.doctor(
        source.expression,
        selector.dialect,
        devices_of_class(context, request.device_class),
        default_domain(context, request.device_class),
    )
    seen = f"Kubernetes 1.{selector.dialect.minor}" if context.world.kubernetes else ""
    if taken:
        seen = f"not checked: the server's version or gates are unknown, 1.{selector.dialect.minor}"
        seen += " at its defaults refuses it, another takes it"
    if correction is not None:
        seen = "; ".join(part for part in (listed(correction.faults, 6), seen) if part)
    place = None
    if selector.error_line is not None and selector.error_column is not None:
        place = (selector.error_line, selector.error_column)
    if selector.verdict == "too_complex":
        return context.finding(
            "sel-cost",
            "warn" if taken else "deny",
            source.path,
            "is too complex",
            f"its estimated cost is {selector.max_cost}, the limit {cel.COST_LIMIT}"
            + (f"; {seen}" if correction is not None or taken else ""),
            correction_text(correction)
            or "compare with ==, in or startsWith in place of contains or matches on a text of "
            "unknown length, and write !(a == b) for a != b on quantities",
        )
    return context.finding(
        "sel-compile",
        "warn" if taken else "deny",
        source.path,
        f"does not compile: {compile_error(selector)}",
        seen,
        correction_text(correction) or _advice(selector),
        expression_place=place,
    )


def compile_error(selector: cel.Selector) -> str:
    """Write the compiler's errors on one line: `2:36: no matching overload …`."""
    text = (selector.error or "").removeprefix("compilation failed: ")
    errors = [
        line.removeprefix("ERROR: <input>:")
        for line in text.split("\n")
        if line.startswith("ERROR: <input>:")
    ]
    return listed(errors, 3) if errors else text.split("\n", 1)[0]


def _advice(selector: cel.Selector) -> str:
    error = selector.error or ""
    if "must evaluate to bool" in error:
        return "make the whole expression a comparison, or end it in .orValue(false)"
    if "bytes" in error and "more than" in error:
        return "shorten the expression, or split it into several selectors (all must match)"
    if selector.error_line is not None:
        return f"mend line {selector.error_line}, column {selector.error_column} of the expression"
    return "mend the expression"


def default_domain(context: Context, class_name: str) -> str | None:
    """Name the domain that unqualified attributes of the class's devices belong to."""
    drivers = drivers_of(context.world, class_name, context.gpu_drivers)
    if drivers:
        return drivers[0]
    found = {device.driver for device, _ in devices_of_class(context, class_name)}
    return found.pop() if len(found) == 1 else None


def devices_of_class(context: Context, class_name: str) -> list[tuple[cel.Device, int]]:
    """Give one device for each kind in the class, with the number of its like."""
    return []


RULES = (
    Rule("sel-compile", "deny", "claim", ("nothing",), check_compile, "does not compile"),
    Rule("sel-cost", "deny", "claim", ("nothing",), check_cost, "too complex"),
)
