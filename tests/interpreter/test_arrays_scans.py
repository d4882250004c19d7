"""Locals that rounds combine with values, and that each round uses: running sums, generators of numbers. The
values of all rounds are computed at once, and nobody notices but for the time."""

from __future__ import annotations

import struct
from random import Random
from typing import Any

import pytest

from pywasm_nn.api import Module
from pywasm_nn.errors import Trap

from .test_arrays import Seen

np = pytest.importorskip("numpy")
S, D, SIZE = 1000, 30_000, 1 << 16
TEXT = """(module (memory (export "memory") 1 1)
 (func (export "run") (param $s i32) (param $d i32) (param $n i32) (param $x i32) (param $w i64)
   (param $f f32) (param $g f64) (result i32 i64 f32 f64) (local $i i32) (local $y i32)
  (loop {round}
   (local.set $s (i32.add (local.get $s) (i32.const 8)))
   (local.set $d (i32.add (local.get $d) (i32.const 8)))
   (br_if 0 (i32.ne (local.tee $i (i32.add (local.get $i) (i32.const 1))) (local.get $n))))
  (local.get $x) (local.get $w) (local.get $f) (local.get $g)))"""
BYTE = "(i32.load8_u (local.get $s))"
NEXT = "(local.set $x (i32.add (i32.mul (local.get $x) (i32.const 1664525)) (i32.const 1013904223)))"
STORE = "(i32.store (local.get $d) (local.get $x))"
ROUNDS = {
    "a running sum": f"(local.set $x (i32.add (local.get $x) {BYTE})) {STORE}",
    "before it is added to": f"{STORE} (local.set $x (i32.sub (local.get $x) {BYTE}))",
    "two at a time": f"""(local.set $x (i32.add (local.get $x) {BYTE})) {STORE}
        (local.set $x (i32.add (local.get $x) (i32.load8_u offset=1 (local.get $s))))
        (i32.store offset=4 (local.get $d) (local.get $x))""",
    "random numbers": f"""{NEXT} (i32.store (local.get $d)
        (i32.xor (local.get $x) (i32.shr_u (local.get $x) (i32.const 16))))""",
    "two of them at a time": f"{NEXT} {STORE} {NEXT} (i32.store offset=4 (local.get $d) (local.get $x))",
    "an even factor": """(local.set $x (i32.sub (i32.shl (local.get $x) (i32.const 3)) (local.get $n)))
        (i32.store16 (local.get $d) (local.get $x))""",
    "of 64 bits": """(local.set $w (i64.add (i64.const 1)
        (i64.mul (local.get $w) (i64.const 6364136223846793005))))
        (i32.store (local.get $d) (i32.wrap_i64 (i64.shr_u (local.get $w) (i64.const 33))))""",
    "a sum of 64 bits": """(i64.store (local.get $d) (local.get $w))
        (local.set $w (i64.add (local.get $w) (i64.load (local.get $s))))""",
    "powers": f"(local.set $x (i32.mul (local.get $x) (i32.const 3))) {STORE}",
    "products": f"(local.set $x (i32.mul (local.get $x) (i32.or (i32.const 1) {BYTE}))) {STORE}",
    "bits": f"(local.set $x (i32.xor (local.get $x) {BYTE})) {STORE}",
    "floats": """(local.set $f (f32.add (local.get $f) (f32.convert_i32_u (i32.load8_u (local.get $s)))))
        (f32.store (local.get $d) (f32.mul (local.get $f) (f32.const 0.1)))""",
    "floats that round": """(local.set $f (f32.sub (local.get $f) (f32.mul (f32.const 0.1)
        (f32.convert_i32_u (i32.load8_u (local.get $s))))))
        (f32.store (local.get $d) (local.get $f))
        (local.set $f (f32.add (local.get $f) (f32.const 0.3)))
        (f32.store offset=4 (local.get $d) (local.get $f))""",
    "doubles": """(f64.store (local.get $d) (local.get $g))
        (local.set $g (f64.add (f64.const 0.1) (local.get $g)))""",
    "one in terms of the other": f"""(local.set $y (i32.add (local.get $y) {BYTE}))
        (local.set $x (i32.add (local.get $x) (local.get $y))) {STORE}""",
    "what looks up": f"""{NEXT} (i32.store8 (local.get $d)
        (i32.load8_u (i32.shr_u (local.get $x) (i32.const 24))))""",
    "a choice": f"""(local.set $x (i32.add (local.get $x) {BYTE}))
        (i32.store (local.get $d)
        (select (local.get $x) (i32.const 0) (i32.lt_s (local.get $x) (i32.const 2000))))""",
    "and a division": f"""(local.set $x (i32.add (local.get $x) {BYTE}))
        (i32.store (local.get $d)
        (i32.div_u (i32.const 1000000) (i32.sub (local.get $x) (i32.const 17777))))""",
}
OTHERS = {
    "each in terms of the other": f"""(local.set $y (i32.add (local.get $y) (local.get $x)))
        (local.set $x (i32.xor (local.get $x) (local.get $y))) {STORE}""",
    "in terms of itself": f"""(local.set $x (i32.add (local.get $x)
        (i32.and (local.get $x) {BYTE}))) {STORE}""",
    "a hash": f"(local.set $x (i32.add (i32.mul (local.get $x) (i32.const 31)) {BYTE})) {STORE}",
    "what is stored": """(local.set $x (i32.add (local.get $x) (i32.load (local.get $d))))
        (i32.store offset=8 (local.get $d) (local.get $x))""",
    "the greatest": f"""(local.set $x (select (local.get $x) {BYTE}
        (i32.gt_u (local.get $x) {BYTE}))) {STORE}""",
}


