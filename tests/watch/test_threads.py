"""Observers and backtraces of a guest with several threads say which one."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pywasm_nn import cli
from pywasm_nn.api import Module
from pywasm_nn.errors import Trap
from pywasm_nn.wasi import Wasi
from pywasm_nn.watch import events
from pywasm_nn.watch.monitor import table_of
from pywasm_nn.watch.monitors import monitor
from pywasm_nn.watch.records import record
from pywasm_nn.watch.text import lines
from pywasm_nn.watch.together import together
from pywasm_nn.watch.trace import Trace

GUEST = """(module
  (import "wasi" "thread-spawn" (func $spawn (param i32) (result i32)))
  (import "wasi_snapshot_preview1" "random_get" (func $random (param i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "sched_yield" (func $yield (result i32)))
  (import "env" "memory" (memory 1 2 shared))
  (export "memory" (memory 0))
  (func $own (param $times i32) (result i32)
    (loop $more
      (drop (i32.atomic.rmw.add (i32.const 0) (i32.const 1)))
      (br_if $more (local.tee $times (i32.sub (local.get $times) (i32.const 1)))))
    (local.get $times))
  (func (export "wasi_thread_start") (param $number i32) (param $what i32)
    (if (i32.eq (local.get $what) (i32.const 9))
      (then (if (i32.eq (local.get $number) (i32.const 2)) (then unreachable))))
    (drop (call $own (i32.add (local.get $number) (i32.const 1))))
    (drop (call $random (i32.const 64) (local.get $number)))
    (drop (i32.atomic.rmw.add (i32.const 4) (i32.const 1))))
  (func $_start (export "_start") (call $run (i32.const 9)))
  (func $run (export "run") (param $what i32)
    (drop (call $spawn (local.get $what)))
    (drop (call $spawn (local.get $what)))
    (drop (call $own (i32.const 1)))
    (loop $wait
      (drop (call $yield))
      (br_if $wait (i32.lt_u (i32.atomic.load (i32.const 4)) (i32.const 2))))))"""
engines = pytest.mark.parametrize("engine", ["compile", "interpret"])


@pytest.fixture(scope="module")
def guest() -> Module:
    return Module.from_text(GUEST)


@engines
def test_events_name_their_thread(guest: Module, engine: str) -> None:
    trace = Trace(["host", "calls"])
    with guest.instantiate(wasi=Wasi(), engine=engine, observer=trace) as app:
        app.exports.run(0)
    calls = {(e.thread, e.function): e.arguments for e in trace if isinstance(e, events.Call)}
    assert [calls[number, "$own"] for number in range(3)] == [(1,), (2,), (3,)]
    hosts = [e.thread for e in trace if isinstance(e, events.HostCall) and e.name == "random_get"]
    assert sorted(hosts) == [1, 2]
    numbers = [event.number for event in trace]
    assert numbers == list(range(1, len(numbers) + 1)), "in one row, none twice"


@engines
def test_lines_and_json_name_further_threads(guest: Module, engine: str) -> None:
    trace = Trace(["calls"])
    with guest.instantiate(wasi=Wasi(), engine=engine, observer=trace) as app:
        app.exports.run(0)
    told = [line for line in lines(trace) if "$own(" in line]
    assert sorted(line.split()[0] for line in told) == ["[1]", "[2]", "call"]
    entered = [record(e) for e in trace if isinstance(e, events.Call) and e.function == "$own"]
    assert sorted(e.get("thread", 0) for e in entered) == [0, 1, 2]
    assert [("thread" in e) for e in entered if e["arguments"] == [1]] == [False]


def test_instructions_of_threads_are_seen(guest: Module) -> None:
    trace = Trace(["instr"], only=["own"])
    with guest.instantiate(wasi=Wasi(), engine="interpret", observer=trace) as app:
        app.exports.run(0)
    rounds = [e.thread for e in trace if isinstance(e, events.Instruction) and "rmw.add" in e.text]
    assert sorted(rounds) == [0, 1, 1, 2, 2, 2]


@engines
def test_tables_of_monitors_name_threads(guest: Module, engine: str) -> None:
    calls, host, coverage = monitor("calls"), monitor("host"), monitor("coverage")
    with guest.instantiate(wasi=Wasi(), engine=engine, observer=together([calls, host, coverage])) as app:
        app.exports.run(0)
    columns, rows = table_of(calls)
    assert columns == ("thread", "calls", "function")
    assert [row for row in rows if row[2] == "$own"] == [(0, 1, "$own"), (1, 1, "$own"), (2, 1, "$own")]
    assert [row[0] for row in table_of(host)[1] if row[-1].endswith("random_get")] == [1, 2]
    assert {row[0] for row in table_of(coverage)[1]} == {0, 1, 2}


@engines
def test_the_tables_of_a_guest_that_starts_none_are_as_before(guest: Module, engine: str) -> None:
    instead = "(i32.atomic.store (i32.const 4) (i32.const 2))"
    text = GUEST.replace("(drop (call $spawn (local.get $what)))", instead)
    calls = monitor("calls")
    with Module.from_text(text).instantiate(wasi=Wasi(), engine=engine, observer=calls) as app:
        app.exports.run(0)
    assert table_of(calls)[0] == ("calls", "function")


@engines
def test_a_backtrace_names_the_thread(guest: Module, engine: str) -> None:
    trace = Trace(["calls"])
    with (
        guest.instantiate(wasi=Wasi(), engine=engine, observer=trace) as app,
        pytest.raises(Trap, match="unreachable") as caught,
    ):
        app.exports.run(9)
    assert caught.value.thread == 2
    assert caught.value.__notes__[0].startswith("the guest's thread 2, innermost function first:\n")
    [end] = [event for event in trace if isinstance(event, events.End)]
    assert (end.thread, end.outcome) == (2, "trap")
    with guest.instantiate(wasi=Wasi(), engine=engine) as app, pytest.raises(Trap) as caught:
        app.exports["wasi_thread_start"](2, 9)
    assert caught.value.thread == 0
    assert caught.value.__notes__[0].startswith("the guest, innermost")


@engines
def test_the_command_names_the_thread(engine: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "app.wat").write_text(GUEST)
    file = tmp_path / "trace"
    options = ["--engine", engine, "--trace=calls", "--trace-format", "json", "--trace-file", str(file)]
    assert cli.call(["run", *options, str(tmp_path / "app.wat")]) == 134
    err = capfd.readouterr().err.splitlines()
    assert err[1] == "in thread 2 of the guest:"
    assert "wasi_thread_start" in err[2]
    told = [json.loads(line) for line in file.read_text().splitlines()]
    assert {one.get("thread", 0) for one in told if one["kind"] == "call"} >= {0, 2}
