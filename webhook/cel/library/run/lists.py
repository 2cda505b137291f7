"""Lists of Kubernetes and of cel-go, sets, optionals, maps of folds, `includes`."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any, Final

from webhook.cel.arithmetic import add
from webhook.cel.equality import ORDERED, compare, surely_equal
from webhook.cel.instants import FIRST_SECOND, Instant
from webhook.cel.printed import printed
from webhook.cel.unstable import unstable_order
from webhook.cel.values import (
    LIST_TYPES,
    MOST_ELEMENTS,
    NONE,
    CelError,
    CostExceededError,
    Duration,
    MapValue,
    MutableMap,
    OptionalValue,
    Steps,
    UInt,
    list_items,
    list_size,
    map_key,
    no_such_overload,
    type_name,
)

_ELEMENTS: Final = ("int", "uint", "double", "bool", "duration", "timestamp", "string", "bytes")
_ZEROES: Final = {"int": 0, "uint": UInt(0), "double": 0.0, "duration": Duration(0)}
_MOST_COMPARED: Final = 1_000
"""The square of more elements is beyond the cost limit."""
_MOST_INCLUDED: Final = 48


def _order(left: Any, right: Any) -> int | None:
    try:
        return compare(left, right)
    except CelError:
        return None


def is_sorted(value: Any) -> bool:
    """Return whether no element is larger than the next one."""
    items = list_items(value)
    for item in items:
        if type(item) not in ORDERED:
            raise no_such_overload()
    return all(_order(a, b) != 1 for a, b in pairwise(items))


def _best(name: str, worse: int) -> Callable[[Any], Any]:
    def best(value: Any) -> Any:
        items = list_items(value)
        if not items:
            raise CelError(f"{name} called on empty list")
        found = items[0]
        for item in items:
            if type(item) not in ORDERED:
                raise no_such_overload()
            if item is not found and _order(found, item) == worse:
                found = item
        return found

    return best


def _sum(zero: Any) -> Callable[[Any], Any]:
    def total(value: Any) -> Any:
        result = zero
        for item in list_items(value):
            result = add(result, item)
        return result

    return total


def index_of(value: Any, item: Any) -> int:
    """Return the first index of an equal element, or -1."""
    for index, element in enumerate(list_items(value)):
        if surely_equal(element, item):
            return index
    return -1


def last_index_of(value: Any, item: Any) -> int:
    """Return the last index of an equal element, or -1."""
    items = list_items(value)
    for index in range(len(items) - 1, -1, -1):
        if surely_equal(items[index], item):
            return index
    return -1


def make_range(count: int) -> tuple[int, ...]:
    """Return the integers from 0 to count - 1."""
    if count > MOST_ELEMENTS:
        raise CostExceededError
    return tuple(range(count))


def flatten(value: Any, depth: Any = 1) -> tuple[Any, ...]:
    """Return a list with nested lists opened, to a depth."""
    if type(value) not in LIST_TYPES or type(depth) is not int:
        suffix = (
            f"flatten({type_name(depth)})" if depth != 1 or type(depth) is not int else "flatten()"
        )
        raise CelError(f"no such overload: {type_name(value)}.{suffix}")
    if depth < 0:
        raise CelError("level must be non-negative")
    found: list[Any] = []
    _flatten(value, depth, found, Steps())
    return tuple(found)


def _flatten(value: Any, depth: int, found: list[Any], steps: Steps) -> None:
    steps.take(1)
    for item in list_items(value):
        if depth > 0 and type(item) in LIST_TYPES:
            _flatten(item, depth - 1, found, steps)
        else:
            found.append(item)
    if len(found) > MOST_ELEMENTS:
        raise CostExceededError


def distinct(value: Any) -> Any:
    """Return the first of each set of equal elements."""
    if list_size(value) > _MOST_COMPARED:
        raise CostExceededError
    found: list[Any] = []
    for item in list_items(value):
        if not any(surely_equal(item, other) for other in found):
            found.append(item)
    return tuple(found)


def slice_of(value: Any, start: int, end: int) -> tuple[Any, ...]:
    """Return the elements from start to end, half-open."""
    call = f"cannot slice({start}, {end}),"
    if start < 0 or end < 0:
        raise CelError(f"{call} negative indexes not supported")
    if start > end:
        raise CelError(f"{call} start index must be less than or equal to end index")
    if list_size(value) < end:
        raise CelError(f"{call} list is length {list_size(value)}")
    return tuple(list_items(value)[start:end])


def sort(value: Any) -> Any:
    """Return the elements in ascending order."""
    if type(value) not in LIST_TYPES:
        raise no_such_overload("sort")
    return sort_by_keys(value, value)


def sort_by_keys(value: Any, keys: Any) -> Any:
    """Return the elements in the order of their keys."""
    if type(value) not in LIST_TYPES:
        raise no_such_overload("@sortByAssociatedKeys")
    if list_size(value) != list_size(keys):
        raise CelError(
            "@sortByAssociatedKeys() expected a list of the same size as the associated keys "
            f"list, but got {list_size(value)} and {list_size(keys)} elements respectively"
        )
    if not list_size(value):
        return value
    if list_size(value) > _MOST_COMPARED:
        raise CostExceededError
    items, by = list_items(value), list_items(keys)
    if type(by[0]) not in ORDERED:
        raise CelError("list elements must be comparable")
    if any(type(key) is not type(by[0]) for key in by):
        raise CelError("list elements must have the same type")

    order = unstable_order(len(by), lambda left, right: _order(by[left], by[right]) == -1)
    return tuple([items[index] for index in order])


def _contains_all(value: Any, part: Any) -> bool:
    items = list_items(value)
    return all(any(surely_equal(one, item) for item in items) for one in list_items(part))


def _intersects(left: Any, right: Any) -> bool:
    items = list_items(right)
    return any(any(surely_equal(one, item) for item in items) for one in list_items(left))


def includes(value: Any, item: Any) -> bool:
    """Return whether a value is, or a list of at most 48 has, an equal element."""
    if type(value) not in LIST_TYPES:
        return surely_equal(value, item)
    for index, element in enumerate(list_items(value)):
        if index >= _MOST_INCLUDED:
            raise CelError("'includes' function cannot be applied to lists longer than 48 values")
        if surely_equal(element, item):
            return True
    return False


def _included(value: Any, item: Any) -> bool:
    if type(value) not in LIST_TYPES:
        return surely_equal(value, item)
    return any(surely_equal(element, item) for element in list_items(value))


def _some(value: Any) -> OptionalValue:
    return OptionalValue(present=True, content=value)


def _non_zero(value: Any) -> OptionalValue:
    kind = type(value)
    if value is None or (kind in LIST_TYPES and not list_size(value)):
        return NONE
    zero = kind in {bool, int, UInt, float, str, bytes, MapValue, MutableMap} and not value
    if kind is MapValue or kind is MutableMap:
        zero = not len(value)
    if kind is Duration:
        zero = not value.nanoseconds
    if kind is Instant:
        zero = (value.seconds, value.nanos) == (FIRST_SECOND, 0)
    return NONE if zero else _some(value)


def _value(value: OptionalValue) -> Any:
    if not value.present:
        raise CelError("optional.none() dereference")
    return value.content


def _unwrap(value: Any) -> tuple[Any, ...]:
    found = []
    for item in list_items(value):
        if type(item) is not OptionalValue:
            raise CelError(f"value {printed(item)} is not optional")
        if item.present:
            found.append(item.content)
    return tuple(found)


def _end(index: int) -> Callable[[Any], OptionalValue]:
    return lambda value: _some(list_items(value)[index]) if list_size(value) else NONE


def _insert(target: MapValue, key: Any, value: Any) -> MapValue:
    if target.find(key, _MISSING) is not _MISSING:
        raise CelError(f"insert failed: key {printed(key)} already exists")
    if type(target) is MutableMap:
        target.entries[map_key(key)] = value
        return target
    return MapValue({**target.entries, map_key(key): value})


def _insert_all(target: MapValue, other: MapValue) -> MapValue:
    for key, value in other.items():
        target = _insert(target, key, value)
    return target


_MISSING: Final = object()

BY_OVERLOAD: Final[dict[str, Callable[..., Any]]] = {
    **{f"list_{kind}_is_sorted_bool": is_sorted for kind in _ELEMENTS},
    **{f"list_{kind}_min_{kind}": _best("min", 1) for kind in _ELEMENTS},
    **{f"list_{kind}_max_{kind}": _best("max", -1) for kind in _ELEMENTS},
    **{f"list_{kind}_sum_{kind}": _sum(zero) for kind, zero in _ZEROES.items()},
    "list_a_index_of_int": index_of,
    "list_a_last_index_of_int": last_index_of,
    "lists_range": make_range,
    "list_distinct": distinct,
    "list_reverse": lambda value: tuple(reversed(list_items(value))),
    "list_slice": slice_of,
    "list_sets_contains_list": _contains_all,
    "list_sets_equivalent_list": lambda a, b: _contains_all(a, b) and _contains_all(b, a),
    "list_sets_intersects_list": _intersects,
    "dra_includes_dyn_dyn": includes,
    "list_includes_dyn_dyn": _included,
    "optional_none": lambda: NONE,
    "optional_of": _some,
    "optional_ofNonZeroValue": _non_zero,
    "optional_value": _value,
    "optional_hasValue": lambda value: value.present,
    "optional_unwrap": _unwrap,
    "optional_unwrapOpt": _unwrap,
    "list_first": _end(0),
    "list_last": _end(-1),
    "@mapInsert_map_key_value": _insert,
    "@mapInsert_map_map": _insert_all,
}
