"""Durations and timestamps as text, read as Go reads them.

Python's own parsers take other texts: no comma before a fraction, no offset of 24 hours, months
checked otherwise. Source: Go 1.24 `time/format.go` (`ParseDuration`, `Parse` of RFC 3339) and
cel-go 0.26 `common/types/timestamp.go`.
"""

from __future__ import annotations

import re
from calendar import monthrange
from dataclasses import dataclass
from typing import Final

FIRST_SECOND: Final = -62_135_596_800
"""The first second of year 1, since 1970: the earliest timestamp."""
LAST_SECOND: Final = 253_402_300_799
"""The last second of year 9999."""

_LIMIT_NS: Final = 2**63
_UNITS_NS: Final = {
    "ns": 1,
    "us": 1_000,
    "µs": 1_000,
    "μs": 1_000,
    "ms": 1_000_000,
    "s": 1_000_000_000,
    "m": 60_000_000_000,
    "h": 3_600_000_000_000,
}
_PART: Final = re.compile(r"([0-9]*)(?:\.([0-9]*))?([^.0-9]+)")
_TIMESTAMP: Final = re.compile(
    r"([0-9]{4})-([0-9]{2})-([0-9]{2})T([0-9]{1,2}):([0-9]{2}):([0-9]{2})(?:[.,]([0-9]+))?"
    r"(?:Z|([+-])([0-9]{2}):([0-9]{2}))"
)
_DAYS_TO_1970: Final = 719_468


@dataclass(frozen=True, slots=True)
class Instant:
    """A timestamp: seconds since 1970, nanoseconds, and the offset from UTC that it was read in."""

    seconds: int
    nanos: int
    offset_s: int


def parse_duration(text: str) -> int | None:
    """Read a duration (`1h30m`, `-1.5s`, `0`) in nanoseconds; None if it is none."""
    sign, body = 1, text
    if text[:1] in {"+", "-"}:
        sign, body = (-1 if text[0] == "-" else 1), text[1:]
    if body == "0":
        return 0
    total, position = 0, 0
    while position < len(body):
        found = _PART.match(body, position)
        part = _part_ns(found) if found else None
        if found is None or part is None:
            return None
        total += part
        if total > _LIMIT_NS:
            return None
        position = found.end()
    if not body or (sign > 0 and total == _LIMIT_NS):
        return None
    return sign * total


def _part_ns(found: re.Match[str]) -> int | None:
    whole, fraction, unit = found[1], found[2] or "", _UNITS_NS.get(found[3])
    if unit is None or not (whole or fraction):
        return None
    digits = whole.lstrip("0")
    if len(digits) > 19:
        return None
    value = int(digits or "0") * unit
    if value > _LIMIT_NS:
        return None
    return value + _fraction_ns(fraction, unit)


def _fraction_ns(fraction: str, unit: int) -> int:
    """Read a fraction of a unit in doubles, as Go does; digits that do not fit are dropped."""
    number, scale = 0, 1.0
    for digit in fraction[:400]:
        if number > (_LIMIT_NS - 1) // 10 or number * 10 + int(digit) > _LIMIT_NS:
            break
        number = number * 10 + int(digit)
        scale *= 10
    return int(float(number) * (unit / scale)) if number else 0


def parse_timestamp(text: str) -> Instant | None:
    """Read an RFC 3339 timestamp; None if it is none or lies outside of the years 1 to 9999."""
    found = _TIMESTAMP.fullmatch(text)
    if found is None:
        return None
    year, month, day, hour, minute, second = (int(found[index]) for index in range(1, 7))
    if not (1 <= month <= 12 and 1 <= day <= _days_in(year, month)):
        return None
    if hour > 23 or minute > 59 or second > 59:
        return None
    offset_s = 0
    if found[8]:
        # Go takes 24 hours and 60 minutes here.
        if int(found[9]) > 24 or int(found[10]) > 60:
            return None
        offset_s = (int(found[9]) * 60 + int(found[10])) * (60 if found[8] == "+" else -60)
    days = _days_since_1970(year, month, day)
    seconds = ((days * 24 + hour) * 60 + minute) * 60 + second - offset_s
    if not FIRST_SECOND <= seconds <= LAST_SECOND:
        return None
    return Instant(seconds, int((found[7] or "0")[:9].ljust(9, "0")), offset_s)


def _days_in(year: int, month: int) -> int:
    # The Gregorian calendar repeats after 400 years; Python knows no year 0.
    return monthrange(year + 400, month)[1]


def _days_since_1970(year: int, month: int, day: int) -> int:
    """Count days in years that begin in March, so that the leap day is the last one."""
    if month <= 2:
        year -= 1
    era, year_of_era = divmod(year, 400)
    day_of_year = (153 * ((month + 9) % 12) + 2) // 5 + day - 1
    day_of_era = year_of_era * 365 + year_of_era // 4 - year_of_era // 100 + day_of_year
    return era * 146_097 + day_of_era - _DAYS_TO_1970
