"""What observers are told: the same by both engines, and nothing by an instance that nobody watches."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from pywasm_nn.api import Module
from pywasm_nn.errors import ExhaustionError, Trap, WasmException
from pywasm_nn.interpreter.runtime.instance import Instance
from pywasm_nn.interpreter.runtime.observe import Observer
from pywasm_nn.limits import Limits
from pywasm_nn.program import run

ROOT = Path(__file__).parents[2]
GUESTS = ROOT / "tests" / "guests"
MODULE = """(module
  (tag $t (export "t") (param i32))
  (type $unary (func (param i32) (result i32)))
  (table funcref (elem $square))
  (memory 1)
  (func $square (param i32) (result i32) (i32.mul (local.get 0) (local.get 0)))
  (func $pair (result i32 i32) i32.const 1 i32.const 2)
  (func $throw (param i32) (throw $t (local.get 0)))
  (func $between (param i32) (call $throw (local.get 0)))
  (func (export "catch") (param i32) (result i32)
    (block $caught (result i32)
      (try_table (catch $t $caught) (call $between (local.get 0)))
      (i32.const 9))
    (drop (call $square (i32.const 4))))
  (func $even (export "even") (param i32) (result i32)
    (if (result i32) (i32.eqz (local.get 0))
      (then (i32.const 1))
      (else (return_call $odd (i32.sub (local.get 0) (i32.const 1))))))
  (func $odd (param i32) (result i32)
    (if (result i32) (i32.eqz (local.get 0))
      (then (i32.const 0))
      (else (return_call $even (i32.sub (local.get 0) (i32.const 1))))))
  (func (export "sum") (param i32) (result i32) (local i32)
    (loop $again
      (local.set 1 (i32.add (local.get 1) (call_indirect (type $unary) (local.get 0) (i32.const 0))))
      (br_if $again (local.tee 0 (i32.sub (local.get 0) (i32.const 1)))))
    (call $pair) i32.add local.get 1 i32.add)
  (func (export "count") (param $to i32) (result i32) (local $i i32)
    (block $out (loop $again
      (br_if $out (i32.ge_u (local.get $i) (local.get $to)))
      (i32.store8 (local.get $i) (local.get $i))
      (local.set $i (i32.add (local.get $i) (i32.const 1)))
      (br $again)))
    (local.get $i))
  (func $deep (export "deep") (param i32) (result i32)
    (if (result i32) (local.get 0)
      (then (i32.add (i32.const 1) (call $deep (i32.sub (local.get 0) (i32.const 1)))))
      (else (i32.const 0))))
  (func (export "choose") (param i32) (result i32)
    (block (block (block (br_table 0 1 2 (local.get 0))) (return (i32.const 10))) (return (i32.const 20)))
    (i32.const 30))
  (func (export "fail") (drop (call $deep (i32.const 5))) unreachable)
  (func (export "lose") (call $between (i32.const 3))))"""


class Recorder(Observer):
    """Everything that it is told."""

    def __init__(self, *wants: str) -> None:
        self.wants = frozenset(wants)
        self.told: list[tuple[Any, ...]] = []

    def enter(self, funcidx: int, arguments: Sequence[Any], depth: int) -> None:
        self.told.append(("enter", funcidx, arguments, depth))

    def leave(self, funcidx: int, results: Sequence[Any], depth: int) -> None:
        self.told.append(("leave", funcidx, results, depth))

    def block(self, funcidx: int, offset: int) -> None:
        self.told.append(("block", funcidx, offset))


def exercise(app: Instance) -> None:
    exports = app.exports
    assert exports.catch(3) == 3
    assert (exports.even(6), exports.sum(3), exports.count(5), exports.deep(100)) == (1, 17, 5, 100)
    assert [exports.choose(which) for which in range(4)] == [10, 20, 30, 30]
    with pytest.raises(Trap):
        exports.fail()
    with pytest.raises(WasmException):
        exports.lose()
    assert exports.even(1) == 0


@pytest.mark.parametrize("wants", [("calls",), ("blocks",), ("calls", "blocks")])
def test_both_engines_tell_the_same(wants: tuple[str, ...]) -> None:
    module = Module.from_text(MODULE)
    told = []
    for engine in ("interpret", "compile"):
        recorder = Recorder(*wants)
        with module.instantiate(engine=engine, observer=recorder) as app:
            exercise(app)
        told.append(recorder.told)
    assert told[0] == told[1]
    assert {kind for kind, *_ in told[0]} == {
        kind for level in wants for kind in {"calls": ("enter", "leave"), "blocks": ("block",)}[level]
    }


@pytest.mark.parametrize("guest", ["hello_c", "hello_rust", "walk_cpp"])
def test_both_engines_tell_the_same_of_whole_programs(guest: str) -> None:
    told = []
    for engine in ("interpret", "compile"):
        recorder = Recorder("calls", "blocks")
        run(GUESTS / f"{guest}.wasm", engine=engine, observer=recorder)
        told.append(recorder.told)
    assert told[0] == told[1]
    assert len(told[0]) > 100


def test_watched_calls_are_as_deep_as_others(engine: str) -> None:
    recorder = Recorder("calls")
    limits = Limits(call_depth=2000)
    with Module.from_text(MODULE).instantiate(engine=engine, observer=recorder, limits=limits) as app:
        assert app.exports.deep(1999) == 1999
        with pytest.raises(ExhaustionError):
            app.exports.deep(2000)
        assert max(depth for kind, *_, depth in recorder.told if kind == "enter") == 2000
        assert app.exports.deep(1999) == 1999


def test_fuel_is_the_same_with_an_observer(engine: str) -> None:
    left = []
    for observer in (None, Recorder("calls", "blocks")):
        limits = Limits(fuel=10_000)
        with Module.from_text(MODULE).instantiate(engine=engine, observer=observer, limits=limits) as app:
            exercise(app)
            left.append(app.fuel)
    assert left[0] == left[1]


CODE = """
import sys
{before}
from pywasm_nn.api import Module
from pywasm_nn.interpreter.compile import Variant
from pywasm_nn.interpreter.compile.translate import translate
from pywasm_nn.interpreter.runtime.memory import Flavour
from pywasm_nn.interpreter.validate import validate_func

