"""Run-time values of CEL.

Python's own immutable types stand for CEL's wherever they behave alike: bool, int (64 bit, checked
by the operators), float, str (code points), bytes, None for null, tuple for lists. The rest is
here. `type(x)` tells the CEL type, so no test of a value may use `isinstance` with int.

Errors are exceptions: `CelError` is CEL's error value, which `&&`, `||` and folds absorb;
`CostExceededError` and `GoPanicError` end the evaluation and are never absorbed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final


class UInt(int):
    """A CEL uint: 64 bit, unsigned; a class of its own so that `type(x)` tells it from int."""

    __slots__ = ()


class CelError(Exception):
    """A CEL error value; `str(error)` is cel-go's text."""


class CostExceededError(Exception):
    """The run-time cost went over the limit, or a value grew so large that using it would."""

    def __init__(self) -> None:
        super().__init__("operation cancelled: actual cost limit exceeded")


class GoPanicError(Exception):
    """Where the Go implementation panics; the text is what its recovery reports."""


def no_such_overload(name: str = "") -> CelError:
    """Return the error of wrong run-time types; `name` is the operator's, for some of them."""
    return CelError(f"no such overload: {name}" if name else "no such overload")


class Steps:
    """How many nested elements one operation may still visit.

    A list of two references to a list of two references ... is small and takes for ever to walk:
    Go would hang, and no cost is counted for it.
    """

    __slots__ = ("left",)

    def __init__(self) -> None:
        self.left = _MOST_STEPS

    def take(self, count: int) -> None:
        """Count visits; CostExceededError when there are too many."""
        self.left -= count
        if self.left < 0:
            raise CostExceededError


_MOST_STEPS: Final = 1 << 17
MOST_ELEMENTS: Final = 1 << 20
"""Lists beyond this cannot be used within the cost limit, so they are not built."""
MOST_CHARACTERS: Final = 10_000_000
"""Strings beyond this cost more than the limit at their first use (0.1 for each character)."""


@dataclass(frozen=True, slots=True)
class Duration:
    """A duration in nanoseconds, within int64."""

    nanoseconds: int


@dataclass(frozen=True, slots=True, eq=False)
class OptionalValue:
    """optional_type: a value, or none."""

    present: bool
    content: Any = None


NONE: Final = OptionalValue(present=False)


@dataclass(frozen=True, slots=True)
class TypeValue:
    """A type as a value, by its run-time name."""

    name: str


class MutableList(list[Any]):
    """The accumulator of a fold that starts as an empty list: `+` appends in place."""

    __slots__ = ()


class ConcatList:
    """The sum of two lists, put together when it is first read (cel-go's concatList)."""

    __slots__ = ("_left", "_merged", "_right", "size")

    def __init__(self, left: Any, right: Any) -> None:
        self._left = left
        self._right = right
        self._merged: tuple[Any, ...] | None = None
        self.size: int = list_size(left) + list_size(right)

    def items(self) -> tuple[Any, ...]:
        """Return the elements."""
        if self._merged is None:
            if self.size > MOST_ELEMENTS:
                raise CostExceededError
            merged: list[Any] = []
            waiting = [self._right, self._left]
            while waiting:
                part = waiting.pop()
                if type(part) is ConcatList and part._merged is None:  # noqa: SLF001 - same class
                    waiting.append(part._right)  # noqa: SLF001
                    waiting.append(part._left)  # noqa: SLF001
                else:
                    merged.extend(list_items(part))
            self._merged = tuple(merged)
            self._left = self._right = ()
        return self._merged


LIST_TYPES: Final = frozenset({tuple, MutableList, ConcatList})


def list_items(value: Any) -> Sequence[Any]:
    """Return the elements of a list value."""
    if type(value) is ConcatList:
        return value.items()
    items: Sequence[Any] = value
    return items


def list_size(value: Any) -> int:
    """Return the number of elements of a list value without building it."""
    return value.size if type(value) is ConcatList else len(value)


