"""The rules, in the order in which their findings are said (earlier causes first)."""

from __future__ import annotations

from typing import Final

from webhook.rules.types import Rule

RULES: Final[tuple[Rule, ...]] = ()
