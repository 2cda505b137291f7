"""`drawbridge rules`: the rules, and each one's page."""

from __future__ import annotations

import click

from webhook.kube.names import nearest
from webhook.rules import RULES


@click.command("rules")
@click.argument("rule_id", required=False, metavar="[ID]")
def rules_command(rule_id: str | None) -> None:
    """List the rules, or print the page of the rule ID."""
    if rule_id is None:
        width = max((len(rule.id) for rule in RULES), default=0)
        for rule in sorted({r.id: r for r in reversed(RULES)}.values(), key=lambda r: r.id):
            click.echo(f"{rule.id:{width}}  {rule.severity:4}  {rule.subject}: {rule.summary}")
        return
    pages = [rule for rule in RULES if rule.id == rule_id]
    if not pages:
        near = nearest(rule_id, [rule.id for rule in RULES], 1)
        hint = f"did you mean {near[0]}?" if near else "`drawbridge rules` lists them"
        raise click.UsageError(f'there is no rule "{rule_id}"; {hint}')
    for number, rule in enumerate(pages):
        if number:
            click.echo()
        click.echo(_page(rule.page))


def _page(text: str) -> str:
    """Take the indentation of the source out of a docstring."""
    first, _, rest = text.partition("\n")
    return "\n".join([first, *(line.removeprefix("    ") for line in rest.split("\n"))]).rstrip()
