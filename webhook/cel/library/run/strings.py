"""Strings, version 2 (cel-go 0.26 `ext/strings.go`); positions are code points."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from webhook.cel.printed import printed
from webhook.cel.values import (
    LIST_TYPES,
    MAP_TYPES,
    MOST_CHARACTERS,
    CelError,
    CostExceededError,
    Duration,
    list_items,
    list_size,
    no_such_overload,
    type_name,
)

_SPACE: Final = "\t\n\v\f\r \x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000" + "".join(
    map(chr, range(0x2000, 0x200B))
)
_LOWER: Final = {c: c + 32 for c in range(65, 91)}
_UPPER: Final = {c: c - 32 for c in range(97, 123)}
_QUOTED: Final = str.maketrans(
    {
        "\a": "\\a",
        "\b": "\\b",
        "\f": "\\f",
        "\n": "\\n",
        "\r": "\\r",
        "\t": "\\t",
        "\v": "\\v",
        "\\": "\\\\",
        '"': '\\"',
    }
)


def size(value: Any) -> int:
    """Return the number of characters, bytes or entries."""
    if type(value) in {str, bytes}:
        return len(value)
    if type(value) in LIST_TYPES:
        return list_size(value)
    if type(value) in MAP_TYPES:
        return len(value)
    if type(value) is Duration or type_name(value) == "google.protobuf.Timestamp":
        raise no_such_overload()
    raise no_such_overload("size")


def _both_texts(text: Any, other: Any) -> None:
    if type(text) is not str or type(other) is not str:
        raise no_such_overload()


def starts_with(text: Any, other: Any) -> bool:
    """Return whether a text starts with another."""
    _both_texts(text, other)
    return bool(text.startswith(other))


def ends_with(text: Any, other: Any) -> bool:
    """Return whether a text ends with another."""
    _both_texts(text, other)
    return bool(text.endswith(other))


def contains(text: Any, other: Any) -> bool:
    """Return whether a text contains another."""
    _both_texts(text, other)
    return other in text


def bounded(length: int) -> None:
    """Refuse texts that could not be used within the cost limit."""
    if length > MOST_CHARACTERS:
        raise CostExceededError


def _out_of_range(index: int) -> CelError:
    return CelError(f"index out of range: {index}")


def char_at(text: str, index: int) -> str:
    """Return the character at an index, or nothing at the end."""
    if not 0 <= index <= len(text):
        raise _out_of_range(index)
    return text[index : index + 1]


def index_of(text: str, part: str, start: int = 0) -> int:
    """Return the first index of a part, or -1."""
    if not part:
        return start
    if start < 0:
        raise _out_of_range(start)
    return -1 if start >= len(text) else text.find(part, start)


def last_index_of(text: str, part: str, start: int | None = None) -> int:
    """Return the last index of a part, or -1."""
    if start is None:
        if not part:
            return len(text)
        if len(text) < len(part) or not text:
            return -1
        start = len(text) - 1
    if not part:
        return start
    if start < 0:
        raise _out_of_range(start)
    if start >= len(text):
        return -1
    return text.rfind(part, 0, start + len(part))


def lower(text: str) -> str:
    """Return the text with A to Z in lower case."""
    return text.translate(_LOWER)


def upper(text: str) -> str:
    """Return the text with a to z in upper case."""
    return text.translate(_UPPER)


def replace(text: str, old: str, new: str, count: int = -1) -> str:
    """Return the text with a part replaced, at most count times."""
    times = text.count(old)
    if count >= 0:
        times = min(times, count)
    bounded(len(text) + times * max(0, len(new) - len(old)))
    return text.replace(old, new, times)


def split(text: str, separator: str, count: int = -1) -> tuple[str, ...]:
    """Return the parts between separators, at most count."""
    if count == 0:
        return ()
    if not separator:
        if count < 0 or count >= len(text):
            return tuple(text)
        return (*text[: count - 1], text[count - 1 :])
    return tuple(text.split(separator, -1 if count < 0 else count - 1))


def substring(text: str, start: int, end: int | None = None) -> str:
    """Return the characters from start to end, half-open."""
    if end is None:
        if not 0 <= start <= len(text):
            raise _out_of_range(start)
        return text[start:]
    if start > end:
        raise CelError(f"invalid substring range. start: {start}, end: {end}")
    for index in (start, end):
        if not 0 <= index <= len(text):
            raise _out_of_range(index)
    return text[start:end]


def trim(text: str) -> str:
    """Return the text without white space around it."""
    return text.strip(_SPACE)


def join(parts: Any, separator: str = "") -> str:
    """Return the texts with a separator in between."""
    items = list_items(parts)
    for item in items:
        if type(item) is not str:
            raise CelError(f"join: invalid input: {printed(item)}")
    bounded(sum(map(len, items)) + len(separator) * len(items))
    return separator.join(items)


def quoted(text: str) -> str:
    """Return the text as a CEL literal."""
    return f'"{text.translate(_QUOTED)}"'


BY_OVERLOAD: Final[dict[str, Callable[..., Any]]] = {
    "string_char_at_int": char_at,
    "string_index_of_string": index_of,
    "string_index_of_string_int": index_of,
    "string_last_index_of_string": last_index_of,
    "string_last_index_of_string_int": last_index_of,
    "string_lower_ascii": lower,
    "string_upper_ascii": upper,
    "string_replace_string_string": replace,
    "string_replace_string_string_int": replace,
    "string_split_string": split,
    "string_split_string_int": split,
    "string_substring_int": substring,
    "string_substring_int_int": substring,
    "string_trim": trim,
    "list_join": join,
    "list_join_string": join,
    "strings_quote": quoted,
}
