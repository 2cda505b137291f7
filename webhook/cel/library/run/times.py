"""Getters of timestamps and durations, in UTC unless a zone is given.

Source: cel-go 0.26 `cel/library.go`, Go 1.26 `time.LoadLocation`.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any, Final
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from webhook.cel.gotext import atoi
from webhook.cel.instants import Instant
from webhook.cel.printed import civil
from webhook.cel.values import CelError, Duration

_DAYS_BEFORE: Final = (0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334)


def offset_of(zone: str, instant: Instant) -> int:
    """Return the seconds that a zone is ahead of UTC at a time; CelError if there is none."""
    if ":" not in zone:
        if zone in {"", "UTC"}:
            return 0
        if zone == "Local":
            return 0
        if ".." in zone or zone[0] in "/\\" or "\\" in zone:
            raise CelError("time: invalid location name")
        try:
            known = ZoneInfo(zone)
        except (ZoneInfoNotFoundError, ValueError, OSError) as error:
            raise CelError(f"unknown time zone {zone}") from error
        clamped = max(-62_135_510_400, min(253_402_214_400, instant.seconds))
        offset = datetime.fromtimestamp(clamped, UTC).astimezone(known).utcoffset()
        return int(offset.total_seconds()) if offset else 0
    hours_text, _, minutes_text = zone.partition(":")
    try:
        hours, minutes = atoi(hours_text), atoi(minutes_text)
    except ValueError as error:
        raise CelError(str(error)) from error
    return (hours * 60 - minutes if zone[0] == "-" else hours * 60 + minutes) * 60


def _part(read: Callable[[int, int], int]) -> Callable[..., int]:
    def get(instant: Instant, zone: str = "") -> int:
        return read(instant.seconds + offset_of(zone, instant), instant.nanos)

    return get


def _day_of_year(seconds: int) -> int:
    year, month, day = civil(seconds)
    leap = month > 2 and year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    return _DAYS_BEFORE[month - 1] + day - 1 + leap


_PARTS: Final[dict[str, Callable[[int, int], int]]] = {
    "year": lambda s, _n: civil(s)[0],
    "month": lambda s, _n: civil(s)[1] - 1,
    "day_of_year": lambda s, _n: _day_of_year(s),
    "day_of_month": lambda s, _n: civil(s)[2] - 1,
    "day_of_month_1_based": lambda s, _n: civil(s)[2],
    "day_of_week": lambda s, _n: (s // 86_400 + 4) % 7,
    "hours": lambda s, _n: s // 3600 % 24,
    "minutes": lambda s, _n: s // 60 % 60,
    "seconds": lambda s, _n: s % 60,
    "milliseconds": lambda _s, n: n // 1_000_000,
}


def _total(unit: int) -> Callable[[Duration], int]:
    def get(value: Duration) -> int:
        whole = abs(value.nanoseconds) // unit
        return -whole if value.nanoseconds < 0 else whole

    return get


BY_OVERLOAD: Final[dict[str, Callable[..., Any]]] = {
    **{f"timestamp_to_{name}": _part(read) for name, read in _PARTS.items()},
    **{f"timestamp_to_{name}_with_tz": _part(read) for name, read in _PARTS.items()},
    "timestamp_to_seconds_tz": _part(_PARTS["seconds"]),
    "duration_to_hours": _total(3_600_000_000_000),
    "duration_to_minutes": _total(60_000_000_000),
    "duration_to_seconds": _total(1_000_000_000),
    "duration_to_milliseconds": _total(1_000_000),
}
