"""Loops that copy or fill, as slices where that does the same: against `interpret`, with ranges that overlap,
end where memory ends, wrap or begin outside."""

from __future__ import annotations

from itertools import product
from random import Random

import pytest

from pywasm_nn.api import Module
from pywasm_nn.errors import Trap
from pywasm_nn.interpreter.compile import Variant
from pywasm_nn.interpreter.compile.translate import translate
from pywasm_nn.interpreter.runtime.instance import Instance
from pywasm_nn.interpreter.runtime.memory import Flavour
from pywasm_nn.interpreter.validate import validate_func

from .as_interpreted import assert_as_interpreted

D, S, N = "(local.get 0)", "(local.get 1)", "(local.get 2)"
STEP = "(local.set {0} (i32.add (local.get {0}) (i32.const {1})))"
BOTH = STEP.format(0, 1) + STEP.format(1, 1)
DOWN = "(br_if 0 (local.tee 2 (i32.sub (local.get 2) (i32.const {})))"
UP = "(br_if 0 (i32.{} (local.tee 3 (i32.add (local.get 3) (i32.const {}))) (local.get 2)))"


def words(*offsets: int) -> str:
    """Copies of four bytes at these offsets."""
    return "".join(f"(i32.store offset={n} {D} (i32.load offset={n} {S}))" for n in offsets)


BYTE = f"(i32.store8 {D} (i32.load8_u {S}))"
SLICED = {
    "bytes, down": f"{BYTE} {BOTH} {DOWN.format(1)})",
    "bytes, up": f"{BYTE} {BOTH} {UP.format('lt_u', 1)}",
    "bytes, signed": f"{BYTE} {BOTH} {UP.format('lt_s', 1)}",
    "bytes, to the end": f"{BYTE} {BOTH} {UP.format('ne', 1)}",
    "bytes, behind": f"{BOTH} (i32.store8 offset=3 {D} (i32.load8_u offset=70 {S})) {DOWN.format(1)})",
    "sixteen": f"{words(0, 4, 8, 12)} {STEP.format(0, 16)} {STEP.format(1, 16)} {UP.format('ne', 4)}",
    "sixteen, in any order": f"""{words(8, 4, 0, 12)} {STEP.format(0, 16)} {STEP.format(1, 16)}
        {UP.format('le_u', 4)}""",
    "index": f"""(i32.store8 (i32.add {D} (local.get 3)) (i32.load8_u (i32.add {S} (local.get 3))))
        {UP.format('ne', 1)}""",
    "held": f"""(local.set 4 (i64.load {S})) (i64.store {D} (local.get 4)) {STEP.format(1, 8)}
        {STEP.format(0, 8)} {UP.format('lt_u', 8)}""",
    "another local wraps": f"""{BYTE} (local.set 7 (i32.lt_u (local.get 5) (i32.const 77)))
        {STEP.format(5, -0x10000000)} {BOTH} {DOWN.format(1)})""",
    "a target that wraps": f"""(i32.store8 (i32.add {D} (i32.const 50)) (i32.load8_u {S}))
        (local.set 7 (i32.lt_u {D} (i32.const 0x77777777))) {BOTH} {DOWN.format(1)})""",
    "vectors": f"""(v128.store {D} (v128.load {S})) {STEP.format(0, 16)} {STEP.format(1, 16)}
        {DOWN.format(1)})""",
    "other address": f"""(local.set 5 (i32.add {D} (local.get 6)))
        (i32.store (i32.add (local.get 5) (i32.const 4)) (i32.load {S}))
        {STEP.format(0, 4)} {STEP.format(1, 4)} {DOWN.format(1)})""",
    "fill": f"(i32.store8 {D} (i32.const 0x1a5)) {STEP.format(0, 1)} {DOWN.format(1)})",
    "fill with an argument": f"(i32.store {D} {S}) {STEP.format(0, 4)} {DOWN.format(1)})",
    "fill wide": f"""(i64.store {D} (i64.const 0x0102030405060708)) (i64.store offset=8 {D}
        (i64.const 0x0102030405060708)) {STEP.format(0, 16)} {UP.format('lt_u', 16)}""",
}  # fmt: skip
KEPT = {
    "backwards": f"{BYTE} {STEP.format(0, -1)} {STEP.format(1, -1)} {DOWN.format(1)})",
    "gaps": f"{BYTE} {STEP.format(0, 2)} {STEP.format(1, 2)} {DOWN.format(1)})",
    "not all": f"{words(0, 4, 12)} {STEP.format(0, 16)} {STEP.format(1, 16)} {DOWN.format(1)})",
    "a look elsewhere": f"""(local.set 7 (i32.load8_u (local.get 5))) (i32.store8 {D} (i32.const 1))
        {STEP.format(0, 1)} {STEP.format(5, 4096)} {DOWN.format(1)})""",
    "what was before": f"""{BYTE} {BOTH} (local.set 5 (local.get 6)) (local.set 6 {D}) {DOWN.format(1)})""",
    "exchanged": f"""(i32.store {D} (i32.load offset=4 {S})) (i32.store offset=4 {D} (i32.load {S}))
        {STEP.format(0, 8)} {STEP.format(1, 8)} {DOWN.format(1)})""",
    "a truth value of the round before": f"""{BYTE} (local.set 7 (i32.lt_u (local.get 7) (i32.const 1)))
        {BOTH} {DOWN.format(1)})""",
    "fill with a counter": f"(i32.store8 {D} {N}) {STEP.format(0, 1)} {DOWN.format(1)})",
    "sum": f"(i32.store8 {D} (i32.add (i32.load8_u {S}) (i32.const 1))) {BOTH} {DOWN.format(1)})",
}  # fmt: skip

