"""Declarations of the family optionals."""

from __future__ import annotations

from typing import Final

from webhook.cel.library.declare import Function, Overload
from webhook.cel.types import BOOL, list_of, optional_of, param

FUNCTIONS: Final = (
    Function(
        "first",
        (Overload("list_first", (list_of(param("V")),), optional_of(param("V")), member=True),),
    ),
    Function(
        "hasValue", (Overload("optional_hasValue", (optional_of(param("V")),), BOOL, member=True),)
    ),
    Function(
        "last",
        (Overload("list_last", (list_of(param("V")),), optional_of(param("V")), member=True),),
    ),
    Function("optional.none", (Overload("optional_none", (), optional_of(param("V"))),)),
    Function("optional.of", (Overload("optional_of", (param("V"),), optional_of(param("V"))),)),
    Function(
        "optional.ofNonZeroValue",
        (Overload("optional_ofNonZeroValue", (param("V"),), optional_of(param("V"))),),
    ),
    Function(
        "optional.unwrap",
        (Overload("optional_unwrap", (list_of(optional_of(param("V"))),), list_of(param("V"))),),
    ),
    Function(
        "or",
        (
            Overload(
                "optional_or_optional",
                (optional_of(param("V")), optional_of(param("V"))),
                optional_of(param("V")),
                member=True,
            ),
        ),
    ),
    Function(
        "orValue",
        (
            Overload(
                "optional_orValue_value",
                (optional_of(param("V")), param("V")),
                param("V"),
                member=True,
            ),
        ),
    ),
    Function(
        "unwrapOpt",
        (
            Overload(
                "optional_unwrapOpt",
                (list_of(optional_of(param("V"))),),
                list_of(param("V")),
                member=True,
            ),
        ),
    ),
    Function(
        "value", (Overload("optional_value", (optional_of(param("V")),), param("V"), member=True),)
    ),
)
