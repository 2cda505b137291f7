"""Declarations of the family lists."""

from __future__ import annotations

from typing import Final

from webhook.cel.library.availability import includes_of_dra, includes_of_lists, lists_version_3
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
    param,
)

FUNCTIONS: Final = (
    Function(
        "@sortByAssociatedKeys",
        (
            Overload(
                "list_bool_sortByAssociatedKeys",
                (list_of(param("T")), list_of(BOOL)),
                list_of(param("T")),
                member=True,
                available=lists_version_3,
            ),
            Overload(
                "list_bytes_sortByAssociatedKeys",
                (list_of(param("T")), list_of(BYTES)),
                list_of(param("T")),
                member=True,
                available=lists_version_3,
            ),
            Overload(
                "list_double_sortByAssociatedKeys",
                (list_of(param("T")), list_of(DOUBLE)),
                list_of(param("T")),
                member=True,
                available=lists_version_3,
            ),
            Overload(
                "list_google.protobuf.Duration_sortByAssociatedKeys",
                (list_of(param("T")), list_of(DURATION)),
                list_of(param("T")),
                member=True,
                available=lists_version_3,
            ),
            Overload(
                "list_google.protobuf.Timestamp_sortByAssociatedKeys",
                (list_of(param("T")), list_of(TIMESTAMP)),
                list_of(param("T")),
                member=True,
                available=lists_version_3,
            ),
            Overload(
                "list_int_sortByAssociatedKeys",
                (list_of(param("T")), list_of(INT)),
                list_of(param("T")),
                member=True,
                available=lists_version_3,
            ),
            Overload(
                "list_string_sortByAssociatedKeys",
                (list_of(param("T")), list_of(STRING)),
                list_of(param("T")),
                member=True,
                available=lists_version_3,
            ),
            Overload(
                "list_uint_sortByAssociatedKeys",
                (list_of(param("T")), list_of(UINT)),
                list_of(param("T")),
                member=True,
                available=lists_version_3,
            ),
        ),
    ),
    Function(
        "distinct",
        (
            Overload(
                "list_distinct",
                (list_of(param("T")),),
                list_of(param("T")),
                member=True,
                available=lists_version_3,
            ),
        ),
    ),
    Function(
        "flatten",
        (
            Overload(
                "list_flatten",
                (list_of(list_of(param("T"))),),
                list_of(param("T")),
                member=True,
                available=lists_version_3,
            ),
            Overload(
                "list_flatten_int",
                (list_of(DYN), INT),
                list_of(DYN),
                member=True,
                available=lists_version_3,
            ),
        ),
    ),
    Function(
        "includes",
        (
            Overload(
                "dra_includes_dyn_dyn", (DYN, DYN), BOOL, member=True, available=includes_of_dra
            ),
            Overload(
                "list_includes_dyn_dyn", (DYN, DYN), BOOL, member=True, available=includes_of_lists
            ),
        ),
    ),
    Function(
        "isSorted",
        (
            Overload("list_bool_is_sorted_bool", (list_of(BOOL),), BOOL, member=True),
            Overload("list_bytes_is_sorted_bool", (list_of(BYTES),), BOOL, member=True),
            Overload("list_double_is_sorted_bool", (list_of(DOUBLE),), BOOL, member=True),
            Overload("list_duration_is_sorted_bool", (list_of(DURATION),), BOOL, member=True),
            Overload("list_int_is_sorted_bool", (list_of(INT),), BOOL, member=True),
            Overload("list_string_is_sorted_bool", (list_of(STRING),), BOOL, member=True),
            Overload("list_timestamp_is_sorted_bool", (list_of(TIMESTAMP),), BOOL, member=True),
            Overload("list_uint_is_sorted_bool", (list_of(UINT),), BOOL, member=True),
        ),
    ),
    Function(
        "lists.range", (Overload("lists_range", (INT,), list_of(INT), available=lists_version_3),)
    ),
    Function(
        "max",
        (
            Overload("list_bool_max_bool", (list_of(BOOL),), BOOL, member=True),
            Overload("list_bytes_max_bytes", (list_of(BYTES),), BYTES, member=True),
            Overload("list_double_max_double", (list_of(DOUBLE),), DOUBLE, member=True),
            Overload("list_duration_max_duration", (list_of(DURATION),), DURATION, member=True),
            Overload("list_int_max_int", (list_of(INT),), INT, member=True),
            Overload("list_string_max_string", (list_of(STRING),), STRING, member=True),
            Overload("list_timestamp_max_timestamp", (list_of(TIMESTAMP),), TIMESTAMP, member=True),
            Overload("list_uint_max_uint", (list_of(UINT),), UINT, member=True),
        ),
    ),
    Function(
        "min",
        (
            Overload("list_bool_min_bool", (list_of(BOOL),), BOOL, member=True),
            Overload("list_bytes_min_bytes", (list_of(BYTES),), BYTES, member=True),
            Overload("list_double_min_double", (list_of(DOUBLE),), DOUBLE, member=True),
            Overload("list_duration_min_duration", (list_of(DURATION),), DURATION, member=True),
            Overload("list_int_min_int", (list_of(INT),), INT, member=True),
            Overload("list_string_min_string", (list_of(STRING),), STRING, member=True),
            Overload("list_timestamp_min_timestamp", (list_of(TIMESTAMP),), TIMESTAMP, member=True),
            Overload("list_uint_min_uint", (list_of(UINT),), UINT, member=True),
        ),
    ),
    Function(
        "reverse",
        (
            Overload(
                "list_reverse",
                (list_of(param("T")),),
                list_of(param("T")),
                member=True,
                available=lists_version_3,
            ),
        ),
    ),
    Function(
        "slice",
        (
            Overload(
                "list_slice",
                (list_of(param("T")), INT, INT),
                list_of(param("T")),
                member=True,
                available=lists_version_3,
            ),
        ),
    ),
    Function(
        "sort",
        (
            Overload(
                "list_bool_sort",
                (list_of(BOOL),),
                list_of(BOOL),
                member=True,
                available=lists_version_3,
            ),
            Overload(
                "list_bytes_sort",
                (list_of(BYTES),),
                list_of(BYTES),
                member=True,
                available=lists_version_3,
            ),
            Overload(
                "list_double_sort",
                (list_of(DOUBLE),),
                list_of(DOUBLE),
                member=True,
                available=lists_version_3,
            ),
            Overload(
                "list_google.protobuf.Duration_sort",
                (list_of(DURATION),),
                list_of(DURATION),
                member=True,
                available=lists_version_3,
            ),
            Overload(
                "list_google.protobuf.Timestamp_sort",
                (list_of(TIMESTAMP),),
                list_of(TIMESTAMP),
                member=True,
                available=lists_version_3,
            ),
            Overload(
                "list_int_sort",
                (list_of(INT),),
                list_of(INT),
                member=True,
                available=lists_version_3,
            ),
            Overload(
                "list_string_sort",
                (list_of(STRING),),
                list_of(STRING),
                member=True,
                available=lists_version_3,
            ),
            Overload(
                "list_uint_sort",
                (list_of(UINT),),
                list_of(UINT),
                member=True,
                available=lists_version_3,
            ),
        ),
    ),
    Function(
        "sum",
        (
            Overload("list_double_sum_double", (list_of(DOUBLE),), DOUBLE, member=True),
            Overload("list_duration_sum_duration", (list_of(DURATION),), DURATION, member=True),
            Overload("list_int_sum_int", (list_of(INT),), INT, member=True),
            Overload("list_uint_sum_uint", (list_of(UINT),), UINT, member=True),
        ),
    ),
)