class _ByIdentity:
    """A key that Go compares by its pointer."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value

    def __hash__(self) -> int:
        return id(self.value)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _ByIdentity) and other.value is self.value


class MapValue:
    """A CEL map.

    `entries` is keyed by text for string keys and by (type, key) for all others, since Python takes
    1, 1.0 and true for one key. `default` is what a missing key reads as (the outer maps of the
    device). `native` maps (of the device) are Go maps with string keys, which other keys never hit.
    """

    __slots__ = ("default", "entries", "native")

    def __init__(
        self,
        entries: dict[Any, Any] | None = None,
        default: MapValue | None = None,
        *,
        native: bool = False,
    ) -> None:
        self.entries: dict[Any, Any] = {} if entries is None else entries
        self.default = default
        self.native = native

    def __len__(self) -> int:
        return len(self.entries)

    def keys(self) -> Iterator[Any]:
        """Iterate over the keys as CEL values."""
        for key in self.entries:
            yield key if type(key) is str else original_key(key)

    def items(self) -> Iterator[tuple[Any, Any]]:
        """Iterate over keys and values."""
        for key, value in self.entries.items():
            yield (key if type(key) is str else original_key(key)), value

    def find(self, key: Any, missing: Any = None) -> Any:
        """Return the value of a key without the default; numbers match across types."""
        if type(key) is str:
            return self.entries.get(key, missing)
        if self.native or not self.entries:
            return missing
        found = self.entries.get(map_key(key), missing)
        if found is not missing:
            return found
        for other in _same_number(key):
            found = self.entries.get((type(other), other), missing)
            if found is not missing:
                return found
        return missing


class MutableMap(MapValue):
    """The accumulator of a fold that starts as an empty map: entries are put in place."""

    __slots__ = ()


MAP_TYPES: Final = frozenset({MapValue, MutableMap})
_UINT64_LIMIT: Final = 2.0**64
_INT64_LIMIT: Final = 2.0**63


def _same_number(key: Any) -> Iterator[Any]:
    """Yield the same number as another type, as cel-go's maps look it up."""
    kind = type(key)
    if kind is float:
        if abs(key) < _UINT64_LIMIT and key == int(key):
            if -_INT64_LIMIT < key < _INT64_LIMIT:
                yield int(key)
            if key >= 0:
                yield UInt(int(key))
    elif kind is int:
        if key >= 0:
            yield UInt(key)
    elif kind is UInt and key < 1 << 63:
        yield int(key)


def map_key(key: Any) -> Any:
    """Return how a key is kept in `MapValue.entries`; GoPanicError for what Go cannot hash."""
    kind = type(key)
    if kind is str:
        return key
    if kind in _VALUE_KEYS:
        return (kind, key)
    panic = UNHASHABLE.get(type_name(key))
    if panic is not None:
        raise GoPanicError(f"runtime error: hash of unhashable type {panic}")
    if type_name(key) == "google.protobuf.Timestamp" and key.offset_s == 0:
        return (kind, key)
    return _ByIdentity(key)


def original_key(kept: Any) -> Any:
    """Return the key of what `map_key` made of it."""
    return kept.value if type(kept) is _ByIdentity else kept[1]


@dataclass(frozen=True, slots=True)
class IPValue:
    """A net.IP: its bytes (4 or 16)."""

    packed: bytes


@dataclass(frozen=True, slots=True)
class CIDRValue:
    """A net.CIDR: the address with its host bits, and the length of the prefix."""

    packed: bytes
    bits: int


@dataclass(frozen=True, slots=True)
class FormatValue:
    """A kubernetes.NamedFormat: Go's name, the name in CEL, the assumed length of its regex."""

    name: str
    key: str
    max_regex_size: int


_VALUE_KEYS: Final = frozenset(
    {bool, int, UInt, float, type(None), Duration, TypeValue, IPValue, CIDRValue}
)
UNHASHABLE: Final[Mapping[str, str]] = {
    "kubernetes.Semver": "cel.Semver",
    "kubernetes.NamedFormat": "cel.Format",
    "bytes": "types.Bytes",
}
"""By run-time type name: what Go panics about when it is used as a key."""

_NAMES: Final[dict[type, tuple[str, str]]] = {
    bool: ("bool", "types.Bool"),
    int: ("int", "types.Int"),
    UInt: ("uint", "types.Uint"),
    float: ("double", "types.Double"),
    str: ("string", "types.String"),
    bytes: ("bytes", "types.Bytes"),
    type(None): ("null_type", "types.Null"),
    tuple: ("list", "*types.baseList"),
    MutableList: ("list", "*types.mutableList"),
    ConcatList: ("list", "*types.concatList"),
    MapValue: ("map", "*types.baseMap"),
    MutableMap: ("map", "*types.mutableMap"),
    Duration: ("google.protobuf.Duration", "types.Duration"),
    OptionalValue: ("optional_type", "*types.Optional"),
    TypeValue: ("type", "*types.Type"),
    IPValue: ("net.IP", "cel.IP"),
    CIDRValue: ("net.CIDR", "cel.CIDR"),
    FormatValue: ("kubernetes.NamedFormat", "cel.Format"),
}
_BY_CLASS_NAME: Final[dict[str, tuple[str, str]]] = {
    "Instant": ("google.protobuf.Timestamp", "types.Timestamp"),
    "Quantity": ("kubernetes.Quantity", "cel.Quantity"),
    "SumQuantity": ("kubernetes.Quantity", "*cel.Quantity"),
    "Semver": ("kubernetes.Semver", "cel.Semver"),
    "URL": ("kubernetes.URL", "cel.URL"),
}


def type_name(value: Any) -> str:
    """Return the run-time name of a value's type, e.g. `google.protobuf.Timestamp`."""
    kind = type(value)
    return (_NAMES.get(kind) or _BY_CLASS_NAME[kind.__name__])[0]


def go_type(value: Any) -> str:
    """Return the name of the Go type that cel-go holds a value in, e.g. `types.String`."""
    kind = type(value)
    return (_NAMES.get(kind) or _BY_CLASS_NAME[kind.__name__])[1]
