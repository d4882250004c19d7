"""Sections and modules (https://webassembly.github.io/spec/core/binary/modules.html).

What is here: `decode`, and a method of `ModuleReader` for each record in sections. As in the specification, a
section is read by its contents, and the number of bytes read is then compared with the declared size.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, TypeVar, overload

from ...errors import MalformedError
from ...limits import PAGE
from ..datas import DataList, Place
from ..module import (
    Active,
    Body,
    CodeCache,
    Custom,
    Elem,
    Export,
    Func,
    FuncRefs,
    Global,
    Import,
    Module,
    Table,
    Tag,
)
from ..pace import FEW, Patience, paced_range, uncollected, unhurried
from ..types import (
    FUNCREF,
    I32,
    I64,
    PACKED_TYPES,
    SOME_FUNC,
    VAL_TYPE_BY_CODE,
    ArrayType,
    CompType,
    ExternKind,
    FieldType,
    FuncType,
    GlobalType,
    MemType,
    NumType,
    RecType,
    RefType,
    SizeRange,
    StorageType,
    StructType,
    SubType,
    TableType,
    TypeIdx,
    ValType,
)
from .expressions import ExpressionReader, read_address, type_reader
from .functions import CodeReader, Codes, Functions, codes_at
from .leb128 import (
    MOST_ENTRIES,
    UNEXPECTED_END,
    Reader,
    read_bytes,
    read_count,
    read_indices,
    read_name,
    read_signed,
    read_size,
    read_u32,
    read_u64,
)

M = TypeVar("M", bound=Module)
T = TypeVar("T")

MAGIC = b"\0asm"
VERSION = b"\1\0\0\0"
COMPONENT_PREAMBLE = MAGIC + b"\x0d\0\1\0"
"""The first bytes of a component: the same magic number, and a version and layer that no core module has."""
CUSTOM_SECTION = 0
FUNC_TYPE, STRUCT_TYPE, ARRAY_TYPE = -0x20, -0x21, -0x22
SUB, SUB_FINAL, REC, DESCRIPTOR, DESCRIBES = -0x30, -0x31, -0x32, -0x33, -0x34
EXACT_FUNC = 0x20
"""The kind of an imported function of exactly this type."""
PACKED_TYPE_BY_CODE = {type_.code: type_ for type_ in PACKED_TYPES}
TABLE_WITH_INIT = 0x40
ELEM_KIND_FUNC = 0x00
SHORT = 64
"""Smaller data segments are often equal, so equal ones share one object."""
MOST_ELEMENTS = 10_000_000
"""Elements of a segment: a limit of the JavaScript API."""
EXCEPTION = 0x00
"""The only attribute of tags."""
HAS_MAXIMUM = 0x01
SHARED = 0x02
ADDRESSES_I64 = 0x04
PAGE_SIZE = 0x08
MEMORY_FLAGS = HAS_MAXIMUM | SHARED | ADDRESSES_I64 | PAGE_SIZE
"""The known flags of memories."""
FEATURE_OF_FLAG = {SHARED: "threads", ADDRESSES_I64: "memory64", PAGE_SIZE: "custom-page-sizes"}
LARGEST_EXPONENT = 63
"""Of a page size that fits into 64 bits."""
KIND_BY_CODE: dict[int, ExternKind] = {kind.value: kind for kind in ExternKind}


@overload
def decode(
    data: bytes,
    name: str = "",
    *,
    features: Sequence[str] = (),
    patience: Patience = unhurried,
    code: CodeCache | None = None,
) -> Module: ...
@overload
def decode(
    data: bytes,
    name: str = "",
    *,
    into: type[M],
    features: Sequence[str] = (),
    patience: Patience = unhurried,
    code: CodeCache | None = None,
) -> M: ...


def decode(
    data: bytes,
    name: str = "",
    *,
    into: type[Module] = Module,
    features: Sequence[str] = (),
    patience: Patience = unhurried,
    code: CodeCache | None = None,
) -> Module:
    """The module that `data` encodes, as an instance of `into`. `name` is for messages only; `features`
    change the default ones (`interpreter.features.chosen`). `code` is what is kept of its code.

    Function bodies are only located here, and decoded when `Func.body` is first read. Both steps raise
    MalformedError, or what `patience` raises. If kept code proves that there is no error, bodies are located
    when a function is first asked for.
    """
    features = tuple(features)
    try:
        with uncollected(len(data)):
            known = code is not None and code.proves_valid
            fields = ModuleReader(data, features, patience, known=known).fields()
            made = into(**fields, data=data, name=name, features=features)
    except IndexError:  # see leb128: readers index past the end of the data
        raise MalformedError(UNEXPECTED_END, len(data)) from None
    if code is not None:
        made.use_code(code)
    return made


class ModuleReader:
    """Reads one module from front to back: every method reads at `pos` and advances it."""

    def __init__(
        self, data: bytes, features: Sequence[str], patience: Patience, *, known: bool = False
    ) -> None:
        self.data = data
        self.known = known
        """Whether the module was decoded before, without an error."""
        self.features = features
        self.patience = patience
        self.pos = 0
        self.stop = 0
        """The end of the current section."""
        self.expressions = ExpressionReader(features)
        self.types = type_reader(features)
        self.contents: dict[bytes, bytes] = {}
        """Contents of short data segments, so that equal ones share one object."""
        self.plain: dict[bytes, RecType] = {}
        """Short recursive groups by their bytes: equal bytes mean equal types, so they share one object."""
        self.length = 0
        """The bytes of the last recursive group."""
        self.fields_read: dict[bytes, FieldType] = {}
        """Field types by their bytes, likewise."""
        self.field_length = 0
        self.constants: dict[bytes, Body] = {}
        """Short constant expressions by their bytes, likewise."""
        self.globals_read: dict[bytes, GlobalType] = {}
        """Types of globals by their bytes, likewise."""
        self.code_offset = 0
        self.codes = Codes()

    def fields(self) -> dict[str, Any]:
        """The contents of the module, by the names of `Module`'s fields."""
        if self.take(len(MAGIC)) != MAGIC:
            raise MalformedError("magic header not detected", 0)
        if self.take(len(VERSION)) != VERSION:
            raise MalformedError("unknown binary version", len(MAGIC))
        try:
            fields = self.sections()
        except (MalformedError, IndexError):
            for body, stop in zip(self.codes.bodies, self.codes.stops, strict=True):
                self.expressions.read_body(
                    self.data, body, stop, self.patience
                )  # errors in bodies come first in the file
            raise
        fields["funcs"] = self.funcs(
            fields.pop("typeidxs", ()), fields.pop("codes", Codes), with_data_count="data_count" in fields
        )
        if fields.get("data_count") not in (None, len(fields.get("datas", ()))):
            raise MalformedError("data count and data section have inconsistent lengths", self.pos)
        return fields

    def funcs(
        self, typeidxs: Sequence[int], locate: Callable[[], Codes], *, with_data_count: bool
    ) -> Sequence[Func]:
        """The functions, from their types in one section and their locals and bodies in another."""
        if not self.known and len(typeidxs) != len(locate()):
            raise MalformedError("function and code section have inconsistent lengths", self.pos)
        reader = self.expressions if with_data_count else ExpressionReader(self.features, data_count=False)
        return Functions(self.data, typeidxs, locate, reader.read_body)

    def sections(self) -> dict[str, Any]:
        """The contents of the sections, by the names of `Module`'s fields; functions are in two halves."""
        in_order: dict[int, tuple[str, Callable[[], Any]]] = {
            1: ("types", partial(self.vector, self.rectype)),
            2: ("imports", partial(self.vector, self.import_)),
            3: ("typeidxs", self.typeidxs),
            4: ("tables", partial(self.vector, self.table)),
            5: ("mems", partial(self.vector, self.memtype)),
            13: ("tags", partial(self.vector, self.tag)),
            6: ("globals", partial(self.vector, self.global_)),
            7: ("exports", partial(self.vector, self.export)),
            8: ("start", partial(self.read, read_u32)),
            9: ("elems", partial(self.vector, self.elem)),
            12: ("data_count", partial(self.read, read_u32)),
            10: ("codes", self.code_section),
            11: ("datas", self.datas),
        }
        coming = list(in_order)
        customs: list[Custom] = []
        fields: dict[str, Any] = {}
        while self.pos < len(self.data):
            section = self.byte()
            if section != CUSTOM_SECTION and section not in in_order:
                raise self.malformed("malformed section id")
            if section != CUSTOM_SECTION and section not in coming:
                raise self.malformed("unexpected content after last section")
            size = self.read(read_size)
            start, self.stop = self.pos, self.pos + size
            if section == CUSTOM_SECTION:
                customs.append(self.custom())
                self.patience()
            else:
                del coming[: coming.index(section) + 1]
                field, contents = in_order[section]
                fields[field] = contents()
            if self.pos != self.stop:
                raise MalformedError("section size mismatch", start)
        return {**fields, "customs": tuple(customs), "code_offset": self.code_offset}

    def read(self, reader: Reader[T]) -> T:
        """Read a value with a reader of `leb128` or `expressions`."""
        value, self.pos = reader(self.data, self.pos)
        return value

    def u32(self) -> int:
        value = self.data[self.pos]
        if value < 0x80:
            self.pos += 1
            return value
        return self.read(read_u32)

    def byte(self) -> int:
        byte = self.data[self.pos]
        self.pos += 1
        return byte

    def take(self, count: int) -> bytes:
        taken, self.pos = read_bytes(self.data, self.pos, count)
        return taken

    def vector(self, element: Callable[[], T], most: int = MOST_ENTRIES) -> tuple[T, ...]:
        return tuple([element() for _ in paced_range(self.count(most), self.patience)])

    def count(self, most: int = MOST_ENTRIES) -> int:
        """The number of entries that follow."""
        count, self.pos = read_count(self.data, self.pos, most)
        return count

    def typeidxs(self) -> array[int]:
        """Type indices of the functions."""
        return self.indices(MOST_ENTRIES)

    def indices(self, most: int) -> array[int]:
        """A list of indices."""
        count = self.count(most)
        found, self.pos = read_indices(self.data, self.pos, count, self.patience)
        return found

    def expression(self) -> Body:
        start = self.pos
        try:
            body, self.pos = self.expressions.read_constant(self.data, start, self.patience)
            if self.pos - start > SHORT:
                return body
            return self.constants.setdefault(self.data[start : self.pos], body)
        except MalformedError as error:
            if error.offset >= self.stop:  # bytes after the section aren't instructions
                raise MalformedError(UNEXPECTED_END, self.stop) from None
            raise

    def malformed(self, message: str) -> MalformedError:
        """An error at the last byte that was read."""
        return MalformedError(message, self.pos - 1)

    def custom(self) -> Custom:
        name = self.read(read_name)
        return Custom(name, self.take(self.stop - self.pos))

    def rectype(self) -> RecType:
        start = self.pos
        written = self.data[start : start + self.length]
        known = self.plain.get(written)
        if known is not None:  # no group is the beginning of another, so there is no other reading
            self.pos += len(written)  # less at the end of the data
            return known
        read = self.plain_function() or self.any_rectype()
        self.length = self.pos - start
        return self.plain.setdefault(self.data[start : self.pos], read) if self.length <= SHORT else read

    def plain_function(self) -> RecType | None:
        """A function type whose parameters and results have one byte each, as most have; else None."""
        data, start = self.data, self.pos
        if data[start] != FUNC_TYPE & 0x7F or data[start + 1] >= 0x80:
            return None
        middle = start + 2 + data[start + 1]
        if middle >= len(data) or data[middle] >= 0x80:
            return None
        stop = middle + 1 + data[middle]
        written = data[start:stop]
        found = self.plain.get(written)
        if found is None:
            params, results = (
                tuple(map(VAL_TYPE_BY_CODE.get, part))
                for part in (data[start + 2 : middle], data[middle + 1 : stop])
            )
            if stop > len(data) or None in params or None in results:
                return None
            found = self.plain[written] = RecType.of(FuncType(params, results))  # type: ignore[arg-type] # no None
        self.pos = stop
        return found

    def any_rectype(self) -> RecType:
        code = self.definition_code()
        if code == REC:
            return RecType(self.vector(self.member))
        return RecType((self.subtype(code),))

    def member(self) -> SubType:
        """A type of a recursive group."""
        plain = self.plain_function()
        return plain.subtypes[0] if plain else self.subtype(self.definition_code())

    def definition_code(self) -> int:
        byte = self.data[self.pos]
        if byte >= 0x80:
            return self.read(partial(read_signed, bits=7))
        self.pos += 1
        return byte - 0x80 if byte & 0x40 else byte

    def subtype(self, code: int) -> SubType:
        supers: tuple[TypeIdx, ...] = ()
        final = True
        if code in (SUB, SUB_FINAL):
            supers, final = self.vector(lambda: TypeIdx(self.read(read_u32))), code == SUB_FINAL
            code = self.definition_code()
        if code in (DESCRIBES, DESCRIPTOR):
            return self.described(code, supers, final)
        return SubType(self.composite(code), supers, final)

    def described(self, code: int, supers: tuple[TypeIdx, ...], final: bool) -> SubType:
        """The rest of a type definition from its first clause on, whose code has been read."""
        from ..described import DescribedType
        from ..features import DESCRIPTORS, require

        require(DESCRIPTORS.name, self.features, "malformed definition type", self.pos - 1)
        clauses: list[TypeIdx | None] = []
        for clause in (DESCRIBES, DESCRIPTOR):
            if code == clause:
                clauses.append(TypeIdx(self.read(read_u32)))
                code = self.definition_code()
            else:
                clauses.append(None)
        return DescribedType(self.composite(code), supers, final, *clauses)

    def composite(self, code: int) -> CompType:
        if code == FUNC_TYPE:
            return FuncType(self.valtypes(), self.valtypes())
        if code == STRUCT_TYPE:
            return StructType(self.vector(self.fieldtype))
        if code == ARRAY_TYPE:
            return ArrayType(self.fieldtype())
        from ..proposals import unknown_type

        raise unknown_type(code & 0x7F, "malformed definition type", self.pos - 1)

    def valtypes(self) -> tuple[ValType, ...]:
        if self.data[self.pos] <= FEW:
            return self.read(self.types.valtypes)
        return self.vector(partial(self.read, self.types.valtype))

    def fieldtype(self) -> FieldType:
        start = self.pos
        written = self.data[start : start + self.field_length]
        known = self.fields_read.get(written)
        if known is not None:
            self.pos += len(written)  # less at the end of the data
            return known
        read = self.any_fieldtype()
        self.field_length = self.pos - start
        return self.fields_read.setdefault(self.data[start : self.pos], read)

    def any_fieldtype(self) -> FieldType:
        storage: StorageType | None = PACKED_TYPE_BY_CODE.get(self.data[self.pos])
        if storage is None:
            storage = self.storage()
        else:
            self.pos += 1
        return FieldType(storage, self.mutability())

    def storage(self) -> ValType:
        """The type of a field that isn't packed."""
        try:
            return self.read(self.types.valtype)
        except MalformedError as error:
            message, proposal, feature = "malformed storage type", error.proposal, error.feature
            raise MalformedError(message, error.offset, proposal=proposal, feature=feature) from None

    def mutability(self) -> bool:
        mutable = self.byte()
        if mutable not in (0, 1):
            raise self.malformed("malformed mutability")
        return bool(mutable)

    def import_(self) -> Import:
        module, name = self.read(read_name), self.read(read_name)
        if self.data[self.pos] == EXACT_FUNC:
            return self.exact_import(module, name)
        kind = self.externkind("malformed import kind")
        return Import(module, name, kind, IMPORTED[kind](self))

    def exact_import(self, module: str, name: str) -> Import:
        from ..features import DESCRIPTORS, require

        require(DESCRIPTORS.name, self.features, "malformed import kind", self.pos)
        self.pos += 1
        return Import(module, name, ExternKind.FUNC, self.read(read_u32), exact=True)

    def export(self) -> Export:
        name, kind = self.read(read_name), self.externkind("malformed export kind")
        return Export(name, kind, self.u32())

    def externkind(self, message: str) -> ExternKind:
        kind = KIND_BY_CODE.get(self.byte())
        if kind is None:
            raise self.malformed(message)
        return kind

    def limits(self, known: int = HAS_MAXIMUM | ADDRESSES_I64) -> tuple[SizeRange, NumType]:
        """A size range and the address type. Bits of the flags: 1 has a maximum, 2 shared, 4 addresses are
        i64, 8 has a page size."""
        flags = self.byte()
        if flags & ~known:
            raise self.malformed("malformed limits flags")
        if flags & ~HAS_MAXIMUM:
            from ..features import require

            for flag, feature in FEATURE_OF_FLAG.items():
                if flags & flag:
                    require(feature, self.features, "malformed limits flags", self.pos - 1)
        minimum = self.read(read_u64)
        maximum = self.read(read_u64) if flags & HAS_MAXIMUM else None
        return SizeRange(minimum, maximum), I64 if flags & ADDRESSES_I64 else I32

    def memtype(self) -> MemType:
        flags = self.data[self.pos]
        size, addrtype = self.limits(MEMORY_FLAGS)
        page = self.pagesize() if flags & PAGE_SIZE else PAGE
        return MemType(size, addrtype, bool(flags & SHARED), page)

    def pagesize(self) -> int:
        """The bytes of a page, encoded as the exponent of a power of two."""
        start = self.pos
        exponent = self.read(read_u32)
        if exponent > LARGEST_EXPONENT:
            raise MalformedError("invalid custom page size", start)
        return 1 << exponent

    def tabletype(self) -> TableType:
        return TableType(self.read(self.types.reftype), *self.limits())

    def globaltype(self) -> GlobalType:
        start = self.pos
        known = self.globals_read.get(self.data[start : start + 2])
        if known is not None:
            self.pos += 2
            return known
        read = GlobalType(self.read(self.types.valtype), self.mutability())
        return self.globals_read.setdefault(self.data[start : self.pos], read)

    def tagtype(self) -> int:
        """https://webassembly.github.io/spec/core/binary/types.html#tag-types"""
        if self.byte() != EXCEPTION:
            raise self.malformed("malformed tag attribute")
        return self.read(read_u32)

    def tag(self) -> Tag:
        return Tag(self.tagtype())

    def table(self) -> Table:
        if self.data[self.pos] != TABLE_WITH_INIT:
            return Table(self.tabletype())
        self.pos += 1
        if self.byte() != 0:
            raise self.malformed("malformed table")
        return Table(self.tabletype(), self.expression())

    def global_(self) -> Global:
        return Global(self.globaltype(), self.expression())

    def elem(self) -> Elem:
        """An element segment. Bits of the flags: 0 not active, 1 has a table index (or, if not active: is
        declarative), 2 has expressions."""
        flags = self.read(read_u32)
        if flags > 7:
            raise self.malformed("malformed elements segment kind")
        mode = None
        if not flags & 1:
            mode = Active(self.u32() if flags & 2 else 0, self.expression())
        type_ = FUNCREF if flags & 4 else SOME_FUNC
        if flags & 3:
            type_ = self.read(self.types.reftype) if flags & 4 else self.elemkind()
        init: Sequence[Body]
        if flags & 4:
            init = self.vector(self.expression, MOST_ELEMENTS)
        else:
            init = FuncRefs(self.indices(MOST_ELEMENTS))
        return Elem(type_, init, mode, declarative=flags & 3 == 3)

    def elemkind(self) -> RefType:
        if self.byte() != ELEM_KIND_FUNC:
            raise self.malformed("malformed element kind")
        return SOME_FUNC

    def code_section(self) -> Callable[[], Codes]:
        """What finds the functions' code: at once, for errors, unless the module is known to have none."""
        self.code_offset = self.pos
        if self.known:
            self.pos = self.stop
            return partial(codes_at, self.code_offset, self.data, self.types, self.patience)
        codes = self.codes
        self.pos = CodeReader(self.data, self.types, self.patience, codes).read(self.pos)
        return lambda: codes

    def datas(self) -> DataList:
        """The data segments."""
        inits: list[bytes] = []
        places: list[Place] = []
        for _ in paced_range(self.count(), self.patience):
            places.append(self.place())
            inits.append(self.content())
        return DataList(inits, places)

    def place(self) -> Place:
        """Where a data segment goes. Flags: 0 active in memory 0, 1 passive, 2 active with a memory index."""
        if not self.data[self.pos]:
            address, after = read_address(self.data, self.pos + 1)
            if address >= 0:
                self.pos = after
                return address
        flags = self.u32()
        if flags > 2:
            raise self.malformed("malformed data segment kind")
        return Active(self.u32() if flags else 0, self.expression()) if flags != 1 else None

    def content(self) -> bytes:
        """The bytes of a data segment."""
        size, start = read_u32(self.data, self.pos)
        self.pos = start + size
        init = self.data[start : self.pos]
        if len(init) < size:
            raise IndexError
        return self.contents.setdefault(init, init) if size < SHORT else init


IMPORTED: Mapping[ExternKind, Callable[[ModuleReader], int | TableType | MemType | GlobalType]] = {
    ExternKind.FUNC: ModuleReader.u32,
    ExternKind.TABLE: ModuleReader.tabletype,
    ExternKind.MEMORY: ModuleReader.memtype,
    ExternKind.GLOBAL: ModuleReader.globaltype,
    ExternKind.TAG: ModuleReader.tagtype,
}
"""What reads the type of an import, by its kind."""
