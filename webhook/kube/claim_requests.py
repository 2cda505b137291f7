"""Requests of a claim: both layouts, alternatives, and what the API server refuses in them.

Facts: kubernetes/pkg/apis/resource/validation/validation.go and the conversions and defaults of
v1beta1, 1.34 to 1.36. What depends on a feature gate (adminAccess, tolerations, capacity) is read
and not judged here.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, Literal

from webhook.kube import claim_fields as fields
from webhook.kube.formats import as_label, label_fault, subdomain_fault
from webhook.kube.names import nearest
from webhook.kube.reading import Reader, excerpt
from webhook.kube.types import EMPTY, DeviceRequest, Path, Request, SelectorSource, Toleration

_MODES = ("ExactCount", "All")
_PLAIN = re.compile(r"[A-Za-z][A-Za-z0-9./-]{0,79}")


def read_requests(
    devices: Mapping[str, Any], path: Path, version: str, reader: Reader
) -> tuple[Request, ...]:
    """Read `devices.requests`, with faults of layout, names and numbers."""
    found: list[Request] = []
    for place, item in reader.objects(devices, "requests", path, lambda _: _example(version)):
        found.append(_read_request(item, place, version, reader))
    check_limit(reader, (*path, "requests"), len(found), fields.MAX_REQUESTS, "requests")
    check_unique(reader, [(r.path, r.name) for r in found], "request of the claim")
    return tuple(found)


def _example(version: str) -> str:
    if version in fields.FLAT:
        return "write {name: gpu, deviceClassName: gpu.nvidia.com}"
    return "write {name: gpu, exactly: {deviceClassName: gpu.nvidia.com}}"


def check_limit(reader: Reader, path: Path, count: int, most: int, what: str) -> None:
    """Add a fault when a list is longer than the API server takes."""
    if count > most:
        reader.fault(
            "too-many",
            path,
            f"has more than {most} {what}",
            f"{count} {what}",
            f"keep at most {most}, and use further claims for the rest",
        )


def check_unique(reader: Reader, named: Iterable[tuple[Path, str]], what: str) -> None:
    """Add a fault for each name that an earlier entry has already."""
    seen: dict[str, Path] = {}
    for path, name in named:
        if not name:
            continue
        if name in seen:
            reader.fault(
                "invalid",
                (*path, "name"),
                f"repeats the name of another {what}",
                f'entries {seen[name][-1]} and {path[-1]} are both called "{name}"',
                f'write another name, e.g. "{name}-{path[-1]}"',
            )
        seen.setdefault(name, path)


def _read_request(item: Mapping[str, Any], path: Path, version: str, reader: Reader) -> Request:
    name = read_name(item, path, reader)
    if version in fields.FLAT:
        return _read_flat(item, path, version, name, reader)
    if version in fields.NESTED:
        return _read_nested(item, path, version, name, reader)
    # A version that nobody knows yet, or any more: both layouts are read, neither is judged.
    lenient = Reader()
    reads = _read_nested if "exactly" in item else _read_flat
    return reads(item, path, version, name, lenient)


def read_name(item: Mapping[str, Any], path: Path, reader: Reader) -> str:
    """Read the name of a request or alternative: required, a DNS label."""
    count = len(reader.faults)
    name = reader.text(item, "name", path)
    where = (*path, "name")
    if len(reader.faults) > count:
        return name
    if not name:
        reader.fault("required", where, "is required", "no name", "write name: gpu")
        return name
    wrong = label_fault(name)
    if wrong:
        better = as_label(name) or "gpu"
        reader.fault("invalid", where, wrong, excerpt(name), f"write name: {better}")
    return name


def _read_nested(
    item: Mapping[str, Any], path: Path, version: str, name: str, reader: Reader
) -> Request:
    strays = [field for field in fields.EXACT if item.get(field) is not None]
    if strays:
        inner = ", ".join(f"{field}: {_short(item[field])}" for field in strays)
        others = f" (also {', '.join(strays[1:])})" if len(strays) > 1 else ""
        reader.fault(
            "unknown-field",
            (*path, strays[0]),
            f"is not a field of a request in resource.k8s.io/{version}: it belongs under exactly"
            + others,
            f"the flat layout of v1beta1: {strays[0]} beside name",
            f"write {{name: {name or 'gpu'}, exactly: {{{inner}}}}}",
        )
    reader.unknown_fields(
        item,
        path,
        fields.NESTED_REQUEST,
        f"a request in resource.k8s.io/{version}",
        hints={k: v for k, v in fields.REQUEST_HINTS.items() if k != "exactly"},
        skip=fields.EXACT,
    )
    count = len(reader.faults)
    exactly = reader.mapping(item, "exactly", path)
    alternatives = _read_alternatives(item, path, version, name, reader)
    has_exactly = isinstance(item.get("exactly"), Mapping)
    if has_exactly and alternatives:
        _both(reader, path, "exactly")
    elif not has_exactly and not alternatives and not strays and len(reader.faults) == count:
        reader.fault(
            "required",
            path,
            "needs exactly one of exactly and firstAvailable",
            "neither",
            f"write {{name: {name or 'gpu'}, exactly: {{deviceClassName: gpu.nvidia.com}}}}",
        )
    single: DeviceRequest | None = None
    if has_exactly:
        what = f"a device request (exactly) in resource.k8s.io/{version}"
        place = (*path, "exactly")
        reader.unknown_fields(exactly, place, fields.EXACT, what, hints=fields.REQUEST_HINTS)
        single = _read_device_request(exactly, place, name, reader)
    elif strays and not alternatives:
        # Reading on in the wrong layout lets other rules speak in the same answer.
        single = _read_device_request(item, path, name, reader)
    return Request(name=name, path=path, exactly=single, alternatives=alternatives)


def _short(value: object) -> str:
    """Show a field's value inside a corrected form, long ones as an ellipsis."""
    if isinstance(value, Mapping):
        return "{…}"
    if isinstance(value, list | tuple):
        return "[…]"
    plain = isinstance(value, str) and _PLAIN.fullmatch(value) is not None
    return str(value) if plain else excerpt(value)


