"""Which driver's devices a device class hands out, known or guessed from its selectors alone."""

from __future__ import annotations

from typing import Final

from webhook import cel
from webhook.kube.types import DeviceClass
from webhook.nvidia.types import COMPUTE_DOMAIN_DRIVER, GPU_DRIVER
from webhook.world.types import World

WELL_KNOWN: Final = {
    "gpu.nvidia.com": GPU_DRIVER,
    "mig.nvidia.com": GPU_DRIVER,
    "vfio.gpu.nvidia.com": GPU_DRIVER,
    "compute-domain-daemon.nvidia.com": COMPUTE_DOMAIN_DRIVER,
    "compute-domain-default-channel.nvidia.com": COMPUTE_DOMAIN_DRIVER,
}
"""The classes of the driver's chart (dra-driver-nvidia-gpu 25.12 to 0.5)."""

_DIALECT: Final = cel.Dialect(minor=37, stored=True)


def may_serve(device_class: DeviceClass, driver: str) -> bool:
    """Whether a device of `driver` could pass the class's selectors, whatever its attributes.

    Each selector is asked about a device that has a driver and nothing else: a plain false excludes
    the driver; true, or an error over a missing attribute, leaves it possible. A class that never
    reads the driver nor an attribute of the driver's domain is not taken for the driver's.
    """
    bare = cel.Device(driver=driver)
    concerned = False
    for source in device_class.selectors:
        selector = cel.compile(source.expression, _DIALECT)
        if selector.verdict not in {"ok", "too_complex"}:
            continue
        if selector.evaluate(bare).match is False:
            return False
        reads = selector.reads
        domains = {domain for domain, _ in reads.attributes | reads.capacity}
        concerned = concerned or reads.driver or driver in domains
    return concerned


def drivers_of(world: World, class_name: str, candidates: tuple[str, ...]) -> tuple[str, ...]:
    """Give those of `candidates` whose devices the class may hand out.

    A class that the world does not know counts by its well-known name.
    """
    key = ("drivers_of", class_name, candidates)
    known = world.cache.get(key)
    if isinstance(known, tuple):
        return known
    device_class = (world.classes or {}).get(class_name)
    if device_class is None:
        guess = WELL_KNOWN.get(class_name)
        found = tuple(driver for driver in candidates if driver == guess)
    else:
        found = tuple(driver for driver in candidates if may_serve(device_class, driver))
    world.cache[key] = found
    return found
