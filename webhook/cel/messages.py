"""Protobuf's well-known messages as values: wrappers, times, structures.

Source: cel-go 0.26 `common/types/provider.go` (`NewValue`) and protobuf's definitions.
"""

from __future__ import annotations

from typing import Any, Final

from webhook.cel.instants import Instant
from webhook.cel.values import CelError, Duration, MapValue, UInt

_WRAPPERS: Final[dict[str, Any]] = {
    "BoolValue": False,
    "BytesValue": b"",
    "DoubleValue": 0.0,
    "FloatValue": 0.0,
    "Int32Value": 0,
    "Int64Value": 0,
    "StringValue": "",
    "UInt32Value": UInt(0),
    "UInt64Value": UInt(0),
}


def build_message(name: str, fields: dict[str, Any]) -> Any:
    """Return the CEL value of a message literal; CelError if it cannot be built."""
    short = name.removeprefix("google.protobuf.")
    if short in _WRAPPERS:
        value = fields.get("value")
        return _WRAPPERS[short] if value is None else value
    if short == "Duration":
        return Duration(int(fields.get("seconds") or 0) * 10**9 + int(fields.get("nanos") or 0))
    if short == "Timestamp":
        return Instant(int(fields.get("seconds") or 0), int(fields.get("nanos") or 0), 0)
    if short == "Struct":
        return fields.get("fields") or MapValue()
    if short == "ListValue":
        return fields.get("values") or ()
    if short == "Value":
        return next(iter(fields.values()), None)
    if name == short:
        raise CelError(f"unknown type '{name}'")
    raise CelError("unsupported conversion to ref.Val: (*dynamicpb.Message)")
