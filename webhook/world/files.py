"""The world from files: what `kubectl get … -o yaml` prints, and at most one ClusterFacts."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from dataclasses import replace
from importlib import resources
from pathlib import Path
from typing import Final

from webhook.kube.types import Document
from webhook.kube.yaml import YamlError, load_documents
from webhook.world.build import extend
from webhook.world.facts import check_keys, is_facts
from webhook.world.faults import WorldError
from webhook.world.types import World

SUFFIXES: Final = (".yaml", ".yml", ".json")
MAX_FILE_BYTES: Final = 512 * 1024 * 1024


def empty() -> World:
    """Give the world of which nothing is known."""
    return World(absence_known=False)


def nothing_there() -> World:
    """Give the world that is known to hold nothing: where a snapshot of a cluster starts."""
    return World(
        classes={}, pools=(), nodes={}, namespaces={}, templates={}, claims={}, workloads=()
    )


def load(paths: Iterable[str]) -> World:
    """Read a cluster from files, folders, and `-` for standard input.

    A kind of which the files hold nothing is known to be absent. Raises WorldError for a file that
    cannot be read, for text that is no YAML, and for a ClusterFacts that is wrong or repeated.
    """
    documents = [document for path in paths for document in read_documents(path)]
    facts = [document for document in documents if is_facts(document.value)]
    for document in facts:
        check_keys(document.value, document.file, document.line)
    if len(facts) > 1:
        raise WorldError(
            f"a second ClusterFacts document; the first is at {facts[0].file}:{facts[0].line}",
            facts[1].file,
            facts[1].line,
        )
    world = extend(nothing_there(), [document.value for document in documents])
    if facts:
        world = replace(world, facts_from=f"{facts[0].file}:{facts[0].line}")
    return world


def read_documents(path: str) -> list[Document]:
    """Read every object of one file, folder (all YAML and JSON files below it), or `-`.

    Raises WorldError with file, line and what is wrong.
    """
    return [document for file, text in _texts(path) for document in _parse(text, file)]


def _parse(text: bytes, file: str) -> list[Document]:
    try:
        return load_documents(text, file)
    except YamlError as error:
        raise WorldError(error.text, file, error.line) from error


def _texts(path: str) -> Iterator[tuple[str, bytes]]:
    if path == "-":
        yield "<stdin>", sys.stdin.buffer.read()
        return
    place = Path(path)
    if place.is_dir():
        found = sorted(
            file for file in place.rglob("*") if file.suffix in SUFFIXES and file.is_file()
        )
        if not found:
            raise WorldError("the folder holds no .yaml, .yml or .json file", path)
    else:
        found = [place]
    for file in found:
        try:
            yield str(file), file.read_bytes()
        except OSError as error:
            raise WorldError(f"cannot be read: {error.strerror}", str(file)) from error


def example() -> World:
    """Give the bundled example cluster."""
    folder = resources.files("webhook.world").joinpath("data/example")
    documents = [
        document
        for file in sorted(folder.iterdir(), key=lambda entry: entry.name)
        if file.name.endswith(".yaml")
        for document in load_documents(file.read_bytes(), f"example/{file.name}")
    ]
    world = extend(nothing_there(), [document.value for document in documents])
    return replace(world, facts_from="the bundled example")
