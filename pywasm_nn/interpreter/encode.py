"""`Module` to bytes, in the canonical form (https://webassembly.github.io/spec/core/binary/index.html).

What is here: `encode`, and one writer for each kind of immediate. Canonical means: shortest numbers, no empty
sections, custom sections last, and bare function indices in element segments where possible. What is not:
validation. Every decoded or parsed module can be encoded; if it is invalid, so is the result.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from ..limits import PAGE
from .instructions import OPS, Imm
from .module import (
    BlockType,
    Body,
    CastArg,
    Catch,
    Custom,
    Data,
    Elem,
    Export,
    FieldArg,
    Func,
    Global,
    Import,
    MemArg,
    Module,
    Table,
    Tag,
)
from .types import (
    FUNCREF,
    I64,
    SOME_FUNC,
    AbsHeapType,
    ArrayType,
    CompType,
    Exact,
    ExternKind,
    FieldType,
    FuncType,
    GlobalType,
    HeapType,
    MemType,
    NumType,
    PackedType,
    RecType,
    RefType,
    SizeRange,
    StructType,
    SubType,
    TableType,
    TypeIdx,
    ValType,
)

T = TypeVar("T")

HEADER = b"\0asm\1\0\0\0"
FUNC_TYPE, STRUCT_TYPE, ARRAY_TYPE = b"\x60", b"\x5f", b"\x5e"
SUB, SUB_FINAL, REC = b"\x50", b"\x4f", b"\x4e"
DESCRIPTOR, DESCRIBES = b"\x4d", b"\x4c"
TABLE_WITH_INIT = b"\x40\x00"
ELEM_KIND_FUNC = b"\0"
EXCEPTION = b"\0"
EMPTY_BLOCK = b"\x40"
EXACT, EXACT_FUNC = b"\x62", b"\x20"
HAS_MEMIDX = 0x40
HAS_MAXIMUM = 0x01
SHARED = 0x02
ADDRESSES_I64 = 0x04
PAGE_SIZE = 0x08


def encode(module: Module) -> bytes:
    """The module's bytes. Decoding them gives an equal module; a module decoded from canonical bytes gives
    the same bytes.

    Reads every function body, so it raises MalformedError if a body of a decoded module is malformed.
    """
    sections = [
        section(1, module.types, write_rectype),
        section(2, module.imports, write_import),
        section(3, [func.typeidx for func in module.funcs], write_unsigned),
        section(4, module.tables, write_table),
        section(5, module.mems, write_memtype),
        section(13, module.tags, write_tag),
        section(6, module.globals, write_global),
        section(7, module.exports, write_export),
        b"" if module.start is None else b"\x08" + sized(write_unsigned(module.start)),
        section(9, module.elems, write_elem),
        b"" if module.data_count is None else b"\x0c" + sized(write_unsigned(module.data_count)),
        section(10, module.funcs, write_code),
        section(11, module.datas, write_data),
        *(b"\x00" + sized(write_custom(custom)) for custom in module.customs),
    ]
    return HEADER + b"".join(sections)


def section(number: int, elements: Iterable[T], write: Callable[[T], bytes]) -> bytes:
    """A section that contains a vector; no bytes if the vector is empty."""
    written = [write(element) for element in elements]
    return bytes([number]) + sized(vector(written)) if written else b""


def sized(content: bytes) -> bytes:
    return write_unsigned(len(content)) + content


def vector(written: list[bytes]) -> bytes:
    return write_unsigned(len(written)) + b"".join(written)


def write_unsigned(value: int) -> bytes:
    """LEB128 of an unsigned integer (https://webassembly.github.io/spec/core/binary/values.html#integers)."""
    if value < 0x80:
        return bytes([value])
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def write_signed(value: int) -> bytes:
    """LEB128 of a signed integer."""
    out = bytearray()
    while not -0x40 <= value < 0x40:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value & 0x7F)
    return bytes(out)


def write_i32(value: int) -> bytes:
    return write_signed((value ^ 1 << 31) - (1 << 31))


def write_i64(value: int) -> bytes:
    return write_signed((value ^ 1 << 63) - (1 << 63))


def write_f32(bits: int) -> bytes:
    return bits.to_bytes(4, "little")


def write_f64(bits: int) -> bytes:
    return bits.to_bytes(8, "little")


def write_v128(value: int) -> bytes:
    return value.to_bytes(16, "little")


def write_lane(lane: int) -> bytes:
    return bytes([lane])


def write_name(name: str) -> bytes:
    return sized(name.encode("utf-8"))


def write_valtype(type_: ValType | PackedType) -> bytes:
    if not isinstance(type_, RefType):
        return bytes([type_.code])
    if type_.nullable and isinstance(type_.heap, AbsHeapType):
        return bytes([type_.heap.code])
    return (b"\x63" if type_.nullable else b"\x64") + write_heaptype(type_.heap)


