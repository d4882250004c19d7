"""Random functions, compiled, against wasmtime: results, traps and memory.

The functions are text modules: `run` takes `PARAMS` and returns an i64 that depends on all locals and
globals. Loops count down, so every function ends. The bits of a NaN that arithmetic makes are not defined, so
NaN never reaches memory, a sign or the result.
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
from pywasm_nn.interpreter.module import Module
from pywasm_nn.interpreter.runtime.link import instantiate
from pywasm_nn.interpreter.runtime.memory import Flavour

from ..conftest import examples

PARAMS = ("i32", "i32", "i32", "i64", "i64", "f32", "f64")
LOCALS = {"i32": (0, 1, 2), "i64": (3, 4), "f32": (5,), "f64": (6,)}
FIRST_COUNTER = 8
TYPES = ("i32", "i32", "i64", "f32", "f64")
EDGES = (
    0, 1, 2, 3, 5, 7, 8, 31, 32, 63, 127, 128, 255, 256, 0x7FFF, 0x8000, 0xFFFF, 0x10000, 0x7FFFFFFF,
    0x80000000, 0x80000001, 0xFFFFFFFE, 0xFFFFFFFF,
)  # fmt: skip
FLOATS = (
    "0", "-0", "1", "-1.5", "3.25", "1e10", "-1e-10", "inf", "-inf", "nan", "nan:0x200000", "1e38",
    "16777217", "0.1", "2147483648", "-9.3e18",
)  # fmt: skip
BINARY = ("add", "sub", "mul", "and", "or", "xor", "shl", "shr_s", "shr_u", "rotl", "rotr")
DIVISIONS = ("div_s", "div_u", "rem_s", "rem_u")
COMPARISONS = ("eq", "ne", "lt_s", "lt_u", "gt_s", "gt_u", "le_s", "le_u", "ge_s", "ge_u")
FLOAT_BINARY = ("add", "sub", "mul", "div", "min", "max", "copysign")
FLOAT_COMPARISONS = ("eq", "ne", "lt", "gt", "le", "ge")
FLOAT_UNARY = ("abs", "neg", "ceil", "floor", "trunc", "nearest", "sqrt")
LOADS = {
    "i32": ("load", "load8_s", "load8_u", "load16_s", "load16_u"),
    "i64": ("load", "load8_s", "load8_u", "load16_s", "load16_u", "load32_s", "load32_u"),
    "f32": ("load",),
    "f64": ("load",),
}
STORES = {
    "i32": ("store", "store8", "store16"),
    "i64": ("store", "store8", "store16", "store32"),
    "f32": ("store",),
    "f64": ("store",),
}

HEAD = """
(memory (export "memory") 1)
(type $i32 (func (param i32) (result i32))) (type $i64 (func (param i64) (result i64)))
(type $f32 (func (param f32) (result f32))) (type $f64 (func (param f64) (result f64)))
(global $i32 (mut i32) (i32.const 5)) (global $i64 (mut i64) (i64.const -5))
(global $f32 (export "f32") (mut f32) (f32.const 1.5)) (global $f64 (mut f64) (f64.const 2))
(table 7 funcref) (elem (i32.const 0) $i32 $i64 $f32 $f64 $i32)
(func $i32 (type $i32)
  (global.set $i32 (i32.add (global.get $i32) (local.get 0)))
  (i32.store (i32.const 16) (local.get 0))
  (i32.xor (local.get 0) (i32.const 12345)))
(func $i64 (type $i64)
  (global.set $i64 (i64.sub (global.get $i64) (local.get 0)))
  (i64.rotl (local.get 0) (i64.const 5)))
(func $f32 (type $f32)
  (global.set $f32 (f32.mul (global.get $f32) (local.get 0)))
  (f32.add (local.get 0) (f32.const 1)))
(func $f64 (type $f64)
  (f64.store (i32.const 24) (select (f64.const 7) (local.get 0) (f64.ne (local.get 0) (local.get 0))))
  (f64.sub (local.get 0) (f64.const 0.3)))
