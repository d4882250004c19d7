"""Structures, arrays and i31 values (https://webassembly.github.io/spec/core/exec/runtime.html), and what
instructions do with them that is too long for one expression.

Packed fields hold their bits as unsigned integers. Identity is that of the Python object; i31 values are
equal by value. What is not here: functions (`runtime.py`), and which type matches which (`matching.py`).
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import Any, NoReturn

from ..errors import LimitError, Trap, TrapKind, WasmException
from .matching import BOTTOM, matches_heap, top_of
from .numerics import float32, float64
from .types import (
    ANY,
    ARRAY,
    EQ,
    EXN,
    EXTERN,
    F32,
    F64,
    FUNC,
    I31,
    NOEXN,
    NOEXTERN,
    NOFUNC,
    NONE,
    STRUCT,
    V128,
    AbsHeapType,
    ArrayType,
    DefType,
    FieldType,
    HeapType,
    PackedType,
    RefType,
    StorageType,
    StructType,
)


class Struct:
    """A structure: its type and its fields."""

    __slots__ = ("deftype", "fields")

    def __init__(self, deftype: DefType, fields: list[Any]) -> None:
        self.deftype = deftype
        self.fields = fields

    def __repr__(self) -> str:
        return f"<struct of {len(self.fields)} fields>"


class Array:
    """An array: its type and its elements."""

    __slots__ = ("deftype", "elements")

    def __init__(self, deftype: DefType, elements: list[Any]) -> None:
        self.deftype = deftype
        self.elements = elements

    def __repr__(self) -> str:
        return f"<array of {len(self.elements)} elements>"


class I31Value(int):
    """An integer of 31 bits as a reference. The integer itself is unsigned."""

    __slots__ = ()

    def __repr__(self) -> str:
        return f"<i31 {int(self)}>"


class Internalized:
    """A reference of the host's where the guest has it as `anyref`."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value

    def __repr__(self) -> str:
        return f"<host {self.value!r}>"


def internalize(reference: Any) -> Any:
    """any.convert_extern: what the guest itself made comes back as it was."""
    if reference is None or isinstance(reference, CLASSES[EQ]):
        return reference
    return Internalized(reference)


def externalize(reference: Any) -> Any:
    """extern.convert_any"""
    return reference.value if type(reference) is Internalized else reference


CLASSES: dict[AbsHeapType, tuple[type, ...]] = {
    ANY: (Struct, Array, I31Value, Internalized),
    EQ: (Struct, Array, I31Value),
    I31: (I31Value,),
    STRUCT: (Struct,),
    ARRAY: (Array,),
    FUNC: (object,),
    EXTERN: (object,),
    EXN: (WasmException,),
    NONE: (),
    NOFUNC: (),
    NOEXTERN: (),
    NOEXN: (),
    BOTTOM: (),
}
"""Python classes of what isn't null, by heap type. Validation keeps the hierarchies apart."""


def has_type(reference: Any, type_: RefType) -> bool:
    """ref.test: whether a reference is of a type."""
    if reference is None:
        return type_.nullable
    heap: HeapType = type_.heap
    if isinstance(heap, AbsHeapType):
        return isinstance(reference, CLASSES[heap])
    actual = getattr(reference, "deftype", None)
    return actual is not None and matches_heap(actual, heap)


def is_reference(value: Any, type_: RefType) -> bool:
    """Whether what a person gave is a reference of the type: only functions are told apart from all else by
    validation alone."""
    if top_of(type_.heap) is FUNC and not (value is None or hasattr(value, "callable")):
        return False
    return has_type(value, type_)


def cast_failure() -> NoReturn:
    raise Trap(TrapKind.CAST_FAILURE)


def fields_of(deftype: DefType) -> tuple[FieldType, ...]:
    """Fields of a type of structures."""
    assert isinstance(deftype.composite, StructType)
    return deftype.composite.fields


def element_of(deftype: DefType) -> FieldType:
    """What elements of a type of arrays are."""
    assert isinstance(deftype.composite, ArrayType)
    return deftype.composite.field


