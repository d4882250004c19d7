"""The public API, as an embedder uses it."""

from __future__ import annotations

import asyncio
import copy
import pickle
import subprocess
import sys
import threading
import traceback
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import pytest

from pywasm_nn.api import Module
from pywasm_nn.components import Component
from pywasm_nn.errors import (
    BusyError,
    GuestExit,
    HostError,
    InvalidError,
    LimitError,
    LinkError,
    MalformedError,
    Trap,
    TrapKind,
    WasmError,
)
from pywasm_nn.frames import GuestFrame, GuestLocal
from pywasm_nn.interpreter.runtime.externs import Global, Tag
from pywasm_nn.interpreter.runtime.instance import Instance
from pywasm_nn.interpreter.runtime.memory import Flavour, Memory
from pywasm_nn.interpreter.runtime.table import Table
from pywasm_nn.limits import Limits
from pywasm_nn.program import run
from pywasm_nn.wasi import Wasi

from .conftest import HANGS
from .spawned import call_main

Start = Callable[..., Instance]
GUESTS = Path(__file__).parent / "guests"

ARITHMETIC = """
(module
  (memory (export "memory") 1)
  (global (export "counter") (mut i64) (i64.const -1))
  (table (export "table") 2 funcref)
  (func (export "add") (param i32 i32) (result i32) (i32.add (local.get 0) (local.get 1)))
  (func (export "wide") (param i64) (result i64) (local.get 0))
  (func (export "half") (param f32) (result f32) (f32.mul (local.get 0) (f32.const 0.5)))
  (func (export "swap") (param i32 i64) (result i64 i32) (local.get 1) (local.get 0))
  (func (export "nothing"))
  (func (export "odd name!") (result i32) (i32.const 1)))
"""


def test_exports_take_ints_signed_or_unsigned_and_answer_signed(start: Start) -> None:
    with start(ARITHMETIC) as instance:
        call = instance.exports
        assert call.add(2, 3) == 5
        assert call.add(0xFFFFFFFF, 0) == -1
        assert call.add(-1, 0) == -1
        assert call.wide(2**64 - 1) == -1
        assert call.half(0.2) == pytest.approx(0.1, rel=1e-7)
        assert call.half(0.2) != 0.1
        assert call.swap(-2, 3) == (3, -2)
        assert call.nothing() is None
        assert call["odd name!"]() == 1


@pytest.mark.parametrize(
    ("arguments", "error"),
    [((1,), TypeError), ((1, 2, 3), TypeError), (("1", 2), TypeError), ((2**32, 0), ValueError)],
)
def test_arguments_that_do_not_fit(start: Start, arguments: tuple[Any, ...], error: type[Exception]) -> None:
    with start(ARITHMETIC) as instance, pytest.raises(error):
        instance.exports.add(*arguments)


def test_one_argument_is_no_arguments(start: Start) -> None:
    with (
        start(ARITHMETIC) as instance,
        pytest.raises(TypeError, match=r"takes 1 argument \[i64\] -> \[i64\], got 0"),
    ):
        instance.exports.wide()


def test_a_module_without_a_name_has_one_in_backtraces(engine: str) -> None:
    module = Module.from_text('(module (func $f (export "f") unreachable))')
    with module.instantiate(engine=engine) as instance, pytest.raises(Trap) as caught:
        instance.exports.f()
    assert caught.value.frames[0].place.endswith("  module!f")


def test_exports_are_a_mapping_with_attributes(start: Start) -> None:
    with start(ARITHMETIC) as instance:
        assert list(instance.exports)[:3] == ["memory", "counter", "table"]
        assert "add" in instance.exports
        assert instance.exports.memory is instance.memory
        assert len(instance.exports.table) == 2
        with pytest.raises(AttributeError, match="exports no 'sub'"):
            getattr(instance.exports, "sub")  # noqa: B009 - the attribute is what is tested
        with pytest.raises(KeyError):
            instance.exports["sub"]


def test_instances_of_one_module_share_nothing(start: Start) -> None:
    module = Module.from_text(ARITHMETIC)
    with module.instantiate() as one, module.instantiate(engine="interpret") as other:
        one.memory.write(0, b"one")
        one.exports.counter.value = 5
        assert other.memory.read(0, 3) == b"\0\0\0"
        assert other.exports.counter.value == -1


