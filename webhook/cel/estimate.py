"""Static cost: the worst that an expression can cost, before it has seen a device.

A walk over the checked tree, as cel-go's checker does it (0.26 checker/cost.go). Kept beside each
node: the path by which it is reached from `device`, its size, and the sizes of its entries if it is
a list or map. The functions' own estimates are declared with their overloads.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final, TypeAlias
from typing import Literal as OneOf

from webhook.cel.ast import (
    Call,
    Comprehension,
    Expr,
    Ident,
    ListExpr,
    Literal,
    MapExpr,
    Select,
    Struct,
)
from webhook.cel.device_sizes import NO_PATH, SizePath, path_of, size_of_path
from webhook.cel.sizes import (
    LIST_COST,
    MAP_COST,
    MESSAGE_COST,
    ONE,
    STRING_FACTOR,
    UINT64_MAX,
    UNKNOWN,
    ZERO,
    CallEstimate,
    Range,
    fixed,
)
from webhook.cel.types import DYN, Type

_SCALARS: Final = frozenset({"bool", "double", "duration", "int", "timestamp", "uint"})
_ACCUMULATORS: Final = frozenset({"__result__", "@result"})
_NOTHING_YET: Final = Range(UINT64_MAX, 0)
"""The neutral element of union."""


@dataclass(frozen=True, slots=True)
class Operand:
    """What a function's estimate may know of its target or of one argument."""

    type: Type
    path: SizePath
    computed: Range | None
    expr: Expr | None = None

    @property
    def size(self) -> Range:
        """The computed size, else the one of the path, else unknown."""
        return self.computed or size_of_path(self.path) or UNKNOWN

    @property
    def known_by_computation(self) -> Range:
        """The computed size or unknown: how the standard library's own estimates look."""
        return self.computed or UNKNOWN

    def items(self) -> Operand | None:
        """Return the elements of a list (or what comes first in another generic type)."""
        if not self.type.params:
            return None
        path = self.path.copied().then("@items") if self.path.length else NO_PATH
        return Operand(self.type.params[0], path, None)


@dataclass(frozen=True, slots=True)
class CallShape:
    """One call as a function's estimate sees it."""

    target: Operand | None
    args: tuple[Operand, ...]


CallEstimator: TypeAlias = Callable[[CallShape], CallEstimate | None]
"""The `estimate` of an overload; None from it means: costs 1, result of unknown size."""


@dataclass(frozen=True, slots=True)
class _Entries:
    """Sizes of the keys (or indices) and values of a list or map."""

    kind: OneOf["list", "map"]
    key: Range
    value: Range

    def union(self, other: _Entries) -> _Entries:
        return _Entries(self.kind, self.key.union(other.key), self.value.union(other.value))


@dataclass(frozen=True, slots=True)
class _Local:
    """A variable that a comprehension or a bind introduces."""

    path: SizePath
    size: Range | None
    entries: _Entries | None = None


def estimate(
    tree: Expr,
    types: Mapping[int, Type],
    overloads: Mapping[int, tuple[str, ...]],
    estimators: Mapping[str, CallEstimator],
) -> Range:
    """Return the range of costs of a checked tree.

    `types` and `overloads` are the checker's answers by node id; `estimators` holds the estimate of
    each overload that has one, by overload id.
    """
    return _Walk(types, overloads, estimators).cost(tree)


