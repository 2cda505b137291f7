"""The report as lines for terminals and logs: `file:line:column: action rule: message`."""

from __future__ import annotations

from collections.abc import Iterator

from webhook.report.types import Judged, Report
from webhook.rules.types import Finding


def render_text(report: Report) -> str:
    """Write one line for each finding, what was not checked, and a summary as the last line.

    Notes are for the audit log and not shown. Ends with a line break.
    """
    return "\n".join(_lines(report)) + "\n"


def _lines(report: Report) -> Iterator[str]:
    for judged in report.objects:
        for finding in judged.findings:
            if finding.action != "note":
                yield f"{_place(judged, finding)}: {finding.action} {finding.rule}: " + clean(
                    f"{judged.title}: {finding.message}"
                )
        if judged.patch:
            yield f"{_place(judged)}: patch tol-inject: {clean(judged.title)}: {_patch(judged)}"
    for skipped in report.not_checked:
        yield clean(f"not checked: {skipped.what}: {skipped.why}")
    yield summary(report)


def _place(judged: Judged, finding: Finding | None = None) -> str:
    """Give the place of a finding, of its object where it has none."""
    line, column = (finding.line, finding.column) if finding is not None else (None, None)
    parts = [clean(judged.file) or "<input>", line or judged.line or 1, *([column] * bool(column))]
    return ":".join(str(part) for part in parts)


def _patch(judged: Judged) -> str:
    """Say in words what the patch would add."""
    added: list[str] = []
    for operation in judged.patch:
        value = operation.get("value")
        for item in value if isinstance(value, list) else [value]:
            if isinstance(item, dict) and "key" in item:
                effect = item.get("effect") or "every effect"
                added.append(f"{item['key']} ({effect})")
            else:
                added.append(str(operation.get("path", "")))
    what = "toleration" if len(added) == 1 else "tolerations"
    return clean(f"admission adds the {what} {', '.join(dict.fromkeys(added))}")


def summary(report: Report) -> str:
    """Count objects by outcome in one sentence."""
    denied = sum(not judged.allowed for judged in report.objects)
    warned = sum(
        judged.allowed and any(f.action == "warn" for f in judged.findings)
        for judged in report.objects
    )
    patched = sum(bool(judged.patch) for judged in report.objects)
    number = len(report.objects)
    parts = [f"{number} object{'' if number == 1 else 's'}", f"{denied} denied", f"{warned} warned"]
    if patched:
        parts.append(f"{patched} would be patched")
    if report.not_checked:
        parts.append(f"{len(report.not_checked)} not checked")
    return f"{parts[0]}: {', '.join(parts[1:])}"


def clean(text: str) -> str:
    """Replace control characters, which a terminal would obey, by visible escapes."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else f"\\x{ord(c):02x}" for c in text)
