from __future__ import annotations

from collections.abc import Callable

import pytest

import webhook.cli.rules
from tests.cli.conftest import Outcome
from webhook.rules import claims

Run = Callable[..., Outcome]


@pytest.fixture(autouse=True)
def _rules(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(webhook.cli.rules, "RULES", claims.RULES)


def test_rules_are_listed_with_severity_and_summary(run: Run) -> None:
    found = run("rules")
    assert found.code == 0
    lines = found.out.splitlines()
    assert lines == sorted(lines)
    assert any(line.split()[:3] == ["claim-schema", "deny", "claim:"] for line in lines)
    assert len(lines) == len({rule.id for rule in claims.RULES})


def test_the_page_of_a_rule_is_its_docstring(run: Run) -> None:
    found = run("rules", "claim-empty")
    assert found.code == 0
    assert found.out.startswith("claim-empty: the claim asks for nothing.\n\nThe API server")
    assert "\n    " not in found.out


def test_an_unknown_rule_is_refused_with_the_nearest(run: Run) -> None:
    found = run("rules", "claim-emty")
    assert found.code == 2
    assert 'there is no rule "claim-emty"; did you mean claim-empty?' in found.err
