"""Traces: what is collected. Lines are `test_text.py`'s, JSON and CSV `test_records.py`'s."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path

import numpy
import pytest

from pywasm_nn import demo
from pywasm_nn.api import Module
from pywasm_nn.errors import GuestExit, Trap, WasmError
from pywasm_nn.interpreter.runtime.instance import Instance
from pywasm_nn.limits import Limits
from pywasm_nn.nn import NN, Tensor
from pywasm_nn.wasi import Capture, Wasi
from pywasm_nn.watch import events
from pywasm_nn.watch.trace import Trace

FIXTURES = Path(__file__).parents[1] / "nn" / "fixtures"
MODULE = """(module
  (memory 1)
  (global $count (mut i32) (i32.const 0))
  (func $square (export "square") (param $x i32) (result i32) local.get $x local.get $x i32.mul)
  (func $twice (export "twice") (param i32) (result i32)
    (i32.mul (call $square (local.get 0)) (i32.const 2)))
  (func $keep (export "keep") (param $x i32) (local $y i32)
    (local.set $y (i32.const 7))
    (i32.store16 offset=2 (i32.const 8) (local.get $x))
    (global.set $count (local.get $x))
    (memory.fill (i32.const 100) (i32.const 1) (i32.const 1000)))
  (func $divide (export "divide") (param i32 i32) (result i32)
    (i32.div_s (local.get 0) (local.get 1)))
  (func $wide (export "store") (param i32) (i64.store (local.get 0) (i64.const -1))))"""


def collected(
    call: Callable[[Instance], object], levels: Iterable[str], **settings: object
) -> list[events.Event]:
    trace = Trace(levels, **settings)  # type: ignore[arg-type] # checked by the callee
    module = Module.from_text(MODULE)
    with module.instantiate(engine="interpret", observer=trace) as instance, suppress(WasmError):
        call(instance)
    return list(trace)


def instructions(found: list[events.Event]) -> list[events.Instruction]:
    return [event for event in found if isinstance(event, events.Instruction)]


def test_of_many_values_some_are_kept() -> None:
    many = 1000
    pushes, locals_ = " ".join(["i32.const 7"] * many), " ".join(["i64"] * many)
    text = f'(module (func (export "f") (local {locals_}) {pushes} br 0))'
    trace = Trace(["instr"])
    with Module.from_text(text).instantiate(engine="interpret", observer=trace) as app:
        app.exports.f()
    found = instructions(list(trace))
    assert len(found) >= many
    assert max(len(event.stack) for event in found) == max(len(event.popped) for event in found) == 256
    assert {event.locals for event in found} == {(0,) * 256}


def test_instructions_say_what_they_took_and_left() -> None:
    found = instructions(collected(lambda app: app.exports.square(3), ["instr"]))
    assert [(e.text, e.popped, e.stack) for e in found] == [
        ("local.get $x", (), (3,)),
        ("local.get $x", (), (3, 3)),
        ("i32.mul", (3, 3), (9,)),
        ("end", (), (9,)),
    ]
    assert {(e.funcidx, e.function, e.depth, e.locals) for e in found} == {(0, "$square", 1, (3,))}
    assert [e.offset for e in found] == sorted({e.offset for e in found})
    assert [e.number for e in found] == [1, 2, 3, 4]


def test_instructions_say_what_they_changed() -> None:
    found = instructions(collected(lambda app: app.exports.keep(0x1234), ["instr"]))
    changed = {e.text.split()[0]: e for e in found if e.local or e.global_ or e.memory}
    assert list(changed) == ["local.set", "i32.store16", "global.set", "memory.fill"]
    assert changed["local.set"].local == (1, 7)
    assert changed["local.set"].locals == (0x1234, 7)
    assert changed["global.set"].global_ == (0, 0x1234)
    stored, filled = changed["i32.store16"].memory, changed["memory.fill"].memory
    assert stored == events.MemoryChange(memory=0, address=10, count=2, before=bytes(2), after=b"\x34\x12")
    assert filled is not None
    assert (filled.address, filled.count) == (100, 1000)
    assert filled.before == bytes(len(filled.before))
    assert filled.after == b"\1" * len(filled.before)


def test_what_trapped_is_the_last_instruction() -> None:
    *_, divided, end = collected(lambda app: app.exports.divide(3, 0), ["instr"])
    assert isinstance(divided, events.Instruction)
    assert divided.text == "i32.div_s"
    assert "divide by zero" in (divided.error or "")
    assert isinstance(end, events.End)
    assert (end.outcome, end.code) == ("trap", None)
    *_, stored, _ = collected(lambda app: app.exports.store(0xFFFF), ["instr"])
    assert isinstance(stored, events.Instruction)
    assert stored.memory is None
    assert stored.error


def test_calls_have_depth_and_signed_values() -> None:
    found = collected(lambda app: app.exports.twice(-3), ["calls"])
    assert [
        (e.kind, e.function, e.depth, getattr(e, "arguments", None) or getattr(e, "results", None))
        for e in found
        if isinstance(e, events.Call | events.Return)
    ] == [
        ("call", "$twice", 1, (-3,)),
        ("call", "$square", 2, (-3,)),
        ("return", "$square", 2, (9,)),
        ("return", "$twice", 1, (18,)),
    ]


@pytest.mark.parametrize(
    ("only", "functions"),
    [
        (["square"], {"$square"}),
        (["$sq*"], {"$square"}),
        (["1"], {"$twice"}),
        (["nobody"], set()),
        (["square", "twice"], {"$square", "$twice"}),
    ],
)
def test_functions_are_chosen_by_name_glob_or_index(only: list[str], functions: set[str]) -> None:
    found = collected(lambda app: app.exports.twice(3), ["calls", "instr"], only=only)
    shown = [e for e in found if isinstance(e, events.Call | events.Return | events.Instruction)]
    assert {e.function for e in shown} == functions


def test_instructions_are_chosen_by_offset() -> None:
    every = instructions(collected(lambda app: app.exports.twice(3), ["instr"]))
    first, last = every[2].offset, every[3].offset
    chosen = instructions(
        collected(lambda app: app.exports.twice(3), ["instr"], only=[f"{first:#x}-{last:#x}"])
    )
    assert [e.offset for e in chosen] == [first, last]


@pytest.mark.parametrize("wrong", ["0x9-0x1", "", "$"])
def test_a_filter_that_says_nothing_is_refused(wrong: str) -> None:
    with pytest.raises(ValueError, match=r"range|write"):
        Trace(["instr"], only=[wrong])


def test_an_unknown_level_is_refused() -> None:
    with pytest.raises(ValueError, match="instr"):
        Trace(["instructions"])


def test_the_budget_ends_the_trace_and_says_what_is_left_out() -> None:
    found = collected(lambda app: app.exports.square(3), ["instr"], budget=2)
    assert [e.kind for e in found] == ["instr", "instr", "omitted"]
    assert isinstance(found[-1], events.Omitted)
    assert found[-1].count == 2


def test_a_ring_keeps_the_last_events_and_gives_them_up_when_the_guest_traps() -> None:
    passed: list[events.Event] = []
    assert collected(lambda app: app.exports.square(3), ["instr"], ring=2, sink=passed.append)
    assert passed == []
    collected(lambda app: app.exports.divide(3, 0), ["instr"], ring=3, sink=passed.append)
    assert [e.kind for e in passed] == ["instr", "instr", "end"]
    assert isinstance(passed[1], events.Instruction)
    assert passed[1].text == "i32.div_s"


def test_only_the_watched_instance_is_seen() -> None:
    library = Module.from_text('(module (func $inner (export "f") (result i32) i32.const 5))')
    user = Module.from_text(
        '(module (import "lib" "f" (func $f (result i32))) (func $outer (export "g") (result i32) call $f))'
    )
    for watched in ("lib", "user", "both"):
        inner, outer = Trace(["calls", "instr"]), Trace(["calls", "instr"])
        with (
            library.instantiate(engine="interpret", observer=None if watched == "user" else inner) as lib,
            user.instantiate(
                imports={"lib": lib}, engine="interpret", observer=None if watched == "lib" else outer
            ) as app,
        ):
            assert app.exports.g() == 5
        names = [
            {e.function for e in trace if isinstance(e, events.Call | events.Instruction)}
            for trace in (inner, outer)
        ]
        assert names == [
            set() if watched == "user" else {"$inner"},
            set() if watched == "lib" else {"$outer"},
        ]


def digits(levels: list[str], engine: str = "compile") -> list[events.Event]:
    folder = demo.path()
    trace = Trace(levels, keep_bytes=1 << 10)
    wasi = Wasi(args=["app.wasm"], dirs={"models": folder / "models"}, stdout=Capture())
    module = Module.from_file(folder / "app.wasm")
    with module.instantiate(wasi, NN(backends={"onnx": "numpy"}), engine=engine, observer=trace) as app:
        app.exports["_start"]()
    return list(trace)


@pytest.mark.parametrize("engine", ["interpret", "compile"])
def test_inference_is_seen_on_every_engine(engine: str) -> None:
    found = [e for e in digits(["nn"], engine) if isinstance(e, events.Inference)]
    assert [e.operation for e in found] == [
        "load",
        "init_execution_context",
        "set_input",
        "compute",
        "get_output",
    ]
    load, _, given, compute, got = found
    assert (load.backend, load.device, load.asked, load.graph) == ("numpy", "CPU", "cpu", 0)
    [picture] = given.tensors
    assert (picture.name, picture.wants, picture.shape, picture.size) == (
        "picture",
        "f32[1,1,8,8]",
        (1, 1, 8, 8),
        256,
    )
    assert (picture.minimum, picture.maximum, picture.not_finite, picture.whole) == (0, 1, 0, False)
    assert picture.mean == pytest.approx(0.337, abs=5e-4)
    assert picture.data is not None
    assert len(picture.data) == 256
    assert compute.tensors == (), "told when they are fetched"
    assert [place for place, _ in got.tensors[0].top] == [5, 3, 8]
    assert all(e.context == 0 for e in (given, compute, got))


def test_what_inference_tells_is_not_told_again_as_a_host_call() -> None:
    host = [e for e in digits(["host", "nn"]) if isinstance(e, events.HostCall)]
    assert not {"compute", "set_input", "load"} & {e.name for e in host}
    assert {e.module for e in host} == {"wasi_snapshot_preview1"}
    alone = [e for e in digits(["host"]) if isinstance(e, events.HostCall)]
    assert {"compute", "set_input", "load"} <= {e.name for e in alone}


def test_inputs_that_come_with_a_compute_are_told_by_their_index(tmp_path: Path) -> None:
    nn = NN(models={"m": FIXTURES / "add_mul_dyn.onnx"}, backends={"onnx": "numpy"})
    trace = Trace(["nn"])
    session = nn.watched_by(trace.nn_event).open(print, Limits()).session
    context = session.init_execution_context(session.load_by_name("m"))
    halves = [Tensor.from_numpy(numpy.full((1, 2), value, "f4")) for value in (3, 4)]
    session.compute_named(context, [("b", halves[0]), ("a", halves[1])])
    session.close()
    told = [e for e in trace if isinstance(e, events.Inference)]
    assert [(e.operation, e.index) for e in told[2:]] == [
        ("set_input", 1),
        ("set_input", 0),
        ("compute", None),
    ]
    assert [e.tensors[0].mean for e in told[2:4]] == [3, 4]
    assert [tensor.top[0][1] for tensor in told[4].tensors] == [7, 12]


def test_host_calls_have_arguments_and_errors() -> None:
    host = [e for e in digits(["host"]) if isinstance(e, events.HostCall)]
    opened = next(e for e in host if e.name == "path_open")
    assert dict(opened.arguments)["path"] == "digits.onnx"
    assert any(e.result == 8 and "BADF" in (e.error or "") for e in host), "the end of the preopens"
    assert any(dict(e.arguments).get("ciovs") == ("5",) for e in host if e.name == "fd_write")


def test_what_nobody_asked_for_costs_nothing() -> None:
    assert Trace(["calls"]).wants == {"calls"}
    module = Module.from_text(MODULE)
    with module.instantiate(observer=Trace(["host"])) as watched, module.instantiate() as plain:
        watched.exports.square(3)
        plain.exports.square(3)
        both = [instance.funcs[0].callable.__code__ for instance in (watched, plain)]
        assert both[0].co_code == both[1].co_code


def test_a_trap_says_so_once() -> None:
    trace = Trace(["host"])
    module = Module.from_text(
        """(module (import "host" "back" (func $back))
          (func (export "fail") unreachable) (func (export "go") call $back))"""
    )
    instances: list[Instance] = []

    def back() -> None:
        instances[0].exports.fail()

    with module.instantiate(imports={"host": {"back": back}}, observer=trace) as app:
        instances.append(app)
        with pytest.raises(Trap):
            app.exports.go()
    assert sorted(e.kind for e in trace) == ["end", "host"]


def test_a_trace_keeps_no_guest_alive() -> None:
    folder, trace = demo.path(), Trace(["host", "nn", "calls"])
    module = Module.from_file(folder / "app.wasm")
    instance = module.instantiate(Wasi(args=["app.wasm"], stderr=Capture()), NN(), observer=trace)
    with instance, suppress(GuestExit):
        instance.exports["_start"]()
    assert any(isinstance(event, events.End) and event.code == 1 for event in trace)
    gone = weakref.ref(instance)
    del instance
    gc.collect()
    assert gone() is None
