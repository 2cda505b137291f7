"""How two values are compared in CEL, given what people wrote between them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from webhook.cel.fleet import Fleet, Read, quote
from webhook.cel.mending.texts import (
    bytes_text,
    is_number,
    quantity_call,
    quantity_text,
    version_call,
)
from webhook.cel.nearest import nearest

_SMALLEST_BYTES: Final = 1 << 20
_MIRROR: Final = {"<": ">", ">": "<", "<=": ">=", ">=": "<=", "==": "==", "!=": "!="}

Note = Callable[[str, str], None]
"""Takes a kind of fault and the item that shows it."""


@dataclass(frozen=True, slots=True)
class Mended:
    """A part of the corrected expression.

    `kind` is what the value is: string, int, bool, version, quantity (also of a call), text and
    number (literals), list, domain, optional, or empty where it is not known. `read` is what it
    reads, `literal` what a literal says, `number` its value if it is a whole number.
    """

    text: str
    kind: str = ""
    read: Read | None = None
    literal: str | None = None
    number: int | None = None
    elements: tuple[Mended, ...] = field(default=())


def compare(operator: str, left: Mended, right: Mended, fleet: Fleet, note: Note) -> str | None:
    """Write a comparison of two values so that it compiles and means what was written.

    None where it can stay as it is.
    """
    kinds = {left.kind, right.kind}
    if "optional" in kinds:
        return _optionals(operator, left, right, fleet, note)
    if "quantity" in kinds:
        return _quantities(operator, left, right, fleet, note)
    if "version" in kinds:
        return _versions(operator, left, right, note)
    if left.literal is not None and right.read is not None:
        if operator not in _MIRROR:
            return None
        return _scalars(_MIRROR[operator], right, left, fleet, note)
    return _scalars(operator, left, right, fleet, note)


def _optionals(operator: str, left: Mended, right: Mended, fleet: Fleet, note: Note) -> str | None:
    """Compare what an optional holds: an optional itself equals no plain value."""
    if left.kind != "optional" or left.read is None:
        return None
    kind = "quantity" if left.read.part == "capacity" else fleet.kind(left.read) or ""
    if right.kind in {"quantity", "version"} or kind in {"quantity", "version"}:
        kind = right.kind if right.kind in {"quantity", "version"} else kind
        note("optional", "an optional does not compare with a value; has() asks first")
        plain = Mended(left.read.text, kind, left.read)
        compared = compare(operator, plain, right, fleet, note)
        return f"(has({plain.text}) && {compared or f'{plain.text} {operator} {right.text}'})"
    zero = {"text": '""', "number": "0", "bool": "false"}.get(right.kind)
    if zero is None:
        return None
    note("optional", f"an optional does not compare with a value; .orValue({zero}) does")
    return f"{left.text}.orValue({zero}) {operator} {right.text}"


def _quantities(operator: str, left: Mended, right: Mended, fleet: Fleet, note: Note) -> str | None:
    read = left.read or right.read
    a = as_quantity(left, read, fleet, note)
    b = as_quantity(right, read, fleet, note)
    if a is None or b is None:
        return None
    return _ordered(operator, a, b, "quantities", note)


def _versions(operator: str, left: Mended, right: Mended, note: Note) -> str | None:
    a, b = as_version(left, note), as_version(right, note)
    if a is None or b is None:
        return None
    if operator == "!=":
        return None if (a, b) == (left.text, right.text) else f"{a} != {b}"
    return _ordered(operator, a, b, "versions", note)


def _ordered(operator: str, a: str, b: str, what: str, note: Note) -> str | None:
    if operator == "==":
        return f"{a} == {b}"
    if operator == "!=":
        note("unequal", f"!= on {what} is estimated as too complex")
        return f"!({a} == {b})"
    if operator == ">":
        note("order", f"> does not exist for {what}; isGreaterThan does")
        return f"{a}.isGreaterThan({b})"
    if operator == "<":
        note("order", f"< does not exist for {what}; isLessThan does")
        return f"{a}.isLessThan({b})"
    if operator in {">=", "<="}:
        note("order", f"{operator} does not exist for {what}; compareTo does")
        return f"{a}.compareTo({b}) {operator} 0"
    return None


def as_quantity(value: Mended, read: Read | None, fleet: Fleet, note: Note) -> str | None:
    """Write a value as a quantity, None where it cannot be one."""
    if value.kind == "quantity":
        return value.text
    if value.kind == "text" and value.literal is not None:
        call = quantity_call(value.literal)
        if call is None:
            return None
        note("quantity", f"a quantity does not compare with a text; {call} does")
        if quantity_text(value.literal) != value.literal:
            note_unit(value.literal, note)
        return call
    if value.kind == "number":
        return _number_as_quantity(value, read, fleet, note)
    return None


def note_unit(text: str, note: Note) -> None:
    """Say that a text is no quantity as it stands."""
    note("unit", f"{quote(text)} is no quantity; {quote(quantity_text(text) or text)} is")


def _number_as_quantity(value: Mended, read: Read | None, fleet: Fleet, note: Note) -> str | None:
    text = value.literal or ""
    if value.number is not None:
        text = bytes_text(value.number)
        if 0 < value.number < 10_000 and _is_bytes(read, fleet):
            text = f"{value.number}Gi"
            note("unit", f"{value.number} alone is so many bytes; taken as {text}")
    call = quantity_call(text)
    if call is not None:
        note("quantity", f"a quantity does not compare with a number; {call} does")
    return call


def _is_bytes(read: Read | None, fleet: Fleet) -> bool:
    """Tell whether a capacity counts bytes: what devices have of it is large, or its name says."""
    if read is None:
        return False
    values = [text for text, _ in fleet.values(read)]
    if not values:
        return "memory" in read.name.lower()
    return all(
        text[-1:] == "i" or (text.isdigit() and int(text) >= _SMALLEST_BYTES) for text in values
    )


def as_version(value: Mended, note: Note) -> str | None:
    """Write a value as a version, None where it cannot be one."""
    if value.kind == "version":
        return value.text
    if value.kind in {"text", "number"} and value.literal is not None:
        call = version_call(value.literal)
        if call is not None:
            what = "text" if value.kind == "text" else "number"
            note("version", f"a version does not compare with a {what}; {call} does")
        return call
    return None


def _scalars(operator: str, left: Mended, right: Mended, fleet: Fleet, note: Note) -> str | None:
    read, wanted = left.read, right.literal
    if read is None or wanted is None:
        return None
    if left.kind == "string" and right.kind == "number":
        note("literal", f"{read.name} is a text; compare it with {quote(wanted)}")
        right = Mended(quote(wanted), "text", literal=wanted)
        near = _near_value(operator, left, right, fleet, note)
        return near or f"{left.text} {operator} {right.text}"
    if left.kind == "int" and right.kind == "text" and is_number(wanted):
        note("literal", f"{read.name} is a number; compare it with {wanted}")
        return f"{left.text} {operator} {wanted}"
    if left.kind == "bool" and right.kind == "text" and wanted.lower() in {"true", "false"}:
        note("literal", f"{read.name} is true or false, not a text")
        return f"{left.text} {operator} {wanted.lower()}"
    if right.kind == "text" and left.kind in {"string", ""}:
        return _near_value(operator, left, right, fleet, note)
    return None


def _near_value(operator: str, left: Mended, right: Mended, fleet: Fleet, note: Note) -> str | None:
    if operator != "==" or left.read is None or right.literal is None:
        return None
    near = near_values(left.read, right.literal, fleet)
    if not near:
        return None
    shown = ", ".join(map(quote, near[:3])) + (", …" if len(near) > 3 else "")
    verb = "is" if len(near) == 1 else "are"
    note(
        "value",
        f"no device has the {left.read.name or left.read.part} {quote(right.literal)};"
        f" there {verb} {shown}",
    )
    if len(near) == 1:
        return f"{left.text} == {quote(near[0])}"
    if all(value.startswith(right.literal) for value in near):
        return f"{left.text}.startsWith({quote(right.literal)})"
    return f"{left.text} in [{', '.join(map(quote, near))}]"


def near_values(read: Read, wanted: str, fleet: Fleet) -> list[str]:
    """Return the texts that devices have in place of one that none has: all of a kind with it."""
    values = [text[1:-1] for text, _ in fleet.values(read) if text[:1] == '"' and "\\" not in text]
    if wanted in values or not values or sum(c.isalnum() for c in wanted) < 2:
        return []
    for close in (_contains, _has_words):
        found = sorted(value for value in values if close(value, wanted))
        if found:
            return found if len(found) <= 8 else []
    one = nearest(wanted, values)
    return [one] if one is not None else []


def _contains(value: str, wanted: str) -> bool:
    return wanted.casefold() in value.casefold()


def _has_words(value: str, wanted: str) -> bool:
    plain = "".join(c if c.isalnum() else " " for c in value.casefold())
    words = "".join(c if c.isalnum() else " " for c in wanted.casefold()).split()
    return bool(words) and all(word in plain for word in words)