"""


class Generator:
    """Makes one module. `traps`: whether it may trap often; without, it hardly does."""

    def __init__(self, random: Random, *, traps: bool) -> None:
        self.random = random
        self.traps = traps
        self.labels: list[str] = []
        """Open labels by what they carry: a type, "" for nothing; "loop" and "if" are never branched to."""
        self.loops = 0
        self.budget = 0

    def module(self, size: int, depth: int) -> str:
        self.budget = size
        body = "\n".join(self.statement(depth) for _ in range(self.random.randrange(2, 12)))
        result = "(i64.const 0)"
        for type_, places in LOCALS.items():
            for index in places:
                result = (
                    f"(i64.add (i64.mul {result} (i64.const 31)) {as_i64(type_, f'(local.get {index})')})"
                )
        for type_ in LOCALS:
            value = as_i64(type_, f"(global.get ${type_})")
            result = f"(i64.xor (i64.mul {result} (i64.const 33)) {value})"
        params = " ".join(PARAMS)
        return f"""(module {HEAD}
(func (export "run") (param {params}) (result i64) (local i64 i32 i32 i32 i32)
{body}
{result}))"""

    def arguments(self) -> list[int | float]:
        r = self.random
        values: list[int | float] = [r.choice(EDGES) for _ in range(3)]
        values = [value - (1 << 32) if value >> 31 else value for value in map(int, values)]
        values += [r.getrandbits(64) - (1 << 63), r.choice(EDGES)]
        return [*values, r.choice([0.0, 1.5, -2.25, 1e30]), r.choice([0.0, -1.1, 1e300, -5e9])]

    # Expressions

    def expression(self, type_: str, depth: int) -> str:
        self.budget -= 1
        r = self.random
        if depth <= 0 or self.budget < 0:
            return self.constant(type_) if r.random() < 0.35 else f"(local.get {r.choice(LOCALS[type_])})"
        if r.random() < 0.35:
            kinds = (
                self.tee,
                self.load,
                self.select,
                self.call,
                self.get,
                self.block,
                self.choice,
                self.exit_with,
            )
            return r.choice(kinds)(type_, depth - 1)
        if type_[0] == "f":
            return self.float_operation(type_, depth - 1)
        return self.i32_operation(depth - 1) if type_ == "i32" else self.i64_operation(depth - 1)

    def constant(self, type_: str) -> str:
        r = self.random
        if type_[0] == "f":
            return f"({type_}.const {r.choice(FLOATS)})"
        bits = int(type_[1:])
        value = r.choice([r.choice(EDGES), r.getrandbits(bits), -r.choice(EDGES), 1 << bits - 1])
        return f"({type_}.const {value % (1 << bits)})"

    def tee(self, type_: str, depth: int) -> str:
        return f"(local.tee {self.random.choice(LOCALS[type_])} {self.expression(type_, depth)})"

    def load(self, type_: str, depth: int) -> str:
        r = self.random
        return (
            f"({type_}.{r.choice(LOADS[type_])} offset={r.choice((0, 0, 4, 1, 100))} {self.address(depth)})"
        )

    def address(self, depth: int) -> str:
        if self.traps and self.random.random() < 0.03:
            return self.expression("i32", depth)
        return (
            f"(i32.and {self.expression('i32', depth)} (i32.const {self.random.choice((255, 1023, 4095))}))"
        )

    def select(self, type_: str, depth: int) -> str:
        values = " ".join(self.expression(each, depth) for each in (type_, type_, "i32"))
        return f"(select {values})"

    def call(self, type_: str, depth: int) -> str:
        argument = self.expression(type_, depth)
        if self.traps and self.random.random() < 0.3:
            index = f"(i32.and {self.expression('i32', depth)} (i32.const 7))"
            return f"(call_indirect (type ${type_}) {argument} {index})"
        return f"(call ${type_} {argument})"

    def get(self, type_: str, depth: int) -> str:
        return f"(global.get ${type_})"

    def block(self, type_: str, depth: int) -> str:
        self.labels.append(type_)
        body = f"{self.statements(depth)} {self.expression(type_, depth)}"
        self.labels.pop()
        return f"(block (result {type_}) {body})"

    def choice(self, type_: str, depth: int) -> str:
        condition = self.expression("i32", depth)
        self.labels.append(type_)
        arms = [f"{self.statements(depth - 1)} {self.expression(type_, depth)}" for _ in range(2)]
        self.labels.pop()
        return f"(if (result {type_}) {condition} (then {arms[0]}) (else {arms[1]}))"

    def exit_with(self, type_: str, depth: int) -> str:
        target = self.target(type_)
        if target is None:
            return self.expression(type_, depth)
        return f"(br_if {target} {self.expression(type_, depth)} {self.expression('i32', depth)})"

    def target(self, carries: str) -> int | None:
        """The depth of a label that may be branched to."""
        depths = [n for n, label in enumerate(reversed(self.labels)) if label == carries]
        return self.random.choice(depths) if depths else None

    def integer_operation(self, type_: str, depth: int) -> str:
        r = self.random
        chance = r.random()
        if chance < 0.1:
            divisor = f"({type_}.const {r.choice((3, 7, 10, 255, 1 << 31))})"
            return f"({type_}.{r.choice(DIVISIONS)} {self.expression(type_, depth)} {divisor})"
        operation = r.choice(DIVISIONS) if self.traps and chance < 0.15 else r.choice(BINARY)
        return f"({type_}.{operation} {self.expression(type_, depth)} {self.expression(type_, depth)})"

    def conversion(self, type_: str, depth: int) -> str:
        source = self.random.choice(("f32", "f64"))
        saturating = "" if self.traps and self.random.random() < 0.1 else "sat_"
        sign = self.random.choice("su")
        return f"({type_}.trunc_{saturating}{source}_{sign} {self.expression(source, depth)})"

    def i32_operation(self, depth: int) -> str:
        r = self.random
        chance = r.random()
        if chance < 0.55:
            return self.integer_operation("i32", depth)
        if chance < 0.75:
            source = r.choice(TYPES)
            comparison = r.choice(FLOAT_COMPARISONS if source[0] == "f" else COMPARISONS)
            return (
                f"({source}.{comparison} {self.expression(source, depth)} {self.expression(source, depth)})"
            )
        if chance < 0.8:
            return self.conversion("i32", depth)
        if chance < 0.88:
            wide = r.choice(("i32.wrap_i64", "i64.eqz"))
            return f"({wide} {self.expression('i64', depth)})"
        operation = r.choice(("clz", "ctz", "popcnt", "extend8_s", "extend16_s", "eqz", "eqz"))
        return f"(i32.{operation} {self.expression('i32', depth)})"

    def i64_operation(self, depth: int) -> str:
        r = self.random
        chance = r.random()
        if chance < 0.6:
            return self.integer_operation("i64", depth)
        if chance < 0.75:
            return f"(i64.extend_i32_{r.choice('su')} {self.expression('i32', depth)})"
        if chance < 0.8:
            return self.conversion("i64", depth)
        operation = r.choice(("clz", "ctz", "popcnt", "extend8_s", "extend16_s", "extend32_s"))
        return f"(i64.{operation} {self.expression('i64', depth)})"

    def float_operation(self, type_: str, depth: int) -> str:
        r = self.random
        chance = r.random()
        if chance < 0.6:
            operation = r.choice(FLOAT_BINARY)
            first, second = self.expression(type_, depth), self.expression(type_, depth)
            if operation == "copysign":
                second = self.number(type_, second)
            return f"({type_}.{operation} {first} {second})"
        if chance < 0.75:
            return f"({type_}.{r.choice(FLOAT_UNARY)} {self.expression(type_, depth)})"
        if chance < 0.9:
            source = r.choice(("i32", "i64"))
            return f"({type_}.convert_{source}_{r.choice('su')} {self.expression(source, depth)})"
        if type_ == "f32":
            return f"(f32.demote_f64 {self.expression('f64', depth)})"
        return f"(f64.promote_f32 {self.expression('f32', depth)})"

    def number(self, type_: str, value: str) -> str:
        """A value that is 7 instead of NaN. Changes a local."""
        if type_[0] == "i":
            return value
        local = LOCALS[type_][0]
        isnan = f"({type_}.ne (local.get {local}) (local.get {local}))"
        return f"(select ({type_}.const 7) (local.tee {local} {value}) {isnan})"

    # Statements

    def statements(self, depth: int) -> str:
        count = self.random.choice((0, 1, 1, 2, 3)) if depth > 0 else 0
        return " ".join(self.statement(depth) for _ in range(count))

    def statement(self, depth: int) -> str:
        self.budget -= 1
        if self.budget < 0:
            return ""
        kinds = (
            self.set_local, self.set_local, self.set_local, self.store, self.store, self.set_global,
            self.drop, self.if_, self.plain_block, self.loop, self.loop, self.exit, self.exit, self.return_,
        )  # fmt: skip
        return self.random.choice(kinds)(depth - 1)

    def set_local(self, depth: int) -> str:
        type_ = self.random.choice(TYPES)
        return f"(local.set {self.random.choice(LOCALS[type_])} {self.expression(type_, depth)})"

    def store(self, depth: int) -> str:
        r = self.random
        type_ = r.choice(TYPES)
        address, value = self.address(depth), self.number(type_, self.expression(type_, depth))
        operation, offset = r.choice(STORES[type_]), r.choice((0, 0, 8, 3))
        return f"({type_}.{operation} offset={offset} {address} {value})"

    def set_global(self, depth: int) -> str:
        type_ = self.random.choice(TYPES)
        return f"(global.set ${type_} {self.expression(type_, depth)})"

    def drop(self, depth: int) -> str:
        return f"(drop {self.expression(self.random.choice(TYPES), depth)})"

    def inside(self, label: str, depth: int) -> str:
        self.labels.append(label)
        body = self.statements(depth)
        self.labels.pop()
        return body

    def if_(self, depth: int) -> str:
        condition, then = self.expression("i32", depth), self.inside("", depth)
        orelse = f"(else {self.inside('', depth)})" if self.random.random() < 0.5 else ""
        return f"(if {condition} (then {then}) {orelse})"

    def plain_block(self, depth: int) -> str:
        return f"(block {self.inside('', depth)} {self.inside('', depth)})"

    def loop(self, depth: int) -> str:
        if self.loops == 3:
            return ""
        counter = FIRST_COUNTER + self.loops
        self.loops += 1
        down = f"(i32.sub (local.get {counter}) (i32.const 1))"
        if self.random.random() < 0.6:
            body = self.inside("loop", depth) + self.inside("loop", depth)
            text = f"(loop {body} (br_if 0 (i32.gt_s (local.tee {counter} {down}) (i32.const 0))))"
        else:
            self.labels.append("")
            body = self.inside("loop", depth) + self.inside("loop", depth)
            self.labels.pop()
            leave = f"(br_if 1 (i32.eqz (local.get {counter})))"
            text = f"(block (loop {leave} (local.set {counter} {down}) {body} (br 0)))"
        self.loops -= 1
        return f"(local.set {counter} (i32.const {self.random.choice((1, 2, 3))})) {text}"

    def exit(self, depth: int) -> str:
        r = self.random
        if self.target("") is None:
            return ""
        if r.random() < 0.5:
            return f"(br_if {self.target('')} {self.expression('i32', depth)})"
        condition = self.expression("i32", depth)
        self.labels.append("if")
        if r.random() < 0.4:
            branch = f"{self.statements(depth - 1)} (br {self.target('')})"
        else:
            targets = " ".join(str(self.target("")) for _ in range(r.choice((1, 2, 3, 5, 9))))
            branch = f"(br_table {targets} {self.expression('i32', depth)})"
        self.labels.pop()
        return f"(if {condition} (then {branch}))"

    def return_(self, depth: int) -> str:
        test = f"(i32.eq {self.expression('i32', depth)} (i32.const {self.random.choice(EDGES)}))"
        return f"(if {test} (then (return (i64.const {self.random.getrandbits(20)}))))"


def as_i64(type_: str, value: str) -> str:
    """A value's bits as an i64, 7 instead of NaN. `value` is repeated."""
    if type_ == "i64":
        return value
    if type_ == "i32":
        return f"(i64.extend_i32_u {value})"
    number = f"(select ({type_}.const 7) {value} ({type_}.ne {value} {value}))"
    if type_ == "f32":
        return f"(i64.extend_i32_u (i32.reinterpret_f32 {number}))"
    return f"(i64.reinterpret_f64 {number})"