def test_an_instance_serves_as_imports_of_another(start: Start) -> None:
    library = start(ARITHMETIC)
    user = start(
        """(module (import "lib" "add" (func $add (param i32 i32) (result i32)))
                   (import "lib" "memory" (memory 1))
                   (import "lib" "counter" (global $c (mut i64)))
                   (func (export "main") (result i32)
                     (global.set $c (i64.const 9)) (i32.store (i32.const 8) (i32.const 77))
                     (call $add (i32.const 1) (i32.const 2))))""",
        imports={"lib": library},
    )
    assert user.exports.main() == 3
    assert library.memory.load("u32", 8) == 77
    assert library.exports.counter.value == 9


def test_files_in_both_formats(tmp_path: Path) -> None:
    (tmp_path / "a.wat").write_text(ARITHMETIC)
    text = Module.from_file(tmp_path / "a.wat")
    from pywasm_nn.interpreter.encode import encode

    (tmp_path / "a.wasm").write_bytes(encode(text))
    assert Module.from_file(tmp_path / "a.wasm") == text


@pytest.mark.parametrize(
    "text",
    [
        "(module)", "( module )", "(func)", '(; one ;) ;; two\n (memory 1)', '(data "a")',
        "(module $name (func))", '(@custom "a" "b") (func)',
    ],
)  # fmt: skip
def test_files_in_the_text_format_are_known_by_how_they_begin(text: str, tmp_path: Path) -> None:
    (tmp_path / "any").write_text(text)
    assert Module.from_file(tmp_path / "any") == Module.from_text(text)


CORE, COMPONENT = b"\0asm\1\0\0\0", b"\0asm\x0d\0\1\0"
READERS = (Module.from_file, Component.from_file, run)
ELSE = {
    b"#include <stdio.h>": "this is C or C++ source, not a module: build it first; `pywasm-nn new` shows how",
    b"": "this file is empty",
    CORE[:6]: "this module is cut off after 6 bytes",
    b"GGUF\3\0\0\0": "this is a GGUF model; the guest that uses it is another file",
}
CORES = "this is a core module: Module.from_file reads it"


@pytest.mark.parametrize(
    ("read", "data", "said"),
    [
        *((read, data, said) for data, said in ELSE.items() for read in READERS),
        (Module.from_file, COMPONENT, "this is a component: Component.from_file reads it"),
        (Component.from_file, CORE, CORES),
        (Component.from_file, b"(module)", CORES),
    ],
)
def test_a_file_that_is_something_else_is_named(
    read: Callable[[Path], object], data: bytes, said: str, tmp_path: Path
) -> None:
    (tmp_path / "m").write_bytes(data)
    with pytest.raises(MalformedError) as caught:
        read(tmp_path / "m")
    assert str(caught.value) == f"{tmp_path / 'm'}: {said}"


def test_bad_modules_are_refused_with_the_documented_class() -> None:
    with pytest.raises(MalformedError):
        Module.from_bytes(b"\0asm\1\0\0")
    with pytest.raises(MalformedError):
        Module.from_text("(module (func)")
    with pytest.raises(InvalidError):
        Module.from_text('(module (export "a" (func 3)))')


def test_an_invalid_body_is_found_by_validate_or_else_when_it_is_called(start: Start) -> None:
    text = """(module (func (export "good") (result i32) (i32.const 1))
                      (func (export "bad") (result i32) (i64.const 1)))"""
    with pytest.raises(InvalidError, match="type mismatch"):
        Module.from_text(text).validate()
    with start(text) as instance:
        assert instance.exports.good() == 1
        for _ in range(2):
            with pytest.raises(Trap, match="type mismatch") as caught:
                instance.exports.bad()
            assert caught.value.kind is TrapKind.INVALID_BODY
        assert instance.exports.good() == 1


def test_a_closed_instance_refuses_calls_and_closing_while_running_is_refused(start: Start) -> None:
    def close() -> None:
        instance.close()

    text = """(module (import "host" "close" (func $close))
                      (func (export "main") (call $close)) (func (export "f")))"""
    instance = start(text, imports={"host": {"close": close}})
    with pytest.raises(WasmError, match="running"):
        instance.exports.main()
    instance.exports.f()
    instance.close()
    instance.close()
    with pytest.raises(Trap) as caught:
        instance.exports.f()
    assert caught.value.kind is TrapKind.CLOSED


