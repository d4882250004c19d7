"""The engine `wasmtime`: what is the same as on the other engines, what it refuses, and its limits.

The tests of the faces run on it as a whole with `pytest --engine wasmtime` (.ci/full).
"""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest

from pywasm_nn import Limits, Module, Wasi
from pywasm_nn.errors import (
    DeadlineError,
    ExhaustionError,
    FuelError,
    GuestExit,
    HostError,
    InvalidError,
    LimitError,
    LinkError,
    MalformedError,
    Trap,
    TrapKind,
    WasmError,
    WasmException,
)
from pywasm_nn.interpreter.runtime.alarm import CLOCK
from pywasm_nn.interpreter.runtime.externs import Tag
from pywasm_nn.interpreter.runtime.instance import Func, Instance
from pywasm_nn.interpreter.runtime.observe import Observer
from pywasm_nn.native import problem
from pywasm_nn.watch.profile import Place, Sampler

from ..component.components import component
from ..conftest import HANGS

if reason := problem():
    pytest.skip(reason, allow_module_level=True)
ENGINES = ("compile", "interpret", "wasmtime")

TRAPPING = """(module (memory (export "memory") 1) (table 3 funcref) (elem (i32.const 0) $f)
  (type $t (func (param i32) (result i32)))
  (func $f (export "divide") (type $t) (i32.div_u (i32.const 7) (local.get 0)))
  (func (export "load") (type $t) (i32.load (local.get 0)))
  (func (export "other") (param i32) (call_indirect (local.get 0)))
  (func (export "unreachable") (param i32) unreachable)
  (func (export "convert") (param i32) (drop (i32.trunc_f64_s (f64.const 1e20))))
  (func (export "overflow") (param i32) (drop (i32.div_s (i32.const 0x80000000) (local.get 0))))
  (func (export "fill") (param i32) (memory.fill (local.get 0) (i32.const 0) (i32.const 8)))
  (func (export "table") (param i32) (drop (table.get (local.get 0)))))"""


@pytest.fixture(params=ENGINES)
def engine(request: pytest.FixtureRequest) -> str:
    name: str = request.param
    return name


@pytest.fixture
def native() -> Iterator[Any]:
    """Makes instances in wasmtime from text; they are closed at the end."""
    made: list[Instance] = []

    def start(text: str, **settings: Any) -> Instance:
        made.append(Module.from_text(text, "app.wat").instantiate(engine="wasmtime", **settings))
        return made[-1]

    yield start
    for instance in reversed(made):
        instance.close()


@pytest.mark.parametrize(
    ("name", "argument", "kind"),
    [
        ("divide", 0, TrapKind.DIVIDE_BY_ZERO),
        ("load", 65533, TrapKind.OUT_OF_BOUNDS_MEMORY),
        ("load", -1, TrapKind.OUT_OF_BOUNDS_MEMORY),
        ("other", 0, TrapKind.INDIRECT_CALL_TYPE),
        ("other", 1, TrapKind.UNINITIALIZED_ELEMENT),
        ("other", 3, TrapKind.UNDEFINED_ELEMENT),
        ("unreachable", 0, TrapKind.UNREACHABLE),
        ("convert", 0, TrapKind.INTEGER_OVERFLOW),
        ("overflow", -1, TrapKind.INTEGER_OVERFLOW),
        ("fill", 65529, TrapKind.OUT_OF_BOUNDS_MEMORY),
        ("table", 3, TrapKind.OUT_OF_BOUNDS_TABLE),
    ],
)
def test_a_trap_has_its_kind_and_its_place_on_every_engine(
    engine: str, name: str, argument: int, kind: TrapKind
) -> None:
    with Module.from_text(TRAPPING, "app.wat").instantiate(engine=engine) as instance:
        with pytest.raises(Trap) as trapped:
            instance.exports[name](argument)
        assert trapped.value.kind is kind
        (frame,) = trapped.value.frames
        assert frame.funcidx == instance.exports[name].funcidx
        assert frame.offset == place_on("compile", name, argument)
        assert instance.exports.divide(2) == 3  # it goes on


def place_on(engine: str, name: str, argument: int) -> int:
    with Module.from_text(TRAPPING, "app.wat").instantiate(engine=engine) as instance:
        with pytest.raises(Trap) as trapped:
            instance.exports[name](argument)
        return trapped.value.frames[0].offset


