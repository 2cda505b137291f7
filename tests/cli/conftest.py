from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from webhook.cli import main


@dataclass(frozen=True)
class Outcome:
    """What a command printed, and its exit code."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> dict[str, Any]:
        """Standard output, read as JSON."""
        document: dict[str, Any] = json.loads(self.out)
        return document


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Outcome]:
    """Run `drawbridge` in an empty folder; files are written there before."""
    monkeypatch.chdir(tmp_path)

    def call(
        *arguments: str, stdin: str | bytes = "", files: dict[str, str] | None = None
    ) -> Outcome:
        for name, text in (files or {}).items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        result = CliRunner().invoke(main, list(arguments), input=stdin)
        assert result.exception is None or isinstance(result.exception, SystemExit), (
            result.exception
        )
        return Outcome(result.exit_code, result.stdout, result.stderr)

    return call