def test_an_instance_runs_on_one_thread_at_a_time_with_those_it_calls(start: Start) -> None:
    entered, go_on = threading.Event(), threading.Event()

    def wait() -> None:
        entered.set()
        assert go_on.wait(HANGS)

    library = start(
        """(module (import "host" "wait" (func $wait))
                   (func (export "wait") (call $wait)) (func (export "f") (result i32) (i32.const 7)))""",
        imports={"host": {"wait": wait}},
    )
    user = start(
        """(module (import "library" "wait" (func $wait)) (import "library" "f" (func $f (result i32)))
                   (func (export "wait") (call $wait)) (func (export "f") (result i32) (call $f)))""",
        imports={"library": library},
    )
    other = start("""(module (func (export "f") (result i32) (i32.const 7)))""")
    thread = threading.Thread(target=user.exports.wait)
    thread.start()
    try:
        assert entered.wait(HANGS)
        for busy in (library, user):
            with pytest.raises(BusyError, match="another thread"):
                busy.exports.f()
        with pytest.raises(BusyError):
            user.close()
        assert other.exports.f() == 7
    finally:
        go_on.set()
        thread.join()
    assert library.exports.f() == user.exports.f() == 7
    user.close()


def test_a_host_function_may_call_back_on_its_own_thread(start: Start) -> None:
    def back() -> int:
        return int(instance.exports.seven())

    instance = start(
        """(module (import "host" "back" (func $back (result i32)))
                   (func (export "seven") (result i32) (i32.const 7))
                   (func (export "main") (result i32) (call $back)))""",
        imports={"host": {"back": back}},
    )
    assert instance.exports.main() == 7


def test_other_tasks_go_on_while_a_guest_is_awaited(start: Start) -> None:
    """The guest waits in its host function for something that another task does."""
    done = threading.Event()

    def wait() -> int:
        return int(done.wait(HANGS))

    async def main() -> int:
        async def other() -> None:
            done.set()

        result, _ = await asyncio.gather(instance.exports.main.call_async(), other())
        return int(result)

    with start(
        """(module (import "host" "wait" (func $wait (result i32)))
                   (func (export "main") (result i32) (call $wait)))""",
        imports={"host": {"wait": wait}},
    ) as instance:
        assert asyncio.run(main()) == 1


def test_what_rises_from_an_awaited_guest_is_what_rises_from_a_call(start: Start) -> None:
    with start("""(module (func (export "f") (param i32) unreachable))""") as instance:
        with pytest.raises(Trap) as caught:
            asyncio.run(instance.exports.f.call_async(1))
        assert caught.value.kind is TrapKind.UNREACHABLE
        assert caught.value.frames
        with pytest.raises(TypeError):
            asyncio.run(instance.exports.f.call_async())


def test_a_module_is_pickled_as_its_bytes(start: Start) -> None:
    module = Module.from_text(ARITHMETIC, "calculator.wat")
    with module.instantiate() as instance:
        instance.exports.add(1, 2)  # what was compiled isn't in the way
    for same in (pickle.loads(pickle.dumps(module)), copy.deepcopy(module)):
        assert (same, same.name, type(same)) == (module, "calculator.wat", Module)
        with same.instantiate() as instance:
            assert instance.exports.add(1, 2) == 3


@pytest.mark.usefixtures("no_main_module")
def test_a_module_and_the_error_of_its_guest_cross_processes() -> None:
    module = Module.from_text('(module (func (export "main") (param i32) (unreachable)))', "main.wat")
    with ProcessPoolExecutor(1, get_context("spawn")) as pool, pytest.raises(Trap) as caught:
        pool.submit(call_main, module, 1).result()
    assert caught.value.kind is TrapKind.UNREACHABLE
    assert [frame.module for frame in caught.value.frames] == ["main.wat"]


def trapped() -> Trap:
    trap = Trap(TrapKind.UNREACHABLE, "why")
    trap.frames = (
        GuestFrame("a", 1, "f", 7, (GuestLocal(0, "n", "i32", -1),), Module.from_text("(module)")),
    )
    return trap


