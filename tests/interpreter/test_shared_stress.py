"""Runs `shared_stress.py` in a process of its own, which a mistake would end."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.parametrize("steps", [4_000, pytest.param(1_000_000, marks=pytest.mark.slow)])
def test_no_step_on_shared_things_ends_the_process(steps: int) -> None:
    command = [sys.executable, str(Path(__file__).with_name("shared_stress.py")), str(steps)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=7200, check=False)
    assert done.returncode == 0, done.stderr[-4000:]
    for kind in ("call", "close", "drop", "BusyError", "DeadlineError", "FuelError", "Trap"):
        assert f"{kind} " in done.stdout
