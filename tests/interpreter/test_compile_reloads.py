"""Values of memory that generated code keeps in variables: random programs whose locals are in memory, as
compilers that don't optimise write them, on both engines and in wasmtime.

A program has a frame in memory, pointers into it and beside it, calls, blocks, loops, accesses of all widths
that overlap, and traps. Results, memory and the globals must be the same, and the instruction that traps.
"""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

import pytest
import wasmtime
from hypothesis import given
from hypothesis import strategies as st

from pywasm_nn.errors import Trap
from pywasm_nn.interpreter.binary import decode
from pywasm_nn.interpreter.compile import Variant
from pywasm_nn.interpreter.compile.analysis import reloads
from pywasm_nn.interpreter.compile.analysis.reloads import Reloads
from pywasm_nn.interpreter.compile.lowering.keeping import KEEPERS
from pywasm_nn.interpreter.compile.translate import translate
from pywasm_nn.interpreter.engine import ENGINES
from pywasm_nn.interpreter.module import Module
from pywasm_nn.interpreter.runtime.link import instantiate
from pywasm_nn.interpreter.runtime.memory import Flavour
from pywasm_nn.interpreter.validate import validate_func

from ..conftest import examples

FRAME, WORDS, DOUBLES, FLOAT = 0, (1, 2, 3, 4), (5, 6), 7
"""Locals of `run`: the frame, pointers and numbers, doubles (i64), and an f64."""
OFFSETS = (0, 1, 2, 4, 4, 8, 8, 8, 12, 12, 16)
LOADS = {
    "i32": ("load", "load8_s", "load8_u", "load16_s", "load16_u", "load", "load"),
    "i64": ("load", "load8_s", "load8_u", "load16_s", "load16_u", "load32_s", "load32_u", "load"),
}
STORES = {"i32": ("store", "store8", "store16", "store"), "i64": ("store", "store8", "store16", "store32")}
OPERATIONS = ("add", "sub", "and", "xor", "shl", "shr_s", "shr_u", "mul")
TESTS = ("eq", "ne", "lt_s", "lt_u", "ge_s", "gt_u")
HEAD = """(module (memory (export "memory") 1 2)
(global $sp (mut i32) (i32.const 4096)) (type $t (func (param i32) (result i32)))
(table 4 funcref) (elem (i32.const 0) $getter $setter $framed $deep)
(func $getter (param i32) (result i32) (local i32)
  (i32.store offset=12 (local.tee 1 (i32.sub (global.get $sp) (i32.const 16))) (local.get 0))
  (i32.load offset=4 (i32.and (i32.load offset=12 (local.get 1)) (i32.const 8191))))
(func $setter (param i32) (result i32)
  (i32.store offset=8 (local.get 0) (i32.const 77)) (i32.load16_s offset=8 (local.get 0)))
(func $framed (param i32) (result i32) (local i32)
  (global.set $sp (local.tee 1 (i32.sub (global.get $sp) (i32.const 32))))
  (i32.store offset=12 (local.get 1) (local.get 0))
  (i32.store offset=8 (local.get 1) (call $getter (i32.load offset=12 (local.get 1))))
  (i32.load offset=8 (local.get 1))
  (global.set $sp (i32.add (local.get 1) (i32.const 32))))
(func $deep (param i32) (result i32) (local i32)
  (local.set 1 (i32.sub (global.get $sp) (i32.const 16)))
  (i64.store offset=20 (local.get 1) (i64.const 0x1122334455667788))
  (call $framed (local.get 0)))
"""


