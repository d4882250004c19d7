"""Types of the specification (https://webassembly.github.io/spec/core/syntax/types.html) as frozen values.

Every type prints as it is written in the text format. A type that a module defines is named by its index
where it is written, and by its `DefType` where it is used: there is one such object per type in the whole
process, so that types of different modules are compared by `is`.
What is not here: which type matches which (`matching.py`).
"""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from functools import cached_property
from threading import Lock
from weakref import WeakValueDictionary

from ..brief import named
from ..records import record


def as_written(self: object) -> str:
    """The `__repr__` of types: "<FuncType [i32] -> []>"."""
    return named(type(self).__name__, str(self))


@record
class NumType:
    """i32, i64, f32, f64 and the vector type v128: a value of a fixed number of bits."""

    name: str
    code: int
    bits: int

    def __str__(self) -> str:
        return self.name

    __repr__ = as_written

    def __hash__(self) -> int:
        """At once: a module may have 100,000 types of these."""
        return self.code

    @property
    def default(self) -> int | float:
        return 0.0 if self.name.startswith("f") else 0

    @property
    def defaultable(self) -> bool:
        return True

    @property
    def unpacked(self) -> NumType:
        return self

    def replaced(self, by: Replace) -> NumType:
        return self


@record
class PackedType:
    """i8 and i16: what fields may hold beyond value types. As operands they are i32."""

    name: str
    code: int
    bits: int

    def __str__(self) -> str:
        return self.name

    __repr__ = as_written

    @property
    def default(self) -> int:
        return 0

    @property
    def defaultable(self) -> bool:
        return True

    @property
    def unpacked(self) -> NumType:
        return I32

    def replaced(self, by: Replace) -> PackedType:
        return self


@record
class AbsHeapType:
    """A heap type that needs no definition. `code` is its byte in the binary format, `shorthand` the word for
    a nullable reference to it."""

    name: str
    code: int
    shorthand: str

    def __str__(self) -> str:
        return self.name

    __repr__ = as_written


@record
class TypeIdx:
    """A defined type, as a module writes it."""

    index: int

    def __str__(self) -> str:
        return str(self.index)


@record
class RecIdx:
    """A type of the recursive group that it is used in."""

    index: int

    def __str__(self) -> str:
        return f"rec.{self.index}"


@record
class RefType:
    """A reference to something on the heap, null included where `nullable`."""

    heap: HeapType
    nullable: bool = True

    def __str__(self) -> str:
        if not self.nullable:
            return f"(ref {self.heap})"
        return getattr(self.heap, "shorthand", "") or f"(ref null {self.heap})"

    __repr__ = as_written

    @property
    def default(self) -> None:
        return None

    @property
    def defaultable(self) -> bool:
        """Whether there is a value for locals and elements that nobody has set."""
        return self.nullable

    @property
    def unpacked(self) -> RefType:
        return self

    def replaced(self, by: Replace) -> RefType:
        """The type with `by` of its heap type; so for all types below."""
        heap = by(self.heap)
        return self if heap is self.heap else RefType(heap, self.nullable)


ValType = NumType | RefType
StorageType = ValType | PackedType

I32 = NumType("i32", 0x7F, 32)
I64 = NumType("i64", 0x7E, 64)
F32 = NumType("f32", 0x7D, 32)
F64 = NumType("f64", 0x7C, 64)
V128 = NumType("v128", 0x7B, 128)
I8 = PackedType("i8", 0x78, 8)
I16 = PackedType("i16", 0x77, 16)
NOEXN = AbsHeapType("noexn", 0x74, "nullexnref")
NOFUNC = AbsHeapType("nofunc", 0x73, "nullfuncref")
NOEXTERN = AbsHeapType("noextern", 0x72, "nullexternref")
NONE = AbsHeapType("none", 0x71, "nullref")
FUNC = AbsHeapType("func", 0x70, "funcref")
EXTERN = AbsHeapType("extern", 0x6F, "externref")
ANY = AbsHeapType("any", 0x6E, "anyref")
EQ = AbsHeapType("eq", 0x6D, "eqref")
I31 = AbsHeapType("i31", 0x6C, "i31ref")
STRUCT = AbsHeapType("struct", 0x6B, "structref")
ARRAY = AbsHeapType("array", 0x6A, "arrayref")
EXN = AbsHeapType("exn", 0x69, "exnref")
FUNCREF = RefType(FUNC)
EXTERNREF = RefType(EXTERN)
SOME_FUNC = RefType(FUNC, nullable=False)

