"""Which fields the objects of resource.k8s.io have, by version, and where strays belong.

Source: k8s.io/api/resource {v1alpha3,v1beta1,v1beta2,v1}/types.go of Kubernetes 1.32 to 1.37.
Fields behind feature gates are listed too: a server without the gate drops them without refusing.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

GROUP: Final = "resource.k8s.io"

NESTED: Final = frozenset({"v1", "v1beta2"})
"""Versions whose requests hold the class under `exactly`."""
FLAT: Final = frozenset({"v1beta1", "v1alpha3"})
"""Versions whose requests hold the class themselves."""

METADATA: Final = (
    "name",
    "generateName",
    "namespace",
    "selfLink",
    "uid",
    "resourceVersion",
    "generation",
    "creationTimestamp",
    "deletionTimestamp",
    "deletionGracePeriodSeconds",
    "labels",
    "annotations",
    "ownerReferences",
    "finalizers",
    "managedFields",
)
DEVICES: Final = ("requests", "constraints", "config")
ALTERNATIVE: Final = (
    "name",
    "deviceClassName",
    "selectors",
    "allocationMode",
    "count",
    "tolerations",
    "capacity",
    "derivedAttributes",
)
EXACT: Final = (
    "deviceClassName",
    "selectors",
    "allocationMode",
    "count",
    "adminAccess",
    "tolerations",
    "capacity",
    "derivedAttributes",
)
NESTED_REQUEST: Final = ("name", "exactly", "firstAvailable")
FLAT_REQUEST: Final = ("name", *EXACT, "firstAvailable")
CONSTRAINT: Final = ("requests", "matchAttribute", "distinctAttribute")
CONFIG: Final = ("requests", "opaque")
OPAQUE: Final = ("driver", "parameters")
TOLERATION: Final = ("key", "operator", "value", "effect", "tolerationSeconds")

MAX_REQUESTS: Final = 32
MAX_ALTERNATIVES: Final = 8
MAX_CONSTRAINTS: Final = 32
MAX_CONFIGS: Final = 32
MAX_SELECTORS: Final = 32
MAX_PARAMETERS_BYTES: Final = 10 * 1024
"""resource/v1 OpaqueParametersMaxLength, 1.36."""

_RETIRED: Final = (
    "remove it: it went with v1alpha2; ask through devices: {requests: "
    "[{name: gpu, exactly: {deviceClassName: gpu.nvidia.com}}]}"
)
SPEC_HINTS: Final[Mapping[str, str]] = {
    "spec": "write devices directly under spec: only a ResourceClaimTemplate has spec.spec",
    "requests": "put it under devices",
    "constraints": "put it under devices",
    "config": "put it under devices",
    "resourceClassName": _RETIRED,
    "parametersRef": _RETIRED,
    "allocationMode": "put it under devices.requests[].exactly",
}
TEMPLATE_HINTS: Final[Mapping[str, str]] = {
    "devices": "put it under spec.spec: a ResourceClaimTemplate holds the whole spec of a claim",
}
TOP_HINTS: Final[Mapping[str, str]] = {
    "devices": "put it under spec (spec.spec in a ResourceClaimTemplate)",
}
DEVICES_HINTS: Final[Mapping[str, str]] = {
    "deviceClassName": "put it under requests[].exactly",
    "selectors": "put it under requests[].exactly",
    "opaque": "put it in an entry of config",
}
REQUEST_HINTS: Final[Mapping[str, str]] = {
    "cel": "put it in an entry of selectors: selectors: [{cel: {expression: …}}]",
    "expression": "write selectors: [{cel: {expression: …}}]",
    "name": "put it beside exactly, in the request itself",
    "opaque": "put it in an entry of devices.config",
    "config": "put it under devices, beside requests",
    "constraints": "put it under devices, beside requests",
    "exactly": "write its fields directly here",
    "firstAvailable": "put it beside exactly, in place of it",
    "nodeSelector": "remove it: the pod's nodeSelector or the selectors choose",
}
ALTERNATIVE_HINTS: Final[Mapping[str, str]] = {
    **{k: v for k, v in REQUEST_HINTS.items() if k not in {"name", "firstAvailable"}},
    "adminAccess": "ask for it with exactly: alternatives have no adminAccess",
    "firstAvailable": "list all alternatives in one firstAvailable",
}
SELECTOR_HINTS: Final[Mapping[str, str]] = {
    "expression": "write cel: {expression: …}",
}
CEL_HINTS: Final[Mapping[str, str]] = {}
CONFIG_HINTS: Final[Mapping[str, str]] = {
    "driver": "put it under opaque",
    "parameters": "put it under opaque",
    "request": "write requests: [NAME]",
}
OPAQUE_HINTS: Final[Mapping[str, str]] = {
    "sharing": "put it under parameters, beside apiVersion and kind",
    "apiVersion": "put it under parameters",
    "kind": "put it under parameters",
    "requests": "put it beside opaque, in the entry of config",
}
