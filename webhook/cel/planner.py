"""Plans: what each node of a checked tree does at run time, with constants folded.

Mirrors cel-go 0.26 `interpreter/planner.go` and `decorators.go` to the step, because the run-time
cost counts the steps. `PlanError` is what makes `program instantiation failed`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, TypeAlias

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
from webhook.cel.attributes import MISSING, check_qualifier, find, missing, rewrapped
from webhook.cel.calls import Calls
from webhook.cel.costs import size_of
from webhook.cel.dialect import Dialect
from webhook.cel.equality import equal, surely_equal
from webhook.cel.folds import plan_fold
from webhook.cel.messages import build_message
from webhook.cel.names import TYPE_VALUES
from webhook.cel.printed import printed
from webhook.cel.types import Type
from webhook.cel.values import (
    NONE,
    CelError,
    CostExceededError,
    GoPanicError,
    MapValue,
    OptionalValue,
    TypeValue,
    UInt,
    map_key,
    no_such_overload,
    type_name,
)


class PlanError(ValueError):
    """A program that cannot be built; the message is the API server's, without its prefix."""


class State:
    """One evaluation: the device, the cost so far, and the variables of folds."""

    __slots__ = ("cost", "device", "limit", "slots")

    def __init__(self, device: MapValue | None, limit: int, slots: int) -> None:
        self.device = device
        self.cost = 0
        self.limit = limit
        self.slots: list[Any] = [MISSING] * slots


Run: TypeAlias = Callable[[State], Any]


class Node:
    """What a subtree became: a constant, an attribute, or something to run."""

    __slots__ = ("attribute", "constant", "is_constant", "run")

    def __init__(
        self, run: Run, attribute: Attribute | None = None, constant: Any = MISSING
    ) -> None:
        self.run = run
        self.attribute = attribute
        self.constant = constant
        self.is_constant = constant is not MISSING


class Qualifier:
    """One select or index; `key` is a constant, or `resolve` computes it."""

    __slots__ = ("key", "optional", "resolve", "test_only")

    def __init__(
        self,
        key: Any = None,
        resolve: Run | None = None,
        *,
        optional: bool = False,
        test_only: bool = False,
    ) -> None:
        self.key = key
        self.resolve = resolve
        self.optional = optional
        self.test_only = test_only


class Attribute:
    """A root and the qualifiers on it, or a condition and two attributes."""

    __slots__ = ("branches", "condition", "qualifiers", "root")

    def __init__(
        self,
        root: Run | None = None,
        condition: Run | None = None,
        branches: tuple[Attribute, ...] = (),
    ) -> None:
        self.root = root
        self.condition = condition
        self.branches = branches
        self.qualifiers: list[Qualifier] = []

    def add(self, qualifier: Qualifier) -> None:
        """Put a qualifier at the end; a conditional hands it to its branches."""
        for branch in self.branches:
            branch.add(qualifier)
        if not self.branches:
            self.qualifiers.append(qualifier)

    def resolve(self, state: State) -> Any:
        """Return the value, without the cost of the attribute itself."""
        if self.condition is not None:
            chosen = self.condition(state)
            if chosen is True:
                return self.branches[0].resolve(state)
            if chosen is False:
                return self.branches[1].resolve(state)
            raise no_such_overload()
        assert self.root is not None  # noqa: S101 - the other kind was handled above
        value = self.root(state)
        if type(value) is OptionalValue:
            value = rewrapped(value)
            if not self.qualifiers or not value.present:
                return value
            return _qualified(state, value.content, self.qualifiers, optional=True)
        if self.qualifiers:
            return _qualified(state, value, self.qualifiers, optional=False)
        return value

    def run(self, state: State) -> Any:
        """Return the value, and count it."""
        if self.condition is not None:
            value = self.resolve(state)
        else:
            try:
                value = self.resolve(state)
            except CelError:
                state.cost += 1
                raise
            state.cost += 1
            if state.cost > state.limit:
                raise CostExceededError
        if type(value) is CelError:
            raise value
        return value


