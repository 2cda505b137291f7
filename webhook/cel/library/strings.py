"""Declarations of the family strings."""

from __future__ import annotations

from typing import Final

from webhook.cel.library.declare import Function, Overload
from webhook.cel.types import DYN, INT, STRING, list_of, param

FUNCTIONS: Final = (
    Function("charAt", (Overload("string_char_at_int", (STRING, INT), STRING, member=True),)),
    Function("format", (Overload("string_format", (STRING, list_of(DYN)), STRING, member=True),)),
    Function(
        "indexOf",
        (
            Overload("list_a_index_of_int", (list_of(param("A")), param("A")), INT, member=True),
            Overload("string_index_of_string", (STRING, STRING), INT, member=True),
            Overload("string_index_of_string_int", (STRING, STRING, INT), INT, member=True),
        ),
    ),
    Function(
        "join",
        (
            Overload("list_join", (list_of(STRING),), STRING, member=True),
            Overload("list_join_string", (list_of(STRING), STRING), STRING, member=True),
        ),
    ),
    Function(
        "lastIndexOf",
        (
            Overload(
                "list_a_last_index_of_int", (list_of(param("A")), param("A")), INT, member=True
            ),
            Overload("string_last_index_of_string", (STRING, STRING), INT, member=True),
            Overload("string_last_index_of_string_int", (STRING, STRING, INT), INT, member=True),
        ),
    ),
    Function("lowerAscii", (Overload("string_lower_ascii", (STRING,), STRING, member=True),)),
    Function(
        "replace",
        (
            Overload("string_replace_string_string", (STRING, STRING, STRING), STRING, member=True),
            Overload(
                "string_replace_string_string_int",
                (STRING, STRING, STRING, INT),
                STRING,
                member=True,
            ),
        ),
    ),
    Function(
        "split",
        (
            Overload("string_split_string", (STRING, STRING), list_of(STRING), member=True),
            Overload(
                "string_split_string_int", (STRING, STRING, INT), list_of(STRING), member=True
            ),
        ),
    ),
    Function("strings.quote", (Overload("strings_quote", (STRING,), STRING),)),
    Function(
        "substring",
        (
            Overload("string_substring_int", (STRING, INT), STRING, member=True),
            Overload("string_substring_int_int", (STRING, INT, INT), STRING, member=True),
        ),
    ),
    Function("trim", (Overload("string_trim", (STRING,), STRING, member=True),)),
    Function("upperAscii", (Overload("string_upper_ascii", (STRING,), STRING, member=True),)),
)