class Generator:
    """Writes one program."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.labels = 0
        self.loops = 0

    def module(self) -> str:
        body = "\n".join(self.statement(3) for _ in range(self.random.randrange(8, 30)))
        result = "(i64.const 0)"
        for local in (FRAME, *WORDS):
            result = f"(i64.add (i64.mul {result} (i64.const 31)) (i64.extend_i32_u (local.get {local})))"
        for local in DOUBLES:
            result = f"(i64.add (i64.mul {result} (i64.const 33)) (local.get {local}))"
        result = f"(i64.xor {result} (i64.reinterpret_f64 (local.get {FLOAT})))"
        result = f"(i64.add {result} (i64.extend_i32_u (global.get $sp)))"
        entry = self.random.choice(("(global.get $sp)", "(local.get 1)", "(i32.const 640)"))
        frame = f"(local.set 0 (i32.sub {entry} (i32.const 48)))"
        if self.random.random() < 0.7:
            frame += "(global.set $sp (local.get 0))"
        return f"""{HEAD}(func (export "run") (param i32 i32 i32 i32 i32 i64) (result i64)
(local i64 f64 i32 i32 i32) {frame}
{body}
{result}))"""

    def arguments(self) -> list[int]:
        near = (0, 1, 40, 64, 100, 4040, 4048, 4060, 4096, 4100, 65530, 65534, 0x7FFFFFFF, -1, -60)
        frame = [self.random.choice((4036, 4040, 4044, 4048, 4048, 4050, 4052, 4056)) for _ in range(2)]
        others = [self.random.choice(near[: 10 if self.random.random() < 0.8 else None]) for _ in range(5)]
        pointers = frame if self.random.random() < 0.7 else others[:2]
        return [*pointers, *others[2:], self.random.getrandbits(63)]

    def base(self) -> str:
        r = self.random
        local = FRAME if r.random() < 0.6 else r.choice(WORDS[:2])
        if r.random() < 0.1:
            return f"(i32.const {r.choice((0, 16, 4048, 4052))})"
        if r.random() < 0.15:
            return f"(i32.add (local.get {local}) (i32.const {r.choice((4, 8, 12))}))"
        if r.random() < 0.15:
            return self.near(f"(i32.load offset={r.choice(OFFSETS)} (local.get {local}))")
        if r.random() < 0.1:
            return self.near(self.number("i32", 1))
        return f"(local.get {local})"

    def near(self, number: str) -> str:
        """A number as an address, mostly of the first pages."""
        return number if self.random.random() < 0.02 else f"(i32.and {number} (i32.const 8191))"

    def place(self) -> str:
        return f"offset={self.random.choice(OFFSETS)}"

    def number(self, type_: str, depth: int) -> str:
        r = self.random
        choice = r.random()
        if depth <= 0 or choice < 0.2:
            return f"({type_}.const {r.choice((0, 1, 7, 127, 128, 255, 65535, 2147483647, -1, -200))})"
        if choice < 0.35:
            return f"(local.get {r.choice(WORDS if type_ == 'i32' else DOUBLES)})"
        if choice < 0.7:
            return f"({type_}.{r.choice(LOADS[type_])} {self.place()} {self.base()})"
        if choice < 0.75 and type_ == "i32":
            return f"(local.tee {r.choice(WORDS)} {self.near(self.number('i32', depth - 1))})"
        if choice < 0.8 and type_ == "i32":
            return f"(call ${r.choice(('getter', 'framed', 'deep', 'setter'))} {self.pointer()})"
        if choice < 0.82 and type_ == "i32":
            index = f"(i32.and {self.number('i32', depth - 1)} (i32.const 3))"
            return f"(call_indirect (type $t) {self.pointer()} {index})"
        if choice < 0.86 and type_ == "i32":
            return f"(i32.{r.choice(TESTS)} {self.number('i32', depth - 1)} {self.number('i32', depth - 1)})"
        if choice < 0.9:
            return (
                f"(i32.wrap_i64 {self.number('i64', depth - 1)})"
                if type_ == "i32"
                else (f"(i64.extend_i32_{r.choice('su')} {self.number('i32', depth - 1)})")
            )
        first, second = self.number(type_, depth - 1), self.number(type_, depth - 1)
        return f"({type_}.{r.choice(OPERATIONS)} {first} {second})"

    def pointer(self) -> str:
        return f"(local.get {self.random.choice((FRAME, FRAME, *WORDS))})"

    def again(self, depth: int) -> str:
        """Store or load at a place, do something that may change what is there, and load."""
        r = self.random
        type_, base, place = r.choice(("i32", "i32", "i64")), self.pointer(), self.place()
        load = f"({type_}.{r.choice(LOADS[type_])} {place} {base})"
        store = f"({type_}.{r.choice(STORES[type_])} {place} {base} {self.number(type_, 1)})"
        targets = WORDS[2:] if type_ == "i32" else DOUBLES
        first = store if r.random() < 0.7 else f"(local.set {r.choice(targets)} {load})"
        between = " ".join(self.statement(depth - 1) for _ in range(r.randrange(1, 3)))
        if r.random() < 0.3:
            between = f"(if (local.get {r.choice(WORDS)}) (then {between}))"
        return f"{first} {between} (local.set {r.choice(targets)} {load})"

    def statement(self, depth: int) -> str:
        r = self.random
        if depth > 0 and r.random() < 0.25:
            return self.again(depth)
        choice = r.random()
        if choice < 0.35 or depth <= 0:
            type_ = r.choice(("i32", "i32", "i32", "i64"))
            return f"({type_}.{r.choice(STORES[type_])} {self.place()} {self.base()} {self.number(type_, 2)})"
        if choice < 0.5:
            return f"(local.set {r.choice(WORDS)} {self.near(self.number('i32', 2))})"
        if choice < 0.56:
            return f"(local.set {r.choice(DOUBLES)} {self.number('i64', 2)})"
        if choice < 0.59:
            return f"(local.set {FRAME} (i32.add (local.get {FRAME}) (i32.const {r.choice((4, 8, -4))})))"
        if choice < 0.64:
            return r.choice(
                (
                    f"(f64.store {self.place()} {self.base()} (local.get {FLOAT}))",
                    f"(local.set {FLOAT} (f64.load {self.place()} {self.base()}))",
                    f"(f32.store {self.place()} {self.base()} (f32.load {self.place()} {self.base()}))",
                )
            )
        if choice < 0.67:
            return r.choice(
                (
                    "(drop (memory.grow (i32.const 1)))",
                    f"(memory.fill {self.pointer()} (i32.const 5) (i32.const 6))",
                    f"(memory.copy {self.pointer()} {self.pointer()} (i32.const 7))",
                    f"(global.set $sp (i32.or {self.near(self.pointer())} (i32.const 512)))",
                )
            )
        inner = lambda: " ".join(self.statement(depth - 1) for _ in range(r.randrange(1, 5)))  # noqa: E731
        if choice < 0.8:
            condition = self.number("i32", 2)
            orelse = f"(else {inner()})" if r.random() < 0.6 else ""
            return f"(if {condition} (then {inner()}) {orelse})"
        if choice < 0.9:
            label = f"$b{self.labels}"
            self.labels += 1
            return f"(block {label} {inner()} (br_if {label} {self.number('i32', 2)}) {inner()})"
        if self.loops == 3:
            return "(nop)"
        counter, label = 8 + self.loops, f"$b{self.labels}"
        self.loops += 1
        self.labels += 1
        again = f"(local.tee {counter} (i32.sub (local.get {counter}) (i32.const 1)))"
        done = f"(local.set {counter} (i32.const 3)) (loop {label} {inner()} (br_if {label} {again}))"
        self.loops -= 1
        return done


Outcome = tuple[object, object, bytes]
"""What `run` returned or why it trapped, the running functions with their places, and the memory."""


def outcome(module: Module, engine: str, flavour: Flavour, arguments: list[int]) -> Outcome:
    with instantiate(module, lambda *_: None, ENGINES[engine](), flavour=flavour) as instance:
        memory = instance.memory
        memory.write(0, bytes((place * 7 + (place >> 8)) & 0xFF for place in range(65536)))
        where: object = None
        try:
            result: object = instance.exports.run(*arguments)
        except Trap as trap:
            result, where = trap.kind, [(frame.funcidx, frame.offset) for frame in trap.frames]
        return result, where, bytes(memory.buffer)


def check_one(seed: int) -> bool:
    """Compare one program's runs. Returns whether it has values that are kept."""
    generator = Generator(Random(seed))
    module = decode(bytes(wasmtime.wat2wasm(generator.module())))
    for _ in range(3):
        arguments = generator.arguments()
        expected = outcome(module, "interpret", Flavour.default(), arguments)
        for flavour in {Flavour.default(), Flavour.STRUCT}:
            assert outcome(module, "compile", flavour, arguments) == expected, (seed, flavour, arguments)
    run = len(module.funcs) - 1
    facts = validate_func(module, run)
    source = translate(module, run, facts, Variant(Flavour.STRUCT)).source
    return any(f"l{len(facts.locals) + number} = " in source for number in range(KEEPERS))


@pytest.fixture(autouse=True, scope="module")
def eager() -> Iterator[None]:
    """Values are kept also where few are asked for again."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reloads, "RARE", 1 << 30)
        yield


@examples(200)
@given(seed=st.integers(0, 1 << 32))
def test_random_programs_with_locals_in_memory(seed: int) -> None:
    check_one(seed)


def test_random_programs_keep_values() -> None:
    assert sum(map(check_one, range(20))) > 10


def test_what_is_stored_where_the_frame_is_computed_is_known() -> None:
    module = decode(bytes(wasmtime.wat2wasm(Generator(Random(0)).module())))
    getter = module.funcs[0]
    assert Reloads(getter.body).repeated == 1
    source = translate(module, 0, validate_func(module, 0), Variant(Flavour.VIEW)).source
    assert ' "$u32at12"[l1] = l0\n' in source
    assert source.count('"$u32at12"[') == 1
