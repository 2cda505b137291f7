"""What the API server checks on a tree whose types are right: literals that can be judged at once.

Source: cel-go 0.26 `cel/validator.go`, enabled by kubernetes apiserver `environment/base.go` for
every server since 1.29.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

from webhook.cel.ast import (
    Call,
    Comprehension,
    Entry,
    Expr,
    ListExpr,
    Literal,
    LiteralValue,
    MapExpr,
    Select,
    Struct,
)
from webhook.cel.checker import CheckResult
from webhook.cel.dialect import Dialect
from webhook.cel.format_check import check_format
from webhook.cel.instants import FIRST_SECOND, LAST_SECOND, parse_duration, parse_timestamp
from webhook.cel.patterns import is_pattern
from webhook.cel.source import Issue
from webhook.cel.types import Type, checker_name
from webhook.cel.unify import same_type

_PANIC: Final = "PANIC: runtime error: index out of range [0] with length 0"


@dataclass(frozen=True, slots=True)
class Validation:
    """The errors of the validators, and the text of Go's panic if the tree makes one panic."""

    errors: tuple[Issue, ...] = ()
    panic: str | None = None


class _PanicError(Exception):
    """cel-go's validator would take the first parameter of a type that has none."""


def validate(checked: CheckResult) -> Validation:
    """Run all validators over a checked tree that has no errors."""
    literals: list[Issue] = []
    lists: list[Issue] = []
    maps: list[Issue] = []
    formats: list[Issue] = []
    try:
        for expr, is_exempt in _walk(checked.tree, is_exempt=False):
            if isinstance(expr, Call):
                literals.extend(_check_literal(expr, checked.dialect))
                formats.extend(_check_format(expr, checked))
            elif isinstance(expr, ListExpr) and not is_exempt:
                lists.extend(_check_list(expr, checked))
            elif isinstance(expr, MapExpr) and not is_exempt:
                maps.extend(_check_map(expr, checked))
    except _PanicError:
        return Validation(panic=_PANIC)
    return Validation((*lists, *maps, *literals, *formats))


def _walk(expr: Expr, *, is_exempt: bool) -> Iterator[tuple[Expr, bool]]:
    """Visit all nodes, children first; literals inside of `format` may be mixed."""
    pending: list[tuple[Expr, bool, bool]] = [(expr, is_exempt, False)]
    while pending:
        node, exempt, is_done = pending.pop()
        if is_done:
            yield node, exempt
            continue
        pending.append((node, exempt, True))
        inner = exempt or (isinstance(node, Call) and node.function == "format")
        pending.extend((child, inner, False) for child in reversed(_children(node)))


def _children(expr: Expr) -> list[Expr]:
    match expr:
        case Call():
            return list(expr.args) if expr.target is None else [expr.target, *expr.args]
        case Select():
            return [expr.operand]
        case ListExpr():
            return list(expr.elements)
        case MapExpr() | Struct():
            return [part for entry in expr.entries for part in _parts(entry)]
        case Comprehension():
            return [expr.range, expr.accu_init, expr.condition, expr.step, expr.result]
        case _:
            return []


def _parts(entry: Entry) -> list[Expr]:
    return [entry.value] if isinstance(entry.key, str) else [entry.key, entry.value]


def _check_literal(call: Call, dialect: Dialect) -> Iterator[Issue]:
    """Check a first argument that is a literal, in calls of certain names, of whatever form."""
    is_valid = _VALID.get(call.function)
    if is_valid is None or not call.args:
        return
    argument = call.args[0]
    if isinstance(argument, Literal) and not is_valid(argument.value, dialect):
        yield Issue(argument.offset, f"invalid {call.function} argument")


def _is_duration(value: LiteralValue, _: Dialect) -> bool:
    return isinstance(value, str) and parse_duration(value) is not None


def _is_timestamp(value: LiteralValue, _: Dialect) -> bool:
    if isinstance(value, str):
        return parse_timestamp(value) is not None
    return type(value) is int and FIRST_SECOND <= value <= LAST_SECOND


def _is_pattern(value: LiteralValue, dialect: Dialect) -> bool:
    return not isinstance(value, str) or is_pattern(value, dialect.minor)


_VALID: Final[dict[str, Callable[[LiteralValue, Dialect], bool]]] = {
    "duration": _is_duration,
    "timestamp": _is_timestamp,
    "matches": _is_pattern,
}


def _check_format(call: Call, checked: CheckResult) -> Iterator[Issue]:
    if call.function == "format" and checked.overloads.get(call.id, ("string_format",)):
        issue = check_format(call, checked.types)
        if issue is not None:
            yield issue


def _mismatch(expr: Expr, expected: Type, found: Type) -> Issue:
    text = f"expected type '{checker_name(expected)}' but found '{checker_name(found)}'"
    return Issue(expr.offset, text)


def _within_optional(t: Type) -> Type:
    if not t.params:
        raise _PanicError
    return t.params[0]


def _check_list(expr: ListExpr, checked: CheckResult) -> Iterator[Issue]:
    """Report the first element that is of another type than the first one."""
    expected: Type | None = None
    unlike: Issue | None = None
    for index, element in enumerate(expr.elements):
        t = checked.types[element.id]
        if index in expr.optional:
            t = _within_optional(t)
        if expected is None:
            expected = t
        elif not same_type(expected, t):
            unlike = _mismatch(element, expected, t)
            break
    if unlike is not None:
        yield unlike


def _check_map(expr: MapExpr, checked: CheckResult) -> Iterator[Issue]:
    """Report every key and value that is of another type than the first one."""
    types: tuple[Type, Type] | None = None
    for entry in expr.entries:
        if isinstance(entry.key, str):
            continue
        key, value = checked.types[entry.key.id], checked.types[entry.value.id]
        if entry.optional:
            value = _within_optional(value)
        if types is None:
            types = key, value
            continue
        if not same_type(types[0], key):
            yield _mismatch(entry.key, types[0], key)
        if not same_type(types[1], value):
            yield _mismatch(entry.value, types[1], value)
