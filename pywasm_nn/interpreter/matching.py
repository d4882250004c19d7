"""Matching of types (https://webassembly.github.io/spec/core/valid/matching.html).

All types here are closed: a module's own types appear as `DefType`, never as an index.
"""

from __future__ import annotations

from .types import (
    ANY,
    ARRAY,
    EQ,
    EXN,
    EXTERN,
    FUNC,
    I31,
    NOEXN,
    NOEXTERN,
    NOFUNC,
    NONE,
    STRUCT,
    AbsHeapType,
    ArrayType,
    CompType,
    DefType,
    Exact,
    FieldType,
    FuncType,
    GlobalType,
    HeapType,
    NumType,
    RefType,
    StorageType,
    StructType,
    TableType,
    ValType,
)

BOTTOM = AbsHeapType("bottom", 0, "")
"""The bottom of every hierarchy: the heap type of an unknown operand in unreachable code."""

SUPERS: dict[AbsHeapType, tuple[AbsHeapType, ...]] = {
    ANY: (),
    EQ: (ANY,),
    I31: (EQ, ANY),
    STRUCT: (EQ, ANY),
    ARRAY: (EQ, ANY),
    NONE: (I31, STRUCT, ARRAY, EQ, ANY),
    FUNC: (),
    NOFUNC: (FUNC,),
    EXTERN: (),
    NOEXTERN: (EXTERN,),
    EXN: (),
    NOEXN: (EXN,),
    BOTTOM: (ANY, EQ, I31, STRUCT, ARRAY, NONE, FUNC, NOFUNC, EXTERN, NOEXTERN, EXN, NOEXN),
}
"""Abstract heap types and their supertypes, the top of the hierarchy last."""
BOTTOMS = {STRUCT: NONE, ARRAY: NONE, FUNC: NOFUNC}
"""The abstract type below all defined types of a kind."""


def matches_heap(actual: HeapType, expected: HeapType) -> bool:
    """https://webassembly.github.io/spec/core/valid/matching.html#heap-types"""
    if actual is expected or actual is BOTTOM:
        return True
    if isinstance(actual, DefType):
        if isinstance(expected, DefType):
            return expected in actual.supers
        kind = actual.composite.heap
        return kind == expected or expected in SUPERS[kind]
    if isinstance(actual, Exact):
        return actual == expected or matches_heap(actual.type, expected)
    if isinstance(expected, Exact):
        expected = expected.type
    if isinstance(expected, DefType):
        return actual == BOTTOMS[expected.composite.heap]
    return actual == expected or (isinstance(actual, AbsHeapType) and expected in SUPERS[actual])


def top_of(heap: HeapType) -> AbsHeapType:
    """The top type of the hierarchy. https://webassembly.github.io/spec/core/valid/matching.html"""
    if isinstance(heap, DefType):
        return top_of(heap.composite.heap)
    if isinstance(heap, Exact):
        return top_of(heap.type)
    assert isinstance(heap, AbsHeapType)  # closed
    return SUPERS[heap][-1] if SUPERS[heap] else heap


def matches_value(actual: ValType, expected: ValType) -> bool:
    """https://webassembly.github.io/spec/core/valid/matching.html#value-types"""
    if actual is expected:
        return True
    if isinstance(actual, NumType) or isinstance(expected, NumType):
        return actual == expected
    return (expected.nullable or not actual.nullable) and matches_heap(actual.heap, expected.heap)


def matches_values(actual: tuple[ValType, ...], expected: tuple[ValType, ...]) -> bool:
    """https://webassembly.github.io/spec/core/valid/matching.html#result-types"""
    return len(actual) == len(expected) and all(map(matches_value, actual, expected))


def matches_composite(actual: CompType, expected: CompType) -> bool:
    """https://webassembly.github.io/spec/core/valid/matching.html#composite-types"""
    if isinstance(actual, FuncType) and isinstance(expected, FuncType):
        return matches_values(expected.params, actual.params) and matches_values(
            actual.results, expected.results
        )
    if isinstance(actual, StructType) and isinstance(expected, StructType):
        enough = len(actual.fields) >= len(expected.fields)
        return enough and all(map(matches_field, actual.fields, expected.fields))
    if isinstance(actual, ArrayType) and isinstance(expected, ArrayType):
        return matches_field(actual.field, expected.field)
    return False


def matches_storage(actual: StorageType, expected: StorageType) -> bool:
    """https://webassembly.github.io/spec/core/valid/matching.html#field-types"""
    if isinstance(actual, RefType) and isinstance(expected, RefType):
        return matches_value(actual, expected)
    return actual == expected


def matches_field(actual: FieldType, expected: FieldType) -> bool:
    """https://webassembly.github.io/spec/core/valid/matching.html#field-types"""
    if actual is expected:
        return True
    if actual.mutable != expected.mutable or not matches_storage(actual.storage, expected.storage):
        return False
    return not actual.mutable or matches_storage(expected.storage, actual.storage)


def matches_global(actual: GlobalType, expected: GlobalType) -> bool:
    """https://webassembly.github.io/spec/core/valid/matching.html#globals"""
    if actual.mutable != expected.mutable:
        return False
    return actual.type == expected.type or (not actual.mutable and matches_value(actual.type, expected.type))


def matches_table(actual: TableType, size: int, expected: TableType) -> bool:
    """Whether a table with `size` elements at present may be imported.

    https://webassembly.github.io/spec/core/valid/matching.html#tables
    """
    same = (actual.element, actual.addrtype) == (expected.element, expected.addrtype)
    return same and expected.size.accepts(size, actual.size.maximum)
