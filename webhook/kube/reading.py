"""Reading fields of objects as the API server decodes them, collecting what it would refuse.

A `Reader` never raises: what has the wrong type becomes a fault and the default. null counts as
absent everywhere, as in Go's JSON decoding (encoding/json, sigs.k8s.io/json); names of fields
count in case.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, Literal, TypeAlias

from webhook.kube.names import nearest
from webhook.kube.types import EMPTY, Path, SchemaFault

FaultKind: TypeAlias = Literal[
    "unknown-field", "required", "wrong-type", "invalid", "forbidden", "too-many"
]

_SHOWN: Final = 80
_MOST_FAULTS: Final = 100
"""More than a message can hold; a list of a million wrong entries is not listed."""
_INT64: Final = 1 << 63


def excerpt(value: object, limit: int = _SHOWN) -> str:
    """Show a JSON value in one short line, strings quoted."""
    if isinstance(value, str):
        shown = '"' + value[: limit + 1].replace("\\", "\\\\").replace('"', '\\"') + '"'
    elif value is None:
        shown = "null"
    elif isinstance(value, bool):
        shown = "true" if value else "false"
    elif isinstance(value, Mapping):
        shown = "an object" + (f" with {_listed(value)}" if value else " without fields")
    elif isinstance(value, list | tuple):
        shown = f"a list of {len(value)}"
    elif isinstance(value, int) and abs(value) >= 1 << 256:
        shown = "a number of more than 77 digits"
    else:
        shown = str(value)
    shown = " ".join(shown.split())
    return shown if len(shown) <= limit + 2 else shown[:limit] + "…"


def _listed(names: Iterable[object], most: int = 5) -> str:
    words = [str(name)[:40] for name in names]
    more = f" and {len(words) - most} more" if len(words) > most else ""
    return ", ".join(words[:most]) + more


class Reader:
    """Reads fields of one object and keeps its faults, in the order of the reading."""

    def __init__(self) -> None:
        self.faults: list[SchemaFault] = []

    def fault(self, kind: FaultKind, path: Path, what: str, seen: str, fix: str) -> None:
        """Add one fault; at most 100 are kept."""
        if len(self.faults) < _MOST_FAULTS:
            self.faults.append(SchemaFault(path, kind, what, seen, fix))

    def _wrong(self, path: Path, wanted: str, value: object, fix: str) -> None:
        self.fault("wrong-type", path, f"must be {wanted}", excerpt(value), fix)

    def text(self, holder: Mapping[str, Any], key: str, path: Path) -> str:
        """Read a string field of `holder`, which stands at `path`; empty when absent or wrong."""
        value = holder.get(key)
        if value is None or isinstance(value, str):
            return value or ""
        fix = f'write {key}: "{_bare(value)}"' if _is_scalar(value) else f"write {key}: TEXT"
        self._wrong((*path, key), "a string", value, fix)
        return ""

    def boolean(self, holder: Mapping[str, Any], key: str, path: Path) -> bool:
        """Read a boolean field; False when absent or wrong."""
        value = holder.get(key)
        if value is None or isinstance(value, bool):
            return bool(value)
        plain = str(value).lower() if _is_scalar(value) else "true"
        wanted = plain if plain in {"true", "false"} else "true or false"
        self._wrong((*path, key), "true or false", value, f"write {key}: {wanted}, without quotes")
        return False

    def integer(self, holder: Mapping[str, Any], key: str, path: Path) -> int | None:
        """Read a whole number of 64 bits; None when absent or wrong."""
        value = holder.get(key)
        if value is None:
            return None
        if isinstance(value, int) and not isinstance(value, bool) and -_INT64 <= value < _INT64:
            return value
        digits = isinstance(value, str) and value.strip().lstrip("-").isdecimal()
        shown = value.strip() if isinstance(value, str) and digits and len(value) < 20 else "1"
        self._wrong((*path, key), "a whole number", value, f"write {key}: {shown}")
        return None

    def mapping(self, holder: Mapping[str, Any], key: str, path: Path) -> Mapping[str, Any]:
        """Read an object field; empty when absent or wrong."""
        return self.as_mapping(holder.get(key), (*path, key))

    def as_mapping(self, value: object, path: Path, fix: str = "") -> Mapping[str, Any]:
        """Give a value as an object; empty when null or wrong."""
        if value is None:
            return EMPTY
        if isinstance(value, Mapping):
            return value
        self._wrong(path, "an object", value, fix or "write its fields as key: value")
        return EMPTY

    def sequence(self, holder: Mapping[str, Any], key: str, path: Path) -> Sequence[Any]:
        """Read a list field; empty when absent or wrong."""
        value = holder.get(key)
        if value is None:
            return ()
        if isinstance(value, list | tuple):
            return value
        self._wrong((*path, key), "a list", value, f"write {key}: [{_inline(value)}]")
        return ()

    def objects(
        self,
        holder: Mapping[str, Any],
        key: str,
        path: Path,
        fix: Callable[[object], str] | None = None,
    ) -> Iterator[tuple[Path, Mapping[str, Any]]]:
        """Read a list of objects: path and object of each entry; null is an empty object.

        Entries of another type are faults, with the FIX that `fix` gives, and left out.
        """
        for index, item in enumerate(self.sequence(holder, key, path)):
            place = (*path, key, index)
            found = self.as_mapping(item, place, fix(item) if fix else "")
            if item is None or found is item:
                yield place, found

    def texts(self, holder: Mapping[str, Any], key: str, path: Path) -> tuple[str, ...]:
        """Read a list of strings; wrong entries become empty, so that indices stay right."""
        found: list[str] = []
        for index, item in enumerate(self.sequence(holder, key, path)):
            if not isinstance(item, str) and item is not None:
                fix = f'write "{_bare(item)}"' if _is_scalar(item) else "write a string"
                self._wrong((*path, key, index), "a string", item, fix)
            found.append(item if isinstance(item, str) else "")
        return tuple(found)

    def text_map(self, holder: Mapping[str, Any], key: str, path: Path) -> Mapping[str, str]:
        """Read an object of strings (labels, annotations); wrong entries are left out."""
        found: dict[str, str] = {}
        for name, item in self.mapping(holder, key, path).items():
            if isinstance(item, str):
                found[name] = item
            elif item is not None:
                fix = f'quote the value: "{_bare(item)}"' if _is_scalar(item) else "write a string"
                self._wrong((*path, key, name), "a string", item, fix)
            else:
                found[name] = ""
        return found

    def unknown_fields(
        self,
        holder: Mapping[str, Any],
        path: Path,
        known: Iterable[str],
        what: str,
        hints: Mapping[str, str] = EMPTY,
        skip: Iterable[str] = (),
    ) -> None:
        """Report the fields of `holder` that are none of `known`.

        `what` names the object (`a device request of resource.k8s.io/v1`). `hints` gives the FIX of
        fields that are known to belong elsewhere. Fields in `skip` are reported by others.
        """
        names = tuple(known)
        passed = {*names, *skip}
        for name in holder:
            if name in passed:
                continue
            near = nearest(name, [n for n in names if n not in holder], 1)
            fix = hints.get(name) or (
                f"write {near[0]}" if near else f"remove it; the fields are {', '.join(names)}"
            )
            seen = f"{_name(name)}: {excerpt(holder[name])}"
            self.fault("unknown-field", (*path, name), f"is not a field of {what}", seen, fix)


def _name(name: object) -> str:
    return str(name)[:_SHOWN]


def _is_scalar(value: object) -> bool:
    return isinstance(value, str | int | float | bool)


def _bare(value: object) -> str:
    return excerpt(value).strip('"')


def _inline(value: object) -> str:
    return "{…}" if isinstance(value, Mapping) else excerpt(value)


def controller_kind(metadata: Mapping[str, Any]) -> str:
    """Give the kind of the controlling owner in `ownerReferences`, empty when there is none."""
    owners = metadata.get("ownerReferences")
    for owner in owners if isinstance(owners, list) else ():
        if isinstance(owner, Mapping) and owner.get("controller") is True:
            kind = owner.get("kind")
            return kind if isinstance(kind, str) else ""
    return ""
