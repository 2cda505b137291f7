"""What each production of the grammar builds: the abstract tree, with macros expanded.

One method a rule, called bottom-up while parsing, so that no parse tree exists in between. Errors
are collected, not raised; a node that has an error becomes a null literal, which no macro accepts.
Places are those of cel-go 0.26 `parser/parser.go`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import count
from typing import Any, ClassVar, Final, TypeAlias

from webhook.cel.ast import Call, Entry, Expr, Ident, ListExpr, Literal, MapExpr, Select, Struct
from webhook.cel.dialect import Dialect
from webhook.cel.lexer import ESCAPED_IDENT, Token
from webhook.cel.literals import LiteralError, read_literal
from webhook.cel.macros import MacroError, Maker, expand_global, expand_member
from webhook.cel.source import Issue

Parts: TypeAlias = list[Any]
"""The values of a production's symbols: tokens, and whatever the productions below built."""

_RESERVED: Final = frozenset(
    {
        *("as", "break", "const", "continue", "else", "for", "function", "if", "import", "let"),
        *("loop", "package", "namespace", "return", "var", "void", "while"),
    }
)
_FIRST_WITH_ESCAPES: Final = 37
"""cel-go 0.28, which Kubernetes 1.37 pins, accepts back-quoted fields."""


class _Chain:
    """A run of `&&` or of `||` that is still growing; cel-go balances it when it is complete."""

    __slots__ = ("function", "places", "terms")

    def __init__(self, function: str, first: Expr) -> None:
        self.function = function
        self.terms = [first]
        self.places: list[int] = []


_BINARY: Final = {
    **{op: f"_{op}_" for op in ("<", "<=", ">", ">=", "==", "!=", "+", "-", "*", "/", "%")},
    "in": "@in",
}


