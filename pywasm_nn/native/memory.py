"""Linear memories of wasmtime, as this package's `Memory`.

Bytes are reached without a copy: wasmtime reserves the addresses once, so a memory never moves, and one view
of all that may become usable is enough. A guest grows its memory without telling anyone, so the size is asked
for again where an access is beyond the known one. What is not here: the limits on growth (`store.py`).
"""

from __future__ import annotations

from ctypes import addressof, byref, c_ubyte, c_uint64
from typing import TYPE_CHECKING, Any

from ..interpreter.pace import Patience
from ..interpreter.runtime.memory import EMPTY_VIEWS, FORMATS, STRUCTS, Flavour, Memory
from .binding import message_of

if TYPE_CHECKING:
    from .store import NativeStore

CLOSED = memoryview(bytearray())


class NativeMemory(Memory):
    """A memory in wasmtime. Made before wasmtime makes it, because its limits are checked first; `attach`
    connects the two."""

    foreign = "wasmtime"
    native_store: NativeStore | None = None
    native: Any = None
    _known = 0
    """Bytes that the guest can use at least: memories never shrink."""
    _named = 0
    """Bytes that the bound names reach."""
    _whole: memoryview = CLOSED

    def attach(self, store: NativeStore, native: Any, flavour: Flavour) -> None:
        """This memory is wasmtime's `native` from now on."""
        self.native_store, self.native, self.flavour = store, native, flavour
        self._whole = whole(store, native, max(store.machine.variant.reserved, self.size))

    @property
    def size(self) -> int:
        """The bytes that the guest can use now."""
        store = self.native_store
        if store is not None and store.owned is not None:
            self._known = store.api.memory_data_size(store.context, byref(self.native))
        return self._known

    @size.setter
    def size(self, size: int) -> None:
        self._known = size

    @property
    def buffer(self) -> memoryview:
        return self._whole[: self.size]

    def view(self, address: int, count: int) -> memoryview:
        seen = self._whole  # read before the size: closing sets the size to 0 first
        if isinstance(address, int) and 0 <= address <= address + count <= self._known:
            return seen[address : address + count]
        self.check(address, count)
        return seen[address : address + count]

    def resize(self, size: int, patience: Patience) -> bool:
        store = self.native_store
        assert store is not None  # as attached
        before = c_uint64()
        more = (size - self.size) // self.type.page
        error = store.api.memory_grow(store.context, byref(self.native), more, byref(before))
        if error:
            message_of(error)
            return False
        self.rebind(self.names())
        return True

    def names(self) -> dict[str, Any]:
        if self.flavour is Flavour.STRUCT or self.native_store is None:
            names: dict[str, Any] = {"mem": self.buffer}
            for access, form in STRUCTS.items():
                names[f"load_{access}"], names[f"store_{access}"] = form.unpack_from, form.pack_into
            return names
        from ..interpreter.runtime.views import views

        owner = (self.native_store.owned,)
        return views(address_of(self._whole), self.size, FORMATS, owner)

    def empty_names(self) -> dict[str, Any]:
        return EMPTY_VIEWS if self.flavour is Flavour.VIEW else {"mem": bytearray()}

    def bind(self, namespace: dict[str, Any], memidx: int) -> None:
        store = self.native_store
        if store is not None and self not in store.bound:
            store.bound.append(self)
        super().bind(namespace, memidx)
        self._named = self._known

    def bind_again(self) -> None:
        """Bind all names again if the guest has grown the memory."""
        if self.size != self._named:
            self._named = self._known
            self.rebind(self.names())

    def release(self) -> None:
        if self.native_store is not None and self in self.native_store.bound:
            self.native_store.bound.remove(self)
        self._whole = CLOSED
        self.native_store = None


def whole(store: NativeStore, native: Any, size: int) -> memoryview:
    """A view of the addresses that wasmtime has reserved for a memory; it keeps them reserved. Only the part
    that the guest can use may be touched."""
    address = store.api.memory_data(store.context, byref(native))
    bytes_: Any = (c_ubyte * size).from_address(address)
    bytes_.owner = store.owned
    return memoryview(bytes_).cast("B")


def address_of(view: memoryview) -> int:
    return addressof(c_ubyte.from_buffer(view))


def moved(memory: Memory, store: NativeStore, native: Any, flavour: Flavour) -> None:
    """A memory of the host, which a guest imports, moves into wasmtime: it stays the same object."""
    content = bytes(memory.buffer)
    memory.release()
    made: Any = memory
    made.__class__ = NativeMemory
    made.attach(store, native, flavour)
    made.view(0, len(content))[:] = content
