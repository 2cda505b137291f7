"""Declarations of the family quantity."""

from __future__ import annotations

from typing import Final

from webhook.cel.library.declare import Function, Overload
from webhook.cel.types import BOOL, DOUBLE, INT, QUANTITY, SEMVER, STRING

FUNCTIONS: Final = (
    Function(
        "add",
        (
            Overload("quantity_add", (QUANTITY, QUANTITY), QUANTITY, member=True),
            Overload("quantity_add_int", (QUANTITY, INT), QUANTITY, member=True),
        ),
    ),
    Function(
        "asApproximateFloat", (Overload("quantity_get_float", (QUANTITY,), DOUBLE, member=True),)
    ),
    Function("asInteger", (Overload("quantity_get_int", (QUANTITY,), INT, member=True),)),
    Function(
        "compareTo",
        (
            Overload("quantity_compare_to", (QUANTITY, QUANTITY), INT, member=True),
            Overload("semver_compare_to", (SEMVER, SEMVER), INT, member=True),
        ),
    ),
    Function(
        "isGreaterThan",
        (
            Overload("quantity_is_greater_than", (QUANTITY, QUANTITY), BOOL, member=True),
            Overload("semver_is_greater_than", (SEMVER, SEMVER), BOOL, member=True),
        ),
    ),
    Function("isInteger", (Overload("quantity_is_integer", (QUANTITY,), BOOL, member=True),)),
    Function(
        "isLessThan",
        (
            Overload("quantity_is_less_than", (QUANTITY, QUANTITY), BOOL, member=True),
            Overload("semver_is_less_than", (SEMVER, SEMVER), BOOL, member=True),
        ),
    ),
    Function("isQuantity", (Overload("is_quantity_string", (STRING,), BOOL),)),
    Function("quantity", (Overload("string_to_quantity", (STRING,), QUANTITY),)),
    Function("sign", (Overload("quantity_sign", (QUANTITY,), INT),)),
    Function(
        "sub",
        (
            Overload("quantity_sub", (QUANTITY, QUANTITY), QUANTITY, member=True),
            Overload("quantity_sub_int", (QUANTITY, INT), QUANTITY, member=True),
        ),
    ),
)