AT = f"(i32.add {D} (local.get 3))"
BY = "(br_if 0 (i32.{} (local.tee 3 (i32.add (local.get 3) (local.get 1))) (local.get 2)))"
APART = {
    "as a sieve": f"(i32.store8 offset=3 {AT} (i32.const 0x1a5)) {BY.format('le_u')}",
    "signed": f"(i32.store8 {AT} (i32.const 0)) {BY.format('lt_s')}",
    "a pointer": f"""(i32.store8 {D} (i32.const 7))
        (br_if 0 (i32.lt_u (local.tee 0 (i32.add {D} (local.get 1))) (local.get 2)))""",
    "wide": f"(i32.store {AT} (i32.const 0x1020304)) {BY.format('lt_u')}",
    "wider": f"(i64.store {AT} (i64.const -2)) {BY.format('le_s')}",
    "an argument": f"(i32.store16 {AT} (local.get 1)) {BY.format('lt_u')}",
    "a number": f"(i32.store8 offset=2 {AT} (i32.const 1)) {UP.format('ne', 4)}",
    "another number": f"(i32.store {AT} {D}) {UP.format('lt_u', 12)}",
    "an index": f"(i32.store8 {AT} (i32.const -1)) {UP.format('le_s', 5)}",
}  # fmt: skip
NOT_APART = {
    "what counts": f"(i32.store8 {AT} (local.get 3)) {BY.format('le_u')}",
    "twice as far": f"(i32.store8 (i32.add {AT} (local.get 3)) (i32.const 0)) {BY.format('le_u')}",
    "another local": f"(i32.store8 {AT} (i32.const 0)) (local.set 5 (local.get 3)) {BY.format('le_u')}",
    "a look": f"(local.set 5 (i32.load8_u {AT})) (i32.store8 {AT} (i32.const 0)) {BY.format('le_u')}",
    "two": f"(i32.store8 {AT} (i32.const 0)) (i32.store8 {S} (i32.const 0)) {BY.format('le_u')}",
}  # fmt: skip


def module_of(loop: str, begin: int = 0) -> Module:
    """A function that runs the loop and leaves all its locals in globals. Local 3 begins with `begin`."""
    numbers = (0, 1, 2, 3, 5, 6, 7)
    shown = "".join(f"(global.set $g{n} (local.get {n}))" for n in numbers)
    globals_ = "".join(f'(global $g{n} (export "g{n}") (mut i32) (i32.const 0))' for n in numbers)
    return Module.from_text(
        f"""(module (memory (export "memory") 1) {globals_}
        (func (export "run") (param i32 i32 i32) (local i32 i64 i32 i32 i32)
          (local.set 3 (i32.const {begin})) (loop {loop}) {shown}))"""
    )


PATTERN = bytes(n * 7 & 0xFF for n in range(65536))


def outcome(instance: Instance, arguments: tuple[int, int, int]) -> tuple[object, ...]:
    """How a call ended, all locals, and memory."""
    instance.memory.write(0, PATTERN)
    try:
        instance.exports.run(*arguments)
        ended = ""
    except Trap as trap:
        ended = f"{trap.kind} {[frame.offset for frame in trap.frames]}"
    held = [instance.exports[name].value for name in instance.exports if name.startswith("g")]
    return ended, held, bytes(instance.memory.buffer)


def cases(random: Random) -> list[tuple[int, int, int]]:
    """Targets, sources and counts: apart, overlapping by little, at the end of memory and beyond."""
    places = (0, 1001, 1009, 1040, 65536 - 200, -4)
    made = [(*pair, random.choice((1, 8, 9, 16, 64, 100, 160))) for pair in product(places, repeat=2)]
    return [
        *made,
        (100, 32000, 1500),
        (65000, 60000, -1),
        (65535, 65536, 9),
        (64900, 60000, -(1 << 31)),
        (65000, 0, 600),
    ]


@pytest.mark.parametrize(
    ("name", "begin"), [*((name, 0) for name in (SLICED | KEPT)), ("bytes, signed", -20), ("bytes, up", -20)]
)
def test_the_same_as_interpreted(name: str, begin: int) -> None:
    module, arguments = module_of((SLICED | KEPT)[name], begin), cases(Random(name))
    assert_as_interpreted(module, arguments, outcome)


@pytest.mark.parametrize("name", [*SLICED, *KEPT])
def test_loops_that_do_nothing_else_are_slices(name: str, flavour: Flavour) -> None:
    module = module_of((SLICED | KEPT)[name])
    source = translate(module, 0, validate_func(module, 0), Variant(flavour)).source
    assert ("m0.try_" in source) == (name in SLICED), source


@pytest.mark.parametrize(
    ("name", "begin"), [*((name, 0) for name in (APART | NOT_APART)), ("as a sieve", -20), ("signed", -20)]
)
def test_values_with_gaps_are_the_same_as_interpreted(name: str, begin: int) -> None:
    """With steps that are too short for the value, that wrap, and ranges that end where memory does."""
    module = module_of((APART | NOT_APART)[name], begin)
    steps = (1, 2, 3, 4, 8, 9, 1000, -1, 0x7FFFFFF0)
    arguments = [*product((0, 101, 65_200, -60), steps, (0, 24, 240, 1200, 65_300))]
    arguments += [*product((0, 70_000, -4), (7, 1000), (65_532, 65_533, -1, 0x7FFF0000, 0x7FFEFFFF, 1 << 31))]
    assert_as_interpreted(module, arguments, outcome)


@pytest.mark.parametrize("name", [*APART, *NOT_APART])
def test_loops_that_store_with_gaps_are_slices(name: str, flavour: Flavour) -> None:
    module = module_of((APART | NOT_APART)[name])
    source = translate(module, 0, validate_func(module, 0), Variant(flavour)).source
    assert ("m0.try_spread" in source) == (name in APART), source
