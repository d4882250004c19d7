"""Types of the specification (https://webassembly.github.io/spec/core/syntax/types.html) as frozen values.

Every type prints in the text format. In a module's text a defined type is given by its index; in use it is a
`DefType`. There is one such object per type in the whole process, so types of different modules are compared
with `is`.
What is not here: matching types (`matching.py`), and finding the object of a type (`defining.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any, Generic, Protocol, TypeVar, cast

from ..brief import named
from ..enumerations import Enum
from ..limits import PAGE
from ..records import Frozen

Of = TypeVar("Of")
Made = TypeVar("Made")
FEW = 8
"""So many calls are as fast as asking which of them are needed."""


def each(items: Sequence[Of], make: Callable[[Of], Made]) -> tuple[Made, ...]:
    """`make` of each item. In long lists equal items are often one object: `make` is called once for it."""
    if len(items) <= FEW:
        return tuple([make(item) for item in items])
    made = {at: make(item) for at, item in {id(item): item for item in items}.items()}
    return tuple([made[id(item)] for item in items])


class MadeOnce(Generic[Made]):
    """A property that is made on first use. `functools.cached_property` is this and a lock, which in CPython
    3.11 takes longer than making a type does; two threads at once make equal values here."""

    def __init__(self, make: Callable[[Any], Made]) -> None:
        self._make = make
        self._name = make.__name__
        self.__doc__ = make.__doc__

    def __get__(self, instance: Any, owner: type) -> Made:
        made = self._make(instance)
        setattr(instance, self._name, made)
        return made


def as_written(self: object) -> str:
    """The `__repr__` of types: "<FuncType [i32] -> []>"."""
    return named(type(self).__name__, str(self))


class NumType(Frozen):
    """i32, i64, f32, f64 and the vector type v128: a value of a fixed number of bits."""

    name: str
    code: int
    bits: int

    def __str__(self) -> str:
        return self.name

    __repr__ = as_written

    def __hash__(self) -> int:
        """A fast hash: a module may have 100,000 types that contain these."""
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

    def key(self, known: Known) -> Key:
        return self.code


class PackedType(Frozen):
    """i8 and i16: storage types of fields besides value types. On the operand stack they are i32."""

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

    def key(self, known: Known) -> Key:
        return self.code


class AbsHeapType(Frozen):
    """An abstract heap type. `code` is its byte in the binary format, `shorthand` the word for a nullable
    reference to it."""

    name: str
    code: int
    shorthand: str

    def __str__(self) -> str:
        return self.name

    __repr__ = as_written

    def key(self, known: Known) -> Key:
        return self.code


class TypeIdx(Frozen):
    """A defined type by index, as written in a module."""

    index: int

    def __str__(self) -> str:
        return str(self.index)

    def key(self, known: Known) -> Key:
        return known[self.index]


class Exact(Frozen):
    """A defined type without its subtypes, of the proposal custom-descriptors."""

    type: HeapType

    def __str__(self) -> str:
        return f"(exact {self.type})"

    def replaced(self, by: Replace) -> Exact:
        return Exact(by(self.type))

    def key(self, known: Known) -> Key:
        return "exact", self.type.key(known)


class RefType(Frozen):
    """A reference type; null is included if `nullable`."""

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
        """Whether the type has a default value, for locals and elements that are not set."""
        return self.nullable

    @property
    def unpacked(self) -> RefType:
        return self

    def replaced(self, by: Replace) -> RefType:
        """The type with its heap type replaced by `by`; the types below do the same with their parts."""
        heap = by(self.heap)
        return self if heap is self.heap else RefType(heap, self.nullable)

    def key(self, known: Known) -> Key:
        """A value that is equal for equal types, and cheap to hash; the types below do the same."""
        heap = self.heap.key(known)
        return heap if self.nullable else (heap,)


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
"""Nullable references to abstract heap types, which have shorthand names."""
VAL_TYPES: tuple[ValType, ...] = NUM_TYPES + REF_TYPES
VAL_TYPE_BY_NAME: dict[str, ValType] = {str(t): t for t in VAL_TYPES}


def val_type(given: ValType | str) -> ValType:
    """A value type, or the type with this name in the text format. Raises ValueError."""
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


class FuncType(Frozen):
    """A function type: parameters and results, in order."""

    params: tuple[ValType, ...] = ()
    results: tuple[ValType, ...] = ()

    def __str__(self) -> str:
        params = " ".join(map(str, self.params))
        results = " ".join(map(str, self.results))
        return f"[{params}] -> [{results}]"

    __repr__ = as_written

    @property
    def heap(self) -> AbsHeapType:
        """The abstract heap type of all functions; the composite types below do the same."""
        return FUNC

    def replaced(self, by: Replace) -> FuncType:
        return FuncType(
            each(self.params, lambda t: t.replaced(by)), each(self.results, lambda t: t.replaced(by))
        )

    def key(self, known: Known) -> Key:
        if len(self.params) + len(self.results) > FEW:
            return FUNC.code, *[each(types, lambda t: t.key(known)) for types in (self.params, self.results)]
        params, results = [t.key(known) for t in self.params], [t.key(known) for t in self.results]
        return FUNC.code, tuple(params), tuple(results)


class FieldType(Frozen):
    """A field: its storage type, and whether it is mutable."""

    storage: StorageType
    mutable: bool = False

    def __str__(self) -> str:
        return f"(mut {self.storage})" if self.mutable else str(self.storage)

    __repr__ = as_written

    def replaced(self, by: Replace) -> FieldType:
        storage = self.storage.replaced(by)
        return self if storage is self.storage else FieldType(storage, self.mutable)

    def key(self, known: Known) -> Key:
        return self.storage.key(known), self.mutable


class StructType(Frozen):
    """A structure type: its fields, in order."""

    fields: tuple[FieldType, ...] = ()

    def __str__(self) -> str:
        return f"(struct{''.join(f' (field {field})' for field in self.fields)})"

    __repr__ = as_written

    @property
    def heap(self) -> AbsHeapType:
        return STRUCT

    def replaced(self, by: Replace) -> StructType:
        return StructType(each(self.fields, lambda field: field.replaced(by)))

    def key(self, known: Known) -> Key:
        return STRUCT.code, *each(self.fields, lambda field: field.key(known))


class ArrayType(Frozen):
    """An array type: the field type of its elements."""

    field: FieldType

    def __str__(self) -> str:
        return f"(array {self.field})"

    __repr__ = as_written

    @property
    def heap(self) -> AbsHeapType:
        return ARRAY

    def replaced(self, by: Replace) -> ArrayType:
        return ArrayType(self.field.replaced(by))

    def key(self, known: Known) -> Key:
        return ARRAY.code, self.field.key(known)


CompType = FuncType | StructType | ArrayType


class SubType(Frozen):
    """A type definition: the composite type, its supertype (at most one), and whether it is final."""

    composite: CompType
    supers: tuple[HeapType, ...] = ()
    final: bool = True
    describes = descriptor = cast("HeapType | None", None)
    """The type whose values the structures of this type describe, and the type of what describes them; a
    `DescribedType` has one at least."""

    def replaced(self, by: Replace) -> SubType:
        return SubType(self.composite.replaced(by), tuple(map(by, self.supers)), self.final)

    def key(self, known: Known) -> Key:
        return self.composite.key(known), self.final, *[heap.key(known) for heap in self.supers]


class RecType(Frozen):
    """A recursive group: its definitions may refer to each other, and groups are equal only as a whole."""

    subtypes: tuple[SubType, ...]

    @classmethod
    def of(cls, composite: CompType) -> RecType:
        """The group that a definition without `rec` and `sub` abbreviates."""
        return cls((SubType(composite),))

    def key(self, known: Known) -> Key:
        return tuple([subtype.key(known) for subtype in self.subtypes])


class Definitions(Protocol):
    """A recursive group as written, whose types are defined (`defining.Group`)."""

    rectype: RecType

    def close(self, heap: HeapType) -> HeapType:
        """A heap type of the group as written, closed."""


class DefType:
    """A defined type; equal recursive groups share the same objects.

    https://webassembly.github.io/spec/core/valid/conventions.html#defined-types
    """

    def __init__(self, group: Definitions, index: int) -> None:
        self.group = group
        self.index = index

    def __str__(self) -> str:
        """The composite type; defined types inside are abbreviated."""
        text = str(self.group.rectype.subtypes[self.index].composite.replaced(in_short))
        return text if len(text) <= LONGEST_TEXT else text[:LONGEST_TEXT] + "..."

    @MadeOnce
    def subtype(self) -> SubType:
        """The unrolled definition: types of its own group are `DefType`s, too."""
        return self.group.rectype.subtypes[self.index].replaced(self.group.close)

    @MadeOnce
    def composite(self) -> CompType:
        return self.subtype.composite

    @MadeOnce
    def supers(self) -> tuple[DefType, ...]:
        """All supertypes, nearest first. Only for validated definitions."""
        found = [one for one in self.subtype.supers if isinstance(one, DefType)]  # one at most
        return (found[0], *found[0].supers) if found else ()

    def __repr__(self) -> str:
        return named("type", str(self))

    def key(self, known: Known) -> Key:
        return self


LONGEST_TEXT = 100
"""The longest definition in messages."""

HeapType = AbsHeapType | TypeIdx | DefType | Exact
Replace = Callable[[HeapType], HeapType]
Key = Hashable
Known = Mapping[int, DefType | int]
"""The meaning of the indices in a recursive group: a type that was defined before, or for the group's own
types their place in the group, as a negative number (-1 is the first)."""


def in_short(heap: HeapType) -> HeapType:
    return heap if isinstance(heap, AbsHeapType) else AbsHeapType("...", 0, "")


class SizeRange(Frozen):
    """The minimum and maximum size of a memory (pages) or table (elements); the specification calls it
    `limits`."""

    minimum: int
    maximum: int | None = None

    def __str__(self) -> str:
        return str(self.minimum) if self.maximum is None else f"{self.minimum} {self.maximum}"

    @classmethod
    def of(cls, minimum: int, maximum: int | None) -> SizeRange:
        """A range from a user's arguments. Raises ValueError."""
        if minimum < 0 or (maximum is not None and maximum < minimum):
            raise ValueError(f"no range of sizes: from {minimum} to {maximum}")
        return cls(minimum, maximum)

    def accepts(self, size: int, maximum: int | None) -> bool:
        """Whether an object of this size and maximum may be imported here.

        https://webassembly.github.io/spec/core/valid/matching.html#limits
        """
        if size < self.minimum:
            return False
        return self.maximum is None or (maximum is not None and maximum <= self.maximum)