@pytest.mark.parametrize(
    "error",
    [
        MalformedError("bad", 5),
        MalformedError("bad", line=1, column=2),
        InvalidError("bad", func=3, offset=9),
        LinkError("unknown import"),
        LimitError("memory", "too much"),
        trapped(),
        HostError("f", ValueError("bad")),
        BusyError("busy"),
    ],
    ids=lambda error: type(error).__name__,
)
def test_errors_survive_pickling(error: WasmError) -> None:
    same = pickle.loads(pickle.dumps(error))
    assert type(same) is type(error)
    assert str(same) == str(error)
    assert vars(same) == vars(error)


def test_things_of_the_hosts_own_are_imported(start: Start, flavour: Flavour) -> None:
    memory = Memory.of(1, 2, flavour=flavour)
    counter = Global.of("i64", -5, mutable=True)
    table = Table.of("funcref", 0, 4)
    instance = start(
        """(module
          (import "env" "memory" (memory 1 2)) (import "env" "counter" (global $c (mut i64)))
          (import "env" "table" (table $t 0 4 funcref))
          (func $seven (export "seven") (result i32) (i32.const 7))
          (elem declare func $seven)
          (func (export "main") (result i32)
            (i32.store (i32.const 4) (i32.const -1))
            (global.set $c (i64.sub (global.get $c) (i64.const 1)))
            (table.grow $t (ref.func $seven) (i32.const 2))))""",
        imports={"env": {"memory": memory, "counter": counter, "table": table}},
    )
    assert instance.exports.main() == 0
    assert memory.read(4, 4) == b"\xff" * 4
    assert counter.value == -6
    assert [func() for func in table] == [7, 7]
    table[0] = None
    table[1] = instance.exports.seven
    assert [element is None for element in table] == [True, False]


def test_people_cannot_put_into_a_guest_what_does_not_fit(start: Start) -> None:
    """Else the guest's own rules would no longer hold."""
    with start(ARITHMETIC) as instance:
        counter, table = instance.exports.counter, instance.exports.table
        for bad in ("1", 1.5, None):
            with pytest.raises(TypeError):
                counter.value = bad
        with pytest.raises(ValueError, match="doesn't fit"):
            counter.value = 1 << 64
        with pytest.raises(TypeError):
            table[0] = len
        for index in (2, -1):
            with pytest.raises(IndexError):
                table[index] = None
        assert (counter.value, list(table)) == (-1, [None, None])
    with pytest.raises(TypeError, match="immutable"):
        Global.of("i32", 1).value = 2
    for make in (
        lambda: Global.of("i33", 1), lambda: Table.of("i32", 1), lambda: Memory.of(2, 1),
        lambda: Tag.carrying("int"), lambda: Table.of("funcref", -1),
    ):  # fmt: skip
        with pytest.raises(ValueError):
            make()


def test_a_memory_of_the_other_flavour_is_refused(engine: str) -> None:
    with pytest.raises(LinkError, match="flavour struct"):
        Module.from_text('(module (import "env" "memory" (memory 1)))').instantiate(
            imports={"env": {"memory": Memory.of(1, flavour=Flavour.STRUCT)}},
            flavour=Flavour.VIEW,
            engine=engine,
        )


def test_hosts_are_closed_if_a_later_one_cannot_be_opened() -> None:
    closed = []

    class First:
        def open(self, report: Callable[[str], None], limits: Limits) -> First:
            return self

        def lookup(self, module: str, name: str) -> None:
            return None

        def close(self) -> None:
            closed.append("first")

    class Second(First):
        def open(self, report: Callable[[str], None], limits: Limits) -> First:
            raise OSError("no model")

    with pytest.raises(OSError, match="no model"):
        Module.from_text("(module)").instantiate(First(), Second())
    assert closed == ["first"]


def test_threads_share_a_module(start: Start) -> None:
    module = Module.from_text(
        """(module (func $fib (export "fib") (param i32) (result i32)
             (if (result i32) (i32.lt_u (local.get 0) (i32.const 2)) (then (local.get 0))
               (else (i32.add (call $fib (i32.sub (local.get 0) (i32.const 1)))
                              (call $fib (i32.sub (local.get 0) (i32.const 2))))))))"""
    )
    found: list[int] = []

    def go(engine: str) -> None:
        with module.instantiate(engine=engine) as instance:
            found.append(instance.exports.fib(12))

    threads = [threading.Thread(target=go, args=(engine,)) for engine in ["compile", "interpret"] * 4]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [144] * 8


