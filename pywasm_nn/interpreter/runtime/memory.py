"""Linear memory: one contiguous writable buffer, in two flavours.

View flavour (CPython with ctypes and mmap): an anonymous private mapping that is reserved once and never
moves, accessed through stride-1 memoryviews, so that `u32[a]` is an unaligned, bounds-checked load of four
bytes. Every view keeps the mapping alive, and the last view frees it. So closing removes the views from all
namespaces, and a thread that is reading one can finish. Struct flavour (anywhere): a bytearray and `struct`;
growing copies.

What is not here: which instances use a memory (`instance.py`) and the text of accesses in generated code
(`compile`).
"""

from __future__ import annotations

import gc
import os
import struct
import sys
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from struct import Struct
from threading import Lock
from typing import Any

from ...arrays import Array
from ...brief import binary_size, counted, named, sized
from ...checks import check_choice, check_whole, refuse, shown
from ...enumerations import Enum
from ...errors import MemoryLimitError, Trap, TrapKind
from ...limits import DEFAULTS, PAGE
from ..namespace import Namespace
from ..numerics import bits32, float32
from ..pace import PARALLEL, PIECE, Patience, pieces, unhurried
from ..types import I32, MemType, SizeRange
from .atomics import AtomicAccesses, Waiting
from .quota import Quota
from .slices import NOTHING, Slices

FORMATS: dict[str, str] = {
    "u8": "B", "s8": "b", "u16": "H", "s16": "h", "u32": "I", "s32": "i", "u64": "Q", "f32": "f", "f64": "d",
}  # fmt: skip
"""Accesses to memory, as the instruction table names them, and their format characters. v128 has none."""
NATIVE = "BbHhIiQ" if sys.byteorder == "little" else ""
"""Formats that the processor moves at once, and standard sizes byte by byte, so that other threads might see
half a value."""
STRUCTS: dict[str, Struct] = {
    access: Struct(("@" if char in NATIVE else "<") + char) for access, char in FORMATS.items()
}


def struct_of(access: str) -> Struct:
    """The struct for an access. Raises TypeError, ValueError for an unknown access."""
    if access not in STRUCTS:
        check_choice("access", access, STRUCTS)
    return STRUCTS[access]


def no_range(address: object, count: object) -> TypeError:
    """The exception for two values of which one is no int."""
    name, value = ("count", count) if isinstance(address, int) else ("address", address)
    return refuse(name, "an int", value)


REACH = (1 << 32) - PAGE
"""Usable bytes of a 32-bit memory: all but the last page, so that the address after an access fits into 32
bits too."""
EMPTY: Any = memoryview(NOTHING)
EMPTY_VIEWS: dict[str, Any] = {access: EMPTY.cast(char) for access, char in FORMATS.items()}
"""Views for names whose memory is closed: writable, so that a store is also out of bounds."""
GARBAGE = 32
"""With so many unclosed memories, making another one runs the garbage collector, because Python's own trigger
counts objects and not bytes. After that, twice the number of remaining memories is needed, so that a service
with many instances doesn't pay each time."""


def portable_wanted() -> bool:
    """Whether the user asks for the portable flavour instead of the fastest."""
    return os.environ.get("PYWASM_NN_PORTABLE", "0") not in ("", "0")


class Flavour(Enum):
    """The implementation of memory, which also determines the generated code."""

    VIEW = "view"
    STRUCT = "struct"

    @classmethod
    def default(cls) -> Flavour:
        """The fastest flavour that this Python supports; PYWASM_NN_PORTABLE=1 selects the portable one."""
        return cls.STRUCT if portable_wanted() else cls.fastest()

    @classmethod
    @cache
    def fastest(cls) -> Flavour:
        """The fastest flavour that this Python supports."""
        if sys.implementation.name != "cpython" or sys.byteorder != "little" or not hasattr(os, "fork"):
            return cls.STRUCT
        try:
            import mmap

            from . import views  # noqa: F401 - tests whether it can be imported
        except (ImportError, AttributeError):  # AttributeError: ctypes without Python's own functions
            return cls.STRUCT
        return cls.VIEW if hasattr(mmap, "MAP_PRIVATE") else cls.STRUCT