class Builder:
    """Builds the tree of one expression."""

    def __init__(self, dialect: Dialect) -> None:
        self.errors: list[Issue] = []
        self._dialect = dialect
        self._ids = count(1)
        self._maker = Maker(self._ids)
        self._reserved: dict[int, tuple[str, Issue]] = {}

    def _report(self, offset: int, message: str) -> Literal:
        issue = Issue(offset, message)
        if offset >= 0 or issue not in self.errors:
            self.errors.append(issue)
        return Literal(next(self._ids), offset, None)

    # --- expressions ---

    def _expr(self, parts: Parts) -> Expr:
        if len(parts) == 1:
            return self._close(parts[0])
        condition, mark, yes, _, no = parts
        args = (self._close(condition), self._close(yes), no)
        return Call(next(self._ids), mark.offset, "_?_:_", args)

    def _conditionalor(self, parts: Parts) -> _Chain:
        return self._extend("_||_", parts)

    def _conditionaland(self, parts: Parts) -> _Chain:
        return self._extend("_&&_", parts)

    def _extend(self, function: str, parts: Parts) -> _Chain:
        left, operator, right = parts
        if not (isinstance(left, _Chain) and left.function == function):
            left = _Chain(function, self._close(left))
        left.terms.append(self._close(right))
        left.places.append(operator.offset)
        return left

    def _close(self, value: Expr | _Chain) -> Expr:
        if isinstance(value, _Chain):
            return self._balance(value, 0, len(value.places) - 1)
        return value

    def _balance(self, chain: _Chain, low: int, high: int) -> Expr:
        middle = (low + high + 1) // 2
        left = chain.terms[middle] if middle == low else self._balance(chain, low, middle - 1)
        right = (
            chain.terms[middle + 1] if middle == high else self._balance(chain, middle + 1, high)
        )
        return Call(next(self._ids), chain.places[middle], chain.function, (left, right))

    def _operator(self, parts: Parts) -> tuple[Expr, Token]:
        return parts[0], parts[1]

    def _binary(self, parts: Parts) -> Expr:
        (left, operator), right = parts
        return Call(next(self._ids), operator.offset, _BINARY[operator.text], (left, right))

    def _operators(self, parts: Parts) -> tuple[Token, int]:
        if len(parts) == 1:
            return parts[0], 1
        first, number = parts[0]
        return first, number + 1

    def _unary(self, parts: Parts) -> Expr:
        (operator, number), operand = parts
        if number % 2 == 0:
            return operand  # type: ignore[no-any-return]  # parts are untyped
        return Call(next(self._ids), operator.offset, operator.text + "_", (operand,))

    # --- members ---

    def _member_dot(self, parts: Parts) -> Expr:
        operand, dot, name = parts[0], parts[1], parts[-1]
        field = self._field(name, name.offset)
        if len(parts) == 4:
            literal = Literal(next(self._ids), name.offset, field)
            return Call(next(self._ids), dot.offset, "_?._", (operand, literal))
        return Select(next(self._ids), dot.offset, operand, field)

    def _field(self, name: Token, offset: int) -> str:
        if name.kind != ESCAPED_IDENT:
            return name.text
        if self._dialect.minor < _FIRST_WITH_ESCAPES:
            self._report(offset, "unsupported syntax: '`'")
        return name.text[1:-1]

    def _member_dot_arg(self, parts: Parts) -> Expr:
        target, _, name, bracket = parts[:4]
        args = tuple(parts[4]) if len(parts) == 6 else ()
        maker = self._maker.at(bracket.offset)
        try:
            expanded = expand_member(maker, name.text, target, args, self._dialect)
        except MacroError as error:
            return self._report(error.offset, error.message)
        return expanded or Call(next(self._ids), bracket.offset, name.text, args, target)

    def _member_index(self, parts: Parts) -> Expr:
        function = "_[?_]" if len(parts) == 5 else "_[_]"
        return Call(next(self._ids), parts[1].offset, function, (parts[0], parts[-2]))

    def _member_object(self, parts: Parts) -> Expr:
        name, brace = parts[0], parts[1]
        names: list[str] = []
        while isinstance(name, Select):
            names.append(name.field)
            name = name.operand
        root = name.name if isinstance(name, Ident) else ""
        if isinstance(name, Literal) and name.id in self._reserved:
            # Messages may be called `if`.
            root, reserved = self._reserved[name.id]
            self.errors[:] = [issue for issue in self.errors if issue is not reserved]
        entries = tuple(parts[2]) if isinstance(parts[2], list) else ()
        full = ".".join([root, *reversed(names)])
        return Struct(next(self._ids), brace.offset, full, entries)

    # --- primaries ---

    def _literal(self, parts: Parts) -> Expr:
        token = parts[0]
        try:
            return Literal(next(self._ids), token.offset, read_literal(token))
        except LiteralError as error:
            return self._report(token.offset, str(error))

    def _ident(self, parts: Parts) -> Expr:
        name = parts[-1]
        text = name.text
        full = "." + text if len(parts) == 2 else text
        if text in _RESERVED:
            node = Literal(next(self._ids), parts[0].offset, None)
            issue = Issue(parts[0].offset, f"reserved identifier: {text}")
            self._reserved[node.id] = full, issue
            self.errors.append(issue)
            return node
        return Ident(next(self._ids), name.offset, full)

    def _ident_arg(self, parts: Parts) -> Expr:
        dotted = parts[0].kind == "."
        name, bracket = parts[1:3] if dotted else parts[:2]
        if name.text in _RESERVED:
            return self._report(parts[0].offset, f"reserved identifier: {name.text}")
        args = tuple(parts[-2]) if isinstance(parts[-2], list) else ()
        function = "." + name.text if dotted else name.text
        try:
            expanded = expand_global(self._maker.at(bracket.offset), function, args)
        except MacroError as error:
            return self._report(error.offset, error.message)
        return expanded or Call(next(self._ids), bracket.offset, function, args)

    def _paren_expr(self, parts: Parts) -> Expr:
        return parts[1]  # type: ignore[no-any-return]  # parts are untyped

    def _list_lit(self, parts: Parts) -> Expr:
        entries = parts[1] if isinstance(parts[1], list) else []
        optional = frozenset(index for index, entry in enumerate(entries) if len(entry) == 2)
        elements = tuple([entry[-1] for entry in entries])
        return ListExpr(next(self._ids), parts[0].offset, elements, optional)

    def _map_lit(self, parts: Parts) -> Expr:
        entries = tuple(parts[1]) if isinstance(parts[1], list) else ()
        return MapExpr(next(self._ids), parts[0].offset, entries)

    # --- lists of things ---

    def _element(self, parts: Parts) -> Parts:
        return parts

    def _several(self, parts: Parts) -> Parts:
        """Collect `x`, `xs , x` or `, x` into one list, in place."""
        if len(parts) == 3:
            parts[0].append(parts[2])
            return parts[0]  # type: ignore[no-any-return]  # parts are untyped
        return [parts[-1]]

    def _exprlist(self, parts: Parts) -> Parts:
        return [parts[0], *parts[1]] if len(parts) == 2 else parts

    def _fieldinit(self, parts: Parts) -> Entry:
        name, colon, value = parts[-3:]
        field = self._field(name, parts[0].offset)
        return Entry(next(self._ids), colon.offset, field, value, len(parts) == 4)

    def _mapinit(self, parts: Parts) -> Entry:
        key, colon, value = parts[-3:]
        return Entry(next(self._ids), colon.offset, key, value, len(parts) == 4)

    # --- the table ---

    build: ClassVar[Mapping[str, Callable[[Builder, Parts], object]]] = {
        "expr": _expr,
        "conditionalor": _conditionalor,
        "conditionaland": _conditionaland,
        "relation": _binary,
        "addition": _binary,
        "multiplication": _binary,
        "relation_lt": _operator,
        "relation_le": _operator,
        "relation_gt": _operator,
        "relation_ge": _operator,
        "relation_eq": _operator,
        "relation_ne": _operator,
        "relation_in": _operator,
        "addition_add": _operator,
        "addition_sub": _operator,
        "multiplication_mul": _operator,
        "multiplication_div": _operator,
        "multiplication_mod": _operator,
        "unary": _unary,
        "unary_not": _operators,
        "unary_neg": _operators,
        "member_dot": _member_dot,
        "member_dot_arg": _member_dot_arg,
        "member_index": _member_index,
        "member_object": _member_object,
        "literal": _literal,
        "ident": _ident,
        "dot_ident": _ident,
        "ident_arg": _ident_arg,
        "dot_ident_arg": _ident_arg,
        "paren_expr": _paren_expr,
        "list_lit": _list_lit,
        "map_lit": _map_lit,
        "element": _element,
        "elements": _several,
        "exprlist": _exprlist,
        "__exprlist_star_0": _several,
        "fieldinit": _fieldinit,
        "fieldinits": _several,
        "mapinit": _mapinit,
        "mapinits": _several,
    }
    """What builds the value of each rule of `grammar.table()`."""
