"""The sign of life: on a terminal, after a while, and nowhere else."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from pywasm_nn import cli

from ..conftest import HANGS

pty = pytest.importorskip("pty")
ROOT = Path(cli.__file__).parents[2]
BUSY = """(module (import "wasi_snapshot_preview1" "fd_write" (func $w (param i32 i32 i32 i32) (result i32)))
  (memory (export "memory") 1) (data (i32.const 8) "\\10\\00\\00\\00\\05\\00\\00\\00done\\n")
  (func $spin (param $n i32)
    (loop (local.set $n (i32.sub (local.get $n) (i32.const 1))) (br_if 0 (local.get $n))))
  (func (export "_start")
    (call $spin (i32.const 20000000))
    (drop (call $w (i32.const 1) (i32.const 8) (i32.const 1) (i32.const 0)))))"""
DRIVER = """
import atexit, sys
from pywasm_nn import cli
if "quick" in sys.argv:
    sys.argv.remove("quick")
    from pywasm_nn.cli import progress
    progress.QUIET, progress.LOOK, progress.LONG = 0.05, 0.02, 0.1
sys.argv[0] = "pywasm-nn"
atexit.register(lambda: "pywasm_nn.cli.progress" in sys.modules and print("PROGRESS"))
cli.main()
"""


@pytest.fixture
def busy(tmp_path: Path) -> Path:
    path = tmp_path / "busy.wat"
    path.write_text(BUSY)
    return path


def run(*arguments: object, terminal: bool = True) -> tuple[int, str, str]:
    """Exit code, stdout (a pipe) and stderr (a terminal, or a pipe)."""
    command = [sys.executable, "-c", DRIVER, *map(str, arguments)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "NO_COLOR": "1"}
    if not terminal:
        done = subprocess.run(command, env=environment, capture_output=True, timeout=HANGS, check=False)
        return done.returncode, done.stdout.decode(), done.stderr.decode()
    ours, theirs = pty.openpty()
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=theirs) as running:
        os.close(theirs)
        shown = b""
        while True:
            try:
                piece = os.read(ours, 4096)
            except OSError:  # the other side is closed
                break
            if not piece:
                break
            shown += piece
        out, _ = running.communicate(timeout=HANGS)
    os.close(ours)
    return running.returncode, out.decode(), shown.decode()


def test_what_goes_on_is_shown_and_taken_away(busy: Path) -> None:
    code, out, err = run("quick", "run", "--no-cache", busy)
    assert (code, out.replace("PROGRESS\n", "")) == (0, "done\n")
    assert "s: running spin" in err
    *lines, account = err.rstrip().split("\x1b[K")
    assert lines, "the line is erased before the last one is written"
    assert account.startswith("note: ") and "the guest" in account and "--monitor hotness" in account


@pytest.mark.parametrize("words", [["--quiet", "run"], ["run", "--quiet"]])
def test_quiet(busy: Path, words: list[str]) -> None:
    if words[0] == "--quiet":
        words = ["--quiet"]  # without the command's name
    code, out, err = run("quick", *words, busy)
    assert (code, err) == (0, "")
    assert out.startswith("done\n")


def test_a_short_run_says_nothing(busy: Path) -> None:
    busy.write_text(BUSY.replace("20000000", "2"))
    code, out, err = run("run", busy)
    assert (code, out, err) == (0, "done\nPROGRESS\n", "")


def test_without_a_terminal_nothing_is_imported(busy: Path) -> None:
    busy.write_text(BUSY.replace("20000000", "2"))
    code, out, err = run("run", busy, terminal=False)
    assert (code, out, err) == (0, "done\n", "")


def test_quiet_behind_the_module_is_the_guests(pywasm) -> None:
    guest = Path(__file__).parents[1] / "guests" / "args_env.wasm"
    assert "argument 1: --quiet\n" in pywasm("run", guest, "--quiet").out
