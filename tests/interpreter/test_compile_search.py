"""Loops that search bytes, many rounds of which are skipped: against `interpret`, with what is looked for
near and far, nowhere, where memory ends, and with stores that meet what is read."""

from __future__ import annotations

from itertools import product

import pytest

from pywasm_nn.api import Module
from pywasm_nn.errors import Trap
from pywasm_nn.interpreter.compile import Variant
from pywasm_nn.interpreter.compile.translate import translate
from pywasm_nn.interpreter.runtime.instance import Instance
from pywasm_nn.interpreter.runtime.memory import Flavour
from pywasm_nn.interpreter.runtime.slices import LARGEST
from pywasm_nn.interpreter.validate import validate_func

from .as_interpreted import assert_as_interpreted

P, Q, C = "(local.get 0)", "(local.get 1)", "(local.get 2)"
NEXT = "(local.set {0} (i32.add (local.get {0}) (i32.const 1)))"
BYTE, OTHER = f"(i32.load8_u {P})", f"(i32.load8_u {Q})"
SEARCHES = {
    "the end of a string": f"(local.set 3 {BYTE}) {NEXT.format(0)} (br_if 0 (local.get 3))",
    "the same, tested first": f"(br_if 1 (i32.eqz {BYTE})) (local.set 3 {P}) {NEXT.format(0)} (br 0)",
    "as AssemblyScript writes it": f"(if {BYTE} (then (local.set 3 {P}) {NEXT.format(0)} (br 1)))",
    "an index": f"""(local.set 3 (local.get 4)) {NEXT.format(4)}
        (br_if 0 (i32.load8_u offset=2 (i32.add {P} (local.get 3))))""",
    "a byte": f"(br_if 1 (i32.eq {BYTE} {C})) {NEXT.format(0)} (br 0)",
    "a byte or the end": f"(br_if 1 (i32.eq {BYTE} {C})) (br_if 1 (i32.eqz {BYTE})) {NEXT.format(0)} (br 0)",
    "other than a byte": f"(br_if 1 (i32.ne {C} {BYTE})) {NEXT.format(0)} (br 0)",
    "where two strings differ": f"(br_if 1 (i32.ne {BYTE} {OTHER})) {NEXT.format(0)} {NEXT.format(1)} (br 0)",
    "the same, or end": f"""(br_if 1 (i32.ne {BYTE} {OTHER})) (br_if 1 (i32.eqz {BYTE}))
        {NEXT.format(0)} {NEXT.format(1)} (br 0)""",
    "a copy of a string": f"""(i32.store8 {Q} (local.tee 3 {BYTE})) {NEXT.format(0)} {NEXT.format(1)}
        (br_if 0 (local.get 3))""",
    "a copy up to a byte": f"""(br_if 1 (i32.eq (local.tee 3 {BYTE}) {C}))
        (i32.store8 offset=1 {Q} (local.get 3)) {NEXT.format(0)} {NEXT.format(1)} (br 0)""",
    "at most so many": f"""(br_if 1 (i32.eq {P} {Q})) (br_if 1 (i32.eqz {BYTE}))
        {NEXT.format(0)} (br 0)""",
    "a counter that is signed": f"""(local.set 4 (i32.sub (local.get 4) (i32.const 3)))
        {NEXT.format(0)} (br_if 0 {BYTE})""",
}  # fmt: skip
OTHERS = {
    "wider": f"(br_if 1 (i32.eqz (i32.load16_u {P}))) {NEXT.format(0)} (br 0)",
    "every second byte": f"(br_if 1 (i32.eqz {BYTE})) {NEXT.format(0)} {NEXT.format(0)} (br 0)",
    "the same byte": f"(br_if 1 (i32.eq {BYTE} {OTHER})) {NEXT.format(0)} (br 0)",
    "where two strings meet": f"(br_if 1 (i32.eq {BYTE} {OTHER})) {NEXT.format(0)} {NEXT.format(1)} (br 0)",
    "a byte that counts": f"(br_if 1 (i32.eq {BYTE} {C})) {NEXT.format(2)} {NEXT.format(0)} (br 0)",
    "a truth value of the round before": f"""(br_if 1 (i32.eq {BYTE} {C}))
        (local.set 3 (i32.eqz (local.get 3))) {NEXT.format(0)} (br 0)""",
    "another one": f"""(br_if 1 (i32.eq {BYTE} {C})) (local.set 3 (i32.lt_u (local.get 3) (i32.const 1)))
        {NEXT.format(0)} (br 0)""",
    "a look elsewhere": f"""(local.set 3 {OTHER}) (br_if 1 (i32.eqz {BYTE})) {NEXT.format(0)}
        (local.set 1 (i32.add {Q} (i32.const 4096))) (br 0)""",
    "less than": f"(br_if 1 (i32.lt_u {BYTE} {C})) {NEXT.format(0)} (br 0)",
    "a sum": f"(local.set 3 (i32.add (local.get 3) {BYTE})) {NEXT.format(0)} (br_if 0 {BYTE})",
    "zeros as it goes": f"(br_if 1 (i32.eqz {BYTE})) (i32.store8 {P} (i32.const 0)) {NEXT.format(0)} (br 0)",
    "what the round before had": f"""(br_if 1 (i32.eqz (local.get 3))) (local.set 3 {BYTE})
        {NEXT.format(0)} (br 0)""",
    "not all bytes are copied": f"""(br_if 1 (i32.eqz {BYTE})) (i32.store8 {Q} {BYTE}) {NEXT.format(0)}
        (br 0)""",
    "a branch inside": f"(block (br_if 0 {BYTE}) (br 2)) {NEXT.format(0)} (br 0)",
}  # fmt: skip
SIZE = 2 << 16


