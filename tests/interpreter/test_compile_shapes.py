"""Loops, pointers and comparisons as toolchains write them, at random, compiled and run by wasmtime: results,
traps, and memory as a trap left it.

`test_compile_random.py` makes any expressions; here is what the compiler knows something about: locals that
count, up and down and by other locals, that are compared, signed or not, with each other and constants, that
are addresses, with offsets and constants added that wrap, and that small functions take and give.
"""

from __future__ import annotations

from random import Random

import pytest
import wasmtime
from hypothesis import given
from hypothesis import strategies as st

from pywasm_nn.errors import Trap, TrapKind
from pywasm_nn.interpreter.binary import decode
from pywasm_nn.interpreter.engine import CompileEngine
from pywasm_nn.interpreter.runtime.link import instantiate
from pywasm_nn.interpreter.runtime.memory import Flavour

from ..conftest import examples

PARAMS, LOCALS = 4, 9
ACCUMULATOR = LOCALS
STEPS = (1, 1, 1, 2, 3, 4, 8, -1, -1, -2, -4, -16)
NUMBERS = (
    0, 1, 2, 3, 7, 16, 100, 255, 256, 1000, 4096, 0x3FFFFFFF, 0x40000000, 0x7FFFFFFE, 0x7FFFFFFF, -0x80000000,
    -0x7FFFFFFF, -2, -1, -8, -100,
)  # fmt: skip
OFFSETS = (0, 0, 0, 1, 4, 12, 100, 2047, 2048, 60000, 65535)
TESTS = ("eq", "ne", "lt_s", "lt_s", "gt_s", "le_s", "ge_s", "lt_u", "gt_u", "le_u", "ge_u")
LOADS = ("load", "load", "load8_u", "load8_s", "load16_u", "load16_s")
STORES = ("store", "store", "store8", "store16")
FUEL = 20_000
TRAPS = {
    wasmtime.TrapCode.INTEGER_DIVISION_BY_ZERO: TrapKind.DIVIDE_BY_ZERO,
    wasmtime.TrapCode.MEMORY_OUT_OF_BOUNDS: TrapKind.OUT_OF_BOUNDS_MEMORY,
    wasmtime.TrapCode.INTEGER_OVERFLOW: TrapKind.INTEGER_OVERFLOW,
}