VALUES = """(module
  (func (export "numbers") (param i32 i64 f32 f64) (result f64 f32 i64 i32)
    (local.get 3) (local.get 2) (local.get 1) (local.get 0))
  (func (export "vector") (param v128) (result v128) (local.get 0))
  (func (export "reference") (param externref funcref) (result funcref externref)
    (local.get 1) (local.get 0)))"""


def test_values_cross_as_they_do_elsewhere(engine: str) -> None:
    with Module.from_text(VALUES).instantiate(engine=engine) as instance:
        exports = instance.exports
        assert exports.numbers(-1, -1 << 63, 1.1, 1.1) == (1.1, 1.100000023841858, -1 << 63, -1)
        assert exports.vector((1 << 127) - 12345) == (1 << 127) - 12345
        thing = object()
        assert exports.reference(thing, exports.vector) == (exports.vector, thing)
        assert exports.reference(None, None) == (None, None)
        from pywasm_nn.interpreter.numerics import bits32, float32

        raw = exports.numbers.call(0, 0, float32(0x7FA00001), 0.0)
        assert bits32(raw[1]) == 0x7FA00001  # a signalling NaN keeps its bits


def test_host_functions_get_and_give_every_kind_of_value(engine: str) -> None:
    text = """(module (import "h" "f" (func $f (param i32 i64 f32 f64 externref) (result externref f64 i64)))
      (func (export "run") (param externref) (result externref f64 i64)
        (call $f (i32.const -5) (i64.const -6) (f32.const 0.5) (f64.const -0.25) (local.get 0))))"""
    seen = []

    def f(*values: Any) -> Any:
        seen.append(values)
        return values[4], values[3] * 2, values[1] - 1

    given = Func.of(["i32", "i64", "f32", "f64", "externref"], ["externref", "f64", "i64"], f)
    thing = ["a thing"]
    with Module.from_text(text).instantiate(imports={"h": {"f": given}}, engine=engine) as instance:
        assert instance.exports.run(thing) == (thing, -0.5, -7)
    assert seen == [(-5, -6, 0.5, -0.25, thing)]


class Strange(Exception):
    pass


def test_an_exception_of_a_host_function_comes_back_as_itself(native: Any) -> None:
    text = '(module (import "h" "f" (func $f)) (func $inner (call $f)) (func (export "run") (call $inner)))'
    raised: list[BaseException] = [Strange("why"), GuestExit(3), KeyboardInterrupt(), LinkError("x")]
    raised[0].add_note("a note")

    def f() -> None:
        raise raised[0]

    instance = native(text, imports={"h": {"f": f}})
    with pytest.raises(HostError) as failed:
        instance.exports.run()
    assert failed.value.__cause__ is raised.pop(0)
    assert [frame.name for frame in failed.value.frames] == ["inner", "run"]
    while raised and not isinstance(raised[0], KeyboardInterrupt):
        with pytest.raises(type(raised[0])) as same:
            instance.exports.run()
        assert same.value is raised.pop(0)
    with pytest.raises(KeyboardInterrupt):
        instance.exports.run()
    assert instance.refusal is TrapKind.POISONED  # as on the other engines: stopped anywhere


def test_the_host_calls_back_and_sees_a_grown_memory(engine: str) -> None:
    text = """(module (import "h" "f" (func $f)) (memory (export "memory") 1 5)
      (func (export "grow") (drop (memory.grow (i32.const 1))) (i32.store (i32.const 70000) (i32.const 77)))
      (func (export "run") (call $f)))"""
    seen = []

    def f() -> None:
        view = instance.memory.view(0, 8)
        instance.exports.grow()
        view[0] = 9
        seen.append((instance.memory.size, instance.memory.read(70000, 1)[0], instance.memory.read(0, 1)[0]))

    with Module.from_text(text).instantiate(imports={"h": {"f": f}}, engine=engine) as instance:
        instance.exports.run()
        assert seen == [(131072, 77, 9)]
        assert instance.memory.grow(3) == 2
        assert instance.memory.grow(1) == -1
        instance.memory.write(5 * 65536 - 4, b"last")
        for address, count in ((5 * 65536 - 3, 4), (-1, 1), (1 << 32, 1), (0, 1 << 40)):
            with pytest.raises(Trap):
                instance.memory.view(address, count)


def test_a_view_outlives_the_instance(native: Any) -> None:
    instance = native('(module (memory (export "memory") 1) (data (i32.const 0) "kept"))')
    view = instance.memory.view(0, 4)
    instance.close()
    assert bytes(view) == b"kept"
    with pytest.raises(Trap):
        instance.memory.view(0, 1)


