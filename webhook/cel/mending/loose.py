"""A tolerant reading of expressions, for the doctor.

The parser proper stops where Kubernetes stops. This one also takes what people write by habit
(`and`, `&`, a single `=`, `not`, typographic quotes, unknown escapes), keeps the place of every
node in the text, and expands no macro, so that the parts that are right can be copied as they
stand. It gives no verdict on anything; where it does not understand, it gives up.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final, TypeAlias

_TOKEN: Final = re.compile(
    r"""
    (?P<space>\s+|//[^\n]*)
  | (?P<string>[bBrR]{0,2}(?:\"\"\"[\s\S]*?\"\"\"|'''[\s\S]*?'''
      |"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'
      |“[^”\n]*”|‘[^’\n]*’))
  | (?P<number>0x[0-9a-fA-F]+[uU]?|(?:\d+\.\d+|\.\d+|\d+)(?:[eE][+-]?\d+)?[uU]?)
  | (?P<name>[A-Za-z_]\w*)
  | (?P<op>===|!==|<=>|&&|\|\||==|!=|<>|<=|>=|=<|=>|=~|!~|\?\.|[-+*/%<>=!&|?:.,()\[\]{};])
    """,
    re.VERBOSE,
)
_DEEPEST: Final = 30
_LONGEST: Final = 300
"""In levels and tokens. Nobody's mistake is mended beyond; so recursion stays shallow."""


class NotUnderstoodError(Exception):
    """The text is beyond the tolerant parser too."""


@dataclass(frozen=True, slots=True)
class Token:
    """A piece of text: `kind` is string, number, name, op or end."""

    kind: str
    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Name:
    """An identifier."""

    start: int
    end: int
    name: str


@dataclass(frozen=True, slots=True)
class Text:
    """A string literal: its meaning where it is plain, its quotes and prefix as written."""

    start: int
    end: int
    value: str
    written: str


@dataclass(frozen=True, slots=True)
class Number:
    """A number literal."""

    start: int
    end: int
    written: str


@dataclass(frozen=True, slots=True)
class Member:
    """`target.name` or `target.?name`."""

    start: int
    end: int
    target: Node
    name: str
    optional: bool


@dataclass(frozen=True, slots=True)
class Index:
    """`target[index]` or `target[?index]`."""

    start: int
    end: int
    target: Node
    index: Node
    optional: bool


@dataclass(frozen=True, slots=True)
class Invocation:
    """`function(args)` or `target.function(args)`."""

    start: int
    end: int
    target: Node | None
    function: str
    args: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Binary:
    """`left operator right`; `operator` is CEL's, `written` is what stands there."""

    start: int
    end: int
    operator: str
    written: str
    left: Node
    right: Node


@dataclass(frozen=True, slots=True)
class Unary:
    """`!operand` or `-operand`."""

    start: int
    end: int
    operator: str
    written: str
    operand: Node


@dataclass(frozen=True, slots=True)
class Group:
    """`(inner)`."""

    start: int
    end: int
    inner: Node


@dataclass(frozen=True, slots=True)
class Several:
    """A list, map, tuple or conditional: parts with text between them that is copied.

    `kind` is list, map, tuple, conditional.
    """

    start: int
    end: int
    kind: str
    parts: tuple[Node, ...]


Node: TypeAlias = (
    "Name | Text | Number | Member | Index | Invocation | Binary | Unary | Group | Several"
)

_WORDS: Final = {"and": "&&", "or": "||", "AND": "&&", "OR": "||"}
_OR: Final = {"||": "||", "|": "||"}
_AND: Final = {"&&": "&&", "&": "&&"}
_RELATIONS: Final = {
    "==": "==",
    "===": "==",
    "=": "==",
    "!=": "!=",
    "!==": "!=",
    "<>": "!=",
    "<": "<",
    "<=": "<=",
    "=<": "<=",
    ">": ">",
    ">=": ">=",
    "=>": ">=",
    "=~": "=~",
    "!~": "!~",
}
_ESCAPE: Final = re.compile(r"\\(.)", re.DOTALL)
_PLAIN_ESCAPES: Final = {"n": "\n", "r": "\r", "t": "\t", "\\": "\\", '"': '"', "'": "'", "`": "`"}


def read(text: str) -> Node:
    """Read a whole expression; raise NotUnderstoodError where it cannot be understood."""
    reader = _Reader(_tokens(text))
    node = reader.conditional(0)
    while reader.at(";"):
        reader.take()
    if reader.here.kind != "end":
        raise NotUnderstoodError(reader.here.text)
    return node


def _tokens(text: str) -> list[Token]:
    tokens: list[Token] = []
    place = 0
    while place < len(text):
        found = _TOKEN.match(text, place)
        if found is None or found.end() == place:
            raise NotUnderstoodError(text[place])
        kind = found.lastgroup or ""
        if kind != "space":
            tokens.append(Token(kind, found[0], place, found.end()))
        place = found.end()
        if len(tokens) > _LONGEST:
            raise NotUnderstoodError("too long")
    tokens.append(Token("end", "", place, place))
    return tokens


class _Reader:
    def __init__(self, tokens: list[Token]) -> None:
        self._tokens = tokens
        self._next = 0

    @property
    def here(self) -> Token:
        return self._tokens[self._next]

    def at(self, *texts: str) -> bool:
        return self.here.kind in {"op", "name"} and self.here.text in texts

    def take(self) -> Token:
        token = self.here
        if token.kind != "end":
            self._next += 1
        return token

    def expect(self, text: str) -> Token:
        if not self.at(text):
            raise NotUnderstoodError(self.here.text)
        return self.take()

    def conditional(self, depth: int) -> Node:
        if depth > _DEEPEST:
            raise NotUnderstoodError("nested too deep")
        condition = self._chain(_OR, depth)
        if not self.at("?"):
            return condition
        self.take()
        yes = self._chain(_OR, depth)
        self.expect(":")
        no = self.conditional(depth + 1)
        return Several(condition.start, no.end, "conditional", (condition, yes, no))

    def _chain(self, operators: dict[str, str], depth: int) -> Node:
        """Read `||` over `&&` over relations; words and single signs count as the operators."""
        below = self._and if operators is _OR else self._relation
        left = below(depth)
        while self.here.kind in {"op", "name"}:
            meant = operators.get(self.here.text)
            if meant is None and _WORDS.get(self.here.text) in operators.values():
                meant = _WORDS[self.here.text]
            if meant is None:
                break
            written = self.take().text
            right = below(depth)
            left = Binary(left.start, right.end, meant, written, left, right)
        return left

    def _and(self, depth: int) -> Node:
        return self._chain(_AND, depth)

    def _relation(self, depth: int) -> Node:
        if self.at("not", "NOT"):
            word = self.take()
            operand = self._relation(depth + 1)
            return Unary(word.start, operand.end, "!", word.text, operand)
        left = self._sum(depth)
        while True:
            if self.here.kind == "op" and self.here.text in _RELATIONS:
                written = self.take().text
                operator = _RELATIONS[written]
            elif self.at("in"):
                written = operator = self.take().text
            elif self.at("not") and self._tokens[self._next + 1].text == "in":
                self.take()
                self.take()
                operator, written = "not in", "not in"
            elif self.at("is"):
                self.take()
                operator, written = "==", "is"
                if self.at("not"):
                    self.take()
                    operator, written = "!=", "is not"
            else:
                return left
            right = self._sum(depth)
            left = Binary(left.start, right.end, operator, written, left, right)

    def _sum(self, depth: int) -> Node:
        left = self._product(depth)
        while self.at("+", "-"):
            written = self.take().text
            right = self._product(depth)
            left = Binary(left.start, right.end, written, written, left, right)
        return left

    def _product(self, depth: int) -> Node:
        left = self._unary(depth)
        while self.at("*", "/", "%"):
            written = self.take().text
            right = self._unary(depth)
            left = Binary(left.start, right.end, written, written, left, right)
        return left

    def _unary(self, depth: int) -> Node:
        if depth > _DEEPEST:
            raise NotUnderstoodError("nested too deep")
        if self.at("!", "-"):
            sign = self.take()
            operand = self._unary(depth + 1)
            return Unary(sign.start, operand.end, sign.text, sign.text, operand)
        return self._members(self._primary(depth), depth)

    def _members(self, node: Node, depth: int) -> Node:
        while True:
            if self.at(".", "?."):
                optional = self.take().text == "?."
                if self.at("?"):
                    self.take()
                    optional = True
                name = self.take()
                if name.kind not in {"name", "string"}:
                    raise NotUnderstoodError(name.text)
                if name.kind == "name" and self.at("("):
                    args, end = self._args(depth)
                    node = Invocation(node.start, end, node, name.text, args)
                    continue
                plain = name.text if name.kind == "name" else _meaning(name.text)
                node = Member(node.start, name.end, node, plain, optional)
            elif self.at("["):
                self.take()
                optional = self.at("?")
                if optional:
                    self.take()
                index = self.conditional(depth + 1)
                end = self.expect("]").end
                node = Index(node.start, end, node, index, optional)
            else:
                return node

    def _args(self, depth: int) -> tuple[tuple[Node, ...], int]:
        self.expect("(")
        return self._until(")", depth)

    def _until(self, closing: str, depth: int) -> tuple[tuple[Node, ...], int]:
        parts: list[Node] = []
        while not self.at(closing):
            if self.at("?") and closing != ")":
                self.take()
            parts.append(self.conditional(depth + 1))
            if closing == "}" and self.at(":"):
                self.take()
                parts.append(self.conditional(depth + 1))
            if not self.at(closing):
                self.expect(",")
        return tuple(parts), self.take().end

    def _primary(self, depth: int) -> Node:
        token = self.take()
        if token.kind == "string":
            return Text(token.start, token.end, _meaning(token.text), token.text)
        if token.kind == "number":
            return Number(token.start, token.end, token.text)
        if token.kind == "op" and token.text == "." and self.here.kind == "name":
            name = self.take()
            return Name(token.start, name.end, "." + name.text)
        if token.kind == "name":
            if self.at("("):
                args, end = self._args(depth)
                return Invocation(token.start, end, None, token.text, args)
            return Name(token.start, token.end, token.text)
        if token.text == "(":
            parts, end = self._until(")", depth)
            if len(parts) == 1:
                return Group(token.start, end, parts[0])
            return Several(token.start, end, "tuple", parts)
        if token.text in {"[", "{"}:
            closing, kind = ("]", "list") if token.text == "[" else ("}", "map")
            parts, end = self._until(closing, depth)
            return Several(token.start, end, kind, parts)
        raise NotUnderstoodError(token.text)


def _meaning(written: str) -> str:
    """Return what a literal says; escapes that CEL does not know stay as they are."""
    raw = written[: len(written) - len(written.lstrip("bBrR"))]
    body = written[len(raw) :]
    quotes = 3 if body[:3] in {'"""', "'''"} else 1
    body = body[quotes:-quotes]
    if "r" in raw.lower():
        return body
    return _ESCAPE.sub(lambda m: _PLAIN_ESCAPES.get(m[1], m[0]), body)


def children(node: Node) -> tuple[Node, ...]:
    """Return a node's parts in the order of the text."""
    match node:
        case Name() | Text() | Number():
            return ()
        case Member(target=target):
            return (target,)
        case Index(target=target, index=index):
            return (target, index)
        case Invocation(target=target, args=args):
            return args if target is None else (target, *args)
        case Binary(left=left, right=right):
            return (left, right)
        case Unary(operand=operand):
            return (operand,)
        case Group(inner=inner):
            return (inner,)
        case Several(parts=parts):
            return parts
