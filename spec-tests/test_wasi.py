"""The official tests of WASI preview1, as `python spec-tests/wasi.py DIR` runs them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
PLACES = (
    os.environ.get("WASI_TESTSUITE"),
    HERE / "wasi-testsuite",
    HERE.parent / ".." / "shared" / "wasi-testsuite",
)


def test_every_program_of_preview1_passes() -> None:
    for place in PLACES:
        if place and Path(place, "tests").is_dir():
            break
    else:
        pytest.skip(
            "no tests of WASI: set WASI_TESTSUITE to a checkout of WebAssembly/wasi-testsuite, "
            "branch prod/testsuite-base, or clone it to spec-tests/wasi-testsuite"
        )
    done = subprocess.run(
        [sys.executable, HERE / "wasi.py", place], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
