"""IP and CIDR functions.

Source: kubernetes apiserver 1.36 `pkg/cel/library/{ip,cidr}.go`, Go 1.26 `net/netip`.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Callable
from typing import Any, Final

from webhook.cel.gotext import quote
from webhook.cel.printed import ip_text
from webhook.cel.values import CelError, CIDRValue, IPValue, no_such_overload

_MAPPED: Final = bytes(10) + b"\xff\xff"


class _AddressError(ValueError):
    pass


def _parse_addr(text: str) -> bytes:
    for char in text:
        if char == ".":
            return _parse_4(text)
        if char == ":":
            return _parse_6(text)
        if char == "%":
            raise _AddressError(f"ParseAddr({quote(text)}): missing IPv6 address")
    raise _AddressError(f"ParseAddr({quote(text)}): unable to parse IP")


def _parse_4(text: str, whole: str | None = None) -> bytes:
    whole = text if whole is None else whole

    def fail(reason: str, at: str = "") -> _AddressError:
        suffix = f" (at {quote(at)})" if at else ""
        return _AddressError(f"ParseAddr({quote(whole)}): {reason}{suffix}")

    fields: list[int] = []
    value = digits = 0
    for index, char in enumerate(text):
        if char in "0123456789":
            if digits == 1 and value == 0:
                raise fail("IPv4 field has octet with leading zero")
            value = value * 10 + int(char)
            digits += 1
            if value > 255:
                raise fail("IPv4 field has value >255")
        elif char == ".":
            if index in {0, len(text) - 1} or text[index - 1] == ".":
                raise fail("IPv4 field must have at least one digit", text[index:])
            if len(fields) == 3:
                raise fail("IPv4 address too long")
            fields.append(value)
            value = digits = 0
        else:
            raise fail("unexpected character", text[index:])
    if len(fields) < 3:
        raise fail("IPv4 address too short")
    return bytes([*fields, value])


def _parse_6(text: str) -> bytes:
    address, percent, zone = text.partition("%")
    if percent and not zone:
        raise _AddressError(f"ParseAddr({quote(text)}): zone must be a non-empty string")
    try:
        packed = ipaddress.IPv6Address(address).packed
    except ValueError as error:
        raise _AddressError(f"ParseAddr({quote(text)}): {_reason_6(address)}") from error
    if percent:
        raise _ZonedError
    return packed


class _ZonedError(Exception):
    pass


def _reason_6(address: str) -> str:
    rest = address
    groups, ellipsis = 0, -1
    if rest.startswith("::"):
        ellipsis, rest = 0, rest[2:]
        if not rest:
            return "unable to parse IP"
    while groups < 16:
        end = 0
        while end < len(rest) and rest[end] in "0123456789abcdefABCDEF":
            end += 1
            if end > 4:
                return f"each group must have 4 or less digits (at {quote(rest)})"
        if end == 0:
            return f"each colon-separated field must have at least one digit (at {quote(rest)})"
        if end < len(rest) and rest[end] == ".":
            if ellipsis < 0 and groups != 12:
                return (
                    "embedded IPv4 address must replace the final 2 fields of the address "
                    f"(at {quote(rest)})"
                )
            if groups + 4 > 16:
                return (
                    "too many hex fields to fit an embedded IPv4 at the end of the address "
                    f"(at {quote(rest)})"
                )
            try:
                _parse_4(rest, address)
            except _AddressError as error:
                return str(error).partition("): ")[2]
            break
        groups += 2
        rest = rest[end:]
        if not rest:
            break
        if rest[0] != ":":
            return f"unexpected character, want colon (at {quote(rest)})"
        if len(rest) == 1:
            return f"colon must be followed by more characters (at {quote(rest)})"
        rest = rest[1:]
        if rest[0] == ":":
            if ellipsis >= 0:
                return f"multiple :: in address (at {quote(rest)})"
            ellipsis, rest = groups, rest[1:]
            if not rest:
                break
    else:
        if rest:
            return f"trailing garbage after address (at {quote(rest)})"
    if groups < 16 and ellipsis < 0:
        return "address string too short"
    return "the :: must expand to at least one field of zeros"


def _ip(text: str) -> IPValue:
    try:
        packed = _parse_addr(text)
    except _ZonedError as error:
        raise CelError(f"IP address {quote(text)} with zone value is not allowed") from error
    except _AddressError as error:
        raise CelError(
            f"IP Address {quote(text)} parse error during conversion from string: {error}"
        ) from error
    if packed.startswith(_MAPPED) and len(packed) == 16:
        raise CelError(f"IPv4-mapped IPv6 address {quote(text)} is not allowed")
    return IPValue(packed)


def _is(convert: Callable[[str], Any]) -> Callable[[str], bool]:
    def check(text: str) -> bool:
        try:
            convert(text)
        except CelError:
            return False
        return True

    return check


_PREFIX: Final = "network address parse error during conversion from string: "


def _cidr(text: str) -> CIDRValue:
    address, slash, bits = text.rpartition("/")
    call = f"netip.ParsePrefix({quote(text)})"
    if not slash:
        raise CelError(f"{_PREFIX}{_PREFIX}{call}: no '/'")
    try:
        packed = _parse_addr(address)
    except _ZonedError as error:
        raise CelError(
            f"{_PREFIX}{_PREFIX}{call}: IPv6 zones cannot be present in a prefix"
        ) from error
    except _AddressError as error:
        raise CelError(f"{_PREFIX}{_PREFIX}{call}: {error}") from error
    if not bits or (len(bits) > 1 and bits[0] in "0+-") or not bits.isascii() or not bits.isdigit():
        raise CelError(f"{_PREFIX}{_PREFIX}{call}: bad bits after slash: {quote(bits)}")
    if len(bits) > 3 or int(bits) > len(packed) * 8:
        raise CelError(f"{_PREFIX}{_PREFIX}{call}: prefix length out of range")
    if packed.startswith(_MAPPED) and len(packed) == 16:
        raise CelError(f"{_PREFIX}IPv4-mapped IPv6 address {quote(text)} is not allowed")
    return CIDRValue(packed, int(bits))


def _number(packed: bytes) -> int:
    return int.from_bytes(packed, "big")


def _holds(cidr: CIDRValue, packed: bytes, bits: int) -> bool:
    if len(packed) != len(cidr.packed) or bits < cidr.bits:
        return False
    shift = len(packed) * 8 - cidr.bits
    return _number(cidr.packed) >> shift == _number(packed) >> shift


def _contains_ip_text(cidr: CIDRValue, text: str) -> bool:
    try:
        found = _ip(text)
    except CelError as error:
        raise no_such_overload() from error
    return _holds(cidr, found.packed, 128)


def _contains_cidr_text(cidr: CIDRValue, text: str) -> bool:
    other = _cidr(text)
    return _holds(cidr, other.packed, other.bits)


def _masked(cidr: CIDRValue) -> CIDRValue:
    size = len(cidr.packed)
    shift = size * 8 - cidr.bits
    return CIDRValue((_number(cidr.packed) >> shift << shift).to_bytes(size, "big"), cidr.bits)


def _is_loopback(ip: IPValue) -> bool:
    return ip.packed[0] == 127 if len(ip.packed) == 4 else _number(ip.packed) == 1


def _is_multicast(ip: IPValue) -> bool:
    return ip.packed[0] >> 4 == 0xE if len(ip.packed) == 4 else ip.packed[0] == 0xFF


def _is_link_local_multicast(ip: IPValue) -> bool:
    if len(ip.packed) == 4:
        return ip.packed[:3] == b"\xe0\x00\x00"
    return ip.packed[0] == 0xFF and ip.packed[1] & 0xF == 2


def _is_link_local(ip: IPValue) -> bool:
    if len(ip.packed) == 4:
        return ip.packed[:2] == b"\xa9\xfe"
    return ip.packed[0] == 0xFE and ip.packed[1] & 0xC0 == 0x80


def _is_global(ip: IPValue) -> bool:
    broadcast = ip.packed == b"\xff\xff\xff\xff"
    special = _is_loopback(ip) or _is_multicast(ip) or _is_link_local(ip)
    return not (broadcast or not any(ip.packed) or special)


BY_OVERLOAD: Final[dict[str, Callable[..., Any]]] = {
    "string_to_ip": _ip,
    "is_ip": _is(_ip),
    "ip_is_canonical": lambda text: ip_text(_ip(text).packed) == text,
    "ip_family": lambda ip: 4 if len(ip.packed) == 4 else 6,
    "ip_is_unspecified": lambda ip: not any(ip.packed),
    "ip_is_loopback": _is_loopback,
    "ip_is_link_local_multicast": _is_link_local_multicast,
    "ip_is_link_local_unicast": _is_link_local,
    "ip_is_global_unicast": _is_global,
    "string_to_cidr": _cidr,
    "is_cidr": _is(_cidr),
    "cidr_contains_ip_ip": lambda cidr, ip: _holds(cidr, ip.packed, 128),
    "cidr_contains_ip_string": _contains_ip_text,
    "cidr_contains_cidr": lambda cidr, other: _holds(cidr, other.packed, other.bits),
    "cidr_contains_cidr_string": _contains_cidr_text,
    "cidr_ip": lambda cidr: IPValue(cidr.packed),
    "cidr_prefix_length": lambda cidr: cidr.bits,
    "cidr_masked": _masked,
}
