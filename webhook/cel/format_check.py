"""The validator of `"…".format([…])`: holds its clauses against the types of the arguments.

Source: cel-go 0.26 `ext/formatting.go` (`stringFormatValidator`, `parseFormatString`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from webhook.cel.ast import Call, Entry, Expr, ListExpr, Literal, MapExpr
from webhook.cel.source import Issue
from webhook.cel.types import Type, output_name
from webhook.cel.unify import base_kind

_DIGITS: Final = frozenset(b"0123456789")
_MAX_INT: Final = 2**63 - 1
_MOST_DIGITS: Final = 19
_PRINTABLE: Final = frozenset(
    {
        *("list", "map", "int", "uint", "double", "bool", "string", "timestamp", "bytes"),
        *("duration", "type", "null"),
    }
)
_DOUBLES: Final = frozenset({"double", "string"})
_INTEGERS: Final = frozenset({"int", "uint"})
_STRING_TEXT: Final = (
    "string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, "
    "durations, and timestamps"
)
_HEX: Final = (
    _INTEGERS | {"string", "bytes"},
    "only integers, byte buffers, and strings can be formatted as hex",
)
_CLAUSES: Final[Mapping[str, tuple[frozenset[str], str]]] = {
    "s": (_PRINTABLE, _STRING_TEXT),
    "d": (_INTEGERS, "decimal clause can only be used on integers"),
    "f": (_DOUBLES, "fixed-point clause can only be used on doubles"),
    "e": (_DOUBLES, "scientific clause can only be used on doubles"),
    "b": (_INTEGERS | {"bool"}, "only integers and bools can be formatted as binary"),
    "x": _HEX,
    "X": _HEX,
    "o": (_INTEGERS, "octal clause can only be used on integers"),
}


class _ClauseError(ValueError):
    """A clause that cannot be read, or is read but has no argument."""


@dataclass(frozen=True, slots=True)
class _Clause:
    verb: str
    index: int


def check_format(call: Call, types: Mapping[int, Type]) -> Issue | None:
    """Return what is wrong with a call of `format` on a literal with a list literal, if anything.

    `types` has the type of every node of the checked tree.
    """
    target = call.target
    if not (isinstance(target, Literal) and isinstance(target.value, str) and len(call.args) == 1):
        return None
    arguments = call.args[0]
    if not isinstance(arguments, ListExpr):
        return None
    elements = arguments.elements
    used = 0
    try:
        for clause in _clauses(target.value.encode("utf-8", "surrogatepass"), len(elements)):
            used += 1
            issue = _check_clause(clause, elements[clause.index], types)
            if issue is not None:
                return issue
    except _ClauseError as error:
        return Issue(call.offset, str(error))
    if len(elements) > used:
        return Issue(
            call.offset,
            f"too many arguments supplied to string.format (expected {used}, got {len(elements)})",
        )
    return None


def _clauses(text: bytes, arguments: int) -> Iterator[_Clause]:
    """Read the clauses of a format text, byte by byte as Go does."""
    position, index = 0, 0
    while (position := text.find(b"%", position)) >= 0:
        if text[position + 1 : position + 2] == b"%":
            position += 2
            continue
        if position + 1 >= len(text):
            raise _ClauseError("unexpected end of string")
        if index >= arguments:
            raise _ClauseError(f"index {index} out of range")
        position = _skip_precision(text, position + 1)
        verb = chr(text[position])
        if verb not in _CLAUSES:
            raise _ClauseError(
                f'could not parse formatting clause: unrecognized formatting clause "{verb}"'
            )
        yield _Clause(verb, index)
        position += 1
        index += 1


def _skip_precision(text: bytes, position: int) -> int:
    if text[position] != ord("."):
        return position
    start = position = position + 1
    while position < len(text) and text[position] in _DIGITS:
        position += 1
    prefix = "could not parse formatting clause: error while parsing precision: "
    if position >= len(text):
        raise _ClauseError(prefix + "could not find end of precision specifier")
    digits = text[start:position].decode("ascii")
    significant = digits.lstrip("0")
    problem = ""
    if not digits:
        problem = "invalid syntax"
    elif len(significant) > _MOST_DIGITS or int(significant or "0") > _MAX_INT:
        problem = "value out of range"
    if problem:
        raise _ClauseError(
            f"{prefix}error while converting precision to integer: strconv.Atoi: parsing "
            f'"{digits}": {problem}'
        )
    return position


def _check_clause(clause: _Clause, argument: Expr, types: Mapping[int, Type]) -> Issue | None:
    kinds, text = _CLAUSES[clause.verb]
    unfit = _first_unfit(argument, kinds, types, inside=clause.verb == "s")
    if unfit is None:
        return None
    given = _runtime_name(types[unfit.id])
    return Issue(unfit.offset, f"error during formatting: {text}, was given {given}")


def _first_unfit(
    argument: Expr, kinds: frozenset[str], types: Mapping[int, Type], *, inside: bool
) -> Expr | None:
    """Return the first expression of a kind that the clause does not print.

    `inside` looks into literals, which only `%s` can print.
    """
    t = types[argument.id]
    if t.kind != "dyn" and base_kind(t) not in kinds:
        return argument
    parts: list[Expr] = []
    if inside and isinstance(argument, ListExpr):
        parts.extend(argument.elements)
    elif inside and isinstance(argument, MapExpr):
        for entry in argument.entries:
            parts.extend(_entry_parts(entry))
    for part in parts:
        unfit = _first_unfit(part, kinds, types, inside=inside)
        if unfit is not None:
            return unfit
    return None


def _entry_parts(entry: Entry) -> Iterator[Expr]:
    if not isinstance(entry.key, str):
        yield entry.key
    yield entry.value


def _runtime_name(t: Type) -> str:
    """Name a type without its parameters; a wrapper is named after the type within."""
    return output_name(Type(base_kind(t), t.name))