TRAPS = {
    wasmtime.TrapCode.INTEGER_DIVISION_BY_ZERO: TrapKind.DIVIDE_BY_ZERO,
    wasmtime.TrapCode.MEMORY_OUT_OF_BOUNDS: TrapKind.OUT_OF_BOUNDS_MEMORY,
    wasmtime.TrapCode.INTEGER_OVERFLOW: TrapKind.INTEGER_OVERFLOW,
    wasmtime.TrapCode.BAD_CONVERSION_TO_INTEGER: TrapKind.INVALID_CONVERSION,
    wasmtime.TrapCode.TABLE_OUT_OF_BOUNDS: TrapKind.UNDEFINED_ELEMENT,
    wasmtime.TrapCode.INDIRECT_CALL_TO_NULL: TrapKind.UNINITIALIZED_ELEMENT,
    wasmtime.TrapCode.BAD_SIGNATURE: TrapKind.INDIRECT_CALL_TYPE,
}
Outcome = tuple[int | TrapKind, bytes]
"""What `run` returned or why it trapped, and the memory afterwards."""


@pytest.fixture(scope="module")
def native_engine() -> wasmtime.Engine:
    return wasmtime.Engine()


def run_native(engine: wasmtime.Engine, binary: bytes, arguments: list[int | float]) -> Outcome:
    module, store = wasmtime.Module(engine, binary), wasmtime.Store(engine)
    exports = wasmtime.Instance(store, module, []).exports(store)
    run, memory = exports["run"], exports["memory"]
    assert isinstance(run, wasmtime.Func) and isinstance(memory, wasmtime.Memory)
    try:
        result = run(store, *arguments)
    except wasmtime.Trap as trap:
        result = TRAPS[trap.trap_code]
    return result, bytes(memory.read(store, 0, 8192))


def run_compiled(module: Module, flavour: Flavour, arguments: list[int | float]) -> Outcome:
    engine = CompileEngine()
    with instantiate(module, lambda *_: None, engine, flavour=flavour) as instance:
        try:
            result = instance.exports.run(*arguments)
        except Trap as trap:
            result = trap.kind
        assert not engine.interpreted
        return result, instance.memory.read(0, 8192)


@pytest.mark.parametrize("traps", [False, True])
@examples(300)
@given(seed=st.integers(0, 1 << 32), size=st.integers(5, 400), depth=st.integers(2, 7))
def test_random_functions(
    native_engine: wasmtime.Engine, traps: bool, seed: int, size: int, depth: int
) -> None:
    generator = Generator(Random(seed), traps=traps)
    binary = bytes(wasmtime.wat2wasm(generator.module(size, depth)))
    module = decode(binary)
    arguments = generator.arguments()
    expected = run_native(native_engine, binary, arguments)
    for flavour in {Flavour.default(), Flavour.STRUCT}:
        assert run_compiled(module, flavour, arguments) == expected
