"""Opaque parameters of claims: decoding, gates, sharing, and which configuration takes effect.

One pass (`analyse`) decodes every configuration that reaches the driver and is kept in the
context's memo; each rule below takes its own findings from it, so that an id has one page.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Final, cast

from webhook.kube.names import nearest
from webhook.kube.types import DeviceRequest, Duplicate, OpaqueConfig, Path
from webhook.nvidia.gates import conflicts, is_at_least
from webhook.nvidia.kinds import STRATEGY_GATES, kind_for_type
from webhook.nvidia.parameters import Decoding, decode
from webhook.nvidia.products import device_type_of_class
from webhook.nvidia.types import (
    COMPUTE_DOMAIN_DRIVER,
    GPU_DRIVER,
    ParameterFault,
    Parameters,
)
from webhook.rules.classes import drivers_of
from webhook.rules.context import Context
from webhook.rules.types import Finding, Rule

DRIVERS: Final = (GPU_DRIVER, COMPUTE_DOMAIN_DRIVER)


@dataclass(frozen=True, slots=True)
class Decoded:
    """One configuration of the driver: where it stands and what came out.

    `class_name` is set for a configuration of a DeviceClass; `at` is then the request's
    `deviceClassName`, because the claim is what is judged.
    """

    config: OpaqueConfig
    parameters: Parameters
    at: Path
    class_name: str = ""

    def place(self, fault: ParameterFault) -> Path:
        """Give the path of a fault in the claim."""
        return self.at if self.class_name else (*self.at, *fault.path)


def analyse(context: Context) -> tuple[Finding, ...]:
    """Give every finding about parameters, in order of the configurations."""
    kept = context.memo.get("parameters")
    if kept is None:
        kept = tuple(_analyse(context))
        context.memo["parameters"] = kept
    return cast("tuple[Finding, ...]", kept)


def decoded(context: Context) -> tuple[Decoded, ...]:
    """Give the decoded configurations in the driver's order: those of device classes first."""
    kept = context.memo.get("decoded")
    if kept is None:
        kept = tuple(_decode_all(context))
        context.memo["decoded"] = kept
    return cast("tuple[Decoded, ...]", kept)


def _decode_all(context: Context) -> Iterator[Decoded]:
    claim = context.claim
    if claim is None:
        return
    seen: set[str] = set()
    for request in claim.device_requests:
        device_class = context.class_of(request.device_class)
        if device_class is None or device_class.name in seen:
            continue
        seen.add(device_class.name)
        for config in device_class.configs:
            if config.driver in DRIVERS and config.has_parameters:
                how = Decoding(config.driver, context.driver, from_file=True, explicit=False)
                yield Decoded(
                    config,
                    decode(config.parameters, how),
                    (*request.path, "deviceClassName"),
                    device_class.name,
                )
    for config in claim.configs:
        if config.driver not in DRIVERS or not config.has_parameters:
            continue
        at = (*config.path, "opaque", "parameters")
        how = Decoding(
            config.driver,
            context.driver,
            context.from_file,
            tuple(
                Duplicate(duplicate.path[len(at) :], duplicate.values)
                for duplicate in context.duplicates
                if duplicate.path[: len(at)] == at
            ),
            explicit=bool(config.requests),
        )
        yield Decoded(config, decode(config.parameters, how), at)


def _analyse(context: Context) -> Iterator[Finding]:
    claim = context.claim
    if claim is None:
        return
    yield from _request_names(context)
    everything = decoded(context)
    winners = _winners(context, everything)
    for item in everything:
        prefix = f"by configuration of DeviceClass {item.class_name}: " if item.class_name else ""
        shadowed = item.parameters.decodes and id(item) not in winners
        for fault in item.parameters.faults:
            # All must decode, but the driver validates only those that win: a fault of the others
            # wakes up with the next edit.
            judged = fault.rule.startswith("cfg-") and fault.rule != "cfg-bad-value"
            action = "warn" if shadowed and not judged else fault.action
            what = (
                f"{prefix}{'.'.join(map(str, fault.path))} {fault.what}" if prefix else fault.what
            )
            yield context.finding(
                fault.rule, action, item.place(fault), what, fault.seen, fault.fix
            )
    for item in everything:
        if not item.class_name:
            yield from _effect(context, item, winners)
    yield from _foreign(context)
    yield from _gate_conflicts(context, everything)
    yield from _gated_classes(context)


