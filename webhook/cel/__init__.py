"""The Kubernetes DRA dialect of CEL: compile, check, cost, evaluate, explain."""

from webhook.cel.compile import Outcome, Selector, Verdict, compile  # noqa: A004 - cel.compile
from webhook.cel.device import Attribute, Device
from webhook.cel.dialect import COST_LIMIT, MAX_LENGTH_BYTES, Dialect
from webhook.cel.doctor import Correction, doctor
from webhook.cel.explain import (
    Comparison,
    Conjunct,
    ExplainedGroup,
    Explanation,
    RaisedError,
    Read,
    ReadValues,
    explain,
)
from webhook.cel.reads import Reads

__all__ = [
    "COST_LIMIT",
    "MAX_LENGTH_BYTES",
    "Attribute",
    "Comparison",
    "Conjunct",
    "Correction",
    "Device",
    "Dialect",
    "ExplainedGroup",
    "Explanation",
    "Outcome",
    "RaisedError",
    "Read",
    "ReadValues",
    "Reads",
    "Selector",
    "Verdict",
    "compile",
    "doctor",
    "explain",
]
