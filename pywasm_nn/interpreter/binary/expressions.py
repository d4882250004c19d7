"""Instructions (https://webassembly.github.io/spec/core/binary/instructions.html).

What is here: one reader for each kind of immediate, and `ExpressionReader`, which reads sequences of
instructions by the table. It checks the structure that the grammar has (`end`, `else`), but no types.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from typing import Self

from ...errors import MalformedError
from ..instructions import BY_CODE, OPS, Imm, Op
from ..module import BlockType, Body, CastArg, Catch, FieldArg, MemArg
from ..types import HEAP_TYPE_BY_CODE, VAL_TYPE_BY_CODE, HeapType, RefType, TypeIdx, ValType
from .leb128 import (
    UNEXPECTED_END,
    AnyReader,
    read_f32,
    read_f64,
    read_i32,
    read_i64,
    read_lane,
    read_lanes,
    read_s33,
    read_u32,
    read_u64,
    read_v128,
    read_vector,
)

EMPTY_BLOCK = 0x40
END = 0x0B
NULLABLE_BY_CODE = {0x63: True, 0x64: False}
"""First bytes of references whose heap type is written out."""
SOURCE_NULLABLE, TARGET_NULLABLE = 1, 2
"""Flags of branches on a cast."""


def read_valtype(data: bytes, pos: int) -> tuple[ValType, int]:
    byte = data[pos]
    type_ = VAL_TYPE_BY_CODE.get(byte)
    if type_ is not None:
        return type_, pos + 1
    if byte in NULLABLE_BY_CODE:
        heap, after = read_heaptype(data, pos + 1)
        return RefType(heap, NULLABLE_BY_CODE[byte]), after
    raise MalformedError("malformed value type", pos)


def read_reftype(data: bytes, pos: int) -> tuple[RefType, int]:
    if data[pos] in VAL_TYPE_BY_CODE or data[pos] in NULLABLE_BY_CODE:
        type_, after = read_valtype(data, pos)
        if isinstance(type_, RefType):
            return type_, after
    raise MalformedError("malformed reference type", pos)


def read_heaptype(data: bytes, pos: int) -> tuple[HeapType, int]:
    code, after = read_s33(data, pos)
    if code >= 0:
        return TypeIdx(code), after
    type_ = HEAP_TYPE_BY_CODE.get(code & 0x7F) if code >= -0x40 else None
    if type_ is None:
        raise MalformedError("malformed heap type", pos)
    return type_, after


def read_blocktype(data: bytes, pos: int) -> tuple[BlockType, int]:
    byte = data[pos]
    if byte == EMPTY_BLOCK:
        return BlockType(), pos + 1
    if byte in VAL_TYPE_BY_CODE or byte in NULLABLE_BY_CODE:
        result, after = read_valtype(data, pos)
        return BlockType(result=result), after
    typeidx, after = read_s33(data, pos)
    if typeidx < 0:
        raise MalformedError("malformed block type", pos)
    return BlockType(typeidx), after


def read_field(data: bytes, pos: int) -> tuple[FieldArg, int]:
    typeidx, pos = read_u32(data, pos)
    fieldidx, pos = read_u32(data, pos)
    return FieldArg(typeidx, fieldidx), pos


def read_cast(data: bytes, pos: int) -> tuple[CastArg, int]:
    flags = data[pos]
    if flags > SOURCE_NULLABLE | TARGET_NULLABLE:
        raise MalformedError("malformed cast flags", pos)
    label, pos = read_u32(data, pos + 1)
    source, pos = read_heaptype(data, pos)
    target, pos = read_heaptype(data, pos)
    return CastArg(
        label, RefType(source, bool(flags & SOURCE_NULLABLE)), RefType(target, bool(flags & TARGET_NULLABLE))
    ), pos


def read_memarg(data: bytes, pos: int) -> tuple[MemArg, int]:
    flags, after = read_u32(data, pos)
    if flags >= 0x80:
        raise MalformedError("malformed memop flags", pos)
    memidx = 0
    if flags & 0x40:
        memidx, after = read_u32(data, after)
    offset, after = read_u64(data, after)
    return MemArg(flags & 0x3F, offset, memidx), after


def read_labels(data: bytes, pos: int) -> tuple[tuple[int, ...], int]:
    labels, pos = read_vector(data, pos, read_u32)
    default, pos = read_u32(data, pos)
    return (*labels, default), pos


def read_catch(data: bytes, pos: int) -> tuple[Catch, int]:
    """Bits of the first byte: 0 with a reference to the exception, 1 catches all."""
    kind = data[pos]
    if kind > 3:
        raise MalformedError("malformed catch clause", pos)
    tagidx, pos = (None, pos + 1) if kind & 2 else read_u32(data, pos + 1)
    label, pos = read_u32(data, pos)
    return Catch(tagidx, bool(kind & 1), label), pos


def read_catches(data: bytes, pos: int) -> tuple[tuple[Catch, ...], int]:
    return read_vector(data, pos, read_catch)


def read_valtypes(data: bytes, pos: int) -> tuple[tuple[ValType, ...], int]:
    return read_vector(data, pos, read_valtype)


READERS: dict[Imm, AnyReader] = {
    Imm.LABEL: read_u32,
    Imm.LABELS: read_labels,
    Imm.LOCAL: read_u32,
    Imm.GLOBAL: read_u32,
    Imm.FUNC: read_u32,
    Imm.TABLE: read_u32,
    Imm.MEMORY: read_u32,
    Imm.TYPE: read_u32,
    Imm.TAG: read_u32,
    Imm.ELEM: read_u32,
    Imm.DATA: read_u32,
    Imm.BLOCKTYPE: read_blocktype,
    Imm.CATCHES: read_catches,
    Imm.MEMARG: read_memarg,
    Imm.HEAPTYPE: read_heaptype,
    Imm.TYPEIDX: read_u32,
    Imm.FIELD: read_field,
    Imm.COUNT: read_u32,
    Imm.CASTTYPE: read_heaptype,
    Imm.CAST: read_cast,
    Imm.VALTYPES: read_valtypes,
    Imm.I32: read_i32,
    Imm.I64: read_i64,
    Imm.F32: read_f32,
    Imm.F64: read_f64,
    Imm.V128: read_v128,
    Imm.LANE: read_lane,
    Imm.LANES: read_lanes,
}


def no_data_count(data: bytes, pos: int) -> tuple[int, int]:
    """Reader of a dataidx in code of a module without data count section: there can't be one."""
    raise MalformedError("data count section required", pos)


