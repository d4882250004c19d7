"""Linear memory: one contiguous writable buffer, in two flavours.

View flavour (CPython with ctypes and mmap): an anonymous private mapping that is reserved once and never
moves, seen through stride-1 memoryviews, so that `u32[a]` is an unaligned, bounds-checked load of four bytes.
Each view keeps the mapping, which goes when the last one does: closing takes the views out of all namespaces,
and a thread that is just reading one finishes. Struct flavour (anywhere): a bytearray and `struct`; growing
copies.

What is not here: who may use which memory (`instance.py`) and the text of accesses in generated code
(`compile`).
"""

from __future__ import annotations

import gc
import os
import struct
import sys
from collections.abc import Callable, Iterable, Mapping
from enum import Enum
from functools import cache
from struct import Struct
from threading import Lock
from typing import Any

from ...arrays import Array
from ...brief import counted, named, sized
from ...checks import check_choice, check_whole, refuse, shown
from ...errors import MemoryLimitError, Trap, TrapKind
from ...limits import DEFAULTS, PAGE
from ..numerics import bits32, float32
from ..pace import PIECE, Patience, pieces, unhurried
from ..types import I32, MAX_PAGES, MemType, SizeRange
from .quota import Quota

MAP_NORESERVE = 0x4000  # Linux; the name is missing from mmap before Python 3.13
SPARE = 64 << 20
"""Bytes of a process's address space that memories leave."""
FORMATS: dict[str, str] = {
    "u8": "B", "s8": "b", "u16": "H", "s16": "h", "u32": "I", "s32": "i", "u64": "Q", "f32": "f", "f64": "d",
}  # fmt: skip
"""Ways to see memory, as the instruction table names them, and their format characters. There is none
for v128."""
STRUCTS: dict[str, Struct] = {access: Struct("<" + char) for access, char in FORMATS.items()}


def struct_of(access: str) -> Struct:
    """How an access sees memory. Raises TypeError, ValueError for an access that there isn't."""
    if access not in STRUCTS:
        check_choice("access", access, STRUCTS)
    return STRUCTS[access]


def no_range(address: object, count: object) -> TypeError:
    """What is raised for two values of which one is no number of bytes."""
    name, value = ("count", count) if isinstance(address, int) else ("address", address)
    return refuse(name, "an int", value)


REACH = (1 << 32) - PAGE
"""Bytes of a 32-bit memory that can be used: not the last page, so that the address after an access is one,
too."""
NOTHING = bytearray()
EMPTY: Any = memoryview(NOTHING)
EMPTY_VIEWS: dict[str, Any] = {access: EMPTY.cast(char) for access, char in FORMATS.items()}
"""What names stand for once their memory is closed: writable, so that a store is out of bounds, too."""
GARBAGE = 32
"""So many unclosed memories make the next one run the garbage collector, which counts objects and not bytes;
after that it takes twice as many as were left, so that a service with many instances doesn't pay for each."""


def portable_wanted() -> bool:
    """Whether somebody asks for what works anywhere, in place of what is fastest here."""
    return os.environ.get("PYWASM_NN_PORTABLE", "0") not in ("", "0")


class Flavour(Enum):
    """How memory is held, and with it which text the compiler emits."""

    VIEW = "view"
    STRUCT = "struct"

    @classmethod
    def default(cls) -> Flavour:
        """The fastest that this Python can do; PYWASM_NN_PORTABLE=1 asks for the one that works anywhere."""
        return cls.STRUCT if portable_wanted() else cls.fastest()

    @classmethod
    @cache
    def fastest(cls) -> Flavour:
        """The fastest that this Python can do."""
        if sys.implementation.name != "cpython" or sys.byteorder != "little" or not hasattr(os, "fork"):
            return cls.STRUCT
        try:
            import mmap

            from . import views  # noqa: F401 - whether it can be imported is the question
        except (ImportError, AttributeError):  # AttributeError: ctypes without Python's own functions
            return cls.STRUCT
        return cls.VIEW if hasattr(mmap, "MAP_PRIVATE") else cls.STRUCT


