"""JSON Patch (RFC 6902), as far as drawbridge writes it: `add`, and nothing else.

Patches are built by hand, never computed from two objects: what is touched is what was meant.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, TypeAlias

from webhook.kube.types import Path

Operation: TypeAlias = "dict[str, Any]"

_ABSENT: Final = object()


def pointer(path: Iterable[str | int]) -> str:
    """Write a path as a JSON pointer (RFC 6901): `/metadata/annotations/a~1b`."""
    return "".join("/" + str(step).replace("~", "~0").replace("/", "~1") for step in path)


def append(value: Mapping[str, Any], path: Path, items: Sequence[Any]) -> tuple[Operation, ...]:
    """Build the operations that append `items` to the list at `path` of `value`.

    Where the list is absent (or null, which the API server takes for absent) it is created with
    all items, since `add` to a list that is not there does not apply. Gives no operation when
    there is nothing to add, or when the place holds something else than a list, or its parent is
    not there: no patch would apply then.
    """
    if not items:
        return ()
    parent: object = value
    for step in path[:-1]:
        parent = _child(parent, step)
    if not isinstance(parent, Mapping) or not path:
        return ()
    present = parent.get(str(path[-1]))
    if present is None:
        return ({"op": "add", "path": pointer(path), "value": list(items)},)
    if not isinstance(present, list):
        return ()
    end = pointer(path) + "/-"
    return tuple({"op": "add", "path": end, "value": item} for item in items)


def apply_add(value: Mapping[str, Any], patch: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """Apply `add` operations to `value` and give the new object.

    Only the containers on the way to a touched place are copied; everything else is shared with
    `value`, which stays as it was. Raises ValueError for an operation that does not apply.
    """
    result = dict(value)
    for operation in patch:
        if operation.get("op") != "add":
            raise ValueError(f"only add is applied here, not {operation.get('op')!r}")
        steps = _steps(str(operation.get("path", "")))
        if not steps:
            raise ValueError("the whole object is never replaced")
        _add(result, steps, operation.get("value"))
    return result


def _steps(text: str) -> list[str]:
    if text and not text.startswith("/"):
        raise ValueError(f"a JSON pointer starts with a slash: {text!r}")
    return [step.replace("~1", "/").replace("~0", "~") for step in text.split("/")[1:]]


def _add(root: dict[str, Any], steps: list[str], value: Any) -> None:
    """Add in place in `root`, which is ours, copying each container before it is entered."""
    holder: dict[str, Any] | list[Any] = root
    for step in steps[:-1]:
        child: Any = _child(holder, step)
        if isinstance(child, Mapping):
            copy: dict[str, Any] | list[Any] = dict(child)
        elif isinstance(child, list):
            copy = list(child)
        else:
            raise ValueError(f"there is nothing to add to at {step!r}")  # noqa: TRY004 - of the patch
        if isinstance(holder, list):
            holder[int(step)] = copy
        else:
            holder[step] = copy
        holder = copy
    last = steps[-1]
    if isinstance(holder, dict):
        holder[last] = value
    elif last == "-":
        holder.append(value)
    else:
        index = _index(last)
        if index is None or index > len(holder):
            raise ValueError(f"no place {last!r} in a list of {len(holder)}")
        holder.insert(index, value)


def _child(holder: object, step: str | int) -> object:
    if isinstance(holder, Mapping):
        return holder.get(str(step), _ABSENT)
    if isinstance(holder, list):
        index = _index(str(step))
        if index is not None and index < len(holder):
            return holder[index]
    return _ABSENT


def _index(text: str) -> int | None:
    """Read an array index as RFC 6901 writes it: ASCII digits without a leading zero."""
    plain = text.isascii() and text.isdigit() and len(text) < 10
    return int(text) if plain and (text == "0" or text[0] != "0") else None
