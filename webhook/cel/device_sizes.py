"""How large the parts of `device` can be: sizes by path.

A path starts at a variable and goes on by field names, `@keys`, `@values`, `@indices` and
`@items`. Source: kubernetes/dynamic-resource-allocation cel/compile.go 1.36 (`sizeEstimator`) with
the limits of kubernetes/api resource/v1/types.go.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final

from webhook.cel.sizes import Range

_NO_FIELDS: Final[Mapping[str, _Sized]] = MappingProxyType({})


@dataclass(frozen=True, slots=True, eq=False)
class _Sized:
    """One declared type with its largest size; 0 where the API declares none."""

    size: int
    key: _Sized | None = None
    element: _Sized | None = None
    fields: Mapping[str, _Sized] = field(default_factory=lambda: _NO_FIELDS)


_DOMAIN: Final = _Sized(63)
_NAME: Final = _Sized(32)
_ATTRIBUTE: Final = _Sized(64)
"""A value of at most 64 characters; list attributes have at most 48 entries, which is less."""
_QUANTITY: Final = _Sized(0)
_ATTRIBUTES: Final = _Sized(32, _NAME, _ATTRIBUTE)
_CAPACITIES: Final = _Sized(32, _NAME, _QUANTITY)
_DEVICE: Final = _Sized(
    0,
    fields=MappingProxyType(
        {
            "driver": _Sized(63),
            "attributes": _Sized(32, _DOMAIN, _ATTRIBUTES),
            "capacity": _Sized(32, _DOMAIN, _CAPACITIES),
            "allowMultipleAllocations": _Sized(1),
        }
    ),
)


@dataclass(frozen=True, slots=True, eq=False)
class SizePath:
    """A path that shares its storage with longer paths, as Go's slices do.

    cel-go appends to paths without copying. Where the storage has room, two paths that grow out of
    one share the new place and the later one overwrites the earlier; estimates depend on it (the
    key of a two-variable comprehension over `device.attributes["d"]` gets the size of the value).
    """

    steps: list[str]
    length: int
    room: int

    def then(self, step: str) -> SizePath:
        """Append one step the way Go's append does for a slice of strings."""
        if self.length < self.room:
            if len(self.steps) > self.length:
                self.steps[self.length] = step
            else:
                self.steps.append(step)
            return SizePath(self.steps, self.length + 1, self.room)
        copied = [*self.steps[: self.length], step]
        return SizePath(copied, self.length + 1, max(1, 2 * self.room))

    def __iter__(self) -> Iterator[str]:
        return iter(self.steps[: self.length])

    def copied(self) -> SizePath:
        """Return the same path with storage of its own."""
        return SizePath(self.steps[: self.length], self.length, self.length)


NO_PATH: Final = SizePath([], 0, 0)


def path_of(variable: str) -> SizePath:
    """Return the path that is one variable."""
    return SizePath([variable], 1, 1)


def size_of_path(path: SizePath) -> Range | None:
    """Return the size that the declaration of `device` gives to a path, None if it gives none."""
    steps = iter(path)
    if next(steps, None) != "device":
        return None
    here: _Sized = _DEVICE
    for step in steps:
        following: _Sized | None
        if step in {"@items", "@values"}:
            following = here.element
        elif step == "@keys":
            following = here.key
        else:
            following = here.fields.get(step)
            if following is None and here.element is _ATTRIBUTE:
                following = _ATTRIBUTE
        if following is None:
            return None
        here = following
    return Range(0, here.size)