def test_the_start_function_can_use_host_and_memory(engine: str) -> None:
    text = """(module (import "h" "f" (func $f (param i32))) (memory (export "memory") 1)
      (data (i32.const 3) "x") (func $start (call $f (i32.load8_u (i32.const 3)))) (start $start)
      (func (export "bad") unreachable))"""
    seen = []

    def f(value: int) -> None:
        seen.append(value)

    module = Module.from_text(text, "app.wat")
    with module.instantiate(imports={"h": {"f": f}}, engine=engine) as instance:
        assert seen == [120]
        with pytest.raises(Trap) as trapped:
            instance.exports.bad()
        body = module.funcs[1].body
        assert trapped.value.frames[0].offset == body.offsets[0]  # although the start section is gone


GROWING = """
  (core module $M (memory (export "memory") 1)
    (func (export "realloc") (param i32 i32 i32 i32) (result i32)
      (i32.mul (memory.grow (i32.const 1)) (i32.const 65536)))
    (func (export "echo") (param i32 i32) (result i32)
      (i32.store (i32.const 8) (local.get 0)) (i32.store (i32.const 12) (local.get 1)) (i32.const 8)))
  (core instance $m (instantiate $M))
  (func (export "echo") (param "text" string) (result string)
    (canon lift (core func $m "echo") (memory (core memory $m "memory"))
      (realloc (core func $m "realloc"))))"""


def test_components_read_and_write_what_has_grown_meanwhile(engine: str) -> None:
    with component(GROWING).instantiate(engine=engine) as instance:
        for text in ("one", "another", "", "x" * 60000):
            assert instance.exports.echo(text) == text


THROWING = """(module (import "h" "f" (func $f (param i32))) (import "h" "own" (tag $own (param f64)))
  (tag $t (export "t") (param i32 i64))
  (func (export "throw") (param i32) (throw $t (local.get 0) (i64.const -2)))
  (func $raise (export "raise") (param i32) (call $f (local.get 0)))
  (func (export "catch") (param i32) (result i32 i64)
    (block $caught (result i32 i64)
      (try_table (catch $t $caught) (call $raise (local.get 0))) (i32.const 0) (i64.const 0)))
  (func (export "catch_own") (param i32) (result f64)
    (block $caught (result f64)
      (try_table (catch $own $caught) (call $raise (local.get 0))) (f64.const 0)))
  (func (export "again") (param i32)
    (block $caught (result exnref)
      (try_table (catch_all_ref $caught) (call $raise (local.get 0))) (return)) throw_ref))"""


def test_guest_and_host_throw_and_catch(engine: str) -> None:
    own = Tag.carrying("f64")

    def f(which: int) -> None:
        if which == 1:
            raise WasmException(instance.exports.t, (5, -6))
        if which == 2:
            raise WasmException(own, (0.5,))
        if which == 3:
            instance.exports.throw(8)
        if which == 4:
            raise Strange("no guest catches this")

    imports = {"h": {"f": f, "own": own}}
    with Module.from_text(THROWING).instantiate(imports=imports, engine=engine) as instance:
        exports = instance.exports
        assert [exports["catch"](which) for which in (0, 1, 3)] == [(0, 0), (5, -6), (8, -2)]
        assert exports.catch_own(2) == 0.5
        for call in (exports["catch"], exports.again, exports["raise"]):
            with pytest.raises(WasmException) as thrown:
                call(2)
            assert thrown.value.tag is own and thrown.value.values == (0.5,)
        with pytest.raises(WasmException) as thrown:
            exports.throw(-1)
        assert thrown.value.tag is exports.t and thrown.value.values == (-1, -2)
        assert thrown.value.frames[0].funcidx == exports.throw.funcidx
        with pytest.raises(HostError) as failed:
            exports["catch"](4)
        assert isinstance(failed.value.__cause__, Strange)
        assert exports["catch"](1) == (5, -6)


SPIN = """(module (memory (export "memory") 1) (func (export "spin") (loop (br 0)))
  (func $deep (export "deep") (param i32) (result i32)
    (if (result i32) (local.get 0)
      (then (i32.add (i32.const 1) (call $deep (i32.sub (local.get 0) (i32.const 1)))))
      (else (i32.const 0))))
  (func (export "grow") (param i32) (result i32) (memory.grow (local.get 0))))"""


