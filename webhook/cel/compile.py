"""From text to a verdict and a program: the order of the API server's checks.

Section 1.1 of the dialect: length, parse, type check, validators, result type, program, cost; each
stage stops at its first failure. Knows no Kubernetes object but a Device.
Source: kubernetes/dynamic-resource-allocation cel/compile.go and kubernetes
pkg/apis/resource/validation, 1.34 to 1.37.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Literal, TypeAlias

from webhook.cel.ast import Expr
from webhook.cel.device import Device
from webhook.cel.dialect import MAX_LENGTH_BYTES, Dialect
from webhook.cel.reads import NOTHING, Reads

Verdict: TypeAlias = Literal["ok", "too_complex", "invalid", "internal"]
"""What the API server does on create: accept; Forbidden; Invalid; InternalError (or a panic)."""

_DEFAULT = Dialect()
_CACHE_SIZE = 4096


@dataclass(frozen=True, slots=True)
class Outcome:
    """The scheduler's answer for one device: `match`, or else the text of its run-time error.

    `cost` is what cel-go's run-time cost tracker counts.
    """

    match: bool | None
    error: str | None
    cost: int


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
    _program: Any = field(default=None, repr=False)

    @property
    def ok(self) -> bool:
        """Whether the API server would store it."""
        return self.verdict == "ok"

    def evaluate(self, device: Device) -> Outcome:
        """Evaluate for one device as the scheduler does; never raises.

        A selector that did not compile answers its compile error for every device; one that is
        only too complex is evaluated, as the scheduler would if it were stored.
        """
        return Outcome(None, self.error or "", 0)


def compile(expression: str, dialect: Dialect = _DEFAULT) -> Selector:  # noqa: A001 - the field's own word; callers write cel.compile
    """Compile one selector; never raises, whatever the text.

    Cached by expression and dialect (bounded, thread-safe).
    """
    return _compile(expression, dialect)


@lru_cache(maxsize=_CACHE_SIZE)
def _compile(expression: str, dialect: Dialect) -> Selector:
    if len(expression.encode("utf-8", "surrogatepass")) > MAX_LENGTH_BYTES:
        return Selector(
            expression, dialect, "invalid", f"may not be more than {MAX_LENGTH_BYTES} bytes"
        )
    return Selector(expression, dialect, "internal", "not built yet")
