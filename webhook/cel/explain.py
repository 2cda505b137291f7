"""Why a selector matches what it matches: over a set of devices, in the set's own values.

Devices are grouped by what the selector reads; each group is evaluated once, as a whole and per
top-level && term. Literals that a read is compared with are found in the tree, so that what was
wanted can stand beside what there is.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from webhook.cel import ast
from webhook.cel.compile import Outcome, Selector, compile  # noqa: A004 - this package's compiler
from webhook.cel.device import Device
from webhook.cel.fleet import Fleet, Part, Read, missing, quote, seen_value
from webhook.cel.nearest import nearest
from webhook.cel.reads import leaves_of

__all__ = [
    "Comparison",
    "Conjunct",
    "ExplainedGroup",
    "Explanation",
    "Part",
    "RaisedError",
    "Read",
    "ReadValues",
    "explain",
]


@dataclass(frozen=True, slots=True)
class ExplainedGroup:
    """Devices that the selector cannot tell apart: how many, which, what it saw and said.

    `indices` point into the devices given; `values` are (read, value text), value None when the
    device lacks it; `conjuncts` holds one outcome per top-level && term.
    """

    count: int
    indices: tuple[int, ...]
    outcome: Outcome
    values: tuple[tuple[Read, str | None], ...]
    conjuncts: tuple[Outcome, ...]


@dataclass(frozen=True, slots=True)
class Conjunct:
    """One top-level && term: its text, and what it says of the whole set.

    `only_excluder` counts devices that match in every other term: mending this one term would let
    them in.
    """

    text: str
    offset: int
    matches: int
    excludes: int
    errors: int
    only_excluder: int


@dataclass(frozen=True, slots=True)
class Comparison:
    """A read compared with a literal: `wanted` in value text, and the nearest value that is there.

    `operator` is `==`, `!=`, `in`, `<` and the like (compareTo, isGreaterThan and isLessThan
    become these) or the name of a function: `startsWith`, `matches` … `nearest` is None where a
    device has a value that is wanted, or none has any.
    """

    read: Read
    operator: str
    wanted: tuple[str, ...]
    nearest: str | None
    offset: int


@dataclass(frozen=True, slots=True)
class ReadValues:
    """What the set has for one read: (value text, count), most frequent first.

    `missing` counts devices without it. `nearest` is the nearest thing that devices do have when
    none has this one: another name, domain, or part (an attribute sought in capacity).
    """

    read: Read
    values: tuple[tuple[str, int], ...]
    missing: int
    nearest: Read | None


@dataclass(frozen=True, slots=True)
class RaisedError:
    """A run-time error: such a device aborts the scheduling of the whole pod on its node."""

    text: str
    count: int
    indices: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Explanation:
    """The answer of `explain`: counts are of devices (the counts given are summed)."""

    total: int
    matching: int
    false: int
    failing: int
    groups: tuple[ExplainedGroup, ...]
    conjuncts: tuple[Conjunct, ...]
    comparisons: tuple[Comparison, ...]
    reads: tuple[ReadValues, ...]
    errors: tuple[RaisedError, ...]


def explain(selector: Selector, devices: Sequence[tuple[Device, int]]) -> Explanation:
    """Explain a selector over devices, each standing for a number of equal ones.

    A selector that does not compile fails on all of them with its compile error.
    """
    tree = selector.tree
    fleet = Fleet.of(devices)
    reads = _reads(selector)
    terms = list(_terms(selector.expression, tree)) if tree is not None else []
    parts = [compile(text, selector.dialect) for text, _ in terms] if len(terms) > 1 else [selector]
    groups = _groups(selector, parts, reads, devices)
    matching = sum(group.count for group in groups if group.outcome.match)
    failing = sum(group.count for group in groups if group.outcome.match is None)
    total = sum(count for _, count in devices)
    return Explanation(
        total=total,
        matching=matching,
        false=total - matching - failing,
        failing=failing,
        groups=groups,
        conjuncts=tuple(
            _conjunct(text, offset, number, groups) for number, (text, offset) in enumerate(terms)
        ),
        comparisons=tuple(_comparisons(tree, fleet)) if tree is not None else (),
        reads=tuple(_read_values(read, fleet) for read in reads),
        errors=_errors(groups),
    )


def _reads(selector: Selector) -> list[Read]:
    reads: list[Read] = []
    found = selector.reads
    if found.driver and not found.everything:
        reads.append(Read("driver"))
    if found.allow_multiple and not found.everything:
        reads.append(Read("allowMultipleAllocations"))
    reads.extend(Read("attribute", *read) for read in sorted(found.attributes))
    reads.extend(Read("capacity", *read) for read in sorted(found.capacity))
    return reads


def _groups(
    selector: Selector,
    parts: Sequence[Selector],
    reads: Sequence[Read],
    devices: Sequence[tuple[Device, int]],
) -> tuple[ExplainedGroup, ...]:
    members: dict[object, list[int]] = {}
    for index, (device, _) in enumerate(devices):
        members.setdefault(selector.reads.key(device), []).append(index)
    groups: list[ExplainedGroup] = []
    for indices in members.values():
        device = devices[indices[0]][0]
        outcome = selector.evaluate(device)
        groups.append(
            ExplainedGroup(
                count=sum(devices[index][1] for index in indices),
                indices=tuple(indices),
                outcome=outcome,
                values=tuple((read, seen_value(device, read)) for read in reads),
                conjuncts=tuple(
                    outcome if part is selector else part.evaluate(device) for part in parts
                ),
            )
        )
    return tuple(groups)


def _conjunct(text: str, offset: int, number: int, groups: Sequence[ExplainedGroup]) -> Conjunct:
    matches = excludes = errors = only = 0
    for group in groups:
        own = group.conjuncts[number].match
        if own:
            matches += group.count
        elif own is None:
            errors += group.count
        else:
            excludes += group.count
        others = (o.match for i, o in enumerate(group.conjuncts) if i != number)
        if not own and all(others):
            only += group.count
    return Conjunct(text, offset, matches, excludes, errors, only)


def _errors(groups: Sequence[ExplainedGroup]) -> tuple[RaisedError, ...]:
    raised: dict[str, tuple[int, tuple[int, ...]]] = {}
    for group in groups:
        if group.outcome.error is not None:
            count, indices = raised.get(group.outcome.error, (0, ()))
            raised[group.outcome.error] = (count + group.count, indices + group.indices)
    return tuple(RaisedError(text, count, ids) for text, (count, ids) in raised.items())


def _read_values(read: Read, fleet: Fleet) -> ReadValues:
    values = tuple(fleet.values(read))
    near = fleet.nearest_read(read) if not values and fleet.devices else None
    return ReadValues(read, values, missing(fleet.devices, read), near)


# The terms of the expression.


def _terms(source: str, tree: ast.Expr) -> Iterator[tuple[str, int]]:
    """Cut the source at the && that stand at the top of the tree."""
    cuts: list[int] = []
    waiting = [tree]
    while waiting:
        here = waiting.pop()
        if isinstance(here, ast.Call) and here.function == "_&&_":
            cuts.append(here.offset)
            waiting.extend(here.args)
    start = 0
    for cut in [*sorted(cuts), len(source)]:
        text, skipped = _balanced(source[start:cut])
        yield text, start + skipped
        start = cut + len("&&")


def _balanced(text: str) -> tuple[str, int]:
    """Strip space and the brackets of a group that was cut through."""
    skipped = len(text) - len(text.lstrip())
    text = text.strip()
    while text[:1] == "(" and _depth(text) > 0:
        inner = text[1:].lstrip()
        skipped += len(text) - len(inner)
        text = inner
    while text[-1:] == ")" and _depth(text) < 0:
        text = text[:-1].rstrip()
    return text, skipped


def _depth(text: str) -> int:
    """Count brackets that are open at the end, those in texts and comments left out."""
    depth = 0
    quoted = ""
    place = 0
    while place < len(text):
        char = text[place]
        if quoted:
            if char == "\\":
                place += 1
            elif char == quoted:
                quoted = ""
        elif char in "\"'":
            quoted = char
        elif text.startswith("//", place):
            place = text.find("\n", place)
            if place < 0:
                break
        elif char == "(":
            depth += 1
        elif char == ")":
            depth -= 1
        place += 1
    return depth


# What is compared with what.

_TURNED: Final = {"<": ">", ">": "<", "<=": ">=", ">=": "<=", "==": "==", "!=": "!="}
_RELATIONS: Final = {"_==_": "==", "_!=_": "!=", "_<_": "<", "_<=_": "<=", "_>_": ">", "_>=_": ">="}
_MEMBERS: Final = {
    "isGreaterThan": ">",
    "isLessThan": "<",
    "compareTo": "compareTo",
    "startsWith": "startsWith",
    "endsWith": "endsWith",
    "contains": "contains",
    "matches": "matches",
    "includes": "includes",
}
_CONSTRUCTORS: Final = frozenset({"quantity", "semver", "dyn"})


def _comparisons(tree: ast.Expr, fleet: Fleet) -> Iterator[Comparison]:
    leaves = leaves_of(tree)
    waiting = [tree]
    found: list[tuple[int, Comparison]] = []
    while waiting:
        here = waiting.pop()
        waiting.extend(_children(here))
        if not isinstance(here, ast.Call):
            continue
        operator, left, right = _sides(here)
        if operator is None or left is None or right is None:
            continue
        leaf = leaves.get(left.id)
        wanted = _literals(right)
        if leaf is None and operator in _TURNED:
            leaf, wanted, operator = leaves.get(right.id), _literals(left), _TURNED[operator]
        if leaf is None or not wanted:
            continue
        read = Read(*leaf)
        near = _nearest_value(read, operator, wanted, fleet)
        found.append((here.offset, Comparison(read, operator, wanted, near, here.offset)))
    found.sort(key=lambda item: item[0])
    # compareTo stands within the relation that says what is asked of it; that one tells more.
    told = {(c.read, c.wanted) for _, c in found if c.operator != "compareTo"}
    for _, comparison in found:
        if comparison.operator != "compareTo" or (comparison.read, comparison.wanted) not in told:
            yield comparison


def _sides(call: ast.Call) -> tuple[str | None, ast.Expr | None, ast.Expr | None]:
    """Return operator and sides of a comparison; `a.compareTo(b) >= 0` is `a >= b`."""
    if call.function in _RELATIONS and len(call.args) == 2:
        operator = _RELATIONS[call.function]
        left, right = call.args
        if isinstance(left, ast.Call) and left.function == "compareTo" and left.args:
            if isinstance(right, ast.Literal) and right.value == 0:
                return operator, left.target, left.args[0]
            return None, None, None
        return operator, left, right
    if call.function == "@in" and len(call.args) == 2:
        return "in", call.args[0], call.args[1]
    if call.target is not None and len(call.args) == 1:
        return _MEMBERS.get(call.function), call.target, call.args[0]
    return None, None, None


def _literals(e: ast.Expr) -> tuple[str, ...]:
    """Return the value texts of a literal, of a list of them, or of quantity("…") and its like."""
    match e:
        case ast.Literal(value=str() as text):
            return (quote(text),)
        case ast.Literal(value=bool() as flag):
            return ("true" if flag else "false",)
        case ast.Literal(value=int() | float() as number):
            return (str(number),)
        case ast.ListExpr(elements=elements):
            texts = [_literals(element) for element in elements]
            return tuple(one[0] for one in texts) if all(len(t) == 1 for t in texts) else ()
        case ast.Call(function=name, args=(argument, *_)) if name in _CONSTRUCTORS:
            inner = _literals(argument)
            plain = isinstance(argument, ast.Literal) and name != "dyn"
            return (inner[0][1:-1],) if plain and inner and inner[0][:1] == '"' else inner
        case _:
            return ()


def _nearest_value(read: Read, operator: str, wanted: Sequence[str], fleet: Fleet) -> str | None:
    values = [text for text, _ in fleet.values(read)]
    if not values or any(one in values for one in wanted):
        return None
    if operator in {"<", "<=", ">", ">=", "compareTo"}:
        return None
    for one in wanted:
        near = nearest(one.strip('"'), [value.strip('"') for value in values])
        if near is not None:
            return quote(near) if quote(near) in values else near
    return None


def _children(e: ast.Expr) -> list[ast.Expr]:
    match e:
        case ast.Select(operand=operand):
            return [operand]
        case ast.Call(args=args, target=target):
            return [*args] if target is None else [target, *args]
        case ast.ListExpr(elements=elements):
            return list(elements)
        case ast.MapExpr(entries=entries) | ast.Struct(entries=entries):
            keys = [entry.key for entry in entries if not isinstance(entry.key, str)]
            return [*keys, *(entry.value for entry in entries)]
        case ast.Comprehension():
            return [e.range, e.accu_init, e.condition, e.step, e.result]
        case _:
            return []
