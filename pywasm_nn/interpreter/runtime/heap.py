"""Structures, arrays and i31 values (https://webassembly.github.io/spec/core/exec/runtime.html), and what
instructions do with them that is too long for one expression.

Packed fields hold their bits as unsigned integers. Identity is that of the Python object; i31 values are
equal by value. What is not here: functions (`instance.py`), and which type matches which
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
        """That of the instances whose functions it can lead to; None if it leads to none."""
        raise NotImplementedError


class Made(Reaching):
    """What a guest made on its heap."""

    __slots__ = ()
    owner: Owner

    @property
    def store(self) -> Store:
        """That of the instance that made it, whose functions may be in it."""
        return self.owner.store


class Struct(Made):
    """A structure: its type and its fields."""

    __slots__ = ("deftype", "fields", "owner")

    def __init__(self, deftype: DefType, fields: list[Any], owner: Owner) -> None:
        self.deftype = deftype
        self.fields = fields
        self.owner = owner

    def __repr__(self) -> str:
        return f"<struct of {len(self.fields)} fields>"


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
    """A reference of the host's where the guest has it as `anyref`."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value

    def __repr__(self) -> str:
        return f"<host {brief(self.value)}>"


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


def repeated(element: Any, count: int, patience: Patience) -> list[Any]:
    """So many times the element."""
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
    # From the end where the ranges may overlap so, that no element is written before it was read.
    for piece in pieces(count, patience, backwards=at < index):
        target[index + piece.start : index + piece.stop] = origin[at + piece.start : at + piece.stop]


class Owner:
    """Held by everything of one cost that is alive: how often it is referred to says how many there are."""

    __slots__ = ("store",)

    def __init__(self, store: Store) -> None:
        self.store = store


def store_of(reference: Any) -> Store | None:
    """The store whose functions a reference can lead to; None if it is the host's."""
    if isinstance(reference, WasmException):
        return reference.owner.store if isinstance(reference.owner, Owner) else None
    return reference.store if isinstance(reference, Reaching) else None


OBJECT = 128
"""Bytes that count for a structure or an array without its elements."""
EXCEPTION = 512
"""The same for an exception."""
ELEMENT = 64
"""Bytes that count for a field or an element: a pointer, and the number or reference that it points at."""
BYTE = 8
"""The same of i8: what it points at is there once for all."""
STEPS = 5
"""Costs are rounded up to so many bits, so that there are few different ones."""


def cost(storages: Iterable[StorageType], count: int = 1, base: int = OBJECT) -> int:
    """Bytes that count for something that holds `count` values of each of these types."""
    exact = base
    for storage in storages:
        exact += count * (BYTE if isinstance(storage, PackedType) and storage.bits == 8 else ELEMENT)
    step = 1 << max(exact.bit_length() - STEPS, 0)
    return (exact + step - 1) // step * step


class Alive:
    """What the instances of a group have made: structures, arrays and exceptions, up to a limit on all that
    are alive.

    What is made has one of the group's owners, by its cost, so that looking at how often those are
    referred to is enough to know what is alive. That is done when as much was made as there was room for.
    """

    def __init__(self, limit: int, store: Store) -> None:
        self.limit = limit
        self._room = limit
        """Bytes that may be made until it is looked again."""
        self._store = store
        self._owners = {0: Owner(store)}
        """By cost. Nothing has that of 0."""

    def admit(self, cost: int) -> Owner:
        """The owner for something new. Raises HeapLimitError."""
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
            if room < self.limit >> 6:  # not again and again for the little that came free
                self._room = 0
                raise HeapLimitError("heap", f"structures and arrays take more than {self.limit} bytes")
        self._room = room

    def size(self) -> int:
        """Bytes that count for everything that is alive."""
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
        """What throw throws."""
        made = WasmException(tag, payload=payload)
        made.owner = self.admit(cost((I64,), len(payload), EXCEPTION))
        return made

    def new(self, deftype: DefType, element: Any, count: int, patience: Patience = unhurried) -> Array:
        """array.new. `patience` is that of the guest that waits, as in all that follows."""
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
        """The bytes of so many elements of a segment."""
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
    """These elements of an array of the type, whose bytes these are."""
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
