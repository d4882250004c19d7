"""A guest of many threads at the command line: an endless group ends by its limits and by Ctrl-C, and leaves
no thread of Python."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from pywasm_nn import cli
from pywasm_nn.cli.failure import Exit

from ..conftest import HANGS

DRIVER = """
import atexit, signal, threading
signal.signal(signal.SIGINT, signal.default_int_handler)
from pywasm_nn import cli
def tell():
    print("left", [thread.name for thread in threading.enumerate() if " thread " in thread.name], flush=True)
atexit.register(tell)
cli.main()
"""
WORK = {
    "loops": "(loop $ever (br $ever))",
    "atomics": "(loop $ever (drop (i32.atomic.rmw.add (i32.const 0) (i32.const 1))) (br $ever))",
    "waits": "(drop (memory.atomic.wait32 (i32.const 4) (i32.const 0) (i64.const -1)))",
    "sleeps": "(loop $ever (drop (call $poll (i32.const 64) (i32.const 128) (i32.const 1) (i32.const 16)))"
    " (br $ever))",
    "spawns": "(loop $ever (drop (call $spawn (i32.const 0))) (br $ever))",
}
"""What an endless thread does. The first one says "go" and does the same."""
GUEST = """(module
  (import "wasi" "thread-spawn" (func $spawn (param i32) (result i32)))
  (import "wasi_snapshot_preview1" "fd_write" (func $write (param i32 i32 i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "poll_oneoff" (func $poll (param i32 i32 i32 i32) (result i32)))
  (import "env" "memory" (memory 1 2 shared))
  (export "memory" (memory 0))
  (data (i32.const 8) "\\10\\00\\00\\00\\03\\00\\00\\00go\\n")
  (data (i32.const 88) "\\ff\\ff\\ff\\ff\\ff\\ff\\ff\\7f")
  (func $work (param $number i32) {0})
  (func (export "wasi_thread_start") (param $number i32) (param $what i32)
    (call $work (local.get $number)))
  (func (export "_start")
    {1}
    (drop (call $write (i32.const 1) (i32.const 8) (i32.const 1) (i32.const 48)))
    (call $work (i32.const 0))))"""
COUNT = 4
engines = pytest.mark.parametrize("engine", ["compile", "interpret"])
works = pytest.mark.parametrize("work", WORK)


@pytest.fixture
def guest(work: str, tmp_path: Path) -> Path:
    path = tmp_path / "endless.wat"
    spawn = "(drop (call $spawn (i32.const 0)))"
    path.write_text(GUEST.replace("{0}", WORK[work]).replace("{1}", spawn * COUNT))
    return path


@contextmanager
def command(*arguments: object) -> Iterator[subprocess.Popen[str]]:
    line = [sys.executable, "-c", DRIVER, "run", *map(str, arguments)]
    env = {**os.environ, "PYTHONPATH": str(Path(cli.__file__).parents[2])}
    pipe = subprocess.PIPE
    with subprocess.Popen(line, stdout=pipe, stderr=pipe, env=env, text=True) as running:
        try:
            yield running
        finally:
            running.kill()


@engines
@works
def test_a_deadline_ends_an_endless_group(guest: Path, engine: str) -> None:
    with command("--engine", engine, "--timeout", "300ms", guest) as running:
        out, err = running.communicate(timeout=HANGS)
    assert (running.returncode, out.splitlines()[-1]) == (Exit.TRAP, "left []"), err
    assert "the guest ran for longer than 0.3 s" in err
    assert "Traceback" not in err


@engines
@pytest.mark.parametrize("work", ["loops", "atomics"])
def test_fuel_ends_an_endless_group(guest: Path, engine: str) -> None:
    with command("--engine", engine, "--fuel", "50000", guest) as running:
        out, err = running.communicate(timeout=HANGS)
    assert (running.returncode, out.splitlines()[-1]) == (Exit.TRAP, "left []"), err
    assert "fuel" in err
    assert "Traceback" not in err


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
@engines
@works
def test_ctrl_c_ends_an_endless_group(guest: Path, engine: str) -> None:
    with command("--engine", engine, guest) as running:
        assert running.stdout is not None
        assert running.stdout.readline() == "go\n"
        running.send_signal(signal.SIGINT)
        out, err = running.communicate(timeout=HANGS)
    assert (running.returncode, out) == (Exit.INTERRUPTED, "left []\n"), err
    assert "Traceback" not in err
