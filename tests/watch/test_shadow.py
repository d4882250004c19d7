"""What the host writes into memory: found by comparing, told once, and shown."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pywasm_nn.api import Module
from pywasm_nn.host import Caller
from pywasm_nn.interpreter.runtime.memory import Flavour
from pywasm_nn.wasi import Capture, Wasi
from pywasm_nn.watch import events
from pywasm_nn.watch.shadow import ROW, differences
from pywasm_nn.watch.text import lines
from pywasm_nn.watch.trace import Trace

GUEST = """(module
  (import "host" "write" (func $write (param i32 i32 i32)))
  (memory (export "memory") 1 1100)
  (func (export "run") (param $at i32) (param $byte i32) (param $count i32)
    (i32.store8 (local.get $at) (i32.const 1))
    (call $write (local.get $at) (local.get $byte) (local.get $count))
    (i32.store8 (local.get $at) (i32.const 2))
    (call $write (i32.const 0) (i32.const 0) (i32.const 0)))
  (func (export "grow") (param i32) (drop (memory.grow (local.get 0)))))"""


def writing(caller: Caller, address: int, byte: int, count: int) -> None:
    caller.memory.write(address, bytes([byte]) * count)


def traced(*calls: tuple[str, ...], levels: tuple[str, ...] = ("host", "instr"), **settings: Any) -> Trace:
    trace = Trace(levels)
    module = Module.from_text(GUEST)
    imports = {"host": {"write": writing}}
    with module.instantiate(imports=imports, engine="interpret", observer=trace, **settings) as app:
        for name, *arguments in calls:
            app.exports[name](*arguments)
    return trace


def written(trace: Trace) -> list[tuple[int, int, bytes, bytes]]:
    found = [event.memory for event in trace if isinstance(event, events.HostWrite)]
    return [(change.address, change.count, change.before, change.after) for change in found]


@pytest.mark.parametrize("flavour", list(Flavour))
def test_what_the_host_writes_is_told_once(flavour: Flavour) -> None:
    trace = traced(("run", 100, 9, 3), flavour=flavour)
    assert written(trace) == [(100, 3, b"\1\0\0", b"\t\t\t")]
    assert [event.kind for event in trace if event.kind != "instr"] == ["host", "written", "host"]
    assert [line for line in lines(trace) if "wrote" in line] == ["host  wrote 3 bytes at 0x64: 09 09 09"]


def test_long_writes_are_cut() -> None:
    trace = traced(("run", 60_000, 7, 5_536))
    assert written(trace) == [(60_000, 5_536, b"\1" + bytes(255), b"\7" * 256)]
    [line] = [line for line in lines(trace) if "wrote" in line]
    assert line == f"host  wrote 5536 bytes at 0xea60: {' '.join(['07'] * 16)} ..."


def test_memory_that_grew_is_known_to_be_zero() -> None:
    trace = traced(("run", 1, 0, 1), ("grow", 3), ("run", 200_000, 5, 2))
    assert written(trace) == [(1, 1, b"\1", b"\0"), (200_000, 2, b"\1\0", b"\5\5")]


def test_large_memories_are_not_compared() -> None:
    trace = traced(("run", 1, 3, 1), ("grow", 1024), ("run", 1, 5, 1))
    assert written(trace) == [(1, 1, b"\1", b"\3")]


@pytest.mark.parametrize("levels", [("host",), ("instr",), ("calls", "instr")])
def test_nobody_compares_who_does_not_show_it(levels: tuple[str, ...]) -> None:
    assert written(traced(("run", 100, 9, 3), levels=levels)) == []


@given(st.binary(max_size=200), st.lists(st.tuples(st.integers(0, 199), st.binary(max_size=40)), max_size=5))
def test_differences_are_all_and_no_more(before: bytes, changes: list[tuple[int, bytes]]) -> None:
    changed = bytearray(before)
    for at, data in changes:
        changed[at : at + len(data)] = data[: max(0, len(changed) - at)]
    now = bytes(changed[: len(before)])
    ranges = list(differences(before, now))
    patched = bytearray(before)
    for first, last in ranges:
        assert before[first] != now[first] and before[last - 1] != now[last - 1]
        patched[first:last] = now[first:last]
    assert patched == now
    assert all(next_ - last > 0 for (_, last), (next_, _) in pairwise(ranges))
    assert len(ranges) <= -(-len(before) // ROW)


HELLO = """(module
  (import "wasi_snapshot_preview1" "fd_write" (func $write (param i32 i32 i32 i32) (result i32)))
  (memory (export "memory") 1)
  (data (i32.const 0) "\\08\\00\\00\\00\\02\\00\\00\\00hi")
  (func (export "_start") (drop (call $write (i32.const 1) (i32.const 0) (i32.const 1) (i32.const 64)))))"""


def test_what_wasi_writes_is_seen() -> None:
    trace = Trace(["host", "instr"])
    module = Module.from_text(HELLO)
    with module.instantiate(Wasi(stdout=Capture()), engine="interpret", observer=trace) as app:
        app.exports._start()
    assert written(trace) == [(64, 1, b"\0", b"\2")]
