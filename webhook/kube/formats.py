"""Formats of names, as the API server checks them.

Facts: kubernetes/apimachinery 1.36 util/validation and api/validate/content; limits of
k8s.io/api/resource/v1 1.36 (types.go). Each function gives what is wrong, empty when nothing is.
"""

from __future__ import annotations

import re
from typing import Final

MAX_LABEL: Final = 63
MAX_SUBDOMAIN: Final = 253
MAX_DRIVER: Final = 63
MAX_IDENTIFIER: Final = 32

_LABEL: Final = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?")
_SUBDOMAIN: Final = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*")
_IDENTIFIER: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def label_fault(name: str) -> str:
    """Say what keeps `name` from being a DNS label (request names)."""
    if len(name) > MAX_LABEL:
        return f"must be at most {MAX_LABEL} characters long"
    if _LABEL.fullmatch(name) is None:
        return (
            "must be a DNS label: lower-case letters, digits and dashes, with a letter or digit at "
            "both ends"
        )
    return ""


def subdomain_fault(name: str) -> str:
    """Say what keeps `name` from being a DNS subdomain (names of objects and classes)."""
    if len(name) > MAX_SUBDOMAIN:
        return f"must be at most {MAX_SUBDOMAIN} characters long"
    if _SUBDOMAIN.fullmatch(name) is None:
        return (
            "must be a DNS subdomain: lower-case letters, digits, dashes and dots, with a letter "
            "or digit at both ends"
        )
    return ""


def driver_fault(name: str) -> str:
    """Say what keeps `name` from being a driver's name; upper case is taken (as for CSI)."""
    if len(name) > MAX_DRIVER:
        return f"must be at most {MAX_DRIVER} characters long"
    if _SUBDOMAIN.fullmatch(name.lower()) is None:
        return "must be a DNS subdomain: letters, digits, dashes and dots, such as gpu.nvidia.com"
    return ""


def qualified_fault(name: str) -> str:
    """Say what keeps `name` from being a fully qualified attribute name, `domain/identifier`."""
    domain, slash, identifier = name.partition("/")
    if not slash:
        return "must include the attribute's domain: DOMAIN/NAME"
    if "/" in identifier:
        return "must not contain more than one slash"
    if not domain or driver_fault(domain):
        return "must start with a domain, such as gpu.nvidia.com"
    if len(identifier) > MAX_IDENTIFIER:
        return f"must have a name of at most {MAX_IDENTIFIER} characters"
    if _IDENTIFIER.fullmatch(identifier) is None:
        return "must end in a C identifier: letters, digits and underscores, no digit first"
    return ""


def as_label(name: str) -> str:
    """Give the DNS label nearest to `name`, empty when nothing of it is left."""
    plain = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")
    return plain[:MAX_LABEL].strip("-")