def packed(storage: StorageType, value: Any) -> Any:
    """A value as a field holds it."""
    return value & (1 << storage.bits) - 1 if isinstance(storage, PackedType) else value


def extended(storage: StorageType, value: int) -> int:
    """A packed field's value with its sign, as i32."""
    assert isinstance(storage, PackedType)
    half = 1 << storage.bits - 1
    return ((value ^ half) - half) & 0xFFFFFFFF


def elements(array: Array | None) -> list[Any]:
    """Elements of an array that may be null."""
    if array is None:
        raise Trap(TrapKind.NULL_ARRAY)
    return array.elements


def check(array: list[Any], index: int, count: int) -> None:
    if index + count > len(array):
        raise Trap(TrapKind.OUT_OF_BOUNDS_ARRAY, f"{count} elements at {index}, the array has {len(array)}")


def array_fill(array: Array | None, index: int, value: Any, count: int) -> None:
    """array.fill"""
    target = elements(array)
    check(target, index, count)
    target[index : index + count] = [value] * count


def array_copy(array: Array | None, index: int, source: Array | None, at: int, count: int) -> None:
    """array.copy"""
    target, origin = elements(array), elements(source)
    check(target, index, count)
    check(origin, at, count)
    target[index : index + count] = origin[at : at + count]


class Arrays:
    """What arrays are made of in one instance: its segments, up to its limit."""

    def __init__(self, datas: list[bytes], elems: list[Sequence[Any]], limit: int) -> None:
        self.datas = datas
        self.elems = elems
        self.limit = limit

    def new(self, deftype: DefType, element: Any, count: int) -> Array:
        """array.new. Raises LimitError beyond the limit."""
        self.admit(count)
        return Array(deftype, [element] * count)

    def new_data(self, deftype: DefType, dataidx: int, at: int, count: int) -> Array:
        """array.new_data"""
        return Array(deftype, self.read_data(deftype, dataidx, at, count))

    def new_elem(self, deftype: DefType, elemidx: int, at: int, count: int) -> Array:
        """array.new_elem"""
        return Array(deftype, self.read_elem(elemidx, at, count))

    def init_data(self, array: Array | None, dataidx: int, index: int, at: int, count: int) -> None:
        """array.init_data"""
        target = elements(array)
        check(target, index, count)
        assert array is not None
        target[index : index + count] = self.read_data(array.deftype, dataidx, at, count)

    def init_elem(self, array: Array | None, elemidx: int, index: int, at: int, count: int) -> None:
        """array.init_elem"""
        target = elements(array)
        check(target, index, count)
        target[index : index + count] = self.read_elem(elemidx, at, count)

    def admit(self, count: int) -> None:
        if count > self.limit:
            message = f"the guest wants an array of {count} elements, the limit is {self.limit}"
            raise LimitError("array", message)

    def read_data(self, deftype: DefType, dataidx: int, at: int, count: int) -> list[Any]:
        storage, data = element_of(deftype).storage, self.datas[dataidx]
        assert not isinstance(storage, RefType)
        stop = at + count * storage.bits // 8
        if stop > len(data):
            raise Trap(
                TrapKind.OUT_OF_BOUNDS_MEMORY,
                f"{stop - at} bytes at {at} of a segment that has {len(data)}",
            )
        self.admit(count)
        content = data[at:stop]
        if storage is V128:
            return [int.from_bytes(content[i : i + 16], "little") for i in range(0, len(content), 16)]
        values = [value for (value,) in struct.iter_unpack(FORMATS[storage.bits], content)]
        if storage is F32:
            return list(map(float32, values))
        return list(map(float64, values)) if storage is F64 else values

    def read_elem(self, elemidx: int, at: int, count: int) -> list[Any]:
        segment = self.elems[elemidx]
        if at + count > len(segment):
            raise Trap(
                TrapKind.OUT_OF_BOUNDS_TABLE,
                f"{count} elements at {at} of a segment that has {len(segment)}",
            )
        self.admit(count)
        return list(segment[at : at + count])


FORMATS = {8: "<B", 16: "<H", 32: "<I", 64: "<Q"}
