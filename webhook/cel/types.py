"""Static types of the Kubernetes DRA dialect of CEL, and their two spellings.

The checker's messages and the result type message spell some types differently
(cel-go 0.26 `types.Type.String` against `cel.FormatCELType`); both are here so that no other
module formats a type.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Type:
    """One CEL type: a kind, a name where the kind needs one, and its parameters.

    `kind` is one of: int uint double bool string bytes null timestamp duration dyn any error
    list map type optional wrapper opaque object param. `name` is set for opaque (net.IP),
    object (kubernetes.DRADevice, kubernetes.Quantity) and param (A, B, T).
    """

    kind: str
    name: str = ""
    params: tuple[Type, ...] = ()

    def __str__(self) -> str:
        return checker_name(self)


INT: Final = Type("int")
UINT: Final = Type("uint")
DOUBLE: Final = Type("double")
BOOL: Final = Type("bool")
STRING: Final = Type("string")
BYTES: Final = Type("bytes")
NULL: Final = Type("null")
TIMESTAMP: Final = Type("timestamp")
DURATION: Final = Type("duration")
DYN: Final = Type("dyn")
ANY: Final = Type("any")
ERROR: Final = Type("error")

DEVICE: Final = Type("object", "kubernetes.DRADevice")
QUANTITY: Final = Type("object", "kubernetes.Quantity")
SEMVER: Final = Type("object", "kubernetes.Semver")
URL: Final = Type("object", "kubernetes.URL")
NAMED_FORMAT: Final = Type("object", "kubernetes.NamedFormat")
IP: Final = Type("opaque", "net.IP")
CIDR: Final = Type("opaque", "net.CIDR")


def list_of(element: Type) -> Type:
    """Return list(element)."""
    return Type("list", "", (element,))


def map_of(key: Type, value: Type) -> Type:
    """Return map(key, value)."""
    return Type("map", "", (key, value))


def type_of(inner: Type) -> Type:
    """Return type(inner), the type of a type value."""
    return Type("type", "", (inner,))


def optional_of(inner: Type) -> Type:
    """Return optional_type(inner)."""
    return Type("optional", "", (inner,))


def wrapper_of(inner: Type) -> Type:
    """Return wrapper(inner), google.protobuf.Int64Value and the like."""
    return Type("wrapper", "", (inner,))


def param(name: str) -> Type:
    """Return the type parameter `name` of an overload's signature."""
    return Type("param", name)


_SIMPLE_OUTPUT: Final = {
    "any": "google.protobuf.Any",
    "null": "null_type",
    "timestamp": "google.protobuf.Timestamp",
    "duration": "google.protobuf.Duration",
}


def checker_name(t: Type) -> str:
    """Spell a type as the checker's messages do, e.g. `map(string, any)`."""
    return _spell(t, {})


def output_name(t: Type) -> str:
    """Spell a type as the result type message does, e.g. `google.protobuf.Any`."""
    return _spell(t, _SIMPLE_OUTPUT)


def _spell(t: Type, simple: dict[str, str]) -> str:
    if t.kind in {"opaque", "object", "param"}:
        base = t.name
    elif t.kind == "optional":
        base = "optional_type"
    elif t.kind == "error":
        base = "!error!"
    else:
        base = simple.get(t.kind, t.kind)
    if t.params:
        return f"{base}({', '.join(_spell(p, simple) for p in t.params)})"
    return base
