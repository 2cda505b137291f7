"""Building values, and their places, from the events of a YAML parser.

An explicit stack in place of recursion; merge keys and repeated keys as sigs.k8s.io/yaml treats
them: assignments in the order of the text, the last one counts.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import yaml

from webhook.kube.types import EMPTY, Duplicate, Path
from webhook.kube.yaml_faults import YamlError
from webhook.kube.yaml_scalars import key_text, resolve, resolve_tagged

_MOST_ALIASED: Final = 100_000
"""How many values aliases may add: walkers of the value pay for each of them again."""
_MOST_DUPLICATES: Final = 50
_LINE_BREAK: Final = re.compile(r"\r\n|[\r\n\x85\u2028\u2029]")
_MERGE: Final = "<<"


@dataclass(frozen=True, slots=True)
class Built:
    """One document: its value, of any JSON type, and where things stand in it (see Document)."""

    value: Any
    line: int
    positions: Mapping[Path, tuple[int, int]] = EMPTY
    text_starts: Mapping[Path, tuple[int, int, int]] = EMPTY
    duplicates: tuple[Duplicate, ...] = ()


class _Open:
    """A collection whose end has not come yet; `size` counts the values in it, itself included."""

    __slots__ = (
        "anchor",
        "key",
        "key_place",
        "merged",
        "merging",
        "path",
        "size",
        "value",
        "waiting",
    )

    def __init__(self, value: Any, path: Path, anchor: str | None) -> None:
        self.value = value
        self.path = path
        self.anchor = anchor
        self.size = 1
        self.key: str = ""
        self.key_place: tuple[int, int] = (0, 0)
        self.waiting = False
        """Whether a key was read whose value comes next."""
        self.merging = False
        self.merged: set[str] = set()
        """Keys that came by a merge: to write one again overrides, and repeats nothing."""


class Builder:
    """Takes events one by one and gives a document when one is complete."""

    def __init__(self, text: str, file: str, *, positions: bool, max_depth: int) -> None:
        self._text = text
        self._file = file
        self._keep = positions
        self._max_depth = max_depth
        self._lines: list[str] | None = None
        self._reset(0)

    def _reset(self, line: int) -> None:
        self._stack: list[_Open] = []
        self._anchors: dict[str, tuple[Any, int]] = {}
        self._positions: dict[Path, tuple[int, int]] = {}
        self._starts: dict[Path, tuple[int, int, int]] = {}
        self._repeated: dict[Path, list[Any]] = {}
        self._root: Any = None
        self._line = line
        self._aliased = 0

    def take(self, event: Any) -> Built | None:
        """Take the next event; gives the document that ends with it. Raises YamlError."""
        kind = type(event)
        if kind is yaml.ScalarEvent:
            self._scalar(event)
        elif kind is yaml.MappingStartEvent:
            self._open({}, event)
        elif kind is yaml.SequenceStartEvent:
            self._open([], event)
        elif kind is yaml.MappingEndEvent or kind is yaml.SequenceEndEvent:
            self._close()
        elif kind is yaml.AliasEvent:
            self._alias(event)
        elif kind is yaml.DocumentStartEvent:
            self._reset(event.start_mark.line + 1)
        elif kind is yaml.DocumentEndEvent:
            return Built(
                self._root,
                self._line,
                self._positions,
                self._starts,
                tuple(Duplicate(path, tuple(v)) for path, v in self._repeated.items()),
            )
        return None

    def _fail(self, text: str, event: Any) -> YamlError:
        mark = event.start_mark
        return YamlError(text, self._file, mark.line + 1, mark.column + 1)

    def _place(self, event: Any, *, collection: bool) -> Path:
        """Give the path of the value that begins here, and keep its place."""
        if not self._stack:
            path: Path = ()
            self._line = event.start_mark.line + 1
        else:
            top = self._stack[-1]
            if type(top.value) is dict:
                path = (*top.path, top.key)
                if collection and self._keep:
                    self._positions[path] = top.key_place
                    return path
            else:
                path = (*top.path, len(top.value))
        if self._keep:
            mark = event.start_mark
            self._positions[path] = (mark.line + 1, mark.column + 1)
        return path

    def _is_key(self) -> bool:
        return (
            bool(self._stack)
            and type(self._stack[-1].value) is dict
            and (not self._stack[-1].waiting)
        )

    def _open(self, value: Any, event: Any) -> None:
        if self._is_key():
            raise self._fail("a key must be text, not a list or an object", event)
        if len(self._stack) >= self._max_depth:
            raise self._fail(
                f"the document nests deeper than {self._max_depth} levels; flatten it", event
            )
        path = self._place(event, collection=True)
        if event.anchor is not None:
            # Until it is closed, an alias to it would make it hold itself.
            self._anchors[event.anchor] = (None, 0)
        self._stack.append(_Open(value, path, event.anchor))

    def _close(self) -> None:
        done = self._stack.pop()
        if done.anchor is not None:
            self._anchors[done.anchor] = (done.value, done.size)
        self._put(done.value, done.size)

    def _alias(self, event: Any) -> None:
        found = self._anchors.get(event.anchor)
        if found is None:
            raise self._fail(f"the alias *{event.anchor[:40]} has no anchor before it", event)
        value, size = found
        if not size:
            raise self._fail(f"the alias *{event.anchor[:40]} lies inside its own anchor", event)
        self._aliased += size
        if self._aliased > _MOST_ALIASED:
            raise self._fail("aliases make the document too large; write it out", event)
        if self._is_key():
            if isinstance(value, dict | list):
                raise self._fail("a key must be text, not a list or an object", event)
            self._take_key(value, event)
            return
        path = self._place(event, collection=True)
        self._check_depth(value, len(path), event)
        self._put(value, size)

    def _check_depth(self, value: Any, level: int, event: Any) -> None:
        """Keep the depth limit where an alias brings in what is deep itself."""
        layer = [value]
        while layer:
            if level > self._max_depth:
                raise self._fail(
                    f"the document nests deeper than {self._max_depth} levels; flatten it", event
                )
            seen: dict[int, Any] = {}
            for node in layer:
                inner = node.values() if isinstance(node, dict) else node
                if isinstance(node, dict | list):
                    seen.update((id(i), i) for i in inner if isinstance(i, dict | list))
            layer = list(seen.values())
            level += 1

    def _scalar(self, event: Any) -> None:
        text: str = event.value
        plain = not event.style
        try:
            if event.tag is not None and event.tag != "!":
                value = resolve_tagged(text, event.tag)
            elif plain and event.tag is None:
                value = resolve(text)
            else:
                value = text
        except ValueError as error:
            raise self._fail(str(error), event) from error
        if event.anchor is not None:
            self._anchors[event.anchor] = (value, 1)
        if self._is_key():
            if plain and text == _MERGE:
                self._stack[-1].merging = True
            self._take_key(value, event)
            return
        path = self._place(event, collection=False)
        if self._keep and isinstance(value, str) and value:
            self._keep_start(path, event, value)
        self._put(value, 1)

    def _take_key(self, value: Any, event: Any) -> None:
        key = key_text(value)
        if key is None:
            raise self._fail("a key must be text, not null; write it in quotes", event)
        top = self._stack[-1]
        mark = event.start_mark
        top.key, top.key_place, top.waiting = key, (mark.line + 1, mark.column + 1), True

    def _put(self, value: Any, size: int) -> None:
        """Put a complete value where it belongs."""
        if not self._stack:
            self._root = value
            return
        top = self._stack[-1]
        top.size += size
        if type(top.value) is list:
            top.value.append(value)
            return
        top.waiting = False
        if top.merging:
            top.merging = False
            self._merge(top, value)
            return
        if top.key in top.value and top.key not in top.merged:
            path = (*top.path, top.key)
            if path in self._repeated:
                self._repeated[path].append(value)
            elif len(self._repeated) < _MOST_DUPLICATES:
                self._repeated[path] = [top.value[top.key], value]
        top.merged.discard(top.key)
        top.value[top.key] = value

    def _merge(self, top: _Open, value: Any) -> None:
        """Lay the keys of a merged map, or of several, over what is there (go-yaml v2)."""
        parts = value if isinstance(value, list) else [value]
        if not all(isinstance(part, dict) for part in parts):
            raise YamlError(
                "the merge key << takes an object, or a list of objects",
                self._file,
                *top.key_place,
            )
        for part in reversed(parts):
            top.value.update(part)
            top.merged.update(part)

    def _keep_start(self, path: Path, event: Any, value: str) -> None:
        """Keep where the text of a scalar begins, where its places can be told from the value's."""
        mark, end = event.start_mark, event.end_mark
        if event.style in {"|", ">"}:
            self._keep_block_start(path, event, value)
        elif mark.line == end.line:
            quote = 1 if event.style else 0
            # Escapes shift what follows them; then no place inside the text is told.
            if end.column - mark.column == len(value) + 2 * quote:
                column = mark.column + 1 + quote
                self._starts[path] = (mark.line + 1, column, column - 1)

    def _keep_block_start(self, path: Path, event: Any, value: str) -> None:
        if self._lines is None:
            self._lines = _LINE_BREAK.split(self._text)
        first = event.start_mark.line + 1
        source = self._lines[first : max(event.end_mark.line, first + 1)]
        if event.style == ">" and sum(1 for line in source if line.strip()) != 1:
            return
        for line, shown in zip(source, value.split("\n"), strict=False):
            if line.strip() and shown.strip():
                indent = _leading(line) - _leading(shown)
                self._starts[path] = (first + 1, indent + 1, indent)
                return


def _leading(line: str) -> int:
    return len(line) - len(line.lstrip(" "))
