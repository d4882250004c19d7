"""Instructions (https://webassembly.github.io/spec/core/binary/instructions.html).

What is here: one reader for each kind of immediate, and `ExpressionReader`, which reads sequences of
instructions by the table. It checks the structure of blocks (`end`, `else`), but no types.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial

from ...errors import MalformedError
from ..instructions import BY_CODE, OPS, PREFIXES, Imm, Op
from ..module import BlockType, Body, CastArg, Catch, FieldArg, FuncBody, MemArg
from ..pace import STRIDE, Patience, unhurried
from ..types import HEAP_TYPE_BY_CODE, VAL_TYPE_BY_CODE, Exact, HeapType, RefType, TypeIdx, ValType
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
NO_END = "END opcode expected"
END = 0x0B
I32_CONST = 0x41
EXACT = 0x62
NULLABLE_BY_CODE = {0x63: True, 0x64: False}
"""First bytes of reference types with an explicit heap type."""
SOURCE_NULLABLE, TARGET_NULLABLE = 1, 2
"""Flags of br_on_cast and its siblings."""


class TypeReader:
    """Reads types; those of the proposal custom-descriptors too if `exact`."""

    def __init__(self, exact: bool) -> None:
        self._exact = exact

    def valtype(self, data: bytes, pos: int) -> tuple[ValType, int]:
        byte = data[pos]
        type_ = VAL_TYPE_BY_CODE.get(byte)
        if type_ is not None:
            return type_, pos + 1
        if byte in NULLABLE_BY_CODE:
            heap, after = self.heaptype(data, pos + 1)
            return RefType(heap, NULLABLE_BY_CODE[byte]), after
        from ..proposals import unknown_type

        raise unknown_type(byte, "malformed value type", pos)

    def valtypes(self, data: bytes, pos: int) -> tuple[tuple[ValType, ...], int]:
        return read_vector(data, pos, self.valtype)

    def reftype(self, data: bytes, pos: int) -> tuple[RefType, int]:
        if data[pos] in VAL_TYPE_BY_CODE or data[pos] in NULLABLE_BY_CODE:
            type_, after = self.valtype(data, pos)
            if isinstance(type_, RefType):
                return type_, after
        raise MalformedError("malformed reference type", pos)

    def heaptype(self, data: bytes, pos: int) -> tuple[HeapType, int]:
        code, after = read_s33(data, pos)
        if code >= 0:
            return TypeIdx(code), after
        type_ = HEAP_TYPE_BY_CODE.get(code & 0x7F) if code >= -0x40 else None
        if type_ is None:
            return self.exact(data, pos)
        return type_, after

    def exact(self, data: bytes, pos: int) -> tuple[Exact, int]:
        """An exact type; anything else is malformed."""
        if data[pos] != EXACT:
            raise MalformedError("malformed heap type", pos)
        if not self._exact:
            from ..features import DESCRIPTORS, require

            require(DESCRIPTORS.name, (), "malformed heap type", pos)
        index, after = read_s33(data, pos + 1)
        if index < 0:
            raise MalformedError("malformed heap type", pos + 1)
        return Exact(TypeIdx(index)), after

    def blocktype(self, data: bytes, pos: int) -> tuple[BlockType, int]:
        byte = data[pos]
        if byte == EMPTY_BLOCK:
            return BlockType(), pos + 1
        if byte in VAL_TYPE_BY_CODE or byte in NULLABLE_BY_CODE:
            result, after = self.valtype(data, pos)
            return BlockType(result=result), after
        typeidx, after = read_s33(data, pos)
        if typeidx < 0:
            raise MalformedError("malformed block type", pos)
        return BlockType(typeidx), after

    def cast(self, data: bytes, pos: int) -> tuple[CastArg, int]:
        flags = data[pos]
        if flags > SOURCE_NULLABLE | TARGET_NULLABLE:
            raise MalformedError("malformed cast flags", pos)
        label, pos = read_u32(data, pos + 1)
        source, pos = self.heaptype(data, pos)
        target, pos = self.heaptype(data, pos)
        source_type = RefType(source, bool(flags & SOURCE_NULLABLE))
        return CastArg(label, source_type, RefType(target, bool(flags & TARGET_NULLABLE))), pos


PLAIN = TypeReader(exact=False)


def type_reader(features: Sequence[str]) -> TypeReader:
    """What reads the types of a module with these features."""
    if not features:
        return PLAIN
    from ..features import DESCRIPTORS, chosen

    return exact_reader() if DESCRIPTORS.name in chosen(features) else PLAIN


@cache
def exact_reader() -> TypeReader:
    """What reads exact types, too."""
    return TypeReader(exact=True)


def read_field(data: bytes, pos: int) -> tuple[FieldArg, int]:
    typeidx, pos = read_u32(data, pos)
    fieldidx, pos = read_u32(data, pos)
    return FieldArg(typeidx, fieldidx), pos


def read_memarg(data: bytes, pos: int) -> tuple[MemArg, int]:
    flags, offset = data[pos], data[pos + 1]
    if flags < 0x40 and offset < 0x80:
        return small_memarg(flags, offset), pos + 2
    flags, after = read_u32(data, pos)
    if flags >= 0x80:
        raise MalformedError("malformed memop flags", pos)
    memidx = 0
    if flags & 0x40:
        memidx, after = read_u32(data, after)
    offset, after = read_u64(data, after)
    return MemArg(flags & 0x3F, offset, memidx), after


@cache
def small_memarg(align: int, offset: int) -> MemArg:
    """Most memargs in a module are equal: share one object for each that fits into two bytes."""
    return MemArg(align, offset)


def read_labels(data: bytes, pos: int) -> tuple[tuple[int, ...], int]:
    labels, pos = read_vector(data, pos, read_u32)
    default, pos = read_u32(data, pos)
    return (*labels, default), pos


def read_catch(data: bytes, pos: int) -> tuple[Catch, int]:
    """A catch clause. Bits of its first byte: 0 the handler gets an exnref, 1 catches any tag."""
    kind = data[pos]
    if kind > 3:
        raise MalformedError("malformed catch clause", pos)
    tagidx, pos = (None, pos + 1) if kind & 2 else read_u32(data, pos + 1)
    label, pos = read_u32(data, pos)
    return Catch(tagidx, bool(kind & 1), label), pos


def read_catches(data: bytes, pos: int) -> tuple[tuple[Catch, ...], int]:
    return read_vector(data, pos, read_catch)


def unknown(code: tuple[int, ...], pos: int) -> MalformedError:
    """The error for an opcode that isn't in the table."""
    from ..proposals import BY_OPCODE  # valid modules don't need this import

    return MalformedError(illegal(code), pos, proposal=BY_OPCODE.get(code, ""))


