"""Fuzz targets of the engine: damaged binaries for the decoder, nonsense for the validator, damaged text for
the parser. What each makes of an input is a word for the count, or an error that isn't documented."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

from pywasm_nn.errors import InvalidError, MalformedError
from pywasm_nn.interpreter.binary import decode
from pywasm_nn.interpreter.encode import encode
from pywasm_nn.interpreter.instructions import OPS, Imm, Op
from pywasm_nn.interpreter.module import BlockType, Body, CastArg, Catch, FieldArg, Func, MemArg, Module
from pywasm_nn.interpreter.text import parse, print_module
from pywasm_nn.interpreter.text.parser import text_of
from pywasm_nn.interpreter.types import HEAP_TYPES, VAL_TYPES, Exact, RefType, TypeIdx
from pywasm_nn.interpreter.validate import validate_all, validate_module

ROOT = Path(__file__).parents[2]
BINARIES = (
    "tests/guests/hello_c.wasm", "tests/guests/traps.wasm", "tests/guests/clocks.wasm",
    "benchmarks/kernels/kern.wasm", "tests/nn/fixtures/dummy_cm32p2.wasm",
    "tests/nn/fixtures/witx_passthrough.wasm",
)  # fmt: skip
TEXTS = (
    "spec-tests/surroundings.wat", "tests/guests/described.wat", "tests/guests/recurse.wat",
    "tests/nn/fixtures/guest_wit.wat", "tests/nn/fixtures/witx_passthrough.wat",
)  # fmt: skip
HUGE = (
    b"\xff\xff\xff\xff\x0f", b"\xff\xff\xff\xff\x07", b"\x80\x80\x80\x80\x00", b"\x80\x80\x04", b"\xff" * 12,
)  # fmt: skip
"""Numbers in LEB128 that claim much, and one without end."""
TOKENS = (
    "(", ")", "(module", "func", "(param", "i32", "i64x2", "block", "end", "(then", "0xffffffffffffffffff",
    "nan:0x0", "-0x1p-9999", '"\\u{110000}"', '"\\ff', "$x", "(rec", "(sub", "(ref null", "br_table",
    "offset=99999999999", "(;", ";;", "(@custom", "(memory i64 1 2)", "(type 4294967296)", "4294967296",
    "i8x16.shuffle", "select", "(import", "(exact", "(descriptor 0)", "(describes 0)",
)  # fmt: skip
ALL = ("all",)
"""The features of all modules."""
SECTIONS = ("exports", "globals", "elems", "datas", "types", "mems", "tables")


@cache
def binaries() -> tuple[bytes, ...]:
    texts = [encode(parse((ROOT / name).read_text())) for name in TEXTS]
    return (*((ROOT / name).read_bytes() for name in BINARIES), *texts)


@cache
def texts() -> tuple[bytes, ...]:
    printed = print_module(decode(binaries()[0])).encode()
    return (*((ROOT / name).read_bytes() for name in TEXTS), printed)


class Decoder:
    """Bytes that were once a module: all bodies are read and validated."""

    name = "decoder"

    def input(self, random: Random) -> bytes:
        data = bytearray(random.choice(binaries()))
        for _ in range(random.choice((1, 1, 1, 2, 4))):
            random.choice((flip, flip, flip, cut, repeat, claim, overwrite))(data, random)
        return bytes(data)

    def feed(self, data: bytes) -> str:
        try:
            validate_all(decode(data, features=ALL))
        except (MalformedError, InvalidError) as error:
            return type(error).__name__
        return "module"


def flip(data: bytearray, random: Random) -> None:
    if data:
        data[random.randrange(len(data))] ^= 1 << random.randrange(8)


def cut(data: bytearray, random: Random) -> None:
    """Take some bytes out, or all from a place on."""
    start = random.randrange(len(data) + 1)
    del data[start : start + random.choice((1, 2, 16, len(data)))]


def repeat(data: bytearray, random: Random) -> None:
    """Some bytes, once more elsewhere."""
    start = random.randrange(len(data) + 1)
    at = random.randrange(len(data) + 1)
    data[at:at] = data[start : start + random.choice((1, 4, 32, 500))]


def claim(data: bytearray, random: Random) -> None:
    """A huge number, in place of a byte."""
    at = random.randrange(len(data) + 1)
    data[at : at + 1] = random.choice(HUGE)


def overwrite(data: bytearray, random: Random) -> None:
    """Bytes of another module."""
    other = random.choice(binaries())
    start, at, count = (
        random.randrange(len(other)),
        random.randrange(len(data) + 1),
        random.choice((1, 8, 100)),
    )
    data[at : at + count] = other[start : start + count]


class Validator:
    """A module with functions of random instructions and immediates, sections and indices that don't fit."""

    name = "validator"

    def input(self, random: Random) -> Module:
        module = decode(random.choice(binaries()), features=ALL)
        funcs = tuple(nonsense(random) for _ in range(random.randrange(1, 4)))
        made = replace(module, funcs=(*module.funcs, *funcs))
        for name in random.sample(SECTIONS, random.choice((0, 0, 0, 1, 2))):
            section = list(getattr(made, name))
            random.shuffle(section)
            kept = section[: random.randrange(len(section) + 1)] * random.choice((1, 2))
            made = replace(made, **{name: tuple(kept)})
        return replace(made, start=random.choice((None, None, None, 0, 1 << 31)))

    def feed(self, module: Module) -> str:
        try:
            validate_module(module)
        except InvalidError:
            return "module is invalid"
        try:
            validate_all(module)
        except InvalidError:
            return "function is invalid"
        return "valid"


