"""Random loops on every engine (`differential_loops.py`, in a process of its own: it lowers thresholds)."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.parametrize("count", [200, pytest.param(20_000, marks=pytest.mark.slow)])
def test_arrays_engines_and_wasmtime_agree(count: int) -> None:
    pytest.importorskip("numpy")
    program = Path(__file__).with_name("differential_loops.py")
    out = subprocess.run(
        [sys.executable, program, "--count", str(count), "--seed", "5"],
        check=False,
        capture_output=True,
        text=True,
    )
    assert not out.returncode, out.stdout + out.stderr
    assert "True: " in out.stdout, "rounds were done at once"
