"""Bytes to modules: numbers, structure, laziness; bad input costs little and fails with the right class."""

from __future__ import annotations

import tracemalloc
from array import array
from collections.abc import Iterator
from pathlib import Path

import pytest
import wasmtime
from hypothesis import given
from hypothesis import strategies as st

from pywasm_nn.errors import InvalidError, MalformedError
from pywasm_nn.interpreter.binary import decode
from pywasm_nn.interpreter.binary.leb128 import (
    read_i32,
    read_i64,
    read_indices,
    read_signed,
    read_u32,
    read_u64,
    read_unsigned,
)
from pywasm_nn.interpreter.datas import active_at, data_at, data_list
from pywasm_nn.interpreter.encode import encode, write_unsigned
from pywasm_nn.interpreter.instructions import BY_CODE, OPS, Imm, op
from pywasm_nn.interpreter.module import Active, BlockType, Custom, Data, Elem, MemArg, Module, func_ref
from pywasm_nn.interpreter.pace import unhurried
from pywasm_nn.interpreter.types import (
    F64,
    FUNCREF,
    I32,
    I64,
    SOME_FUNC,
    DefType,
    ExternKind,
    FuncType,
    GlobalType,
    RecType,
    RefType,
    SizeRange,
    StructType,
    TypeIdx,
)
from pywasm_nn.interpreter.validate import validate_all, validate_module
from tests.fuzz import bodies

from ..conftest import examples

GUESTS = sorted((Path(__file__).parents[1] / "guests").glob("*.wasm"))
SMALL = [path for path in GUESTS if path.stat().st_size < 10_000]
HEADER = b"\0asm\1\0\0\0"
ONE_FUNC = b"\x01\x04\x01\x60\0\0" + b"\x03\x02\x01\0"


def everything(data: bytes) -> Module:
    """The module with all of its bodies decoded."""
    module = decode(data)
    for func in module.funcs:
        assert func.body.ops
    return module


def wat(text: str) -> bytes:
    return bytes(wasmtime.wat2wasm(text))


def padded(value: int, length: int) -> bytes:
    """LEB128 of exactly `length` bytes; of a negative value the signed one."""
    groups = [value >> 7 * i & 0x7F for i in range(length)]
    return bytes([*(group | 0x80 for group in groups[:-1]), groups[-1]])


