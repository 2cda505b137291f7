"""Declarations of the family conversions."""

from __future__ import annotations

from typing import Final

from webhook.cel.library.availability import before_1_37
from webhook.cel.library.declare import Function, Overload
from webhook.cel.types import (
    BOOL,
    BYTES,
    CIDR,
    DOUBLE,
    DURATION,
    DYN,
    INT,
    IP,
    STRING,
    TIMESTAMP,
    UINT,
    param,
    type_of,
)

FUNCTIONS: Final = (
    Function(
        "bool",
        (
            Overload("bool_to_bool", (BOOL,), BOOL),
            Overload("string_to_bool", (STRING,), BOOL),
        ),
    ),
    Function(
        "bytes",
        (
            Overload("bytes_to_bytes", (BYTES,), BYTES),
            Overload("string_to_bytes", (STRING,), BYTES),
        ),
    ),
    Function(
        "double",
        (
            Overload("double_to_double", (DOUBLE,), DOUBLE),
            Overload("int64_to_double", (INT,), DOUBLE),
            Overload("string_to_double", (STRING,), DOUBLE),
            Overload("uint64_to_double", (UINT,), DOUBLE),
        ),
    ),
    Function(
        "duration",
        (
            Overload("duration_to_duration", (DURATION,), DURATION),
            Overload("int64_to_duration", (INT,), DURATION, available=before_1_37),
            Overload("string_to_duration", (STRING,), DURATION),
        ),
    ),
    Function("dyn", (Overload("to_dyn", (param("A"),), DYN),)),
    Function(
        "int",
        (
            Overload("double_to_int64", (DOUBLE,), INT),
            Overload("duration_to_int64", (DURATION,), INT),
            Overload("int64_to_int64", (INT,), INT),
            Overload("string_to_int64", (STRING,), INT),
            Overload("timestamp_to_int64", (TIMESTAMP,), INT),
            Overload("uint64_to_int64", (UINT,), INT),
        ),
    ),
    Function(
        "string",
        (
            Overload("bool_to_string", (BOOL,), STRING),
            Overload("bytes_to_string", (BYTES,), STRING),
            Overload("cidr_to_string", (CIDR,), STRING),
            Overload("double_to_string", (DOUBLE,), STRING),
            Overload("duration_to_string", (DURATION,), STRING),
            Overload("int64_to_string", (INT,), STRING),
            Overload("ip_to_string", (IP,), STRING),
            Overload("string_to_string", (STRING,), STRING),
            Overload("timestamp_to_string", (TIMESTAMP,), STRING),
            Overload("uint64_to_string", (UINT,), STRING),
        ),
    ),
    Function(
        "timestamp",
        (
            Overload("int64_to_timestamp", (INT,), TIMESTAMP),
            Overload("string_to_timestamp", (STRING,), TIMESTAMP),
            Overload("timestamp_to_timestamp", (TIMESTAMP,), TIMESTAMP),
        ),
    ),
    Function("type", (Overload("type", (param("A"),), type_of(param("A"))),)),
    Function(
        "uint",
        (
            Overload("double_to_uint64", (DOUBLE,), UINT),
            Overload("int64_to_uint64", (INT,), UINT),
            Overload("string_to_uint64", (STRING,), UINT),
            Overload("uint64_to_uint64", (UINT,), UINT),
        ),
    ),
)
