"""Declarations of the family url."""

from __future__ import annotations

from typing import Final

from webhook.cel.library.declare import Function, Overload
from webhook.cel.types import BOOL, STRING, URL, list_of, map_of

FUNCTIONS: Final = (
    Function("getEscapedPath", (Overload("url_get_escaped_path", (URL,), STRING, member=True),)),
    Function("getHost", (Overload("url_get_host", (URL,), STRING, member=True),)),
    Function("getHostname", (Overload("url_get_hostname", (URL,), STRING, member=True),)),
    Function("getPort", (Overload("url_get_port", (URL,), STRING, member=True),)),
    Function(
        "getQuery",
        (Overload("url_get_query", (URL,), map_of(STRING, list_of(STRING)), member=True),),
    ),
    Function("getScheme", (Overload("url_get_scheme", (URL,), STRING, member=True),)),
    Function("isURL", (Overload("is_url_string", (STRING,), BOOL),)),
    Function("url", (Overload("string_to_url", (STRING,), URL),)),
)