def _qualified(state: State, value: Any, qualifiers: list[Qualifier], *, optional: bool) -> Any:
    for qualifier in qualifiers:
        if type(value) is CelError:
            raise value
        optional = optional or qualifier.optional
        if optional or qualifier.test_only:
            present, found = _if_present(state, value, qualifier)
            if qualifier.test_only and not optional:
                value = present
                continue
            if not present:
                return NONE
            value = found
            continue
        resolve = qualifier.resolve
        try:
            if resolve is None:
                key = qualifier.key
            else:
                key = resolve(state)
                check_qualifier(key)
            found = find(value, key)
            if found is MISSING:
                raise missing(value, key)
        except CelError:
            state.cost += 1
            raise
        state.cost += 1
        if state.cost > state.limit:
            raise CostExceededError
        value = found
    return OptionalValue(present=True, content=value) if optional else value


def _if_present(state: State, value: Any, qualifier: Qualifier) -> tuple[bool, Any]:
    present = False
    found: Any = None
    try:
        key = qualifier.key
        if qualifier.resolve is not None:
            key = qualifier.resolve(state)
            check_qualifier(key)
        found = find(value, key)
        present = found is not MISSING
    finally:
        if present or qualifier.test_only:
            state.cost += 1
    if qualifier.test_only:
        found = present
    return present, found


class Scope:
    """The variables in sight, by name: their slots."""

    def __init__(self) -> None:
        self.names: dict[str, Run] = {}


class Planner:
    """Plans one tree."""

    def __init__(
        self,
        types: Mapping[int, Type],
        overloads: Mapping[int, tuple[str, ...]],
        dialect: Dialect,
    ) -> None:
        self.types = types
        self.overloads = overloads
        self.dialect = dialect
        self.slots = 0
        self.calls = Calls(dialect)
        self.scope: dict[str, Run] = {}

    def finish(self, node: Node) -> Run:
        """Return what runs the whole program."""
        return node.run

    def slot(self) -> int:
        """Return a new slot for a variable."""
        self.slots += 1
        return self.slots - 1

    def plan(self, e: Expr) -> Node:
        """Plan a subtree."""
        match e:
            case Literal():
                return constant(e.value)
            case Ident():
                return self._ident(e)
            case Select():
                return self._select(e)
            case Call():
                return self._call(e)
            case ListExpr():
                return self._list(e)
            case MapExpr():
                return self._map(e)
            case Struct():
                return self._message(e)
            case Comprehension():
                return Node(plan_fold(self, e))

    def _ident(self, e: Ident) -> Node:
        name = e.name.removeprefix(".")
        local = None if e.name != name and self.dialect.minor >= _ROOTS else self.scope.get(name)
        kind = self.types.get(e.id)
        if local is None and name == "device":
            return attribute(Attribute(_device))
        if kind is not None and kind.kind == "type" and local is None:
            known = TYPE_VALUES.get(name)
            if known is None:
                raise PlanError(f"reference to undefined type: {name}")
            return constant(TypeValue(name))
        if local is not None:
            return attribute(Attribute(local))
        return constant(0)

    def _select(self, e: Select) -> Node:
        node = self.plan(e.operand)
        chain = node.attribute or Attribute(node.run)
        chain.add(Qualifier(e.field, test_only=e.test_only))
        if not e.test_only:
            return attribute(chain)
        return Node(_presence(chain))

    def _call(self, e: Call) -> Node:
        name = e.function.removeprefix(".")
        parts = e.args if e.target is None else (e.target, *e.args)
        args = [self.plan(part) for part in parts]
        match name:
            case "_&&_":
                return Node(_logical(args[0].run, args[1].run, decisive=False))
            case "_||_":
                return Node(_logical(args[0].run, args[1].run, decisive=True))
            case "_?_:_":
                branches = tuple(arg.attribute or Attribute(arg.run) for arg in args[1:])
                return attribute(Attribute(condition=args[0].run, branches=branches))
            case "_==_":
                return Node(_equals(args[0].run, args[1].run))
            case "_!=_":
                return Node(_differs(args[0].run, args[1].run))
            case "_[_]" | "_[?_]" | "_?._":
                return self._index(args, optional=name != "_[_]")
            case "or" | "orValue":
                return Node(_or(args[0].run, args[1].run, opened=name == "orValue"))
            case "@not_strictly_false":
                return Node(_not_strictly_false(args[0].run))
        ids = self.overloads.get(e.id, ())
        if name == "@in" and ids == ("in_list",) and args[1].is_constant:
            member = _membership(args[0].run, args[1].constant)
            if member is not None:
                return member
        pattern = args[1].constant if len(args) > 1 and args[1].is_constant else None
        try:
            run = self.calls.plan(name, ids, [arg.run for arg in args], pattern)
        except CelError as error:
            raise PlanError(str(error)) from error
        if name in _CONVERSIONS and len(args) == 1 and args[0].is_constant:
            try:
                return constant(run(State(None, 1 << 62, 0)))
            except CelError as error:
                raise PlanError(str(error)) from error
        return Node(run)

    def _index(self, args: list[Node], *, optional: bool) -> Node:
        chain = args[0].attribute or Attribute(args[0].run)
        index = args[1]
        if index.is_constant:
            try:
                check_qualifier(index.constant)
            except CelError as error:
                raise PlanError(str(error)) from error
            chain.add(Qualifier(index.constant, optional=optional))
        else:
            resolve = index.attribute.resolve if index.attribute else index.run
            chain.add(Qualifier(resolve=resolve, optional=optional))
        return attribute(chain)

    def _list(self, e: ListExpr) -> Node:
        parts = [self.plan(element) for element in e.elements]
        runs = [part.run for part in parts]
        run = _build_list(runs, e.optional)
        if all(part.is_constant for part in parts):
            return self._folded(run)
        return Node(run)

    def _folded(self, run: Run) -> Node:
        try:
            return constant(run(State(None, 1 << 62, 0)))
        except CelError as error:
            raise PlanError(str(error)) from error
        except GoPanicError as panic:
            raise PlanError(f"PANIC: {panic}") from panic

    def _map(self, e: MapExpr) -> Node:
        keys = [self.plan(entry.key) for entry in e.entries if not isinstance(entry.key, str)]
        values = [self.plan(entry.value) for entry in e.entries]
        optional = [entry.optional for entry in e.entries]
        run = _build_map([k.run for k in keys], [v.run for v in values], optional)
        if all(part.is_constant for part in (*keys, *values)):
            return self._folded(run)
        return Node(run)

    def _message(self, e: Struct) -> Node:
        fields = [
            (str(entry.key), self.plan(entry.value).run, entry.optional) for entry in e.entries
        ]
        name = e.name.removeprefix(".")

        def run(state: State) -> Any:
            try:
                found: dict[str, Any] = {}
                for key, value_run, is_optional in fields:
                    value = value_run(state)
                    if is_optional:
                        if type(value) is not OptionalValue:
                            raise _bad_entry(key, value)
                        if not value.present:
                            found.pop(key, None)
                            continue
                        value = value.content
                    found[key] = value
                message = build_message(name, found)
            except CelError:
                state.cost += 40
                raise
            state.cost += 40
            return message

        return Node(run)