module = Module.from_file({path!r})
for index in range(len(module.funcs)):
    print(translate(module, index, validate_func(module, index), Variant(Flavour.default())).source)
with module.instantiate() as app:
    for name in app.exports:
        function = app.exports[name]
        if callable(function) and not function.type.params:
            try:
                function()
            except Exception as error:
                print(name, type(error).__name__)
    for func in app.funcs:
        code = func.callable.__code__
        print(func.funcidx, code.co_code.hex(), code.co_names, code.co_consts, code.co_linetable.hex())
    print(sorted(app.namespace))
    print(app.engine.python_frames(50000))
print("watch", any(name.startswith("pywasm_nn.watch") for name in sys.modules), file=sys.stderr)
"""
WATCH = """
import pywasm_nn.watch.trace, pywasm_nn.watch.monitors, pywasm_nn.watch.hints, pywasm_nn.watch.text
import pywasm_nn.watch.records
"""


def test_tracing_off_costs_nothing(tmp_path: Path) -> None:
    """Generated text and callables are byte-identical with and without the watch part imported."""
    path = tmp_path / "m.wat"
    path.write_text(MODULE)
    printed, watched = [], []
    for before in ("", WATCH):
        command = [sys.executable, "-c", CODE.format(before=before, path=str(path))]
        done = subprocess.run(
            command, capture_output=True, text=True, check=True, cwd=Path(__file__).parents[2]
        )
        printed.append(done.stdout)
        watched.append(done.stderr.strip())
    assert watched == ["watch False", "watch True"]
    assert len(printed[0]) > 5000
    assert printed[0] == printed[1]
    for word in ("block(", "entered", "_seen"):
        assert word not in printed[0], word


@pytest.mark.parametrize(
    ("body", "last"),
    [
        ("(i32.add (i32.const 5) (i32.const 0))", (5, 0)),  # the sum is the very object that was there
        ("(i32.sub (i32.const 7) (i32.const 0))", (7, 0)),
        ("(i32.mul (i32.const 1) (i32.const 1))", (1, 1)),
        ("(i32.add (i32.const 0) (i32.const 3))", (0, 3)),
        ("(i32.and (i32.const 6) (i32.const 7))", (6, 7)),
    ],
)
def test_operands_are_those_of_the_instruction_also_where_the_result_is_one(
    body: str, last: tuple[int, ...]
) -> None:
    class Seeing(Observer):
        wants = frozenset({"instr"})

        def instruction(self, event: Any) -> None:
            if event.op.name in ("i32.add", "i32.sub", "i32.mul", "i32.and"):
                popped.append(event.popped)

    popped: list[tuple[Any, ...]] = []
    seeing = Seeing()
    module = Module.from_text(f'(module (func (export "f") (result i32) {body}))')
    with module.instantiate(engine="interpret", observer=seeing) as instance:
        instance.exports.f()
    assert popped == [last]


@pytest.mark.parametrize("engine", ["compile", "interpret"])
def test_an_observer_of_blocks_may_change_memory(engine: str) -> None:
    module = Module.from_text("""(module (memory 1) (func (export "f") (param i32) (result i32)
      (i32.store (local.get 0) (i32.const 1))
      (if (local.get 0) (then (nop)))
      (i32.add (i32.load (local.get 0)) (i32.load (local.get 0)))))""")

    class Changing(Observer):
        wants = frozenset({"blocks"})

        def block(self, funcidx: int, offset: int) -> None:
            instance.memory.write(4, bytes([7, 0, 0, 0]))

    with module.instantiate(engine=engine, observer=Changing()) as instance:
        assert instance.exports.f(4) == 14
