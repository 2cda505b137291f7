"""Declarations of the family comprehensions."""

from __future__ import annotations

from typing import Final

from webhook.cel.library.declare import Function, Overload
from webhook.cel.types import map_of, param

FUNCTIONS: Final = (
    Function(
        "cel.@mapInsert",
        (
            Overload(
                "@mapInsert_map_key_value",
                (map_of(param("K"), param("V")), param("K"), param("V")),
                map_of(param("K"), param("V")),
            ),
            Overload(
                "@mapInsert_map_map",
                (map_of(param("K"), param("V")), map_of(param("K"), param("V"))),
                map_of(param("K"), param("V")),
            ),
        ),
    ),
)
