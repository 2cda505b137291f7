"""The paths into `device`: found in the text, resolved, and written as they should stand."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from webhook.cel.fleet import Fleet, Part, Read, member, quote
from webhook.cel.mending import loose
from webhook.cel.mending.comparing import Mended, Note
from webhook.cel.mending.paths import PARTS, resolve

_ROOTS: Final = frozenset({"devices", "Device", "Devices", "dev"})
_FIELDS: Final = {
    "driver": "driver",
    "allowmultipleallocations": "allowMultipleAllocations",
    "attributes": "attributes",
    "capacity": "capacity",
}
_VERSION_NAME: Final = re.compile(r"(?:[vV]ersion|[cC]omputeCapability)\Z")
_VERSION_CALLS: Final = frozenset({"major", "minor", "patch"})
_TEXT_CALLS: Final = frozenset({"lowerAscii", "upperAscii", "trim"})


@dataclass(frozen=True, slots=True)
class _Steps:
    """A chain of constant members: its root, the names of the steps and their nodes."""

    root: str
    names: tuple[str, ...]
    nodes: tuple[loose.Node, ...]
    optional: bool
    rewritten: bool


@dataclass(frozen=True, slots=True)
class PathWriter:
    """Writes paths of one expression; `variables` are the names that its macros introduce."""

    source: str
    fleet: Fleet
    default_domain: str | None
    variables: frozenset[str]
    note: Note

    def write(self, node: loose.Node) -> Mended | None:
        """Write a node that is a path into the device, None if it is none."""
        steps = self._steps(node)
        if steps is None:
            return None
        root = steps.root
        if root in self.variables:
            return None
        if root == "device":
            return self._from_device(node, steps, changed=steps.rewritten) if steps.names else None
        if root in _ROOTS and steps.names:
            self.note("device", f"{root} is written device")
            return self._from_device(node, steps, changed=True)
        if root in PARTS and steps.names:
            self.note("device", f"{root} belongs to device")
            nodes = (loose.Name(node.start, node.start, root), *steps.nodes)
            inner = _Steps("device", (root, *steps.names), nodes, steps.optional, rewritten=False)
            return self._from_device(node, inner, changed=True)
        return None if steps.names else self._bare_name(root)

    def kind(self, read: Read, hint: str = "") -> str:
        """Return the kind of value that a read gives, empty where nobody knows."""
        if read.part == "capacity":
            return "quantity"
        return (
            self.fleet.kind(read) or hint or ("version" if _VERSION_NAME.search(read.name) else "")
        )

    def _steps(self, node: loose.Node) -> _Steps | None:
        names: list[str] = []
        nodes: list[loose.Node] = []
        optional = rewritten = False
        here = node
        while isinstance(here, loose.Member | loose.Index):
            if isinstance(here, loose.Member):
                names.append(here.name)
            elif isinstance(here.index, loose.Text):
                names.append(here.index.value)
                if here.index.written[:1] in "“‘":
                    self.note("quotes", "typographic quotes are no quotes")
                    rewritten = True
            else:
                bare = self._unquoted(here.index)
                if bare is None:
                    return None
                self.note("quotes", f"{bare} in brackets is a text, in quotes")
                names.append(bare)
                rewritten = True
            nodes.append(here)
            if here.optional and self.source[here.target.end : here.end].startswith("?."):
                self.note("word", "?. is written .?")
                rewritten = True
            optional = optional or here.optional
            here = here.target
        if not isinstance(here, loose.Name):
            return None
        names.reverse()
        nodes.reverse()
        return _Steps(here.name.removeprefix("."), tuple(names), tuple(nodes), optional, rewritten)

    def _unquoted(self, index: loose.Node) -> str | None:
        """Return the domain or name that somebody wrote in brackets without quotes."""
        text = dotted_name(index)
        if text is None or text.partition(".")[0] in {"device", *self.variables}:
            return None
        known = text in self.fleet.domains() or any(r.name == text for r in self.fleet.known)
        return text if known or text == self.default_domain else None

    def _bare_name(self, root: str) -> Mended | None:
        """Take a name alone for the attribute or capacity of that name."""
        homes = [read for read in self.fleet.known if read.name == root]
        if not homes:
            return None
        homes.sort(key=lambda read: read.domain != self.default_domain)
        self.note("device", f"{root} is written {homes[0].text}")
        return Mended(homes[0].text, self.kind(homes[0]), homes[0])

    def _from_device(self, node: loose.Node, steps: _Steps, *, changed: bool) -> Mended | None:
        names = steps.names
        field = _FIELDS.get(names[0].lower()) or _field_of(PARTS.get(names[0]))
        if field is None:
            if not any(read.name == names[0] for read in self.fleet.known):
                return None
            self.note("device", f"device has no {names[0]}")
            field, names, changed = "attributes", ("attributes", *names), True
        elif field != names[0] or isinstance(steps.nodes[0], loose.Index):
            self.note("device", f"it is written device.{field}")
            changed = True
        if field in {"driver", "allowMultipleAllocations"}:
            return self._flag(node, names, field, changed=changed or steps.optional)
        part: Part = "attribute" if field == "attributes" else "capacity"
        found = resolve(self.fleet, self.default_domain, part, list(names[1:]))
        written = self.source[node.start : node.end]
        if found is None:
            if len(names) == 2:
                text = f"device.{field}[{quote(names[1])}]" if changed else written
                return Mended(text, "domain")
            return Mended(f"device.{field}" if changed and len(names) == 1 else written)
        for kind, item in found.faults:
            self.note(kind, item)
        left = names[1 + found.used :]
        read = found.read
        text = read.text
        if not changed and not found.faults and not left:
            text = written
        elif steps.optional:
            text = _optional_text(read)
        kind = "optional" if steps.optional else self.kind(read, found.hint)
        for name in left:
            text, kind = self._further(text, kind, name)
        if left and not changed and not found.faults and kind == "":
            text = written
        return Mended(text, kind, None if left else read)

    def _further(self, text: str, kind: str, name: str) -> tuple[str, str]:
        """Write a member of a value: there are none, but functions are written like them."""
        if kind == "version" and name in _VERSION_CALLS:
            self.note("call", f"{name} is a function: .{name}()")
            return f"{text}.{name}()", "int"
        if kind in {"string", ""} and name in _TEXT_CALLS:
            self.note("call", f"{name} is a function: .{name}()")
            return f"{text}.{name}()", "string"
        return text + member(name), ""

    def _flag(
        self, node: loose.Node, names: tuple[str, ...], field: str, *, changed: bool
    ) -> Mended | None:
        read = Read("driver" if field == "driver" else "allowMultipleAllocations")
        if len(names) > 1:
            if names[1] not in {"string", "bool", "value"}:
                return None
            self.note("suffix", f".{names[1]}")
            changed = True
        text = read.text if changed else self.source[node.start : node.end]
        return Mended(text, "string" if field == "driver" else "bool", read)


def dotted_name(node: loose.Node) -> str | None:
    """Return `gpu.nvidia.com` for a chain of plain names, None for anything else."""
    names: list[str] = []
    here = node
    while isinstance(here, loose.Member) and not here.optional:
        names.append(here.name)
        here = here.target
    if not isinstance(here, loose.Name):
        return None
    return ".".join([here.name, *reversed(names)])


def macro_variables(node: loose.Node) -> frozenset[str]:
    """Return every name that stands alone as an argument: macros introduce their variables so."""
    found: set[str] = set()
    waiting = [node]
    while waiting:
        here = waiting.pop()
        if isinstance(here, loose.Invocation) and len(here.args) > 1:
            found.update(arg.name for arg in here.args if isinstance(arg, loose.Name))
        waiting.extend(loose.children(here))
    return frozenset(found)


def _field_of(part: Part | None) -> str | None:
    if part is None:
        return None
    return "attributes" if part == "attribute" else "capacity"


def _optional_text(read: Read) -> str:
    base = Read(read.part, read.domain).text
    plain = member(read.name)
    return f"{base}.?{read.name}" if plain[0] == "." else f"{base}[?{quote(read.name)}]"
