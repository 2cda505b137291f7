"""Quantity functions (kubernetes apiserver 1.36 `pkg/cel/library/quantity.go`)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from webhook.cel.quantity import Quantity, QuantityError, parse
from webhook.cel.values import CelError


def _quantity(text: str) -> Quantity:
    try:
        return parse(text)
    except QuantityError as error:
        raise CelError(str(error)) from error


def _is_quantity(text: str) -> bool:
    try:
        parse(text)
    except QuantityError:
        return False
    return True


def _as_integer(value: Quantity) -> int:
    found = value.as_int64()
    if found is None:
        raise CelError("cannot convert value to integer")
    return found


def _add(value: Quantity, other: Any, *, in_place: bool = False) -> Quantity:
    return value.added(_other(other), in_place=in_place)


def _sub(value: Quantity, other: Any, *, in_place: bool = False) -> Quantity:
    return value.added(_other(other), -1, in_place=in_place)


def _other(value: Any) -> Quantity:
    return Quantity(value, 0, "DecimalExponent") if type(value) is int else value


BY_OVERLOAD: Final[dict[str, Callable[..., Any]]] = {
    "string_to_quantity": _quantity,
    "is_quantity_string": _is_quantity,
    "quantity_sign": lambda value: value.sign,
    "quantity_is_integer": lambda value: value.as_int64() is not None,
    "quantity_get_int": _as_integer,
    "quantity_get_float": lambda value: value.as_float(),
    "quantity_add": _add,
    "quantity_add_int": _add,
    "quantity_sub": _sub,
    "quantity_sub_int": _sub,
    "quantity_is_greater_than": lambda a, b: a.compare(b) > 0,
    "quantity_is_less_than": lambda a, b: a.compare(b) < 0,
    "quantity_compare_to": lambda a, b: a.compare(b),
}