class Memory(AtomicAccesses, Slices):
    """A linear memory. Every method checks bounds; none clamps.

    https://webassembly.github.io/spec/core/exec/runtime.html#memory-instances
    """

    flavour: Flavour
    foreign = ""
    """The engine outside this package that owns the bytes, "" for none; see `Engine.foreign`."""
    unclosed = 0
    """The number of memories of the process that are neither closed nor collected."""
    collected_at = GARBAGE
    """The number of unclosed memories at which making another one runs the garbage collector."""

    def __init__(self, type_: MemType, limit: int, quota: Quota | None = None) -> None:
        """A memory of at most `limit` bytes, within `quota`, which several memories share."""
        self.type = type_
        self.quota = quota or Quota(max(limit, PAGE))
        self.limit = limit = min(limit, REACH) if type_.addrtype is I32 else limit
        self.size = type_.size.minimum * type_.page
        """The bytes that the guest can use now."""
        self.namespaces: list[tuple[dict[str, Any], int]] = []
        self.waiting = Waiting() if type_.shared else None
        """The threads that wait at its addresses; None for a memory that isn't shared."""
        self.is_host_owned = True
        """Whether it stays open when the last instance that uses it is closed."""
        if self.size > limit:
            wanted, most = binary_size(self.size), binary_size(limit)
            message = f"the module wants {wanted} of memory to begin with, the limit is {most}"
            raise MemoryLimitError("memory", message, wanted=self.size)
        if not self.quota.take(max(self.size, PAGE)):
            wanted, left = binary_size(self.size), binary_size(self.quota.left)
            message = f"the module wants {wanted} for another memory, {left} of the limit are left"
            raise MemoryLimitError("memory_total", message)
        if Memory.unclosed >= Memory.collected_at:
            gc.collect(1)  # most who drop instances do so soon after they made them
            if 2 * Memory.unclosed > Memory.collected_at:
                gc.collect()
            Memory.collected_at = max(GARBAGE, 2 * Memory.unclosed)
        Memory.unclosed += 1
        self._open = True
        self._changing = Lock()
        """Held while a thread grows or closes the memory, or changes its namespaces."""

    @staticmethod
    def of(pages: int, maximum: int | None = None, *, flavour: Flavour | None = None) -> Memory:
        """A memory of the host, for imports; sizes in pages of 64 KiB. Raises ValueError, LimitError."""
        size = SizeRange.of(pages, maximum)
        return create_memory(MemType(size), DEFAULTS.memory, flavour or Flavour.default())

    @property
    def pages(self) -> int:
        return self.size // self.type.page

    def __repr__(self) -> str:
        return named(
            "Memory", f"of {counted(self.pages, 'page')}, {sized(self.size)}, flavour {self.flavour.value}"
        )

    @property
    def max_pages(self) -> int:
        """The maximum of pages for `grow`: the declared maximum, or the host's limit."""
        declared = self.type.size.maximum
        reachable = self.type.most_pages
        return min(reachable if declared is None else declared, self.limit // self.type.page)

    @property
    def buffer(self) -> memoryview:
        """All bytes that the guest can use now; in the struct flavour valid until the next grow."""
        raise NotImplementedError

    def grow(self, delta: int, patience: Patience = unhurried) -> int:
        """Add `delta` pages. Returns the old size in pages, or -1 if that is too much. `patience` is the time
        of the waiting guest, here and in all methods below."""
        check_whole("delta", delta)
        with self._changing:
            old = self.pages
            wanted = (old + delta) * self.type.page
            more = max(wanted, PAGE) - max(self.size, PAGE)
            if not delta:
                return old
            if not self._open or old + delta > self.max_pages or not self.quota.take(more):
                self.refuse(delta, wanted)
                return -1
            done = False
            try:
                done = self.resize(wanted, patience)
            finally:
                if not done:
                    self.quota.left += more
            if not done:
                return -1
            return old

    def refuse(self, delta: int, wanted: int) -> None:
        """Leave word for the user that `delta` pages were refused, unless the guest's own maximum did it."""
        declared = self.type.size.maximum
        if declared is None or wanted <= declared * self.type.page:
            what = f"{counted(delta, 'more page')} of memory ({binary_size(delta * self.type.page)})"
            self.quota.refuse(what, "memory", self.limit, wanted, binary_size)

    def resize(self, size: int, patience: Patience) -> bool:
        """Make `size` bytes usable, new ones zero, and bind the names for them; False if the machine has no
        memory."""
        raise NotImplementedError

    def shrink(self, size: int) -> None:
        """Give back all bytes from `size` on, an earlier size: for going back in time."""
        self.quota.left += max(self.size, PAGE) - max(size, PAGE)
        self.size = size
        self.rebind(self.names())

    def names(self) -> dict[str, Any]:
        """The names by which generated code accesses this memory; bound again when the memory changes."""
        raise NotImplementedError

    def bind(self, namespace: dict[str, Any], memidx: int) -> None:
        """Put this memory's names into a namespace of generated code and keep them up to date.

        Names of memory 0 are those of `names()`; names of memory n > 0 end in `_n`.
        """
        with self._changing:
            self.namespaces.append((namespace, memidx))
            put_names(namespace, memidx, self.names())

    def shift(self, accesses: Iterable[tuple[str, int]], namespace: dict[str, Any], memidx: int) -> None:
        """Also bind names with an offset: for `("u32", 12)` the name `u32at12`, so that `u32at12[a]` is the
        value at `a + 12`. The namespace that asks gets them even if it isn't bound any more: empty."""
        raise NotImplementedError

    def unbind(self, namespace: dict[str, Any]) -> None:
        """Remove the views from a namespace, leaving empty ones. The last namespace closes the memory, unless
        the host owns it."""
        with self._changing:
            for bound, memidx in self.namespaces:
                if bound is namespace:
                    put_names(namespace, memidx, self.empty_names())
            self.namespaces = [entry for entry in self.namespaces if entry[0] is not namespace]
            is_last = not self.namespaces and not self.is_host_owned
        if is_last:
            self.close()

    def rebind(self, names: dict[str, Any]) -> None:
        for namespace, memidx in self.namespaces:
            put_names(namespace, memidx, names)

    def empty_names(self) -> dict[str, Any]:
        """The replacement for `names()` once the memory is closed: reading raises IndexError or
        struct.error."""
        raise NotImplementedError

    def close(self) -> None:
        """Free the bytes as soon as no view uses them. Later accesses are out of bounds."""
        with self._changing:
            if not self._open:
                return
            self._open = False
            Memory.forget()
            # Namespaces stay bound: functions that are compiled later need names too.
            self.rebind(self.empty_names())
            self.size = 0
            self.release()

    def release(self) -> None:
        """Drop the reference to the bytes."""
        raise NotImplementedError

    def __del__(self) -> None:
        if getattr(self, "_open", False):
            Memory.forget()

    @staticmethod
    def forget() -> None:
        """Count one unclosed memory less."""
        Memory.unclosed -= 1
        Memory.collected_at = max(GARBAGE, min(Memory.collected_at, 2 * Memory.unclosed))

    def check(self, address: int, count: int) -> None:
        """Trap unless `count` bytes at `address` are inside memory."""
        if not 0 <= address <= address + count <= self.size:
            raise Trap(TrapKind.OUT_OF_BOUNDS_MEMORY, self.outside(address, count))

    def outside(self, address: int, count: int) -> str:
        """A message about `count` bytes at `address` outside memory."""
        size = f"0x{self.size:x} bytes ({self.pages} pages)" if self._open else "closed"
        return f"{count} bytes at 0x{address:x}, memory is {size}"

    def view(self, address: int, count: int) -> memoryview:
        """A writable view of `count` bytes at `address`. Traps out of bounds."""
        buffer = self.buffer  # read once: another thread may close or grow the memory
        try:
            end = address + count
        except TypeError:
            raise no_range(address, count) from None
        if not 0 <= address <= end <= len(buffer):
            raise Trap(TrapKind.OUT_OF_BOUNDS_MEMORY, self.outside(address, count))
        return buffer[address:end]

    def read(self, address: int, count: int) -> bytes:
        """A copy of `count` bytes at `address`. Traps out of bounds."""
        return bytes(self.view(address, count))

    def write(self, address: int, data: bytes | memoryview) -> None:
        """Write all of `data` at `address`, or trap and write nothing."""
        self.view(address, len(data))[:] = data

    def load(self, access: str, address: int) -> int | float:
        """The value of a load: an int, signed if `access` is, or a float."""
        if access == "v128":
            return int.from_bytes(self.read(address, 16), "little")
        form = struct_of(access)
        found = self.view(address, form.size)
        value: int | float = form.unpack(found)[0]
        if access == "f32" and value != value:  # unpacking quiets a signalling NaN
            return float32(STRUCTS["u32"].unpack(found)[0])
        return value

    def store(self, access: str, address: int, value: int | float) -> None:
        """A store: an unsigned int that fits `access`, or a float."""
        if access == "v128":
            self.write(address, int(value).to_bytes(16, "little"))
            return
        if access == "f32":
            access, value = "u32", bits32(value)
        form = struct_of(access)
        place = self.view(address, form.size)
        try:
            form.pack_into(place, 0, value)
        except struct.error as error:
            raise ValueError(f"value {shown(value)} is no {access}: {error}") from None

    def copy(
        self, target: int, source: Memory, address: int, count: int, patience: Patience = unhurried
    ) -> None:
        """memory.copy: `count` bytes from `address` of `source`, which may be this memory, to `target`."""
        from_, to = source.view(address, count), self.view(target, count)
        if count <= PIECE:
            to[:] = from_
            return
        # Copy backwards if the ranges overlap that way, so that every byte is read before it is overwritten.
        for piece in pieces(count, patience, backwards=address < target):
            to[piece] = from_[piece]

    def fill(self, target: int, byte: int, count: int, patience: Patience = unhurried) -> None:
        """memory.fill, in pieces so that little memory is allocated."""
        view = self.view(target, count)
        content = bytes([byte & 0xFF]) * min(count, PIECE)
        if count <= PIECE:
            view[:] = content
            return
        for piece in pieces(count, patience):
            view[piece] = content[: piece.stop - piece.start]

    def array(self, address: int, shape: tuple[int, ...], dtype: str) -> Array:
        """A numpy array over `shape` elements of `dtype` (such as "f4") at `address`: a view, no copy. Traps
        out of bounds."""
        import numpy

        type_ = numpy.dtype(dtype)
        count = 1
        for dimension in shape:
            count *= dimension
        return numpy.frombuffer(self.view(address, count * type_.itemsize), type_).reshape(shape)


def put_names(namespace: dict[str, Any], memidx: int, names: dict[str, Any]) -> None:
    of_memory = Namespace.of_memory
    namespace.update({of_memory(name, memidx): names[name] for name in names} if memidx else names)


class ViewMemory(Memory):
    """The fast flavour. Its names are the accesses: `u32[a]` is an unaligned load or store of four bytes."""

    flavour = Flavour.VIEW

    def __init__(
        self, type_: MemType, limit: int, quota: Quota | None = None, patience: Patience = unhurried
    ) -> None:
        from .views import address_of, reserve

        super().__init__(type_, limit, quota)
        mapped = reserve(max(self.size, self.max_pages * type_.page, PAGE), max(self.size, PAGE))
        self._mapping: tuple[Any, int] | None = mapped, address_of(mapped)
        """The object that views keep alive, and its address; None when closed."""
        self._whole = memoryview(mapped)
        self._views: dict[str, Any] = {}
        """By name; the same objects as long as the memory is open."""
        self._lengths: list[tuple[Any, int]] = []
        """What tells `set_lengths` about each of them."""
        self._reserved: dict[str, Any] = {}
        """Views of all that is reserved, by access, for making others."""

    @property
    def buffer(self) -> memoryview:
        return (self._fresh() if PARALLEL else self._whole)[: self.size]

    def _fresh(self) -> memoryview:
        """Another view of all bytes. Slices of one view count themselves on it without a lock, so where
        threads run at once each access takes its own."""
        view: memoryview = self._seen_as({"u8": FORMATS["u8"]}, self.size)["u8"]
        return view

    def view(self, address: int, count: int) -> memoryview:
        # Read before the size: closing sets the size to 0 first.
        whole = self._fresh() if PARALLEL else self._whole
        try:
            end = address + count
        except TypeError:
            raise no_range(address, count) from None
        if not 0 <= address <= end <= self.size:
            raise Trap(TrapKind.OUT_OF_BOUNDS_MEMORY, self.outside(address, count))
        return whole[address:end]

    def content(self) -> Any:
        mapping = self._mapping  # read once: another thread may close the memory
        return NOTHING if mapping is None else mapping[0]

    def resize(self, size: int, patience: Patience) -> bool:
        if size > len(self._whole):
            return False
        self._end_at(size)
        self.size = size  # last: another thread that reads it may use the new bytes at once
        return True

    def shrink(self, size: int) -> None:
        self.fill(size, 0, self.size - size)
        super().shrink(size)
        self._end_at(size)

    def names(self) -> dict[str, Any]:
        if self._mapping is None:
            return self.empty_names()
        if not self._views:
            self._views = self._made([(access, access, slice(0, None)) for access in FORMATS])
        return dict(self._views)

    def _end_at(self, size: int) -> None:
        """Let all views end where `size` bytes do."""
        if self._lengths:
            from .views import set_lengths

            set_lengths(self._lengths, size)

    def _made(self, parts: Sequence[Part]) -> dict[str, Any]:
        """New views of the bytes that the guest can use now, by name."""
        from .views import set_lengths

        reserved = self._reserved = self._reserved or self._seen_as(FORMATS, len(self._whole))
        made = shifted(reserved, parts)
        if self._mapping is not None:  # else they are empty, and all memories have the same
            lengths = [(made[name], part.start + made[name].itemsize - 1) for name, _, part in parts]
            set_lengths(lengths, self.size)
            self._lengths += lengths
        return made

    def _seen_as(self, formats: Mapping[str, str], size: int) -> dict[str, Any]:
        """Views of `size` bytes by name, with the format of each name; element i begins at byte i."""
        from .views import views

        mapping = self._mapping  # read once: another thread may close the memory
        if mapping is None:
            return {name: EMPTY_VIEWS[name] for name in formats}
        return views(mapping[1], size, formats, mapping)

    def empty_names(self) -> dict[str, Any]:
        return EMPTY_VIEWS | dict.fromkeys(self._views.keys() - EMPTY_VIEWS.keys(), EMPTY)

    def shift(self, accesses: Iterable[tuple[str, int]], namespace: dict[str, Any], memidx: int) -> None:
        parts = map(part_of, accesses)
        with self._changing:
            if all(bound is not namespace for bound, _ in self.namespaces):
                # Another thread has closed the instance that compiles a function.
                put_names(namespace, memidx, shifted(EMPTY_VIEWS, parts))
                return
            if more := [part for part in parts if part[0] not in self._views]:
                made = self._made(more)
                self.rebind(made)
                self._views |= made  # last: an error before it lets the next caller bind them

    def release(self) -> None:
        self._end_at(0)
        self._views, self._lengths, self._reserved = {}, [], {}
        self._whole = memoryview(bytearray())
        self._mapping = None


Part = tuple[str, str, slice]
"""A view that begins at an offset: its name, and the access whose view it is a slice of."""


def part_of(shift: tuple[str, int]) -> Part:
    """What a view for an access and an offset is."""
    access, start = shift
    return Namespace.view(access, start=start), access, slice(start, None)


def shifted(views: dict[str, Any], wanted: Iterable[Part]) -> dict[str, Any]:
    """Views that begin at an offset, by name."""
    return {name: views[access][part] for name, access, part in wanted}


class StructMemory(Memory):
    """The portable flavour. Its names: `mem`, and for each access `load_u32(mem, a)[0]` and `store_u32(mem,
    a, value)`."""

    flavour = Flavour.STRUCT

    def __init__(
        self, type_: MemType, limit: int, quota: Quota | None = None, patience: Patience = unhurried
    ) -> None:
        super().__init__(type_, limit, quota)
        self._bytes = allocate(self.size, patience)

    @property
    def buffer(self) -> memoryview:
        return memoryview(self._bytes)

    def content(self) -> Any:
        return self._bytes

    def resize(self, size: int, patience: Patience) -> bool:
        if self.type.shared:
            return False  # another thread may write to the old bytes while they are copied
        try:
            larger = allocate(size, patience, self._bytes)
        except MemoryLimitError:
            return False
        self._bytes, self.size = larger, size
        self.rebind(self.names())
        return True

    def shrink(self, size: int) -> None:
        self._bytes = self._bytes[:size]
        super().shrink(size)

    def names(self) -> dict[str, Any]:
        names: dict[str, Any] = {Namespace.buffer(): self._bytes}
        for access, form in STRUCTS.items():
            names[Namespace.load(access)] = form.unpack_from
            names[Namespace.store(access)] = form.pack_into
        return names

    def empty_names(self) -> dict[str, Any]:
        return {"mem": bytearray()}

    def release(self) -> None:
        self._bytes = bytearray()


def create_memory(
    type_: MemType,
    limit: int,
    flavour: Flavour,
    quota: Quota | None = None,
    patience: Patience = unhurried,
) -> Memory:
    """A new memory of zeros. Raises MemoryLimitError if the limit or the machine doesn't allow it."""
    return (ViewMemory if flavour is Flavour.VIEW else StructMemory)(type_, limit, quota, patience)


def allocate(size: int, patience: Patience, content: bytearray = NOTHING) -> bytearray:
    """`size` bytes that begin with `content`, followed by zeros. Raises MemoryLimitError."""
    try:
        if size <= PIECE or patience() is None:
            made = bytearray(size)
            made[: len(content)] = content
            return made
        made, zeros = bytearray(), bytes(PIECE)
        with memoryview(content) as old:
            for piece in pieces(len(content), patience):
                made += old[piece]
        for piece in pieces(size - len(content), patience):
            made += zeros[: piece.stop - piece.start]
        return made
    except MemoryError as error:
        raise MemoryLimitError("memory", f"this machine has no {size} bytes of memory to give") from error
