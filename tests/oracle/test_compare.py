"""A short differential run where Go and its modules are there; the long one is a command."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.oracle.compare import BUILDS, build, compare

COUNT = int(os.environ.get("DRAWBRIDGE_ORACLE_COUNT", "500"))


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.parametrize("version", sorted(BUILDS))
def test_random_expressions_are_answered_as_go_answers(version: str, tmp_path: Path) -> None:
    if shutil.which("go") is None:
        pytest.skip("Go is not installed")
    try:
        program = build(version, tmp_path)
    except subprocess.CalledProcessError as error:
        pytest.skip(f"the oracle cannot be built here: {error.stderr[-200:]!r}")
    found = compare(program, seed=20_26, count=COUNT, version=version)
    assert not found, "\n".join(found[:20])
