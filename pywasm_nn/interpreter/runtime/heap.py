"""Structures, arrays and i31 values (https://webassembly.github.io/spec/core/exec/runtime.html), and their
instructions that are too long for one expression.

Packed fields hold their bits as unsigned integers. References are equal if they are the same Python object;
i31 values are equal by value. What is not here: functions (`instance.py`), and type matching
(`interpreter.matching`).
"""

from __future__ import annotations

import gc
import struct
from collections.abc import Iterable, Sequence
from sys import getrefcount
from typing import Any, NoReturn

from ...brief import brief
from ...errors import ExceptionTag, HeapLimitError, Trap, TrapKind, WasmException
from ..matching import BOTTOM, matches_heap, top_of
from ..numerics import float32, float64
from ..pace import PIECE, STRIDE, Patience, pieces, unhurried
from ..types import (
    ANY,
    ARRAY,
    EQ,
    EXN,
    EXTERN,
    F32,
    F64,
    FUNC,
    I31,
    I64,
    NOEXN,
    NOEXTERN,
    NOFUNC,
    NONE,
    STRUCT,
    V128,
    AbsHeapType,
    ArrayType,
    DefType,
    Exact,
    FieldType,
    HeapType,
    PackedType,
    RefType,
    StorageType,
    StructType,
)
from .store import Store


class Reaching:
    """A reference that can lead to functions."""

    __slots__ = ()

    @property
    def store(self) -> Store | None:
        """The store of the instances whose functions it can lead to; None if it leads to none."""
        raise NotImplementedError


class Made(Reaching):
    """An object that a guest made on its heap."""

    __slots__ = ()
    owner: Owner

    @property
    def store(self) -> Store:
        """The store of the instance that made the object, because it may contain that instance's
        functions."""
        return self.owner.store


class Struct(Made):
    """A structure: its type and its fields. If it has a descriptor, that is behind the last field, so that
    other structures have no room for one."""

    __slots__ = ("deftype", "fields", "owner")

    def __init__(self, deftype: DefType, fields: list[Any], owner: Owner) -> None:
        self.deftype = deftype
        self.fields = fields
        self.owner = owner

    def __repr__(self) -> str:
        return f"<struct of {len(fields_of(self.deftype))} fields>"


class Array(Made):
    """An array: its type and its elements."""

    __slots__ = ("deftype", "elements", "owner")

    def __init__(self, deftype: DefType, elements: list[Any], owner: Owner) -> None:
        self.deftype = deftype
        self.elements = elements
        self.owner = owner

    def __repr__(self) -> str:
        return f"<array of {len(self.elements)} elements>"


class I31Value(int):
    """An integer of 31 bits as a reference. The integer itself is unsigned."""

    __slots__ = ()

    def __repr__(self) -> str:
        return f"<i31 {int(self)}>"


class Internalized:
    """A reference of the host, in its form as `anyref` of a guest."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value

    def __repr__(self) -> str:
        return f"<host {brief(self.value)}>"


def internalize(reference: Any) -> Any:
    """any.convert_extern: an object of a guest is returned unchanged."""
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
"""Python classes of non-null references by heap type. Validation keeps the hierarchies apart."""


def has_type(reference: Any, type_: RefType) -> bool:
    """ref.test: whether a reference has a type."""
    if reference is None:
        return type_.nullable
    heap: HeapType = type_.heap
    if isinstance(heap, AbsHeapType):
        return isinstance(reference, CLASSES[heap])
    actual = getattr(reference, "deftype", None)
    if isinstance(heap, Exact):
        return actual is heap.type
    return actual is not None and matches_heap(actual, heap)


def is_reference(value: Any, type_: RefType) -> bool:
    """Whether a Python value is a reference of the type. `has_type` relies on validation to keep functions
    apart from other references, so they are checked here."""
    if top_of(type_.heap) is FUNC and not (value is None or hasattr(value, "callable")):
        return False
    return has_type(value, type_)


def cast_failure() -> NoReturn:
    raise Trap(TrapKind.CAST_FAILURE)


def descriptor_cast_failure() -> NoReturn:
    raise Trap(TrapKind.DESCRIPTOR_CAST_FAILURE)


def describing(descriptor: Struct | None) -> Struct:
    """A descriptor that isn't null."""
    if descriptor is None:
        raise Trap(TrapKind.NULL_DESCRIPTOR)
    return descriptor


def get_descriptor(reference: Struct | None) -> Struct:
    """ref.get_desc"""
    if reference is None:
        raise Trap(TrapKind.NULL_REFERENCE)
    descriptor: Struct = reference.fields[-1]
    return descriptor


def has_descriptor(reference: Any, descriptor: Struct | None, nullable: bool) -> bool:
    """Whether this object describes a reference; null may count as described by it."""
    wanted = describing(descriptor)
    if type(reference) is not Struct:
        return nullable and reference is None
    return reference.deftype.subtype.descriptor is not None and reference.fields[-1] is wanted


