"""Monitors: what the built-in ones count, one of a user's own, and tables in every format."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Callable
from io import StringIO
from pathlib import Path

import pytest

from pywasm_nn import cli
from pywasm_nn.api import Module
from pywasm_nn.interpreter.runtime.observe import InstructionEvent, Observer
from pywasm_nn.watch.monitor import FORMATS, Monitor
from pywasm_nn.watch.monitors import BUILT_IN, monitor
from pywasm_nn.watch.together import together
from pywasm_nn.watch.trace import Trace

DOCUMENT = Path(__file__).parents[2] / "docs" / "trace.md"
IMPORT = '(import "host" "log" (func $log (param i32)))'
MODULE = """(module
  (import "host" "log" (func $log (param i32)))
  (memory 1)
  (func $square (param $x i32) (result i32) local.get $x local.get $x i32.mul)
  (func $unused (export "unused") (result i32) i32.const 1)
  (func (export "sum") (param $n i32) (result i32) (local $sum i32)
    (loop $again
      (local.set $sum (i32.add (local.get $sum) (call $square (local.get $n))))
      (i32.store (i32.const 0) (local.get $sum))
      (br_if $again (local.tee $n (i32.sub (local.get $n) (i32.const 1)))))
    (if (i32.gt_u (local.get $sum) (i32.const 100)) (then (call $log (local.get $sum))))
    (local.get $sum)))"""


def log(value: int) -> None:
    """Takes anything."""


def watched(observer: Observer, engine: str) -> None:
    module = Module.from_text(MODULE)
    with module.instantiate(imports={"host": {"log": log}}, engine=engine, observer=observer) as app:
        assert app.exports.sum(3) == 14
        assert app.exports.sum(10) == 385


class Instructions(Monitor):
    """What blocks say, counted one by one."""

    def begin(self) -> None:
        self.by_function: dict[str, int] = {}
        self.seen: dict[str, set[int]] = {}
        self.branches: list[int] = []

    def instruction(self, event: InstructionEvent) -> None:
        name = self.function(event.funcidx)
        self.by_function[name] = self.by_function.get(name, 0) + 1
        self.seen.setdefault(name, set()).add(event.offset)
        if event.op.name in ("br_if", "if"):
            self.branches.append(int(bool(event.popped[-1])))


def test_calls(engine: str) -> None:
    calls = monitor("calls")
    watched(calls, engine)
    assert list(calls.rows()) == [(13, "$square"), (2, "$sum")]


def test_host(engine: str) -> None:
    host = monitor("host")
    watched(host, engine)
    [(count, errors, milliseconds, name)] = host.rows()
    assert (count, errors, name) == (1, 0, "host.log")
    assert milliseconds > 0


def test_blocks_add_up_to_what_is_executed(engine: str) -> None:
    one_by_one = Instructions()
    watched(one_by_one, "interpret")
    hotness, coverage, branches = monitor("hotness"), monitor("coverage"), monitor("branches")
    both = together([hotness, coverage, branches])
    assert both is not None
    watched(both, engine)
    assert {name: count for count, _, name in hotness.rows()} == one_by_one.by_function
    executed = {name: count for count, _, _, name in coverage.rows()}
    assert executed == {name: len(offsets) for name, offsets in one_by_one.seen.items()} | {"$unused": 0}
    assert [(reached, taken, name) for reached, taken, _, _, name in branches.rows()] == [
        (13, 11, "br_if"),
        (2, 1, "if"),
    ]
    assert sum(taken for _, taken, *_ in branches.rows()) == sum(one_by_one.branches)


def test_a_monitor_hears_only_what_it_has_methods_for() -> None:
    assert Instructions.wants == {"instr"}
    assert {name: BUILT_IN[name]().wants for name in BUILT_IN} == {
        "calls": {"calls"},
        "host": {"host"},
        "blocks": {"blocks"},
        "branches": {"blocks"},
        "coverage": {"blocks"},
        "hotness": {"blocks"},
    }
    assert Monitor.wants == frozenset()


def test_several_observers_hear_what_each_alone_would() -> None:
    calls, trace = monitor("calls"), Trace(["calls", "host"])
    both = together([calls, trace])
    assert both is not None
    assert both.wants == {"calls", "host"}
    watched(both, "compile")
    alone = Trace(["calls", "host"])
    watched(alone, "compile")
    assert [event.kind for event in trace] == [event.kind for event in alone]
    assert next(iter(calls.rows())) == (13, "$square")


def test_tables() -> None:
    calls = monitor("calls")
    watched(calls, "compile")
    assert FORMATS["text"]("calls", calls) == "calls:\n  calls  function\n     13  $square\n      2  $sum"
    rows = list(csv.DictReader(StringIO(FORMATS["csv"]("calls", calls))))
    assert rows[0] == {"monitor": "calls", "calls": "13", "function": "$square"}
    told = json.loads(FORMATS["json"]("calls", calls))
    assert told == {
        "monitor": "calls",
        "rows": [{"calls": 13, "function": "$square"}, {"calls": 2, "function": "$sum"}],
    }


@pytest.fixture
def command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> Callable[..., tuple[int, str]]:
    """`pywasm-nn run` of the module in a directory of its own; its exit code and what it wrote to stderr."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "m.wat").write_text(
        MODULE.replace('(import "host" "log" (func $log (param i32)))', "(func $log (param i32))")
    )

    def call(*options: str) -> tuple[int, str]:
        code = cli.call(["run", *options, "--invoke", "sum", "m.wat", "3"])
        return code, capfd.readouterr().err

    return call


def test_the_monitor_that_the_document_shows(command: Callable[..., tuple[int, str]], tmp_path: Path) -> None:
    [source] = [
        text
        for text in re.findall(r"```python\n(.*?)```", DOCUMENT.read_text(), re.DOTALL)
        if "Stores" in text
    ]
    (tmp_path / "mine.py").write_text(source)
    code, err = command("--monitor", "mine.py:Stores", "--monitor", "calls", "--monitor-format", "json")
    assert code == 0
    stores, calls = map(json.loads, err.splitlines())
    assert stores == {"monitor": "mine.py:Stores", "rows": [{"function": "$sum", "bytes": 12}]}
    assert calls["rows"][0] == {"calls": 3, "function": "$square"}


def test_a_table_goes_to_a_file(command: Callable[..., tuple[int, str]], tmp_path: Path) -> None:
    assert command("--monitor", "calls", "--monitor-file", "out.txt") == (0, "")
    assert "$square" in (tmp_path / "out.txt").read_text()


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("nothing", "there are calls"),
        ("gone.py:Name", "names no monitor"),
        ("bad.py:Name", "SyntaxError"),
        ("int.py:number", "is no Monitor"),
        ("int.py:missing", "int.py has no missing; the Monitors there: none"),
    ],
)
def test_what_is_no_monitor(
    name: str, why: str, command: Callable[..., tuple[int, str]], tmp_path: Path
) -> None:
    (tmp_path / "bad.py").write_text("class")
    (tmp_path / "int.py").write_text("number = int")
    code, err = command("--monitor", name)
    assert code == 2
    assert why in err
