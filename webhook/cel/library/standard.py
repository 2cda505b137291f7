"""Declarations of the family standard."""

from __future__ import annotations

from typing import Final

from webhook.cel.library.declare import Function, Overload
from webhook.cel.types import BOOL, BYTES, INT, STRING, list_of, map_of, param

FUNCTIONS: Final = (
    Function("contains", (Overload("contains_string", (STRING, STRING), BOOL, member=True),)),
    Function("endsWith", (Overload("ends_with_string", (STRING, STRING), BOOL, member=True),)),
    Function(
        "matches",
        (
            Overload("matches", (STRING, STRING), BOOL),
            Overload("matches_string", (STRING, STRING), BOOL, member=True),
        ),
    ),
    Function(
        "size",
        (
            Overload("bytes_size", (BYTES,), INT, member=True),
            Overload("list_size", (list_of(param("A")),), INT, member=True),
            Overload("map_size", (map_of(param("A"), param("B")),), INT, member=True),
            Overload("size_bytes", (BYTES,), INT),
            Overload("size_list", (list_of(param("A")),), INT),
            Overload("size_map", (map_of(param("A"), param("B")),), INT),
            Overload("size_string", (STRING,), INT),
            Overload("string_size", (STRING,), INT, member=True),
        ),
    ),
    Function("startsWith", (Overload("starts_with_string", (STRING, STRING), BOOL, member=True),)),
)