def _both(reader: Reader, path: Path, other: str) -> None:
    reader.fault(
        "invalid",
        path,
        f"must have only one of {other} and firstAvailable",
        "both",
        f"keep {other} for one kind of device, or firstAvailable with all alternatives in it",
    )


def _read_flat(
    item: Mapping[str, Any], path: Path, version: str, name: str, reader: Reader
) -> Request:
    layout = f"a request in resource.k8s.io/{version}"
    wrapped = item.get("exactly")
    if wrapped is not None:
        inner = wrapped if isinstance(wrapped, Mapping) else EMPTY
        shown = ", ".join(f"{k}: {_short(inner[k])}" for k in fields.EXACT if k in inner)
        reader.fault(
            "unknown-field",
            (*path, "exactly"),
            f"is not a field of {layout}, whose requests are flat",
            "the layout of v1 and v1beta2",
            f"write {{name: {name or 'gpu'}, {shown or 'deviceClassName: gpu.nvidia.com'}}}, or "
            "apiVersion: resource.k8s.io/v1",
        )
    reader.unknown_fields(
        item, path, fields.FLAT_REQUEST, layout, hints=fields.REQUEST_HINTS, skip=("exactly",)
    )
    alternatives = _read_alternatives(item, path, version, name, reader)
    own = any(item.get(field) not in (None, "", 0, [], {}) for field in fields.EXACT)
    single: DeviceRequest | None = None
    if alternatives and own:
        _both(reader, path, "the request's own fields")
    elif isinstance(wrapped, Mapping) and not own:
        single = _read_device_request(wrapped, (*path, "exactly"), name, reader)
    elif not alternatives:
        single = _read_device_request(item, path, name, reader)
    return Request(name=name, path=path, exactly=single, alternatives=alternatives)


