"""Compute domains: multi-node NVLink and the channels that come with it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from webhook.kube.types import DeviceRequest, Path
from webhook.nvidia.products import fabric
from webhook.nvidia.types import COMPUTE_DOMAIN_DRIVER
from webhook.rules.classes import drivers_of
from webhook.rules.context import Context
from webhook.rules.hardware import (
    compute_domain_devices,
    driver_complete,
    gpu_kinds,
    has_fabric_nodes,
    products_text,
)
from webhook.rules.types import Action, Finding, Rule
from webhook.rules.wording import listed
from webhook.world.types import World

FIX_FABRIC = (
    "leave the channel request out: compute domains need multi-node NVLink (GB200 or GB300 NVL72, "
    "GH200 NVL32), and set resources.computeDomains.enabled: false in the values of "
    "dra-driver-nvidia-gpu on other hardware"
)


def check_no_fabric(context: Context) -> Iterable[Finding]:
    """cd-no-fabric: a compute-domain device is asked for where no NVLink fabric is.

    Channels (IMEX) join GPUs of several nodes over NVLink. Only multi-node NVLink systems have
    them: GB200 and GB300 NVL72, GH200 NVL32. HGX boards (A100, H100, H200, B200) have NVSwitches
    inside one node, which is not the same.

    Refuses where all products are known to lack it and the driver publishes no channel; warns
    where channels are published all the same (the claim succeeds and the container gets no channel
    device), or where only declared pools are known. Silent where a product is not in the tables.
    Mend: leave the channel out.
    """
    claim = context.claim
    if claim is None:
        return
    for request in claim.device_requests:
        if COMPUTE_DOMAIN_DRIVER not in drivers_of(
            context.world, request.device_class, (COMPUTE_DOMAIN_DRIVER,)
        ):
            continue
        path = (*request.path, "deviceClassName")
        yield from _no_fabric(context, path, f"asks for {request.device_class}")


def check_domain_no_fabric(context: Context) -> Iterable[Finding]:
    """cd-no-fabric (ComputeDomain): a ComputeDomain where no NVLink fabric is.

    As for claims; the controller would create the channel's claim template, and every pod that
    uses it would stay Pending.
    """
    domain = context.compute_domain
    if domain is None:
        return
    spec = domain.get("spec")
    channel = spec.get("channel") if isinstance(spec, Mapping) else None
    path: Path = ("spec", "channel") if channel is not None else ("spec",)
    yield from _no_fabric(context, path, "asks for a ComputeDomain's channel")


def _no_fabric(context: Context, path: Path, what: str) -> Iterable[Finding]:
    world = context.world
    kinds = gpu_kinds(world)
    if has_fabric_nodes(world):
        return
    if kinds:
        if any(fabric(kind.product) is not False for kind in kinds) or _pool_may_have(world):
            return
        channels = compute_domain_devices(world)
        live = driver_complete(world, COMPUTE_DOMAIN_DRIVER) and _gpus_complete(world)
        action: Action = "deny" if live and not channels and not _pools_open(world) else "warn"
        seen = f"GPUs are {products_text(kinds)}, none with multi-node NVLink"
        seen += (
            "; the driver publishes channel devices all the same: the claim is served, and the "
            "container gets no channel"
            if channels
            else "; no node publishes a channel device"
        )
    else:
        pools = [pool for pool in world.catalogue_pools if pool.known and pool.product]
        if not pools or _pools_open(world) or any(fabric(p.product) is not False for p in pools):
            return
        action = "warn"
        seen = "no GPU is up; declared pools would bring " + listed(
            sorted({f'"{pool.product}" ({pool.instance_type})' for pool in pools})
        )
    yield context.finding(
        "cd-no-fabric",
        action,
        path,
        f"{what}, and no GPU here is part of a multi-node NVLink fabric",
        seen,
        FIX_FABRIC,
    )


def _gpus_complete(world: World) -> bool:
    return driver_complete(world, "gpu.nvidia.com")


def _pools_open(world: World) -> bool:
    """Whether some declared pool may bring hardware that nobody can name."""
    return any(not pool.known for pool in world.catalogue_pools)


def _pool_may_have(world: World) -> bool:
    return any(
        pool.known and pool.product and fabric(pool.product) is not False
        for pool in world.catalogue_pools
    )


def check_no_domain(context: Context) -> Iterable[Finding]:
    """cd-no-domain: no configuration with a domainID reaches a compute-domain request.

    The driver's built-in default for a channel has an empty domain, so a claim that is written by
    hand always needs its own ComputeDomainChannelConfig; the controller writes it into the
    templates that it creates.

    Refuses. Mend: the configuration, with the UID of the ComputeDomain.
    """
    claim = context.claim
    if claim is None:
        return
    for request in claim.device_requests:
        if COMPUTE_DOMAIN_DRIVER not in drivers_of(
            context.world, request.device_class, (COMPUTE_DOMAIN_DRIVER,)
        ):
            continue
        if _reached(context, request):
            continue
        kind = "Daemon" if "daemon" in request.device_class else "Channel"
        yield context.finding(
            "cd-no-domain",
            "deny",
            (*claim.spec_path, "devices", "config"),
            f'gives request "{request.name}" no ComputeDomain: the driver would refuse it with '
            "domainID cannot be empty",
            f"no configuration for driver {COMPUTE_DOMAIN_DRIVER} reaches it",
            f"add config: [{{requests: [{request.name}], opaque: {{driver: "
            f"{COMPUTE_DOMAIN_DRIVER}, parameters: {{apiVersion: resource.nvidia.com/v1beta1, "
            f"kind: ComputeDomain{kind}Config, domainID: UID-of-the-ComputeDomain}}}}}}], or use "
            "the template that the ComputeDomain creates",
        )


def _reached(context: Context, request: DeviceRequest) -> bool:
    """Whether any configuration of the compute-domain driver applies to the request."""
    claim = context.claim
    device_class = context.class_of(request.device_class)
    configs = [*(claim.configs if claim is not None else ())]
    reached = any(
        config.driver == COMPUTE_DOMAIN_DRIVER
        and (not config.requests or request.name in config.requests)
        for config in configs
    )
    by_class = device_class is not None and any(
        config.driver == COMPUTE_DOMAIN_DRIVER for config in device_class.configs
    )
    return reached or by_class


RULES = (
    Rule("cd-no-fabric", "deny", "claim", ("devices",), check_no_fabric, "no NVLink fabric"),
    Rule(
        "cd-no-fabric",
        "deny",
        "compute-domain",
        ("devices",),
        check_domain_no_fabric,
        "no NVLink fabric",
    ),
    Rule("cd-no-domain", "deny", "claim", ("classes",), check_no_domain, "no ComputeDomain"),
)
