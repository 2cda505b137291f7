"""Declarations of the family time."""

from __future__ import annotations

from typing import Final

from webhook.cel.library.declare import Function, Overload
from webhook.cel.types import DURATION, INT, STRING, TIMESTAMP

FUNCTIONS: Final = (
    Function(
        "getDate",
        (
            Overload("timestamp_to_day_of_month_1_based", (TIMESTAMP,), INT, member=True),
            Overload(
                "timestamp_to_day_of_month_1_based_with_tz", (TIMESTAMP, STRING), INT, member=True
            ),
        ),
    ),
    Function(
        "getDayOfMonth",
        (
            Overload("timestamp_to_day_of_month", (TIMESTAMP,), INT, member=True),
            Overload("timestamp_to_day_of_month_with_tz", (TIMESTAMP, STRING), INT, member=True),
        ),
    ),
    Function(
        "getDayOfWeek",
        (
            Overload("timestamp_to_day_of_week", (TIMESTAMP,), INT, member=True),
            Overload("timestamp_to_day_of_week_with_tz", (TIMESTAMP, STRING), INT, member=True),
        ),
    ),
    Function(
        "getDayOfYear",
        (
            Overload("timestamp_to_day_of_year", (TIMESTAMP,), INT, member=True),
            Overload("timestamp_to_day_of_year_with_tz", (TIMESTAMP, STRING), INT, member=True),
        ),
    ),
    Function(
        "getFullYear",
        (
            Overload("timestamp_to_year", (TIMESTAMP,), INT, member=True),
            Overload("timestamp_to_year_with_tz", (TIMESTAMP, STRING), INT, member=True),
        ),
    ),
    Function(
        "getHours",
        (
            Overload("duration_to_hours", (DURATION,), INT, member=True),
            Overload("timestamp_to_hours", (TIMESTAMP,), INT, member=True),
            Overload("timestamp_to_hours_with_tz", (TIMESTAMP, STRING), INT, member=True),
        ),
    ),
    Function(
        "getMilliseconds",
        (
            Overload("duration_to_milliseconds", (DURATION,), INT, member=True),
            Overload("timestamp_to_milliseconds", (TIMESTAMP,), INT, member=True),
            Overload("timestamp_to_milliseconds_with_tz", (TIMESTAMP, STRING), INT, member=True),
        ),
    ),
    Function(
        "getMinutes",
        (
            Overload("duration_to_minutes", (DURATION,), INT, member=True),
            Overload("timestamp_to_minutes", (TIMESTAMP,), INT, member=True),
            Overload("timestamp_to_minutes_with_tz", (TIMESTAMP, STRING), INT, member=True),
        ),
    ),
    Function(
        "getMonth",
        (
            Overload("timestamp_to_month", (TIMESTAMP,), INT, member=True),
            Overload("timestamp_to_month_with_tz", (TIMESTAMP, STRING), INT, member=True),
        ),
    ),
    Function(
        "getSeconds",
        (
            Overload("duration_to_seconds", (DURATION,), INT, member=True),
            Overload("timestamp_to_seconds", (TIMESTAMP,), INT, member=True),
            Overload("timestamp_to_seconds_tz", (TIMESTAMP, STRING), INT, member=True),
        ),
    ),
)
