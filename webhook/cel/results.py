"""The result of a selector as a bool.

Source: dynamic-resource-allocation cel/compile.go 1.36 and cel-go 0.26 `ConvertToNative`.
"""

from __future__ import annotations

from typing import Any, Final

from webhook.cel.values import CelError, OptionalValue, type_name

_REASONS: Final = {
    "int": "unsupported type conversion from 'int' to bool",
    "uint": "unsupported type conversion from 'uint' to bool",
    "double": "type conversion error from Double to 'bool'",
    "string": "unsupported native conversion from string to 'bool'",
    "bytes": "type conversion error from Bytes to 'bool'",
    "list": "type conversion error from list to 'bool'",
    "map": "type conversion error from map to 'bool'",
    "null_type": "type conversion error from 'null_type' to 'bool'",
    "google.protobuf.Timestamp": "type conversion error from 'Timestamp' to 'bool'",
    "google.protobuf.Duration": "type conversion error from 'Duration' to 'bool'",
    "kubernetes.Quantity": "type conversion error from 'Quantity' to 'bool'",
    "kubernetes.Semver": "type conversion error from 'Semver' to 'bool'",
    "kubernetes.URL": "type conversion error from 'URL' to 'bool'",
    "kubernetes.NamedFormat": "type conversion error from 'Format' to 'bool'",
    "net.IP": "type conversion error from 'IP' to 'bool'",
    "net.CIDR": "type conversion error from 'CIDR' to 'bool'",
    "type": "type conversion error from 'type' to 'bool'",
}


def to_bool(value: Any) -> bool:
    """Return the bool that a result is; CelError otherwise."""
    if type(value) is bool:
        return value
    inner = value
    while type(inner) is OptionalValue:
        if not inner.present:
            reason = "optional.none() dereference"
            break
        inner = inner.content
    else:
        if type(inner) is bool:
            return inner
        reason = _REASONS[type_name(inner)]
    raise CelError(
        f"CEL result of type {type_name(value)} could not be converted to bool: {reason}"
    )
