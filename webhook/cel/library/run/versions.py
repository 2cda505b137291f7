"""Semver functions (kubernetes apiserver 1.36 `pkg/cel/library/semverlib.go`)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from webhook.cel.semver import Semver, SemverError, compare, parse, parse_normalised
from webhook.cel.values import CelError


def _semver(text: str, normalise: bool = False) -> Semver:
    try:
        return parse_normalised(text) if normalise else parse(text)
    except SemverError as error:
        raise CelError(str(error)) from error


def _is_semver(text: str, normalise: bool = False) -> bool:
    try:
        _semver(text, normalise)
    except CelError:
        return False
    return True


def _signed(value: int) -> int:
    return value - (1 << 64) if value >= 1 << 63 else value


BY_OVERLOAD: Final[dict[str, Callable[..., Any]]] = {
    "string_to_semver": _semver,
    "string_bool_to_semver": _semver,
    "is_semver_string": _is_semver,
    "is_semver_string_bool": _is_semver,
    "semver_major": lambda value: _signed(value.major),
    "semver_minor": lambda value: _signed(value.minor),
    "semver_patch": lambda value: _signed(value.patch),
    "semver_is_greater_than": lambda a, b: compare(a, b) > 0,
    "semver_is_less_than": lambda a, b: compare(a, b) < 0,
    "semver_compare_to": compare,
}