def device_type(context: Context, request: DeviceRequest) -> str | None:
    """Give the device type that the request's class hands out, None when that is open."""
    device_class = context.class_of(request.device_class)
    if device_class is None and context.world.classes:
        return None
    expressions = (
        tuple(source.expression for source in device_class.selectors) if device_class else ()
    )
    return device_type_of_class(request.device_class, expressions)


def _names(config: OpaqueConfig, request: DeviceRequest) -> bool:
    """Whether the driver takes the configuration for the request: it compares plain text."""
    return not config.requests or request.name in config.requests


def _winners(context: Context, everything: tuple[Decoded, ...]) -> frozenset[int]:
    """Give the configurations that take effect for some request: the last match, as a whole."""
    claim = context.claim
    found: set[int] = set()
    for request in claim.device_requests if claim is not None else ():
        kind = device_type(context, request)
        for item in reversed(everything):
            if item.class_name and item.class_name != request.device_class:
                continue
            if not item.class_name and not _names(item.config, request):
                continue
            fits = kind is None or item.parameters.device_type == kind
            if fits or item.config.requests:
                found.add(id(item))
                break
    return frozenset(found)


def _effect(context: Context, item: Decoded, winners: frozenset[int]) -> Iterator[Finding]:
    """Say that a configuration does not fit a request that it names, or never takes effect."""
    claim = context.claim
    if claim is None or not item.parameters.device_type:
        return
    config = item.config
    matching = [request for request in claim.device_requests if _names(config, request)]
    kind = item.parameters.kind
    path = (*config.path, "requests")
    for request in matching:
        wanted = device_type(context, request)
        if config.requests and wanted is not None and wanted != item.parameters.device_type:
            fits = kind_for_type(wanted)
            yield context.finding(
                "cfg-kind-mismatch",
                "deny",
                (*item.at, "kind"),
                f'{kind} does not fit request "{request.name}": preparing the claim fails',
                f"{request.device_class} hands out devices of type {wanted}, {kind} is for type "
                f"{item.parameters.device_type}",
                f"write kind: {fits}" if fits else "leave the request out of this configuration",
            )
            return
    if id(item) in winners or item.parameters.faults:
        return
    parents = [r for r in claim.requests if r.alternatives and r.name in config.requests]
    if parents and not matching:
        names = [choice.name for parent in parents for choice in parent.choices]
        yield context.finding(
            "cfg-ignored",
            "warn",
            path,
            "never takes effect: the driver compares the full name of an alternative",
            f'"{parents[0].name}" has the alternatives ' + ", ".join(f'"{name}"' for name in names),
            f"write requests: [{', '.join(names)}], or leave requests out",
        )
    elif not matching:
        return
    elif not any(
        device_type(context, request) in {None, item.parameters.device_type} for request in matching
    ):
        types = sorted({device_type(context, request) or "" for request in matching})
        yield context.finding(
            "cfg-ignored",
            "warn",
            (*item.at, "kind"),
            f"{kind} never takes effect: no request is for its type of device",
            f"the requests are for devices of type {', '.join(types)}, {kind} is for type "
            f"{item.parameters.device_type}",
            f"write kind: {kind_for_type(types[0])}"
            if kind_for_type(types[0])
            else "leave the configuration out",
        )
    else:
        yield context.finding(
            "cfg-ignored",
            "warn",
            config.path,
            "never takes effect: a later configuration for the same requests replaces it whole",
            f"{kind} for {', '.join(config.requests) or 'all requests'}",
            "merge the two configurations, or remove this one",
        )