class Shapes:
    """Makes one module, whose `run` takes and sets `PARAMS` numbers."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.budget = 60
        self.calls = True

    def module(self) -> str:
        helpers = "".join(self.helper(number) for number in range(3))
        body = self.statements(3)
        results = "".join(
            f"(local.set {ACCUMULATOR} {self.mixed(f'(local.get {n})')})" for n in range(LOCALS)
        )
        params = "i32 " * PARAMS
        return f"""(module (memory (export "memory") 1) (global $g (mut i32) (i32.const 1000)) {helpers}
          (func (export "run") (param {params}) (result i64) (local {"i32 " * (LOCALS - PARAMS)} i64)
          {body} {results} (local.get {ACCUMULATOR})))"""

    def helper(self, number: int) -> str:
        """A function of two parameters that is small."""
        self.calls = False
        budget, self.budget = self.budget, self.random.choice((0, 0, 2, 5))
        statement = self.random.choice((self.set_local, self.if_, self.store))(1) if self.budget else ""
        value = self.expression(self.random.choice((0, 1, 2)))
        self.budget, self.calls = budget, True
        locals_ = "i32 " * (LOCALS - 2)
        return f"""(func $helper{number} (param i32 i32) (result i32) (local {locals_} i64)
          {statement} {value})"""

    def mixed(self, value: str) -> str:
        return f"(i64.xor (i64.mul (local.get {ACCUMULATOR}) (i64.const 31)) (i64.extend_i32_u {value}))"

    def local(self) -> int:
        return self.random.randrange(LOCALS)

    def get(self) -> str:
        return f"(local.get {self.local()})"

    def number(self) -> str:
        return f"(i32.const {self.random.choice(NUMBERS)})"

    def operand(self) -> str:
        return self.number() if self.random.random() < 0.4 else self.get()

    def expression(self, depth: int = 1) -> str:
        r = self.random
        chance = r.random()
        if depth < 0 or chance < 0.15:
            return self.operand()
        inner = self.expression(depth - 1)
        if chance < 0.45:
            operation = r.choice(("add", "add", "add", "sub", "sub", "mul", "and", "or", "xor"))
            return f"(i32.{operation} {inner} {self.expression(depth - 1)})"
        if chance < 0.6:
            by = r.choice((f"(i32.const {r.choice((1, 2, 3, 16, 24, 31))})", self.get()))
            return f"(i32.{r.choice(('shl', 'shr_u', 'shr_s'))} {inner} {by})"
        if chance < 0.75:
            return f"(i32.{r.choice(LOADS)} offset={r.choice(OFFSETS)} {self.address()})"
        if chance < 0.8:
            return f"(select {inner} {self.get()} {self.condition()})"
        if chance < 0.85:
            operation = r.choice(("div_s", "rem_s", "div_u", "rem_u"))
            divisor = r.choice(("(i32.const 3)", "(i32.const 10)", "(i32.const -7)", self.get()))
            return f"(i32.{operation} {inner} {divisor})"
        if chance < 0.93 and self.calls:
            return f"(call $helper{r.randrange(3)} {inner} {self.get()})"
        return self.condition()

    def address(self) -> str:
        """Mostly inside of memory."""
        r = self.random
        chance = r.random()
        if chance < 0.3:
            return self.get()
        base = self.get() if chance < 0.6 else f"(i32.and {self.get()} (i32.const 255))"
        return f"(i32.add {base} (i32.const {r.choice((1, 4, 16, 1000, 5000, -1, -4, -16, 65530))}))"

    def condition(self) -> str:
        r = self.random
        if r.random() < 0.1:
            return self.get()
        if r.random() < 0.1:
            return f"(i32.eqz {self.get()})"
        return f"(i32.{r.choice(TESTS)} {self.get()} {self.operand()})"

    def statements(self, depth: int) -> str:
        return " ".join(self.statement(depth) for _ in range(self.random.choice((1, 2, 2, 3, 4))))

    def statement(self, depth: int) -> str:
        self.budget -= 1
        if self.budget < 0:
            return ""
        kinds = [self.set_local, self.set_local, self.store, self.mix, self.count]
        if depth > 0:
            kinds += [self.if_, self.block, self.loop, self.loop, self.loop, self.loop]
        return self.random.choice(kinds)(depth - 1)

    def set_local(self, depth: int) -> str:
        return f"(local.set {self.local()} {self.expression()})"

    def count(self, depth: int) -> str:
        local, step = self.local(), self.random.choice(STEPS)
        by = f"(i32.const {step})" if self.random.random() < 0.7 else self.get()
        return f"(local.set {local} (i32.add (local.get {local}) {by}))"

    def mix(self, depth: int) -> str:
        return f"(local.set {ACCUMULATOR} {self.mixed(self.get())})"

    def store(self, depth: int) -> str:
        r = self.random
        place = f"offset={r.choice(OFFSETS)} {self.address()}"
        return f"(i32.{r.choice(STORES)} {place} {self.expression(0)})"

    def if_(self, depth: int) -> str:
        orelse = f"(else {self.statements(depth)})" if self.random.random() < 0.5 else ""
        return f"(if {self.condition()} (then {self.statements(depth)}) {orelse})"

    def block(self, depth: int) -> str:
        leave = f"(br_if 0 {self.condition()})"
        return f"(block {leave} {self.statements(depth)} {leave if self.random.random() < 0.3 else ''})"

    def loop(self, depth: int) -> str:
        r = self.random
        counter, step = self.local(), r.choice(STEPS)
        by = f"(i32.const {step})" if r.random() < 0.8 else self.get()
        start = "" if r.random() < 0.4 else f"(local.set {counter} {self.operand()})"
        body = self.statements(depth)
        others = " ".join(self.count(depth) for _ in range(r.choice((0, 1, 1, 2))))
        added = f"(i32.{r.choice(('add', 'add', 'sub'))} (local.get {counter}) {by})"
        chance = r.random()
        if chance < 0.3:
            bound = self.operand()
            test = f"(i32.{r.choice(TESTS)} (local.tee {counter} {added}) {bound})"
            return f"{start} (block (loop {body} {others} (br_if 0 {test})))"
        if chance < 0.4:
            return f"{start} (block (loop {body} {others} (br_if 0 (local.tee {counter} {added}))))"
        test = f"(i32.{r.choice(TESTS)} (local.get {counter}) {self.operand()})"
        if chance < 0.75:
            return f"{start} (block (loop {body} (local.set {counter} {added}) {others} (br_if 0 {test})))"
        return f"{start} (block (loop (br_if 1 {test}) {body} {others} (local.set {counter} {added}) (br 0)))"

    def arguments(self) -> list[int]:
        r = self.random
        return [r.choice((r.randrange(300), r.randrange(300), r.choice(NUMBERS))) for _ in range(PARAMS)]


@pytest.fixture(scope="module")
def metered() -> wasmtime.Engine:
    config = wasmtime.Config()
    config.consume_fuel = True
    return wasmtime.Engine(config)


Outcome = tuple[int | TrapKind, bytes]


def run_native(engine: wasmtime.Engine, binary: bytes, arguments: list[int]) -> Outcome | None:
    """What happens; None if it takes too long."""
    store = wasmtime.Store(engine)
    store.set_fuel(FUEL)
    exports = wasmtime.Instance(store, wasmtime.Module(engine, binary), []).exports(store)
    run, memory = exports["run"], exports["memory"]
    assert isinstance(run, wasmtime.Func) and isinstance(memory, wasmtime.Memory)
    try:
        result = run(store, *arguments)
    except wasmtime.Trap as trap:
        if trap.trap_code is wasmtime.TrapCode.OUT_OF_FUEL:
            return None
        assert trap.trap_code is not None
        result = TRAPS[trap.trap_code]
    return result, bytes(memory.read(store, 0, 65536))


@examples(600)
@given(seed=st.integers(0, 1 << 32))
def test_shapes(metered: wasmtime.Engine, seed: int) -> None:
    random = Random(seed)
    shapes = Shapes(random)
    binary = bytes(wasmtime.wat2wasm(shapes.module()))
    module = decode(binary)
    for _ in range(3):
        arguments = shapes.arguments()
        expected = run_native(metered, binary, arguments)
        for flavour in {Flavour.default(), Flavour.STRUCT} if expected else ():
            engine = CompileEngine()
            with instantiate(module, lambda *_: None, engine, flavour=flavour) as instance:
                try:
                    result = instance.exports.run(*arguments)
                except Trap as trap:
                    result = trap.kind
                assert not engine.interpreted
                assert (result, instance.memory.read(0, 65536)) == expected
