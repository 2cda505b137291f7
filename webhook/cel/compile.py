"""From text to a verdict and a program: the order of the API server's checks.

Section 1.1 of the dialect: length, parse, type check, validators, result type, program, cost; each
stage stops at its first failure. Knows no Kubernetes object but a Device.
Source: kubernetes/dynamic-resource-allocation cel/compile.go and kubernetes
pkg/apis/resource/validation, 1.34 to 1.37.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final, Literal, TypeAlias

from webhook.cel import library
from webhook.cel.ast import Expr
from webhook.cel.checker import CheckResult, check, check_result_type
from webhook.cel.device import Device
from webhook.cel.dialect import COST_LIMIT, MAX_LENGTH_BYTES, Dialect
from webhook.cel.estimate import CallEstimator, estimate
from webhook.cel.estimate_functions import BY_FUNCTION, BY_OVERLOAD
from webhook.cel.evaluate import PlanError, Program, build
from webhook.cel.outcome import Outcome
from webhook.cel.parser import parse
from webhook.cel.reads import NOTHING, Reads, reads_of
from webhook.cel.source import Issue, locate, render_errors
from webhook.cel.types import BOOL, output_name
from webhook.cel.validators import validate
from webhook.cel.values import GoPanicError

__all__ = ["Outcome", "Selector", "Verdict", "compile", "compile_afresh"]

Verdict: TypeAlias = Literal["ok", "too_complex", "invalid", "internal"]
"""What the API server does on create: accept; Forbidden; Invalid; InternalError (or a panic)."""

_DEFAULT: Final = Dialect()
_CACHE_SIZE: Final = 4096


@dataclass(frozen=True, slots=True, eq=False)
class Selector:
    """A compiled expression, whatever its verdict.

    `error` is the `detail` of the API server's field error, None when the verdict is ok.
    `result_type` is in output spelling; `max_cost` is the estimate. Both are None when compiling
    did not come so far. `error_line` and `error_column` (from 1) place the first error in the
    expression; None where it has no place.
    """

    expression: str
    dialect: Dialect
    verdict: Verdict
    error: str | None = None
    result_type: str | None = None
    max_cost: int | None = None
    reads: Reads = NOTHING
    error_line: int | None = None
    error_column: int | None = None
    tree: Expr | None = field(default=None, repr=False)
    """The checked tree; None when compiling did not come so far."""
    _program: Program | None = field(default=None, repr=False)

    @property
    def ok(self) -> bool:
        """Whether the API server would store it."""
        return self.verdict == "ok"

    def evaluate(self, device: Device) -> Outcome:
        """Evaluate for one device as the scheduler does; never raises.

        A selector that did not compile answers its compile error for every device; one that is
        only too complex is evaluated, as the scheduler would if it were stored.
        """
        if self._program is None:
            return Outcome(None, self.error or "", 0)
        return self._program.evaluate(device)


def compile(expression: str, dialect: Dialect = _DEFAULT) -> Selector:  # noqa: A001 - the field's own word; callers write cel.compile
    """Compile one selector; never raises, whatever the text.

    Cached by expression and dialect (bounded, thread-safe).
    """
    return _cached(expression, dialect)


def compile_afresh(expression: str, dialect: Dialect = _DEFAULT) -> Selector:
    """Compile without looking into the cache, for measuring."""
    if len(expression.encode("utf-8", "surrogatepass")) > MAX_LENGTH_BYTES:
        limit = f"may not be more than {MAX_LENGTH_BYTES} bytes"
        return Selector(expression, dialect, "invalid", limit)
    parsed = parse(expression, dialect)
    if parsed.tree is None:
        return _invalid(expression, dialect, parsed.errors)
    checked = check(parsed.tree, dialect)
    if checked.errors or checked.result_type is None:
        return _invalid(expression, dialect, checked.errors)
    validation = validate(checked)
    if validation.panic is not None:
        return Selector(expression, dialect, "internal", validation.panic)
    if validation.errors:
        return _invalid(expression, dialect, validation.errors)
    unfit = check_result_type(checked.result_type, dialect)
    if unfit is not None:
        return Selector(expression, dialect, "invalid", unfit)
    return _programmed(expression, dialect, checked)


_cached = lru_cache(maxsize=_CACHE_SIZE)(compile_afresh)


def _invalid(expression: str, dialect: Dialect, errors: Sequence[Issue]) -> Selector:
    line: int | None = None
    column: int | None = None
    placed = [issue.offset for issue in errors if issue.offset >= 0]
    if placed:
        line, column = locate(expression, min(placed))
        column = max(column, 1)
    return Selector(
        expression,
        dialect,
        "invalid",
        f"compilation failed: {render_errors(expression, errors)}",
        error_line=line,
        error_column=column,
    )


def _programmed(expression: str, dialect: Dialect, checked: CheckResult) -> Selector:
    """Build the program and estimate its cost: the two last stages."""
    try:
        program = build(checked.tree, checked, dialect)
    except PlanError as error:
        detail = f"program instantiation failed: {error}"
        return Selector(expression, dialect, "internal", detail)
    except GoPanicError as error:
        # The request fails then; the text is for people who look for it.
        return Selector(expression, dialect, "internal", f"PANIC: {error}")
    result_type = output_name(checked.result_type or BOOL)
    cost = estimate(checked.tree, checked.types, checked.overloads, _estimators(dialect))
    too_complex = cost.max > COST_LIMIT
    return Selector(
        expression,
        dialect,
        "too_complex" if too_complex else "ok",
        "too complex, exceeds cost limit" if too_complex else None,
        result_type,
        cost.max,
        reads_of(checked.tree),
        tree=checked.tree,
        _program=program,
    )


@lru_cache(maxsize=64)
def _estimators(dialect: Dialect) -> Mapping[str, CallEstimator]:
    found: dict[str, CallEstimator] = {}
    for name, function in library.functions(dialect).items():
        for overload in function.overloads:
            estimator = overload.estimate or BY_OVERLOAD.get(overload.id) or BY_FUNCTION.get(name)
            if estimator is not None:
                found[overload.id] = estimator
    return found