_ROOTS: Final = 37
_CONVERSIONS: Final = frozenset(
    {"bool", "bytes", "double", "dyn", "duration", "int", "string", "timestamp", "type", "uint"}
)


def constant(value: Any) -> Node:
    """Return the node of a constant."""
    return Node(lambda _state: value, None, value)


def attribute(found: Attribute) -> Node:
    """Return the node of an attribute."""
    return Node(found.run, found)


def _device(state: State) -> Any:
    return state.device


def _presence(chain: Attribute) -> Run:
    def run(state: State) -> Any:
        try:
            value = chain.resolve(state)
        finally:
            state.cost -= 1 if chain.condition is not None else 0
        return value.present if type(value) is OptionalValue else value

    return run


def _logical(left: Run, right: Run, *, decisive: bool) -> Run:
    other = not decisive

    def run(state: State) -> Any:
        error: CelError | None = None
        try:
            value = left(state)
            if value is decisive:
                return decisive
            if value is not other:
                error = no_such_overload()
        except CelError as failed:
            error = failed
        try:
            value = right(state)
        except CelError as failed:
            raise (error or failed) from None
        if value is decisive:
            return decisive
        if error is not None:
            raise error
        if value is not other:
            raise no_such_overload()
        return other

    return run


def _value_or_error(run: Run, state: State) -> Any:
    try:
        return run(state)
    except CelError as error:
        return error


_UNIT: Final = frozenset(
    {
        *("kubernetes.Quantity", "kubernetes.Semver", "kubernetes.URL", "net.IP", "net.CIDR"),
        "kubernetes.NamedFormat",
    }
)


_SCALAR: Final = frozenset({int, bool, float, UInt, type(None)})


def tenth(size: int) -> int:
    """⌈size × 0.1⌉ in doubles."""
    product = size * 0.1
    whole = int(product)
    return whole + (whole < product)


def _equality_cost(left: Any, right: Any) -> int:
    return tenth(min(size_of(left), size_of(right)))


