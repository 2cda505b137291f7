"""How a CEL function is declared: once, for checker, estimator, evaluator, documentation, tests.

A library module holds a tuple of `Function`; `webhook.cel.library.functions(dialect)` gives what a
dialect has.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from webhook.cel.dialect import Dialect
from webhook.cel.types import Type


@dataclass(frozen=True, slots=True)
class Overload:
    """One signature of a function.

    `params` includes the receiver, first, when `member`. `implementation` takes the evaluated
    arguments (receiver first) and returns a value or raises `webhook.cel.values.CelError`; None for
    what the evaluator does itself (`_&&_`, `_?_:_`, ...).
    `cost` is the run-time cost from actual arguments and result; None means 1.
    `estimate` is the static cost; it is given the estimator's view of the arguments
    (`webhook.cel.estimate`), None means 1 and a result of unknown size (or size 1 by type).
    """

    id: str
    params: tuple[Type, ...]
    result: Type
    member: bool = False
    implementation: Callable[..., Any] | None = None
    cost: Callable[..., int] | None = None
    estimate: Callable[..., Any] | None = None
    available: Callable[[Dialect], bool] | None = None
    """None: in every dialect."""


@dataclass(frozen=True, slots=True)
class Example:
    """An expression and its result, run by the tests; `error` instead of `result` when it fails."""

    expression: str
    result: str = ""
    error: str = ""


@dataclass(frozen=True, slots=True)
class Function:
    """A function name with all its overloads, in cel-go's order of declaration."""

    name: str
    overloads: tuple[Overload, ...]
    doc: str = ""
    examples: tuple[Example, ...] = ()
