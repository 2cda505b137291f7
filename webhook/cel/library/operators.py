"""Declarations of the family operators."""

from __future__ import annotations

from typing import Final

from webhook.cel.library.declare import Function, Overload
from webhook.cel.types import (
    BOOL,
    BYTES,
    DOUBLE,
    DURATION,
    DYN,
    INT,
    STRING,
    TIMESTAMP,
    UINT,
    list_of,
    map_of,
    optional_of,
    param,
)

FUNCTIONS: Final = (
    Function("!_", (Overload("logical_not", (BOOL,), BOOL),)),
    Function(
        "-_",
        (
            Overload("negate_double", (DOUBLE,), DOUBLE),
            Overload("negate_int64", (INT,), INT),
        ),
    ),
    Function(
        "@in",
        (
            Overload("in_list", (param("A"), list_of(param("A"))), BOOL),
            Overload("in_map", (param("A"), map_of(param("A"), param("B"))), BOOL),
        ),
    ),
    Function("@not_strictly_false", (Overload("not_strictly_false", (BOOL,), BOOL),)),
    Function("_!=_", (Overload("not_equals", (param("A"), param("A")), BOOL),)),
    Function(
        "_%_",
        (
            Overload("modulo_int64", (INT, INT), INT),
            Overload("modulo_uint64", (UINT, UINT), UINT),
        ),
    ),
    Function("_&&_", (Overload("logical_and", (BOOL, BOOL), BOOL),)),
    Function(
        "_*_",
        (
            Overload("multiply_double", (DOUBLE, DOUBLE), DOUBLE),
            Overload("multiply_int64", (INT, INT), INT),
            Overload("multiply_uint64", (UINT, UINT), UINT),
        ),
    ),
    Function(
        "_+_",
        (
            Overload("add_bytes", (BYTES, BYTES), BYTES),
            Overload("add_double", (DOUBLE, DOUBLE), DOUBLE),
            Overload("add_duration_duration", (DURATION, DURATION), DURATION),
            Overload("add_duration_timestamp", (DURATION, TIMESTAMP), TIMESTAMP),
            Overload("add_int64", (INT, INT), INT),
            Overload("add_list", (list_of(param("A")), list_of(param("A"))), list_of(param("A"))),
            Overload("add_string", (STRING, STRING), STRING),
            Overload("add_timestamp_duration", (TIMESTAMP, DURATION), TIMESTAMP),
            Overload("add_uint64", (UINT, UINT), UINT),
        ),
    ),
    Function(
        "_-_",
        (
            Overload("subtract_double", (DOUBLE, DOUBLE), DOUBLE),
            Overload("subtract_duration_duration", (DURATION, DURATION), DURATION),
            Overload("subtract_int64", (INT, INT), INT),
            Overload("subtract_timestamp_duration", (TIMESTAMP, DURATION), TIMESTAMP),
            Overload("subtract_timestamp_timestamp", (TIMESTAMP, TIMESTAMP), DURATION),
            Overload("subtract_uint64", (UINT, UINT), UINT),
        ),
    ),
    Function(
        "_/_",
        (
            Overload("divide_double", (DOUBLE, DOUBLE), DOUBLE),
            Overload("divide_int64", (INT, INT), INT),
            Overload("divide_uint64", (UINT, UINT), UINT),
        ),
    ),
    Function(
        "_<=_",
        (
            Overload("less_equals_bool", (BOOL, BOOL), BOOL),
            Overload("less_equals_bytes", (BYTES, BYTES), BOOL),
            Overload("less_equals_double", (DOUBLE, DOUBLE), BOOL),
            Overload("less_equals_double_int64", (DOUBLE, INT), BOOL),
            Overload("less_equals_double_uint64", (DOUBLE, UINT), BOOL),
            Overload("less_equals_duration", (DURATION, DURATION), BOOL),
            Overload("less_equals_int64", (INT, INT), BOOL),
            Overload("less_equals_int64_double", (INT, DOUBLE), BOOL),
            Overload("less_equals_int64_uint64", (INT, UINT), BOOL),
            Overload("less_equals_string", (STRING, STRING), BOOL),
            Overload("less_equals_timestamp", (TIMESTAMP, TIMESTAMP), BOOL),
            Overload("less_equals_uint64", (UINT, UINT), BOOL),
            Overload("less_equals_uint64_double", (UINT, DOUBLE), BOOL),
            Overload("less_equals_uint64_int64", (UINT, INT), BOOL),
        ),
    ),
    Function(
        "_<_",
        (
            Overload("less_bool", (BOOL, BOOL), BOOL),
            Overload("less_bytes", (BYTES, BYTES), BOOL),
            Overload("less_double", (DOUBLE, DOUBLE), BOOL),
            Overload("less_double_int64", (DOUBLE, INT), BOOL),
            Overload("less_double_uint64", (DOUBLE, UINT), BOOL),
            Overload("less_duration", (DURATION, DURATION), BOOL),
            Overload("less_int64", (INT, INT), BOOL),
            Overload("less_int64_double", (INT, DOUBLE), BOOL),
            Overload("less_int64_uint64", (INT, UINT), BOOL),
            Overload("less_string", (STRING, STRING), BOOL),
            Overload("less_timestamp", (TIMESTAMP, TIMESTAMP), BOOL),
            Overload("less_uint64", (UINT, UINT), BOOL),
            Overload("less_uint64_double", (UINT, DOUBLE), BOOL),
            Overload("less_uint64_int64", (UINT, INT), BOOL),
        ),
    ),
    Function("_==_", (Overload("equals", (param("A"), param("A")), BOOL),)),
    Function(
        "_>=_",
        (
            Overload("greater_equals_bool", (BOOL, BOOL), BOOL),
            Overload("greater_equals_bytes", (BYTES, BYTES), BOOL),
            Overload("greater_equals_double", (DOUBLE, DOUBLE), BOOL),
            Overload("greater_equals_double_int64", (DOUBLE, INT), BOOL),
            Overload("greater_equals_double_uint64", (DOUBLE, UINT), BOOL),
            Overload("greater_equals_duration", (DURATION, DURATION), BOOL),
            Overload("greater_equals_int64", (INT, INT), BOOL),
            Overload("greater_equals_int64_double", (INT, DOUBLE), BOOL),
            Overload("greater_equals_int64_uint64", (INT, UINT), BOOL),
            Overload("greater_equals_string", (STRING, STRING), BOOL),
            Overload("greater_equals_timestamp", (TIMESTAMP, TIMESTAMP), BOOL),
            Overload("greater_equals_uint64", (UINT, UINT), BOOL),
            Overload("greater_equals_uint64_double", (UINT, DOUBLE), BOOL),
            Overload("greater_equals_uint64_int64", (UINT, INT), BOOL),
        ),
    ),
    Function(
        "_>_",
        (
            Overload("greater_bool", (BOOL, BOOL), BOOL),
            Overload("greater_bytes", (BYTES, BYTES), BOOL),
            Overload("greater_double", (DOUBLE, DOUBLE), BOOL),
            Overload("greater_double_int64", (DOUBLE, INT), BOOL),
            Overload("greater_double_uint64", (DOUBLE, UINT), BOOL),
            Overload("greater_duration", (DURATION, DURATION), BOOL),
            Overload("greater_int64", (INT, INT), BOOL),
            Overload("greater_int64_double", (INT, DOUBLE), BOOL),
            Overload("greater_int64_uint64", (INT, UINT), BOOL),
            Overload("greater_string", (STRING, STRING), BOOL),
            Overload("greater_timestamp", (TIMESTAMP, TIMESTAMP), BOOL),
            Overload("greater_uint64", (UINT, UINT), BOOL),
            Overload("greater_uint64_double", (UINT, DOUBLE), BOOL),
            Overload("greater_uint64_int64", (UINT, INT), BOOL),
        ),
    ),
    Function("_?._", (Overload("select_optional_field", (DYN, STRING), optional_of(param("V"))),)),
    Function("_?_:_", (Overload("conditional", (BOOL, param("A"), param("A")), param("A")),)),
    Function(
        "_[?_]",
        (
            Overload(
                "list_optindex_optional_int", (list_of(param("V")), INT), optional_of(param("V"))
            ),
            Overload(
                "map_optindex_optional_value",
                (map_of(param("K"), param("V")), param("K")),
                optional_of(param("V")),
            ),
            Overload(
                "optional_list_optindex_optional_int",
                (optional_of(list_of(param("V"))), INT),
                optional_of(param("V")),
            ),
            Overload(
                "optional_map_optindex_optional_value",
                (optional_of(map_of(param("K"), param("V"))), param("K")),
                optional_of(param("V")),
            ),
        ),
    ),
    Function(
        "_[_]",
        (
            Overload("index_list", (list_of(param("A")), INT), param("A")),
            Overload("index_map", (map_of(param("A"), param("B")), param("A")), param("B")),
            Overload(
                "optional_list_index_int",
                (optional_of(list_of(param("V"))), INT),
                optional_of(param("V")),
            ),
            Overload(
                "optional_map_index_value",
                (optional_of(map_of(param("K"), param("V"))), param("K")),
                optional_of(param("V")),
            ),
        ),
    ),
    Function("__not_strictly_false__", (Overload("__not_strictly_false__", (BOOL,), BOOL),)),
    Function(
        "_in_",
        (
            Overload("in_list", (param("A"), list_of(param("A"))), BOOL),
            Overload("in_map", (param("A"), map_of(param("A"), param("B"))), BOOL),
        ),
    ),
    Function("_||_", (Overload("logical_or", (BOOL, BOOL), BOOL),)),
    Function(
        "in",
        (
            Overload("in_list", (param("A"), list_of(param("A"))), BOOL),
            Overload("in_map", (param("A"), map_of(param("A"), param("B"))), BOOL),
        ),
    ),
)