def _is_unit(value: Any) -> bool:
    """Whether `==` with this on its left costs 1, whatever the sizes."""
    kind = type(value)
    if kind in _SCALAR or kind is str or kind is CelError:
        return False
    return type_name(value) in _UNIT


def _equals(left: Run, right: Run) -> Run:
    def run(state: State) -> Any:
        # Both sides are evaluated even when the first fails: the cost counts them.
        first = _value_or_error(left, state)
        second = _value_or_error(right, state)
        state.cost += 1 if _is_unit(first) else _equality_cost(first, second)
        if type(first) is CelError:
            raise first
        if type(second) is CelError:
            raise second
        return equal(first, second)

    return run


def _differs(left: Run, right: Run) -> Run:
    def run(state: State) -> Any:
        first = _value_or_error(left, state)
        second = _value_or_error(right, state)
        state.cost += _equality_cost(first, second)
        if type(first) is CelError:
            raise first
        if type(second) is CelError:
            raise second
        return not surely_equal(first, second)

    return run


def _or(left: Run, right: Run, *, opened: bool) -> Run:
    def run(state: State) -> Any:
        value = left(state)
        if type(value) is not OptionalValue:
            return value
        if not value.present:
            return right(state)
        if opened:
            if type(value.content) is CelError:
                raise value.content
            return value.content
        return value

    return run


def _not_strictly_false(operand: Run) -> Run:
    def run(state: State) -> Any:
        try:
            value = operand(state)
        except CelError:
            value = True
        state.cost += 1
        if state.cost > state.limit:
            raise CostExceededError
        return value if type(value) is bool else True

    return run


_PRIMITIVE: Final = frozenset({bool, int, UInt, float, str})


def _membership(operand: Run, values: Any) -> Node | None:
    """Plan `x in [constants]` as a look-up; None where cel-go does not."""
    if not values:
        return constant(False)
    if any(type(value) not in _PRIMITIVE for value in values):
        return None
    texts = frozenset(value for value in values if type(value) is str)
    others: set[Any] = set()
    for value in values:
        others.update(_alike(value))

    def run(state: State) -> Any:
        value = operand(state)
        if type(value) is str:
            return value in texts
        return map_key(value) in others

    return Node(run)


def _alike(value: Any) -> list[Any]:
    kind = type(value)
    if kind is str:
        return []
    found = [(kind, value)]
    if kind is float:
        if abs(value) < 2.0**64 and value == int(value):
            if -(2.0**63) < value < 2.0**63:
                found.append((int, int(value)))
            if value >= 0:
                found.append((UInt, UInt(int(value))))
    elif kind is int:
        found.append((float, float(value)))
        if value >= 0:
            found.append((UInt, UInt(value)))
    elif kind is UInt:
        found.append((float, float(value)))
        if value < 1 << 63:
            found.append((int, int(value)))
    return found


def _build_list(runs: list[Run], optional: frozenset[int]) -> Run:
    def run(state: State) -> Any:
        try:
            if not optional:
                values = tuple([one(state) for one in runs])
                state.cost += 10
                if state.cost > state.limit:
                    raise CostExceededError
                return values
            found = []
            for index, one in enumerate(runs):
                value = one(state)
                if index in optional:
                    if type(value) is not OptionalValue:
                        raise _bad_element(value)
                    if not value.present:
                        continue
                    value = value.content
                found.append(value)
            state.cost += 10
            return tuple(found)
        except CelError:
            state.cost += 10
            raise

    return run


def _bad_element(value: Any) -> CelError:
    return CelError(
        f"cannot initialize optional list element from non-optional value {printed(value)}"
    )


def _bad_entry(key: Any, value: Any) -> CelError:
    return CelError(
        f"cannot initialize optional entry '{printed(key)}' from non-optional value "
        f"{printed(value)}"
    )


def _build_map(keys: list[Run], values: list[Run], optional: list[bool]) -> Run:
    def run(state: State) -> Any:
        try:
            found: dict[Any, Any] = {}
            for key_run, value_run, is_optional in zip(keys, values, optional, strict=True):
                key = key_run(state)
                value = value_run(state)
                if is_optional:
                    if type(value) is not OptionalValue:
                        raise _bad_entry(key, value)
                    if not value.present:
                        found.pop(map_key(key), None)
                        continue
                    value = value.content
                found[map_key(key)] = value
            state.cost += 30
            return MapValue(found)
        except CelError:
            state.cost += 30
            raise

    return run