def nonsense(random: Random) -> Func:
    """A function of any type with any instructions; the types of some fit."""
    rows = list(OPS.values())
    chosen = [random.choice(rows) for _ in range(random.randrange(30))] + [OPS["end"]]
    if random.random() < 0.7:
        chosen.insert(0, OPS["unreachable"])
    body = Body(tuple(chosen), tuple(immediates(op, random) for op in chosen))
    locals_ = tuple(
        (random.choice((0, 1, 7, 1 << 31)), value_type(random)) for _ in range(random.randrange(3))
    )
    return Func(random.choice((0, 0, 1, 2, 99)), locals_, lambda _: body)


def immediates(op: Op, random: Random) -> Any:
    values = tuple(IMMEDIATES.get(kind, small)(random) for kind in op.imms)
    return values if len(values) > 1 else values[0] if values else None


def small(random: Random) -> int:
    return random.choice((0, 0, 1, 1, 2, 3, 5, 10, 40, 0xFFFFFFFF))


def value_type(random: Random) -> Any:
    index = TypeIdx(small(random))
    heap = random.choice((index, index, Exact(index)))
    return random.choice((*VAL_TYPES, *VAL_TYPES, RefType(heap, random.random() < 0.5)))


def heap_type(random: Random) -> Any:
    index = TypeIdx(small(random))
    return random.choice((*HEAP_TYPES, index, Exact(index)))


def reference(random: Random) -> RefType:
    return RefType(heap_type(random), random.random() < 0.5)


def catches(random: Random) -> tuple[Catch, ...]:
    return tuple(
        Catch(random.choice((None, small(random))), random.random() < 0.5, small(random))
        for _ in range(random.randrange(3))
    )


IMMEDIATES: dict[Imm, Any] = {
    Imm.LABELS: lambda random: tuple(small(random) for _ in range(random.randrange(1, 5))),
    Imm.BLOCKTYPE: lambda random: random.choice(
        (BlockType(), BlockType(small(random)), BlockType(None, value_type(random)))
    ),
    Imm.CATCHES: catches,
    Imm.MEMARG: lambda random: MemArg(
        random.randrange(6), random.choice((0, 8, 1 << 32)), random.choice((0, 0, 1))
    ),
    Imm.HEAPTYPE: heap_type,
    Imm.CASTTYPE: heap_type,
    Imm.FIELD: lambda random: FieldArg(small(random), small(random)),
    Imm.CAST: lambda random: CastArg(small(random), reference(random), reference(random)),
    Imm.VALTYPES: lambda random: tuple(value_type(random) for _ in range(random.randrange(3))),
    Imm.LANE: lambda random: random.randrange(20),
    Imm.LANES: lambda random: bytes(random.randrange(40) for _ in range(16)),
}
"""Immediates by kind; of other kinds they are small numbers."""


class Text:
    """Text that was once a module: tokens lost, doubled, exchanged and put in, and bytes damaged."""

    name = "text"

    def input(self, random: Random) -> bytes:
        data = bytearray(random.choice(texts()))
        for _ in range(random.choice((1, 2, 4, 10))):
            random.choice((insert_token, insert_token, cut, repeat, flip, nest))(data, random)
        return bytes(data)

    def feed(self, data: bytes) -> str:
        try:
            validate_all(parse(text_of(data)))
        except (MalformedError, InvalidError) as error:
            return type(error).__name__
        return "module"


def insert_token(data: bytearray, random: Random) -> None:
    """A token between two, or in place of one."""
    at = data.find(b" ", random.randrange(len(data) + 1))
    end = data.find(b" ", at + 1) if random.random() < 0.5 else at
    data[at : max(at, end)] = f" {random.choice(TOKENS)} ".encode()


def nest(data: bytearray, random: Random) -> None:
    """Many openings in each other, which nobody closes."""
    at = random.randrange(len(data) + 1)
    data[at:at] = random.choice((b"(", b"(block ", b"(;", b"(func ", b"(@a ")) * random.choice((3, 300))
