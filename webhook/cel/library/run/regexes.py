"""Regular expressions through RE2, with Go's results and error texts where they differ."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any, Final

import re2

from webhook.cel.patterns import is_pattern
from webhook.cel.values import (
    CelError,
    Duration,
    OptionalValue,
    TypeValue,
    no_such_overload,
    type_name,
)


@lru_cache(maxsize=1024)
def compiled(pattern: str) -> Any:
    """Compile a pattern; CelError with Go's text."""
    options = re2.Options()
    options.log_errors = False
    if not is_pattern(pattern, _MINOR):
        raise CelError(_go_text(pattern, options))
    try:
        return re2.compile(pattern, options)
    except re2.error as error:
        raise CelError("error parsing regexp: expression too large") from error


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


_MINOR: Final = 36

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
    """The Go string inside a value: types and optionals have one too."""
    while type(value) is OptionalValue and value.present:
        value = value.content
    if type(value) is TypeValue:
        return value.name
    if type(value) is not str:
        raise no_such_overload()
    return value


def matches(text: Any, pattern: Any) -> bool:
    if type(text) is not str:
        if type(text) is Duration or type_name(text) == "google.protobuf.Timestamp":
            raise no_such_overload()
        raise no_such_overload("matches")
    if type(pattern) is not str:
        raise no_such_overload()
    return compiled(pattern).search(text) is not None


def _illegal(pattern: str) -> Any:
    try:
        return compiled(pattern)
    except CelError as error:
        raise CelError(f"Illegal regex: {error}") from error


def _find(regex: Any, text: str) -> str:
    found = regex.search(text)
    return "" if found is None else found.group()


def _find_all(regex: Any, text: str, count: int = -1) -> tuple[str, ...]:
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


def constant(name: str, pattern: str) -> Callable[..., Any] | None:
    """Return the call of a function whose pattern is a constant; None for other functions."""
    if name == "matches":
        regex = compiled(pattern)
        return lambda text, _pattern: regex.search(_text(text)) is not None
    if name == "find":
        regex = compiled(pattern)
        return lambda text, _pattern: _find(regex, _text(text))
    if name == "findAll":
        regex = compiled(pattern)

        def find_all(text: Any, _pattern: str, count: Any = -1) -> tuple[str, ...]:
            if type(count) is not int:
                raise no_such_overload()
            return _find_all(regex, _text(text), count)

        return find_all
    return None


BY_OVERLOAD: Final[dict[str, Callable[..., Any]]] = {
    "string_find_string": lambda text, pattern: _find(_illegal(pattern), text),
    "string_find_all_string": lambda text, pattern: _find_all(_illegal(pattern), text),
    "string_find_all_string_int": lambda text, pattern, count: _find_all(
        _illegal(pattern), text, count
    ),
}
