"""Declarations of the family named_format."""

from __future__ import annotations

from typing import Final

from webhook.cel.library.declare import Function, Overload
from webhook.cel.types import NAMED_FORMAT, STRING, list_of, optional_of

FUNCTIONS: Final = (
    Function("format.byte", (Overload("format.byte", (), NAMED_FORMAT),)),
    Function("format.date", (Overload("format.date", (), NAMED_FORMAT),)),
    Function("format.datetime", (Overload("format.datetime", (), NAMED_FORMAT),)),
    Function("format.dns1035Label", (Overload("format.dns1035Label", (), NAMED_FORMAT),)),
    Function(
        "format.dns1035LabelPrefix", (Overload("format.dns1035LabelPrefix", (), NAMED_FORMAT),)
    ),
    Function("format.dns1123Label", (Overload("format.dns1123Label", (), NAMED_FORMAT),)),
    Function(
        "format.dns1123LabelPrefix", (Overload("format.dns1123LabelPrefix", (), NAMED_FORMAT),)
    ),
    Function("format.dns1123Subdomain", (Overload("format.dns1123Subdomain", (), NAMED_FORMAT),)),
    Function(
        "format.dns1123SubdomainPrefix",
        (Overload("format.dns1123SubdomainPrefix", (), NAMED_FORMAT),),
    ),
    Function("format.labelValue", (Overload("format.labelValue", (), NAMED_FORMAT),)),
    Function("format.named", (Overload("format-named", (STRING,), optional_of(NAMED_FORMAT)),)),
    Function("format.qualifiedName", (Overload("format.qualifiedName", (), NAMED_FORMAT),)),
    Function("format.uri", (Overload("format.uri", (), NAMED_FORMAT),)),
    Function("format.uuid", (Overload("format.uuid", (), NAMED_FORMAT),)),
    Function(
        "validate",
        (
            Overload(
                "format-validate", (NAMED_FORMAT, STRING), optional_of(list_of(STRING)), member=True
            ),
        ),
    ),
)