def fields_of(deftype: DefType) -> tuple[FieldType, ...]:
    """The fields of a structure type."""
    assert isinstance(deftype.composite, StructType)
    return deftype.composite.fields


def element_of(deftype: DefType) -> FieldType:
    """The element type of an array type."""
    assert isinstance(deftype.composite, ArrayType)
    return deftype.composite.field


def packed(storage: StorageType, value: Any) -> Any:
    """A value in the form that a field stores."""
    return value & (1 << storage.bits) - 1 if isinstance(storage, PackedType) else value


def extended(storage: StorageType, value: int) -> int:
    """A packed field's value, sign-extended to i32."""
    assert isinstance(storage, PackedType)
    half = 1 << storage.bits - 1
    return ((value ^ half) - half) & 0xFFFFFFFF


def elements(array: Array | None) -> list[Any]:
    """The elements of an array; traps if it is null."""
    if array is None:
        raise Trap(TrapKind.NULL_ARRAY)
    return array.elements


def check(array: list[Any], index: int, count: int) -> None:
    if index + count > len(array):
        raise Trap(TrapKind.OUT_OF_BOUNDS_ARRAY, f"{count} elements at {index}, the array has {len(array)}")


def repeated(element: Any, count: int, patience: Patience) -> list[Any]:
    """A list with `count` times the element."""
    if count <= PIECE:
        return [element] * count
    made: list[Any] = []
    for piece in pieces(count, patience):
        made += [element] * (piece.stop - piece.start)
    return made


def array_fill(
    array: Array | None, index: int, value: Any, count: int, patience: Patience = unhurried
) -> None:
    """array.fill"""
    target = elements(array)
    check(target, index, count)
    for piece in pieces(count, patience):
        target[index + piece.start : index + piece.stop] = [value] * (piece.stop - piece.start)


def array_copy(
    array: Array | None,
    index: int,
    source: Array | None,
    at: int,
    count: int,
    patience: Patience = unhurried,
) -> None:
    """array.copy"""
    target, origin = elements(array), elements(source)
    check(target, index, count)
    check(origin, at, count)
    # Copy backwards if the ranges overlap that way, so that every element is read before it is overwritten.
    for piece in pieces(count, patience, backwards=at < index):
        target[index + piece.start : index + piece.stop] = origin[at + piece.start : at + piece.stop]


class Owner:
    """Every living object of one cost refers to the same owner, so the owner's reference count is the number
    of these objects."""

    __slots__ = ("store",)

    def __init__(self, store: Store) -> None:
        self.store = store


def store_of(reference: Any) -> Store | None:
    """The store whose functions a reference can lead to; None for a reference of the host."""
    if isinstance(reference, WasmException):
        return reference.owner.store if isinstance(reference.owner, Owner) else None
    return reference.store if isinstance(reference, Reaching) else None


OBJECT = 128
"""The cost in bytes of a structure or an array without its elements."""
EXCEPTION = 512
"""The cost in bytes of an exception."""
ELEMENT = 64
"""The cost in bytes of a field or an element: a pointer, and the number or reference that it points at."""
BYTE = 8
"""The cost of an i8 element: only a pointer, because Python keeps all small integers."""
STEPS = 5
"""Costs are rounded up to so many significant bits, so that there are few different costs."""


def cost(storages: Iterable[StorageType], count: int = 1, base: int = OBJECT) -> int:
    """The cost in bytes of an object that holds `count` values of each of these types."""
    exact = base
    for storage in storages:
        exact += count * (BYTE if isinstance(storage, PackedType) and storage.bits == 8 else ELEMENT)
    step = 1 << max(exact.bit_length() - STEPS, 0)
    return (exact + step - 1) // step * step


def described_cost(deftype: DefType) -> int:
    """The cost in bytes of a structure of this type with its descriptor."""
    return cost([field.storage for field in fields_of(deftype)], base=OBJECT + ELEMENT)


class Alive:
    """The living structures, arrays and exceptions of a group's instances, up to a limit on their total cost.

    Every object refers to the group's owner for its cost, so the owners' reference counts give the total cost
    of living objects. The total is computed when as much was made as there was room for.
    """

    def __init__(self, limit: int, store: Store) -> None:
        self.limit = limit
        self._room = limit
        """The cost that may be added until the total is computed again."""
        self._store = store
        self._owners = {0: Owner(store)}
        """Owners by cost. No object has the cost 0."""

    def admit(self, cost: int) -> Owner:
        """The owner for a new object. Raises HeapLimitError."""
        self._room -= cost
        if self._room < 0:
            self._look(cost)
        owner = self._owners.get(cost)
        if owner is None:
            owner = self._owners[cost] = Owner(self._store)
        return owner

    def _look(self, cost: int) -> None:
        room = self.limit - self.size() - cost
        if room < 0:
            gc.collect()
            room = self.limit - self.size() - cost
            if room < self.limit >> 6:  # avoid collecting again and again for little gain
                self._room = 0
                raise HeapLimitError("heap", f"structures and arrays take more than {self.limit} bytes")
        self._room = room

    def size(self) -> int:
        """The total cost of all living objects."""
        counts = [(cost, getrefcount(owner)) for cost, owner in self._owners.items()]
        nothing = counts[0][1]
        return sum(cost * (count - nothing) for cost, count in counts)