class MemType(Frozen):
    """A memory's size range in pages, its address type (i32 or i64), whether several threads may use it, and
    the bytes of a page."""

    size: SizeRange
    addrtype: NumType = I32
    shared: bool = False
    page: int = PAGE

    def __str__(self) -> str:
        page = "" if self.page == PAGE else f" (pagesize {self.page})"
        return f"{address_word(self.addrtype)}{self.size}{' shared' * self.shared}{page}"

    @property
    def most_pages(self) -> int:
        """The maximum of pages: the address type can reach them, and they can be counted in it."""
        reach = 1 << self.addrtype.bits
        return min(reach // self.page, reach - 1)

    __repr__ = as_written


class TableType(Frozen):
    """A table's element type and size range, and its address type: i32 or i64."""

    element: RefType
    size: SizeRange
    addrtype: NumType = I32

    def __str__(self) -> str:
        return f"{address_word(self.addrtype)}{self.size} {self.element}"

    __repr__ = as_written

    def replaced(self, by: Replace) -> TableType:
        element = self.element.replaced(by)
        return self if element is self.element else TableType(element, self.size, self.addrtype)


def narrower(a: NumType, b: NumType) -> NumType:
    """The narrower of two address types, which is the type of the length of a copy between them."""
    return a if a.bits < b.bits else b


def address_word(addrtype: NumType) -> str:
    """The address type at the beginning of a memory or table type in the text format; i32 is left out."""
    return "" if addrtype is I32 else f"{addrtype} "


class GlobalType(Frozen):
    """A global's value type, and whether it is mutable."""

    type: ValType
    mutable: bool = False

    def __str__(self) -> str:
        return f"(mut {self.type})" if self.mutable else str(self.type)

    __repr__ = as_written

    def replaced(self, by: Replace) -> GlobalType:
        type_ = self.type.replaced(by)
        return self if type_ is self.type else GlobalType(type_, self.mutable)


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