@pytest.fixture
def seen(monkeypatch: pytest.MonkeyPatch) -> Seen:
    return Seen(monkeypatch)


def outcome(module: Module, engine: str, arguments: tuple[Any, ...]) -> tuple[Any, bytes]:
    instance = module.instantiate(engine=engine)
    memory = instance.exports["memory"]
    memory.write(0, Random(5).randbytes(SIZE))
    try:
        x, w, f, g = instance.exports["run"](*arguments)
        numbers: Any = x, w, struct.pack("<fd", f, g)
    except Trap as trap:
        numbers = trap.kind, [frame.locals for frame in trap.frames]
    return numbers, memory.read(0, SIZE)


@pytest.mark.parametrize("piece", [37, 1 << 15])
@pytest.mark.parametrize("name", [*ROUNDS, *OTHERS])
def test_all_rounds_at_once(seen: Seen, monkeypatch: pytest.MonkeyPatch, name: str, piece: int) -> None:
    from pywasm_nn.interpreter.arrays import steps

    monkeypatch.setattr(steps, "PIECE", piece)
    module = Module.from_text(TEXT.format(round=(ROUNDS | OTHERS)[name]))
    for x in (0, 42, 2**32 - 5):
        arguments = S, D, 900, x, 2**64 - 3, 0.5, -0.0
        assert outcome(module, "compile", arguments) == outcome(module, "interpret", arguments)
    assert any(seen.calls) == (name in ROUNDS)


@pytest.mark.parametrize(("source", "target", "n"), [
    (S, S, 900), (S, S + 64, 900), (S + 64, S, 900), (SIZE - 4000, D, 900), (S, SIZE - 4000, 900),
    (S, D, 300),
])  # fmt: skip
@pytest.mark.parametrize("name", ["a running sum", "two of them at a time", "what looks up"])
def test_memory_and_traps_are_those_of_single_rounds(name: str, source: int, target: int, n: int) -> None:
    module = Module.from_text(TEXT.format(round=ROUNDS[name]))
    arguments = source, target, n, 7, 1, 0.5, 0.0
    assert outcome(module, "compile", arguments) == outcome(module, "interpret", arguments)


@pytest.mark.parametrize("value", [float("inf"), float("nan"), 3e38, -0.0])
def test_floats_of_all_kinds(value: float) -> None:
    for name in ("floats", "floats that round", "doubles"):
        module = Module.from_text(TEXT.format(round=ROUNDS[name]))
        arguments = S, D, 900, 0, 0, value, value
        found, wanted = outcome(module, "compile", arguments), outcome(module, "interpret", arguments)
        assert found[1] == wanted[1] or value != value
