"""DeviceClass: selectors and configuration that come before a request's own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from webhook.kube.claim_configs import read_opaque
from webhook.kube.claim_fields import GROUP
from webhook.kube.claim_requests import read_selectors
from webhook.kube.reading import Reader
from webhook.kube.types import DeviceClass, OpaqueConfig, Path

RESOURCE_PREFIX: Final = "deviceclass.resource.kubernetes.io/"
"""resource/v1 ResourceDeviceClassPrefix, Kubernetes 1.36."""


def parse_class(obj: Mapping[str, Any]) -> DeviceClass | None:
    """Read a DeviceClass of resource.k8s.io, whatever its version; None for all else.

    Classes are part of the world and not judged: what is wrong in one is passed over. A class
    without a name is none.
    """
    api_version = obj.get("apiVersion")
    if obj.get("kind") != "DeviceClass" or not isinstance(api_version, str):
        return None
    if api_version.partition("/")[0] != GROUP:
        return None
    reader = Reader()
    name = reader.text(reader.mapping(obj, "metadata", ()), "name", ("metadata",))
    if not name:
        return None
    path: Path = ("spec",)
    spec = reader.mapping(obj, "spec", ())
    configs: list[OpaqueConfig] = []
    for place, item in reader.objects(spec, "config", path):
        config = read_opaque(item, place, (), reader)
        if config is not None:
            configs.append(config)
    return DeviceClass(
        name=name,
        selectors=read_selectors(spec, path, reader),
        configs=tuple(configs),
        extended_resource_name=reader.text(spec, "extendedResourceName", path),
        generated_extended_resource=RESOURCE_PREFIX + name,
    )
