"""Modules to bytes: what was decoded comes back, for every row of the table and for whole modules."""

from __future__ import annotations

from pathlib import Path

import pytest
import wasmtime
from hypothesis import given
from hypothesis import strategies as st

from pywasm_nn.interpreter.binary import decode
from pywasm_nn.interpreter.described import DescribedType
from pywasm_nn.interpreter.encode import encode, write_signed, write_unsigned
from pywasm_nn.interpreter.instructions import OPS, Imm, Op
from pywasm_nn.interpreter.module import (
    Active,
    BlockType,
    Body,
    CastArg,
    Catch,
    Custom,
    Data,
    Elem,
    FieldArg,
    Func,
    MemArg,
    Module,
    Table,
)
from pywasm_nn.interpreter.summary import features_of
from pywasm_nn.interpreter.text import parse, print_module
from pywasm_nn.interpreter.types import (
    EXTERN,
    EXTERNREF,
    FUNC,
    FUNCREF,
    HEAP_TYPES,
    PACKED_TYPES,
    SOME_FUNC,
    VAL_TYPES,
    ArrayType,
    Exact,
    FieldType,
    FuncType,
    MemType,
    RecType,
    RefType,
    SizeRange,
    StructType,
    SubType,
    TableType,
    TypeIdx,
)
from pywasm_nn.interpreter.validate import validate_all

from ..conftest import examples

GUESTS = sorted((Path(__file__).parents[1] / "guests").glob("*.wasm"))
LARGE = 1_000_000
"""Bytes. Larger guests are Go's, each with thousands of functions of few kinds."""

U32 = st.integers(0, 0xFFFFFFFF)
U64 = st.integers(0, 0xFFFFFFFFFFFFFFFF)
TYPEIDX = st.builds(TypeIdx, U32)
HEAPTYPE = st.one_of(st.sampled_from(HEAP_TYPES), TYPEIDX, st.builds(Exact, TYPEIDX))
REFTYPE = st.builds(RefType, HEAPTYPE, st.booleans())
VALTYPE = st.one_of(st.sampled_from(VAL_TYPES), REFTYPE)
FIELDTYPE = st.builds(FieldType, st.one_of(VALTYPE, st.sampled_from(PACKED_TYPES)), st.booleans())
COMPOSITE = st.one_of(
    st.builds(FuncType, *[st.lists(VALTYPE, max_size=3).map(tuple)] * 2),
    st.builds(StructType, st.lists(FIELDTYPE, max_size=3).map(tuple)),
    st.builds(ArrayType, FIELDTYPE),
)
SUPERS = st.lists(TYPEIDX, max_size=2).map(tuple)
SUBTYPE = st.one_of(
    st.builds(SubType, COMPOSITE, SUPERS, st.booleans()),
    st.builds(DescribedType, COMPOSITE, SUPERS, st.booleans(), TYPEIDX, TYPEIDX),
    st.builds(DescribedType, COMPOSITE, SUPERS, st.booleans(), st.none(), TYPEIDX),
    st.builds(DescribedType, COMPOSITE, SUPERS, st.booleans(), TYPEIDX, st.none()),
)
CATCH = st.builds(Catch, st.one_of(st.none(), U32), st.booleans(), U32)
IMMEDIATES: dict[Imm, st.SearchStrategy[object]] = {
    **dict.fromkeys(Imm, U32),
    Imm.LABELS: st.lists(U32, min_size=1, max_size=5).map(tuple),
    Imm.BLOCKTYPE: st.one_of(
        st.just(BlockType()),
        U32.map(BlockType),
        VALTYPE.map(lambda type_: BlockType(result=type_)),
    ),
    Imm.CATCHES: st.lists(CATCH, max_size=3).map(tuple),
    Imm.MEMARG: st.builds(MemArg, st.integers(0, 63), U64, U32),
    Imm.HEAPTYPE: HEAPTYPE,
    Imm.CASTTYPE: HEAPTYPE,
    Imm.CAST: st.builds(CastArg, U32, REFTYPE, REFTYPE),
    Imm.FIELD: st.builds(FieldArg, U32, U32),
    Imm.VALTYPES: st.lists(VALTYPE, max_size=3).map(tuple),
    Imm.I64: U64,
    Imm.F64: U64,
    Imm.V128: st.integers(0, (1 << 128) - 1),
    Imm.LANE: st.integers(0, 255),
    Imm.ZERO: st.just(0),
    Imm.LANES: st.binary(min_size=16, max_size=16),
}
END, IF, ELSE = OPS["end"], OPS["if"], OPS["else"]


@st.composite
def immediate(draw: st.DrawFn, op: Op) -> object:
    """What a body holds for the immediates of an instruction."""
    values = [draw(IMMEDIATES[kind]) for kind in op.imms]
    return tuple(values) if len(values) > 1 else values[0] if values else None


def body(*instructions: tuple[Op, object]) -> Body:
    ops, imms = zip(*instructions, (END, None), strict=True)
    return Body(ops, imms)


TESTED = [op for op in OPS.values() if op not in (END, ELSE)]


@examples(20)
@given(st.data())
@pytest.mark.parametrize("op", [op for op in TESTED if op.imms], ids=lambda op: op.name)
def test_every_instruction_with_immediates_comes_back(op: Op, data: st.DataObject) -> None:
    check_that_it_comes_back(op, data.draw(immediate(op)))


@pytest.mark.parametrize("op", [op for op in TESTED if not op.imms], ids=lambda op: op.name)
def test_every_other_instruction_comes_back(op: Op) -> None:
    check_that_it_comes_back(op, None)


