"""Names that are declared without a function: the variable `device`, types as values, messages.

Source: cel-go 0.26 `common/stdlib/standard.go` (`Types`), `common/types/provider.go`, kubernetes
apiserver `pkg/cel/types.go` (`findScalar`) and `pkg/cel/library/{ip,cidr}.go`,
dynamic-resource-allocation `cel/compile.go`; 1.34 to 1.37.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from webhook.cel.dialect import Dialect
from webhook.cel.types import (
    ANY,
    BOOL,
    BYTES,
    CIDR,
    DEVICE,
    DOUBLE,
    DURATION,
    DYN,
    INT,
    IP,
    NULL,
    QUANTITY,
    STRING,
    TIMESTAMP,
    UINT,
    Type,
    list_of,
    map_of,
    param,
    type_of,
    wrapper_of,
)

_LIST_TYPES_FOR_ALL: Final = 37
"""From 1.37 on, stored expressions see attributes as dyn, whatever the gate."""

_PROTOBUF: Final = "google.protobuf."
_STRUCT: Final = map_of(STRING, DYN)
_MESSAGES: Final[dict[str, tuple[Type, dict[str, Type]]]] = {
    "Any": (ANY, {"type_url": STRING, "value": BYTES}),
    "BoolValue": (wrapper_of(BOOL), {"value": BOOL}),
    "BytesValue": (wrapper_of(BYTES), {"value": BYTES}),
    "DoubleValue": (wrapper_of(DOUBLE), {"value": DOUBLE}),
    "Duration": (DURATION, {"seconds": INT, "nanos": INT}),
    "Empty": (Type("object", "google.protobuf.Empty"), {}),
    "FloatValue": (wrapper_of(DOUBLE), {"value": DOUBLE}),
    "Int32Value": (wrapper_of(INT), {"value": INT}),
    "Int64Value": (wrapper_of(INT), {"value": INT}),
    "ListValue": (list_of(DYN), {"values": list_of(DYN)}),
    "StringValue": (wrapper_of(STRING), {"value": STRING}),
    "Struct": (_STRUCT, {"fields": _STRUCT}),
    "Timestamp": (TIMESTAMP, {"seconds": INT, "nanos": INT}),
    "UInt32Value": (wrapper_of(UINT), {"value": UINT}),
    "UInt64Value": (wrapper_of(UINT), {"value": UINT}),
    "Value": (
        DYN,
        {
            "null_value": INT,
            "number_value": DOUBLE,
            "string_value": STRING,
            "bool_value": BOOL,
            "struct_value": _STRUCT,
            "list_value": list_of(DYN),
        },
    ),
}
# Messages share fields with the first one of their type: cel-go looks them up by that name.
_FIELDS: Final[Mapping[Type, Mapping[str, Type]]] = MappingProxyType(
    {kind: MappingProxyType(fields) for kind, fields in _MESSAGES.values()}
)

TYPE_VALUES: Final[Mapping[str, Type]] = MappingProxyType(
    {
        "bool": BOOL,
        "bytes": BYTES,
        "double": DOUBLE,
        "int": INT,
        "list": list_of(param("A")),
        "map": map_of(param("A"), param("B")),
        "null_type": NULL,
        "string": STRING,
        "type": Type("type"),
        "uint": UINT,
        "google.protobuf.Duration": DURATION,
        "google.protobuf.Empty": Type("object", "google.protobuf.Empty"),
        "google.protobuf.Timestamp": TIMESTAMP,
        "optional_type": Type("optional"),
        "net.IP": IP,
        "net.CIDR": CIDR,
    }
)
"""Type names that are also values at run time."""

_CHECKED_ONLY: Final[Mapping[str, Type]] = MappingProxyType(
    {
        "duration": DURATION,
        "timestamp": TIMESTAMP,
        **{_PROTOBUF + name: kind for name, (kind, _) in _MESSAGES.items()},
    }
)
"""Type names that check, and then fail the program with `reference to undefined type`."""

_CONSTANTS: Final = frozenset({"google.protobuf.NullValue.NULL_VALUE"})
"""The values of enumerations: constants of type int."""


@dataclass(frozen=True, slots=True, eq=False)
class Names:
    """What one dialect declares: names with their types, and the fields of the device."""

    idents: Mapping[str, Type]
    device_fields: Mapping[str, Type]

    def fields_of(self, kind: Type) -> Mapping[str, Type] | None:
        """Return the fields of an object or message; None if nothing is known about it."""
        if any(inner.params for inner in kind.params):
            return None  # no message is so deep; and deep types are slow to hash
        return self.device_fields if kind == DEVICE else _FIELDS.get(kind)


def names(dialect: Dialect) -> Names:
    """Return the names of a dialect."""
    fields = _device_fields(dialect)
    inner = {f"{DEVICE.name}.{field}": fields[field] for field in ("attributes", "capacity")}
    types = {**_CHECKED_ONLY, **TYPE_VALUES, DEVICE.name: DEVICE, **inner}
    idents = {name: type_of(kind) for name, kind in types.items()}
    idents["type"] = type_of(Type("type"))
    idents.update(dict.fromkeys(_CONSTANTS, INT))
    idents["device"] = DEVICE
    return Names(MappingProxyType(idents), MappingProxyType(fields))


def attribute_type(dialect: Dialect) -> Type:
    """Return the type of an attribute's value: any, or dyn where it may be a list."""
    stored_as_dyn = dialect.stored and dialect.minor >= _LIST_TYPES_FOR_ALL
    return DYN if dialect.list_type_attributes or stored_as_dyn else ANY


def _device_fields(dialect: Dialect) -> dict[str, Type]:
    attribute = attribute_type(dialect)
    fields = {
        "driver": STRING,
        "attributes": map_of(STRING, map_of(STRING, attribute)),
        "capacity": map_of(STRING, map_of(STRING, QUANTITY)),
    }
    if dialect.stored or dialect.consumable_capacity:
        fields["allowMultipleAllocations"] = BOOL
    return fields
