"""URL functions (kubernetes apiserver 1.36 `pkg/cel/library/urls.go`)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from webhook.cel.urls import URL, URLError, parse, parse_request_uri
from webhook.cel.values import CelError, MapValue


def _url(text: str) -> URL:
    try:
        return parse(text)
    except URLError as error:
        raise CelError(f"URL parse error during conversion from string: {error}") from error


def _is_url(text: str) -> bool:
    try:
        parse_request_uri(text)
    except URLError:
        return False
    return True


BY_OVERLOAD: Final[dict[str, Callable[..., Any]]] = {
    "string_to_url": _url,
    "is_url_string": _is_url,
    "url_get_scheme": lambda url: url.scheme,
    "url_get_host": lambda url: url.host,
    "url_get_hostname": lambda url: url.hostname,
    "url_get_port": lambda url: url.port,
    "url_get_escaped_path": lambda url: url.escaped_path,
    "url_get_query": lambda url: MapValue({k: tuple(v) for k, v in url.query().items()}),
}
