"""Named formats (kubernetes apiserver 1.36 `pkg/cel/library/format.go`)."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Final

from webhook.cel.urls import URLError, parse_request_uri
from webhook.cel.values import NONE, FormatValue, OptionalValue

_LABEL: Final = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?")
_SUBDOMAIN: Final = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*")
_LABEL_1035: Final = re.compile(r"[a-z]([-a-z0-9]*[a-z0-9])?")
_QUALIFIED: Final = re.compile(r"([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]")
_VALUE: Final = re.compile(r"(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?")


def format_of(key: str) -> FormatValue:
    """Return a format by its name in CEL."""
    name, size = _FORMATS[key]
    return FormatValue(name, key, size)


_FORMATS: Final = {
    "dns1123Label": ("DNS1123Label", 30),
    "dns1123Subdomain": ("DNS1123Subdomain", 60),
    "dns1035Label": ("DNS1035Label", 30),
    "qualifiedName": ("QualifiedName", 60),
    "dns1123LabelPrefix": ("DNS1123LabelPrefix", 30),
    "dns1123SubdomainPrefix": ("DNS1123SubdomainPrefix", 60),
    "dns1035LabelPrefix": ("DNS1035LabelPrefix", 30),
    "labelValue": ("LabelValue", 40),
    "uri": ("URI", 2048),
    "uuid": ("uuid", 76),
    "byte": ("byte", 84),
    "date": ("date", 79),
    "datetime": ("datetime", 79),
}


def _named(name: str) -> OptionalValue:
    return OptionalValue(present=True, content=format_of(name)) if name in _FORMATS else NONE


def _validate(value: FormatValue, text: str) -> OptionalValue:
    problems = _CHECKS[value.key](text)
    return OptionalValue(present=True, content=tuple(problems)) if problems else NONE


def _uri(text: str) -> list[str]:
    try:
        parse_request_uri(text)
    except URLError as error:
        return [str(error)]
    return []


def _length(text: str, most: int) -> list[str]:
    size = len(text.encode("utf-8", "surrogatepass"))
    return [f"must be no more than {most} bytes"] if size > most else []


_CHECKS: Final[dict[str, Callable[[str], list[str]]]] = {
    **dict.fromkeys(_FORMATS, lambda _text: []),
    "uri": _uri,
}

BY_OVERLOAD: Final[dict[str, Callable[..., Any]]] = {
    "format-named": _named,
    "format-validate": _validate,
    **{f"format.{key}": (lambda key=key: format_of(key)) for key in _FORMATS},
}
