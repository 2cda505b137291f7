"""A corrected expression for the common mistakes, with each mistake named.

The mender writes one expression with everything mended; here it is tried. It is offered only if it
compiles and fails on none of the devices that are meant; where it would fail because some of them
lack an attribute, it is tried again behind `has()`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from webhook.cel.compile import Selector, compile  # noqa: A004 - the compiler of this package
from webhook.cel.device import Device
from webhook.cel.dialect import Dialect
from webhook.cel.fleet import Fleet, Read, member, quote, seen_value
from webhook.cel.mending import loose
from webhook.cel.mending.mender import Mender

_LONGEST: Final = 4096
"""Longer expressions were not written by hand; nothing is derived for them."""
_WRAPPING: Final = re.compile(r"\A\s*(?:\$\{\{?|\{\{)\s*(?P<inner>.*?)\s*\}\}?\s*\Z", re.DOTALL)
"""Templates of other languages around an expression."""


@dataclass(frozen=True, slots=True)
class Correction:
    """One corrected expression and one short clause for each fault that it mends."""

    expression: str
    faults: tuple[str, ...]


def doctor(
    expression: str,
    dialect: Dialect,
    devices: Sequence[tuple[Device, int]] = (),
    default_domain: str | None = None,
) -> Correction | None:
    """Propose one corrected expression, or None when nothing certain can be said.

    `default_domain` is the domain of the driver meant (the class's), used where it is missing;
    `devices` are what the cluster has, each with the number of its like. Never raises.
    """
    if len(expression) > _LONGEST:
        return None
    bare = _WRAPPING.sub(r"\g<inner>", expression)
    try:
        tree = loose.read(bare)
    except loose.NotUnderstoodError:
        return None
    if isinstance(tree, loose.Text) and "device" in tree.value:
        bare = tree.value
        try:
            tree = loose.read(bare)
        except loose.NotUnderstoodError:
            return None
    before = () if bare == expression else ("an expression stands alone, without quotes or braces",)
    found = _mended(bare, tree, dialect, devices, default_domain, before)
    return found if found is None or found.expression != expression else None


def _mended(
    expression: str,
    tree: loose.Node,
    dialect: Dialect,
    devices: Sequence[tuple[Device, int]],
    default_domain: str | None,
    before: tuple[str, ...],
) -> Correction | None:
    fleet = Fleet.of(devices)
    # A device that cannot be converted fails whatever the expression; no correction helps it.
    anything = compile("true", dialect)
    sound = [device for device, _ in devices if anything.evaluate(device).error is None]
    meant = [device for device in sound if device.driver == default_domain] or sound
    for mend_values in (True, False):
        mender = Mender(
            expression,
            tree,
            fleet,
            default_domain,
            mend_values=mend_values,
            has_includes=dialect.list_type_attributes,
        )
        mended = mender.mended()
        text = mended.text
        if mended.kind == "optional":
            text += ".orValue(false)"
            mender.note("optional", "an optional is no bool: end it in .orValue(false)")
        if text.strip() == expression.strip():
            mender.faults.clear()
        tried = _tried(text, dialect, meant, tree)
        if tried is None:
            continue
        text, lacking = tried
        faults = [*before, *_clauses(mender.faults), *lacking]
        if not faults:
            return None
        if meant and not any(compile(text, dialect).evaluate(d).match for d in meant):
            if mend_values and any(kind == "value" for kind, _ in mender.faults):
                continue
            faults.append("mended, it still matches no device")
        return Correction(text, tuple(faults))
    return None


def _tried(
    text: str, dialect: Dialect, meant: Sequence[Device], tree: loose.Node
) -> tuple[str, list[str]] | None:
    """Return the text, behind has() where that helps, with the clauses for it; None if it fails."""
    selector = compile(text, dialect)
    if not selector.ok:
        return None
    failing = [device for device in meant if selector.evaluate(device).error is not None]
    if not failing:
        return text, []
    lacked = _lacked(selector, failing)
    if not lacked:
        return None
    guards = " && ".join(_guard(read) for read in lacked)
    alone = isinstance(tree, loose.Binary) and tree.operator != "||"
    simple = alone or isinstance(tree, loose.Member | loose.Index | loose.Invocation)
    guarded = f"{guards} && {text}" if simple else f"{guards} && ({text})"
    selector = compile(guarded, dialect)
    if not selector.ok or any(selector.evaluate(d).error is not None for d in meant):
        return None
    return guarded, [f"some devices have no {read.name}: has() asks first" for read in lacked]


def _lacked(selector: Selector, failing: Sequence[Device]) -> list[Read]:
    reads = [Read("attribute", *read) for read in sorted(selector.reads.attributes)]
    reads += [Read("capacity", *read) for read in sorted(selector.reads.capacity)]
    return [read for read in reads if any(seen_value(device, read) is None for device in failing)]


def _guard(read: Read) -> str:
    if member(read.name)[0] == ".":
        return f"has({read.text})"
    return f"{quote(read.name)} in {Read(read.part, read.domain).text}"


def _clauses(faults: Sequence[tuple[str, str]]) -> list[str]:
    """Write one clause for each kind of fault, in the order in which kinds came up."""
    kinds: dict[str, list[str]] = {}
    for kind, item in faults:
        kinds.setdefault(kind, []).append(item)
    clauses: list[str] = []
    for kind, items in kinds.items():
        listed = ", ".join(items)
        match kind:
            case _ if kind.startswith("domain "):
                verb = "lacks its" if len(items) == 1 else "lack their"
                clauses.append(f"{listed} {verb} domain, {quote(kind.removeprefix('domain '))}")
            case "suffix":
                verb = "does" if len(items) == 1 else "do"
                clauses.append(f"{listed} {verb} not exist, a value is used as it is")
            case "dotted":
                clauses.append(f"a domain with dots is written in brackets: [{quote(items[0])}]")
            case "qualified":
                clauses.append(f"{listed}: domain and name are two steps")
            case _:
                clauses.append("; ".join(items))
    return clauses