NUM_TYPES: tuple[NumType, ...] = (I32, I64, F32, F64, V128)
PACKED_TYPES: tuple[PackedType, ...] = (I8, I16)
HEAP_TYPES: tuple[AbsHeapType, ...] = (
    NOEXN, NOFUNC, NOEXTERN, NONE, FUNC, EXTERN, ANY, EQ, I31, STRUCT, ARRAY, EXN,
)  # fmt: skip
REF_TYPES: tuple[RefType, ...] = (
    FUNCREF,
    EXTERNREF,
    *(RefType(h) for h in HEAP_TYPES if h not in (FUNC, EXTERN)),
)
"""References to abstract heap types, null included: those that have a name of their own."""
MAX_PAGES: dict[NumType, int] = {I32: 1 << 16, I64: 1 << 48}
"""Pages of a memory that addresses of a type can reach."""
VAL_TYPES: tuple[ValType, ...] = NUM_TYPES + REF_TYPES
VAL_TYPE_BY_NAME: dict[str, ValType] = {str(t): t for t in VAL_TYPES}


def val_type(given: ValType | str) -> ValType:
    """A value type, or the one that has this name in the text format. Raises ValueError."""
    if not isinstance(given, str):
        return given
    if given not in VAL_TYPE_BY_NAME:
        raise ValueError(f"there is no value type {given!r}; there are {', '.join(VAL_TYPE_BY_NAME)}")
    return VAL_TYPE_BY_NAME[given]


HEAP_TYPE_BY_NAME: dict[str, AbsHeapType] = {h.name: h for h in HEAP_TYPES}
HEAP_TYPE_BY_CODE: dict[int, AbsHeapType] = {h.code: h for h in HEAP_TYPES}
VAL_TYPE_BY_CODE: dict[int, ValType] = {
    **{t.code: t for t in NUM_TYPES},
    **{h.code: VAL_TYPE_BY_NAME[h.shorthand] for h in HEAP_TYPES},
}


@record
class FuncType:
    """Parameters and results of a function, in order."""

    params: tuple[ValType, ...] = ()
    results: tuple[ValType, ...] = ()

    def __str__(self) -> str:
        params = " ".join(map(str, self.params))
        results = " ".join(map(str, self.results))
        return f"[{params}] -> [{results}]"

    __repr__ = as_written

    @property
    def heap(self) -> AbsHeapType:
        """The abstract type of all that has such a type; so for structures and arrays."""
        return FUNC

    def replaced(self, by: Replace) -> FuncType:
        return FuncType(
            tuple([t.replaced(by) for t in self.params]), tuple([t.replaced(by) for t in self.results])
        )


@record
class FieldType:
    """What a field holds, and whether it may be set."""

    storage: StorageType
    mutable: bool = False

    def __str__(self) -> str:
        return f"(mut {self.storage})" if self.mutable else str(self.storage)

    __repr__ = as_written

    def replaced(self, by: Replace) -> FieldType:
        return FieldType(self.storage.replaced(by), self.mutable)


@record
class StructType:
    """Fields of a structure, in order."""

    fields: tuple[FieldType, ...] = ()

    def __str__(self) -> str:
        return f"(struct{''.join(f' (field {field})' for field in self.fields)})"

    __repr__ = as_written

    @property
    def heap(self) -> AbsHeapType:
        return STRUCT

    def replaced(self, by: Replace) -> StructType:
        return StructType(tuple([field.replaced(by) for field in self.fields]))


@record
class ArrayType:
    """What every element of an array is."""

    field: FieldType

    def __str__(self) -> str:
        return f"(array {self.field})"

    __repr__ = as_written

    @property
    def heap(self) -> AbsHeapType:
        return ARRAY

    def replaced(self, by: Replace) -> ArrayType:
        return ArrayType(self.field.replaced(by))


CompType = FuncType | StructType | ArrayType


@record
class SubType:
    """A definition: what it is composed of, which type it is a subtype of (none or one), and whether it may
    have subtypes itself."""

    composite: CompType
    supers: tuple[HeapType, ...] = ()
    final: bool = True

    def replaced(self, by: Replace) -> SubType:
        return SubType(self.composite.replaced(by), tuple(map(by, self.supers)), self.final)


@record
class RecType:
    """Definitions that may refer to each other, and count as the same only together."""

    subtypes: tuple[SubType, ...]

    @classmethod
    def of(cls, composite: CompType) -> RecType:
        """What a definition without `rec` and `sub` stands for."""
        return cls((SubType(composite),))

    def replaced(self, by: Replace) -> RecType:
        return RecType(tuple([subtype.replaced(by) for subtype in self.subtypes]))