def _request_names(context: Context) -> Iterator[Finding]:
    claim = context.claim
    if claim is None:
        return
    names = [request.name for request in claim.requests]
    names += [choice.name for request in claim.requests for choice in request.alternatives]
    entries = [(config.path, config.requests) for config in claim.configs]
    entries += [(constraint.path, constraint.requests) for constraint in claim.constraints]
    for path, given in entries:
        for index, name in enumerate(given):
            if name in names:
                continue
            near = nearest(name, names, 1)
            yield context.finding(
                "cfg-request-unknown",
                "deny",
                (*path, "requests", index),
                f'names "{name}", which is no request of this claim',
                "requests are " + (", ".join(f'"{known}"' for known in names) or "none"),
                f'write "{near[0]}"' if near else "write one of these",
            )


def _foreign(context: Context) -> Iterator[Finding]:
    """Say that a configuration's driver serves none of the claim's requests."""
    claim = context.claim
    if claim is None or not claim.device_requests:
        return
    known = {pool.driver for pool in context.world.pools or ()} | set(DRIVERS)
    serving: set[str] = set()
    for request in claim.device_requests:
        drivers = drivers_of(context.world, request.device_class, tuple(sorted(known)))
        if not drivers:
            # A class of a driver that nobody knows may be served by any name.
            return
        serving |= set(drivers)
    for config in claim.configs:
        if config.driver in serving or not config.driver:
            continue
        near = nearest(config.driver, sorted(serving), 1)
        yield context.finding(
            "cfg-ignored",
            "warn",
            (*config.path, "opaque", "driver"),
            f'"{config.driver}" serves none of the requests: the configuration never takes effect',
            f"the requests are served by {', '.join(sorted(serving))}",
            f"write driver: {near[0] if near else min(serving)}, or remove the configuration",
        )


def _gate_conflicts(context: Context, everything: tuple[Decoded, ...]) -> Iterator[Finding]:
    """Say that the driver's gates exclude each other: it does not start with them."""
    claim = context.claim
    gates = context.driver.gates
    if claim is None or gates is None:
        return
    uses_gpu = any(
        GPU_DRIVER in drivers_of(context.world, request.device_class, DRIVERS)
        for request in claim.device_requests
    )
    if not uses_gpu:
        return
    for conflict in conflicts(context.driver.line, gates):
        needed = [
            item
            for item in everything
            if STRATEGY_GATES.get(item.parameters.strategy) in {conflict.gate, conflict.other}
        ]
        types = {device_type(context, request) for request in claim.device_requests}
        by_type = ("mig" in types and conflict.gate == "DynamicMIG") or (
            "vfio" in types and "PassthroughSupport" in {conflict.gate, conflict.other}
        )
        path = (
            (*needed[0].at, "sharing", "strategy")
            if needed and not needed[0].class_name
            else (*claim.spec_path, "devices", "requests")
        )
        other = "on" if conflict.excludes else "off"
        yield context.finding(
            "gate-conflict",
            "deny" if needed or by_type else "warn",
            path,
            f"meets a driver that cannot start: {conflict.text}",
            f"{conflict.gate} is on and {conflict.other} is {other} ({context.driver.source})",
            f"set featureGates.{conflict.gate if not needed else _drop(conflict.gate, needed)}: "
            "false in the values of dra-driver-nvidia-gpu"
            if conflict.excludes
            else f"set featureGates.{conflict.other}: true in the values of dra-driver-nvidia-gpu",
        )


def _drop(gate: str, needed: list[Decoded]) -> str:
    """Name the gate of a pair to switch off: the one that the claim does not need."""
    wanted = STRATEGY_GATES.get(needed[0].parameters.strategy)
    return "DynamicMIG" if gate == wanted else gate


