"""Globals and tables of wasmtime, as this package's `Global` and `Table`.

What is here: reading and writing them, and moving those of the host into wasmtime. What is not: memories
(`memory.py`), and functions (`store.py`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from ctypes import addressof, byref, c_uint64
from typing import TYPE_CHECKING, Any

from ..errors import Trap, TrapKind
from ..interpreter.numerics import bits32, bits64, float32, float64
from ..interpreter.runtime.externs import Global
from ..interpreter.runtime.table import Table
from ..interpreter.types import EXTERNREF, F32, F64, FUNCREF, I32, I64, V128, GlobalType, ValType
from .binding import message_of

if TYPE_CHECKING:
    from .store import NativeStore

KINDS: dict[ValType, int] = {I32: 0, I64: 1, F32: 2, F64: 3, V128: 4, FUNCREF: 5, EXTERNREF: 6}
"""wasmtime's numbers for kinds of values."""
SLOT: Any = Global.__dict__["raw"]
"""Holds the value of other globals, and the place of those in wasmtime."""


def loaded(store: NativeStore, type_: ValType, value: Any) -> Any:
    """The canonical value in wasmtime's structure, whose reference is released."""
    words = words_of(store, value)
    match KINDS[type_]:
        case 0:
            return words[0] & 0xFFFFFFFF
        case 1:
            return words[0]
        case 2:
            return float32(words[0] & 0xFFFFFFFF)
        case 3:
            return float64(words[0])
        case 4:
            return words[0] | words[1] << 64
        case 5:
            found = value.of.funcref
            if not found.store_id:
                return None
            return store.func_in(store.api.func_to_raw(store.context, byref(found)))
    if not value.of.externref.store_id:
        return None
    object_ = store.object_at(value.of.externref)
    store.api.val_unroot(byref(value))
    return object_


def put(store: NativeStore, type_: ValType, given: Any) -> Any:
    """wasmtime's structure for a canonical value."""
    value = store.api.layouts.wasmtime_val_t()
    value.kind = kind = KINDS[type_]
    words = words_of(store, value)
    match kind:
        case 2:
            words[0] = bits32(given)
        case 3:
            words[0] = bits64(given)
        case 4:
            words[0], words[1] = given & (1 << 64) - 1, given >> 64
        case 5 if given is not None:
            value.of.funcref = store.imported(given)
        case 6 if given is not None:
            store.root(given, value.of.externref)
        case 0 | 1:
            words[0] = given
    return value


def words_of(store: NativeStore, value: Any) -> Any:
    """The bits of a number in wasmtime's structure, as two words."""
    return (c_uint64 * 2).from_address(addressof(value) + store.api.layouts.wasmtime_val_t.of.offset)


class NativeGlobal(Global):
    """A global in wasmtime."""

    __slots__ = ()

    @classmethod
    def at(cls, type_: GlobalType, store: NativeStore, native: Any) -> NativeGlobal:
        """The global at a place in wasmtime."""
        made = cls.__new__(cls)
        made.type = type_
        made._store = (
            next(iter(store.instances.values()))[0].store if type_.type in (FUNCREF, EXTERNREF) else None
        )
        SLOT.__set__(made, (store, native))
        return made

    @property
    def native(self) -> tuple[NativeStore, Any]:
        """The place: the store and wasmtime's structure."""
        place: tuple[NativeStore, Any] = SLOT.__get__(self)
        return place

    @property
    def raw(self) -> Any:
        store, native = self.native
        value = store.api.layouts.wasmtime_val_t()
        store.api.global_get(store.context, byref(native), byref(value))
        return loaded(store, self.type.type, value)

    @raw.setter
    def raw(self, raw: Any) -> None:
        store, native = self.native
        value = put(store, self.type.type, raw)
        error = store.api.global_set(store.context, byref(native), byref(value))
        assert not error, message_of(error)  # the type is checked


def moved_global(global_: Global, store: NativeStore, native: Any) -> None:
    """A mutable global of the host, which a guest imports, moves into wasmtime: it stays the same object."""
    global_.__class__ = NativeGlobal
    SLOT.__set__(global_, (store, native))


class Elements:
    """The elements of a table in wasmtime, with the methods of a list that `Table` uses."""

    def __init__(self, store: NativeStore, native: Any, type_: ValType) -> None:
        self.store = store
        self.native = native
        self._type = type_

    def __len__(self) -> int:
        found: int = self.store.api.table_size(self.store.context, byref(self.native))
        return found

    def __iter__(self) -> Iterator[Any]:
        return map(self._get, range(len(self)))

    def __getitem__(self, which: int | slice) -> Any:
        if isinstance(which, slice):
            return [self._get(index) for index in range(*which.indices(len(self)))]
        return self._get(which)

    def _get(self, index: int) -> Any:
        store = self.store
        value = store.api.layouts.wasmtime_val_t()
        if not store.api.table_get(store.context, byref(self.native), index, byref(value)):
            raise Trap(TrapKind.OUT_OF_BOUNDS_TABLE)
        return loaded(store, self._type, value)

    def __setitem__(self, which: slice, elements: Iterable[Any]) -> None:
        """Set the elements from `which.start` on; the range may extend the table."""
        store, size, before = self.store, len(self), c_uint64()
        for index, element in enumerate(elements, which.start):
            value = put(store, self._type, element)
            place = store.context, byref(self.native)
            if index < size:
                error = store.api.table_set(*place, index, byref(value))
            else:
                error = store.api.table_grow(*place, 1, byref(value), byref(before))
            if error:
                raise Trap(TrapKind.OUT_OF_BOUNDS_TABLE, message_of(error))


class NativeTable(Table):
    """A table in wasmtime. Made before wasmtime makes it, because its limits are checked first."""

    foreign = "wasmtime"

    def attach(self, elements: Elements) -> None:
        """This table has these elements from now on."""
        self.elements = elements  # type: ignore[assignment] # as much of a list as a table needs


def moved_table(table: Table, elements: Elements) -> None:
    """A table of the host, which a guest imports, moves into wasmtime: it stays the same object."""
    content = list(table.elements)
    table.__class__ = NativeTable
    table.elements = elements  # type: ignore[assignment] # as above
    elements[0 : len(content)] = content