def test_time_ends_a_guest_that_never_calls(native: Any) -> None:
    instance = native(SPIN, limits=Limits(seconds=0.1))
    assert instance.exports.deep(10) == 10
    with pytest.raises(DeadlineError):
        instance.exports.spin()
    with pytest.raises(Trap, match="interrupted"):
        instance.exports.deep(1)
    other = native(SPIN, limits=Limits(seconds=60))  # of the same engine of wasmtime
    assert other.exports.deep(10) == 10


@pytest.mark.parametrize(
    ("size", "calls"), [(64 << 10, False), (256 << 10, False), (1 << 20, False), (4 << 20, True)]
)
def test_a_thread_whose_stack_is_small_runs_no_guest(size: int, calls: bool) -> None:
    """In a process of its own: without the look it ends by SIGSEGV."""
    program = f"""if True:
        import threading
        from pywasm_nn import Module
        from pywasm_nn.errors import ExhaustionError
        module = Module.from_text('(module (func $f (export "f") (call $f)) (func (export "g")))')
        guest = module.instantiate(engine="wasmtime")
        def run():
            for name in ("g", "f"):
                try:
                    print(guest.exports[name]())
                except ExhaustionError as error:
                    print("small" if "threading.stack_size" in str(error) else "deep")
        threading.stack_size({size})
        thread = threading.Thread(target=run)
        thread.start()
        thread.join()"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout.split()) == (0, ["None", "deep"] if calls else ["small", "small"]), (
        done.stderr
    )


def test_other_threads_run_meanwhile(native: Any) -> None:
    instance = native(SPIN, limits=Limits(seconds=0.3))
    counted = []
    other = threading.Thread(target=lambda: counted.append(native(SPIN).exports.deep(1000)))
    other.start()
    with pytest.raises(DeadlineError):
        instance.exports.spin()
    other.join()
    assert counted == [1000]


@pytest.mark.parametrize("limits", [Limits(seconds=0.3), Limits(fuel=1000)])
def test_what_cannot_be_stopped_is_not_imported_under_a_limit(native: Any, limits: Limits) -> None:
    name = "seconds" if limits.seconds else "fuel"
    loop = """(table (export "table") 1 funcref) (memory (export "memory") 1)
      (func (export "loop") (loop (br 0)))"""
    free, held = native(loop), native(loop, limits=limits)
    for kind, import_ in {"memory": "(memory 1)", "table": "(table 1 funcref)", "loop": "(func)"}.items():
        text = f'(import "a" "{kind}" {import_}) (func (export "f") (loop (br 0)))'
        with pytest.raises(LinkError, match=f"can't hold Limits.{name}: .* made without it"):
            native(text, imports={"a": {kind: free.exports[kind]}}, limits=limits)
        native(text, imports={"a": {kind: held.exports[kind]}}, limits=limits)


def test_a_function_that_cannot_be_stopped_is_not_lent_to_who_has_a_deadline(native: Any) -> None:
    loop = native('(func (export "loop") (loop (br 0)))').exports["loop"]
    text = """(type $v (func)) (table 1 funcref) (func (export "f") (param funcref)
      (table.set (i32.const 0) (local.get 0)) (call_indirect (type $v) (i32.const 0)))"""
    with pytest.raises(LinkError, match="made without it"):
        native(text, limits=Limits(seconds=0.3)).exports.f(loop)


@pytest.mark.parametrize("limits", [Limits(seconds=HANGS), Limits(fuel=1000)])
@pytest.mark.parametrize("caller", ENGINES)
def test_a_function_that_cannot_be_stopped_is_not_called_for_who_has_a_limit(
    native: Any, caller: str, limits: Limits
) -> None:
    """A host function of a guest with a limit calls another guest: its limit would hold on other engines."""
    free = native(SPIN).exports
    text = '(module (import "host" "f" (func $f)) (func (export "run") (call $f)))'
    name = "seconds" if limits.seconds else "fuel"
    calling = Module.from_text(text).instantiate(
        imports={"host": {"f": lambda: free.deep(5)}}, engine=caller, limits=limits
    )
    with calling, pytest.raises(LinkError, match=f"can't hold Limits.{name}: .* made without it"):
        calling.exports.run()
    assert free.deep(5) == 5
    calling = Module.from_text(text).instantiate(imports={"host": {"f": lambda: free.deep(5)}}, engine=caller)
    with calling:
        calling.exports.run()


def test_an_element_that_is_not_exported_is_called_itself(native: Any) -> None:
    """And no other function of the guest's."""
    instance = native("""(module (table (export "t") 2 funcref) (elem (i32.const 0) $one $two)
      (func $one (result i32) (i32.const 1)) (func $two (result i32) (i32.const 2))
      (func (export "three") (result i32) (i32.const 3)))""")
    assert [element() for element in instance.exports.t.elements] == [1, 2]


