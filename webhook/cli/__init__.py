"""The command line. Commands are imported when they are run: `check` must start fast."""

from __future__ import annotations

import importlib
from typing import Final

import click

_COMMANDS: Final[dict[str, tuple[str, str, str]]] = {
    "check": ("webhook.cli.check", "check_command", "Judge the objects in files."),
    "review": ("webhook.cli.review", "review_command", "Answer AdmissionReviews from files."),
    "rules": ("webhook.cli.rules", "rules_command", "List the rules, or print one's page."),
    "cel": ("webhook.cli.cel", "cel_command", "Explain a CEL selector."),
    "serve": ("webhook.cli.serve", "serve_command", "Serve /mutate and /validate over HTTPS."),
    "certs": ("webhook.cli.certs", "certs_command", "Make and renew certificates."),
}
"""name → module, attribute, what the list of commands says."""


class _LazyGroup(click.Group):
    """A group that knows its commands by name and imports the one that is run."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Name the commands, most used first."""
        del ctx
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import a command."""
        del ctx
        entry = _COMMANDS.get(cmd_name)
        if entry is None:
            return None
        module, attribute, _ = entry
        command = getattr(importlib.import_module(module), attribute)
        return command if isinstance(command, click.Command) else None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands without importing them."""
        del ctx
        with formatter.section("Commands"):
            formatter.write_dl([(name, text) for name, (_, _, text) in _COMMANDS.items()])


def _print_version(ctx: click.Context, param: click.Parameter, value: bool) -> None:
    del param
    if not value or ctx.resilient_parsing:
        return
    from importlib import metadata  # noqa: PLC0415 - 20 ms that only this option needs

    try:
        version = metadata.version("drawbridge")
    except metadata.PackageNotFoundError:
        version = "(not installed)"
    click.echo(f"drawbridge {version}")
    ctx.exit()


@click.group(cls=_LazyGroup)
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_print_version,
    help="Print the version.",
)
def main() -> None:
    """Judge Kubernetes workloads that ask for GPUs, before they are stored."""
