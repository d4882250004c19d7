"""Types of the specification (https://webassembly.github.io/spec/core/syntax/types.html) as frozen values.

Every type prints as it is written in the text format. Value types are few and shared, so that `is` is the
fast path of every comparison; equality stays structural.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


@dataclass(frozen=True, slots=True)
class NumType:
    """i32, i64, f32, f64 and the vector type v128: a value of a fixed number of bits."""

    name: str
    code: int
    bits: int

    def __str__(self) -> str:
        return self.name

    @property
    def default(self) -> int | float:
        return 0.0 if self.name.startswith("f") else 0


@dataclass(frozen=True, slots=True)
class HeapType:
    """What a reference may point to. `code` is the abstract type's byte in the binary format."""

    name: str
    code: int

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True)
class RefType:
    """A reference to something on the heap, null included where `nullable`."""

    heap: HeapType
    nullable: bool = True

    def __str__(self) -> str:
        if self.nullable:
            return f"{self.heap}ref"
        return f"(ref {self.heap})"

    @property
    def code(self) -> int:
        return self.heap.code

    @property
    def default(self) -> None:
        return None


ValType = NumType | RefType

I32 = NumType("i32", 0x7F, 32)
I64 = NumType("i64", 0x7E, 64)
F32 = NumType("f32", 0x7D, 32)
F64 = NumType("f64", 0x7C, 64)
V128 = NumType("v128", 0x7B, 128)
FUNC = HeapType("func", 0x70)
EXTERN = HeapType("extern", 0x6F)
FUNCREF = RefType(FUNC)
EXTERNREF = RefType(EXTERN)

NUM_TYPES: tuple[NumType, ...] = (I32, I64, F32, F64, V128)
MAX_PAGES: dict[NumType, int] = {I32: 1 << 16, I64: 1 << 48}
"""Pages of a memory that addresses of a type can reach."""
REF_TYPES: tuple[RefType, ...] = (FUNCREF, EXTERNREF)
VAL_TYPES: tuple[ValType, ...] = NUM_TYPES + REF_TYPES
VAL_TYPE_BY_NAME: dict[str, ValType] = {str(t): t for t in VAL_TYPES}
VAL_TYPE_BY_CODE: dict[int, ValType] = {t.code: t for t in VAL_TYPES}


@dataclass(frozen=True, slots=True)
class FuncType:
    """Parameters and results of a function, in order."""

    params: tuple[ValType, ...] = ()
    results: tuple[ValType, ...] = ()

    def __str__(self) -> str:
        params = " ".join(map(str, self.params))
        results = " ".join(map(str, self.results))
        return f"[{params}] -> [{results}]"


@dataclass(frozen=True, slots=True)
class SizeRange:
    """Smallest and largest size of a memory (pages) or table (elements); the spec's text calls it
    `limits`."""

    minimum: int
    maximum: int | None = None

    def __str__(self) -> str:
        return str(self.minimum) if self.maximum is None else f"{self.minimum} {self.maximum}"

    def accepts(self, size: int, maximum: int | None) -> bool:
        """Whether something of this size and maximum may be imported here.

        https://webassembly.github.io/spec/core/valid/matching.html#limits
        """
        if size < self.minimum:
            return False
        return self.maximum is None or (maximum is not None and maximum <= self.maximum)


@dataclass(frozen=True, slots=True)
class MemType:
    """A linear memory's size range in pages, and the type of its addresses: i32 or i64."""

    size: SizeRange
    addrtype: NumType = I32

    def __str__(self) -> str:
        return f"{address_word(self.addrtype)}{self.size}"


@dataclass(frozen=True, slots=True)
class TableType:
    """A table's element type and size range, and the type of its indices: i32 or i64."""

    element: RefType
    size: SizeRange
    addrtype: NumType = I32

    def __str__(self) -> str:
        return f"{address_word(self.addrtype)}{self.size} {self.element}"


def narrower(a: NumType, b: NumType) -> NumType:
    """Of two address types the one with fewer bits: that of the length of a copy from one to the other."""
    return a if a.bits < b.bits else b


def address_word(addrtype: NumType) -> str:
    """How the text format begins the type of a memory or table: i32 is left out."""
    return "" if addrtype is I32 else f"{addrtype} "


@dataclass(frozen=True, slots=True)
class GlobalType:
    """A global's value type and whether it may be set."""

    type: ValType
    mutable: bool = False

    def __str__(self) -> str:
        return f"(mut {self.type})" if self.mutable else str(self.type)


class ExternKind(Enum):
    """Kinds of imports and exports; the value is the byte in the binary format."""

    FUNC = 0
    TABLE = 1
    MEMORY = 2
    GLOBAL = 3

    @property
    def keyword(self) -> str:
        """The word of the text format."""
        return self.name.lower()