class DefType:
    """A defined type, the same object wherever an equal recursive group is defined.

    https://webassembly.github.io/spec/core/valid/conventions.html#defined-types
    """

    def __init__(self, group: Group, index: int) -> None:
        self.group = group
        self.index = index

    def __str__(self) -> str:
        """What it is; types in it in short."""
        text = str(self.group.rectype.subtypes[self.index].composite.replaced(in_short))
        return text if len(text) <= LONGEST_TEXT else text[:LONGEST_TEXT] + "..."

    @cached_property
    def subtype(self) -> SubType:
        """The definition, unrolled: types of its own group are defined types too."""
        types = self.group.types
        return self.group.rectype.subtypes[self.index].replaced(
            lambda heap: types[heap.index] if isinstance(heap, RecIdx) else heap
        )

    @cached_property
    def composite(self) -> CompType:
        return self.subtype.composite

    @cached_property
    def supers(self) -> tuple[DefType, ...]:
        """All that it is a subtype of, nearest first. Only for definitions that were validated."""
        return tuple(
            each for one in self.subtype.supers if isinstance(one, DefType) for each in (one, *one.supers)
        )

    def __repr__(self) -> str:
        return named("type", str(self))


LONGEST_TEXT = 100
"""Characters of a definition in messages."""

HeapType = AbsHeapType | TypeIdx | RecIdx | DefType
Replace = Callable[[HeapType], HeapType]


def in_short(heap: HeapType) -> HeapType:
    return heap if isinstance(heap, AbsHeapType) else AbsHeapType("...", 0, "")


class Group:
    """The one object that stands for all equal recursive groups."""

    def __init__(self, rectype: RecType) -> None:
        self.rectype = rectype
        self.types = tuple(DefType(self, index) for index in range(len(rectype.subtypes)))


_GROUPS: WeakValueDictionary[RecType, Group] = WeakValueDictionary()
_GROUPS_LOCK = Lock()


def define(rectype: RecType) -> tuple[DefType, ...]:
    """The types that a group defines. In it `RecIdx` refers to its own types, `DefType` to others."""
    with _GROUPS_LOCK:
        group = _GROUPS.get(rectype)
        if group is None:
            group = _GROUPS[rectype] = Group(rectype)
        return group.types


def define_func(type_: FuncType) -> DefType:
    """The type of functions that no module defines."""
    return define(RecType.of(type_))[0]


@record
class SizeRange:
    """Smallest and largest size of a memory (pages) or table (elements); the spec's text calls it
    `limits`."""

    minimum: int
    maximum: int | None = None

    def __str__(self) -> str:
        return str(self.minimum) if self.maximum is None else f"{self.minimum} {self.maximum}"

    @classmethod
    def of(cls, minimum: int, maximum: int | None) -> SizeRange:
        """What a person asks for. Raises ValueError."""
        if minimum < 0 or (maximum is not None and maximum < minimum):
            raise ValueError(f"no range of sizes: from {minimum} to {maximum}")
        return cls(minimum, maximum)

    def accepts(self, size: int, maximum: int | None) -> bool:
        """Whether something of this size and maximum may be imported here.

        https://webassembly.github.io/spec/core/valid/matching.html#limits
        """
        if size < self.minimum:
            return False
        return self.maximum is None or (maximum is not None and maximum <= self.maximum)


@record
class MemType:
    """A linear memory's size range in pages, and the type of its addresses: i32 or i64. Instances of modules
    with a shared one are refused (`component.link`)."""

    size: SizeRange
    addrtype: NumType = I32
    shared: bool = False

    def __str__(self) -> str:
        return f"{address_word(self.addrtype)}{self.size}{' shared' * self.shared}"

    __repr__ = as_written


@record
class TableType:
    """A table's element type and size range, and the type of its indices: i32 or i64."""

    element: RefType
    size: SizeRange
    addrtype: NumType = I32

    def __str__(self) -> str:
        return f"{address_word(self.addrtype)}{self.size} {self.element}"

    __repr__ = as_written

    def replaced(self, by: Replace) -> TableType:
        return TableType(self.element.replaced(by), self.size, self.addrtype)


def narrower(a: NumType, b: NumType) -> NumType:
    """Of two address types the one with fewer bits: that of the length of a copy from one to the other."""
    return a if a.bits < b.bits else b


def address_word(addrtype: NumType) -> str:
    """How the text format begins the type of a memory or table: i32 is left out."""
    return "" if addrtype is I32 else f"{addrtype} "


@record
class GlobalType:
    """A global's value type and whether it may be set."""

    type: ValType
    mutable: bool = False

    def __str__(self) -> str:
        return f"(mut {self.type})" if self.mutable else str(self.type)

    __repr__ = as_written

    def replaced(self, by: Replace) -> GlobalType:
        return GlobalType(self.type.replaced(by), self.mutable)


class ExternKind(Enum):
    """Kinds of imports and exports; the value is the byte in the binary format."""

    FUNC = 0
    TABLE = 1
    MEMORY = 2
    GLOBAL = 3
    TAG = 4

    @property
    def keyword(self) -> str:
        """The word of the text format."""
        return self.name.lower()
