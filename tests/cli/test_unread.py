"""A command with `--timeout` ends, whatever of its output nobody reads."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from pywasm_nn import cli
from pywasm_nn.cli.unread import Unread, is_full
from pywasm_nn.interpreter.runtime.alarm import CLOCK

pytestmark = pytest.mark.skipif(os.name != "posix", reason="only POSIX says whether a pipe is full")
HANGS = 60
"""Seconds after which a command that was given one second hangs."""
ROOT = Path(cli.__file__).parents[2]
GUEST = """(module
  (import "wasi_snapshot_preview1" "fd_write" (func $write (param i32 i32 i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "clock_time_get" (func $time (param i32 i64 i32) (result i32)))
  (memory (export "memory") 2) (data (i32.const 0) "\\00\\01\\00\\00\\00\\10\\00\\00")
  (func $fill (param $fd i32) (param $times i32)
    (loop (drop (call $write (local.get $fd) (i32.const 0) (i32.const 1) (i32.const 16)))
      (br_if 0 (local.tee $times (i32.sub (local.get $times) (i32.const 1))))))
  (func (export "stdout") (call $fill (i32.const 1) (i32.const 0)))
  (func (export "stderr") (call $fill (i32.const 2) (i32.const 0)))
  (func (export "trap") (call $fill (i32.const 2) (i32.const 16)) (unreachable))
  (func (export "deep") (call $fill (i32.const 2) (i32.const 15)) (call $deeper))
  (func $deeper (call $deeper) (call $deeper))
  (func (export "events") (local i64) (call $fill (i32.const 2) (i32.const 16))
    (loop (drop (call $time (i32.const 0) (local.get 0) (i32.const 32)))
      (local.set 0 (i64.add (local.get 0) (i64.const 1))) (br 0)))
  (func (export "fast") (call $fill (i32.const 2) (i32.const 2))))"""


@pytest.fixture
def guest(tmp_path: Path) -> Path:
    path = tmp_path / "guest.wat"
    path.write_text(GUEST)
    return path


@pytest.mark.parametrize(
    ("options", "name"),
    [
        ([], "stdout"),
        ([], "stderr"),
        ([], "trap"),
        ([], "deep"),
        (["--trace=host"], "events"),
        (["--trace=host"], "stderr"),
        (["-v"], "stderr"),
    ],
)
def test_a_command_ends_though_nobody_reads(guest: Path, options: list[str], name: str, engine: str) -> None:
    """Both streams are one pipe, which is full."""
    reader, writer = os.pipe()
    words = ["run", "--engine", engine, "--timeout=1s", "--invoke", name, *options, str(guest)]
    try:
        done = subprocess.run(
            [sys.executable, "-m", "pywasm_nn", *words],
            stdout=writer, stderr=writer, cwd=ROOT, timeout=HANGS, check=False,
        )  # fmt: skip
    finally:
        os.close(writer)
        os.close(reader)
    assert done.returncode in (134, 1)  # on a busy machine its time is over before it begins


def test_what_somebody_reads_is_written_to_the_end(guest: Path) -> None:
    reader, writer = os.pipe()
    words = ["run", "--timeout=2s", "--invoke", "stdout", str(guest)]
    done = subprocess.run(
        [sys.executable, "-m", "pywasm_nn", *words],
        stdout=writer, stderr=subprocess.PIPE, cwd=ROOT, timeout=HANGS, check=False,
    )  # fmt: skip
    os.close(writer)
    os.close(reader)
    assert done.returncode in (134, 1)
    assert b"the guest ran for longer than 2 s" in done.stderr


def test_nothing_is_looked_after_once_the_command_has_ended(guest: Path) -> None:
    assert cli.call(["run", "--timeout=100s", "--invoke", "fast", str(guest)]) == 0
    assert not [alarm for alarm in CLOCK._alarms if isinstance(getattr(alarm.ring, "__self__", None), Unread)]


def test_a_pipe_is_full_or_not(tmp_path: Path) -> None:
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    assert not is_full(writer)
    with pytest.raises(BlockingIOError):
        while True:
            os.write(writer, bytes(4096))
    assert is_full(writer)
    os.read(reader, 65536)
    assert not is_full(writer)
    with open(tmp_path / "file", "wb") as file:
        assert not is_full(file.fileno())
    os.close(reader)
    os.close(writer)
