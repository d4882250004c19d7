"""Random functions, valid by construction, made of the rows of the instruction table.

What is here: `Writer`, which writes one body instruction by instruction and knows what types are on the
stack. `emit(op)` writes an instruction after code for its operands: from its row alone, if that says its
type, else by the function that `makes` registers for it in `random_control.py`, `random_state.py` or
`random_heap.py`. What is not: the module around the functions (`surroundings.wat`), and running them
(`differential.py`).
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

from pywasm_nn.interpreter.instructions import OPS, Imm, Op
from pywasm_nn.interpreter.module import BlockType, Body, Catch, Func, MemArg, Module
from pywasm_nn.interpreter.text import parse
from pywasm_nn.interpreter.types import (
    ANY,
    EQ,
    EXN,
    EXTERN,
    F32,
    F64,
    FUNC,
    I31,
    I32,
    I64,
    NUM_TYPES,
    V128,
    ArrayType,
    FuncType,
    RefType,
    StructType,
    TypeIdx,
    ValType,
)

SURROUNDINGS = Path(__file__).parent / "surroundings.wat"
DESCRIBED = Path(__file__).parent / "described.wat"
ALONE = ("custom-descriptors",)
"""Features that wasmtime doesn't have: where a function may use them, our engines are compared with each
other."""
PARAMS = (I32, I32, I64, F32, F64)
CASES = range(6, 10)
"""Types of what is called: all take `PARAMS`, each returns something else."""
POINT, MORE, BYTES, SHORTS, WORDS, LONGS, FLOATS, DOUBLES, VECTORS, FUNCS, ANYS = range(14, 25)
ABSTRACT = tuple(RefType(heap) for heap in (FUNC, EXTERN, ANY, EQ, I31, EXN))
FUNCTION_TYPES = (*range(1, 6), *CASES)
"""Types of the functions of the surroundings."""
TYPED_FUNCTIONS = tuple(RefType(TypeIdx(index)) for index in FUNCTION_TYPES)
ON_HEAP = tuple(RefType(TypeIdx(index)) for index in range(POINT, ANYS + 1))
DEFINED = (*TYPED_FUNCTIONS, *ON_HEAP)
REFERENCES = (*ABSTRACT, *DEFINED)
VALUES: tuple[ValType, ...] = (*NUM_TYPES, *REFERENCES)
"""Types that operands may have here."""
BELOW_EQ = (RefType(I31), *ON_HEAP)
BELOW: dict[ValType, tuple[ValType, ...]] = {
    RefType(FUNC): TYPED_FUNCTIONS,
    RefType(ANY): (RefType(EQ), *BELOW_EQ),
    RefType(EQ): BELOW_EQ,
    RefType(TypeIdx(POINT)): (RefType(TypeIdx(MORE)),),
}
"""Types whose values may stand for one of another type."""

LOCALS: tuple[ValType, ...] = (*PARAMS, I32, I64, F32, F64, V128, V128, *REFERENCES)
"""Locals that are read and written anywhere. After them come those below."""
COUNTERS = range(len(LOCALS), len(LOCALS) + 3)
"""i32: of counted loops, by depth; read anywhere, written by the loop alone."""
BOUNDS = range(COUNTERS.stop, COUNTERS.stop + 3)
"""i32: what counters are compared with, likewise."""
FUEL = BOUNDS.stop
"""i32: how many more times a branch to a loop is taken."""
NOTED = FUEL + 1
"""i32: what a loop found out last."""
SCRATCH = {F32: FUEL + 2, F64: FUEL + 3, V128: FUEL + 4}
"""For NaN, see `with_plain_nans`."""
LOCAL_RUNS = (*((1, type_) for type_ in LOCALS[len(PARAMS) :]), (8, I32), (1, F32), (1, F64), (1, V128))

MOST_LOOPS = 3
DEPTHS, SIZES = (3, 4, 4, 4, 5, 8), (30, 90, 90, 90, 300)
"""Of functions: how deep instructions nest, and after how many operands become constants and locals."""
EDGES = (
    0, 1, 2, 3, 4, 5, 7, 8, 16, 31, 32, 63, 64, 127, 128, 255, 256, 0x7FFF, 0x8000, 0xFFFF, 0x10000,
)  # fmt: skip
EDGE_FLOATS = (
    0.0, -0.0, 1.0, -1.5, 3.25, 0.5, 2.5, 1e10, -1e-10, float("inf"), -float("inf"), float("nan"), 1e38,
    1e-40, 16777217.0, 0.1, 2147483648.0, -2147483649.0, 4294967296.0, -9.3e18, 1.8446744073709552e19,
    200.0, -100.0,
)  # fmt: skip

Make = Callable[["Writer", ValType | None], tuple[ValType, ...]]
MAKERS: dict[str, Make] = {}
"""What writes an instruction whose row doesn't say its type: given the type that is wanted (None: any, or
nothing), it returns what it left on the stack."""
GIVES: dict[str, tuple[ValType, ...]] = {}
"""What these can give where a type is wanted."""
Code = list[tuple[Op, Any]]


def makes(name: str, *gives: ValType) -> Callable[[Make], Make]:
    """Register a function as what writes an instruction, which can give these types."""

    def register(function: Make) -> Make:
        MAKERS[name], GIVES[name] = function, gives
        return function

    return register


@dataclass(frozen=True, slots=True)
class Label:
    """An open block: what a branch to it carries."""

    carries: tuple[ValType, ...]
    is_loop: bool = False


@cache
def surroundings(alone: bool = False) -> Module:
    """The module that random functions are added to; `alone`, with what wasmtime doesn't have."""
    text = SURROUNDINGS.read_text()
    if alone:
        head, memories, tail = text.partition("  (memory (export")
        types, end, globals_ = DESCRIBED.read_text().partition("  (global")
        text = f"{head}{types}{memories}{tail.rstrip().removesuffix(')')}{end}{globals_})"
    module = parse(text, features=ALONE if alone else ())
    return replace(module, data_count=len(module.datas))