def read_nothing(data: bytes, pos: int) -> tuple[None, int]:
    return None, pos


def reader_of(parts: Sequence[AnyReader]) -> AnyReader:
    """What reads immediates with these readers: None, the value of the only one, or a tuple."""
    if not parts:
        return read_nothing
    if len(parts) == 1:
        return parts[0]

    def read_all(data: bytes, pos: int) -> tuple[tuple[object, ...], int]:
        values = []
        for read in parts:
            value, pos = read(data, pos)
            values.append(value)
        return tuple(values), pos

    return read_all


class ExpressionReader:
    """Reads expressions with the instructions that the table has when this is made."""

    def __init__(self) -> None:
        kinds = {op.imms for op in BY_CODE.values()}
        readers = {imms: reader_of([READERS[imm] for imm in imms]) for imms in kinds}
        known = {code: (op, readers[op.imms]) for code, op in BY_CODE.items()}
        self._rows = [known.get((byte,), (None, read_nothing)) for byte in range(256)]
        self._prefixed = {code: row for code, row in known.items() if len(code) > 1}
        self._prefixes = {code[0] for code in self._prefixed}
        end = OPS["end"]
        self._alone = {op: (op, end) for op in BY_CODE.values() if op.constant and op is not end}
        self._openers = frozenset(op for op in BY_CODE.values() if Imm.BLOCKTYPE in op.imms)

    def without_data_count(self) -> Self:
        """The reader for code of a module that has no such section."""
        readers = {**READERS, Imm.DATA: no_data_count}
        other = copy(self)
        other._prefixed = {
            code: (op, reader_of([readers[imm] for imm in op.imms]) if Imm.DATA in op.imms else read)
            for code, (op, read) in self._prefixed.items()
        }
        return other

    def read_constant(self, data: bytes, pos: int) -> tuple[Body, int]:
        """As `read`, but without offsets and quickly for what most constant expressions are: one instruction
        and `end`."""
        op, read = self._rows[data[pos]]
        if op in self._alone:
            imm, after = read(data, pos + 1)
            if data[after] == END:
                return Body(self._alone[op], (imm, None)), after + 1
        return self.read(data, pos)

    def _find(self, data: bytes, pos: int) -> tuple[Op, AnyReader, int]:
        """Row, reader and position behind the opcode, for opcodes with a prefix. All others are illegal."""
        prefix = data[pos]
        if prefix not in self._prefixes:
            raise MalformedError(f"illegal opcode {prefix:02x}", pos)
        number, after = read_u32(data, pos + 1)
        if (prefix, number) not in self._prefixed:
            raise MalformedError(f"illegal opcode {prefix:02x} {number:02x}", pos)
        return *self._prefixed[prefix, number], after

    def read(self, data: bytes, pos: int, base: int = 0) -> tuple[Body, int]:
        """Read up to the `end` of the outermost level. Offsets are positions in `data` plus `base`.

        Raises MalformedError with a position in `data`, and IndexError if the data ends too early.
        """
        rows, openers = self._rows, self._openers
        end, else_, if_ = OPS["end"], OPS["else"], OPS["if"]
        ops: list[Op] = []
        imms: list[object] = []
        offsets: list[int] = []
        open_blocks: list[Op] = []
        imm: object
        while True:
            offsets.append(pos)
            op, read = rows[data[pos]]
            pos += 1
            if op is None:
                op, read, pos = self._find(data, pos - 1)
            if read is read_u32 and data[pos] < 0x80:  # most immediates are small indices: worth a shortcut
                imm = data[pos]
                pos += 1
            elif read is not read_nothing:
                imm, pos = read(data, pos)
                if op in openers:
                    open_blocks.append(op)
            else:
                imm = None
                if op is end:
                    if not open_blocks:
                        break
                    open_blocks.pop()
                elif op is else_:
                    if not open_blocks or open_blocks[-1] is not if_:
                        raise MalformedError("END opcode expected", pos - 1)
                    open_blocks[-1] = op
            ops.append(op)
            imms.append(imm)
        ops.append(end)
        imms.append(None)
        return Body(tuple(ops), tuple(imms), tuple(map(base.__add__, offsets))), pos

    def read_body(self, data: bytes, start: int, stop: int) -> Body:
        """The expression that fills data[start:stop] exactly, as the code of a function does."""
        try:
            body, pos = self.read(data[start:stop], 0, start)
            if start + pos == stop:
                return body
        except (IndexError, MalformedError):
            pass
        # The grammar has no bounds: it reads on and compares the size afterwards. So do we, to report what it
        # reports, but only now that something is known to be wrong.
        try:
            _, pos = self.read(data, start)
        except IndexError:
            raise MalformedError(UNEXPECTED_END, len(data)) from None
        raise MalformedError("section size mismatch", pos)