class Heap:
    """Makes structures, arrays and exceptions for one instance."""

    def __init__(self, datas: list[bytes], elems: list[Sequence[Any]], alive: Alive) -> None:
        self.datas = datas
        self.elems = elems
        self.admit = alive.admit

    def struct(self, deftype: DefType, fields: list[Any], cost: int) -> Struct:
        """struct.new"""
        return Struct(deftype, fields, self.admit(cost))

    def fixed(self, deftype: DefType, elements: list[Any], cost: int) -> Array:
        """array.new_fixed"""
        return Array(deftype, elements, self.admit(cost))

    def exception(self, tag: ExceptionTag, payload: tuple[Any, ...]) -> WasmException:
        """The exception that `throw` throws."""
        made = WasmException(tag, payload=payload)
        made.owner = self.admit(cost((I64,), len(payload), EXCEPTION))
        return made

    def new(self, deftype: DefType, element: Any, count: int, patience: Patience = unhurried) -> Array:
        """array.new. `patience` is the time of the waiting guest, here and in all methods below."""
        owner = self.admit(cost((element_of(deftype).storage,), count))
        return Array(deftype, repeated(element, count, patience), owner)

    def new_data(
        self, deftype: DefType, dataidx: int, at: int, count: int, patience: Patience = unhurried
    ) -> Array:
        """array.new_data"""
        content = self._data(deftype, dataidx, at, count)
        owner = self.admit(cost((element_of(deftype).storage,), count))
        made: list[Any] = []
        for piece in pieces(count, patience, STRIDE):
            made += numbers(deftype, content, piece)
        return Array(deftype, made, owner)

    def new_elem(
        self, deftype: DefType, elemidx: int, at: int, count: int, patience: Patience = unhurried
    ) -> Array:
        """array.new_elem"""
        content = self._elem(elemidx, at, count)
        return Array(deftype, content, self.admit(cost((element_of(deftype).storage,), count)))

    def init_data(
        self,
        array: Array | None,
        dataidx: int,
        index: int,
        at: int,
        count: int,
        patience: Patience = unhurried,
    ) -> None:
        """array.init_data"""
        target = elements(array)
        check(target, index, count)
        assert array is not None
        content = self._data(array.deftype, dataidx, at, count)
        for piece in pieces(count, patience, STRIDE):
            target[index + piece.start : index + piece.stop] = numbers(array.deftype, content, piece)

    def init_elem(
        self,
        array: Array | None,
        elemidx: int,
        index: int,
        at: int,
        count: int,
        patience: Patience = unhurried,
    ) -> None:
        """array.init_elem"""
        target = elements(array)
        check(target, index, count)
        target[index : index + count] = self._elem(elemidx, at, count)

    def _data(self, deftype: DefType, dataidx: int, at: int, count: int) -> memoryview:
        """The bytes of a segment for `count` elements."""
        storage, data = element_of(deftype).storage, self.datas[dataidx]
        assert not isinstance(storage, RefType)
        stop = at + count * storage.bits // 8
        if stop > len(data):
            raise Trap(
                TrapKind.OUT_OF_BOUNDS_MEMORY,
                f"{stop - at} bytes at {at} of a segment that has {len(data)}",
            )
        return memoryview(data)[at:stop]

    def _elem(self, elemidx: int, at: int, count: int) -> list[Any]:
        segment = self.elems[elemidx]
        if at + count > len(segment):
            raise Trap(
                TrapKind.OUT_OF_BOUNDS_TABLE,
                f"{count} elements at {at} of a segment that has {len(segment)}",
            )
        return list(segment[at : at + count])


def numbers(deftype: DefType, content: memoryview, piece: slice) -> list[Any]:
    """The elements `piece` of an array of this type, decoded from the bytes `content`."""
    storage = element_of(deftype).storage
    assert not isinstance(storage, RefType)
    width = storage.bits // 8
    part = content[piece.start * width : piece.stop * width]
    if storage is V128:
        return [int.from_bytes(part[i : i + 16], "little") for i in range(0, len(part), 16)]
    values = [value for (value,) in struct.iter_unpack(FORMATS[storage.bits], part)]
    if storage is F32:
        return list(map(float32, values))
    return list(map(float64, values)) if storage is F64 else values


FORMATS = {8: "<B", 16: "<H", 32: "<I", 64: "<Q"}