@st.composite
def lebs(draw: st.DrawFn, *, signed: bool) -> tuple[int, int, bytes]:
    """Bits, a value of that many, and any legal encoding of it."""
    bits = draw(st.sampled_from([7, 32, 33, 64]))
    value = draw(
        st.integers(-(1 << bits - 1), (1 << bits - 1) - 1) if signed else st.integers(0, (1 << bits) - 1)
    )
    needed = (value if value >= 0 else ~value).bit_length() + signed
    shortest = max(1, -(-needed // 7))
    return bits, value, padded(value, draw(st.integers(shortest, -(-bits // 7))))


@given(lebs(signed=False))
def test_unsigned_numbers(case: tuple[int, int, bytes]) -> None:
    bits, value, encoded = case
    assert read_unsigned(b"?" + encoded + b"?", 1, bits) == (value, 1 + len(encoded))


@given(lebs(signed=True))
def test_signed_numbers(case: tuple[int, int, bytes]) -> None:
    bits, value, encoded = case
    assert read_signed(b"?" + encoded + b"?", 1, bits) == (value, 1 + len(encoded))


@given(lebs(signed=False))
def test_short_unsigned_numbers_are_read_as_long_ones(case: tuple[int, int, bytes]) -> None:
    bits, value, encoded = case
    if bits in (32, 64):
        assert {32: read_u32, 64: read_u64}[bits](encoded + b"?", 0) == (value, len(encoded))


@given(lebs(signed=True))
def test_short_signed_numbers_are_read_as_long_ones(case: tuple[int, int, bytes]) -> None:
    bits, value, encoded = case
    if bits in (32, 64):
        read = {32: read_i32, 64: read_i64}[bits]
        assert read(encoded + b"?", 0) == (value % (1 << bits), len(encoded))


@pytest.mark.parametrize(
    "value",
    [0, 63, 64, 127, 128, 8191, 8192, 16383, 16384, 1048575, 1048576, -1, -65, -8192, -8193, -1048577],
)
def test_numbers_of_few_bytes(value: int) -> None:
    for length in range(1, 6):
        if -(1 << 7 * length - 1) <= value < 1 << 7 * length - 1:
            assert read_i32(padded(value, length), 0) == (value & 0xFFFFFFFF, length)
        if 0 <= value < 1 << 7 * length:
            assert read_u64(padded(value, length), 0) == (value, length)


@pytest.mark.parametrize("bits", [32, 33, 64])
def test_numbers_that_are_too_large_or_too_long(bits: int) -> None:
    length = -(-bits // 7)
    for read, value in (
        (read_unsigned, 1 << bits),
        (read_signed, 1 << bits - 1),
        (read_signed, ~(1 << bits - 1)),
    ):
        with pytest.raises(MalformedError, match="integer too large"):
            read(padded(value, length), 0, bits)
    for read in (read_unsigned, read_signed):
        with pytest.raises(MalformedError, match="integer representation too long"):
            read(padded(0, length + 1), 0, bits)


def test_a_module_with_one_of_everything() -> None:
    module = everything(
        wat("""
        (module
          (type (func (param i32 i64) (result f64)))
          (import "m" "f" (func (type 0)))
          (import "m" "g" (global (mut i32)))
          (table 3 7 funcref)
          (memory 1 2)
          (global i64 (i64.const -1))
          (export "run" (func 1))
          (func (type 0) (local i32 i32 f64)
            (block (result f64)
              (br_table 0 1 0 (f64.const -0.5) (local.get 0))))
          (func $start)
          (start $start)
          (elem (i32.const 1) func 1 0)
          (elem declare func 1)
          (data "abc")
          (data (i32.const 8) "d"))
        """)
    )
    assert module.types == (RecType.of(FuncType((I32, I64), (F64,))), RecType.of(FuncType()))
    assert [(i.module, i.name, i.kind) for i in module.imports] == [
        ("m", "f", ExternKind.FUNC),
        ("m", "g", ExternKind.GLOBAL),
    ]
    assert module.func_typeidxs == (0, 0, 1)
    assert (module.tables[0].type.size, module.mems[0].size) == (SizeRange(3, 7), SizeRange(1, 2))
    assert [imm for _, imm in module.globals[0].init] == [0xFFFFFFFFFFFFFFFF, None]
    assert [(e.name, e.kind, e.index) for e in module.exports] == [("run", ExternKind.FUNC, 1)]
    assert module.start == 2
    func = module.funcs[0]
    assert func.locals == ((2, I32), (1, F64))
    assert [(o.name, imm) for o, imm in func.body] == [
        ("block", BlockType(result=F64)),
        ("f64.const", 0xBFE0000000000000),
        ("local.get", 0),
        ("br_table", (0, 1, 0)),
        ("end", None),
        ("end", None),
    ]
    active, declared = module.elems
    assert isinstance(active.mode, Active)
    assert [imm for body in active.init for imm in body.imms] == [1, None, 0, None]
    assert declared == Elem(SOME_FUNC, active.init[:1], None, declarative=True)
    assert (active.funcidxs, declared.funcidxs) == (array("I", [1, 0]), array("I", [1]))
    assert declared == Elem(SOME_FUNC, (func_ref(1),), None, declarative=True)
    assert declared != Elem(SOME_FUNC, (func_ref(0),), None, declarative=True)
    assert hash(declared) == hash(Elem(SOME_FUNC, (func_ref(1),), None, declarative=True))
    assert "<references to 1 function>" in repr(declared)
    assert [data.init for data in module.datas] == [b"abc", b"d"]
    assert module.datas[0].mode is None


@given(st.integers(-(1 << 31), (1 << 31) - 1), st.integers(0, 4))
def test_an_i32_of_any_length(value: int, more: int) -> None:
    least = max(0, (value if value >= 0 else ~value).bit_length() // 7)
    length = min(4, least + more)
    groups = [value >> 7 * n & 0x7F | 0x80 for n in range(length)]
    data = bytes([*groups, value >> 7 * length & 0x7F])
    assert read_i32(data, 0) == (value & 0xFFFFFFFF, len(data))
    for stop in range(len(data)):
        with pytest.raises(IndexError):
            read_i32(data[:stop], 0)


PLACES = st.one_of(st.none(), st.integers(0, 0xFFFFFFFF), st.just(Active(1, active_at(7).offset)))


@given(st.lists(st.tuples(st.binary(max_size=300), PLACES), max_size=5))
def test_data_segments(segments: list[tuple[bytes, int | Active | None]]) -> None:
    datas = tuple([data_at(init, place) for init, place in segments])
    module = decode(encode(Module(datas=datas)))
    assert (module.datas, hash(module.datas)) == (datas, hash(datas))
    assert [*data_list(module).places] == [place for _, place in segments]
    assert [*data_list(Module(datas=datas))] == [*datas]
    assert module.datas[1:] == datas[1:]
    assert module.datas != (*datas, Data(b""))


@pytest.mark.parametrize(
    ("segment", "message"),
    [
        ("0041808080801000", "integer too large"),
        ("00418080808080000b00", "integer representation too long"),
        ("004100", "unexpected end"),
        ("004100410b", "unexpected end"),
        ("03", "malformed data segment kind"),
        ("0041000b05", "unexpected end"),
    ],
)
def test_malformed_data_segments(segment: str, message: str) -> None:
    contents = b"\1" + bytes.fromhex(segment)
    with pytest.raises(MalformedError, match=message):
        decode(HEADER + b"\x0b" + bytes([len(contents)]) + contents)


def test_immediates_of_several_values() -> None:
    code = bytes.fromhex("fc080100fc0c0201110301286a05041c027f7e0b")
    body = bytes([len(code) + 1, 0]) + code
    count = b"\x0c\x01\0"
    data = HEADER + ONE_FUNC + count + b"\x0a" + bytes([len(body) + 1, 1]) + body
    assert [(o.name, imm) for o, imm in everything(data).funcs[0].body] == [
        ("memory.init", (1, 0)),
        ("table.init", (2, 1)),
        ("call_indirect", (3, 1)),
        ("i32.load", MemArg(0x2A, 4, 5)),
        ("select_t", (I32, I64)),
        ("end", None),
    ]


@pytest.mark.parametrize("path", GUESTS, ids=lambda path: path.stem)
def test_offsets_point_to_opcodes(path: Path) -> None:
    data = path.read_bytes()
    for func in decode(data).funcs[:200]:
        assert func.offset < func.body.offsets[0]
        assert func.body.offsets[-1] + 1 == func.offset + func.size
        assert all(data[at] == o.code[0] for at, o in zip(func.body.offsets, func.body.ops, strict=True))


def test_bodies_are_decoded_when_first_read() -> None:
    illegal = b"\x0a\x05\x01\x03\0\xff\x0b"
    module = decode(HEADER + ONE_FUNC + illegal)
    with pytest.raises(MalformedError, match="illegal opcode ff") as caught:
        _ = module.funcs[0].body
    assert caught.value.offset == len(HEADER + ONE_FUNC) + 5


def test_what_is_wrong_first_is_reported_first() -> None:
    illegal = b"\x0a\x05\x01\x03\0\xff\x0b"
    with pytest.raises(MalformedError, match="illegal opcode ff"):
        decode(HEADER + ONE_FUNC + illegal + b"\x63\0")


@pytest.fixture
def extended_table() -> Iterator[None]:
    """Two more rows for one test."""
    op(0xE7, "test.double", "i32 -> i32", "a + a")
    op((0xFC, 200), "test.local", None, None, Imm.LOCAL, Imm.I64)
    yield
    for name in ("test.double", "test.local"):
        del BY_CODE[OPS.pop(name).code]


@pytest.mark.usefixtures("extended_table")
def test_rows_that_were_added_decode() -> None:
    body = bytes.fromhex("0a004101e7fcc801037f0b")
    module = decode(HEADER + ONE_FUNC + b"\x0a" + bytes([len(body) + 1, 1]) + body)
    assert [(o.name, imm) for o, imm in module.funcs[0].body] == [
        ("i32.const", 1),
        ("test.double", None),
        ("test.local", (3, 0xFFFFFFFFFFFFFFFF)),
        ("end", None),
    ]


def in_function(code: str) -> bytes:
    body = bytes.fromhex("00" + code)
    return HEADER + ONE_FUNC + b"\x0a" + bytes([len(body) + 2, 1, len(body)]) + body


MALFORMED = {
    "nothing": (b"", "unexpected end"),
    "text": (b"(module)", "magic header not detected"),
    "a component": (b"\0asm\x0d\0\1\0", "unknown binary version"),
    "section id": (HEADER + b"\x63\0", "malformed section id"),
    "order": (HEADER + b"\x03\x01\0\x01\x01\0", "unexpected content after last section"),
    "section too long": (HEADER + b"\x01\x05\0", "length out of bounds"),
    "section too short": (HEADER + b"\x01\x02\0\0", "section size mismatch"),
    "no code": (HEADER + ONE_FUNC, "function and code section have inconsistent lengths"),
    "name": (HEADER + b"\0\x02\x01\xff", "malformed UTF-8 encoding"),
    "name beyond its section": (HEADER + b"\0\x01\x05abcdefgh", "unexpected end"),
    "else without if": (in_function("0b"[:0] + "05" + "0b"), "END opcode expected"),
    "second else": (in_function("4100" + "0440" + "05" + "05" + "0b0b"), "END opcode expected"),
    "code behind end": (in_function("0b01"), "section size mismatch"),
    "no end": (in_function("01"), "unexpected end of section or function"),
    "half an instruction": (in_function("41"), "unexpected end of section or function"),
    "opcode": (in_function("ff0b"), "illegal opcode ff"),
    "opcode after prefix": (in_function("fcff010b"), "illegal opcode fc ff"),
    "segment without data count": (in_function("fc09000b"), "data count section required"),
    "value type": (HEADER + b"\x01\x05\x01\x60\x01\x13\0", "malformed value type"),
    "limits": (HEADER + b"\x05\x03\x01\x09\0", "malformed limits flags"),
    "mutability": (HEADER + b"\x06\x06\x01\x7f\x02\x41\0\x0b", "malformed mutability"),
}


@pytest.mark.parametrize("case", MALFORMED)
def test_malformed(case: str) -> None:
    data, message = MALFORMED[case]
    with pytest.raises(MalformedError) as caught:
        everything(data)
    assert caught.value.message.startswith(message)
    assert 0 <= caught.value.offset <= len(data)


def test_custom_sections_may_stand_anywhere() -> None:
    custom = b"\0\x04\x01nhi"
    module = decode(HEADER + custom + b"\x01\x01\0" + custom)
    assert module.customs == (Custom("n", b"hi"),) * 2


HUGE = b"\xff\xff\xff\xff\x0f"


@pytest.mark.parametrize("section", [1, 2, 3, 4, 5, 6, 7, 9, 10, 11])
def test_claimed_lengths_cost_nothing(section: int) -> None:
    data = HEADER + bytes([section, len(HUGE)]) + HUGE
    tracemalloc.start()
    try:
        with pytest.raises(MalformedError):
            decode(data)
        assert tracemalloc.get_traced_memory()[1] < 1 << 20
    finally:
        tracemalloc.stop()


def test_a_function_of_many_locals_costs_nothing() -> None:
    body = b"\x01" + HUGE + b"\x7f\x0b"
    data = HEADER + ONE_FUNC + b"\x0a" + bytes([len(body) + 2, 1, len(body)]) + body
    assert everything(data).funcs[0].locals == ((0xFFFFFFFF, I32),)


def test_labels_that_are_only_claimed() -> None:
    with pytest.raises(MalformedError):
        everything(in_function("0e" + HUGE.hex() + "0b"))


def section_ends(data: bytes) -> set[int]:
    """Where a module may stop without being malformed for it."""
    ends, at = set(), len(HEADER)
    while at < len(data):
        ends.add(at)
        size, contents = read_unsigned(data, at + 1, 32)
        at = contents + size
    return ends


@examples(300)
@given(st.data())
def test_truncated_modules(data: st.DataObject) -> None:
    whole = data.draw(st.sampled_from(SMALL)).read_bytes()
    length = data.draw(st.integers(0, len(whole) - 1))
    try:
        everything(whole[:length])
    except MalformedError as error:
        assert 0 <= error.offset <= length
    else:
        assert length in section_ends(whole)


def accepts(data: bytes) -> bool:
    """Whether we do. Raises what is neither MalformedError nor InvalidError."""
    try:
        validate_all(everything(data))
    except (MalformedError, InvalidError):
        return False
    return True


def wasmtime_accepts(data: bytes) -> bool:
    config = wasmtime.Config()
    config.wasm_multi_memory = True
    try:
        wasmtime.Module.validate(wasmtime.Engine(config), data)
    except wasmtime.WasmtimeError:
        return False
    return True


@examples(500)
@given(st.data())
def test_modules_with_flipped_bits(data: st.DataObject) -> None:
    damaged = bytearray(data.draw(st.sampled_from(SMALL)).read_bytes())
    for _ in range(data.draw(st.integers(1, 4))):
        damaged[data.draw(st.integers(0, len(damaged) - 1))] ^= 1 << data.draw(st.integers(0, 7))
    if accepts(bytes(damaged)):
        assert wasmtime_accepts(bytes(damaged))


@examples(300)
@given(st.binary(max_size=60))
def test_random_bytes(rest: bytes) -> None:
    if accepts(HEADER + rest):
        assert wasmtime_accepts(HEADER + rest)


@pytest.mark.parametrize("count", [0, 1, 63, 64, 65, 127, 128, 129, 300])
@pytest.mark.parametrize("largest", [0, 0x7F, 0x80, 0x3FFF, 0x4000, 0xFFFFFFFF])
def test_lists_of_indices(count: int, largest: int) -> None:
    """Whole pieces, and indices of one byte to five among shorter ones."""
    values = [index % 5 for index in range(count)]
    if count:
        values[count // 2] = values[-1] = largest
    written = b"".join(map(write_unsigned, values))
    assert read_indices(b"?" + written + b"?", 1, count, unhurried) == (array("I", values), 1 + len(written))
    if count:
        with pytest.raises(IndexError):
            read_indices(written[:-1], 0, count, unhurried)


def test_types_of_globals_are_read_as_they_are_written() -> None:
    """Equal bytes are one object, and two bytes are no type of three."""
    types = [b"\x7f\0", b"\x7f\1", b"\x63\0\0", b"\x63\0\1", b"\x7f\0", b"\x70\1"]
    inits = {0x7F: b"\x41\0", 0x63: b"\xd0\0", 0x70: b"\xd0\x70"}
    content = b"".join(type_ + inits[type_[0]] + b"\x0b" for type_ in types)
    module = decode(
        bodies.binary(bodies.section(1, b"\1\x60\0\0"), bodies.section(6, bytes([len(types)]) + content))
    )
    read = [each.type for each in module.globals]
    null = RefType(TypeIdx(0))
    assert read == [
        GlobalType(I32, False), GlobalType(I32, True), GlobalType(null, False), GlobalType(null, True),
        GlobalType(I32, False), GlobalType(FUNCREF, True),
    ]  # fmt: skip
    assert read[0] is read[4]


def test_equal_types_and_constants_are_one_object() -> None:
    """So that a module of a megabyte of them takes no more than a few."""
    module = decode(
        bodies.binary(
            bodies.section(1, b"\5" + b"\x60\1\x7f\0" * 2 + b"\x4e\1\x5f\0" * 2 + b"\x60\1\x7f\1\x7e"),
            bodies.section(6, b"\3" + b"\x7f\0\x41\1\x41\2\x6a\x0b" * 2 + b"\x7f\0\x41\3\x0b"),
        )
    )
    first, second, third, fourth, _ = module.types
    assert first is second
    assert third is fourth
    assert module.deftypes[0] is module.deftypes[1]
    assert module.globals[0].init is module.globals[1].init
    assert module.globals[0].init != module.globals[2].init


def test_equal_bytes_with_indices_are_other_types_elsewhere() -> None:
    """A group of its own refers to itself, and to what is before it, by numbers of the module."""
    itself = b"\x5e\x63\0\0"
    module = decode(bodies.binary(bodies.section(1, b"\2" + itself * 2)))
    first, second = module.deftypes
    assert first is not second
    assert str(module.types[0]) == str(module.types[1])


@pytest.mark.parametrize(
    ("type_", "code"),
    [
        (b"\x7f", b"\x41\1\x6a"),
        (b"\x7f", b"\x41\1\x42\1\x6a"),
        (b"\x7f", b"\x41\1\x41\1"),
        (b"\x7f", b""),
        (b"\x7e", b"\x41\1\x41\1\x6a"),
        (b"\x7f", b"\x41\1\x41\1\x6d"),
        (b"\x7f", b"\x41\1\x23\0\x6a"),
        (b"\x6f", b"\xd0\x70"),
        (b"\x64\x70", b"\xd0\x70"),
    ],
)
def test_constants_that_are_none(type_: bytes, code: bytes) -> None:
    with pytest.raises(InvalidError):
        validate_module(decode(bodies.binary(bodies.section(6, b"\1" + type_ + b"\0" + code + b"\x0b"))))


@pytest.mark.parametrize(
    "written", [b"\x60\1\x7f", b"\x60\5\x7f\0", b"\x60", b"\x60\0\1", b"\x60\1\x7f\1\x11"]
)
def test_a_type_that_ends_early(written: bytes) -> None:
    with pytest.raises(MalformedError):
        decode(bodies.binary(bodies.section(1, b"\1" + written)))


def types_section(*groups: bytes) -> bytes:
    """A module of recursive groups, each in its bytes, and of nothing else."""
    content = bytes([len(groups)]) + b"".join(groups)
    return HEADER + b"\x01" + bytes([len(content)]) + content


FUNCTION, LONGER = b"\x60\0\0", b"\x60\x01\x7f\0"


def test_groups_of_equal_bytes_are_equal_types_unless_they_refer_to_themselves() -> None:
    own = b"\x5f\x01\x63\x01\0"  # (struct (field (ref null 1))): at index 1 itself, later the type at 1
    earlier = b"\x5f\x01\x63\0\0"
    module = decode(types_section(FUNCTION, own, own, own, earlier, earlier))
    validate_module(module)
    _, first, second, third, *others = module.deftypes
    assert [field_of(each) for each in (first, second)] == [first, first]
    assert first is not second
    assert second is third
    assert others[0] is others[1]


def field_of(type_: DefType) -> object:
    """What the only field of a structure refers to."""
    assert isinstance(type_.composite, StructType)
    storage = type_.composite.fields[0].storage
    assert isinstance(storage, RefType)
    return storage.heap


@pytest.mark.parametrize("last", [FUNCTION, b"\x5e\x7f\0", b"\x5f\0", b"\x4e\0", b"\x5f\x02\x7f\0\x7e\0"])
@pytest.mark.parametrize("before", [LONGER, b"\x5f\x02\x64\x00\0\x7f\1", b"\x5e\x64\x00\0"])
def test_a_short_group_at_the_end_is_read_after_a_long_one(last: bytes, before: bytes) -> None:
    module = decode(types_section(FUNCTION, last, before, last))
    assert module.types[1] == module.types[3]
    assert module.types[2] != module.types[3]
    for cut in range(1, len(last)):
        with pytest.raises(MalformedError):
            decode(types_section(FUNCTION, last, before, last[:-cut]))
