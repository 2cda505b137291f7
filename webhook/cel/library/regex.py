"""Declarations of the family regex."""

from __future__ import annotations

from typing import Final

from webhook.cel.library.declare import Function, Overload
from webhook.cel.types import INT, STRING, list_of

FUNCTIONS: Final = (
    Function("find", (Overload("string_find_string", (STRING, STRING), STRING, member=True),)),
    Function(
        "findAll",
        (
            Overload("string_find_all_string", (STRING, STRING), list_of(STRING), member=True),
            Overload(
                "string_find_all_string_int", (STRING, STRING, INT), list_of(STRING), member=True
            ),
        ),
    ),
)
