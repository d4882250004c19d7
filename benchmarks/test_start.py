"""What starting costs, and one call from a guest to a host function that does nothing.

    python -m pytest -p pytest_benchmark.plugin benchmarks/test_start.py

Each process is a whole one, its modules as bytecode; a command line with options needs `click`. Ratios
count: look at them in one run, on a machine that does nothing else. What guests cost is in `compare.py`.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from pywasm_nn import Module

ROOT = Path(__file__).parents[1]
GUESTS = ROOT / "tests" / "guests"
CALLS = 10_000
CALLING = f"""(module (import "env" "nothing" (func $nothing (param i32)))
  (func (export "call") (local i32)
    (loop (call $nothing (local.get 0))
      (br_if 0 (i32.lt_u (local.tee 0 (i32.add (local.get 0) (i32.const 1))) (i32.const {CALLS}))))))"""


def process(*arguments: str) -> Callable[[], None]:
    """Runs Python with these arguments."""
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"} | {
        "PYTHONPATH": str(ROOT)
    }
    command = [sys.executable, *arguments]
    return lambda: subprocess.run(command, env=environment, check=True, stdout=subprocess.DEVNULL) and None


@pytest.mark.parametrize("what", ["pass", "import click", "import pywasm_nn"])
def test_python(benchmark, what: str) -> None:
    benchmark(process("-c", what))


@pytest.mark.parametrize("kept", [True, False], ids=["cached", "uncached"])
@pytest.mark.parametrize("guest", ["hello_c", "hello_cpp", "hello_rust", "hello_zig"])
def test_hello(benchmark, tmp_path: Path, guest: str, kept: bool) -> None:
    option = f"--cache-dir={tmp_path / 'code'}" if kept else "--no-cache"
    run = process("-m", "pywasm_nn", "run", option, str(GUESTS / f"{guest}.wasm"))
    run()
    benchmark(run)


def test_ten_thousand_calls_of_a_host_function(benchmark) -> None:
    def nothing(n: int) -> None:
        pass

    with Module.from_text(CALLING).instantiate(imports={"env": {"nothing": nothing}}) as instance:
        benchmark(instance.exports.call)
