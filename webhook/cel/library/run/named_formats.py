"""Named formats (kubernetes apiserver 1.36 `pkg/cel/library/format.go`)."""

from __future__ import annotations

import re
from calendar import monthrange
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
    "uri": ("URI", 1104),
    "uuid": ("uuid", 72),
    "byte": ("byte", 84),
    "date": ("date", 72),
    "datetime": ("datetime", 72),
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


_DASHES: Final = "'[a-z0-9]([-a-z0-9]*[a-z0-9])?'"
_LABEL_TEXT: Final = (
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and "
    "must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used "
    f"for validation is {_DASHES})"
)
_SUBDOMAIN_TEXT: Final = (
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or "
    "'.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used "
    "for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"
)
_LABEL_1035_TEXT: Final = (
    "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an "
    "alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', "
    "regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')"
)
_NAME_TEXT: Final = (
    "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an "
    "alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for "
    "validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"
)
_QUALIFIED_TEXT: Final = _NAME_TEXT.replace("must", "a qualified name must", 1) + (
    " with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"
)
_VALUE_TEXT: Final = (
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', "
    "and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or "
    "'12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')"
)
_MOST_LABEL: Final = 63
_MOST_SUBDOMAIN: Final = 253


def _length(text: str, most: int) -> list[str]:
    size = len(text.encode("utf-8", "surrogatepass"))
    return [f"must be no more than {most} bytes"] if size > most else []


def _shaped(
    pattern: re.Pattern[str], problem: str, most: int, *, is_prefix: bool = False
) -> Callable[[str], list[str]]:
    def check(text: str) -> list[str]:
        if is_prefix and text.endswith("-"):
            # generateName: the dash will be followed by something
            text = f"{text[:-2]}a" if len(text) > 1 else text
        problems = _length(text, most)
        if not pattern.fullmatch(text):
            problems.append(problem)
        return problems

    return check


_subdomain: Final = _shaped(_SUBDOMAIN, _SUBDOMAIN_TEXT, _MOST_SUBDOMAIN)


def _qualified(text: str) -> list[str]:
    parts = text.split("/")
    problems: list[str] = []
    if len(parts) > 2:
        return [_QUALIFIED_TEXT]
    if len(parts) == 2:
        if not parts[0]:
            problems.append("prefix part must be non-empty")
        else:
            problems += [f"prefix part {problem}" for problem in _subdomain(parts[0])]
    name = parts[-1]
    if not name:
        problems.append("name part must be non-empty")
    elif len(name.encode("utf-8", "surrogatepass")) > _MOST_LABEL:
        problems.append(f"name part must be no more than {_MOST_LABEL} bytes")
    if not _QUALIFIED.fullmatch(name):
        problems.append(f"name part {_NAME_TEXT}")
    return problems


_UUID: Final = re.compile(r"[0-9a-fA-F]{8}-?(?:[0-9a-fA-F]{4}-?){3}[0-9a-fA-F]{12}")
_BASE64: Final = re.compile(r"(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?")
_DATE: Final = re.compile(r"([0-9]{4})-([0-9]{2})-([0-9]{2})")
_DATETIME: Final = re.compile(
    r"([0-9]{4})-([0-9]{2})-([0-9]{2})t([0-9]{2}):([0-9]{2}):([0-9]{2})(?:\.[0-9]+)?"
    r"(?:z|[+-][0-9]{2}:[0-9]{2})",
    re.IGNORECASE | re.ASCII,
)


def _is_date(text: str) -> bool:
    found = _DATE.fullmatch(text)
    if found is None:
        return False
    year, month, day = (int(part) for part in found.groups())
    return 1 <= month <= 12 and 1 <= day <= monthrange(year + 400, month)[1]


def _is_datetime(text: str) -> bool:
    found = _DATETIME.fullmatch(text)
    if found is None or not _is_date(text[:10]):
        return False
    hour, minute, second = int(found[4]), int(found[5]), int(found[6])
    return hour <= 23 and minute <= 59 and second <= 59


def _judged(check: Callable[[str], bool], problem: str) -> Callable[[str], list[str]]:
    return lambda text: [] if check(text) else [problem]


_CHECKS: Final[dict[str, Callable[[str], list[str]]]] = {
    "dns1123Label": _shaped(_LABEL, _LABEL_TEXT, _MOST_LABEL),
    "dns1123LabelPrefix": _shaped(_LABEL, _LABEL_TEXT, _MOST_LABEL, is_prefix=True),
    "dns1123Subdomain": _subdomain,
    "dns1123SubdomainPrefix": _shaped(_SUBDOMAIN, _SUBDOMAIN_TEXT, _MOST_SUBDOMAIN, is_prefix=True),
    "dns1035Label": _shaped(_LABEL_1035, _LABEL_1035_TEXT, _MOST_LABEL),
    "dns1035LabelPrefix": _shaped(_LABEL_1035, _LABEL_1035_TEXT, _MOST_LABEL, is_prefix=True),
    "qualifiedName": _qualified,
    "labelValue": _shaped(_VALUE, _VALUE_TEXT, _MOST_LABEL),
    "uri": _uri,
    "uuid": _judged(lambda text: bool(_UUID.fullmatch(text)), "does not match the UUID format"),
    "byte": _judged(lambda text: bool(text and _BASE64.fullmatch(text)), "invalid base64"),
    "date": _judged(_is_date, "invalid date"),
    "datetime": _judged(_is_datetime, "invalid datetime"),
}

BY_OVERLOAD: Final[dict[str, Callable[..., Any]]] = {
    "format-named": _named,
    "format-validate": _validate,
    **{f"format.{key}": (lambda key=key: format_of(key)) for key in _FORMATS},
}