def _gated_classes(context: Context) -> Iterator[Finding]:
    """Say that the device type of a class (vfio) exists only with a gate that is off."""
    claim = context.claim
    state = context.driver
    if claim is None or not is_at_least(state.line, "25.12"):
        return
    for request in claim.device_requests:
        if device_type(context, request) != "vfio":
            continue
        if state.gates is not None and state.gates.get("PassthroughSupport"):
            continue
        known = state.gates is not None
        yield context.finding(
            "gate-off",
            "deny" if known else "warn",
            (*request.path, "deviceClassName"),
            f"{request.device_class} hands out vfio devices, which need feature gate "
            "PassthroughSupport",
            f"PassthroughSupport=false on driver {state.version or state.line} ({state.source})"
            if known
            else f"not checked: the driver's gates are unknown ({state.source})",
            "set featureGates.PassthroughSupport: true in the values of dra-driver-nvidia-gpu "
            "(alpha, off by default)",
        )


def _rule(identity: str, severity: str, needs: str, summary: str, page: str) -> Rule:
    """Declare a rule whose findings come out of the shared pass."""

    def check(context: Context) -> Iterable[Finding]:
        return (finding for finding in analyse(context) if finding.rule == identity)

    check.__doc__ = f"{identity}: {page}"
    return Rule(
        identity,
        "deny" if severity == "deny" else "warn",
        "claim",
        ("gates",) if needs == "gates" else ("nothing",),
        cast("Callable[[Context], Iterable[Finding]]", check),
        summary,
    )


