"""Declarations of the family semver."""

from __future__ import annotations

from typing import Final

from webhook.cel.library.declare import Function, Overload
from webhook.cel.types import BOOL, INT, SEMVER, STRING

FUNCTIONS: Final = (
    Function(
        "isSemver",
        (
            Overload("is_semver_string", (STRING,), BOOL),
            Overload("is_semver_string_bool", (STRING, BOOL), BOOL),
        ),
    ),
    Function("major", (Overload("semver_major", (SEMVER,), INT, member=True),)),
    Function("minor", (Overload("semver_minor", (SEMVER,), INT, member=True),)),
    Function("patch", (Overload("semver_patch", (SEMVER,), INT, member=True),)),
    Function(
        "semver",
        (
            Overload("string_bool_to_semver", (STRING, BOOL), SEMVER),
            Overload("string_to_semver", (STRING,), SEMVER),
        ),
    ),
)
