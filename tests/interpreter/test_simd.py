"""Vector instructions: every row against wasmtime on both engines, integer lanes against plain arithmetic."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from random import Random
from struct import Struct

import pytest
import wasmtime
from hypothesis import given
from hypothesis import strategies as st

from pywasm_nn.api import Module
from pywasm_nn.errors import InvalidError, Trap
from pywasm_nn.interpreter.engine import ENGINES
from pywasm_nn.interpreter.instructions import OPS, Imm, Op
from pywasm_nn.interpreter.instructions.cells import evaluator
from pywasm_nn.interpreter.runtime.instance import Instance
from pywasm_nn.interpreter.runtime.link import instantiate
from pywasm_nn.interpreter.runtime.memory import Flavour
from pywasm_nn.interpreter.text import parse, print_module
from pywasm_nn.interpreter.types import I32, V128

from ..conftest import examples

ROWS = [op for op in OPS.values() if op.code[0] == 0xFD]
ROUNDS = 60
"""Sets of operands that each instruction gets."""
OPERANDS, RESULT, END = 128, 64, 256
"""Where operands lie in memory, 16 bytes each, and the result; what is compared ends there."""
EDGES = {
    8: [0, 1, 0x7F, 0x80, 0x81, 0xFE, 0xFF],
    16: [0, 1, 0x7FFF, 0x8000, 0x8001, 0xFF, 0x100, 0xFF80, 0xFFFF],
    32: [
        0, 1, 0x7FFFFFFF, 0x80000000, 0x80000001, 0xFFFFFFFF, 0x3F800000, 0x40200000, 0xBF000000,
        0x3F000000, 0x7F7FFFFF, 0x7F800000, 0xFF800000, 0x7FC00000, 0xFFC00000, 0x7F800001, 0x7FE12345,
        0x4F000000, 0x4B7FFFFF,
    ],
    64: [
        0, 1, (1 << 63) - 1, 1 << 63, (1 << 64) - 1, 0x3FF0000000000000, 0xBFE0000000000000,
        0x4004000000000000, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000,
        0xFFF8000000000000, 0x7FF0000000000001, 0x41DFFFFFFFC00000, 0x41F0000000000000,
        0x47EFFFFFE0000000, 0x432FFFFFFFFFFFFF, 0x36A0000000000000,
    ],
}  # fmt: skip
"""Lanes where something happens, as integers and as floats."""
ROUNDING = re.compile(
    r"f(32x4|64x2)\.(ceil|floor|trunc|nearest|sqrt|add|sub|mul|div|(relaxed_)?(min|max)|relaxed_n?madd"
    r"|demote|promote)"
)
"""Instructions whose NaNs are only known to be quiet."""


def some_vector(op: Op, random: Random) -> int:
    """Lanes of a width that the instruction's name tells, or of another."""
    named = [int(shape) for shape in re.findall(r"[if](8|16|32|64)x", op.name)]
    bits = random.choice((*named, *named, *EDGES))
    lanes = (
        random.choice(EDGES[bits]) if random.random() < 0.7 else random.getrandbits(bits)
        for _ in range(128 // bits)
    )
    return sum(lane << bits * i for i, lane in enumerate(lanes))


def some_operands(op: Op, random: Random) -> list[int]:
    """Three vectors; for relaxed instructions those that leave no choice but what is configured away."""
    vectors = [some_vector(op, random) for _ in range(3)]
    if "madd" in op.name:  # small integers: rounding once or twice is the same
        pack = Struct("<4f" if op.name.startswith("f32") else "<2d")
        count = 4 if op.name.startswith("f32") else 2
        lanes = [[random.randrange(-99, 99) for _ in range(count)] for _ in range(3)]
        return [int.from_bytes(pack.pack(*lane), "little") for lane in lanes]
    if "relaxed_dot" in op.name:
        vectors[1] &= int.from_bytes(b"\x7f" * 16)
    return vectors


def some_immediates(op: Op, random: Random) -> str:
    if Imm.LANES in op.imms:
        return " ".join(str(random.randrange(32)) for _ in range(16))
    if Imm.V128 in op.imms:
        return f"i64x2 {random.getrandbits(64)} {random.getrandbits(64)}"
    offset = f"offset={random.randrange(9)} align=1 " if Imm.MEMARG in op.imms else ""
    return offset + (str(random.randrange(op.lanes)) if Imm.LANE in op.imms else "")


def module_around(op: Op, immediates: str) -> str:
    """A function that takes operands from memory, does one thing, and leaves its result in memory."""
    params = list(op.params or ())
    loads = [f"({type_}.load (i32.const {OPERANDS + 16 * i}))" for i, type_ in enumerate(params)]
    if op.access:  # an address near by, in a memory whose pages end far away
        loads[0] = f"(i32.and {loads[0]} (i32.const 15))"
    done = f"({op.name} {immediates} {' '.join(loads)})"
    if op.results:
        done = f"({op.results[0]}.store (i32.const {RESULT}) {done})"
    return f'(module (memory (export "m") 1) (func (export "run") {done}))'


def theirs(text: str) -> Callable[[bytes], bytes]:
    """What wasmtime makes of memory."""
    config = wasmtime.Config()
    config.wasm_relaxed_simd_deterministic = True
    store = wasmtime.Store(wasmtime.Engine(config))
    instance = wasmtime.Instance(store, wasmtime.Module(store.engine, text), [])
    memory, run = instance.exports(store)["m"], instance.exports(store)["run"]
    assert isinstance(memory, wasmtime.Memory)
    assert isinstance(run, wasmtime.Func)

    def call(before: bytes) -> bytes:
        memory.write(store, before)
        run(store)
        return bytes(memory.read(store, 0, END))

    return call


def ours(text: str, engine: str, flavour: Flavour) -> Callable[[bytes], bytes]:
    """What an engine makes of memory."""
    instance = instance_of(text, engine, flavour)
    memory = instance.exports["m"]

    def call(before: bytes) -> bytes:
        memory.write(0, before)
        instance.exports["run"].call()
        after: bytes = memory.read(0, END)
        return after

    return call


def instance_of(text: str, engine: str, flavour: Flavour) -> Instance:
    return instantiate(parse(text), lambda module, name: None, ENGINES[engine](), flavour=flavour)


def same(op: Op, mine: bytes, other: bytes) -> bool:
    """Equal bytes; where a NaN's bits are free, both quiet NaNs."""
    if mine == other:
        return True
    if (
        not ROUNDING.match(op.name)
        or mine[:RESULT] + mine[RESULT + 16 :] != other[:RESULT] + other[RESULT + 16 :]
    ):
        return False
    wide = op.name.startswith("f64")
    size, quiet = (8, 0x7FF8 << 48) if wide else (4, 0x7FC00000)
    for at in range(RESULT, RESULT + 16, size):
        x, y = (int.from_bytes(data[at : at + size], "little") for data in (mine, other))
        if x != y and not x & quiet == y & quiet == quiet:
            return False
    return True


@pytest.mark.parametrize("op", ROWS, ids=lambda op: op.name)
def test_every_row_does_what_wasmtime_does(op: Op) -> None:
    random = Random(op.name)
    for _ in range(3 if op.imms else 1):
        text = module_around(op, some_immediates(op, random))
        expect = theirs(text)
        engines = {
            (engine, flavour): ours(text, engine, flavour)
            for engine in ENGINES
            for flavour in {Flavour.default(), Flavour.STRUCT if op.access else Flavour.default()}
        }
        for _ in range(ROUNDS):
            before = bytearray(random.randbytes(END))
            for i, vector in enumerate(some_operands(op, random)):
                before[OPERANDS + 16 * i : OPERANDS + 16 * i + 16] = vector.to_bytes(16, "little")
            expected = expect(before)
            for name, run in engines.items():
                result = run(before)
                assert same(op, result, expected), (
                    name,
                    text,
                    before[OPERANDS:].hex(),
                    result[RESULT : RESULT + 16],
                )


# Integer lanes, one by one


def lanes_of(vector: int, bits: int, signed: bool) -> list[int]:
    lanes = [vector >> at & (1 << bits) - 1 for at in range(0, 128, bits)]
    return [lane - (lane >> bits - 1 << bits) for lane in lanes] if signed else lanes


def packed(lanes: list[int], bits: int) -> int:
    return sum((lane & (1 << bits) - 1) << bits * i for i, lane in enumerate(lanes))


def clamped(value: int, bits: int, signed: bool) -> int:
    low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if signed else (0, (1 << bits) - 1)
    return max(low, min(high, value))


PLAIN: dict[str, Callable[[int, int, int], int]] = {
    "add": lambda x, y, bits: x + y,
    "sub": lambda x, y, bits: x - y,
    "mul": lambda x, y, bits: x * y,
    "eq": lambda x, y, bits: -(x == y),
    "ne": lambda x, y, bits: -(x != y),
    "lt_s": lambda x, y, bits: -(x < y),
    "lt_u": lambda x, y, bits: -(x < y),
    "gt_s": lambda x, y, bits: -(x > y),
    "gt_u": lambda x, y, bits: -(x > y),
    "le_s": lambda x, y, bits: -(x <= y),
    "le_u": lambda x, y, bits: -(x <= y),
    "ge_s": lambda x, y, bits: -(x >= y),
    "ge_u": lambda x, y, bits: -(x >= y),
    "min_s": lambda x, y, bits: min(x, y),
    "min_u": lambda x, y, bits: min(x, y),
    "max_s": lambda x, y, bits: max(x, y),
    "max_u": lambda x, y, bits: max(x, y),
    "avgr_u": lambda x, y, bits: (x + y + 1) // 2,
    "add_sat_s": lambda x, y, bits: clamped(x + y, bits, True),
    "add_sat_u": lambda x, y, bits: clamped(x + y, bits, False),
    "sub_sat_s": lambda x, y, bits: clamped(x - y, bits, True),
    "sub_sat_u": lambda x, y, bits: clamped(x - y, bits, False),
    "q15mulr_sat_s": lambda x, y, bits: clamped((x * y + (1 << 14)) >> 15, bits, True),
}
SHAPES = {"i8x16": 8, "i16x8": 16, "i32x4": 32, "i64x2": 64}
BINARY = [OPS[f"{shape}.{name}"] for shape in SHAPES for name in PLAIN if f"{shape}.{name}" in OPS]
VECTOR = st.one_of(
    st.integers(0, (1 << 128) - 1),
    *(
        st.lists(st.sampled_from(edges), min_size=128 // bits, max_size=128 // bits).map(
            lambda lanes, bits=bits: packed(lanes, bits)
        )
        for bits, edges in EDGES.items()
    ),
)


@examples(40)
@given(a=VECTOR, b=VECTOR)
@pytest.mark.parametrize("op", BINARY, ids=lambda op: op.name)
def test_lanes_of_two_vectors(op: Op, a: int, b: int) -> None:
    shape, _, name = op.name.partition(".")
    bits, signed = SHAPES[shape], name.endswith("_s")
    lanes = zip(lanes_of(a, bits, signed), lanes_of(b, bits, signed), strict=True)
    assert evaluator(op)(a, b) == packed([PLAIN[name](x, y, bits) for x, y in lanes], bits)


@examples(40)
@given(a=VECTOR, count=st.integers(0, 0xFFFFFFFF))
@pytest.mark.parametrize("shape", SHAPES)
def test_lanes_of_one_vector(shape: str, a: int, count: int) -> None:
    bits = SHAPES[shape]
    unsigned, signed = lanes_of(a, bits, False), lanes_of(a, bits, True)
    by = count % bits
    assert evaluator(OPS[f"{shape}.neg"])(a) == packed([-x for x in signed], bits)
    assert evaluator(OPS[f"{shape}.abs"])(a) == packed([abs(x) for x in signed], bits)
    assert evaluator(OPS[f"{shape}.shl"])(a, count) == packed([x << by for x in unsigned], bits)
    assert evaluator(OPS[f"{shape}.shr_s"])(a, count) == packed([x >> by for x in signed], bits)
    assert evaluator(OPS[f"{shape}.shr_u"])(a, count) == packed([x >> by for x in unsigned], bits)
    assert evaluator(OPS[f"{shape}.all_true"])(a) == int(all(unsigned))
    assert evaluator(OPS[f"{shape}.bitmask"])(a) == sum((x < 0) << i for i, x in enumerate(signed))


WIDER = [(8, "i8x16", "i16x8"), (16, "i16x8", "i32x4"), (32, "i32x4", "i64x2")]


@examples(40)
@given(a=VECTOR, b=VECTOR)
@pytest.mark.parametrize(("bits", "narrow", "wide"), WIDER)
@pytest.mark.parametrize("sign", ["s", "u"])
def test_lanes_of_another_width(bits: int, narrow: str, wide: str, sign: str, a: int, b: int) -> None:
    x, y = lanes_of(a, bits, sign == "s"), lanes_of(b, bits, sign == "s")
    half = len(x) // 2
    for side, part in (("low", slice(half)), ("high", slice(half, None))):
        extend, extmul = (
            OPS[f"{wide}.extend_{side}_{narrow}_{sign}"],
            OPS[f"{wide}.extmul_{side}_{narrow}_{sign}"],
        )
        assert evaluator(extend)(a) == packed(x[part], 2 * bits)
        products = [p * q for p, q in zip(x[part], y[part], strict=True)]
        assert evaluator(extmul)(a, b) == packed(products, 2 * bits)
    if bits < 32:
        pairs = [x[i] + x[i + 1] for i in range(0, len(x), 2)]
        assert evaluator(OPS[f"{wide}.extadd_pairwise_{narrow}_{sign}"])(a) == packed(pairs, 2 * bits)
        lanes = lanes_of(a, 2 * bits, True) + lanes_of(b, 2 * bits, True)
        fitting = [clamped(lane, bits, sign == "s") for lane in lanes]
        assert evaluator(OPS[f"{narrow}.narrow_{wide}_{sign}"])(a, b) == packed(fitting, bits)


def test_relaxed_madd_rounds_twice() -> None:
    """What wasmtime can't tell: it may round once."""
    near_one, product = 1 + 2**-12, (1 + 2**-12) ** 2
    single = Struct("<f")
    rounded: float = single.unpack(single.pack(product))[0]
    assert rounded != product
    (a,), (c,) = ((int.from_bytes(single.pack(x), "little"),) for x in (near_one, -rounded))
    assert evaluator(OPS["f32x4.relaxed_madd"])(a, a, c) == 0
    a64, c64 = (int.from_bytes(Struct("<d").pack(x), "little") for x in (1 + 2**-30, -((1 + 2**-30) ** 2)))
    assert evaluator(OPS["f64x2.relaxed_madd"])(a64, a64, c64) == 0


def test_too_large_for_f32_is_infinite() -> None:
    largest = 0x7F7FFFFF * int.from_bytes(b"\1\0\0\0" * 4, "little")
    assert evaluator(OPS["f32x4.add"])(largest, largest) == 0x7F800000 * int.from_bytes(
        b"\1\0\0\0" * 4, "little"
    )
    huge = int.from_bytes(Struct("<2d").pack(1e300, -1e300), "little")
    lanes = Struct("<4f").unpack(evaluator(OPS["f32x4.demote_f64x2_zero"])(huge).to_bytes(16, "little"))
    assert lanes == (math.inf, -math.inf, 0.0, 0.0)


# Vectors as values


def test_vectors_are_plain_ints_outside(engine: str) -> None:
    text = """
    (module
      (global $g (mut v128) (v128.const i64x2 1 2))
      (global (export "g") v128 (v128.const i64x2 3 4))
      (func (export "next") (result v128)
        (global.get $g)
        (global.set $g (i8x16.add (global.get $g) (v128.const i8x16 1 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0))))
      (func (export "default") (result v128) (local v128) (local.get 0))
      (func (export "choose") (param v128 v128 i32) (result v128 v128)
        (select (local.get 0) (local.get 1) (local.get 2))
        (select (result v128) (local.get 1) (local.get 0) (local.get 2))))
    """
    with Module.from_text(text).instantiate(engine=engine) as instance:
        exports = instance.exports
        assert [exports.next(), exports.next()] == [2 << 64 | 1, 2 << 64 | 2]
        assert exports.default() == 0
        assert exports.choose(-1, 5, 1) == ((1 << 128) - 1, 5)
        assert exports.choose(-1, 5, 0) == (5, (1 << 128) - 1)
        assert exports.g.value == 4 << 64 | 3
        with pytest.raises(ValueError, match="doesn't fit v128"):
            exports.choose(1 << 128, 5, 0)


@pytest.mark.parametrize("op", [op for op in ROWS if op.access], ids=lambda op: op.name)
def test_accesses_end_with_memory(op: Op, engine: str, flavour: Flavour) -> None:
    """The last bytes can be had; one further traps, and nothing is written."""
    lane = "0" if Imm.LANE in op.imms else ""
    vector = "(v128.const i64x2 -1 -1)" if op.params and len(op.params) > 1 else ""
    done = f"({op.name} {lane} (local.get 0) {vector})"
    done = f"(drop {done})" if op.results else done
    text = f'(module (memory (export "m") 1) (func (export "run") (param i32) {done}))'
    instance = instance_of(text, engine, flavour)
    run, memory = instance.exports["run"].call, instance.exports["m"]
    last = 65536 - op.width
    for address in (last + 1, 65535, 65536, 0xFFFFFFF0, 0xFFFFFFFF):
        if address > last:
            with pytest.raises(Trap, match="out of bounds memory access"):
                run(address)
    assert not any(memory.read(0, 65536))
    run(last)
    assert any(memory.read(last, op.width)) == op.stores


# Text and validation


@pytest.mark.parametrize(
    "instruction",
    ["i8x16.extract_lane_s 16", "f64x2.extract_lane 2", "i32x4.extract_lane 4"],
)
def test_lanes_must_exist(instruction: str) -> None:
    with pytest.raises(InvalidError, match="invalid lane index"):
        Module.from_text(f"(module (func (param v128) (drop ({instruction} (local.get 0)))))").validate()


def test_constants_print_by_their_bits() -> None:
    shapes = {
        "i8x16 1 -1 0 0 0 0 0 0 0 0 0 0 0 0 0 0x80": "0x0000ff01 0x00000000 0x00000000 0x80000000",
        "f32x4 1 -0 nan:0x1 inf": "0x3f800000 0x80000000 0x7f800001 0x7f800000",
        "f64x2 1 nan": "0x00000000 0x3ff00000 0x00000000 0x7ff80000",
    }
    for written, bits in shapes.items():
        module = parse(f"(module (func (result v128) v128.const {written}))")
        printed = print_module(module)
        assert f"v128.const i32x4 {bits}\n" in printed
        assert parse(printed) == module


def test_a_number_before_a_lane_is_a_memory() -> None:
    text = (
        "(module (memory 1) (memory 1) (func (param v128) (v128.store8_lane {} (i32.const 0) (local.get 0))))"
    )
    imms = [
        parse(text.format(written)).funcs[0].body.imms[2]
        for written in ("3", "1 3", "1 offset=2 3", "offset=2 3")
    ]
    assert [(memarg.memidx, memarg.offset, lane) for memarg, lane in imms] == [
        (0, 0, 3),
        (1, 0, 3),
        (1, 2, 3),
        (0, 2, 3),
    ]


def test_every_row_is_typed() -> None:
    assert len(ROWS) == 256
    assert all(op.params is not None for op in ROWS)
    assert all(V128 in ((op.params or ()) + op.results) for op in ROWS)
    assert all((op.params or (None,))[0] is I32 for op in ROWS if op.access)