@cache
def rows(alone: bool) -> tuple[Op, ...]:
    """The rows that functions are made of."""
    return tuple(op for op in OPS.values() if alone or op.feature not in ALONE)


@cache
def producers(type_: ValType, alone: bool) -> tuple[tuple[Op, ...], tuple[Op, ...], tuple[Op, ...]]:
    """Rows that give a type: of numbers, of vectors, and those written by hand."""
    found = [op for op in rows(alone) if op.results == (type_,)]
    scalar = tuple(op for op in found if op.code[0] != OPS["v128.load"].code[0])
    by_hand = tuple(op for op in rows(alone) if type_ in GIVES.get(op.name, ()))
    return scalar, tuple(op for op in found if op not in scalar), by_hand


@cache
def locals_of(type_: ValType) -> tuple[int, ...]:
    """Locals of a type."""
    return tuple(index for index, local in enumerate(LOCALS) if local == type_)


class Writer:
    """Writes one function of type `typeidx`."""

    def __init__(self, random: Random, typeidx: int, alone: bool = False) -> None:
        self.random = random
        self.alone = alone
        self.deepest, self.most = random.choice(DEPTHS), random.choice(SIZES)
        self.module = surroundings(alone)
        self.typeidx = typeidx
        self.results = self.module.func_type(typeidx).results
        self.code: Code = []
        self.labels = [Label(self.results)]
        self.depth = 0
        self.loops = 0
        self.read: set[int] = set()
        """Locals that are read."""

    def function(self, target: Op) -> Func:
        """A function that comes by the instruction `target`, unless it traps or leaves before."""
        for _ in range(self.random.randrange(2)):
            self.statement()
        for _ in range(3 if self.alone else 1):  # there are fewer of these functions
            for index in self.sink(self.emit(target)):
                self.show_local(index, 2048)
        for _ in range(self.random.randrange(3)):
            self.statement()
        self.show_locals()
        for type_ in self.results:
            self.value(type_)
        self.put("end")
        body = self.beginning() + self.code
        return function_of(self.typeidx, LOCAL_RUNS, body)

    def beginning(self) -> Code:
        """Values for locals that are read, most of them, and fuel for loops."""
        body, self.code = self.code, []
        self.depth = self.deepest - 1
        for index in sorted(self.read):
            if len(PARAMS) <= index < len(LOCALS) and self.random.random() < 0.9:
                self.fresh(LOCALS[index])
                self.put("local.set", index)
        if FUEL in self.read:
            self.put("i32.const", self.random.randrange(1, 9))
            self.put("local.set", FUEL)
        made, self.code = self.code, body
        return made

    def show_locals(self) -> None:
        """Store what is in locals, where the test looks."""
        for index in sorted(self.read):
            self.show_local(index, 1024)

    def show_local(self, index: int, base: int) -> None:
        """Store a local with a number or vector in it."""
        if index < len(LOCALS) and LOCALS[index] in NUM_TYPES:
            self.put("i32.const", base + 16 * index)
            self.put("local.get", index)
            self.put(f"{LOCALS[index]}.store", MemArg(0, 0))

    # Instructions

    def put(self, name: str, imm: Any = None) -> None:
        """Write an instruction, whose operands are there."""
        self.code.append((OPS[name], imm))

    def emit(self, op: Op, want: ValType | None = None) -> tuple[ValType, ...]:
        """Write an instruction and its operands; the types that it leaves."""
        self.depth += 1
        if op.name in MAKERS:
            results = MAKERS[op.name](self, want)
        else:
            results = self.row(op)
        self.depth -= 1
        return results

    def row(self, op: Op) -> tuple[ValType, ...]:
        """Write an instruction whose row says all."""
        operands, first = list(op.params or ()), None
        imms = [self.immediate(kind, op) for kind in op.imms if kind is not Imm.MEMARG]
        if Imm.MEMARG in op.imms:
            first = self.memarg(op)
            operands.pop(0)
        for type_ in operands:
            self.value(type_)
        whole = imms if first is None else [first, *imms]
        self.put(op.name, tuple(whole) if len(whole) > 1 else whole[0] if whole else None)
        return op.results

    def memarg(self, op: Op) -> MemArg:
        """Write an address, for an access of this instruction."""
        r = self.random
        memidx = r.choices((0, 1, 2), (6, 1, 2))[0]
        addrtype = self.module.mem_types[memidx].addrtype
        offset = r.choice((0, 0, 0, 1, 3, 8, 100))
        if r.random() < 0.15:
            self.wrapping(addrtype, offset)
        elif r.random() < 0.06:
            self.value(addrtype)
        elif r.random() < 0.15:
            self.put(f"{addrtype}.const", r.choice((0, 1, 255, 65536 - op.width, 65537 - op.width)))
        else:
            self.value(addrtype)
            self.put(f"{addrtype}.const", r.choice((31, 255, 1023, 4095)))
            self.put(f"{addrtype}.and")
        if op.atomic:  # mostly aligned, or there were little else than traps
            if r.random() < 0.95:
                self.put(f"{addrtype}.const", -op.width % (1 << addrtype.bits))
                self.put(f"{addrtype}.and")
            return MemArg(op.width.bit_length() - 1, r.choice((0, 0, 0, 8, 64)), memidx)
        align = r.randrange(op.width.bit_length())
        if r.random() < 0.02:
            offset = near_power(r, addrtype.bits)
        return MemArg(align, offset, memidx)

    def wrapping(self, addrtype: ValType, offset: int = 0) -> None:
        """Write an address that constants are added to, several mostly, so that it wraps to a place in memory
        or close to it, if what it begins with is small."""
        r, bits = self.random, addrtype.bits
        self.get(addrtype)
        if r.random() < 0.3:
            self.put(f"{addrtype}.const", r.choice((31, 255, 4095)))
            self.put(f"{addrtype}.and")
        total = (r.choice((0, 1, 1, 1, 2)) << bits) + r.choice((r.randrange(300), -r.randrange(300), -offset))
        if r.random() < 0.1:
            total = near_power(r, bits)
        for left in range(r.choice((1, 2, 2, 3, 4)), 0, -1):
            part = total // left + (r.randrange(-9, 10) if left > 1 else 0)
            total -= part
            verb, number = ("add", part) if r.random() < 0.8 else ("sub", -part)
            self.put(f"{addrtype}.const", number % (1 << bits))
            self.put(f"{addrtype}.{verb}")

    def immediate(self, kind: Imm, op: Op) -> Any:
        r = self.random
        if kind is Imm.LANE:
            return r.randrange(op.lanes)
        if kind is Imm.LANES:
            return bytes(r.randrange(32) for _ in range(16))
        if kind in (Imm.I32, Imm.I64):
            bits = 32 if kind is Imm.I32 else 64
            edge = r.choice(EDGES) << r.choice((0, 0, 0, 8, 16, bits - 16))
            near = near_power(r, bits)
            return r.choice((edge, -edge, near, r.getrandbits(bits), r.getrandbits(bits))) % (1 << bits)
        if kind in (Imm.F32, Imm.F64):
            return float_bits(r.choice(EDGE_FLOATS), 32 if kind is Imm.F32 else 64)
        if kind is Imm.V128:
            bits = r.choice((8, 16, 32, 64))
            edges = (0, 1, (1 << bits) - 1, 1 << bits - 1, (1 << bits - 1) - 1, 3)
            lanes = [r.choice((r.choice(edges), r.getrandbits(bits))) for _ in range(128 // bits)]
            if bits >= 32 and r.random() < 0.6:
                lanes = [float_bits(r.choice(EDGE_FLOATS), bits) for _ in lanes]
            return sum(lane << bits * index for index, lane in enumerate(lanes))
        if kind is Imm.ZERO:
            return 0
        return r.choice(DROPPED[kind])

    # Operands

    def value(self, type_: ValType) -> None:
        """Write code that leaves a value of the type, or of one below it."""
        r = self.random
        if type_ in BELOW and r.random() < 0.4:
            type_ = r.choice(BELOW[type_])
        if self.depth > self.deepest or len(self.code) > self.most or r.random() < 0.15:
            if r.random() < 0.4:
                self.fresh(type_)
            else:
                self.get(type_)
            return
        kinds = producers(type_, self.alone)
        weights = [(6, 2, 3)[n] if kind else 0 for n, kind in enumerate(kinds)]
        self.emit(r.choice(r.choices(kinds, weights)[0]), type_)

    def get(self, type_: ValType) -> None:
        """Write a local.get."""
        index = self.random.choice(locals_of(type_))
        if type_ is I32 and self.loops and self.random.random() < 0.4:
            index = COUNTERS[self.random.randrange(self.loops)]
        self.read.add(index)
        self.put("local.get", index)

    def fresh(self, type_: ValType) -> None:
        """Write a constant, or something new on the heap: seldom null."""
        if type_ in NUM_TYPES:
            self.row(OPS[f"{type_}.const"])
            return
        assert isinstance(type_, RefType)
        if self.random.random() < 0.06:
            self.put("ref.null", type_.heap)
        elif isinstance(type_.heap, TypeIdx):
            self.fresh_defined(type_.heap.index)
        elif type_.heap is FUNC:
            self.put("ref.func", self.random.randrange(len(self.module.funcs)))
        elif type_.heap is EXN:
            self.put("block", BlockType(result=type_))
            self.put("try_table", (BlockType(), (Catch(None, True, 0),)))
            self.put("throw", 1)
            self.put("end")
            self.put("ref.null", EXN)
            self.put("end")
        else:
            self.put("i32.const", self.random.choice((0, 1, 7, 0x3FFFFFFF, 0x40000000, 0xFFFFFFFF)))
            self.put("ref.i31")
            if type_.heap is EXTERN:
                self.put("extern.convert_any")

    def fresh_defined(self, typeidx: int) -> None:
        composite = self.module.subtypes[typeidx].composite
        if isinstance(composite, FuncType):
            same = [n for n, func in enumerate(self.module.funcs) if func.typeidx == typeidx]
            self.put("ref.func", self.random.choice(same))
        elif isinstance(composite, StructType):
            self.put("struct.new_default", typeidx)
        else:
            assert isinstance(composite, ArrayType)
            self.put("i32.const", self.random.choice((0, 1, 5, 8)))
            self.put("array.new_default", typeidx)

    def small(self, most: int, addrtype: ValType = I32) -> None:
        """Write a number that is mostly below `most`."""
        r = self.random
        if r.random() < 0.03:
            self.value(addrtype)
        elif r.random() < 0.5:
            self.put(f"{addrtype}.const", r.randrange(most))
        else:
            self.value(addrtype)
            self.put(f"{addrtype}.const", most)
            self.put(f"{addrtype}.rem_u")

    # Statements

    def statement(self) -> None:
        """Write something that leaves nothing on the stack."""
        r = self.random
        if self.depth > self.deepest or len(self.code) > self.most:
            return
        name = r.choice(
            ("if", "if", "block", "loop", "loop", "br", "br_if", "br_table", "local.set", "store", "any")
        )
        if name == "any":
            op = r.choice(rows(self.alone))
        elif name == "store":
            op = r.choice([op for op in rows(self.alone) if op.stores])
        else:
            op = OPS[name]
        self.sink(self.emit(op))

    def statements(self) -> None:
        for _ in range(self.random.randrange(3)):
            self.statement()

    def sink(self, types: tuple[ValType, ...]) -> list[int]:
        """Write what takes values of these types from the stack, into locals; these."""
        places = [self.random.choice(locals_of(type_)) for type_ in reversed(types)]
        for index in places:
            self.read.add(index)
            self.put("local.set", index)
        return places

    # Structure

    @contextmanager
    def block(self, name: str, type_: BlockType, label: Label, *more: Any) -> Iterator[None]:
        """Write a block around what is written meanwhile."""
        self.put(name, (type_, *more) if more else type_)
        self.labels.append(label)
        yield
        self.labels.pop()
        self.put("end")

    @contextmanager
    def guarded(self) -> Iterator[None]:
        """Write an `if` around what is written meanwhile, so that it isn't always done."""
        self.value(I32)
        with self.block("if", BlockType(), Label(())):
            yield


def near_power(random: Random, bits: int) -> int:
    """A number of so many bits near one where signs, words or CPython's small ints end."""
    return (1 << random.choice((30, 31, 32, bits - 2, bits - 1, bits))) + random.randrange(-3, 4) & (
        1 << bits
    ) - 1


def function_of(typeidx: int, locals_: tuple[tuple[int, ValType], ...], code: Code) -> Func:
    ops, imms = zip(*code, strict=True)
    body = Body(ops, imms)
    return Func(typeidx, locals_, lambda _: body)


def float_bits(value: float, bits: int) -> int:
    if bits == 64:
        return int(struct.unpack("<Q", struct.pack("<d", value))[0])
    return int(struct.unpack("<I", struct.pack("<f", value))[0])


DROPPED = {Imm.DATA: (0, 3), Imm.ELEM: (0, 5)}
"""Segments for data.drop and elem.drop."""

PAYLOAD_BLIND = (
    "add", "sub", "mul", "div", "min", "max", "sqrt", "ceil", "floor", "trunc", "nearest",
    "eq", "ne", "lt", "gt", "le", "ge", "promote_f32", "demote_f64", "promote_low_f32x4", "demote_f64x2_zero",
    "relaxed_madd", "relaxed_nmadd", "relaxed_min", "relaxed_max",
)  # fmt: skip
"""Operations on floats that see of a NaN only that it is one."""
MAKES_NAN = frozenset(PAYLOAD_BLIND) - {"eq", "ne", "lt", "gt", "le", "ge"}
NANS = {"f32": 0x7FC00000, "f64": 0x7FF8000000000000}


def with_plain_nans(func: Func, scratch_of: dict[ValType, int] = SCRATCH) -> Func:
    """The function with one NaN in place of any that arithmetic makes: which it makes is not defined.
    `scratch_of` are locals that nobody uses.

    https://webassembly.github.io/spec/core/exec/numerics.html#nan-propagation
    """
    code: Code = []
    body = func.body
    for (op, imm), after in zip(body, [*body.ops[1:], None], strict=True):
        code.append((op, imm))
        shape, _, verb = op.name.partition(".")
        if shape[0] != "f" or verb not in MAKES_NAN:
            continue
        if after is not None and after.name in {f"{shape}.{blind}" for blind in PAYLOAD_BLIND}:
            continue
        lane = shape[:3]
        if op.results[0] is V128:
            scratch = scratch_of[V128]
            bits = 32 if lane == "f32" else 64
            nan = sum(NANS[lane] << at for at in range(0, 128, bits))
            code += [(OPS["local.tee"], scratch), (OPS["v128.const"], nan), (OPS["local.get"], scratch)]
            code += [(OPS["local.get"], scratch), (OPS[f"{shape}.eq"], None), (OPS["v128.bitselect"], None)]
        else:
            scratch = scratch_of[op.results[0]]
            code += [(OPS["local.tee"], scratch), (OPS[f"{lane}.const"], NANS[lane])]
            code += [(OPS["local.get"], scratch), (OPS["local.get"], scratch), (OPS[f"{lane}.eq"], None)]
            code.append((OPS["select"], None))
    return function_of(func.typeidx, func.locals, code)


DOTS = ("i16x8.relaxed_dot_i8x16_i7x16_s", "i32x4.extadd_pairwise_i16x8_s")
SPELLED: dict[str, Callable[[str], tuple[str, ...]]] = {
    "relaxed_madd": lambda shape: (f"{shape}.mul",),
    "relaxed_nmadd": lambda shape: (f"{shape}.mul", f"{shape}.neg"),
    "relaxed_dot_i8x16_i7x16_add_s": lambda shape: DOTS,
}
"""What stands for relaxed instructions that add their third operand, before the addition."""


def spelled_out(func: Func, arity: int = len(PARAMS)) -> Func:
    """The function of `arity` parameters with products and sums in place of relaxed instructions of which
    wasmtime has chosen another meaning than we: `madd` and `nmadd` may round once or twice, and a sum of two
    products of bytes may wrap, saturate or be kept.
    """
    scratch = sum(count for count, _ in func.locals) + arity
    code: Code = []
    for op, imm in func.body:
        shape, _, verb = op.name.partition(".")
        if verb not in SPELLED:
            code.append((op, imm))
            continue
        names = (*SPELLED[verb](shape), "local.get", f"{shape}.add")
        code.append((OPS["local.set"], scratch))
        code += [(OPS[name], scratch if name == "local.get" else None) for name in names]
    return function_of(func.typeidx, (*func.locals, (1, V128)), code)