ALIKE = """
  (core module $m (func (export "f")) (func $other (unreachable)))
  (core module $n (func) (func $mine (export "f") (unreachable)))
  (core instance (instantiate $m)) (core instance $i (instantiate $n))
  (func (export "f") (canon lift (core func $i "f")))"""


def test_a_frame_names_the_module_whose_code_is_alike() -> None:
    """wasmtime tells no instance, only an offset in a module and names."""
    with component(ALIKE).instantiate(engine="wasmtime") as instance, pytest.raises(Trap) as caught:
        instance.exports.f()
    assert [frame.place.rpartition("!")[2] for frame in caught.value.frames] == ["mine"]


def test_fuel_is_paid_and_counted(native: Any) -> None:
    instance = native(SPIN, limits=Limits(fuel=100_000))
    instance.exports.deep(10)
    first = 100_000 - instance.fuel
    assert 10 <= first <= 1000
    instance.exports.deep(10)
    assert 100_000 - instance.fuel == 2 * first
    instance.fuel = 1 << 40
    instance.exports.deep(10)
    assert instance.fuel == (1 << 40) - first
    instance.fuel = 1000
    with pytest.raises(FuelError):
        instance.exports.spin()
    assert instance.fuel == 0


def test_memory_and_stack_are_held(native: Any) -> None:
    instance = native(SPIN, limits=Limits(memory=3 * 65536, call_depth=100))
    assert [instance.exports.grow(1) for _ in range(4)] == [1, 2, -1, -1]
    with pytest.raises(ExhaustionError):
        instance.exports.deep(1_000_000)
    assert instance.exports.deep(10) == 10
    with pytest.raises(LimitError) as limited:
        native(SPIN, limits=Limits(memory=1000))
    assert limited.value.limit == "memory"
    with pytest.raises(LimitError) as limited:
        native("(module (table 100 funcref))", limits=Limits(table=99))
    assert limited.value.limit == "table"
    two = native(
        '(module (memory 1) (memory 1) (func (export "grow") (result i32 i32) (memory.grow 0 (i32.const 3))'
        " (memory.grow 1 (i32.const 2))))",
        limits=Limits(memory_total=6 * 65536),
    )
    assert two.exports.grow() == (-1, 1)  # all together stay within the total


def test_exceptions_that_are_kept_are_held_by_a_limit(native: Any) -> None:
    instance = native(
        """(module (tag $t (param i64)) (table $kept 200000 exnref)
          (func (export "keep") (param i32)
            (loop $more
              (table.set $kept (local.get 0)
                (block $caught (result exnref)
                  (try_table (catch_all_ref $caught) (throw $t (i64.const 1))) unreachable))
              (br_if $more (local.tee 0 (i32.sub (local.get 0) (i32.const 1)))))))""",
        limits=Limits(memory=1 << 20, heap=1 << 20),
    )
    instance.exports.keep(100)
    with pytest.raises(LimitError) as limited:
        instance.exports.keep(150_000)
    assert limited.value.limit == "heap"


SCARCE = """
import resource
from pywasm_nn import Module
from pywasm_nn.errors import MemoryLimitError
resource.setrlimit(resource.RLIMIT_AS, (2 << 30, 2 << 30))
module = Module.from_text('(module (memory (export "memory") 1))')
kept = [module.instantiate(engine="wasmtime") for _ in range(3)]
assert [instance.memory.grow(100) for instance in kept] == [1, 1, 1]
assert kept[0].memory.grow(10_000) == -1  # more than is reserved for one
try:
    while True:
        kept.append(module.instantiate(engine="wasmtime"))
except MemoryLimitError as error:
    print("refused", len(kept) > 3, "memory" in str(error))
"""


def test_where_addresses_are_scarce_memories_get_fewer() -> None:
    pytest.importorskip("resource")
    done = subprocess.run([sys.executable, "-c", SCARCE], capture_output=True, text=True, check=False)
    assert (done.stdout, done.returncode) == ("refused True True\n", 0), done.stderr


class Counting(Observer):
    wants = frozenset({"calls"})


