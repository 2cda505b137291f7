"""Programs: checked trees compiled once to closures, run for one device at a time.

A closure takes the state of one evaluation and returns a value or raises. Costs are added on the
way, as cel-go's tracker does; the limit is looked at where work repeats, and at the end.
Source: cel-go 0.26 `interpreter/{planner,interpretable,attributes,runtimecost,decorators}.go`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from webhook.cel.ast import Expr
from webhook.cel.bind_device import bind
from webhook.cel.checker import CheckResult
from webhook.cel.device import Device
from webhook.cel.dialect import COST_LIMIT, Dialect
from webhook.cel.outcome import Outcome
from webhook.cel.planner import PlanError, Planner, State
from webhook.cel.results import to_bool
from webhook.cel.values import CelError, CostExceededError, GoPanicError

__all__ = ["PlanError", "Program", "build"]

_TOO_DEEP: Final = "internal error: expression nests too deeply"


@dataclass(frozen=True, slots=True, eq=False)
class Program:
    """A program for one expression."""

    _run: Any
    _slots: int
    _dialect: Dialect

    def evaluate(self, device: Device, cost_limit: int = COST_LIMIT) -> Outcome:
        """Evaluate for one device as `DeviceMatches` does; never raises."""
        bound = bind(device, self._dialect)
        if isinstance(bound, CelError):
            return Outcome(None, str(bound), 0)
        state = State(bound, cost_limit, self._slots)
        try:
            matches = to_bool(self._run(state))
        except CelError as error:
            if state.cost > cost_limit:
                return Outcome(None, str(CostExceededError()), state.cost)
            return Outcome(None, str(error), state.cost)
        except CostExceededError as error:
            return Outcome(None, str(error), max(state.cost, cost_limit + 1))
        except GoPanicError as error:
            return Outcome(None, f"internal error: {error}", state.cost)
        except RecursionError:
            return Outcome(None, _TOO_DEEP, state.cost)
        if state.cost > cost_limit:
            return Outcome(None, str(CostExceededError()), state.cost)
        return Outcome(matches, None, state.cost)

    def value(self, device: Device) -> Any:
        """Return the value itself, for explanations; raises CelError and the like."""
        bound = bind(device, self._dialect)
        if isinstance(bound, CelError):
            raise bound
        return self._run(State(bound, COST_LIMIT, self._slots))


def build(tree: Expr, checked: CheckResult, dialect: Dialect) -> Program:
    """Build the program of a checked tree; PlanError with the API server's text if it cannot be."""
    planner = Planner(checked.types, checked.overloads, dialect)
    node = planner.plan(tree)
    return Program(planner.finish(node), planner.slots, dialect)
