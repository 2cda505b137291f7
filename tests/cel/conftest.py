"""Prints, after the corpora ran, how many comparisons agreed per group and level."""

from __future__ import annotations

import sys
from typing import Any

LEVELS = ("verdict", "outcome", "type", "max cost", "text", "syntax position", "cost")


def pytest_terminal_summary(terminalreporter: Any) -> None:
    corpora = sys.modules.get("tests.cel.test_corpora")
    ran = getattr(corpora, "RAN", {})
    if not ran:
        return
    terminalreporter.section("corpora: compared, and what differs")
    for group, tally in sorted(ran.items()):
        parts = []
        for level in LEVELS:
            compared = tally.compared.get(level, 0)
            failed = len(tally.failed.get(level, ()))
            if compared:
                parts.append(f"{level} {compared}" + (f" (-{failed})" if failed else ""))
        terminalreporter.write_line(f"{group}: {', '.join(parts)}")