def _read_alternatives(
    item: Mapping[str, Any], path: Path, version: str, name: str, reader: Reader
) -> tuple[DeviceRequest, ...]:
    found: list[tuple[str, DeviceRequest]] = []
    what = f"an alternative (firstAvailable) in resource.k8s.io/{version}"
    example = "write {name: first, deviceClassName: gpu.nvidia.com}"
    for place, inner in reader.objects(item, "firstAvailable", path, lambda _: example):
        own_name = read_name(inner, place, reader)
        reader.unknown_fields(
            inner, place, fields.ALTERNATIVE, what, hints=fields.ALTERNATIVE_HINTS
        )
        full = f"{name}/{own_name}"
        found.append((own_name, _read_device_request(inner, place, full, reader)))
    where = (*path, "firstAvailable")
    check_limit(reader, where, len(found), fields.MAX_ALTERNATIVES, "alternatives")
    check_unique(reader, [(r.path, own) for own, r in found], "alternative of the request")
    return tuple(request for _, request in found)


def _read_device_request(
    item: Mapping[str, Any], path: Path, name: str, reader: Reader
) -> DeviceRequest:
    mode, count = _read_amount(item, path, reader)
    return DeviceRequest(
        name=name,
        path=path,
        device_class=_read_class(item, path, reader),
        selectors=read_selectors(item, path, reader),
        mode=mode,
        count=count,
        admin_access=reader.boolean(item, "adminAccess", path),
        tolerations=_read_tolerations(item, path, reader),
        capacity_requests=_read_capacity(item, path, reader),
    )


def _read_class(item: Mapping[str, Any], path: Path, reader: Reader) -> str:
    count = len(reader.faults)
    name = reader.text(item, "deviceClassName", path)
    where = (*path, "deviceClassName")
    if len(reader.faults) > count:
        return name
    if not name:
        near = nearest("deviceClassName", [f for f in item if f not in fields.EXACT], 1)
        seen = f"no deviceClassName, but {near[0]}" if near else "no deviceClassName"
        fix = "write deviceClassName: gpu.nvidia.com (or mig.nvidia.com, or a class of your own)"
        reader.fault("required", where, "is required", seen, fix)
    elif subdomain_fault(name):
        better = name.lower().replace("_", "-")
        fix = f"write {better}" if not subdomain_fault(better) else "write the class's name"
        reader.fault("invalid", where, subdomain_fault(name), excerpt(name), fix)
    return name


def _read_amount(
    item: Mapping[str, Any], path: Path, reader: Reader
) -> tuple[Literal["ExactCount", "All"], int]:
    """Read allocationMode and count; absent, null and 0 mean one device (defaults of v1)."""
    mode = reader.text(item, "allocationMode", path)
    count = reader.integer(item, "count", path)
    where = (*path, "count")
    if mode and mode not in _MODES:
        folded = {known.casefold(): known for known in _MODES}
        near = folded.get(mode.casefold()) or next(iter(nearest(mode, _MODES, 1)), "")
        fix = f"write {near}" if near else "write ExactCount or All"
        reader.fault(
            "invalid",
            (*path, "allocationMode"),
            "must be ExactCount or All",
            excerpt(mode),
            fix,
        )
    if mode == "All":
        if count:
            reader.fault(
                "invalid",
                where,
                "must not be given when allocationMode is All",
                f"count: {count}",
                f"leave count out, or write allocationMode: ExactCount for {max(count, 1)}",
            )
        return "All", 1
    if count is not None and count < 0:
        fix = f"write count: {-count if count > -100 else 1}"
        reader.fault("invalid", where, "must be greater than zero", f"count: {count}", fix)
        return "ExactCount", 1
    return "ExactCount", count or 1


