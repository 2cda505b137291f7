"""Semantic versions as the API server parses and orders them.

Strict semver 2.0 with the texts of `blang/semver` v4 (used by kubernetes apiserver 1.33 and later,
`pkg/cel/library/semverlib.go`). Build metadata is kept but never compared.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache, total_ordering
from typing import Final

from webhook.cel.gotext import parse_uint, quote

_DIGITS: Final = frozenset("0123456789")
_ALPHANUMERIC: Final = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-0123456789")


class SemverError(ValueError):
    """A text that is no version; the message is blang's."""


@total_ordering
@dataclass(frozen=True, slots=True, eq=False)
class Semver:
    """One version. Equal and ordered by precedence: build metadata does not count."""

    major: int
    minor: int
    patch: int
    prerelease: tuple[int | str, ...] = ()
    build: tuple[str, ...] = ()

    def __str__(self) -> str:
        text = f"{self.major}.{self.minor}.{self.patch}"
        if self.prerelease:
            text += "-" + ".".join(str(part) for part in self.prerelease)
        return f"{text}+{'.'.join(self.build)}" if self.build else text

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Semver) and compare(self, other) == 0

    def __lt__(self, other: Semver) -> bool:
        return compare(self, other) < 0

    def __hash__(self) -> int:
        return hash((self.major, self.minor, self.patch, self.prerelease))


def compare(left: Semver, right: Semver) -> int:
    """Return -1, 0 or 1 by precedence: a prerelease comes before its release, numbers first."""
    ours = (left.major, left.minor, left.patch)
    theirs = (right.major, right.minor, right.patch)
    if ours != theirs:
        return -1 if ours < theirs else 1
    if not left.prerelease or not right.prerelease:
        return bool(right.prerelease) - bool(left.prerelease)
    for mine, other in zip(left.prerelease, right.prerelease, strict=False):
        if mine == other and type(mine) is type(other):
            continue
        if isinstance(mine, int) and isinstance(other, int):
            return -1 if mine < other else 1
        if isinstance(mine, str) and isinstance(other, str):
            return -1 if mine < other else 1
        return -1 if isinstance(mine, int) else 1
    lengths = (len(left.prerelease), len(right.prerelease))
    return (lengths[0] > lengths[1]) - (lengths[0] < lengths[1])


@lru_cache(maxsize=4096)
def parse(text: str) -> Semver:
    """Parse strictly: three numbers, no `v`, no leading zeros; SemverError otherwise."""
    if not text:
        raise SemverError("Version string empty")
    parts = text.split(".", 2)
    if len(parts) != 3:
        raise SemverError("No Major.Minor.Patch elements found")
    major = _number(parts[0], "Major")
    minor = _number(parts[1], "Minor")
    rest, plus, build_text = parts[2].partition("+")
    patch_text, dash, prerelease_text = rest.partition("-")
    patch = _number(patch_text, "Patch")
    prerelease = tuple(_prerelease(p) for p in prerelease_text.split(".")) if dash else ()
    build = tuple(build_text.split(".")) if plus else ()
    for part in build:
        if not part:
            raise SemverError("Build meta data is empty")
        if not _ALPHANUMERIC.issuperset(part):
            raise SemverError(f"Invalid character(s) found in build meta data {quote(part)}")
    return Semver(major, minor, patch, prerelease, build)


def parse_normalised(text: str) -> Semver:
    """Parse `v1`, `1.2` and `01.2.3` as well: mended to three numbers without leading zeros."""
    parts = text.removeprefix("v").split(".", 2)
    for index, part in enumerate(parts):
        if len(part.encode("utf-8", "surrogatepass")) > 1:
            stripped = part.lstrip("0")
            parts[index] = stripped if stripped[:1] in _DIGITS and stripped else "0" + stripped
    if len(parts) < 3:
        if "+" in parts[-1] or "-" in parts[-1]:
            raise SemverError("short version cannot contain PreRelease/Build meta data")
        parts += ["0"] * (3 - len(parts))
    return parse(".".join(parts))


def _number(text: str, what: str) -> int:
    if not _DIGITS.issuperset(text):
        raise SemverError(f"Invalid character(s) found in {what.lower()} number {quote(text)}")
    if len(text) > 1 and text[0] == "0":
        raise SemverError(f"{what} number must not contain leading zeroes {quote(text)}")
    return _uint(text)


def _uint(text: str) -> int:
    try:
        return parse_uint(text)
    except ValueError as error:
        raise SemverError(str(error)) from error


def _prerelease(text: str) -> int | str:
    if not text:
        raise SemverError("Prerelease is empty")
    if _DIGITS.issuperset(text):
        if len(text) > 1 and text[0] == "0":
            raise SemverError(
                f"Numeric PreRelease version must not contain leading zeroes {quote(text)}"
            )
        return _uint(text)
    if _ALPHANUMERIC.issuperset(text):
        return text
    raise SemverError(f"Invalid character(s) found in prerelease {quote(text)}")