@pytest.mark.parametrize(
    ("text", "settings", "reason"),
    [
        ("(module)", {"observer": Counting()}, "can't observe calls"),
        ("(module (type (struct)))", {}, "structures or arrays"),
        ("(module (tag))", {"limits": Limits(heap=1000)}, "exceptions"),
        ("(module (func (try (do)) (drop (i32.const 1))))", {}, "it has legacy exceptions$"),
        (
            "(module (func (drop (ref.i31 (i32.const 1)))))",
            {},
            r"engine wasmtime can't run [^\\]*: [^\\]*gc[^\\]*$",
        ),
    ],
)
def test_what_it_cant_hold_it_refuses_with_the_reason(
    native: Any, text: str, settings: dict[str, Any], reason: str
) -> None:
    with pytest.raises(LinkError, match=reason):
        native(text, **settings)


def test_a_deadline_is_refused_where_no_thread_can_ring_it(
    native: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only another thread makes native code look at the time."""
    monkeypatch.setattr(CLOCK, "available", lambda: False)
    with pytest.raises(LinkError, match=r"can't hold Limits\.seconds: .* no threads"):
        native(SPIN, limits=Limits(seconds=0.1))
    native(SPIN).exports.deep(10)


def test_a_profile_tells_native_code_as_such(native: Any) -> None:
    """Nobody sees the guest's functions from another thread; the host's are seen below."""
    text = '(module (import "env" "wait" (func $wait)) (func (export "run") (call $wait)))'
    instance = native(text, imports={"env": {"wait": lambda: time.sleep(0.2)}})
    with Sampler(0.005) as sampler:
        instance.exports.run()
    waiting = (Place("engine", "native code"), Place("host", "env.wait"))
    assert waiting in {sample.stack for sample in sampler.samples}
    spinning = native(SPIN, limits=Limits(seconds=0.3))
    with pytest.raises(DeadlineError), Sampler(0.005) as sampler:
        spinning.exports.spin()
    assert waiting[:1] in {sample.stack for sample in sampler.samples}


def test_state_is_not_copied(native: Any) -> None:
    with pytest.raises(WasmError, match="can't copy state"):
        native("(module (memory 1))").snapshot()


def test_an_invalid_body_is_said_in_our_words() -> None:
    module = Module.from_text('(module (func (export "run") (result i32)))')  # bodies are validated later
    with pytest.raises(InvalidError) as invalid:
        module.instantiate(engine="wasmtime")
    with pytest.raises(InvalidError) as ours:
        module.validate()
    assert str(invalid.value) == str(ours.value)


def test_a_program_runs_with_our_wasi(native: Any) -> None:
    from pywasm_nn import Capture

    text = """(module
      (import "wasi_snapshot_preview1" "fd_write" (func $w (param i32 i32 i32 i32) (result i32)))
      (import "wasi_snapshot_preview1" "proc_exit" (func $exit (param i32)))
      (memory (export "memory") 1) (data (i32.const 0) "\\08\\00\\00\\00\\03\\00\\00\\00hi\\0a")
      (func (export "_start") (drop (call $w (i32.const 1) (i32.const 0) (i32.const 1) (i32.const 20)))
        (call $exit (i32.const 7))))"""
    out = Capture()
    instance = native(text, wasi=Wasi(stdout=out))
    with pytest.raises(GuestExit) as ended:
        instance.exports._start()
    assert (ended.value.code, out.value) == (7, b"hi\n")


@pytest.mark.parametrize(
    ("feature", "instruction"),
    [
        ("wide-arithmetic", "(i64.add128 (i64.const 1) (i64.const 1) (i64.const 1) (i64.const 1)) drop drop"),
        ("threads", "(drop (i32.atomic.load (i32.const 0)))"),
    ],
)
def test_a_feature_that_is_off_is_off_in_bodies_too(feature: str, instruction: str) -> None:
    """Bodies are read by wasmtime alone, which has every proposal."""
    text = f'(module (memory 1) (func (export "f") {instruction}))'
    Module.from_text(text).instantiate(engine="wasmtime").exports.f()
    off = Module.from_text(text, features=[f"-{feature}"])
    with pytest.raises(MalformedError, match=f"of the proposal {feature}, which is off"):
        off.instantiate(engine="wasmtime")


def test_saying_why_a_module_is_invalid_looks_at_the_deadline() -> None:
    """wasmtime refuses it at once; all its instructions are then read here for the words of the error."""
    text = f'(module (func (export "f") {"nop " * 200_000} i32.const 0))'
    module = Module.from_text(text)
    with pytest.raises(InvalidError):
        module.instantiate(engine="wasmtime")
    with pytest.raises(DeadlineError):
        Module.from_text(text).instantiate(engine="wasmtime", limits=Limits(seconds=0.01))
