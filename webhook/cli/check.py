"""`drawbridge check`: the same answers as admission gives, from files."""

from __future__ import annotations

import sys
from functools import partial

import click

from webhook.cli.inputs import Unreadable, read_objects, read_policy
from webhook.cli.judging import judge_files
from webhook.cli.worlds import world_from_options
from webhook.policy import Policy
from webhook.report import NotChecked, Report, render_json, render_text
from webhook.world import World, WorldError, empty, load

EXIT_DENIED = 1
EXIT_BROKEN = 2


@click.command("check")
@click.argument("paths", nargs=-1, required=True, metavar="PATH...")
@click.option("--cluster", multiple=True, metavar="FILE", help="Cluster objects: file, folder, -.")
@click.option("--policy", "policy_file", metavar="FILE", help="Policy file.")
@click.option("--driver-version", metavar="V", help="Version of the NVIDIA DRA driver.")
@click.option("--gates", metavar="K=true,…", help="Feature gates of the driver.")
@click.option("--kubernetes-version", metavar="V", help="Version of the API server.")
@click.option("--namespace", default="default", help="Namespace of objects that name none.")
@click.option("--in-order", is_flag=True, help="Each object meets only the earlier ones.")
@click.option("--strict", is_flag=True, help="Exit 1 for warnings, too.")
@click.option("--output", type=click.Choice(["text", "json"]), default="text", help="Form.")
def check_command(
    paths: tuple[str, ...],
    cluster: tuple[str, ...],
    policy_file: str | None,
    driver_version: str | None,
    gates: str | None,
    kubernetes_version: str | None,
    namespace: str,
    in_order: bool,
    strict: bool,
    output: str,
) -> None:
    """Judge the objects in files as admission would.

    PATH is a YAML or JSON file, a folder, or - for standard input. Exit code 0: nothing is denied;
    1: something is; 2: usage, or input that cannot be read.
    """
    if [*paths, *cluster].count("-") > 1:
        raise click.UsageError("standard input (-) can be read only once")
    policy = read_policy(policy_file)
    # Options are read before files, so that a misspelt one is told at once.
    state = partial(_state, driver_version, gates, kubernetes_version, policy)
    state(empty())
    documents, others = read_objects(paths)
    try:
        base = load(cluster) if cluster else empty()
        report = judge_files(
            documents, base, policy, namespace=namespace, in_order=in_order, state=state
        )
    except WorldError as error:
        raise Unreadable(str(error)) from error
    skipped = tuple(NotChecked(file, "holds no Kubernetes object") for file in others)
    report = Report(report.objects, (*skipped, *report.not_checked))
    text = f"{render_json(report)}\n" if output == "json" else render_text(report)
    click.echo(text.encode(), nl=False)
    sys.exit(exit_code(report, strict=strict))


def _state(
    driver_version: str | None,
    gates: str | None,
    kubernetes_version: str | None,
    policy: Policy,
    world: World,
) -> World:
    """Lay what the options state over a world."""
    return world_from_options(
        driver_version=driver_version,
        gates=gates,
        kubernetes_version=kubernetes_version,
        policy=policy,
        base=world,
    )


def exit_code(report: Report, *, strict: bool) -> int:
    """Give the exit code: 1 denied (or, strict, warned), 2 when judging broke off, else 0."""
    if report.failed:
        return EXIT_BROKEN
    return EXIT_DENIED if not report.allowed or (strict and report.warned) else 0