def module_of(loop: str) -> Module:
    """A function that runs the loop and leaves all its locals in globals; local 4 is compared as a signed
    number."""
    globals_ = "".join(f'(global $g{n} (export "g{n}") (mut i32) (i32.const 0))' for n in range(6))
    shown = "".join(f"(global.set $g{n} (local.get {n}))" for n in range(6))
    return Module.from_text(
        f"""(module (memory (export "memory") 2 2) {globals_}
        (func (export "run") (param i32 i32 i32) (local i32 i32 i32) (local.set 3 (i32.const 1))
          (block (loop {loop})) (local.set 5 (i32.lt_s (local.get 4) (i32.const -5))) {shown}))"""
    )


def contents() -> bytes:
    """Strings of many lengths that end in 0, two of them equal for long."""
    data = bytearray(n % 250 + 1 for n in range(SIZE))
    for place in (3, 40, 41, 300, 1000, *range(4000, SIZE, 1500)):
        data[place] = 0
    data[30_000:31_000] = data[100_000:101_000] = b"\x07" * 1000
    data[30_900] = 9
    data[SIZE - 500 :] = b"\x01" * 500
    return bytes(data)


CONTENTS = contents()


def outcome(instance: Instance, arguments: tuple[int, int, int]) -> tuple[object, ...]:
    """How a call ended, all locals, and memory."""
    instance.memory.write(0, CONTENTS)
    try:
        instance.exports.run(*arguments)
        ended = ""
    except Trap as trap:
        ended = f"{trap.kind} {[frame.offset for frame in trap.frames]} {[f.locals for f in trap.frames]}"
    held = [instance.exports[name].value for name in instance.exports if name.startswith("g")]
    return ended, held, bytes(instance.memory.buffer)


@pytest.mark.parametrize("name", [*SEARCHES, *OTHERS])
def test_the_same_as_interpreted(name: str) -> None:
    module = module_of((SEARCHES | OTHERS)[name])
    places = (0, 15, 41, 302, 30_001, 30_700, SIZE - 501, SIZE - 20)
    arguments = [*product(places, (60, 100_001), (7,)), *product((302, 30_001), (2000, SIZE - 60), (7, 300))]
    arguments += [(SIZE, 0, 1), (-1, 5, 1), (-30, 50, 1), (2000, -1, 1), (1001, 1005, 9), (1005, 1001, 9)]
    assert_as_interpreted(module, arguments, outcome)


@pytest.mark.parametrize("name", [*SEARCHES, *OTHERS])
def test_which_loops_search(name: str, flavour: Flavour) -> None:
    module = module_of((SEARCHES | OTHERS)[name])
    source = translate(module, 0, validate_func(module, 0), Variant(flavour)).source
    assert ("m0.count_" in source) == (name in SEARCHES), source


@pytest.mark.parametrize("flavour", Flavour if Flavour.default() is Flavour.VIEW else [Flavour.STRUCT])
def test_how_far_bytes_are_alike(flavour: Flavour) -> None:
    instance = module_of("(br_if 0 (i32.const 0))").instantiate(flavour=flavour)
    memory = instance.memory
    memory.write(0, CONTENTS)
    for at, most in product((0, 39, 1001, 90_000, SIZE - 1, SIZE, SIZE + 9, 2**32 - 1), (0, 1, 65, 70_000)):
        rest = CONTENTS[at : at + most]
        until = rest.find(0)
        assert memory.count_until(at, 0, most) == (len(rest) if until < 0 else until)
        assert memory.count_until(at, 256, most) == len(rest)
        assert memory.count_while(at, 256, most) == 0
    for length in (0, 1, 2, 63, 64, 65, 127, 128, 200, 5000, LARGEST, LARGEST + 77):
        memory.write(0, b"\5" * length + b"\6")
        assert memory.count_while(0, 5, SIZE) == length
        assert memory.count_while(0, 5, length // 2) == length // 2
    for length in (0, 1, 63, 64, 65, 100, 5000, 30_000):
        memory.write(0, b"\5" * length + b"\6")
        memory.write(SIZE - 40_000, b"\5" * length + b"\7")
        assert memory.count_equal(0, SIZE - 40_000, SIZE) == length
        assert memory.count_equal(SIZE - 40_000, 0, length // 3) == length // 3
    memory.write(0, bytes(SIZE))
    assert memory.count_equal(70_000, 1000, SIZE) == SIZE - 70_000
