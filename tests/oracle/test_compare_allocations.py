"""A short differential run of the search where Go and its modules are there."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.oracle.compare_allocations import BUILDS, build, compare

COUNT = int(os.environ.get("DRAWBRIDGE_ORACLE_PODS", "400"))


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.parametrize("version", sorted(BUILDS))
def test_random_pods_are_placed_as_the_allocator_places_them(version: str, tmp_path: Path) -> None:
    if shutil.which("go") is None:
        pytest.skip("Go is not installed")
    try:
        program = build(version, tmp_path)
    except subprocess.CalledProcessError as error:
        pytest.skip(f"the oracle cannot be built here: {error.stderr[-200:]!r}")
    found, counts = compare(program, seed=20_26, count=COUNT, version=version)
    assert not found, "\n".join(found[:20])
    assert counts["fits"] > COUNT // 20
    assert counts["no"] > COUNT // 20
    assert counts["error"] > COUNT // 20
