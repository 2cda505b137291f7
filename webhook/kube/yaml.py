"""YAML and JSON files as documents with places: what kubectl would send, and where it stands.

Built over the events of libyaml (PyYAML's C parser), in one pass without recursion: the pure Python
parser is ten times slower, and a node tree would be a second copy of everything. Depth, aliases and
their growth are bounded. Text that starts like JSON is read as JSON, where `50.0` stays a float.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

import yaml

from webhook.kube import json as kube_json
from webhook.kube.json_places import read_json
from webhook.kube.types import EMPTY, Document, Path
from webhook.kube.yaml_builder import Builder, Built
from webhook.kube.yaml_faults import YamlError

__all__ = ["MAX_DEPTH", "Below", "YamlError", "load_documents", "load_values"]

MAX_DEPTH: Final = kube_json.MAX_DEPTH
_MAX_LISTS: Final = 4
"""Lists in Lists in Lists: nobody writes more."""


def load_documents(text: bytes | str, file: str = "", *, positions: bool = True) -> list[Document]:
    """Read all objects of a file: YAML with any number of documents, JSON, and Lists of either.

    `List` objects (v1 List, PodList and their like) are replaced by their items, whose places are
    their own. Empty documents are left out. With `positions=False` only the line of each document
    is kept, which saves memory for large cluster files. Raises YamlError for text that cannot be
    read, and for a document that is no object.
    """
    documents: list[Document] = []
    for built in load_values(text, file, positions=positions):
        if built.value is None:
            continue
        if not isinstance(built.value, dict):
            kind = "a list" if isinstance(built.value, list) else "a single value"
            raise YamlError(
                f"the document is {kind}, not an object; write apiVersion, kind and so on, as "
                "key: value",
                file,
                built.line,
                1,
            )
        documents += _flattened(_document(built, file), 0)
    return documents


def load_values(text: bytes | str, file: str = "", *, positions: bool = True) -> list[Built]:
    """Read all documents of a text, of whatever type; raises YamlError."""
    decoded = _decode(text, file)
    if _JSON_START.match(decoded) is not None:
        found = read_json(decoded, positions=positions)
        if found is not None:
            return found
    return list(_read_yaml(decoded, file, positions))


_JSON_START: Final = re.compile(r"\s*[{\[]")


def _decode(text: bytes | str, file: str) -> str:
    if isinstance(text, str):
        return text.removeprefix("\ufeff")
    if text.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise YamlError("the file is UTF-16; save it as UTF-8", file, 1, 1)
    try:
        return text.decode().removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        before = text[: error.start]
        line = before.count(b"\n") + 1
        column = len(before[before.rfind(b"\n") + 1 :].decode(errors="replace")) + 1
        raise YamlError("the file is not UTF-8; save it as UTF-8", file, line, column) from error


def _read_yaml(text: str, file: str, positions: bool) -> Iterator[Built]:
    """Run the parser over the text; its errors become ours, with their place."""
    if not yaml.__with_libyaml__:
        raise RuntimeError(
            "PyYAML was installed without libyaml, and its pure Python parser is too slow; install "
            "a wheel of PyYAML that has it (pip install --force-reinstall --only-binary :all: "
            "PyYAML)"
        )
    try:
        parser = yaml.CSafeLoader(text)
        builder = Builder(text, file, positions=positions, max_depth=MAX_DEPTH)
        while (event := parser.get_event()) is not None:
            built = builder.take(event)
            if built is not None:
                yield built
    except yaml.reader.ReaderError as error:
        raise _reader_error(error, text, file) from error
    except yaml.MarkedYAMLError as error:
        raise _marked_error(error, text, file) from error
    except UnicodeEncodeError as error:
        raise YamlError(
            "the text holds half of a surrogate pair; save the file as UTF-8", file, 1, 1
        ) from error


def _reader_error(error: yaml.reader.ReaderError, text: str, file: str) -> YamlError:
    """Place a character that YAML does not take; the parser counts in bytes of UTF-8."""
    before = text.encode(errors="replace")[: error.position].decode(errors="replace")
    line = before.count("\n") + 1
    column = len(before) - before.rfind("\n")
    code = error.character if isinstance(error.character, int) else 0
    return YamlError(
        f"the character U+{code:04X} is not allowed in YAML; remove it, or write it as an escape "
        "in double quotes",
        file,
        line,
        column,
    )


def _marked_error(error: yaml.MarkedYAMLError, text: str, file: str) -> YamlError:
    mark = error.problem_mark or error.context_mark
    line, column = (mark.line + 1, mark.column + 1) if mark is not None else (0, 0)
    problem = error.problem or "the text is no YAML"
    lines = text.splitlines()
    here = lines[line - 1] if 0 < line <= len(lines) else ""
    if "nesting" in problem:
        problem = f"the document nests deeper than {MAX_DEPTH} levels; flatten it"
    elif "cannot start any token" in problem and here[column - 1 : column] == "\t":
        problem = "a tab indents here, which YAML does not allow; write blanks"
    elif error.context and error.context != problem:
        problem = f"{problem} {error.context}"
    return YamlError(f"no YAML: {problem}", file, line, column)


def _document(built: Built, file: str) -> Document:
    return Document(
        value=built.value,
        file=file,
        line=built.line,
        positions=built.positions,
        text_starts=built.text_starts,
        duplicates=built.duplicates,
    )


def _flattened(document: Document, level: int) -> Iterator[Document]:
    """Give the items of a List, each with its own places; any other document as it is."""
    value = document.value
    kind, items = value.get("kind"), value.get("items")
    is_list = isinstance(kind, str) and kind.endswith("List") and isinstance(items, list)
    if not is_list or not isinstance(items, list) or level >= _MAX_LISTS:
        yield document
        return
    api_version = value.get("apiVersion")
    for index, item in enumerate(items):
        if not isinstance(item, dict):
            continue
        # Items of a typed list, as the API server sends it, have no kind of their own.
        defaults: dict[str, Any] = {}
        if "kind" not in item and kind != "List":
            defaults = {"apiVersion": api_version, "kind": str(kind).removesuffix("List")}
        place = ("items", index)
        own = document.positions.get(place) if document.positions else None
        inner = Document(
            value={**defaults, **item} if defaults else item,
            file=document.file,
            line=own[0] if own is not None else document.line,
            positions=Below(document.positions, place) if document.positions else EMPTY,
            text_starts=Below(document.text_starts, place) if document.positions else EMPTY,
            duplicates=tuple(
                type(found)(found.path[2:], found.values)
                for found in document.duplicates
                if found.path[:2] == place
            ),
        )
        yield from _flattened(inner, level + 1)


class Below(Mapping[Path, Any]):
    """Places below one path of a document, with paths relative to it."""

    __slots__ = ("_places", "_prefix")

    def __init__(self, places: Mapping[Path, Any], prefix: Path) -> None:
        self._places = places
        self._prefix = prefix

    def __getitem__(self, path: Path) -> Any:
        return self._places[self._prefix + path]

    def __iter__(self) -> Iterator[Path]:
        size = len(self._prefix)
        return (path[size:] for path in self._places if path[:size] == self._prefix)

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __bool__(self) -> bool:
        return bool(self._places)