def illegal(code: tuple[int, ...]) -> str:
    """The message about an opcode that the decoder refuses."""
    return f"illegal opcode {' '.join(f'{part:02x}' for part in code)}"


def read_zero(data: bytes, pos: int) -> tuple[int, int]:
    if data[pos]:
        raise MalformedError("zero byte expected", pos)
    return 0, pos + 1


@cache
def readers(types: TypeReader) -> dict[Imm, AnyReader]:
    """The reader of each kind of immediate."""
    return {
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
        Imm.BLOCKTYPE: types.blocktype,
        Imm.CATCHES: read_catches,
        Imm.MEMARG: read_memarg,
        Imm.HEAPTYPE: types.heaptype,
        Imm.TYPEIDX: read_u32,
        Imm.FIELD: read_field,
        Imm.COUNT: read_u32,
        Imm.CASTTYPE: types.heaptype,
        Imm.CAST: types.cast,
        Imm.VALTYPES: types.valtypes,
        Imm.I32: read_i32,
        Imm.I64: read_i64,
        Imm.F32: read_f32,
        Imm.F64: read_f64,
        Imm.V128: read_v128,
        Imm.LANE: read_lane,
        Imm.LANES: read_lanes,
        Imm.ZERO: read_zero,
    }


def no_data_count(data: bytes, pos: int) -> tuple[int, int]:
    """Read a dataidx in a module without data count section: always an error."""
    raise MalformedError("data count section required", pos)


def read_nothing(data: bytes, pos: int) -> tuple[None, int]:
    return None, pos


def reader_of(parts: Sequence[AnyReader]) -> AnyReader:
    """A reader of these immediates in order: it returns None, the only value, or a tuple."""
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


LONGER = object()
"""Stands for an immediate of more than one byte."""
ALWAYS_LONGER = (LONGER,) * 0x100
OFTEN_SHORT = (read_u32, read_i32, read_i64, PLAIN.blocktype)
"""Readers whose immediates usually have one byte."""


