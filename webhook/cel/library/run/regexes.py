"""Regular expressions through RE2, with Go's results and error texts where they differ."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any, Final

import re2

from webhook.cel.patterns import for_re2
from webhook.cel.values import (
    CelError,
    Duration,
    OptionalValue,
    TypeValue,
    no_such_overload,
    type_name,
)


@lru_cache(maxsize=1024)
def compiled(pattern: str, minor: int) -> Any:
    """Compile a pattern as a server of a minor version does; CelError with Go's text."""
    options = re2.Options()
    options.log_errors = False
    rewritten = for_re2(pattern, minor)
    if rewritten is None:
        raise CelError(_go_text(pattern, options))
    try:
        return re2.compile(rewritten, options)
    except re2.error as error:
        raise CelError(_go_text(pattern, options)) from error


def _go_text(pattern: str, options: Any) -> str:
    try:
        re2.compile(pattern, options)
    except re2.error as error:
        found = error.args[0]
        text = found.decode("utf-8", "replace") if isinstance(found, bytes) else str(found)
    else:
        text = "invalid escape sequence: \\C"
    for theirs, ours in _TEXTS.items():
        if text.startswith(theirs):
            text = ours + text[len(theirs) :]
    reason, separator, culprit = text.partition(": ")
    return (
        f"error parsing regexp: {reason}: `{culprit}`"
        if separator
        else f"error parsing regexp: {text}: `{pattern}`"
    )


_TEXTS: Final = {
    "invalid perl operator": "invalid or unsupported Perl syntax",
    "bad repetition operator": "invalid nested repetition operator",
    "no argument for repetition operator": "missing argument to repetition operator",
    "invalid repetition size": "invalid repeat count",
    "missing )": "missing closing )",
    "missing ]": "missing closing ]",
    "trailing \\": "trailing backslash at end of expression",
    "invalid named capture group": "invalid named capture",
}


def _text(value: Any) -> str:
    """Return the Go string inside a value: types and optionals have one too."""
    while type(value) is OptionalValue and value.present:
        value = value.content
    if type(value) is TypeValue:
        return value.name
    if type(value) is not str:
        raise no_such_overload()
    return value


def _matches(text: Any, pattern: Any, minor: int) -> bool:
    if type(text) is not str:
        if type(text) is Duration or type_name(text) == "google.protobuf.Timestamp":
            raise no_such_overload()
        raise no_such_overload("matches")
    if type(pattern) is not str:
        raise no_such_overload()
    return compiled(pattern, minor).search(text) is not None


def _illegal(pattern: str, minor: int) -> Any:
    try:
        return compiled(pattern, minor)
    except CelError as error:
        raise CelError(f"Illegal regex: {error}") from error


def _find(regex: Any, text: str) -> str:
    found = regex.search(text)
    return "" if found is None else found.group()


def _find_all(regex: Any, text: str, count: int = -1) -> tuple[str, ...]:
    if len(text) <= _LONGEST_KEPT:
        return _found_before(regex, text, count)
    return _scan(regex, text, count)


_LONGEST_KEPT: Final = 4_096
"""Texts of attributes and literals: found once, however often a fold asks."""


@lru_cache(maxsize=256)
def _found_before(regex: Any, text: str, count: int) -> tuple[str, ...]:
    return _scan(regex, text, count)


def _scan(regex: Any, text: str, count: int) -> tuple[str, ...]:
    found: list[str] = []
    position, last_end = 0, -1
    while position <= len(text) and (count < 0 or len(found) < count):
        match = regex.search(text, position)
        if match is None:
            break
        start, end = match.span()
        if end > position or start > position:
            accepted = not (start == end and start == last_end)
        else:
            accepted = start != last_end
        if accepted:
            found.append(match.group())
        last_end = end
        position = end + 1 if start == end else end
    return tuple(found)


def constant(name: str, pattern: str, minor: int) -> Callable[..., Any] | None:
    """Return the call of a function whose pattern is a constant; None for other functions."""
    if name not in {"matches", "find", "findAll"}:
        return None
    regex = compiled(pattern, minor)
    if name == "matches":
        return lambda text, _pattern: regex.search(_text(text)) is not None
    if name == "find":
        return lambda text, _pattern: _find(regex, _text(text))

    def find_all(text: Any, _pattern: str, count: Any = -1) -> tuple[str, ...]:
        if type(count) is not int:
            raise no_such_overload()
        return _find_all(regex, _text(text), count)

    return find_all


def matches(minor: int) -> Callable[[Any, Any], bool]:
    """Return `matches` as a server of a minor version has it."""
    return lambda text, pattern: _matches(text, pattern, minor)


def by_overload(minor: int) -> dict[str, Callable[..., Any]]:
    """Return `find` and `findAll` as a server of a minor version has them."""

    def find_all(text: str, pattern: str, count: int = -1) -> tuple[str, ...]:
        return _find_all(_illegal(pattern, minor), text, count)

    return {
        "string_find_string": lambda text, pattern: _find(_illegal(pattern, minor), text),
        "string_find_all_string": find_all,
        "string_find_all_string_int": find_all,
    }
