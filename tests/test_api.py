"""The public API, as an embedder uses it."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pywasm_nn.api import Module, run
from pywasm_nn.errors import InvalidError, LinkError, MalformedError, Trap, TrapKind, WasmError
from pywasm_nn.interpreter.memory import Flavour
from pywasm_nn.interpreter.runtime import Instance

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
        assert other.exports.counter.value == 2**64 - 1


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


THOUSAND = """
import gc, sys
from pathlib import Path
from resource import getpagesize
from pywasm_nn.api import Module
from pywasm_nn.errors import Trap
from pywasm_nn.interpreter.memory import Flavour

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
trap(900)
print(resident() - before)
"""


def test_a_thousand_instances_that_trap_leave_memory_flat(engine: str, flavour: Flavour) -> None:
    """Resident memory after 1,000 instances that wrote a megabyte, trapped and were never closed is what it
    was after the first 100. In a process of its own, where nothing else moves."""
    pytest.importorskip("resource")
    text = """(module (memory 16) (func (export "main")
      (memory.fill (i32.const 0) (i32.const 1) (i32.const 1048576)) (unreachable)))"""
    command = [sys.executable, "-c", THOUSAND, engine, flavour.value, text]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
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


def test_run_wants_a_program(tmp_path: Path) -> None:
    (tmp_path / "library.wat").write_text(ARITHMETIC)
    with pytest.raises(LinkError, match="no _start"):
        run(tmp_path / "library.wat")
    with pytest.raises(FileNotFoundError):
        run(tmp_path / "nowhere.wasm")
