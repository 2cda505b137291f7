"""Opaque parameters as the driver decodes and validates them, with every fault in one pass.

The driver stops at the first fault; here all are collected that stay true once the others are
mended, earlier causes first: unreadable before kind before fields and types before values before
gates. Order and strictness: `Decoder`, `Normalize`, `Validate` of dra-driver-nvidia-gpu (tried on
about 140 inputs at v25.8.1 to main of August 2026). Knows no hardware.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from webhook.kube.json import dumps
from webhook.kube.names import nearest
from webhook.kube.types import Duplicate, Path
from webhook.nvidia.gates import is_at_least
from webhook.nvidia.kinds import API_VERSION, KINDS, Field, Kind, kind_for_type, kinds_for
from webhook.nvidia.quantities import quantity_fault
from webhook.nvidia.sharing import sharing_faults
from webhook.nvidia.types import DriverState, ParameterFault, Parameters

MAX_SHOWN: Final = 80
INT_LIMIT: Final = 2**63


@dataclass(frozen=True, slots=True)
class Decoding:
    """How one parameters object came here, and which driver judges it."""

    driver: str
    state: DriverState
    from_file: bool = False
    duplicates: tuple[Duplicate, ...] = ()
    """Keys that stand twice, with paths below the parameters object."""
    explicit: bool = True
    """Whether the configuration names its requests."""


def shown(value: object) -> str:
    """Write a value as JSON, shortened."""
    text = dumps(value).decode("utf-8", "replace")
    return text if len(text) <= MAX_SHOWN else text[: MAX_SHOWN - 1] + "…"


def decode(parameters: Any, how: Decoding) -> Parameters:
    """Decode one parameters value; never raises."""
    if not isinstance(parameters, Mapping):
        return Parameters(
            "", "", faults=(_unreadable((), "is no object", f"the value {shown(parameters)}"),)
        )
    faults = list(_header_faults(parameters, how))
    api_version = parameters.get("apiVersion")
    name = parameters.get("kind")
    if faults:
        return Parameters(
            name if isinstance(name, str) else "",
            api_version if isinstance(api_version, str) else "",
            parameters,
            tuple(faults),
        )
    assert isinstance(name, str)  # noqa: S101 - _header_faults said so
    assert isinstance(api_version, str)  # noqa: S101
    kind = KINDS[name]
    if kind.driver != how.driver:
        return Parameters(name, api_version, parameters, tuple(_not_a_config(kind, how)))
    faults += _field_faults(parameters, kind.fields, (), how, top=True)
    faults += _duplicate_faults(how)
    if any(fault.action == "deny" and fault.rule == "cfg-wrong-type" for fault in faults):
        # A type error leaves nothing to validate at that place; the rest is still judged.
        wrong: set[Path] = {fault.path for fault in faults if fault.rule == "cfg-wrong-type"}
    else:
        wrong = set()
    strategy = ""
    if "sharing" in kind.fields and ("sharing",) not in wrong:
        sharing = parameters.get("sharing")
        if isinstance(sharing, Mapping):
            given = sharing.get("strategy")
            strategy = given if isinstance(given, str) else ""
            faults += [
                fault
                for fault in sharing_faults(sharing, kind, how.state)
                if fault.path not in wrong
            ]
    if "domainID" in kind.fields and ("domainID",) not in wrong and not parameters.get("domainID"):
        faults.append(
            ParameterFault(
                "cd-no-domain",
                "deny",
                ("domainID",),
                "names no ComputeDomain",
                f"domainID is {shown(parameters.get('domainID'))}"
                if "domainID" in parameters
                else "no domainID",
                "set domainID to the UID of a ComputeDomain of the claim's namespace",
            )
        )
    return Parameters(name, api_version, parameters, tuple(faults), strategy, kind.device_type)


def _unreadable(path: Path, what: str, seen: str) -> ParameterFault:
    return ParameterFault(
        "cfg-unreadable",
        "deny",
        path,
        what,
        seen,
        f"write an object with apiVersion: {API_VERSION} and a kind such as GpuConfig",
    )


def _header_faults(parameters: Mapping[str, Any], how: Decoding) -> Iterator[ParameterFault]:
    """Judge `apiVersion` and `kind`: there, text, and known to this driver."""
    missing = False
    for key, usual in (("apiVersion", API_VERSION), ("kind", _usual_kind(how.driver))):
        value = parameters.get(key)
        if value is None or value == "":
            missing = True
            given = (
                "null"
                if key in parameters and value is None
                else "empty"
                if key in parameters
                else ""
            )
            yield ParameterFault(
                "cfg-unreadable",
                "deny",
                (key,),
                f"is {given or 'missing'}: the driver cannot tell what this is",
                f"keys {', '.join(sorted(map(str, parameters))[:6]) or 'none'}",
                f"write {key}: {usual}",
            )
        elif not isinstance(value, str):
            missing = True
            yield _unreadable((key,), "is no text", f"the value {shown(value)}")
    if missing:
        return
    api_version, name = parameters["apiVersion"], parameters["kind"]
    kind = KINDS.get(name)
    if api_version != API_VERSION:
        yield ParameterFault(
            "cfg-unknown-kind",
            "deny",
            ("apiVersion",),
            f'"{api_version}" is no version that the driver knows',
            f"driver {how.state.version or how.state.line} decodes {API_VERSION} only",
            f"write apiVersion: {API_VERSION}",
        )
    if kind is None:
        near = nearest(name, kinds_for(how.driver) or tuple(KINDS), 1)
        yield ParameterFault(
            "cfg-unknown-kind",
            "deny",
            ("kind",),
            f'"{name}" is no kind that the driver knows',
            f"driver {how.state.version or how.state.line} knows "
            + ", ".join(kinds_for(how.driver)),
            f"write kind: {near[0] if near else _usual_kind(how.driver)}",
        )
    elif api_version == API_VERSION and not is_at_least(how.state.line, kind.since):
        yield ParameterFault(
            "cfg-unknown-kind",
            "deny" if how.state.version_known else "warn",
            ("kind",),
            f'"{name}" is not known to this driver',
            f"driver {how.state.version}, {name} exists since {kind.since}",
            f"upgrade the driver to {kind.since} or later",
        )


def _usual_kind(driver: str) -> str:
    return next(iter(kinds_for(driver)), "GpuConfig")


def _not_a_config(kind: Kind, how: Decoding) -> Iterator[ParameterFault]:
    fits = ", ".join(kinds_for(how.driver))
    # 0.5 skips a foreign kind without requests; up to 0.4.1 it is an error either way.
    lenient = not how.explicit and kind.device_type and is_at_least(how.state.line, "0.5")
    yield ParameterFault(
        "cfg-not-a-config",
        "warn" if lenient else "deny",
        ("kind",),
        f"{kind.name} is no configuration for driver {how.driver}",
        f"{kind.name} configures devices of {kind.driver}"
        if kind.driver
        else f"{kind.name} is an object of its own",
        f"use one of {fits}" + (f", or write driver: {kind.driver}" if kind.driver else ""),
    )


def _field_faults(
    value: Mapping[str, Any],
    fields: Mapping[str, Field],
    path: Path,
    how: Decoding,
    *,
    top: bool = False,
) -> Iterator[ParameterFault]:
    for key, given in value.items():
        if top and key in {"apiVersion", "kind"}:
            continue
        spec = fields.get(key)
        here = (*path, key)
        if spec is None:
            yield _unknown_field(key, here, fields, how, given)
        elif not is_at_least(how.state.line, spec.since):
            yield ParameterFault(
                "cfg-unknown-field",
                "warn" if not how.state.version_known or how.state.line == "25.3" else "deny",
                here,
                f"is not known to driver {how.state.version or how.state.line}",
                f"{key} exists since {spec.since}",
                f"leave {key} out, or upgrade the driver to {spec.since} or later",
            )
        elif given is not None:
            yield from _value_faults(given, spec, here, how)


def _unknown_field(
    key: str, path: Path, fields: Mapping[str, Field], how: Decoding, given: Any
) -> ParameterFault:
    known = [name for name, f in fields.items() if is_at_least(how.state.line, f.since)]
    near = nearest(str(key), known, 1)
    if not near and len(known) == 1:
        near = (known[0],)
    lenient = how.state.line == "25.3"
    return ParameterFault(
        "cfg-unknown-field",
        "warn" if lenient else "deny",
        path,
        "is no field of this kind: "
        + ("driver 25.3 drops it in silence" if lenient else "the driver refuses unknown fields"),
        f"{key}: {shown(given)}; fields here are {', '.join(known) or 'none'}",
        f"write {near[0]}" if near else f"leave {key} out",
    )


_TYPE_WORDS: Final = {
    "string": "text",
    "int": "a whole number",
    "bool": "true or false",
    "object": "an object",
    "quantities": "an object of quantities",
    "quantity": "a quantity",
}


def _value_faults(given: Any, spec: Field, path: Path, how: Decoding) -> Iterator[ParameterFault]:
    if not _fits_type(given, spec.type, how):
        yield ParameterFault(
            "cfg-wrong-type",
            "deny",
            path,
            f"takes {_TYPE_WORDS[spec.type]}",
            f"the value {shown(given)}",
            _typed_fix(given, spec.type, path),
        )
        return
    if spec.type == "object":
        yield from _field_faults(given, spec.fields, path, how)
    elif spec.type == "quantity":
        yield from quantity_fault(given, path)
    elif spec.type == "quantities":
        for key, amount in given.items():
            if isinstance(amount, bool | Mapping | list):
                yield ParameterFault(
                    "cfg-wrong-type",
                    "deny",
                    (*path, key),
                    "takes a quantity",
                    f"the value {shown(amount)}",
                    "write a quantity such as 10Gi",
                )
            elif amount is not None:
                yield from quantity_fault(amount, (*path, key))
    elif spec.values and given not in spec.values:
        near = nearest(given, spec.values, 1)
        yield ParameterFault(
            "cfg-bad-value",
            "deny",
            path,
            f"does not take {shown(given)}",
            f"allowed are {', '.join(spec.values)} (case counts)",
            f"write {near[0] if near else spec.values[0]}",
        )


def _fits_type(given: Any, wanted: str, how: Decoding) -> bool:
    """Whether a JSON value decodes into the Go type: neither true nor 50.0 is an integer."""
    if wanted == "string":
        return isinstance(given, str)
    if wanted == "bool":
        return isinstance(given, bool)
    if wanted in {"object", "quantities"}:
        return isinstance(given, Mapping)
    if wanted == "quantity":
        return isinstance(given, str | int | float) and not isinstance(given, bool)
    if isinstance(given, bool):
        return False
    if isinstance(given, int):
        return -INT_LIMIT <= given < INT_LIMIT
    # kubectl turns a YAML 50.0 into the JSON number 50 before the API server sees it.
    return how.from_file and isinstance(given, float) and given.is_integer() and abs(given) < 2**53


def _typed_fix(given: Any, wanted: str, path: Path) -> str:
    name = path[-1] if path else "the field"
    if wanted == "int":
        if isinstance(given, str) and given.strip().lstrip("+-").isdigit():
            return f"write {name}: {int(given)} without quotes"
        if isinstance(given, float) and given.is_integer():
            return f"write {name}: {int(given)}"
    if wanted == "bool" and isinstance(given, str) and given.lower() in {"true", "false"}:
        return f"write {name}: {given.lower()} without quotes"
    if wanted == "string" and isinstance(given, int | float) and not isinstance(given, bool):
        return f'write {name}: "{given}" in quotes'
    return f"write {_TYPE_WORDS[wanted]}"


def _duplicate_faults(how: Decoding) -> Iterator[ParameterFault]:
    for duplicate in how.duplicates:
        name = duplicate.path[-1] if duplicate.path else ""
        yield ParameterFault(
            "cfg-duplicate-field",
            "warn" if how.from_file else "deny",
            duplicate.path,
            f"stands {len(duplicate.values)} times: "
            + (
                "kubectl keeps the last one"
                if how.from_file
                else "the driver refuses duplicate fields"
            ),
            "the values " + ", ".join(shown(value) for value in duplicate.values),
            f"keep one {name}",
        )


__all__ = ["Decoding", "decode", "kind_for_type", "shown"]
