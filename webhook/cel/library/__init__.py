"""The function library of the dialect: one module per family, one declaration per function."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import Final

from webhook.cel.dialect import Dialect
from webhook.cel.library import (
    authorizer,
    comprehensions,
    conversions,
    lists,
    named_format,
    net,
    operators,
    optionals,
    quantity,
    regex,
    semver,
    sets,
    standard,
    strings,
    times,
    url,
)
from webhook.cel.library.declare import Example, Function, Overload
from webhook.cel.types import (
    BOOL,
    BYTES,
    DOUBLE,
    DURATION,
    INT,
    NULL,
    STRING,
    TIMESTAMP,
    UINT,
    Type,
    list_of,
    map_of,
    param,
    type_of,
)

__all__ = ["ALL", "Example", "Function", "Overload", "functions", "type_names"]

ALL: Final[tuple[Function, ...]] = (
    *operators.FUNCTIONS,
    *conversions.FUNCTIONS,
    *standard.FUNCTIONS,
    *times.FUNCTIONS,
    *strings.FUNCTIONS,
    *regex.FUNCTIONS,
    *lists.FUNCTIONS,
    *sets.FUNCTIONS,
    *optionals.FUNCTIONS,
    *comprehensions.FUNCTIONS,
    *quantity.FUNCTIONS,
    *semver.FUNCTIONS,
    *url.FUNCTIONS,
    *net.FUNCTIONS,
    *named_format.FUNCTIONS,
    *authorizer.FUNCTIONS,
)
"""Every function of every dialect; a name that two families share stands twice."""

_TYPE_NAMES: Final[Mapping[str, Type]] = MappingProxyType(
    {
        "bool": BOOL,
        "bytes": BYTES,
        "double": DOUBLE,
        "google.protobuf.Duration": DURATION,
        "google.protobuf.Timestamp": TIMESTAMP,
        "int": INT,
        "list": list_of(param("A")),
        "map": map_of(param("A"), param("B")),
        "null_type": NULL,
        "string": STRING,
        "type": Type("type"),
        "uint": UINT,
    }
)


@lru_cache(maxsize=64)
def functions(dialect: Dialect) -> Mapping[str, Function]:
    """Return the functions of one dialect by name, each with the overloads that it has there."""
    found: dict[str, Function] = {}
    for function in ALL:
        overloads = tuple(
            o for o in function.overloads if o.available is None or o.available(dialect)
        )
        if not overloads:
            continue
        known = found.get(function.name)
        if known is not None:
            overloads = known.overloads + overloads
        found[function.name] = Function(function.name, overloads, function.doc, function.examples)
    return MappingProxyType(found)


@lru_cache(maxsize=64)
def type_names(dialect: Dialect) -> Mapping[str, Type]:  # noqa: ARG001 - the same in all so far
    """Return the names that stand for a type, with the type of each as a value: type(int), …."""
    return MappingProxyType({name: type_of(t) for name, t in _TYPE_NAMES.items()})