@cache
def by_first_byte(read: AnyReader) -> tuple[object, ...]:
    """The value of an immediate for each possible single byte; LONGER if the reader needs more bytes, or
    rejects the byte."""
    values: list[object] = []
    for byte in range(0x80):
        try:
            values.append(read(bytes((byte,)), 0)[0])
        except (IndexError, MalformedError):
            values.append(LONGER)
    return (*values, *ALWAYS_LONGER[len(values) :])


def opens(op: Op, open_blocks: list[Op], pos: int, patience: Patience) -> None:
    """Open a block."""
    open_blocks.append(op)


def opens_after_list(op: Op, open_blocks: list[Op], pos: int, patience: Patience) -> None:
    """Open a block whose immediates include a list."""
    patience()
    open_blocks.append(op)


def ends_list(op: Op, open_blocks: list[Op], pos: int, patience: Patience) -> None:
    """Look at the time after a list, since one may be as long as a body."""
    patience()


def begins_clause(op: Op, open_blocks: list[Op], pos: int, patience: Patience) -> None:
    """End the body of a `try`, or a clause before `op`."""
    if not open_blocks or open_blocks[-1].name not in ("try", "catch"):
        raise MalformedError(NO_END, pos)
    open_blocks[-1] = op


def delegates(op: Op, open_blocks: list[Op], pos: int, patience: Patience) -> None:
    """End a `try` without clauses."""
    if not open_blocks or open_blocks[-1].name != "try":
        raise MalformedError(NO_END, pos)
    open_blocks.pop()


Structure = Callable[[Op, list[Op], int, Patience], None]
"""What an instruction does to the open blocks, before the position after it. Raises MalformedError, and what
the patience raises."""
LISTS = Imm.LABELS, Imm.CATCHES, Imm.VALTYPES
STRUCTURES: dict[str, Structure] = {
    "catch": begins_clause, "catch_all": begins_clause, "delegate": delegates,
}  # fmt: skip
Row = tuple[Op, AnyReader, tuple[object, ...], Structure | None]
"""How an instruction is read: its row of the table, the reader of its immediates, their values by the first
byte (empty without immediates, unless there is a structure), and what it does to blocks. `else` and `end`
have no structure here: they are so frequent that `_read` knows them."""


def row_of(op: Op, readers: Mapping[Imm, AnyReader]) -> Row:
    read = reader_of([readers[imm] for imm in op.imms])
    values = by_first_byte(read) if read in OFTEN_SHORT else ALWAYS_LONGER
    structure = STRUCTURES.get(op.name)
    has_list = not set(LISTS).isdisjoint(op.imms)
    if Imm.BLOCKTYPE in op.imms:
        structure = opens_after_list if has_list else opens
    elif has_list:
        structure = ends_list
    return op, read, values if op.imms or structure else (), structure


LONE = ("i32.const", "i64.const", "f32.const", "f64.const", "ref.null", "ref.func", "global.get")
"""Instructions that often are a whole constant expression."""


@cache
def lone_constants(types: TypeReader) -> dict[int, tuple[tuple[Op, Op], AnyReader]]:
    """By opcode: a constant instruction followed by `end`, as a whole constant expression, and the reader of
    its immediate. Modules have thousands of such expressions, so they share these objects."""
    end, known = OPS["end"], readers(types)
    rows = [OPS[name] for name in LONE]
    return {op.code[0]: ((op, end), reader_of([known[imm] for imm in op.imms])) for op in rows}


def read_address(data: bytes, pos: int) -> tuple[int, int]:
    """An address that is a constant, as a whole constant expression, and the position after it; a negative
    number for other expressions, and for malformed ones. Compilers make thousands of data segments."""
    if data[pos] == I32_CONST:
        try:
            address, after = read_i32(data, pos + 1)
        except MalformedError:
            return -1, pos
        if data[after] == END:
            return address, after + 1
    return -1, pos