ENDS = """
(module
  (import "wasi_snapshot_preview1" "proc_exit" (func $exit (param i32)))
  (memory (export "memory") 1)
  (func $deep (export "exit") (param i32)
    (if (local.get 0)
      (then (call $deep (i32.sub (local.get 0) (i32.const 1))))
      (else (call $exit (i32.const 3)))))
  (func (export "trap") (param i32) (unreachable))
  (func (export "divide") (param i32) (drop (i32.div_u (i32.const 1) (i32.const 0)))))
"""


def test_however_a_guest_ends_no_internals_are_shown(engine: str) -> None:
    """The tracebacks of an exit and of a trap have the same functions, those of the caller, and nothing was
    the cause."""
    shown = {}
    for name, ends in ("exit", GuestExit), ("trap", Trap), ("divide", Trap):
        with (
            Module.from_text(ENDS).instantiate(wasi=Wasi(), engine=engine) as instance,
            pytest.raises(ends) as caught,
        ):
            instance.exports[name](20)
        shown[name] = [entry.name for entry in traceback.extract_tb(caught.value.__traceback__)]
        hidden = caught.value.__cause__ is None and caught.value.__suppress_context__
        assert hidden or caught.value.__context__ is None
    assert shown["exit"] == shown["divide"] == shown["trap"]
    assert len(shown["trap"]) < 6


HUNDREDS = """
import gc, sys
from pathlib import Path
from resource import getpagesize
from pywasm_nn.api import Module
from pywasm_nn.errors import Trap
from pywasm_nn.interpreter.runtime.memory import Flavour

module = Module.from_text(sys.argv[3])

def resident():
    gc.collect()
    return int(Path("/proc/self/statm").read_text().split()[1]) * getpagesize()

def trap(times):
    for _ in range(times):
        try:
            module.instantiate(engine=sys.argv[1], flavour=Flavour(sys.argv[2])).exports.main()
        except Trap:
            continue
        raise AssertionError("no trap")

trap(100)
before = resident()
trap(300)
print(resident() - before)
"""


def test_hundreds_of_instances_that_trap_leave_memory_flat(engine: str, flavour: Flavour) -> None:
    """Resident memory after 400 instances that wrote a megabyte, trapped and were never closed is what it
    was after the first 100. In a process of its own, where nothing else moves."""
    pytest.importorskip("resource")
    text = """(module (memory 16) (func (export "main")
      (memory.fill (i32.const 0) (i32.const 1) (i32.const 1048576)) (unreachable)))"""
    command = [sys.executable, "-c", HUNDREDS, engine, flavour.value, text]
    done = subprocess.run(command, capture_output=True, text=True, timeout=HANGS, check=False)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) < 4 << 20


@pytest.mark.parametrize("engine", ["compile", "interpret"])
def test_run_gives_output_and_exit_code(engine: str) -> None:
    result = run(GUESTS / "hello_c.wasm", engine=engine)
    assert (result.exit_code, result.stderr) == (0, b"")
    assert b"ello" in result.stdout
    told = run(GUESTS / "args_env.wasm", ["one", "two words"], env={"NAME": "value"}, engine=engine)
    assert b"two words" in told.stdout
    assert b"NAME=value" in told.stdout


def test_run_says_what_takes_imports() -> None:
    with pytest.raises(TypeError, match=r"'imports': Module\.from_file\(path\)\.instantiate\(imports="):
        run(GUESTS / "hello_c.wasm", imports={})  # type: ignore[arg-type] # as people try
    with pytest.raises(TypeError, match=r"no argument 'argz'$"):
        run(GUESTS / "hello_c.wasm", argz=[])  # type: ignore[arg-type] # as people mistype


def test_run_wants_a_program(tmp_path: Path) -> None:
    (tmp_path / "library.wat").write_text(ARITHMETIC)
    with pytest.raises(LinkError, match="no _start"):
        run(tmp_path / "library.wat")
    with pytest.raises(FileNotFoundError):
        run(tmp_path / "nowhere.wasm")