def write_valtypes(types: Iterable[ValType]) -> bytes:
    return vector([write_valtype(type_) for type_ in types])


def write_heaptype(type_: HeapType) -> bytes:
    if isinstance(type_, AbsHeapType):
        return bytes([type_.code])
    if isinstance(type_, Exact):
        return EXACT + write_heaptype(type_.type)
    assert isinstance(type_, TypeIdx)  # modules write other types by their index
    return write_signed(type_.index)


def write_typeidx(type_: HeapType) -> bytes:
    """The index of a type where no abstract type can stand, so it is unsigned."""
    assert isinstance(type_, TypeIdx)  # modules write types by their index
    return write_unsigned(type_.index)


def write_field(field: FieldArg) -> bytes:
    return write_unsigned(field.typeidx) + write_unsigned(field.fieldidx)


def write_cast(cast: CastArg) -> bytes:
    flags = cast.source.nullable | cast.target.nullable << 1
    types = write_heaptype(cast.source.heap) + write_heaptype(cast.target.heap)
    return bytes([flags]) + write_unsigned(cast.label) + types


def write_blocktype(type_: BlockType) -> bytes:
    if type_.typeidx is not None:
        return write_signed(type_.typeidx)
    return EMPTY_BLOCK if type_.result is None else write_valtype(type_.result)


def write_memarg(memarg: MemArg) -> bytes:
    offset = write_unsigned(memarg.offset)
    if memarg.memidx == 0:
        return write_unsigned(memarg.align) + offset
    return write_unsigned(memarg.align | HAS_MEMIDX) + write_unsigned(memarg.memidx) + offset


def write_catch(catch: Catch) -> bytes:
    """A catch clause. Bits of its first byte: 0 the handler gets an exnref, 1 catches any tag."""
    kind = bytes([catch.ref | (catch.tagidx is None) << 1])
    tag = b"" if catch.tagidx is None else write_unsigned(catch.tagidx)
    return kind + tag + write_unsigned(catch.label)


def write_catches(catches: tuple[Catch, ...]) -> bytes:
    return vector([write_catch(catch) for catch in catches])


def write_labels(labels: tuple[int, ...]) -> bytes:
    *targets, default = labels
    return vector([write_unsigned(label) for label in targets]) + write_unsigned(default)


WRITERS: dict[Imm, Callable[[Any], bytes]] = {
    Imm.LABEL: write_unsigned,
    Imm.LABELS: write_labels,
    Imm.LOCAL: write_unsigned,
    Imm.GLOBAL: write_unsigned,
    Imm.FUNC: write_unsigned,
    Imm.TABLE: write_unsigned,
    Imm.MEMORY: write_unsigned,
    Imm.TYPE: write_unsigned,
    Imm.TAG: write_unsigned,
    Imm.ELEM: write_unsigned,
    Imm.DATA: write_unsigned,
    Imm.BLOCKTYPE: write_blocktype,
    Imm.CATCHES: write_catches,
    Imm.MEMARG: write_memarg,
    Imm.HEAPTYPE: write_heaptype,
    Imm.TYPEIDX: write_unsigned,
    Imm.FIELD: write_field,
    Imm.COUNT: write_unsigned,
    Imm.CASTTYPE: write_heaptype,
    Imm.CAST: write_cast,
    Imm.VALTYPES: write_valtypes,
    Imm.I32: write_i32,
    Imm.I64: write_i64,
    Imm.F32: write_f32,
    Imm.F64: write_f64,
    Imm.V128: write_v128,
    Imm.LANE: write_lane,
    Imm.LANES: bytes,
    Imm.ZERO: write_unsigned,
}


def write_expression(body: Body) -> bytes:
    parts = []
    for op, imm in body:
        prefix, *number = op.code
        parts.append(bytes([prefix]))
        parts.extend(map(write_unsigned, number))
        values = imm if len(op.imms) > 1 else (imm,)
        parts.extend(WRITERS[kind](value) for kind, value in zip(op.imms, values, strict=False))
    return b"".join(parts)


def write_rectype(rectype: RecType) -> bytes:
    written = [write_subtype(subtype) for subtype in rectype.subtypes]
    return written[0] if len(written) == 1 else REC + vector(written)


def write_subtype(subtype: SubType) -> bytes:
    composite = write_composite(subtype.composite)
    for clause, type_ in ((DESCRIPTOR, subtype.descriptor), (DESCRIBES, subtype.describes)):
        if type_ is not None:
            composite = clause + write_typeidx(type_) + composite
    if subtype.final and not subtype.supers:
        return composite
    return (
        (SUB_FINAL if subtype.final else SUB) + vector([write_typeidx(s) for s in subtype.supers]) + composite
    )


