"""What the command line reads: files, folders, standard input; and how it says that it cannot."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import click

from webhook.kube.types import Document
from webhook.kube.yaml import YamlError, load_documents
from webhook.policy import Policy, PolicyError, load_policy

SUFFIXES: Final = (".yaml", ".yml", ".json")
MAX_FILE_BYTES: Final = 64 * 1024 * 1024
STANDARD_INPUT: Final = "<stdin>"


class Unreadable(click.ClickException):
    """Input that cannot be read: exit code 2, and the place in the message."""

    exit_code = 2


@dataclass(frozen=True, slots=True)
class Source:
    """One text that was read; `in_folder` when it was found and not named."""

    file: str
    text: bytes
    in_folder: bool = False


def read_sources(paths: Iterable[str]) -> Iterator[Source]:
    """Read files, folders (all YAML and JSON files below them), and `-`; raises Unreadable."""
    for path in paths:
        if path == "-":
            with click.open_file("-", "rb") as stream:
                yield Source(STANDARD_INPUT, _bounded(stream.read(MAX_FILE_BYTES + 1), "-"))
            continue
        place = Path(path)
        if not place.is_dir():
            yield Source(_shown(path), _read(place))
            continue
        found = sorted(_below(place))
        if not found:
            raise Unreadable(f"{_shown(path)}: the folder holds no .yaml, .yml or .json file")
        for file in found:
            yield Source(_shown(str(file)), _read(file), in_folder=True)


def _below(folder: Path) -> Iterator[Path]:
    """Give the files of a folder; hidden folders (.git, .github) hold no manifests."""
    for root, folders, files in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith(".")]
        for name in files:
            if name.endswith(SUFFIXES) and not name.startswith("."):
                yield Path(root, name)


def _read(place: Path) -> bytes:
    try:
        with place.open("rb") as stream:
            return _bounded(stream.read(MAX_FILE_BYTES + 1), str(place))
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise Unreadable(f"{_shown(str(place))}: cannot be read: {why}") from error


def _bounded(text: bytes, name: str) -> bytes:
    if len(text) > MAX_FILE_BYTES:
        raise Unreadable(f"{_shown(name)}: is larger than {MAX_FILE_BYTES >> 20} MiB; split it")
    return text


def _shown(path: str) -> str:
    """Give a path as text that can be printed, whatever bytes it has."""
    return click.format_filename(path)


def read_objects(paths: Iterable[str]) -> tuple[list[Document], list[str]]:
    """Read all objects to be judged, and name the files in folders that hold something else.

    An object has apiVersion and kind. In a file that was named, anything else is a fault; in a
    folder it may be anything (values of a chart, configuration of a tool) and is passed over.
    Raises Unreadable.
    """
    found: list[Document] = []
    others: list[str] = []
    for source in read_sources(paths):
        try:
            documents = load_documents(source.text, source.file)
        except YamlError as error:
            if source.in_folder and "not an object" in error.text:
                others.append(source.file)
                continue
            raise Unreadable(str(error)) from error
        for document in documents:
            if _is_object(document):
                found.append(document)
            elif source.in_folder:
                others.append(f"{source.file}:{document.line}")
            else:
                raise Unreadable(
                    f"{source.file}:{document.line}:1: is no Kubernetes object; "
                    "write apiVersion and kind"
                )
    return found, others


def _is_object(document: Document) -> bool:
    return all(
        isinstance(document.value.get(key), str) and document.value[key]
        for key in ("apiVersion", "kind")
    )


def read_policy(path: str | None) -> Policy:
    """Read the policy file, if one is given; raises Unreadable with all its faults."""
    if path is None:
        return Policy()
    # Rules are imported late: commands that take no policy do not pay for them.
    from webhook.rules import RULES  # noqa: PLC0415 - start-up time

    try:
        return load_policy(path, frozenset(rule.id for rule in RULES))
    except PolicyError as error:
        raise Unreadable(str(error)) from error