class _Walk:
    def __init__(
        self,
        types: Mapping[int, Type],
        overloads: Mapping[int, tuple[str, ...]],
        estimators: Mapping[str, CallEstimator],
    ) -> None:
        self._types = types
        self._overloads = overloads
        self._estimators = estimators
        self._paths: dict[int, SizePath] = {}
        self._sizes: dict[int, Range] = {}
        self._entries: dict[int, _Entries] = {}
        self._locals: dict[str, list[_Local]] = {}

    def cost(self, e: Expr) -> Range:
        match e:
            case Literal():
                return ZERO
            case Ident(id=node, name=name):
                local = self._local(name)
                self._paths[node] = local.path if local else path_of(name)
                return ONE
            case Select():
                return self._select(e)
            case Call():
                return self._call(e)
            case ListExpr():
                return self._list(e)
            case MapExpr():
                return self._map(e)
            case Struct():
                total = MESSAGE_COST
                for entry in e.entries:
                    total += self.cost(entry.value)
                return total
            case Comprehension():
                return self._bind(e) if _is_bind(e) else self._comprehension(e)

    def _select(self, e: Select) -> Range:
        total = self.cost(e.operand)
        if e.test_only:
            return total
        if self._type(e.operand).kind in {"map", "object", "param"}:
            total += ONE
        self._paths[e.id] = self._path(e.operand).then(e.field)
        return total

    def _list(self, e: ListExpr) -> Range:
        total = LIST_COST
        item = _NOTHING_YET if e.elements else ZERO
        for element in e.elements:
            total += self.cost(element)
            item = item.union(self._size(element) or UNKNOWN)
        self._entries[e.id] = _Entries("list", ONE, item)
        return total

    def _map(self, e: MapExpr) -> Range:
        total = MAP_COST
        key = value = _NOTHING_YET if e.entries else ZERO
        for entry in e.entries:
            if isinstance(entry.key, str):
                continue
            total += self.cost(entry.key) + self.cost(entry.value)
            key = key.union(self._size(entry.key) or UNKNOWN)
            value = value.union(self._size(entry.value) or UNKNOWN)
        self._entries[e.id] = _Entries("map", key, value)
        return total

    # Calls.

    def _call(self, e: Call) -> Range:
        if e.function == "dyn" and len(e.args) == 1:
            total = self.cost(e.args[0]) + ONE
            self._copy_sizes(e, e.args[0])
            return total
        costs: list[Range] = []
        operands: list[Operand] = []
        for arg in e.args:
            costs.append(self.cost(arg))
            operands.append(self._operand(arg))
        candidates = self._overloads.get(e.id, ())
        if not candidates:
            return ZERO
        total = ZERO
        target: Operand | None = None
        if e.target is not None:
            total += self.cost(e.target)
            target = self._operand(e.target)
        shape = CallShape(target, tuple(operands))
        worst = _NOTHING_YET
        size: Range | None = None
        for overload in candidates:
            one = self._overload_cost(e, overload, shape, costs)
            worst = worst.union(one.cost)
            if one.size is not None:
                size = one.size if size is None else size.union(one.size)
            if overload in {"index_list", "index_map"} and e.args:
                entries = self._entry_sizes(e.args[0])
                size = entries.value if entries else None
                step = "@items" if overload == "index_list" else "@values"
                self._paths[e.id] = self._path(e.args[0]).then(step)
            if size is None:
                size = self._size(e)
        if size is not None:
            self._sizes[e.id] = size
        return total + worst

    def _overload_cost(
        self, e: Call, overload: str, shape: CallShape, costs: list[Range]
    ) -> CallEstimate:
        """Return the cost of one overload including the costs of the arguments."""
        args = shape.args
        match overload:
            case "logical_and" | "logical_or":
                return CallEstimate(Range(costs[0].min, (costs[0] + costs[1]).max))
            case "conditional":
                left = self._entry_sizes(e.args[1])
                right = self._entry_sizes(e.args[2])
                if left and right:
                    self._entries[e.id] = left.union(right)
                size = args[1].known_by_computation.union(args[2].known_by_computation)
                return CallEstimate(costs[0] + costs[1].union(costs[2]), size)
            case "add_string" | "add_bytes" | "add_list":
                left = self._entry_sizes(e.args[1])
                right = self._entry_sizes(e.args[0])
                if left and right:
                    self._entries[e.id] = right.union(left)
                size = args[0].known_by_computation + args[1].known_by_computation
                own = CallEstimate(
                    ONE if overload == "add_list" else size.scaled(STRING_FACTOR), size
                )
            case _:
                estimator = self._estimators.get(overload)
                answer = estimator(shape) if estimator else None
                own = answer or CallEstimate(ONE)
        total = own.cost
        for cost in costs:
            total += cost
        return CallEstimate(total, own.size)

    # Comprehensions.

    def _comprehension(self, e: Comprehension) -> Range:
        total = self.cost(e.range) + self.cost(e.accu_init)
        self._push(
            e.accu_var,
            _Local(
                self._path(e.accu_init), self._size(e.accu_init), self._entry_sizes(e.accu_init)
            ),
        )
        self._push_iteration(e)
        loop = self.cost(e.condition)
        step = self.cost(e.step)
        self._locals[e.iter_var].pop()
        if e.iter_var2:
            self._locals[e.iter_var2].pop()
        total += self.cost(e.result)
        self._locals[e.accu_var].pop()
        count = self._size(e.range) or UNKNOWN
        total += count * (step + loop)
        if isinstance(e.accu_init, Literal):
            initial = self._size(e.accu_init)
            if initial is not None:
                self._sizes[e.id] = initial
        elif isinstance(e.accu_init, ListExpr | MapExpr):
            self._sizes[e.id] = count
            entries = self._entry_sizes(e.step)
            if entries is not None:
                self._entries[e.id] = entries
        return total

    def _push_iteration(self, e: Comprehension) -> None:
        entries = self._entry_sizes(e.range)
        kind = entries.kind if entries else self._type(e.range).kind
        key = entries.key if entries else None
        value = entries.value if entries else None
        path = self._path(e.range)
        is_list = kind == "list"
        if e.iter_var2:
            self._push(e.iter_var, _Local(path.then("@indices" if is_list else "@keys"), key))
            self._push(e.iter_var2, _Local(path.then("@items" if is_list else "@values"), value))
        elif is_list:
            self._push(e.iter_var, _Local(path.then("@items"), value))
        else:
            self._push(e.iter_var, _Local(path.then("@keys"), key))

    def _bind(self, e: Comprehension) -> Range:
        total = self.cost(e.range) + self.cost(e.accu_init)
        self._push(
            e.accu_var,
            _Local(
                self._path(e.accu_init), self._size(e.accu_init), self._entry_sizes(e.accu_init)
            ),
        )
        total += self.cost(e.result)
        self._locals[e.accu_var].pop()
        self._copy_sizes(e, e.result)
        return total

    # What is known of a node.

    def _push(self, name: str, local: _Local) -> None:
        self._locals.setdefault(name, []).append(local)

    def _local(self, name: str) -> _Local | None:
        stack = self._locals.get(name)
        return stack[-1] if stack else None

    def _type(self, e: Expr) -> Type:
        return self._types.get(e.id, DYN)

    def _path(self, e: Expr) -> SizePath:
        if isinstance(e, Ident):
            local = self._local(e.name)
            if local is not None:
                return local.path
        return self._paths.get(e.id, NO_PATH)

    def _operand(self, e: Expr) -> Operand:
        path = self._path(e)
        if next(iter(path), "") in _ACCUMULATORS:
            path = NO_PATH
        return Operand(self._type(e), path, self._size(e), e)

    def _size(self, e: Expr) -> Range | None:
        known = self._sizes.get(e.id) or _own_size(e)
        if known is not None:
            return known
        by_path = size_of_path(self._path(e))
        if by_path is not None:
            self._sizes[e.id] = by_path
            return by_path
        if _is_scalar(self._type(e)):
            return ONE
        if isinstance(e, Ident):
            local = self._local(e.name)
            if local is not None:
                return local.size
        return None

    def _entry_sizes(self, e: Expr) -> _Entries | None:
        known = self._entries.get(e.id)
        if known is None and isinstance(e, Ident):
            local = self._local(e.name)
            return local.entries if local else None
        return known

    def _copy_sizes(self, to: Expr, source: Expr) -> None:
        size = self._size(source)
        if size is not None:
            self._sizes[to.id] = size
        entries = self._entry_sizes(source)
        if entries is not None:
            self._entries[to.id] = entries


def _is_bind(e: Comprehension) -> bool:
    """Tell cel.bind and its like: no range, a condition that is false, a variable of its own."""
    return (
        isinstance(e.range, ListExpr)
        and not e.range.elements
        and isinstance(e.condition, Literal)
        and e.condition.value is False
        and e.accu_var != "__result__"
    )


def _own_size(e: Expr) -> Range | None:
    match e:
        case Literal(value=str() | bytes() as text):
            return fixed(len(text))
        case Literal():
            return ONE
        case ListExpr():
            return fixed(len(e.elements))
        case MapExpr():
            return fixed(len(e.entries))
        case _:
            return None


def _is_scalar(t: Type) -> bool:
    while t.kind in {"optional", "wrapper"} and t.params:
        t = t.params[0]
    return t.kind in _SCALARS
