"""Values as Go's `%v` prints them, which is how they stand in error texts.

Source: cel-go 0.26 `String` of each type, Go 1.26 `fmt`, `time`.
"""

from __future__ import annotations

import ipaddress
from typing import Any, Final

from webhook.cel.gotext import format_g
from webhook.cel.instants import Instant
from webhook.cel.values import (
    LIST_TYPES,
    MAP_TYPES,
    CelError,
    CIDRValue,
    Duration,
    IPValue,
    OptionalValue,
    Steps,
    TypeValue,
    list_items,
    list_size,
)

_DAYS_TO_1970: Final = 719_468
_SECOND: Final = 1_000_000_000


def printed(value: Any, steps: Steps | None = None) -> str:
    """Return a value's text in an error message, e.g. `no such key: 1.5`."""
    kind = type(value)
    if kind is str:
        return str(value)
    if kind is bool:
        return "true" if value else "false"
    if kind is float:
        return format_g(value)
    if value is None:
        return "0"
    if kind is bytes:
        return f"[{' '.join(str(byte) for byte in value)}]"
    if kind in LIST_TYPES or kind in MAP_TYPES:
        return _aggregate(value, steps or Steps())
    if kind is Duration:
        return go_duration(value.nanoseconds)
    if kind is Instant:
        return f"{date_text(value)} {clock_text(value)} {_zone(value)}"
    if kind is OptionalValue:
        return f"optional({printed(value.content, steps)})" if value.present else "optional.none()"
    if kind is TypeValue:
        return str(value.name)
    if kind is IPValue:
        return ip_text(value.packed)
    if kind is CIDRValue:
        return f"{ip_text(value.packed)}/{value.bits}"
    if kind is CelError:
        return str(value)
    return getattr(value, "text", None) or str(value)


def _aggregate(value: Any, steps: Steps) -> str:
    if type(value) in LIST_TYPES:
        steps.take(1 + list_size(value))
        return f"[{', '.join([printed(item, steps) for item in list_items(value)])}]"
    steps.take(1 + len(value))
    parts = [f"{printed(key, steps)}: {printed(item, steps)}" for key, item in value.items()]
    return f"{{{', '.join(parts)}}}"


def ip_text(packed: bytes) -> str:
    """Return an address in canonical text."""
    return str(ipaddress.ip_address(packed))


def go_duration(nanoseconds: int) -> str:
    """Go's Duration.String: 1h0m0s, 1.5s, 100ms."""
    if nanoseconds == 0:
        return "0s"
    sign, rest = ("-", -nanoseconds) if nanoseconds < 0 else ("", nanoseconds)
    if rest < _SECOND:
        for unit, size in (("ns", 1), ("µs", 1_000), ("ms", 1_000_000)):
            if rest < size * 1000:
                return f"{sign}{_fraction(rest, size)}{unit}"
    seconds, fraction = divmod(rest, _SECOND)
    minutes, seconds = divmod(seconds, 60)
    hours, minutes = divmod(minutes, 60)
    text = f"{_fraction(seconds * _SECOND + fraction, _SECOND)}s"
    if hours:
        return f"{sign}{hours}h{minutes}m{text}"
    return f"{sign}{minutes}m{text}" if minutes else sign + text


def _fraction(value: int, unit: int) -> str:
    whole, rest = divmod(value, unit)
    digits = len(str(unit)) - 1
    return f"{whole}.{rest:0{digits}d}".rstrip("0") if rest else str(whole)


def civil(seconds: int) -> tuple[int, int, int]:
    """Year, month and day of seconds since 1970."""
    days = seconds // 86_400 + _DAYS_TO_1970
    era, day_of_era = divmod(days, 146_097)
    year = (day_of_era - day_of_era // 1460 + day_of_era // 36_524 - day_of_era // 146_096) // 365
    day_of_year = day_of_era - (365 * year + year // 4 - year // 100)
    shifted = (5 * day_of_year + 2) // 153
    month = shifted + 3 if shifted < 10 else shifted - 9
    return year + era * 400 + (month <= 2), month, day_of_year - (153 * shifted + 2) // 5 + 1


def date_text(instant: Instant) -> str:
    """Return the date in the instant's own offset."""
    year, month, day = civil(instant.seconds + instant.offset_s)
    return f"{year:04d}-{month:02d}-{day:02d}"


def clock_text(instant: Instant) -> str:
    """Return the time of day in the instant's own offset, with as many decimals as needed."""
    seconds = (instant.seconds + instant.offset_s) % 86_400
    text = f"{seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}"
    return f"{text}.{instant.nanos:09d}".rstrip("0") if instant.nanos else text


def offset_text(offset_s: int, colon: str) -> str:
    """Return an offset from UTC: +01:00 or +0100."""
    minutes = abs(offset_s) // 60
    return f"{'-' if offset_s < 0 else '+'}{minutes // 60:02d}{colon}{minutes % 60:02d}"


def _zone(instant: Instant) -> str:
    if instant.offset_s == 0:
        return "+0000 UTC"
    return f"{offset_text(instant.offset_s, '')} {offset_text(instant.offset_s, '')}"


def timestamp_text(instant: Instant) -> str:
    """RFC 3339 with nanoseconds, keeping the offset: `string(timestamp)`."""
    zone = "Z" if instant.offset_s == 0 else offset_text(instant.offset_s, ":")
    return f"{date_text(instant)}T{clock_text(instant)}{zone}"
