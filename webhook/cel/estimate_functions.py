"""Static estimates of the functions: cost and size of the result, by the shapes of the operands.

Each is the `estimate` of one or more overloads. Sources: google/cel-go 0.26 checker/cost.go and
ext/{lists,sets}.go, kubernetes/apiserver pkg/cel/library/cost.go and
dynamic-resource-allocation/cel/compile.go 1.36.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from webhook.cel.ast import Literal
from webhook.cel.estimate import CallEstimator, CallShape, Operand
from webhook.cel.sizes import (
    LIST_COST,
    ONE,
    REGEX_FACTOR,
    STRING_FACTOR,
    UINT64_MAX,
    CallEstimate,
    Range,
    divide_up,
    fixed,
    wrap,
)
from webhook.cel.values import UInt

_ADDRESS: Final = Range(4, 16)
"""Bytes of an IP address."""
_LONGEST_FORMAT_NAME: Final = 64
_LONGEST_FORMAT_PATTERN: Final = 128
_LONGEST_ATTRIBUTE_LIST: Final = 48
_CONSTANT_EQUALITY: Final = frozenset(
    {"net.IP", "net.CIDR", "kubernetes.Quantity", "kubernetes.Semver"}
)


# The standard library.


def size_of_text_times_four(call: CallShape) -> CallEstimate:
    """`bytes(string)`: each character may become four bytes."""
    size = call.args[0].known_by_computation
    return CallEstimate(size.scaled(STRING_FACTOR), Range(size.min, wrap(size.max * 4)))


def text_of_bytes(call: CallShape) -> CallEstimate:
    """`string(bytes)`: four bytes may become one character."""
    size = call.args[0].known_by_computation
    return CallEstimate(size.scaled(STRING_FACTOR), Range(size.min // 4, size.max))


def quoted(call: CallShape) -> CallEstimate:
    """`strings.quote`: each character may be escaped, and two quotes are added."""
    size = call.args[0].known_by_computation
    return CallEstimate(
        size.scaled(STRING_FACTOR), Range(wrap(size.min + 2), wrap(size.max * 2 + 2))
    )


def formatted(call: CallShape) -> CallEstimate | None:
    """`string.format`: a traversal of the format; the result has no bound."""
    if call.target is None:
        return None
    return CallEstimate(call.target.known_by_computation.scaled(STRING_FACTOR))


def affix(call: CallShape) -> CallEstimate:
    """`startsWith`, `endsWith`: a traversal of the argument."""
    return CallEstimate(call.args[0].known_by_computation.scaled(STRING_FACTOR))


def contained(call: CallShape) -> CallEstimate | None:
    """`contains`: the product of both traversals."""
    if call.target is None:
        return None
    own = call.target.known_by_computation.scaled(STRING_FACTOR)
    return CallEstimate(own * call.args[0].known_by_computation.scaled(STRING_FACTOR))


def matched(call: CallShape) -> CallEstimate | None:
    """`s.matches(p)`: text times pattern; the global form has no target and costs 1."""
    if call.target is None:
        return None
    own = (call.target.known_by_computation + ONE).scaled(STRING_FACTOR)
    return CallEstimate(own * call.args[0].known_by_computation.scaled(REGEX_FACTOR))


def element_of(call: CallShape) -> CallEstimate:
    """`x in list`: the size of the list."""
    return CallEstimate(call.args[1].known_by_computation.scaled(1))


def compared(call: CallShape) -> CallEstimate:
    """`!=`, and `<` and the like on strings and bytes: as far as the shorter one goes."""
    smallest = min(arg.known_by_computation.max for arg in call.args)
    return CallEstimate(Range(min(1, smallest), smallest).scaled(STRING_FACTOR))


def equal(call: CallShape) -> CallEstimate:
    """`==`: as `compared`, but known for the types of Kubernetes."""
    left, right = call.args
    if _run_time_name(left) == _run_time_name(right):
        name = left.type.name
        if name in _CONSTANT_EQUALITY:
            return CallEstimate(ONE)
        if name == "kubernetes.NamedFormat":
            return CallEstimate(Range(1, _LONGEST_FORMAT_NAME).scaled(STRING_FACTOR))
        if name == "kubernetes.URL":
            # Both sides are looked up at the right operand there; so the left one has no say.
            size = right.computed or ONE
            return CallEstimate(Range(1, size.max).scaled(STRING_FACTOR))
    return compared(call)


def _run_time_name(operand: Operand) -> tuple[str, str]:
    return (operand.type.kind, operand.type.name)


# Strings of cel-go's extension and of Kubernetes.


def same_size(call: CallShape) -> CallEstimate | None:
    """`lowerAscii`, `upperAscii`, `substring`, `trim`: a traversal, and no longer than the text."""
    if call.target is None:
        return None
    size = call.target.size
    return CallEstimate(size.scaled(STRING_FACTOR), size)


def parsed_same_size(call: CallShape) -> CallEstimate:
    """`url(s)`: a traversal; as large as the text."""
    size = call.args[0].size
    return CallEstimate(size.scaled(STRING_FACTOR), size)


def parsed(call: CallShape) -> CallEstimate:
    """`quantity`, `semver`, `ip`, `cidr` and their `is…`: a traversal of the text."""
    return CallEstimate(call.args[0].size.scaled(STRING_FACTOR))


def parsed_twice(call: CallShape) -> CallEstimate:
    """`ip.isCanonical`: parse, print and compare."""
    return CallEstimate(call.args[0].size.scaled(2 * STRING_FACTOR))


def replaced(call: CallShape) -> CallEstimate | None:
    """`replace`: the shortest places filled with the longest text, as often as possible."""
    if call.target is None:
        return None
    text, old, new = call.target.size, call.args[0].size, call.args[1].size
    most = longest_kept = least = shortest_kept = 0
    if old.min == 0:
        most = min(text.max + 1, UINT64_MAX)
        longest_kept = text.max
    elif new.max <= old.min:
        longest_kept = text.max
    else:
        most = divide_up(text.max, old.min)
    if old.max == 0:
        least = min(text.min + 1, UINT64_MAX)
        shortest_kept = text.min
    elif old.max <= new.min:
        shortest_kept = text.min
    else:
        least = divide_up(text.min, old.max)
    size = Range(least, most) * new + Range(shortest_kept, longest_kept)
    return CallEstimate(text.scaled(2 * STRING_FACTOR), size)


def split(call: CallShape) -> CallEstimate | None:
    """`split`: at most one part per character, or the literal limit (-1 wraps to 2^64-1)."""
    if call.target is None:
        return None
    text = call.target.size
    most = text.max
    if len(call.args) > 1:
        limit = _int_literal(call.args[1])
        most = text.max if limit is None else wrap(limit)
    return CallEstimate(text.scaled(2 * STRING_FACTOR), Range(0, most))


def joined(call: CallShape) -> CallEstimate | None:
    """`join`: elements times the number of them, and a separator between each two."""
    if call.target is None:
        return None
    count = call.target.size
    items = call.target.items()
    size = count * items.size if items else fixed(0)
    if call.args:
        between = Range(max(count.min - 1, 0), max(count.max - 1, 0))
        size += call.args[0].size * between
    return CallEstimate(size.scaled(STRING_FACTOR), size)


def found(call: CallShape) -> CallEstimate | None:
    """`find`, `findAll`: text times pattern; at most one find per character."""
    if call.target is None:
        return None
    text = call.target.size
    cost = (text + ONE).scaled(STRING_FACTOR) * call.args[0].size.scaled(REGEX_FACTOR)
    return CallEstimate(cost, Range(0, text.max))


def traversed(call: CallShape) -> CallEstimate | None:
    """`isSorted`, `sum`, `min`, `max`, `indexOf`, `lastIndexOf`: each element looked at once.

    On a string, which has no elements for the checker, a traversal of it.
    """
    if call.target is None:
        return None
    items = call.target.items()
    if items is None:
        return CallEstimate(call.target.size.scaled(STRING_FACTOR))
    each = ONE
    if items.type.kind in {"string", "bytes"}:
        each += items.size.scaled(STRING_FACTOR)
    return CallEstimate(call.target.size * each)


# Lists, version 3, and sets.


def sliced(call: CallShape) -> CallEstimate | None:
    """`slice(a, b)`: by the literals; wraps below zero when b is less than a."""
    if call.target is None:
        return None
    start = _index(call.args[0], 0)
    end = _index(call.args[1], call.target.size.max)
    return _allocated(1, fixed(wrap(end - start)))


def ranged(call: CallShape) -> CallEstimate:
    """`lists.range(n)`: n if it is a literal, else unbounded."""
    return _allocated(1, fixed(_index(call.args[0], UINT64_MAX)))


def reversed_list(call: CallShape) -> CallEstimate | None:
    """`reverse`: a new list of the same size."""
    return _allocated(1, call.target.size) if call.target else None


def flattened(call: CallShape) -> CallEstimate | None:
    """`flatten`: by the depth."""
    if call.target is None:
        return None
    depth = _index(call.args[0], UINT64_MAX) if call.args else 1
    return _allocated(float(depth), call.target.size)


def distinct(call: CallShape) -> CallEstimate | None:
    """`distinct`, and `sort` of scalars: every element against every other."""
    return _squared(call.target, 2.0) if call.target else None


def sorted_texts(call: CallShape) -> CallEstimate | None:
    """`sort` of strings and bytes."""
    return _squared(call.target, 2.0 + STRING_FACTOR) if call.target else None


def sorted_by_keys(call: CallShape) -> CallEstimate:
    """`sortBy` with scalar keys: by the size of the list of keys."""
    return _squared(call.args[0], 2.0)


def sorted_by_texts(call: CallShape) -> CallEstimate:
    """`sortBy` with keys that are strings or bytes."""
    return _squared(call.args[0], 2.0 + STRING_FACTOR)


def sets_compared(call: CallShape) -> CallEstimate:
    """`sets.contains`, `sets.intersects`: each against each."""
    return CallEstimate(call.args[0].size * call.args[1].size + ONE)


def sets_equivalent(call: CallShape) -> CallEstimate:
    """`sets.equivalent`: each against each, both ways."""
    return CallEstimate((call.args[0].size * call.args[1].size).scaled(2) + ONE)


# Addresses, formats, authorizer, attributes.


def contains_ip(_call: CallShape) -> CallEstimate:
    """`containsIP(ip)`: two addresses compared."""
    return CallEstimate((_ADDRESS + _ADDRESS).scaled(STRING_FACTOR))


def contains_ip_text(call: CallShape) -> CallEstimate:
    """`containsIP(string)`: the text is parsed first."""
    return CallEstimate(contains_ip(call).cost + call.args[0].size.scaled(STRING_FACTOR))


def contains_cidr(call: CallShape) -> CallEstimate:
    """`containsCIDR(cidr)`: masked, then compared."""
    cost = contains_ip(call).cost + _ADDRESS.scaled(STRING_FACTOR) + ONE
    return CallEstimate(cost)


def contains_cidr_text(call: CallShape) -> CallEstimate:
    """`containsCIDR(string)`: the text is parsed first."""
    return CallEstimate(contains_cidr(call).cost + call.args[0].size.scaled(STRING_FACTOR))


def validated(call: CallShape) -> CallEstimate:
    """`format.validate(s)`: a pattern of the longest length allowed for named formats."""
    cost = call.args[0].size.scaled(STRING_FACTOR)
    return CallEstimate(cost.scaled(_LONGEST_FORMAT_PATTERN * REGEX_FACTOR))


def authorized(_call: CallShape) -> CallEstimate:
    """`check()`: so dear that an expression can hold two."""
    return CallEstimate(fixed(350_000))


def selector_parsed(call: CallShape) -> CallEstimate:
    """`fieldSelector`, `labelSelector`: parse, and one requirement per two characters."""
    size = call.args[0].size
    requirements = size.scaled(0.5).scaled(50)
    return CallEstimate(LIST_COST + size.scaled(STRING_FACTOR) + requirements)


def included(_call: CallShape) -> CallEstimate:
    """`x.includes(v)`: at most the entries that a list attribute may have."""
    return CallEstimate(Range(0, _LONGEST_ATTRIBUTE_LIST))


def _int_literal(operand: Operand) -> int | None:
    if isinstance(operand.expr, Literal):
        value = operand.expr.value
        if isinstance(value, int) and not isinstance(value, bool | UInt):
            return value
    return None


def _index(operand: Operand, default: int) -> int:
    value = _int_literal(operand)
    return default if value is None else max(value, 0)


def _squared(operand: Operand, factor: float) -> CallEstimate:
    return _allocated(factor, operand.size * operand.size)


def _allocated(factor: float, size: Range) -> CallEstimate:
    return CallEstimate(size.scaled(factor) + ONE + LIST_COST, size)


_SCALARS: Final = (
    "bool",
    "double",
    "google.protobuf.Duration",
    "google.protobuf.Timestamp",
    "int",
    "uint",
)
_TEXTS: Final = ("bytes", "string")

BY_OVERLOAD: Final[Mapping[str, CallEstimator]] = MappingProxyType(
    {
        "equals": equal,
        "not_equals": compared,
        **{
            f"{order}_{text}": compared
            for order in ("less", "less_equals", "greater", "greater_equals")
            for text in _TEXTS
        },
        "in_list": element_of,
        "starts_with_string": affix,
        "ends_with_string": affix,
        "contains_string": contained,
        "matches_string": matched,
        "string_to_bytes": size_of_text_times_four,
        "bytes_to_string": text_of_bytes,
        "strings_quote": quoted,
        "string_format": formatted,
        "string_to_ip": parsed,
        "cidr_contains_ip_ip": contains_ip,
        "cidr_contains_ip_string": contains_ip_text,
        "cidr_contains_cidr": contains_cidr,
        "cidr_contains_cidr_string": contains_cidr_text,
        "list_slice": sliced,
        "list_flatten": flattened,
        "list_flatten_int": flattened,
        "lists_range": ranged,
        "list_reverse": reversed_list,
        "list_distinct": distinct,
        **{f"list_{scalar}_sort": distinct for scalar in _SCALARS},
        **{f"list_{text}_sort": sorted_texts for text in _TEXTS},
        **{f"list_{scalar}_sortByAssociatedKeys": sorted_by_keys for scalar in _SCALARS},
        **{f"list_{text}_sortByAssociatedKeys": sorted_by_texts for text in _TEXTS},
        "list_sets_contains_list": sets_compared,
        "list_sets_intersects_list": sets_compared,
        "list_sets_equivalent_list": sets_equivalent,
    }
)
"""Estimates of single overloads (cel-go's own and its extensions')."""

BY_FUNCTION: Final[Mapping[str, CallEstimator]] = MappingProxyType(
    {
        **dict.fromkeys(("isSorted", "sum", "max", "min", "indexOf", "lastIndexOf"), traversed),
        **dict.fromkeys(("lowerAscii", "upperAscii", "substring", "trim"), same_size),
        **dict.fromkeys(("find", "findAll"), found),
        **dict.fromkeys(
            ("cidr", "isIP", "isCIDR", "quantity", "isQuantity", "semver", "isSemver"), parsed
        ),
        **dict.fromkeys(("fieldSelector", "labelSelector"), selector_parsed),
        "url": parsed_same_size,
        "replace": replaced,
        "split": split,
        "join": joined,
        "ip.isCanonical": parsed_twice,
        "validate": validated,
        "check": authorized,
        "includes": included,
    }
)
"""Estimates of Kubernetes, which go by the function's name whatever the overload."""
