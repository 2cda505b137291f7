"""The report as one JSON document, for other programs; its form is part of the interface."""

from __future__ import annotations

from typing import Any

from webhook.kube.json import dumps
from webhook.report.types import Judged, Report
from webhook.rules.types import Finding


def render_json(report: Report) -> str:
    """Write the report as one line of JSON."""
    return dumps(
        {
            "allowed": report.allowed,
            "objects": [_object(judged) for judged in report.objects],
            "notChecked": [{"what": n.what, "why": n.why} for n in report.not_checked],
        }
    ).decode()


def _object(judged: Judged) -> dict[str, Any]:
    return {
        "apiVersion": judged.api_version,
        "kind": judged.kind,
        "namespace": judged.namespace,
        "name": judged.name,
        "source": {"file": judged.file, "line": judged.line},
        "allowed": judged.allowed,
        "findings": [_finding(finding) for finding in judged.findings],
        "patch": [dict(operation) for operation in judged.patch],
    }


def _finding(finding: Finding) -> dict[str, Any]:
    return {
        "rule": finding.rule,
        "action": finding.action,
        "field": finding.field,
        "message": finding.message,
        "line": finding.line,
        "column": finding.column,
    }
