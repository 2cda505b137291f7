"""Declarations of the family sets."""

from __future__ import annotations

from typing import Final

from webhook.cel.library.declare import Function, Overload
from webhook.cel.types import BOOL, list_of, param

FUNCTIONS: Final = (
    Function(
        "sets.contains",
        (Overload("list_sets_contains_list", (list_of(param("T")), list_of(param("T"))), BOOL),),
    ),
    Function(
        "sets.equivalent",
        (Overload("list_sets_equivalent_list", (list_of(param("T")), list_of(param("T"))), BOOL),),
    ),
    Function(
        "sets.intersects",
        (Overload("list_sets_intersects_list", (list_of(param("T")), list_of(param("T"))), BOOL),),
    ),
)
