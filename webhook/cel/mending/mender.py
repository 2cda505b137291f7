"""The walk that writes a corrected expression: the parts that are right are copied as they stand.

Each node is written bottom-up, with what is known of its value; a rule that changes something notes
the fault under its kind, so that one kind makes one clause. Whether the outcome is any good is for
the doctor to try.
"""

from __future__ import annotations

import re
from typing import Final

from webhook.cel.fleet import Fleet, Read, quote
from webhook.cel.mending import calls, loose
from webhook.cel.mending.comparing import Mended, as_version, compare, near_values
from webhook.cel.mending.device_paths import PathWriter, dotted_name, macro_variables

_LOGIC: Final = frozenset({"&&", "||"})
_ORDER: Final = frozenset({"==", "!=", "<", "<=", ">", ">="})
_WORDS: Final = {"True": "true", "False": "false", "None": "null", "nil": "null", "NULL": "null"}
_CALLED: Final = frozenset({"lowerAscii", "upperAscii", "trim", "size", "major", "minor", "patch"})
_BAD_ESCAPE: Final = re.compile(r"\\(?![abfnrtv\\'\"`?xXuU0-3])")


class Mender:
    """Mends one expression; `faults` holds (kind, item) in the order of the text."""

    def __init__(
        self,
        source: str,
        tree: loose.Node,
        fleet: Fleet,
        default_domain: str | None,
        *,
        mend_values: bool = True,
        has_includes: bool = False,
    ) -> None:
        self.faults: list[tuple[str, str]] = []
        self._source = source
        self._tree = tree
        self._fleet = fleet
        self._values = fleet if mend_values else Fleet()
        self._has_includes = has_includes
        self._variables = macro_variables(tree)
        self._paths = PathWriter(source, fleet, default_domain, self._variables, self.note)

    def note(self, kind: str, item: str) -> None:
        """Remember a fault, once."""
        if (kind, item) not in self.faults:
            self.faults.append((kind, item))

    def mended(self) -> Mended:
        """Write the whole expression."""
        return self._mend(self._tree)

    def _mend(self, node: loose.Node) -> Mended:
        path = self._paths.write(node)
        if path is not None:
            return path
        match node:
            case loose.Text():
                return self._text(node)
            case loose.Number():
                number = int(node.written) if node.written.isdigit() else None
                return Mended(node.written, "number", literal=node.written, number=number)
            case loose.Name():
                return self._name(node)
            case loose.Binary():
                return self._binary(node)
            case loose.Unary():
                return self._unary(node)
            case loose.Invocation():
                return self._invocation(node)
            case loose.Member():
                target = self._mend(node.target)
                if node.name in _CALLED and target.kind in {"string", "version"}:
                    self.note("call", f"{node.name} is a function: .{node.name}()")
                    return Mended(f"{target.text}.{node.name}()")
                return Mended(self._copy(node, [target]))
            case loose.Group():
                inner = self._mend(node.inner)
                text = self._copy(node, [inner])
                return Mended(text, inner.kind, inner.read, inner.literal, inner.number)
            case loose.Several():
                return self._several(node)
            case loose.Index():
                return Mended(self._copy(node, [self._mend(node.target), self._mend(node.index)]))

    def _copy(self, node: loose.Node, parts: list[Mended]) -> str:
        """Write a node as it stands with its parts replaced by what became of them."""
        text: list[str] = []
        place = node.start
        for child, part in zip(loose.children(node), parts, strict=True):
            text.append(self._source[place : child.start])
            text.append(part.text)
            place = child.end
        text.append(self._source[place : node.end])
        return "".join(text)

    # Leaves and collections.

    def _text(self, node: loose.Text) -> Mended:
        written = node.written
        if written[0] in "“‘":
            self.note("quotes", "typographic quotes are no quotes")
            written = quote(node.value)
        elif _BAD_ESCAPE.search(written.replace("\\\\", "")) and "r" not in written[:2].lower():
            written = quote(node.value)
            self.note("escape", f"a backslash in a text is written twice: {written}")
        return Mended(written, "text", literal=node.value)

    def _name(self, node: loose.Name) -> Mended:
        if node.name in _WORDS and node.name not in self._variables:
            self.note("word", f"{node.name} is written {_WORDS[node.name]}")
            return Mended(_WORDS[node.name])
        return Mended(node.name, "bool" if node.name in {"true", "false"} else "")

    def _several(self, node: loose.Several) -> Mended:
        parts = [self._mend(part) for part in node.parts]
        if node.kind == "tuple":
            self.note("word", "a list is written in [ ]")
            listed = ", ".join(part.text for part in parts)
            return Mended(f"[{listed}]", "list", elements=tuple(parts))
        kind = "list" if node.kind == "list" else ""
        return Mended(self._copy(node, parts), kind, elements=tuple(parts))

    def _unary(self, node: loose.Unary) -> Mended:
        operand = self._mend(node.operand)
        if node.written not in {"!", "-"}:
            self.note("word", f"{node.written} is written !")
            return Mended(f"!({operand.text})", "bool")
        return Mended(self._copy(node, [operand]), "bool" if node.operator == "!" else "")

    # Operators.

    def _binary(self, node: loose.Binary) -> Mended:
        left, right = self._mend(node.left), self._mend(node.right)
        if node.operator not in {node.written, "not in"}:
            self.note("word", f"{node.written} is written {node.operator}")
        if node.operator in _ORDER:
            right = self._unquoted(left, node.right, right)
            present = self._presence(node.operator, left, right)
            text = present or compare(node.operator, left, right, self._values, self.note)
            return Mended(text or self._operator(node, node.operator, left, right), "bool")
        if node.operator in {"in", "not in"}:
            return self._in(node, left, right)
        if node.operator in {"=~", "!~"}:
            text = f"{left.text}.matches({right.text})"
            return Mended(text if node.operator == "=~" else f"!{text}", "bool")
        number = _folded(node.operator, left.number, right.number)
        text = self._operator(node, node.operator, left, right)
        if number is not None:
            return Mended(text, "number", literal=str(number), number=number)
        return Mended(text, "bool" if node.operator in _LOGIC else "")

    def _operator(self, node: loose.Binary, operator: str, left: Mended, right: Mended) -> str:
        between = self._source[node.left.end : node.right.start]
        if node.written != operator:
            between = between.replace(node.written, operator, 1)
        return f"{left.text}{between}{right.text}"

    def _unquoted(self, left: Mended, node: loose.Node, right: Mended) -> Mended:
        """Put quotes around a word that a text is compared with."""
        word = dotted_name(node)
        if word is None or left.kind != "string" or right.read is not None:
            return right
        if word.partition(".")[0] in {"device", "true", "false", "null", *self._variables}:
            return right
        self.note("quotes", f"{word} is a text, in quotes")
        return Mended(quote(word), "text", literal=word)

    def _presence(self, operator: str, left: Mended, right: Mended) -> str | None:
        """Write `x != null` on an attribute as has(x): a missing one is an error, not null."""
        read = left.read
        if right.text != "null" or read is None or not read.name or operator not in {"==", "!="}:
            return None
        self.note("null", f"{read.name} is never null; has() asks whether it is there")
        return f"has({read.text})" if operator == "!=" else f"!has({read.text})"

    def _in(self, node: loose.Binary, left: Mended, right: Mended) -> Mended:
        negated = node.operator == "not in"
        if negated:
            self.note("word", "not in is written !(… in …)")
        if left.kind == "text" and right.kind == "string" and right.read is not None:
            self.note("word", "a text in a text is looked for with contains")
            text = f"{right.text}.contains({left.text})"
            return Mended(f"!{text}" if negated else text, "bool")
        if left.read is not None and right.elements:
            right = self._elements(left, right)
        text = f"{left.text} in {right.text}"
        if not negated and right.text == self._source[node.right.start : node.right.end]:
            text = self._operator(node, "in", left, right)
        return Mended(f"!({text})" if negated else text, "bool")

    def _elements(self, left: Mended, right: Mended) -> Mended:
        """Write the elements of a list that a read is sought in as values that it can have."""
        if left.kind == "version":
            versions = [as_version(element, self.note) for element in right.elements]
            if None not in versions:
                return Mended(f"[{', '.join(v for v in versions if v)}]", "list")
        if left.kind not in {"string", ""} or left.read is None:
            return right
        known = {text for text, _ in self._values.values(left.read)}
        if not known or any(quote(e.literal or "") in known for e in right.elements):
            return right
        texts: list[str] = []
        changed = False
        for element in right.elements:
            near = near_values(left.read, element.literal or "", self._values)
            texts.extend(map(quote, near) if near else [element.text])
            if near:
                changed = True
                there = ", ".join(map(quote, near[:3]))
                what = f"no device has the {left.read.name} {element.text}; there is {there}"
                self.note("value", what)
        if not changed:
            return right
        return Mended(f"[{', '.join(dict.fromkeys(texts))}]", "list")

    # Calls.

    def _invocation(self, node: loose.Invocation) -> Mended:
        if node.target is None:
            if node.function == "has" and len(node.args) == 1:
                return self._has(node)
            args = [self._mend(arg) for arg in node.args]
            return calls.global_call(node.function, args, self._copy(node, args), self.note)
        target = self._mend(node.target)
        args = [self._mend(arg) for arg in node.args]
        name = node.function
        if name in calls.ORDER_METHODS and len(args) == 1:
            operator = calls.ORDER_METHODS[name]
            text = compare(operator, target, args[0], self._values, self.note)
            self.note("function", f"there is no function {name}")
            return Mended(text or f"{target.text} {operator} {args[0].text}", "bool")
        known = self._member_of_read(node, name, target, args)
        if known is not None:
            return known
        if name in calls.METHODS:
            self.note("function", f"{name} is called {calls.METHODS[name]}")
            name = calls.METHODS[name]
        if name == "includes" and target.kind == "string" and not self._has_includes:
            self.note("function", "includes is called contains")
            name = "contains"
        if name in calls.TAKES_LIKE and len(args) == 1:
            args = [calls.operand(target, args[0], self._fleet, self.note)]
        if name == "startsWith" and target.kind == "string" and args:
            name = calls.affix(target, args[0], self._values, self.note)
        copied = self._copy(node, [target, *args])
        if name != node.function:
            copied = f"{target.text}.{name}({', '.join(arg.text for arg in args)})"
        if name == "orValue" and len(args) == 1:
            return Mended(copied, "or-value", target.read)
        if name in calls.NEEDS_SIZE and target.kind == "or-value" and target.read is not None:
            return calls.guarded(target.read, name, args, self.note)
        return Mended(copied, "bool" if name in calls.GIVES_BOOL else "")

    def _member_of_read(
        self, node: loose.Invocation, name: str, target: Mended, args: list[Mended]
    ) -> Mended | None:
        """Write calls that no attribute, capacity or domain has; None where it is no such call."""
        if target.kind == "domain" and name in {"has", "contains", "hasKey"} and len(args) == 1:
            self.note("function", f"{name} on a map is written with in")
            return Mended(f"{args[0].text} in {target.text}", "bool")
        if target.read is None:
            return None
        if not args and name in {"asString", "toString", "string", "value"}:
            if target.kind == "optional":
                return Mended(self._copy(node, [target]), self._paths.kind(target.read))
            self.note("suffix", f".{name}()")
            return target
        if not args and name == "sign" and target.kind == "quantity":
            self.note("function", "sign is no member: sign(q)")
            return Mended(f"sign({target.text})", "int")
        if target.kind == "version" and name in {"startsWith", "contains"} and len(args) == 1:
            major = (args[0].literal or "").rstrip(".")
            if major.isascii() and major.isdigit():
                self.note("version", "a version is no text; major(), minor() and patch() read it")
                return Mended(f"{target.text}.major() == {int(major)}", "bool")
        return None

    def _has(self, node: loose.Invocation) -> Mended:
        arg = self._mend(node.args[0])
        read = arg.read
        if read is None or read.part not in {"attribute", "capacity"}:
            return Mended(self._copy(node, [arg]), "bool")
        base = Read(read.part, read.domain).text
        if read.text != f"{base}.{read.name}":
            self.note("has", "has() takes a field after a dot")
            return Mended(f"{quote(read.name)} in {base}", "bool")
        if isinstance(node.args[0], loose.Index) or arg.kind == "optional":
            self.note("has", "has() takes a field after a dot")
            return Mended(f"has({read.text})", "bool")
        return Mended(self._copy(node, [arg]), "bool")


def _folded(operator: str, left: int | None, right: int | None) -> int | None:
    """Compute `40 * 1024 * 1024 * 1024`, so that it can be written as a quantity."""
    if left is None or right is None or max(left, right) > 1 << 62:
        return None
    match operator:
        case "*":
            return left * right
        case "+":
            return left + right
        case _:
            return None
