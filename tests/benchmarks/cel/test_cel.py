"""How long selectors take: ours, cel-python's runners, and Go where it is installed.

    pytest tests/benchmarks/cel --benchmark-only

Asserts nothing about time; numbers are printed by pytest-benchmark.
"""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import celpy
import pytest

from tests.oracle.compare import DEVICES, build
from webhook import cel
from webhook.cel.compile import compile_afresh

pytestmark = pytest.mark.benchmark_suite

GPU = 'device.attributes["gpu.nvidia.com"]'
SELECTORS = {
    "driver": 'device.driver == "gpu.nvidia.com"',
    "product": f'{GPU}.productName == "NVIDIA A100-SXM4-40GB"',
    "two attributes": f'{GPU}.type == "gpu" && {GPU}.architecture == "Ampere"',
    "version": f'{GPU}.driverVersion.isGreaterThan(semver("550.0.0"))',
    "memory": 'device.capacity["gpu.nvidia.com"].memory.compareTo(quantity("40Gi")) >= 0',
    "in": f'{GPU}.architecture in ["Ampere", "Hopper", "Blackwell"]',
    "pattern": f'{GPU}.productName.matches("A100|H100")',
    "has": f'has({GPU}.profile) && {GPU}.profile == "1g.5gb"',
    "optional": f'{GPU}.?productName.orValue("").startsWith("NVIDIA")',
    "iteration": f'{GPU}.exists(k, k == "uuid")',
}


def _line(ref: str) -> dict[str, Any]:
    lines = map(json.loads, DEVICES.read_text("utf-8").splitlines())
    return next(line for line in lines if line["ref"] == ref)


def _device(**changed: cel.Attribute) -> cel.Device:
    line = _line("a100-40")
    device = cel.Device.from_api(line["driver"], line["device"])
    return cel.Device(device.driver, {**device.attributes, **changed}, device.capacity)


@pytest.mark.parametrize("name", SELECTORS)
def test_evaluate_one_device(benchmark: Any, name: str) -> None:
    selector = cel.compile(SELECTORS[name])
    device = _device()
    outcome = benchmark(selector.evaluate, device)
    assert outcome.error is None


@pytest.mark.parametrize("name", SELECTORS)
def test_compile_cold(benchmark: Any, name: str) -> None:
    assert benchmark(compile_afresh, SELECTORS[name], cel.Dialect()).ok


def test_compile_cached(benchmark: Any) -> None:
    assert benchmark(cel.compile, SELECTORS["product"]).ok


def test_scan_80_000_devices_of_40_kinds(benchmark: Any) -> None:
    fleet = [
        _device(productName=cel.Attribute("string", f"NVIDIA A{number % 40}"))
        for number in range(80_000)
    ]
    selector = cel.compile(f'{GPU}.productName == "NVIDIA A7" && {GPU}.type == "gpu"')

    def scan() -> int:
        groups: dict[object, list[cel.Device]] = {}
        for device in fleet:
            groups.setdefault(selector.reads.key(device), []).append(device)
        return sum(len(g) for g in groups.values() if selector.evaluate(g[0]).match)

    assert benchmark.pedantic(scan, rounds=3, warmup_rounds=1) == 2000


@pytest.mark.parametrize("runner", ["InterpretedRunner", "CompiledRunner"])
@pytest.mark.parametrize("name", ["driver", "product", "two attributes", "in"])
def test_cel_python(benchmark: Any, runner: str, name: str) -> None:
    device = _device()
    attributes = {n: a.value for n, a in device.attributes.items() if "/" not in n}
    binding = {"driver": device.driver, "attributes": {"gpu.nvidia.com": attributes}}
    environment = celpy.Environment(runner_class=getattr(celpy, runner))
    program = environment.program(environment.compile(SELECTORS[name]))
    activation = {"device": celpy.json_to_cel(binding)}
    assert benchmark(program.evaluate, activation)


@pytest.mark.parametrize("name", SELECTORS)
def test_go(benchmark: Any, name: str, tmp_path_factory: Any) -> None:
    if shutil.which("go") is None:
        pytest.skip("Go is not installed")
    folder: Path = tmp_path_factory.getbasetemp()
    program = folder / "oracle-1.36"
    if not program.exists():
        program = build("1.36", folder)
    case = {"id": name, "expression": SELECTORS[name], "devices": ["a100-40"]}
    run = subprocess.run(  # noqa: S603 - our program
        [str(program), "-devices", str(DEVICES), "-bench", "20000"],
        input=json.dumps(case),
        capture_output=True,
        text=True,
        check=True,
    )
    given = json.loads(run.stdout)
    benchmark.extra_info["ns per evaluation"] = given["evaluateNs"]
    benchmark.extra_info["ns to compile"] = given["compileNs"]
    benchmark.pedantic(lambda: None, rounds=1)
    assert given["verdict"] == "ok"