def write_composite(type_: CompType) -> bytes:
    return COMPOSITE_WRITERS[type(type_)](type_)


def write_functype(type_: FuncType) -> bytes:
    return FUNC_TYPE + write_valtypes(type_.params) + write_valtypes(type_.results)


def write_structtype(type_: StructType) -> bytes:
    return STRUCT_TYPE + vector([write_fieldtype(field) for field in type_.fields])


def write_arraytype(type_: ArrayType) -> bytes:
    return ARRAY_TYPE + write_fieldtype(type_.field)


def write_fieldtype(field: FieldType) -> bytes:
    return write_valtype(field.storage) + bytes([field.mutable])


COMPOSITE_WRITERS: dict[type, Callable[[Any], bytes]] = {
    FuncType: write_functype,
    StructType: write_structtype,
    ArrayType: write_arraytype,
}


def write_limits(size: SizeRange, addrtype: NumType, flags: int = 0) -> bytes:
    flags |= ADDRESSES_I64 if addrtype is I64 else 0
    if size.maximum is None:
        return bytes([flags]) + write_unsigned(size.minimum)
    return bytes([flags | HAS_MAXIMUM]) + write_unsigned(size.minimum) + write_unsigned(size.maximum)


def write_memtype(type_: MemType) -> bytes:
    flags = SHARED * type_.shared
    if type_.page == PAGE:
        return write_limits(type_.size, type_.addrtype, flags)
    exponent = write_unsigned(type_.page.bit_length() - 1)
    return write_limits(type_.size, type_.addrtype, flags | PAGE_SIZE) + exponent


def write_tabletype(type_: TableType) -> bytes:
    return write_valtype(type_.element) + write_limits(type_.size, type_.addrtype)


def write_globaltype(type_: GlobalType) -> bytes:
    return write_valtype(type_.type) + bytes([type_.mutable])


def write_tagtype(typeidx: int) -> bytes:
    return EXCEPTION + write_unsigned(typeidx)


EXTERN_TYPE_WRITERS: dict[ExternKind, Callable[[Any], bytes]] = {
    ExternKind.FUNC: write_unsigned,
    ExternKind.TABLE: write_tabletype,
    ExternKind.MEMORY: write_memtype,
    ExternKind.GLOBAL: write_globaltype,
    ExternKind.TAG: write_tagtype,
}


def write_import(wanted: Import) -> bytes:
    name = write_name(wanted.module) + write_name(wanted.name)
    kind = EXACT_FUNC if wanted.exact else bytes([wanted.kind.value])
    return name + kind + EXTERN_TYPE_WRITERS[wanted.kind](wanted.type)


def write_export(export: Export) -> bytes:
    return write_name(export.name) + bytes([export.kind.value]) + write_unsigned(export.index)


def write_table(table: Table) -> bytes:
    if table.init is None:
        return write_tabletype(table.type)
    return TABLE_WITH_INIT + write_tabletype(table.type) + write_expression(table.init)


def write_tag(tag: Tag) -> bytes:
    return write_tagtype(tag.typeidx)


def write_global(global_: Global) -> bytes:
    return write_globaltype(global_.type) + write_expression(global_.init)


def write_code(func: Func) -> bytes:
    runs = [write_unsigned(count) + write_valtype(type_) for count, type_ in func.locals]
    return sized(vector(runs) + write_expression(func.body))


def write_elem(elem: Elem) -> bytes:
    """An element segment. Bits of the flags: 0 not active, 1 has a table index (or, if not active: is
    declarative), 2 has expressions."""
    bare = elem.type == SOME_FUNC and all(body.ops == (OPS["ref.func"], OPS["end"]) for body in elem.init)
    flags = 0 if bare else 4
    target = b""
    if elem.mode is None:
        flags |= 3 if elem.declarative else 1
    elif elem.mode.index == 0 and (bare or elem.type == FUNCREF):
        target = write_expression(elem.mode.offset)
    else:
        flags |= 2
        target = write_unsigned(elem.mode.index) + write_expression(elem.mode.offset)
    type_ = b"" if flags & 3 == 0 else ELEM_KIND_FUNC if bare else write_valtype(elem.type)
    init = [write_unsigned(body.imms[0]) if bare else write_expression(body) for body in elem.init]
    return write_unsigned(flags) + target + type_ + vector(init)


def write_data(data: Data) -> bytes:
    """A data segment. Flags: 0 active in memory 0, 1 passive, 2 active with a memory index."""
    init = sized(data.init)
    if data.mode is None:
        return b"\1" + init
    offset = write_expression(data.mode.offset)
    if data.mode.index == 0:
        return b"\0" + offset + init
    return b"\2" + write_unsigned(data.mode.index) + offset + init


def write_custom(custom: Custom) -> bytes:
    return write_name(custom.name) + custom.data
