"""Declarations of the family net."""

from __future__ import annotations

from typing import Final

from webhook.cel.library.declare import Function, Overload
from webhook.cel.types import BOOL, CIDR, INT, IP, STRING

FUNCTIONS: Final = (
    Function("cidr", (Overload("string_to_cidr", (STRING,), CIDR),)),
    Function(
        "containsCIDR",
        (
            Overload("cidr_contains_cidr", (CIDR, CIDR), BOOL, member=True),
            Overload("cidr_contains_cidr_string", (CIDR, STRING), BOOL, member=True),
        ),
    ),
    Function(
        "containsIP",
        (
            Overload("cidr_contains_ip_ip", (CIDR, IP), BOOL, member=True),
            Overload("cidr_contains_ip_string", (CIDR, STRING), BOOL, member=True),
        ),
    ),
    Function("family", (Overload("ip_family", (IP,), INT, member=True),)),
    Function(
        "ip",
        (
            Overload("cidr_ip", (CIDR,), IP, member=True),
            Overload("string_to_ip", (STRING,), IP),
        ),
    ),
    Function("ip.isCanonical", (Overload("ip_is_canonical", (STRING,), BOOL),)),
    Function("isCIDR", (Overload("is_cidr", (STRING,), BOOL),)),
    Function("isGlobalUnicast", (Overload("ip_is_global_unicast", (IP,), BOOL, member=True),)),
    Function("isIP", (Overload("is_ip", (STRING,), BOOL),)),
    Function(
        "isLinkLocalMulticast", (Overload("ip_is_link_local_multicast", (IP,), BOOL, member=True),)
    ),
    Function(
        "isLinkLocalUnicast", (Overload("ip_is_link_local_unicast", (IP,), BOOL, member=True),)
    ),
    Function("isLoopback", (Overload("ip_is_loopback", (IP,), BOOL, member=True),)),
    Function("isUnspecified", (Overload("ip_is_unspecified", (IP,), BOOL, member=True),)),
    Function("masked", (Overload("cidr_masked", (CIDR,), CIDR, member=True),)),
    Function("prefixLength", (Overload("cidr_prefix_length", (CIDR,), INT, member=True),)),
)
