"""The variable `device`, as the scheduler builds it for every evaluation.

Source: kubernetes/dynamic-resource-allocation cel/compile.go 1.36, `DeviceMatches`.
"""

from __future__ import annotations

from typing import Any, Final

from webhook.cel import quantity, semver
from webhook.cel.device import Attribute, Device
from webhook.cel.dialect import Dialect
from webhook.cel.values import CelError, MapValue

_EMPTY: Final = MapValue(native=True)
_LISTS_FOR_ALL: Final = 37
"""From 1.37 on list attributes are converted whatever the gate."""


def bind(device: Device, dialect: Dialect) -> MapValue | CelError:
    """Return the value of `device`, or the error that fails it for every expression."""
    lists = dialect.list_type_attributes or dialect.minor >= _LISTS_FOR_ALL
    key = ("binding", lists)
    found = device.cache.get(key)
    if found is None:
        try:
            found = _bind(device, lists=lists)
        except CelError as error:
            found = error
        if isinstance(found, CelError) or not _has_big_quantity(found):
            # `add` changes big decimals in place, so they are made anew for every evaluation.
            device.cache[key] = found
    assert isinstance(found, MapValue | CelError)  # noqa: S101 - this module alone puts it there
    return found


def _bind(device: Device, *, lists: bool) -> MapValue:
    attributes: dict[Any, Any] = {}
    for name, attribute in device.attributes.items():
        try:
            value = _value(attribute, lists=lists)
        except semver.SemverError as error:
            raise CelError(f"attribute {name}: parse semantic version: {error}") from error
        if value is None:
            raise CelError(f"attribute {name}: unsupported attribute value")
        _put(attributes, name, device.driver, value)
    capacity: dict[Any, Any] = {}
    for name, text in device.capacity.items():
        try:
            _put(capacity, name, device.driver, quantity.parse(text))
        except quantity.QuantityError as error:
            raise CelError(f"capacity {name}: {error}") from error
    return MapValue(
        {
            "driver": device.driver,
            "allowMultipleAllocations": device.allow_multiple_allocations,
            "attributes": MapValue(attributes, _EMPTY, native=True),
            "capacity": MapValue(capacity, _EMPTY, native=True),
        },
        native=True,
    )


def _has_big_quantity(bound: MapValue) -> bool:
    return any(
        value.is_big
        for domain in bound.entries["capacity"].entries.values()
        for value in domain.entries.values()
    )


def _put(domains: dict[Any, Any], name: str, driver: str, value: Any) -> None:
    domain, slash, rest = name.partition("/")
    if not slash:
        domain, rest = driver, name
    domains.setdefault(domain, MapValue(native=True)).entries[rest] = value


def _value(attribute: Attribute, *, lists: bool) -> Any:
    """Return the CEL value; None for a kind that is not known or not enabled."""
    kind, value = attribute.kind, attribute.value
    if kind[-1:] == "s" and lists:
        items = value if isinstance(value, tuple) else (None,)
        scalars = tuple(_scalar(kind[:-1], item) for item in items)
        return None if None in scalars else scalars
    return _scalar(kind, value)


def _scalar(kind: str, value: Any) -> Any:
    """Return one value, None where the API's decoder would have refused its type."""
    match kind:
        case "int" if type(value) is int and -(2**63) <= value < 2**63:
            return value
        case "bool" if isinstance(value, bool):
            return value
        case "string" if isinstance(value, str):
            return value
        case "version" if isinstance(value, str):
            return semver.parse(value)
        case _:
            return None
