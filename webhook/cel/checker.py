"""The types of an expression, or cel-go's errors.

Walks the tree once, bottom-up, and puts a type on every node; calls are resolved against the
overloads of the dialect by unification (`unify`). The tree comes back with qualified names
resolved: `optional.of(x)` is then a global call, `google.protobuf.Timestamp` one name.
Source: cel-go 0.26 `checker/checker.go`, `checker/env.go` and `checker/errors.go`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Final

from webhook.cel.ast import (
    Call,
    Comprehension,
    Entry,
    Expr,
    Ident,
    ListExpr,
    Literal,
    MapExpr,
    Select,
    Struct,
)
from webhook.cel.dialect import Dialect
from webhook.cel.library.declare import Function
from webhook.cel.names import attribute_type
from webhook.cel.overloads import resolve
from webhook.cel.scopes import Scopes
from webhook.cel.source import NO_PLACE, Issue
from webhook.cel.types import (
    BOOL,
    BYTES,
    DOUBLE,
    DYN,
    ERROR,
    INT,
    NULL,
    STRING,
    UINT,
    Type,
    list_of,
    map_of,
    optional_of,
    output_name,
)
from webhook.cel.unify import (
    Bindings,
    TypesTooLargeError,
    base_kind,
    is_dyn,
    is_dyn_or_error,
    unwrap_optional,
)
from webhook.cel.values import UInt

_LOGICAL: Final = frozenset({"_&&_", "_||_"})
_EXACT_FROM: Final = 37


_DEFAULT: Final = Dialect()


@dataclass(frozen=True, slots=True, eq=False)
class CheckResult:
    """What the checker found out.

    `tree` is the tree with names resolved, `types` has the type of every node, `overloads` the ids
    of the overloads that fit each call (in order of declaration). With `errors` the other parts are
    incomplete and the result type is None.
    """

    tree: Expr
    types: Mapping[int, Type]
    overloads: Mapping[int, tuple[str, ...]]
    result_type: Type | None
    errors: tuple[Issue, ...] = ()
    dialect: Dialect = _DEFAULT


def check(tree: Expr, dialect: Dialect) -> CheckResult:
    """Check a parsed tree; never raises."""
    return _Checker(dialect).run(tree)


def check_result_type(result: Type, dialect: Dialect) -> str | None:
    """Return the API server's error if an expression of this type is no selector.

    Source: dynamic-resource-allocation `cel/compile.go`: 1.34 to 1.36 compare instances of types,
    1.37 compares types, and takes only one kind of attribute.
    """
    if dialect.minor >= _EXACT_FROM:
        fits = base_kind(result) in {"bool", attribute_type(dialect).kind}
    else:
        fits = result.kind in {"bool", "any", attribute_type(dialect).kind}
    if fits:
        return None
    return f"must evaluate to bool or the unknown type, not {output_name(result)}"


class _Checker:
    """Checks one tree."""

    def __init__(self, dialect: Dialect) -> None:
        self._dialect = dialect
        self._scopes = Scopes(dialect)
        self._types: dict[int, Type] = {}
        self._overloads: dict[int, tuple[str, ...]] = {}
        self._errors: list[Issue] = []
        self._bindings = Bindings()

    def run(self, tree: Expr) -> CheckResult:
        """Check, and replace type variables by what they stand for, or by dyn."""
        try:
            tree = self._check(tree)
            self._bindings.spell(self._final(self._types[tree.id]))  # as results are, later
            types = {
                node: t if not t.params and t.kind != "param" else self._final(t)
                for node, t in self._types.items()
            }
        except TypesTooLargeError:
            self._errors = [Issue(NO_PLACE, "types grow too large")]
            types = {}
        result = types.get(tree.id) if not self._errors else None
        errors = tuple(self._errors)
        return CheckResult(tree, types, self._overloads, result, errors, self._dialect)

    def _final(self, t: Type) -> Type:
        return self._bindings.resolve(t, to_dyn=True)

    def _check(self, expr: Expr) -> Expr:
        return self._checks[type(expr)](self, expr)

    def _report(self, offset: int, message: str) -> None:
        self._errors.append(Issue(offset, message))

    def _undeclared(self, offset: int, name: str) -> None:
        self._report(offset, f"undeclared reference to '{name}' (in container '')")

    def _mismatch(self, offset: int, expected: Type, found: Type) -> None:
        spell = self._bindings.spell
        self._report(offset, f"expected type '{spell(expected)}' but found '{spell(found)}'")

    # --- names ---

    def _resolved(self, expr: Expr, name: str, declared: Type) -> Ident:
        self._types[expr.id] = declared
        return Ident(expr.id, expr.offset, self._scopes.resolved_name(name))

    def _literal(self, expr: Literal) -> Expr:
        self._types[expr.id] = _LITERAL_TYPES[type(expr.value)]
        return expr

    def _ident(self, expr: Ident) -> Expr:
        declared = self._scopes.type_of(expr.name)
        if declared is None:
            self._types[expr.id] = ERROR
            self._undeclared(expr.offset, expr.name)
            return expr
        if expr.name.startswith("."):
            return self._resolved(expr, expr.name, declared)
        return self._put(expr, declared)

    def _put(self, expr: Expr, t: Type) -> Expr:
        self._types[expr.id] = t
        return expr

    def _select(self, expr: Select) -> Expr:
        name = _qualified_name(expr)
        declared = self._scopes.type_of(name) if name is not None else None
        if name is not None and declared is not None:
            return self._resolved(expr, name, declared)
        operand = self._check(expr.operand)
        t = self._field_type(expr, operand, expr.field, optional=False)
        self._types[expr.id] = BOOL if expr.test_only else self._bindings.resolve(t)
        return expr if operand is expr.operand else replace(expr, operand=operand)

    def _optional_select(self, expr: Call) -> Expr:
        operand, field = expr.args
        operand = self._check(operand)
        name = field.value if isinstance(field, Literal) else ""
        t = self._field_type(expr, operand, str(name), optional=True)
        self._types[expr.id] = self._bindings.resolve(t)
        self._overloads[expr.id] = ("select_optional_field",)
        return expr if operand is expr.args[0] else replace(expr, args=(operand, field))

    def _field_type(self, expr: Expr, operand: Expr, field: str, *, optional: bool) -> Type:
        target, was_optional = unwrap_optional(self._bindings.resolve(self._types[operand.id]))
        result = DYN
        if target.kind == "map":
            result = target.params[1]
        elif target.kind == "object":
            result = self._declared_field(expr.offset, target, target.name, field) or ERROR
        elif target.kind == "param":
            self._bindings.assignable(DYN, target)
        elif not is_dyn_or_error(target):
            spelt = self._bindings.spell(target)
            self._report(expr.offset, f"type '{spelt}' does not support field selection")
        return optional_of(result) if was_optional or optional else result

    def _declared_field(self, offset: int, kind: Type, name: str, field: str) -> Type | None:
        fields = self._scopes.fields_of(kind, name)
        if fields is None:
            self._report(offset, f"unexpected failed resolution of '{name}'")
            return None
        if field not in fields:
            self._report(offset, f"undefined field '{field}'")
        return fields.get(field)

    # --- calls ---

    def _call(self, expr: Call) -> Expr:
        if expr.function == "_?._":
            return self._optional_select(expr)
        check = self._check
        args = tuple([check(arg) for arg in expr.args])
        target = expr.target
        if target is None:
            function = self._scopes.function(expr.function)
            if function is None:
                self._undeclared(expr.offset, expr.function)
                return self._put(expr, ERROR)
            return self._resolve(replace(expr, function=function.name, args=args), function)
        prefix = _qualified_name(target)
        if prefix is not None:
            function = self._scopes.function(f"{prefix}.{expr.function}")
            if function is not None:
                qualified = Call(expr.id, expr.offset, function.name, args)
                return self._resolve(qualified, function)
        target = check(target)
        expr = replace(expr, args=args, target=target)
        function = self._scopes.function(expr.function)
        if function is None:
            self._undeclared(expr.offset, expr.function)
            return self._put(expr, ERROR)
        return self._resolve(expr, function)

    def _resolve(self, expr: Call, function: Function) -> Expr:
        if function.name in _LOGICAL:
            return self._logical(expr, function)
        operands = expr.args if expr.target is None else (expr.target, *expr.args)
        found = [self._types[operand.id] for operand in operands]
        is_member = expr.target is not None
        resolution = resolve(function, found, self._bindings, is_member=is_member)
        if resolution is None:
            self._no_overload(expr, function.name, found)
            return self._put(expr, ERROR)
        self._overloads[expr.id] = resolution.overloads
        return self._put(expr, resolution.result)

    def _logical(self, expr: Call, function: Function) -> Expr:
        fits = True
        for operand in expr.args:
            t = self._types[operand.id]
            if not self._bindings.assignable(t, BOOL):
                self._mismatch(operand.offset, BOOL, t)
                fits = False
        if fits:
            self._overloads[expr.id] = (function.overloads[0].id,)
        return self._put(expr, BOOL if fits else ERROR)

    def _no_overload(self, expr: Call, name: str, found: list[Type]) -> None:
        spelt = [self._bindings.spell(self._final(t)) for t in found]
        target = f"{spelt.pop(0)}." if expr.target is not None else ""
        self._report(
            expr.offset,
            f"found no matching overload for '{name}' applied to '{target}({', '.join(spelt)})'",
        )

    # --- literals of several parts ---

    def _join(self, previous: Type | None, current: Type) -> Type:
        if previous is None:
            return current
        if self._bindings.assignable(previous, current):
            return self._bindings.more_general(previous, current)
        return DYN

    def _value_type(self, value: Expr, *, optional: bool) -> Type:
        t = self._types[value.id]
        if not optional:
            return t
        inner, is_optional = unwrap_optional(t)
        if not is_optional and not is_dyn(inner):
            self._mismatch(value.offset, optional_of(inner), inner)
        return inner

    def _list(self, expr: ListExpr) -> Expr:
        joined: Type | None = None
        elements = []
        for index, given in enumerate(expr.elements):
            element = self._check(given)
            elements.append(element)
            t = self._value_type(element, optional=index in expr.optional)
            joined = self._join(joined, t)
        self._types[expr.id] = list_of(joined or self._bindings.new_variable())
        return replace(expr, elements=tuple(elements))

    def _map(self, expr: MapExpr) -> Expr:
        keys: Type | None = None
        values: Type | None = None
        entries: list[Entry] = []
        for entry in expr.entries:
            if isinstance(entry.key, str):
                continue
            key = self._check(entry.key)
            keys = self._join(keys, self._types[key.id])
            value = self._check(entry.value)
            values = self._join(values, self._value_type(value, optional=entry.optional))
            entries.append(replace(entry, key=key, value=value))
        variable = self._bindings.new_variable
        self._types[expr.id] = map_of(keys or variable(), values or variable())
        return replace(expr, entries=tuple(entries))

    def _struct(self, expr: Struct) -> Expr:
        declared = self._scopes.type_named(expr.name)
        name = expr.name.removeprefix(".")
        if declared is None:
            self._undeclared(expr.offset, expr.name)
            return self._put(expr, ERROR)
        kind = ERROR
        if declared.kind == "error":
            pass
        elif declared.kind != "type":
            self._report(expr.offset, f"'{_declared_name(declared)}' is not a type")
        elif declared.params and self._scopes.is_message(declared.params[0]):
            kind = declared.params[0]
        else:
            inner = declared.params[0] if declared.params else Type("type")
            self._report(expr.offset, f"'{_declared_name(inner)}' is not a message type")
        self._types[expr.id] = kind
        entries = tuple([self._message_field(entry, kind, name) for entry in expr.entries])
        return replace(expr, name=name, entries=entries)

    def _message_field(self, entry: Entry, kind: Type, name: str) -> Entry:
        value = self._check(entry.value)
        wanted = self._declared_field(entry.offset, kind, name, str(entry.key)) or ERROR
        t = self._value_type(value, optional=entry.optional)
        if not self._bindings.assignable(wanted, t):
            spell = self._bindings.spell
            self._report(
                entry.offset,
                f"expected type of field '{entry.key}' is '{spell(wanted)}' but provided type is "
                f"'{spell(t)}'",
            )
        return replace(entry, value=value)

    # --- comprehensions ---

    def _comprehension(self, expr: Comprehension) -> Expr:
        over = self._check(expr.range)
        start = self._check(expr.accu_init)
        accumulator = self._types[start.id]
        loop = self._loop_variables(expr, over)
        with self._scopes.within({expr.accu_var: accumulator}):
            with self._scopes.within(loop):
                condition = self._check(expr.condition)
                self._assert_type(condition, BOOL)
                step = self._check(expr.step)
                self._assert_type(step, accumulator)
            result = self._check(expr.result)
        self._types[expr.id] = self._bindings.resolve(self._types[result.id])
        return replace(
            expr, range=over, accu_init=start, condition=condition, step=step, result=result
        )

    def _loop_variables(self, expr: Comprehension, over: Expr) -> dict[str, Type]:
        t = self._bindings.resolve(self._types[over.id])
        first = second = DYN
        if t.kind == "list":
            first, second = (INT, t.params[0]) if expr.iter_var2 else (t.params[0], DYN)
        elif t.kind == "map":
            first, second = t.params
        elif t.kind in {"dyn", "error", "param"}:
            self._bindings.assignable(DYN, t)
        else:
            first = second = ERROR
            self._report(
                over.offset,
                f"expression of type '{self._bindings.spell(t)}' cannot be range of a "
                "comprehension (must be list, map, or dynamic)",
            )
        variables = {expr.iter_var: first}
        if expr.iter_var2:
            variables[expr.iter_var2] = second
        return variables

    def _assert_type(self, expr: Expr, wanted: Type) -> None:
        t = self._types[expr.id]
        if not self._bindings.assignable(wanted, t):
            self._mismatch(expr.offset, wanted, t)

    _checks: ClassVar[Mapping[type, Callable[[_Checker, Any], Expr]]] = {
        Literal: _literal,
        Ident: _ident,
        Select: _select,
        Call: _call,
        ListExpr: _list,
        MapExpr: _map,
        Struct: _struct,
        Comprehension: _comprehension,
    }


def _declared_name(t: Type) -> str:
    """Name a type without its parameters, as `DeclaredTypeName` of cel-go."""
    return output_name(t if t.kind == "wrapper" else Type(t.kind, t.name))


def _qualified_name(expr: Expr) -> str | None:
    """Return `a.b.c` for selects on a name, None for everything else."""
    names: list[str] = []
    while isinstance(expr, Select) and not expr.test_only:
        names.append(expr.field)
        expr = expr.operand
    if not isinstance(expr, Ident):
        return None
    return ".".join([expr.name, *reversed(names)])


_LITERAL_TYPES: Final[Mapping[type, Type]] = {
    bool: BOOL,
    int: INT,
    UInt: UINT,
    float: DOUBLE,
    str: STRING,
    bytes: BYTES,
    type(None): NULL,
}
