"""JSON files with places: the value from the JSON parser, the places from a scan on demand.

A cluster snapshot in JSON has millions of values and nobody asks where they stand; so places are
found only when the first one is asked for.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from webhook.kube.json import JsonError, duplicates, loads
from webhook.kube.types import EMPTY, Path
from webhook.kube.yaml_builder import Built

_SPACE: Final = re.compile(r"[ \t\r\n]*")
_TOKEN: Final = re.compile(r'[ \t\r\n]*("(?:[^"\\]|\\.)*+"|[{}\[\],:]|[^\s{}\[\],:"]+)', re.DOTALL)


def read_json(text: str, *, positions: bool) -> list[Built] | None:
    """Read one JSON value or several, one after the other; None when the text is no JSON."""
    found: list[Built] = []
    for start, end in _values(text):
        part = text[start:end]
        try:
            data = part.encode()
            value = loads(data)
        except (JsonError, UnicodeEncodeError):
            return None
        line, column = text.count("\n", 0, start) + 1, start - text.rfind("\n", 0, start)
        places: Mapping[Path, tuple[int, int]] = EMPTY
        starts: Mapping[Path, tuple[int, int, int]] = EMPTY
        if positions:
            scan = _Scan(part, line, column)
            places, starts = _Places(scan), _Starts(scan)
        found.append(Built(value, line, places, starts, duplicates(data) if positions else ()))
    return found or None


def split_json(text: bytes) -> list[bytes] | None:
    """Give each of several JSON values as the bytes it has; None when the text is no JSON."""
    try:
        decoded = text.decode()
    except UnicodeDecodeError:
        return None
    parts = [decoded[start:end].encode() for start, end in _values(decoded)]
    try:
        for part in parts:
            loads(part)
    except JsonError:
        return None
    return parts or None


def _values(text: str) -> Iterator[tuple[int, int]]:
    """Give start and end of each top-level value, as far as brackets tell."""
    depth = 0
    start = -1
    position = 0
    while (match := _TOKEN.match(text, position)) is not None:
        word = match[1]
        if start < 0:
            start = match.start(1)
        depth += (word in {"{", "["}) - (word in {"}", "]"})
        position = match.end()
        if depth <= 0:
            yield start, position
            start, depth = -1, 0
    if start >= 0 or _SPACE.sub("", text[position:]):
        # Not closed, or something that is no word: the parser will say that it is no JSON.
        yield (start if start >= 0 else position), len(text)


class _Scan:
    """Finds all places of one JSON text, once, when they are asked for."""

    def __init__(self, text: str, line: int, column: int) -> None:
        self._text = text
        self._line = line
        self._column = column
        self._found: tuple[dict[Path, Any], dict[Path, Any]] | None = None

    def places(self) -> tuple[dict[Path, Any], dict[Path, Any]]:
        """Give positions and text starts."""
        if self._found is None:
            self._found = self._run()
        return self._found

    def _run(self) -> tuple[dict[Path, Any], dict[Path, Any]]:
        places: dict[Path, Any] = {}
        starts: dict[Path, Any] = {}
        line, line_start = self._line, 1 - self._column
        last = 0
        stack: list[
            list[Any]
        ] = []  # [path, is object, key or index, place of the key, expects key]
        position = 0
        while (match := _TOKEN.match(self._text, position)) is not None:
            word, at = match[1], match.start(1)
            position = match.end()
            breaks = self._text.count("\n", last, at)
            if breaks:
                line += breaks
                line_start = self._text.rfind("\n", last, at) + 1
            last = at
            place = (line, at - line_start + 1)
            top = stack[-1] if stack else None
            if word == ",":
                if top is not None:
                    top[4] = top[1]
                    top[2] = top[2] if top[1] else top[2] + 1
            elif word == ":":
                continue
            elif word in {"}", "]"}:
                if stack:
                    stack.pop()
            elif top is not None and top[4]:
                top[2], top[3], top[4] = _text_of(word), place, False
            else:
                path: Path = () if top is None else (*top[0], top[2])
                if word in {"{", "["}:
                    places[path] = top[3] if top is not None and top[1] else place
                    is_object = word == "{"
                    stack.append([path, is_object, 0, place, is_object])
                else:
                    places[path] = place
                    if word[0] == '"' and "\\" not in word:
                        starts[path] = (place[0], place[1] + 1, place[1])
        return places, starts


def _text_of(word: str) -> str:
    if word[0] != '"':
        return word
    return str(json.loads(word, strict=False)) if "\\" in word else word[1:-1]


class _Places(Mapping[Path, tuple[int, int]]):
    """Positions that are found when the first is asked for."""

    __slots__ = ("_scan",)

    def __init__(self, scan: _Scan) -> None:
        self._scan = scan

    def __getitem__(self, path: Path) -> tuple[int, int]:
        place: tuple[int, int] = self._scan.places()[0][path]
        return place

    def __iter__(self) -> Iterator[Path]:
        return iter(self._scan.places()[0])

    def __len__(self) -> int:
        return len(self._scan.places()[0])


class _Starts(Mapping[Path, tuple[int, int, int]]):
    """Starts of texts that are found when the first is asked for."""

    __slots__ = ("_scan",)

    def __init__(self, scan: _Scan) -> None:
        self._scan = scan

    def __getitem__(self, path: Path) -> tuple[int, int, int]:
        start: tuple[int, int, int] = self._scan.places()[1][path]
        return start

    def __iter__(self) -> Iterator[Path]:
        return iter(self._scan.places()[1])

    def __len__(self) -> int:
        return len(self._scan.places()[1])