def read_selectors(
    holder: Mapping[str, Any], path: Path, reader: Reader
) -> tuple[SelectorSource, ...]:
    """Read `selectors` of a request or a class; those without an expression are faults."""
    found: list[SelectorSource] = []
    number = 0
    for place, item in reader.objects(holder, "selectors", path, _selector_fix):
        number += 1
        source = _read_selector(item, place, reader)
        if source is not None:
            found.append(source)
    check_limit(reader, (*path, "selectors"), number, fields.MAX_SELECTORS, "selectors")
    return tuple(found)


def _selector_fix(item: object) -> str:
    shown = excerpt(item) if isinstance(item, str) else "…"
    return f"write {{cel: {{expression: {shown}}}}}"


def _read_selector(item: Mapping[str, Any], path: Path, reader: Reader) -> SelectorSource | None:
    stray = item.get("expression")
    if stray is not None and item.get("cel") in (None, {}):
        reader.fault(
            "unknown-field",
            (*path, "expression"),
            "stands beside cel and not under it: cel is empty, and the expression is no field here",
            f"expression: {excerpt(stray)}",
            f"indent expression under cel: {{cel: {{expression: {_short(stray)}}}}}",
        )
        return None
    reader.unknown_fields(item, path, ("cel",), "a selector", hints=fields.SELECTOR_HINTS)
    where = (*path, "cel")
    raw = item.get("cel")
    if raw is None:
        fix = 'write cel: {expression: device.driver == "gpu.nvidia.com"}'
        reader.fault("required", where, "is required", "no cel", fix)
        return None
    cel = reader.as_mapping(raw, where, f"write cel: {{expression: {_short(raw)}}}")
    if not isinstance(raw, Mapping):
        return None
    reader.unknown_fields(cel, where, ("expression",), "cel", hints=fields.CEL_HINTS)
    count = len(reader.faults)
    expression = reader.text(cel, "expression", where)
    if len(reader.faults) > count:
        return None
    if cel.get("expression") is None:
        fix = 'write expression: device.driver == "gpu.nvidia.com"'
        reader.fault("required", (*where, "expression"), "is required", "no expression", fix)
        return None
    return SelectorSource(path=(*where, "expression"), expression=expression)


def _read_tolerations(
    item: Mapping[str, Any], path: Path, reader: Reader
) -> tuple[Toleration, ...]:
    found: list[Toleration] = []
    for place, inner in reader.objects(item, "tolerations", path):
        reader.unknown_fields(inner, place, fields.TOLERATION, "a device toleration")
        reader.integer(inner, "tolerationSeconds", place)
        found.append(
            Toleration(
                key=reader.text(inner, "key", place),
                operator=reader.text(inner, "operator", place),
                value=reader.text(inner, "value", place),
                effect=reader.text(inner, "effect", place),
            )
        )
    return tuple(found)


def _read_capacity(item: Mapping[str, Any], path: Path, reader: Reader) -> Mapping[str, str]:
    """Read `capacity.requests`: quantities, which may be written as bare numbers too."""
    if item.get("capacity") is None:
        return EMPTY
    capacity = reader.mapping(item, "capacity", path)
    where = (*path, "capacity")
    reader.unknown_fields(
        capacity,
        where,
        ("requests",),
        "capacity",
        hints={name: f"put it under requests: {{requests: {{{name}: …}}}}" for name in capacity},
    )
    return read_quantities(capacity, "requests", where, reader)


def read_quantities(
    holder: Mapping[str, Any], key: str, path: Path, reader: Reader
) -> Mapping[str, str]:
    """Read an object of quantities as text; numbers count, other types are faults."""
    found: dict[str, str] = {}
    for name, value in reader.mapping(holder, key, path).items():
        if isinstance(value, str):
            found[name] = value
        elif isinstance(value, int | float) and not isinstance(value, bool):
            found[name] = excerpt(value)
        elif value is None:
            found[name] = "0"
        else:
            reader.fault(
                "wrong-type", (*path, key, name), "must be a quantity", excerpt(value), "write 1Gi"
            )
    return found