_PAGES: Final = (
    ("cfg-unreadable", "deny", "nothing", "parameters without apiVersion or kind",
     """the driver cannot tell what the parameters are.

    `opaque.parameters` must be an object with `apiVersion` and `kind`. The API server takes any
    object; the driver reads it only when the pod is already on its node, which then hangs in
    ContainerCreating.

    Refuses always. Mend: apiVersion: resource.nvidia.com/v1beta1 and a kind such as GpuConfig."""),
    ("cfg-unknown-kind", "deny", "nothing", "kind not known to the driver",
     """the driver does not know this group, version or kind (case counts).

    Refuses; warns where the kind exists in another version of the driver and this one's version is
    unknown. Mend: the nearest kind in the message."""),
    ("cfg-not-a-config", "deny", "nothing", "kind is no configuration for this driver",
     """it decodes, but is no configuration for the driver that it is addressed to.

    GpuConfig, MigDeviceConfig and VfioDeviceConfig configure devices of gpu.nvidia.com,
    ComputeDomainChannelConfig and ComputeDomainDaemonConfig those of compute-domain.nvidia.com.
    ComputeDomain is an object of its own.

    Refuses; warns where the configuration names no request and driver 0.5 or later skips it. Mend:
    a kind that fits, or the other driver's name."""),
    ("cfg-unknown-field", "deny", "nothing", "field that the kind does not have",
     """the kind has no such field (case counts).

    The driver decodes strictly since 25.8; 25.3 dropped unknown fields in silence, so that the
    setting had no effect.

    Refuses; warns on 25.3, and where the version is unknown and another has the field. Mend: the
    nearest field."""),
    ("cfg-duplicate-field", "deny", "nothing", "the same key twice",
     """the same key stands twice in the parameters.

    kubectl keeps the last of two equal keys while it converts a file, without a word; sent as they
    are, the driver refuses them.

    Refuses in a request, warns in a file. Mend: one of the two."""),
    ("cfg-wrong-type", "deny", "nothing", "a JSON type that the field does not take",
     """the value has a type that the field does not take.

    Numbers in quotes are texts, 50.0 and true are no whole numbers.

    Refuses. Mend: the value in the right type."""),
    ("cfg-bad-quantity", "deny", "nothing", "not a quantity",
     """the value is no Kubernetes quantity.

    Suffixes are k, M, G, T (powers of 1000) and Ki, Mi, Gi, Ti (powers of 1024): `10GB` and `10gi`
    are none.

    Refuses. Mend: 10G or 10Gi."""),
    ("cfg-bad-value", "deny", "nothing", "value outside an enumeration",
     """the field takes a few words only, and this is none of them (case counts).

    Refuses. Mend: one of the words in the message."""),
    ("cfg-request-unknown", "deny", "nothing", "names no request of the claim",
     """a configuration or a constraint names a request that the claim does not have.

    `requests` holds names of requests, or `request/alternative`. The API server refuses other
    names.

    Refuses. Mend: a name of the claim."""),
    ("cfg-kind-mismatch", "deny", "nothing", "kind does not fit the request's devices",
     """the configuration names a request whose devices are of another type.

    GpuConfig is for whole GPUs (class gpu.nvidia.com), MigDeviceConfig for partitions
    (mig.nvidia.com), VfioDeviceConfig for vfio devices. The driver refuses to prepare the claim.

    Refuses; silent where the class is not known. Mend: the kind that fits."""),
    ("cfg-ignored", "warn", "nothing", "configuration that never takes effect",
     """the configuration is stored and never used.

    It names an alternative's parent (the driver compares `request/alternative`), it is of a kind
    that no request's devices have, a later one replaces it as a whole, or its driver serves none of
    the requests.

    Warns. Mend: the requests, kind or driver in the message."""),
    ("gate-off", "deny", "gates", "a feature gate that is off",
     """the sharing strategy, or the type of device, needs a feature gate of the driver that is off.

    TimeSlicing needs TimeSlicingSettings, MPS needs MPSSupport, vfio devices need
    PassthroughSupport; all three are alpha and off by default. The claim is stored and scheduled,
    and the pod hangs in ContainerCreating.

    Refuses where the gates are known, warns where they are not. Mend: the gate in the values of
    dra-driver-nvidia-gpu, or leave the sharing block out."""),
    ("gate-conflict", "deny", "gates", "gates that exclude each other",
     """the driver's gates exclude each other, and it does not start with them.

    DynamicMIG excludes MPSSupport, PassthroughSupport and NVMLDeviceHealthCheck; PassthroughSupport
    excludes NVMLDeviceHealthCheck; ComputeDomainCliques needs IMEXDaemonsWithDNSNames.

    Refuses a claim that needs one of the two, warns otherwise; silent where gates are unknown.
    Mend: one of the two off."""),
    ("share-unknown-strategy", "deny", "nothing", "no such sharing strategy",
     """`sharing.strategy` is neither TimeSlicing nor MPS (case counts).

    Refuses. Mend: one of the two, or leave sharing out to have the device alone."""),
    ("share-unknown-interval", "deny", "nothing", "no such time-slice interval",
     """`interval` is none of Default, Short, Medium, Long (case counts).

    Refuses. Mend: one of the four."""),
    ("share-empty-time-slicing", "deny", "nothing", "timeSlicingConfig without an interval",
     """`timeSlicingConfig` is there and has no interval: this crashes the driver.

    With the whole block left out the interval is Default; an empty block is a nil pointer in every
    version up to 0.5.

    Refuses; where the gate is off, that is said instead. Mend: leave the block out, or set an
    interval."""),
    ("share-mixed-strategy", "deny", "nothing", "block of the other strategy",
     """the block of the other strategy is there, even if empty.

    Refuses: the driver does when it prepares the claim. Mend: drop the block."""),
    ("share-thread-percentage", "deny", "nothing", "thread percentage outside 0 to 100",
     """`defaultActiveThreadPercentage` is outside 0 to 100.

    Refuses. Mend: a number in between."""),
    ("share-memory-limit", "deny", "nothing", "memory limit below 1 MiB",
     """a pinned memory limit is below 1 MiB once converted.

    The driver counts whole MiB: `1M` is less than one, `1Mi` is the minimum.

    Refuses. Mend: 1Mi or more."""),
    ("share-device-key", "deny", "nothing", "key that names no device",
     """a key of `defaultPerDevicePinnedMemoryLimit` is neither an index nor a UUID.

    An index counts through the sorted UUIDs of the claim's devices, from 0. A UUID is hardly ever
    right, since the scheduler chooses the device.

    Refuses; warns for a UUID. Mend: an index, or the default limit for all devices."""),
)  # fmt: skip

RULES: Final = tuple(
    _rule(identity, severity, needs, summary, page)
    for identity, severity, needs, summary, page in _PAGES
)
