"""`drawbridge cel`: what becomes of a selector, and why; or of a whole corpus of them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, TextIO

import click

from webhook import cel
from webhook.cel.dialect import NEWEST_MINOR, OLDEST_MINOR
from webhook.cli.worlds import parse_kubernetes_version, world_from_options
from webhook.world.groups import devices_of_world
from webhook.world.types import World

_GATES = ("DRAConsumableCapacity", "DRAListTypeAttributes")
_SHOWN = 8


@click.command("cel")
@click.argument("expression", required=False)
@click.option(
    "--cluster",
    multiple=True,
    type=click.Path(exists=True),
    help="File or folder with the cluster's objects (ResourceSlices); may be repeated.",
)
@click.option(
    "--devices",
    "devices_file",
    type=click.File(encoding="utf-8"),
    help="Devices, one JSON object per line: ref, driver, device as in a ResourceSlice.",
)
@click.option("--jsonl", is_flag=True, help="Read cases from standard input, one JSON per line.")
@click.option("--kubernetes-version", default=None, help="Version of the server, such as 1.36.")
@click.option(
    "--stored", is_flag=True, help="Compile as the scheduler does, not as the API server."
)
@click.option(
    "--gate", "gates", multiple=True, type=click.Choice(_GATES), help="A feature gate that is on."
)
@click.option(
    "--driver", default=None, help="The driver whose domain is meant where it is missing."
)
@click.pass_context
def cel_command(
    context: click.Context,
    expression: str | None,
    cluster: tuple[str, ...],
    devices_file: TextIO | None,
    jsonl: bool,
    kubernetes_version: str | None,
    stored: bool,
    gates: tuple[str, ...],
    driver: str | None,
) -> None:
    """Tell what Kubernetes makes of EXPRESSION, which devices it matches, and why.

    Exit code 1: the API server refuses it, or it matches no device, or fails on one.

    With --jsonl, each line of standard input is a case (id, expression, features, stored,
    devices) and each line of output its answer.
    """
    if jsonl == (expression is not None):
        raise click.UsageError("give either an EXPRESSION or --jsonl")
    if jsonl:
        minor = _minor(kubernetes_version, None)
        known = dict(_read_devices(devices_file))
        for answer in _answers(click.open_file("-", encoding="utf-8"), known, minor):
            click.echo(answer)
        return
    world = world_from_options(cluster) if cluster else None
    dialect = cel.Dialect(
        minor=_minor(kubernetes_version, world),
        stored=stored,
        consumable_capacity=_GATES[0] in gates,
        list_type_attributes=_GATES[1] in gates,
    )
    named = list(_read_devices(devices_file))
    if world is not None:
        named += [(f"{d.pool}/{d.name}", d.cel) for d in devices_of_world(world)]
    asked = bool(world is not None or devices_file is not None)
    context.exit(_report(expression or "", dialect, named, driver, asked=asked))


def _minor(text: str | None, world: World | None) -> int:
    """Return the minor version to speak for, within the versions that are known."""
    version = parse_kubernetes_version(text) if text is not None else None
    if version is None and world is not None:
        version = world.kubernetes
    if version is None:
        return cel.Dialect().minor
    return min(max(version[1], OLDEST_MINOR), NEWEST_MINOR)


def _read_devices(file: TextIO | None) -> Iterator[tuple[str, cel.Device]]:
    for number, line in enumerate(file or (), 1):
        if not line.strip():
            continue
        try:
            read = json.loads(line)
            yield str(read["ref"]), cel.Device.from_api(str(read["driver"]), read["device"])
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise click.UsageError(f"--devices: line {number} is no device") from error


# A corpus.


def _answers(lines: Iterable[str], known: Mapping[str, cel.Device], minor: int) -> Iterator[str]:
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            case = json.loads(line)
            answer = _answer(case, known, minor)
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise click.UsageError(f"standard input: line {number} is no case") from error
        yield json.dumps(answer, ensure_ascii=False).encode("utf-8", "replace").decode()


def _answer(case: Mapping[str, Any], known: Mapping[str, cel.Device], minor: int) -> dict[str, Any]:
    features = case.get("features") or {}
    on = {name for name in features if not isinstance(features, Mapping) or features[name]}
    selector = cel.compile(
        case["expression"],
        cel.Dialect(
            minor=minor,
            stored=case.get("stored") is True,
            consumable_capacity="EnableConsumableCapacity" in on,
            list_type_attributes="EnableListTypeAttributes" in on,
        ),
    )
    answer: dict[str, Any] = {"id": case.get("id"), "verdict": selector.verdict}
    if selector.result_type is None or selector.max_cost is None:
        answer["error"] = selector.error
        return answer
    answer["type"] = selector.result_type
    answer["maxCost"] = selector.max_cost
    outcomes = [selector.evaluate(known[ref]) for ref in case.get("devices") or ()]
    if outcomes:
        answer["results"] = [
            {"match": one.match, "cost": one.cost}
            if one.error is None
            else {"err": one.error, "cost": one.cost}
            for one in outcomes
        ]
    return answer


# One expression.


def _report(
    expression: str,
    dialect: cel.Dialect,
    named: Sequence[tuple[str, cel.Device]],
    driver: str | None,
    *,
    asked: bool,
) -> int:
    selector = cel.compile(expression, dialect)
    click.echo(f"verdict: {selector.verdict} (Kubernetes 1.{dialect.minor})")
    if selector.error is not None:
        click.echo(selector.error)
    if selector.result_type is not None:
        click.echo(f"type: {selector.result_type}")
        click.echo(f"cost: at most {selector.max_cost}, the limit is {cel.COST_LIMIT}")
    devices = [(device, 1) for _, device in named]
    sound = selector.ok
    if asked and selector.result_type is not None:
        explanation = cel.explain(selector, devices)
        names = [name for name, _ in named]
        for line in _explained(explanation, names):
            click.echo(line)
        sound = sound and explanation.matching > 0 and not explanation.failing
    if not sound:
        drivers = {device.driver for _, device in named}
        domain = driver or (drivers.pop() if len(drivers) == 1 else None)
        correction = cel.doctor(expression, dialect, devices, domain)
        if correction is not None:
            click.echo("correction:")
            click.echo(f"  {correction.expression}")
            for fault in correction.faults:
                click.echo(f"  - {fault}")
    return 0 if sound else 1


def _explained(explanation: cel.Explanation, names: Sequence[str]) -> Iterator[str]:
    yield (
        f"devices: {explanation.total}; {explanation.matching} match, {explanation.false} do not,"
        f" {explanation.failing} fail"
    )
    for group in sorted(explanation.groups, key=lambda g: (not g.outcome.match, -g.count)):
        word = {True: "match", False: "no match", None: "error"}[group.outcome.match]
        values = ", ".join(
            f"{read.name or read.part} {value or 'missing'}" for read, value in group.values
        )
        why = f" ({group.outcome.error})" if group.outcome.error is not None else ""
        yield f"  {group.count} {word}{why}: {values or 'reads nothing that differs'}"
        yield f"    {_listed([names[index] for index in group.indices])}"
    if len(explanation.conjuncts) > 1:
        yield "terms:"
        for term in explanation.conjuncts:
            text = " ".join(term.text.split())
            yield (
                f"  {text}: {term.matches} match, excludes {term.excludes}, fails on {term.errors}"
                f"; alone excludes {term.only_excluder}"
            )
    if explanation.comparisons or explanation.reads:
        yield "values:"
    for seen in explanation.reads:
        wanted = [c for c in explanation.comparisons if c.read == seen.read]
        there = _listed([f"{value} ({count})" for value, count in seen.values]) or "none"
        line = f"  {seen.read.text}: {there}"
        if seen.missing:
            line += f"; missing on {seen.missing}"
        if wanted:
            line += "; wanted " + ", ".join(f"{c.operator} {' or '.join(c.wanted)}" for c in wanted)
        near = (
            seen.nearest.text
            if seen.nearest
            else next((c.nearest for c in wanted if c.nearest), None)
        )
        yield f"{line}; nearest is {near}" if near else line
    for error in explanation.errors:
        yield f"error: {error.text}"
        yield (
            f"  on {error.count}: {_listed([names[index] for index in error.indices])}; one such"
            " device stops the scheduling of the whole pod on its node"
        )


def _listed(words: Sequence[str]) -> str:
    shown = ", ".join(words[:_SHOWN])
    return f"{shown} and {len(words) - _SHOWN} more" if len(words) > _SHOWN else shown
