"""`drawbridge review`: AdmissionReviews from files, answered as the server answers them."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Literal

import click

from webhook.cli.inputs import Unreadable, read_policy, read_sources
from webhook.cli.worlds import world_from_options
from webhook.kube.json import dumps, loads
from webhook.kube.json_places import split_json
from webhook.kube.yaml import YamlError, load_documents
from webhook.server.review import answer
from webhook.world import WorldError

_OK = 200


@click.command("review")
@click.argument("file")
@click.option("--cluster", multiple=True, metavar="FILE", help="Cluster objects: file, folder, -.")
@click.option("--policy", "policy_file", metavar="FILE", help="Policy file.")
@click.option("--driver-version", metavar="V", help="Version of the NVIDIA DRA driver.")
@click.option("--gates", metavar="K=true,…", help="Feature gates of the driver.")
@click.option("--kubernetes-version", metavar="V", help="Version of the API server.")
@click.option(
    "--phase",
    type=click.Choice(["validate", "mutate"]),
    default="validate",
    help="The endpoint that answers.",
)
def review_command(
    file: str,
    cluster: tuple[str, ...],
    policy_file: str | None,
    driver_version: str | None,
    gates: str | None,
    kubernetes_version: str | None,
    phase: Literal["validate", "mutate"],
) -> None:
    """Answer the AdmissionReviews in FILE (YAML or JSON, one or more, - for standard input).

    Prints one answer on each line, the bytes of the server. Exit code 0: all are allowed; 1: one
    is not; 2: usage, or input that cannot be read.
    """
    if [file, *cluster].count("-") > 1:
        raise click.UsageError("standard input (-) can be read only once")
    policy = read_policy(policy_file)
    try:
        world = world_from_options(cluster, driver_version, gates, kubernetes_version, policy)
    except WorldError as error:
        raise Unreadable(str(error)) from error
    denied = False
    for place, body in _bodies(file):
        reply = answer(body, phase=phase, world=world, policy=policy)
        if reply.status != _OK:
            raise Unreadable(f"{place}: {reply.body.decode(errors='replace').strip()}")
        click.echo(reply.body)
        denied |= loads(reply.body)["response"]["allowed"] is not True
    sys.exit(1 if denied else 0)


def _bodies(file: str) -> Iterator[tuple[str, bytes]]:
    """Give place and JSON of each review; JSON text stays as it is, repeated keys and all."""
    for source in read_sources([file]):
        parts = split_json(source.text)
        if parts is not None and not any(_is_list(part) for part in parts):
            for part in parts:
                yield source.file, part
            continue
        try:
            documents = load_documents(source.text, source.file, positions=False)
        except YamlError as error:
            raise Unreadable(str(error)) from error
        if not documents:
            raise Unreadable(f"{source.file}: holds no AdmissionReview")
        for document in documents:
            yield f"{source.file}:{document.line}", dumps(document.value)


def _is_list(part: bytes) -> bool:
    value = loads(part)
    return isinstance(value, dict) and str(value.get("kind", "")).endswith("List")
