from __future__ import annotations

import sys
from collections.abc import Callable

import pytest

from tests.cli.conftest import Outcome

Run = Callable[..., Outcome]


def test_the_commands_are_listed_without_importing_them(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("check", "review", "rules", "cel", "serve", "certs"):
        monkeypatch.delitem(sys.modules, f"webhook.cli.{name}", raising=False)
    found = run("--help")
    assert found.code == 0
    for name in ("check", "review", "rules", "cel", "serve", "certs"):
        assert f"  {name} " in found.out
        assert f"webhook.cli.{name}" not in sys.modules


def test_an_unknown_command_is_refused(run: Run) -> None:
    found = run("chekc")
    assert found.code == 2
    assert "chekc" in found.err


def test_the_version_is_printed(run: Run) -> None:
    found = run("--version")
    assert found.code == 0
    assert found.out.startswith("drawbridge ")