class Memory:
    """A linear memory. Every method checks bounds; none clamps.

    https://webassembly.github.io/spec/core/exec/runtime.html#memory-instances
    """

    flavour: Flavour
    unclosed = 0
    """Memories of the process that nobody closed and nobody collected yet."""
    collected_at = GARBAGE
    """How many of them make the next one run the garbage collector."""

    def __init__(self, type_: MemType, limit: int, quota: Quota | None = None) -> None:
        """At most `limit` bytes, and what `quota` gives to several memories together."""
        self.type = type_
        self.quota = quota or Quota(max(limit, PAGE))
        self.limit = limit = min(limit, REACH) if type_.addrtype is I32 else limit
        self.size = type_.size.minimum * PAGE
        """Bytes that the guest can use now."""
        self.namespaces: list[tuple[dict[str, Any], int]] = []
        self.is_host_owned = True
        """Whether it stays when the last instance that has it is closed."""
        if self.size > limit:
            raise MemoryLimitError(
                "memory", f"the module wants {self.size} bytes of memory to begin with, the limit is {limit}"
            )
        if not self.quota.take(max(self.size, PAGE)):
            message = f"the module wants {self.size} bytes for another memory, {self.quota.left} are left"
            raise MemoryLimitError("memory_total", message)
        if Memory.unclosed >= Memory.collected_at:
            gc.collect()
            Memory.collected_at = max(GARBAGE, 2 * Memory.unclosed)
        Memory.unclosed += 1
        self._open = True
        self._changing = Lock()
        """Held while one thread grows or closes it, or changes who has it."""

    @staticmethod
    def of(pages: int, maximum: int | None = None, *, flavour: Flavour | None = None) -> Memory:
        """A memory of the host's, to be imported: sizes in pages of 64 KiB. Raises ValueError, LimitError."""
        size = SizeRange.of(pages, maximum)
        return create_memory(MemType(size), DEFAULTS.memory, flavour or Flavour.default())

    @property
    def pages(self) -> int:
        return self.size // PAGE

    def __repr__(self) -> str:
        return named(
            "Memory", f"of {counted(self.pages, 'page')}, {sized(self.size)}, flavour {self.flavour.value}"
        )

    @property
    def max_pages(self) -> int:
        """Pages beyond which grow answers -1: what was declared, or what the host allows."""
        declared = self.type.size.maximum
        reachable = MAX_PAGES[self.type.addrtype]
        return min(reachable if declared is None else declared, self.limit // PAGE)

    @property
    def buffer(self) -> memoryview:
        """All bytes the guest can use now; in the struct flavour valid until the next grow."""
        raise NotImplementedError

    def grow(self, delta: int, patience: Patience = unhurried) -> int:
        """Add `delta` pages. Returns the old size in pages, or -1 if that is too much. `patience` is that of
        the guest that waits, as in all that follows."""
        check_whole("delta", delta)
        with self._changing:
            old = self.pages
            more = max((old + delta) * PAGE, PAGE) - max(self.size, PAGE)
            if not delta:
                return old
            if not self._open or old + delta > self.max_pages or not self.quota.take(more):
                return -1
            done = False
            try:
                done = self.resize((old + delta) * PAGE, patience)
            finally:
                if not done:
                    self.quota.left += more
            if not done:
                return -1
            self.rebind(self.names())
            return old

    def resize(self, size: int, patience: Patience) -> bool:
        """Make `size` bytes usable, new ones zero; False if the machine refuses."""
        raise NotImplementedError

    def names(self) -> dict[str, Any]:
        """What generated code needs to reach this memory, by name; rebound whenever it changes."""
        raise NotImplementedError

    def bind(self, namespace: dict[str, Any], memidx: int) -> None:
        """Put this memory's names into a namespace of generated code and keep them current.

        Names of memory 0 are as in `names()`, those of memory n > 0 end in `_n`.
        """
        with self._changing:
            self.namespaces.append((namespace, memidx))
            put_names(namespace, memidx, self.names())

    def shift(self, accesses: Iterable[tuple[str, int]]) -> None:
        """Bind names that begin at an offset, too: for `("u32", 12)` the name `u32at12`, so that `u32at12[a]`
        is what lies at `a + 12`."""
        raise NotImplementedError

    def unbind(self, namespace: dict[str, Any]) -> None:
        """Forget a namespace, leaving empty views in it. The last one closes the memory, unless it is the
        host's."""
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
        """What stands for `names()` once the memory is closed: reading it raises IndexError or
        struct.error."""
        raise NotImplementedError

    def close(self) -> None:
        """Give the bytes back as soon as nobody has a view on them. Later accesses are out of bounds."""
        with self._changing:
            if not self._open:
                return
            self._open = False
            Memory.forget()
            if self.namespaces:
                self.rebind(self.empty_names())
                self.namespaces.clear()
            self.size = 0
            self.release()

    def release(self) -> None:
        """Let go of the bytes."""
        raise NotImplementedError

    def __del__(self) -> None:
        if getattr(self, "_open", False):
            Memory.forget()

    @staticmethod
    def forget() -> None:
        """One memory less counts."""
        Memory.unclosed -= 1
        Memory.collected_at = max(GARBAGE, min(Memory.collected_at, 2 * Memory.unclosed))

    def check(self, address: int, count: int) -> None:
        """Trap unless `count` bytes at `address` are inside."""
        if not 0 <= address <= address + count <= self.size:
            raise Trap(TrapKind.OUT_OF_BOUNDS_MEMORY, self.outside(address, count))

    def outside(self, address: int, count: int) -> str:
        """How far out `count` bytes at `address` are."""
        return f"{count} bytes at 0x{address:x}, memory is 0x{self.size:x} bytes ({self.pages} pages)"

    def view(self, address: int, count: int) -> memoryview:
        """A writable view of `count` bytes at `address`. Traps out of bounds."""
        buffer = self.buffer  # read once, as another thread may close the memory or make it grow
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
        """The value of a load: an int as `access` says (signed ones signed), or a float."""
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

    # Atomic accesses: nobody shares a memory, so that one is after the other anyway.

    def align(self, access: str, address: int) -> None:
        """Trap unless an atomic access is aligned and inside."""
        width = STRUCTS[access].size
        if address % width:
            raise Trap(TrapKind.UNALIGNED_ATOMIC, f"{width} bytes at 0x{address:x}")
        self.check(address, width)

    def load_atomic(self, access: str, address: int) -> int:
        """The value of an atomic load."""
        self.align(access, address)
        return int(self.load(access, address))

    def store_atomic(self, access: str, address: int, value: int) -> None:
        """An atomic store."""
        self.align(access, address)
        self.store(access, address, value)

    def update(self, name: str, address: int, *operands: int) -> int:
        """Read, write what the row of this name says, and give what was there."""
        access, meaning = updating(name)
        old = self.load_atomic(access, address)
        self.store(access, address, meaning(old, *operands))
        return old

    def notify(self, address: int) -> int:
        """Wake those who wait: nobody can."""
        self.align("u32", address)
        return 0

    def wait(self, access: str, address: int) -> int:
        """Wait to be woken: nobody could do that."""
        self.align(access, address)
        raise Trap(TrapKind.EXPECTED_SHARED_MEMORY)

    def copy(
        self, target: int, source: Memory, address: int, count: int, patience: Patience = unhurried
    ) -> None:
        """memory.copy: `count` bytes from `address` of `source`, which may be this memory, to `target`."""
        from_, to = source.view(address, count), self.view(target, count)
        if count <= PIECE:
            to[:] = from_
            return
        # From the end where the ranges may overlap so, that no byte is written before it was read.
        for piece in pieces(count, patience, backwards=address < target):
            to[piece] = from_[piece]

    def fill(self, target: int, byte: int, count: int, patience: Patience = unhurried) -> None:
        """memory.fill, in pieces that allocate little."""
        view = self.view(target, count)
        content = bytes([byte & 0xFF]) * min(count, PIECE)
        if count <= PIECE:
            view[:] = content
            return
        for piece in pieces(count, patience):
            view[piece] = content[: piece.stop - piece.start]

    def try_copy(self, target: int, source: int, count: int) -> bool:
        """Copy within this memory if both ranges are in it and apart from each other; whether that was so."""
        low, high = (target, source) if target < source else (source, target)
        if low < 0 or high + count > self.size or low + count > high:
            return False
        self.copy(target, self, source, count)
        return True

    def try_fill(self, target: int, pattern: bytes, count: int) -> bool:
        """Fill with a pattern, in whole, if the range is in this memory; whether that was so."""
        if target < 0 or target + count > self.size:
            return False
        view = self.view(target, count)
        piece = pattern * (min(count, 1 << 20) // len(pattern))
        for start in range(0, count, len(piece) or 1):
            part = view[start : start + len(piece)]
            part[:] = piece[: len(part)]
        return True

    def array(self, address: int, shape: tuple[int, ...], dtype: str) -> Array:
        """A numpy array on `shape` elements of `dtype` (as "f4") at `address`: a view, no copy. Traps out of
        bounds."""
        import numpy

        type_ = numpy.dtype(dtype)
        count = 1
        for dimension in shape:
            count *= dimension
        return numpy.frombuffer(self.view(address, count * type_.itemsize), type_).reshape(shape)


@cache
def updating(name: str) -> tuple[str, Callable[..., int]]:
    """How a row that reads and writes sees memory, and what it writes."""
    from ..instructions import OPS
    from ..instructions.cells import evaluator

    op = OPS[name]
    return op.access or "", evaluator(op)


def put_names(namespace: dict[str, Any], memidx: int, names: dict[str, Any]) -> None:
    namespace.update({f"{name}_{memidx}": value for name, value in names.items()} if memidx else names)


class ViewMemory(Memory):
    """The fast flavour. Its names are the accesses: `u32[a]` is an unaligned load or store of four bytes."""

    flavour = Flavour.VIEW

    def __init__(
        self, type_: MemType, limit: int, quota: Quota | None = None, patience: Patience = unhurried
    ) -> None:
        super().__init__(type_, limit, quota)
        mapped = reserve(max(self.size, self.max_pages * PAGE, PAGE), max(self.size, PAGE))
        self._mapping: tuple[Any, int] | None = mapped, address_of(mapped)
        """What the views keep, and where it begins; None when closed."""
        self._whole = memoryview(mapped)
        self._shifted: dict[str, tuple[str, slice]] = {}
        """Of each name that begins at an offset the access, and what it sees of the memory."""

    @property
    def buffer(self) -> memoryview:
        return self._whole[: self.size]

    def view(self, address: int, count: int) -> memoryview:
        whole = self._whole  # read before the size, which closing sets to 0 first
        try:
            end = address + count
        except TypeError:
            raise no_range(address, count) from None
        if not 0 <= address <= end <= self.size:
            raise Trap(TrapKind.OUT_OF_BOUNDS_MEMORY, self.outside(address, count))
        return whole[address:end]

    def resize(self, size: int, patience: Patience) -> bool:
        if size > len(self._whole):
            return False
        self.size = size
        return True

    def names(self) -> dict[str, Any]:
        views = self._seen_as(FORMATS)
        return views | shifted(views, self._shifted) if self._shifted else views

    def _seen_as(self, formats: Mapping[str, str]) -> dict[str, Any]:
        """Views by name, of the format that each name has, whose element i begins at byte i."""
        from .views import views

        mapping = self._mapping  # read once, as another thread may close the memory
        if mapping is None:
            return {name: EMPTY_VIEWS[name] for name in formats}
        return views(mapping[1], self.size, formats, mapping)

    def empty_names(self) -> dict[str, Any]:
        return EMPTY_VIEWS | shifted(EMPTY_VIEWS, self._shifted)

    def shift(self, accesses: Iterable[tuple[str, int]]) -> None:
        more = {f"{access}at{offset}": (access, slice(offset, None)) for access, offset in accesses}
        with self._changing:
            for name in self._shifted.keys() & more.keys():
                del more[name]
            if more:
                self._shifted |= more
                views = self._seen_as({access: FORMATS[access] for access, _ in more.values()})
                self.rebind(shifted(views, more))

    def release(self) -> None:
        self._whole = memoryview(bytearray())
        self._mapping = None


def shifted(views: dict[str, Any], wanted: dict[str, tuple[str, slice]]) -> dict[str, Any]:
    """Views that begin at an offset, by name."""
    return {name: views[access][part] for name, (access, part) in wanted.items()}


class StructMemory(Memory):
    """The flavour for anywhere. Its names: `mem`, and per access `load_u32(mem, a)[0]` and `store_u32(mem, a,
    value)`."""

    flavour = Flavour.STRUCT

    def __init__(
        self, type_: MemType, limit: int, quota: Quota | None = None, patience: Patience = unhurried
    ) -> None:
        super().__init__(type_, limit, quota)
        self._bytes = allocate(self.size, patience)

    @property
    def buffer(self) -> memoryview:
        return memoryview(self._bytes)

    def resize(self, size: int, patience: Patience) -> bool:
        try:
            larger = allocate(size, patience, self._bytes)
        except MemoryLimitError:
            return False
        self._bytes, self.size = larger, size
        return True

    def names(self) -> dict[str, Any]:
        names: dict[str, Any] = {"mem": self._bytes}
        for access, form in STRUCTS.items():
            names[f"load_{access}"] = form.unpack_from
            names[f"store_{access}"] = form.pack_into
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
    """A new memory of zeros. Raises MemoryLimitError if it can't be had."""
    return (ViewMemory if flavour is Flavour.VIEW else StructMemory)(type_, limit, quota, patience)


def allocate(size: int, patience: Patience, content: bytearray = NOTHING) -> bytearray:
    """`size` bytes, which begin with the content, and are zero after it. Raises MemoryLimitError."""
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


def reserve(wanted: int, needed: int) -> Any:
    """An anonymous mapping of `wanted` bytes, or of less if the machine refuses, but at least `needed`. Where
    room is short, `SPARE` is left for all else: Python itself dies where nothing is."""
    import mmap

    flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS
    if sys.platform == "linux":
        flags |= MAP_NORESERVE
    size, spare = wanted, 0
    while True:
        try:
            if spare:
                mmap.mmap(-1, size + spare, flags=flags).close()
            return mmap.mmap(-1, size, flags=flags)
        except (OSError, MemoryError, ValueError, OverflowError) as error:
            if spare and size <= needed:
                raise MemoryLimitError(
                    "memory", f"this machine has no {needed} bytes of memory to give"
                ) from error
            size, spare = max(needed, size // 2 // PAGE * PAGE), SPARE


def address_of(buffer: Any) -> int:
    import ctypes

    return ctypes.addressof(ctypes.c_char.from_buffer(buffer))