class ExpressionReader:
    """Reads expressions with the instructions of the table, as far as `features` allow
    (`interpreter.features`)."""

    def __init__(self, features: Sequence[str] = (), *, data_count: bool = True) -> None:
        """`data_count`: the module has a section that says how many data segments there are."""
        types = type_reader(features)
        known = readers(types)
        self._readers = known if data_count else {**known, Imm.DATA: no_data_count}
        self._features = features
        self._rows: list[Row | None] = [None] * 0x100
        """Rows by opcode, filled when an opcode first occurs."""
        self._prefixed: dict[tuple[int, int], Row] = {}
        """Rows by prefix and number, filled when they first occur."""
        self._lone = lone_constants(types)

    def read_constant(self, data: bytes, pos: int, patience: Patience = unhurried) -> tuple[Body, int]:
        """A constant expression, with a fast path for one instruction and `end`."""
        lone = self._lone.get(data[pos])
        if lone is not None:
            imm, after = lone[1](data, pos + 1)
            if data[after] == END:
                return Body(lone[0], (imm, None)), after + 1
        ops, imms, after = self._read(data, pos, patience)
        return Body(ops, imms), after

    def _find(self, data: bytes, pos: int) -> tuple[Row, int]:
        """The row of an instruction, and the position after its opcode."""
        byte = data[pos]
        row = self._rows[byte]
        if row is not None:
            return row, pos + 1
        if byte not in PREFIXES:
            row = self._rows[byte] = self._new((byte,), pos)
            return row, pos + 1
        number, after = read_u32(data, pos + 1)
        row = self._prefixed.get((byte, number))
        if row is None:
            row = self._prefixed[byte, number] = self._new((byte, number), pos)
        return row, after

    def _new(self, code: tuple[int, ...], pos: int) -> Row:
        """The row of an instruction that occurs for the first time. Raises MalformedError."""
        op = BY_CODE.get(code)
        if op is None:
            raise unknown(code, pos)
        if op.feature:
            from ..features import require

            require(op.feature, self._features, illegal(code), pos)
        return row_of(op, self._readers)

    def _read(
        self, data: bytes, pos: int, patience: Patience = unhurried
    ) -> tuple[tuple[Op, ...], tuple[object, ...], int]:
        """Read up to the `end` of the outermost level: instructions, immediates and the position after them.


        Raises MalformedError, IndexError if the data ends too early, and DeadlineError.
        """
        rows, longer = self._rows, LONGER
        end, else_, if_ = OPS["end"], OPS["else"], OPS["if"]
        ops: list[Op] = []
        imms: list[object] = []
        open_blocks: list[Op] = []
        while True:
            patience()
            for _ in range(STRIDE):
                row = rows[data[pos]]
                pos += 1
                if row is None:
                    row, pos = self._find(data, pos - 1)
                op, read, values, structure = row
                imm: object = None
                if values:
                    imm = values[data[pos]]
                    if imm is longer:
                        imm, pos = read(data, pos)
                    else:
                        pos += 1
                    if structure is opens:
                        open_blocks.append(op)
                    elif structure is not None:
                        structure(op, open_blocks, pos, patience)
                elif op is end:
                    if not open_blocks:
                        ops.append(end)
                        imms.append(None)
                        return tuple(ops), tuple(imms), pos
                    open_blocks.pop()
                elif op is else_:
                    if not open_blocks or open_blocks[-1] is not if_:
                        raise MalformedError(NO_END, pos - 1)
                    open_blocks[-1] = op
                ops.append(op)
                imms.append(imm)

    def _offsets(self, data: bytes, start: int, count: int) -> tuple[int, ...]:
        """The offsets of `count` instructions from `start` on. Reading again is cheaper than recording
        offsets in `_read`, which took a fifth of the time: few callers need them."""
        found: list[int] = []
        pos = start
        for _ in range(count):
            found.append(pos)
            row, pos = self._find(data, pos)
            _, pos = row[1](data, pos)
        return tuple(found)

    def read_body(self, data: bytes, start: int, stop: int, patience: Patience = unhurried) -> Body:
        """The expression that fills data[start:stop] exactly, such as the code of a function."""
        try:
            ops, imms, size = self._read(data[start:stop], 0, patience)
            if start + size == stop:
                return FuncBody(ops, imms, partial(self._offsets, data, start, len(ops)))
        except (IndexError, MalformedError):
            pass
        # The specification's grammar doesn't stop at `stop`: it reads on and compares the size afterwards. Do
        # the same to report the same error, but only now that there is one.
        try:
            _, _, pos = self._read(data, start, patience)
        except IndexError:
            raise MalformedError(UNEXPECTED_END, len(data)) from None
        raise MalformedError("section size mismatch", pos)
