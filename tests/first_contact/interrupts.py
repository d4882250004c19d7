"""Ctrl-C at fifty moments: no traceback of ours, exit code 130."""

from __future__ import annotations

import signal
import subprocess
import time
from pathlib import Path

from first_contact.place import PATIENCE, Place, Report

MOMENTS = 50

ENDLESS = """(module
  (import "wasi_snapshot_preview1" "fd_write" (func $write (param i32 i32 i32 i32) (result i32)))
  (memory (export "memory") 1)
  (data (i32.const 16) "first line\\n")
  (func $step (param $n i64) (result i64) (i64.add (local.get $n) (i64.const 1)))
  (func (export "_start") (local $n i64)
    (i32.store (i32.const 0) (i32.const 16)) (i32.store (i32.const 4) (i32.const 11))
    (drop (call $write (i32.const 1) (i32.const 0) (i32.const 1) (i32.const 8)))
    (loop $on (local.set $n (call $step (local.get $n))) (br $on))))"""


def default_interrupt() -> None:
    """In the child: a background job, or nohup, has SIGINT ignored."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


def check(place: Place, report: Report) -> None:
    desk = place.desk()
    (desk / "endless.wat").write_text(ENDLESS)
    began = time.perf_counter()
    place.wasm("--version", where=desk)
    start = time.perf_counter() - began
    wrong = []
    for moment in range(MOMENTS):
        # From Python's own start to well after the guest's first line, whatever the machine's speed is.
        code, said = interrupted(place, desk, start * 4 * moment / MOMENTS)
        early = code in (-signal.SIGINT, 1) and "pywasm_nn/" not in said  # Python itself was still starting
        if not early and (code != 130 or "Traceback" in said or "Exception ignored" in said):
            wrong.append((moment, code, said[-400:]))
    report.check(f"Ctrl-C at {MOMENTS} moments: no traceback, exit code 130", not wrong, wrong)
    wrong = [found for found in (after_first_line(place, desk) for _ in range(10)) if found]
    report.check("Ctrl-C right after the guest's first line, ten times", not wrong, wrong)


def begin(place: Place, desk: Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [place.program, "run", "--no-cache", "endless.wat"], cwd=desk, env=place.environment(), text=True,
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        preexec_fn=default_interrupt,  # noqa: PLW1509 - this process has one thread
    )  # fmt: skip


def interrupted(place: Place, desk: Path, after: float) -> tuple[int, str]:
    with begin(place, desk) as running:
        time.sleep(after)
        running.send_signal(signal.SIGINT)
        try:
            _, said = running.communicate(timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            running.kill()
            return 124, "hung"
    return running.returncode, said


def after_first_line(place: Place, desk: Path) -> str:
    """What was wrong, or nothing."""
    with begin(place, desk) as running:
        assert running.stdout
        first = running.stdout.readline()
        running.send_signal(signal.SIGINT)
        _, said = running.communicate(timeout=PATIENCE)
    good = first == "first line\n" and running.returncode == 130 and "Traceback" not in said
    return "" if good else f"{running.returncode} {first!r} {said[-400:]}"
