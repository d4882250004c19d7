"""Atomic instructions on memories that nobody shares, on both engines and in both flavours of memory."""

from __future__ import annotations

from pathlib import Path

import pytest

from pywasm_nn.api import Module
from pywasm_nn.errors import InvalidError, MalformedError, Trap
from pywasm_nn.interpreter.encode import encode
from pywasm_nn.interpreter.engine import ENGINES, CompileEngine
from pywasm_nn.interpreter.instructions import OPS
from pywasm_nn.interpreter.runtime.memory import Flavour
from pywasm_nn.interpreter.script import run_script
from pywasm_nn.interpreter.text import parse
from pywasm_nn.interpreter.text.printer import print_module

ATOMIC = [op for op in OPS.values() if op.atomic]
THREADS = Path(__file__).parents[2].parent / "shared" / "spec-testsuite" / "proposals" / "threads"
BOTH = pytest.mark.parametrize("engine", list(ENGINES))


def made(source: str, engine: str = "compile", flavour: Flavour | None = None):
    return Module.from_text(source).instantiate(engine=engine, flavour=flavour)


@BOTH
def test_the_official_suite_on_a_memory_that_is_not_shared(engine: str) -> None:
    if not THREADS.exists():
        pytest.skip("no WebAssembly test suite")
    source = (THREADS / "atomic.wast").read_text().replace("(memory 1 1 shared)", "(memory 1 1)")
    report = run_script(source, ENGINES[engine])
    waits = [failure for failure in report.failures if "expected shared memory" in failure.reason]
    assert report.failures == waits and len(waits) == 2, "only those that wait want a shared memory"
    assert sum(report.passed.values()) >= 233


def test_there_is_every_row_of_the_proposal() -> None:
    assert len(ATOMIC) == 66
    assert {op.code[1] for op in ATOMIC} | {3} == {0, 1, 2, 3, *range(0x10, 0x4F)}
    assert all(op.code[0] == 0xFE and op.traps for op in ATOMIC)


COUNTER = """(module (memory (export "memory") 1) (memory $other i64 1)
  (func (export "add") (param i32 i32) (result i32)
    (i32.atomic.rmw.add offset=4 (local.get 0) (local.get 1)))
  (func (export "swap") (param i32 i64 i64) (result i64)
    (atomic.fence) (i64.atomic.rmw8.cmpxchg_u (local.get 0) (local.get 1) (local.get 2)))
  (func (export "other") (param i64 i64) (result i64)
    (i64.atomic.store32 $other (local.get 0) (local.get 1))
    (i64.atomic.rmw16.xor_u $other (local.get 0) (i64.const 0xfffff))
    (i64.atomic.load $other (local.get 0)) (i64.add))
  (func (export "order") (result i32)
    (i32.atomic.load (i32.const 8)) (i32.atomic.store (i32.const 8) (i32.const 5))
    (i32.atomic.rmw.add (i32.const 8) (i32.const 1)) (i32.atomic.load8_u (i32.const 8))
    (drop (i32.atomic.rmw.xchg (i32.const 8) (i32.const 9)))
    (i32.const 10) (i32.mul) (i32.add) (i32.const 100) (i32.mul) (i32.add)
    (i32.add (i32.load (i32.const 8))))
  (func (export "notify") (param i32) (result i32) (memory.atomic.notify (local.get 0) (i32.const 3)))
  (func (export "wait") (param i32) (result i32)
    (memory.atomic.wait64 (local.get 0) (i64.const 0) (i64.const -1))))"""


@BOTH
@pytest.mark.parametrize("flavour", list(Flavour))
def test_what_they_do(engine: str, flavour: Flavour) -> None:
    with made(COUNTER, engine, flavour) as app:
        exports = app.exports
        assert [exports.add(0, 7), exports.add(0, -9), exports.add(0, 0)] == [0, 7, -2]
        assert app.memory.read(4, 4) == b"\xfe\xff\xff\xff"
        assert exports.swap(4, 0xFD, 1) == 0xFE
        assert exports.swap(4, 0x1FE, 0x1101) == 0xFE, "only the low byte of what is expected counts"
        assert app.memory.read(4, 2) == b"\x01\xff"
        assert exports.other(16, 0x1_1234_5678) == 0x5678 + 0x1234A987
        assert exports.order() == ((5 + 6 * 10) * 100 + 9)
        assert exports.notify(8) == 0


@BOTH
@pytest.mark.parametrize(
    ("name", "arguments", "message"),
    [
        ("add", (1, 0), "unaligned atomic: i32.atomic.rmw.add of 4 bytes at 0x5"),
        ("add", (65532, 0), "out of bounds memory access"),
        ("add", (65535, 0), "unaligned atomic"),
        ("add", (-4, 0), "out of bounds memory access"),
        ("swap", (65536, 0, 0), "out of bounds memory access"),
        ("other", (2, 0), "unaligned atomic"),
        ("notify", (2,), "unaligned atomic"),
        ("notify", (65536,), "out of bounds memory access"),
        ("wait", (4,), "unaligned atomic"),
        ("wait", (65536,), "out of bounds memory access"),
        ("wait", (8,), "expected shared memory"),
    ],
)
def test_how_they_trap(engine: str, name: str, arguments: tuple[int, ...], message: str) -> None:
    with made(COUNTER, engine) as app, pytest.raises(Trap) as caught:
        app.exports[name](*arguments)
    assert str(caught.value).startswith(message)
    assert caught.value.frames[0].name == name


def test_all_are_compiled() -> None:
    body = "".join(
        f"(func (export {op.name!r}) {' '.join(f'(param {p})' for p in op.params or ())}"
        f" {''.join(f'(result {r})' for r in op.results)}"
        f" {' '.join(f'(local.get {n})' for n in range(len(op.params or ())))} {op.name})".replace("'", '"')
        for op in ATOMIC
    )
    module = Module.from_text(f"(module (memory 1) {body})")
    with module.instantiate() as app:
        for op in ATOMIC:
            if "wait" not in op.name:
                app.exports[op.name](*[0] * len(op.params or ()))
        assert isinstance(app.engine, CompileEngine)
        assert "0 interpreted" in app.engine.summary(app)


def test_text_and_binary_agree() -> None:
    module = Module.from_text(COUNTER)
    assert encode(parse(print_module(module))) == module.data
    assert bytes.fromhex("fe0300") in module.data


def test_what_is_not_valid() -> None:
    for text, message in (
        ("(i32.atomic.load align=2 (i32.const 0))", "atomic alignment must be natural"),
        ("(i32.atomic.load align=8 (i32.const 0))", "alignment must not be larger than natural"),
        ("(i64.atomic.load (i32.const 0))", "type mismatch"),
    ):
        with pytest.raises(InvalidError, match=message):
            Module.from_text(f"(module (memory 1) (func (result i32) {text}))").validate()
    data = Module.from_text("(module (func (atomic.fence)))").data.replace(b"\xfe\x03\x00", b"\xfe\x03\x01")
    with pytest.raises(MalformedError, match="zero byte expected"):
        Module.from_bytes(data).validate()
