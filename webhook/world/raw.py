"""Readings of JSON values that may be anything: the wrong type gives the empty value.

Sources never raise on an odd object; these few functions are where that promise is kept.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from webhook.kube.types import EMPTY


def mapping(value: object) -> Mapping[str, Any]:
    """Give the value if it is an object, else an empty one."""
    return value if isinstance(value, Mapping) else EMPTY


def sequence(value: object) -> Sequence[Any]:
    """Give the value if it is a list, else an empty one."""
    return value if isinstance(value, list | tuple) else ()


def text(value: object) -> str:
    """Give the value if it is text, else the empty text."""
    return value if isinstance(value, str) else ""


def scalar(value: object) -> str:
    """Give text of a string or a number (quantities may be written bare), else empty."""
    if isinstance(value, str):
        return value
    if isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    return ""


def integer(value: object) -> int | None:
    """Give the value if it is a whole number (booleans are not), else None."""
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def texts(value: object) -> dict[str, str]:
    """Give the text and number entries of an object, as text."""
    return {
        key: scalar(entry)
        for key, entry in mapping(value).items()
        if isinstance(key, str) and (isinstance(entry, str) or scalar(entry))
    }


def metadata(raw: Mapping[str, Any]) -> Mapping[str, Any]:
    """Give the metadata of an object."""
    return mapping(raw.get("metadata"))


def name_of(raw: Mapping[str, Any]) -> str:
    """Give the name of an object, empty when there is none."""
    return text(metadata(raw).get("name"))


def namespace_of(raw: Mapping[str, Any], default: str = "") -> str:
    """Give the namespace of an object, or the default."""
    return text(metadata(raw).get("namespace")) or default


def group_of(raw: Mapping[str, Any]) -> str:
    """Give the API group of an object, empty for the core group."""
    api_version = text(raw.get("apiVersion"))
    return api_version.rpartition("/")[0]


def excerpt(value: object, limit: int = 80) -> str:
    """Give a short, one-line representation of a value for a message."""
    shown = repr(value) if not isinstance(value, str) else f'"{value}"'
    shown = " ".join(shown.split())
    return shown if len(shown) <= limit else shown[: limit - 1] + "…"
