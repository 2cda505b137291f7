"""JSON in and out: bytes to values, with the limits that a door needs.

orjson where it is installed, the standard library otherwise, with the same results. Strict UTF-8,
no NaN, a limit on depth: what passes here can be walked recursively without a second thought.
Keys that stand twice are looked for on request only, since it takes a second and slower parse.
"""

from __future__ import annotations

import importlib
import json as _standard
import math
import re
from collections.abc import Iterable
from typing import Any, Final, NoReturn

from webhook.kube.types import Duplicate, Path

_orjson: Any
try:
    _orjson = importlib.import_module("orjson")
except ImportError:  # pragma: no cover - the fall-back is tested through its own function
    _orjson = None

MAX_DEPTH: Final = 100
"""Kubernetes objects nest 15 deep; the API server's own decoder stops at 10,000."""
_DUPLICATES_AT_MOST: Final = 50


class JsonError(ValueError):
    """Text that is not JSON as we take it; the message says what to do about it.

    `line` and `column`, from 1, are 0 where the fault has no place.
    """

    def __init__(self, text: str, line: int = 0, column: int = 0) -> None:
        place = f" at line {line}, column {column}" if line else ""
        super().__init__(f"{text}{place}")
        self.text = text
        self.line = line
        self.column = column


def loads(data: bytes, *, max_depth: int = MAX_DEPTH) -> Any:
    """Read one JSON value.

    Whole numbers of any size stay int, everything with a point or an exponent is float (`50.0` is
    not `50`: the driver's decoder refuses it). Raises JsonError.
    """
    _check_text(data, max_depth)
    if _orjson is None:
        return _load_standard(data)
    try:
        value = _orjson.loads(data)
    except _orjson.JSONDecodeError as error:
        raise _typed(error) from error
    # orjson reads a whole number beyond 64 bits as float, which hides that it was whole.
    return _load_standard(data) if _LONG_NUMBER.search(data) else value


_LONG_NUMBER: Final = re.compile(rb"[0-9]{19}")


def loads_standard(data: bytes, *, max_depth: int = MAX_DEPTH) -> Any:
    """Read one JSON value with the standard library alone; results are those of `loads`."""
    _check_text(data, max_depth)
    return _load_standard(data)


def dumps(value: Any) -> bytes:
    """Write a value as compact JSON in UTF-8; raises JsonError for what JSON has no form of.

    What Python holds and JSON does not (a lone surrogate, NaN) is refused or written as null,
    never as invalid text.
    """
    if _orjson is not None:
        try:
            return bytes(_orjson.dumps(value))
        except TypeError:
            # Integers beyond 64 bits; anything that is really at fault is found below.
            pass
    return dumps_standard(value)


def dumps_standard(value: Any) -> bytes:
    """Write a value with the standard library alone; the value is that of `dumps`."""
    try:
        text = _standard.dumps(_finite(value), ensure_ascii=False, separators=(",", ":"))
        return text.encode()
    except (TypeError, ValueError, RecursionError) as error:
        raise JsonError(f"the value has no JSON form: {error}") from error


