"""Runs that are the same every time, and limits of what a guest may use."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

from pywasm_nn import MemoryDirectory
from pywasm_nn.api import Module
from pywasm_nn.limits import Limits
from pywasm_nn.wasi import Capture, Wasi
from pywasm_nn.wasi.errors import Errno

GUESTS = Path(__file__).parents[1] / "guests"
ROOT = Path(__file__).parents[2]


def seen(guest: Any) -> list[bytes]:
    """All that a guest can see of time and chance."""
    found = []
    for clock in range(4):
        assert guest.call("clock_time_get", clock, 0, 8) == 0
        assert guest.call("clock_res_get", clock, 16) == 0
        found.append(guest.read(8, 16))
    assert guest.call("random_get", 100, 20) == 0
    assert guest.opened("new", 1)
    return [*found, guest.read(100, 20), bytes(repr(guest.stat("new")), "ascii")]


def test_equal_seeds_give_equal_runs(make_guest: Any) -> None:
    def run(seed: int) -> list[bytes]:
        return seen(make_guest(seed=seed, dirs={"/": MemoryDirectory()}))

    assert run(1) == run(1)
    assert run(1)[4] != run(2)[4]


def test_time_passes_by_looking_and_by_sleeping(make_guest: Any) -> None:
    guest = make_guest(seed=0)
    times = []
    for _ in range(3):
        assert guest.call("clock_time_get", 1, 0, 8) == 0
        times += guest.unpack("Q", 8)
    assert times[0] < times[1] < times[2]
    wait = guest.put(bytes(16) + (1).to_bytes(8, "little") + (3600 * 10**9).to_bytes(8, "little") + bytes(16))
    assert guest.call("poll_oneoff", wait[0], 20000, 1, 8) == 0
    assert guest.call("clock_time_get", 1, 0, 8) == 0
    assert 3600 * 10**9 <= guest.unpack("Q", 8)[0] - times[2] < 3601 * 10**9


def test_the_command_line_asks_for_it() -> None:
    command = [sys.executable, "-m", "pywasm_nn", "run", "--deterministic", GUESTS / "clocks.wasm"]
    outputs = {subprocess.run(command, capture_output=True, cwd=ROOT, check=False).stdout for _ in range(2)}
    assert len(outputs) == 1
    assert b"random bytes differ" in outputs.pop()


def test_a_whole_program_runs_the_same(engine: str) -> None:
    results = []
    for _ in range(2):
        out, directory = Capture(), MemoryDirectory()
        wasi = Wasi(["walk", "/w"], dirs={"/w": directory}, stdout=out, seed=7)
        with Module.from_file(GUESTS / "walk_rust.wasm").instantiate(wasi, engine=engine) as instance:
            instance.exports["_start"]()
        results.append((out.value, directory.root.modified))
    assert results[0] == results[1]


def test_output_is_limited_for_both_streams_together(make_guest: Any) -> None:
    out, err = Capture(), Capture()
    guest = make_guest(stdout=out, stderr=err, limits=Limits(output=10))
    assert guest.write_fd(1, b"123456") == (0, 6)
    assert guest.write_fd(2, b"7890") == (0, 4)
    assert guest.write_fd(1, b"x")[0] == guest.write_fd(2, b"x")[0] == Errno.NOSPC
    assert (out.value, err.value) == (b"123456", b"7890")
