"""Functions as people call them, and what they are called in CEL."""

from __future__ import annotations

from typing import Final

from webhook.cel.fleet import Fleet, Read, quote
from webhook.cel.mending.comparing import Mended, Note, as_quantity, as_version, note_unit
from webhook.cel.mending.texts import quantity_call, quantity_text, version_call, version_text

METHODS: Final = {
    "startswith": "startsWith",
    "StartsWith": "startsWith",
    "hasPrefix": "startsWith",
    "endswith": "endsWith",
    "EndsWith": "endsWith",
    "hasSuffix": "endsWith",
    "Contains": "contains",
    "lower": "lowerAscii",
    "toLower": "lowerAscii",
    "toLowerCase": "lowerAscii",
    "upper": "upperAscii",
    "toUpper": "upperAscii",
    "toUpperCase": "upperAscii",
    "match": "matches",
    "strip": "trim",
    "greaterThan": "isGreaterThan",
    "lessThan": "isLessThan",
    "gt": "isGreaterThan",
    "lt": "isLessThan",
    "compare": "compareTo",
    "len": "size",
    "length": "size",
    "any": "exists",
    "every": "all",
    "asInt": "asInteger",
    "toInt": "asInteger",
}
"""Names of other languages, with CEL's."""
ORDER_METHODS: Final = {
    "isGreaterThanOrEqual": ">=",
    "isGreaterThanOrEqualTo": ">=",
    "isGreaterOrEqual": ">=",
    "greaterThanOrEqual": ">=",
    "isAtLeast": ">=",
    "gte": ">=",
    "ge": ">=",
    "isLessThanOrEqual": "<=",
    "isLessThanOrEqualTo": "<=",
    "isLessOrEqual": "<=",
    "lessThanOrEqual": "<=",
    "isAtMost": "<=",
    "lte": "<=",
    "le": "<=",
    "equals": "==",
    "isEqualTo": "==",
    "eq": "==",
}
"""Comparisons that exist as operators or through compareTo only."""
TAKES_LIKE: Final = frozenset({"isGreaterThan", "isLessThan", "compareTo", "add", "sub"})
"""Functions whose argument is of the receiver's type."""
GIVES_BOOL: Final = frozenset(
    {
        "startsWith",
        "endsWith",
        "contains",
        "matches",
        "exists",
        "all",
        "isGreaterThan",
        "isLessThan",
    }
)
NEEDS_SIZE: Final = frozenset(
    {"contains", "matches", "lowerAscii", "upperAscii", "find", "replace"}
)
"""Functions whose estimate takes the length of the text: unknown behind orValue."""
_UNWRAPPED: Final = {
    "string": "has no text form",
    "str": "has no text form",
    "int": "is compared as it is, not converted",
    "double": "is compared as it is, not converted",
    "float": "is compared as it is, not converted",
}
_CONSTRUCTORS: Final = frozenset({"quantity", "semver", "version", "Quantity", "Semver", "Version"})


def operand(target: Mended, arg: Mended, fleet: Fleet, note: Note) -> Mended:
    """Write the argument of isGreaterThan and its like as the type of the receiver."""
    text: str | None = None
    if target.kind == "quantity" and arg.kind != "quantity":
        text = as_quantity(arg, target.read, fleet, note)
    elif target.kind == "version" and arg.kind != "version":
        text = as_version(arg, note)
    return arg if text is None else Mended(text, target.kind)


def affix(target: Mended, arg: Mended, fleet: Fleet, note: Note) -> str:
    """Turn startsWith into contains where no value starts so, but some contain it."""
    if target.read is not None and arg.literal:
        values = [text[1:-1] for text, _ in fleet.values(target.read)]
        if not any(value.startswith(arg.literal) for value in values) and any(
            arg.literal in value for value in values
        ):
            note("value", f"no {target.read.name} starts with {arg.text}; some contain it")
            return "contains"
    return "startsWith"


def guarded(read: Read, name: str, args: list[Mended], note: Note) -> Mended:
    """Write `.?a.orValue("").contains(x)`, whose size is unknown, with has()."""
    note("size", f"the length of orValue's result is unknown, {name} on it too complex")
    call = f"{read.text}.{name}({', '.join(arg.text for arg in args)})"
    return Mended(f"(has({read.text}) && {call})", "bool")


def global_call(name: str, args: list[Mended], copied: str, note: Note) -> Mended:
    """Write a call without a receiver; `copied` is the call with its arguments mended."""
    if len(args) == 1:
        if name in _CONSTRUCTORS:
            return _constructed(name, args[0], copied, note)
        if name in _UNWRAPPED and args[0].kind in {"version", "quantity"}:
            note("conversion", f"a {args[0].kind} {_UNWRAPPED[name]}")
            return args[0]
        if name in {"len", "length"}:
            note("function", f"{name} is called size")
            return Mended(f"size({args[0].text})")
        if name == "not":
            note("word", "not is written !")
            return Mended(f"!({args[0].text})", "bool")
    plain = METHODS.get(name, name)
    if plain in {"startsWith", "endsWith", "contains"} and len(args) == 2:
        note("function", f"{plain} is a function of the text: a.{plain}(b)")
        return Mended(f"{args[0].text}.{plain}({args[1].text})", "bool")
    return Mended(copied)


def _constructed(name: str, arg: Mended, copied: str, note: Note) -> Mended:
    kind = "quantity" if name.lower() == "quantity" else "version"
    right_name = "quantity" if kind == "quantity" else "semver"
    if arg.read is not None and arg.kind == kind:
        note("conversion", f"{arg.read.name} is a {kind} already")
        return arg
    literal = arg.literal
    if literal is None or arg.kind not in {"text", "number"}:
        return Mended(copied, kind)
    right = quantity_text(literal) if kind == "quantity" else version_text(literal)
    if right is None:
        return Mended(copied, kind)
    if name != right_name:
        note("function", f"{name} is called {right_name}")
    elif right == literal and arg.kind == "text":
        return Mended(copied, kind, literal=right)
    if right != literal and kind == "quantity":
        note_unit(literal, note)
    elif right != literal:
        note("parts", f"{quote(literal)} is no version; {quote(right)} is")
    elif arg.kind == "number":
        note("unit", f"{right_name} takes a text: {quote(right)}")
    call = quantity_call(literal) if kind == "quantity" else version_call(literal)
    return Mended(call or copied, kind)
