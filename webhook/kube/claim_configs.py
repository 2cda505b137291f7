"""Constraints and opaque configuration of a claim, and what the API server refuses in them.

Facts: kubernetes/pkg/apis/resource/validation/validation.go 1.34 to 1.36.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from webhook.kube import claim_fields as fields
from webhook.kube.claim_requests import check_limit
from webhook.kube.formats import driver_fault, qualified_fault
from webhook.kube.json import JsonError, dumps
from webhook.kube.names import nearest
from webhook.kube.reading import Reader, excerpt
from webhook.kube.types import Constraint, OpaqueConfig, Path, Request

_MOST_LISTED = 8


def read_constraints(
    devices: Mapping[str, Any], path: Path, requests: tuple[Request, ...], reader: Reader
) -> tuple[Constraint, ...]:
    """Read `devices.constraints`."""
    found: list[Constraint] = []
    for place, item in reader.objects(devices, "constraints", path, lambda _: _constraint_fix()):
        reader.unknown_fields(item, place, fields.CONSTRAINT, "a constraint")
        count = len(reader.faults)
        constraint = Constraint(
            path=place,
            requests=_read_references(item, place, requests, reader),
            match_attribute=_read_attribute(item, "matchAttribute", place, reader),
            distinct_attribute=_read_attribute(item, "distinctAttribute", place, reader),
        )
        found.append(constraint)
        neither = item.get("matchAttribute") is None and item.get("distinctAttribute") is None
        if neither and len(reader.faults) == count:
            where = (*place, "matchAttribute")
            reader.fault("required", where, "is required", "no attribute", _constraint_fix())
    check_limit(reader, (*path, "constraints"), len(found), fields.MAX_CONSTRAINTS, "constraints")
    return tuple(found)


def _constraint_fix() -> str:
    return (
        "write matchAttribute: resource.kubernetes.io/pcieRoot, or another attribute as DOMAIN/NAME"
    )


def _read_attribute(item: Mapping[str, Any], key: str, path: Path, reader: Reader) -> str:
    count = len(reader.faults)
    name = reader.text(item, key, path)
    if item.get(key) is None or len(reader.faults) > count:
        return name
    wrong = qualified_fault(name)
    if wrong:
        better = f'"gpu.nvidia.com/{name}"' if name and "/" not in name else "DOMAIN/NAME"
        reader.fault("invalid", (*path, key), wrong, excerpt(name), f"write {better}")
    return name


def read_configs(
    devices: Mapping[str, Any], path: Path, requests: tuple[Request, ...], reader: Reader
) -> tuple[OpaqueConfig, ...]:
    """Read `devices.config`; entries without an `opaque` object are faults and left out."""
    found: list[OpaqueConfig] = []
    number = 0
    for place, item in reader.objects(devices, "config", path):
        number += 1
        reader.unknown_fields(
            item, place, fields.CONFIG, "an entry of config", hints=fields.CONFIG_HINTS
        )
        names = _read_references(item, place, requests, reader)
        config = read_opaque(item, place, names, reader)
        if config is not None:
            found.append(config)
    check_limit(reader, (*path, "config"), number, fields.MAX_CONFIGS, "configurations")
    return tuple(found)


def read_opaque(
    item: Mapping[str, Any], path: Path, names: tuple[str, ...], reader: Reader
) -> OpaqueConfig | None:
    """Read the `opaque` of one config entry, of a claim or a class; None when there is none."""
    where = (*path, "opaque")
    raw = item.get("opaque")
    if not isinstance(raw, Mapping):
        if raw is None:
            fix = "write opaque: {driver: gpu.nvidia.com, parameters: {…}}"
            reader.fault("required", where, "is required", "no opaque", fix)
        else:
            reader.as_mapping(raw, where)
        return None
    reader.unknown_fields(raw, where, fields.OPAQUE, "opaque", hints=fields.OPAQUE_HINTS)
    driver = _read_driver(raw, where, reader)
    parameters = raw.get("parameters")
    _check_parameters(parameters, (*where, "parameters"), reader)
    return OpaqueConfig(
        path=path,
        driver=driver,
        parameters=parameters,
        requests=names,
        has_parameters=parameters is not None,
    )


def _read_driver(raw: Mapping[str, Any], path: Path, reader: Reader) -> str:
    count = len(reader.faults)
    driver = reader.text(raw, "driver", path)
    where = (*path, "driver")
    if len(reader.faults) > count:
        return driver
    if not driver:
        reader.fault("required", where, "is required", "no driver", "write driver: gpu.nvidia.com")
    elif driver_fault(driver):
        fix = "write the driver's name, such as gpu.nvidia.com"
        reader.fault("invalid", where, driver_fault(driver), excerpt(driver), fix)
    return driver


def _check_parameters(parameters: object, path: Path, reader: Reader) -> None:
    """Check what the API server itself asks of parameters: an object of at most 10 KiB."""
    example = (
        "write an object with apiVersion and kind, such as resource.nvidia.com/v1beta1 and "
        "GpuConfig"
    )
    if parameters is None:
        reader.fault("required", path, "is required", "no parameters", example)
    elif not isinstance(parameters, Mapping):
        reader.fault("wrong-type", path, "must be an object", excerpt(parameters), example)
    else:
        try:
            size = len(dumps(parameters))
        except JsonError:
            return
        if size > fields.MAX_PARAMETERS_BYTES:
            reader.fault(
                "too-many",
                path,
                f"must be at most {fields.MAX_PARAMETERS_BYTES} bytes of JSON",
                f"{size} bytes",
                "shorten the parameters",
            )


def _read_references(
    item: Mapping[str, Any], path: Path, requests: tuple[Request, ...], reader: Reader
) -> tuple[str, ...]:
    """Read `requests` of a constraint or configuration; names must be those of the claim.

    A name is that of a request, or `request/alternative`. Wrong ones have kind `invalid` and the
    path of the name itself; a name given twice has kind `forbidden`.
    """
    names = reader.texts(item, "requests", path)
    known = {request.name for request in requests if request.name}
    known |= {choice.name for r in requests for choice in r.alternatives}
    seen: set[str] = set()
    raw = item.get("requests")
    for index, name in enumerate(names):
        where = (*path, "requests", index)
        if not name and isinstance(raw, list) and raw[index] not in ("", None):
            continue
        if name in seen:
            reader.fault(
                "forbidden",
                where,
                "repeats a name of the same list",
                excerpt(name),
                "keep it once",
            )
        elif name not in known:
            reader.fault(
                "invalid",
                where,
                "names no request of the claim",
                _seen(name, known),
                _reference_fix(name, known),
            )
        seen.add(name)
    check_limit(reader, (*path, "requests"), len(names), fields.MAX_REQUESTS, "requests")
    return names


def _seen(name: str, known: set[str]) -> str:
    listed = sorted(known)
    shown = ", ".join(f'"{one}"' for one in listed[:_MOST_LISTED]) or "none"
    more = f" and {len(listed) - _MOST_LISTED} more" if len(listed) > _MOST_LISTED else ""
    return f"{excerpt(name)}; the requests are {shown}{more}"


def _reference_fix(name: str, known: set[str]) -> str:
    near = nearest(name, sorted(known), 1)
    if near:
        return f'write "{near[0]}"'
    if len(known) == 1:
        return f'write "{next(iter(known))}", or leave requests out: it then holds for all'
    return "write one of these, or leave requests out: it then holds for all"