def check_that_it_comes_back(op: Op, imm: object) -> None:
    instructions: list[tuple[Op, object]] = [(op, imm)]
    if op.closes:
        instructions.insert(0, (OPS["try"], BlockType()))
    if op.opens:
        instructions.append((END, None))
    if op is IF:
        instructions.insert(1, (ELSE, None))
    made = body(*instructions)
    module = Module(
        types=(RecType.of(FuncType()),),
        funcs=(Func(0, (), lambda _: made),),
        data_count=0,
    )
    assert decode(encode(module), features=["all"]) == module


@given(U64)
def test_unsigned_numbers_are_shortest(value: int) -> None:
    encoded = write_unsigned(value)
    assert sum((byte & 0x7F) << 7 * i for i, byte in enumerate(encoded)) == value
    assert len(encoded) == max(1, -(-value.bit_length() // 7))
    assert [byte >= 0x80 for byte in encoded] == [True] * (len(encoded) - 1) + [False]


@given(st.integers(-(1 << 63), (1 << 63) - 1))
def test_signed_numbers_are_shortest(value: int) -> None:
    encoded = write_signed(value)
    unsigned = sum((byte & 0x7F) << 7 * i for i, byte in enumerate(encoded))
    assert unsigned - (encoded[-1] >> 6 & 1) * (1 << 7 * len(encoded)) == value
    assert len(encoded) == (value if value >= 0 else ~value).bit_length() // 7 + 1


OFFSET = body((OPS["i32.const"], 5))
REF_FUNC = body((OPS["ref.func"], 3))
NULL_FUNC = body((OPS["ref.null"], FUNC))
NULL_EXTERN = body((OPS["ref.null"], EXTERN))


@pytest.mark.parametrize(
    "mode", [None, Active(0, OFFSET), Active(7, OFFSET)], ids=["passive", "table 0", "table 7"]
)
@pytest.mark.parametrize(
    ("type_", "init"),
    [
        (FUNCREF, ()),
        (FUNCREF, (REF_FUNC, REF_FUNC)),
        (FUNCREF, (REF_FUNC, NULL_FUNC)),
        (SOME_FUNC, ()),
        (SOME_FUNC, (REF_FUNC, REF_FUNC)),
        (SOME_FUNC, (body((OPS["global.get"], 0)),)),
        (RefType(TypeIdx(300)), (REF_FUNC, NULL_FUNC)),
        (EXTERNREF, (NULL_EXTERN,)),
        (EXTERNREF, ()),
    ],
)
def test_element_segments_come_back(mode: Active | None, type_: object, init: tuple[Body, ...]) -> None:
    segments = [Elem(type_, init, mode)]  # type: ignore[arg-type] # parametrize gives objects
    if mode is None:
        segments.append(Elem(type_, init, None, declarative=True))  # type: ignore[arg-type] # as above
    module = Module(elems=tuple(segments))
    assert decode(encode(module)) == module


@given(st.lists(st.lists(SUBTYPE, max_size=3).map(tuple).map(RecType), max_size=3).map(tuple))
def test_types_come_back(types: tuple[RecType, ...]) -> None:
    module = Module(types=types)
    assert decode(encode(module), features=["all"]) == module
    assert parse(print_module(module)).types == types


def test_the_rest_comes_back() -> None:
    module = Module(
        mems=(MemType(SizeRange(0, None)), MemType(SizeRange(1, 1 << 40))),
        tables=(Table(TableType(FUNCREF, SizeRange(1))), Table(TableType(SOME_FUNC, SizeRange(1)), REF_FUNC)),
        start=300,
        datas=(Data(b"a", Active(0, OFFSET)), Data(b"", Active(2, OFFSET)), Data(b"\xff" * 200)),
        data_count=3,
        customs=(Custom("naïve", b"\0\1"), Custom("", b"")),
    )
    assert decode(encode(module)) == module


CANONICAL = [
    "(module)",
    '(module (import "a" "b" (func (param i32 externref) (result f32 f64))) (export "" (func 0)))',
    '(module (table 1 2 funcref) (table 0 externref) (memory (export "m") 0 65536))',
    "(module (global (mut f32) (f32.const nan:0x200000)) (global i64 (i64.const -9223372036854775808)))",
    "(module (table 2 funcref) (func) (elem (i32.const 0) 0 0) (elem (i32.const 1) funcref (ref.null func)))",
    "(module (func) (elem declare func 0) (elem func 0) (elem funcref (ref.null func) (ref.func 0)))",
    '(module (memory 1) (data (i32.const 0) "x") (data "y") (func (data.drop 1)))',
    "(module (func (param i32) (local i32 i32 i64) (block (loop (br_table 0 1 2 (local.get 0))))))",
    "(module (func (param i32) (if (type 0) (local.get 0) (local.get 0) (then drop) (else drop))))",
    "(module (memory 1) (func (drop (i64.load32_u offset=4294967295 align=1 (i32.const 0)))))",
    "(module (func (drop (select (result f64) (f64.const -0) (f64.const inf) (i32.const 1)))))",
    "(module $named (func $f (param $x i32)))",
]


@pytest.mark.parametrize("text", CANONICAL)
def test_canonical_bytes_come_back(text: str) -> None:
    data = bytes(wasmtime.wat2wasm(text))
    assert encode(decode(data)) == data


@pytest.mark.parametrize(
    "path",
    [
        pytest.param(path, id=path.stem, marks=[pytest.mark.slow] * (path.stat().st_size > LARGE))
        for path in GUESTS
    ],
)
def test_guests_come_back(path: Path) -> None:
    module = decode(path.read_bytes())
    data = encode(module)
    assert decode(data) == module
    if "legacy exceptions" in features_of(module):  # which wasmtime doesn't have
        validate_all(module)
    else:
        wasmtime.Module.validate(wasmtime.Engine(), data)