def _finite(value: Any) -> Any:
    """Give the value with NaN and infinities as null, as orjson writes them."""
    if isinstance(value, float):
        return value if value - value == 0 else None
    if isinstance(value, dict):
        return {key: _finite(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(item) for item in value]
    return value


def duplicates(data: bytes, under: Iterable[str | int] = ()) -> tuple[Duplicate, ...]:
    """Find keys that stand twice in one object, anywhere in the text below `under`.

    Paths are relative to `under` (`("request", "object")` for a review). Values are in order, the
    last one counts; at most 50 are reported. Text that is no JSON has none: `loads` reports it.
    """
    try:
        _check_text(data, MAX_DEPTH)
        root = _standard.loads(
            data.decode(),
            object_pairs_hook=_Pairs,
            parse_constant=_refuse,
            parse_int=_whole,
            parse_float=_fraction,
        )
    except (ValueError, RecursionError):
        return ()
    prefix = tuple(under)
    found: list[Duplicate] = []
    _collect(root, (), found)
    return tuple(
        Duplicate(item.path[len(prefix) :], item.values)
        for item in found
        if len(item.path) > len(prefix) and item.path[: len(prefix)] == prefix
    )[:_DUPLICATES_AT_MOST]


class _Pairs(list[tuple[str, Any]]):
    """The pairs of one JSON object, repetitions included."""


def _collect(value: Any, path: Path, found: list[Duplicate]) -> None:
    if isinstance(value, _Pairs):
        seen: dict[str, list[Any]] = {}
        for key, item in value:
            seen.setdefault(key, []).append(item)
        for key, items in seen.items():
            if len(items) > 1:
                found.append(Duplicate((*path, key), tuple(_plain(item) for item in items)))
            # Only the last counts, and only its paths lead anywhere in the parsed object.
            _collect(items[-1], (*path, key), found)
    elif isinstance(value, list):
        for index, item in enumerate(value):
            _collect(item, (*path, index), found)


def _plain(value: Any) -> Any:
    if isinstance(value, _Pairs):
        return {key: _plain(item) for key, item in value}
    if isinstance(value, list):
        return [_plain(item) for item in value]
    return value


def _check_text(data: bytes, max_depth: int) -> None:
    """Refuse bad UTF-8 and too deep a text before any parser recurses into it."""
    if not data.strip():
        raise JsonError("the text is empty; send one JSON value")
    try:
        data.decode()
    except UnicodeDecodeError as error:
        line, column = _place(data, error.start)
        raise JsonError("the text is not UTF-8; save it as UTF-8", line, column) from error
    if data.count(b"{") + data.count(b"[") <= max_depth:
        return
    depth = 0
    for match in _BRACKETS.finditer(data):
        char = match[0]
        if char in b"{[":
            depth += 1
            if depth > max_depth:
                line, column = _place(data, match.start())
                raise JsonError(
                    f"objects and lists nest deeper than {max_depth} levels; "
                    "flatten the object, no Kubernetes object needs so many",
                    line,
                    column,
                )
        elif char in b"]}":
            depth -= 1


# Strings are skipped whole, so that brackets inside them do not count. An unterminated one ends
# the scan's interest in it after its first quote: possessive, so that no text makes it backtrack.
_BRACKETS: Final = re.compile(rb'"(?:[^"\\]|\\.)*+"|[\[\]{}]', re.DOTALL)


def _load_standard(data: bytes) -> Any:
    try:
        value = _standard.loads(
            data.decode(), parse_constant=_refuse, parse_int=_whole, parse_float=_fraction
        )
    except RecursionError as error:  # pragma: no cover - the depth is limited before
        raise JsonError("the text nests too deeply") from error
    except _standard.JSONDecodeError as error:
        raise _typed(error) from error
    _refuse_lone_surrogates(data, value)
    return value


_SURROGATE: Final = re.compile(rb"\\u[dD][89a-fA-F]")


def _refuse_lone_surrogates(data: bytes, value: Any) -> None:
    """Refuse half of a surrogate pair, as orjson does: such text cannot be written as UTF-8."""
    if not _SURROGATE.search(data):
        return
    try:
        _standard.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError as error:
        raise JsonError(
            "the text has one half of a surrogate pair (\\ud800 to \\udfff); write the character "
            "itself"
        ) from error


def _whole(text: str) -> int | float:
    """Read a whole number; beyond 4,000 digits Python refuses, and as float it is what it is."""
    if len(text) > 4000:
        raise JsonError("a number has more than 4000 digits; write a shorter one")
    return int(text)


def _fraction(text: str) -> float:
    """Read a number with a point or an exponent, which must have a finite value."""
    value = float(text)
    if math.isinf(value):
        raise JsonError("a number is larger than 64-bit floating point holds; write a smaller one")
    return value


def _refuse(name: str) -> NoReturn:
    raise JsonError(f"{name} is no JSON number; write a number or null")


def _typed(error: _standard.JSONDecodeError) -> JsonError:
    return JsonError(
        f"the text is no JSON ({error.msg}); send one JSON value", error.lineno, error.colno
    )


def _place(data: bytes, offset: int) -> tuple[int, int]:
    """Give line and column, from 1, of a byte offset; columns count characters."""
    before = data[:offset]
    start = before.rfind(b"\n") + 1
    return before.count(b"\n") + 1, len(before[start:].decode(errors="replace")) + 1
