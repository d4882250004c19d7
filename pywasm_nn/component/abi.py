"""The canonical ABI as a host of lowered imports needs it: handles, lists, strings, result areas, realloc.

What is here: `Resources` (a table of handles), crossings for parameters, `Area` (where a function leaves a
result that is no number) and `stored` (bytes into memory that the guest allocates). A guest that breaks a
rule is stopped by a trap. What is not: any interface.
Source: https://github.com/WebAssembly/component-model/blob/main/design/mvp/CanonicalABI.md
"""

from __future__ import annotations

from struct import calcsize, pack_into
from typing import Annotated, Any

from ..errors import Trap, TrapKind
from ..host import Caller, Crossing, Memory, checked
from ..interpreter.types import I32, FuncType
from ..limits import DEFAULTS, Limits
from ..records import record

REALLOC = ("cm32p2_realloc", "cabi_realloc")
"""The guest's allocator under both manglings."""
REALLOC_TYPE = FuncType((I32, I32, I32, I32), (I32,))


def violation(detail: str) -> Trap:
    """The trap for a guest that breaks a rule of the canonical ABI."""
    return Trap(TrapKind.CANONICAL_ABI, detail)


def aligned(address: int, align: int) -> int:
    """The address. Traps if it isn't aligned."""
    if address % align:
        raise violation(f"the pointer 0x{address:x} isn't aligned to {align} bytes")
    return address


class Resources:
    """The handles of one instance: from 1, of several kinds in one table; those let go of are used again,
    the last one first.
    """

    def __init__(self, limit: int = DEFAULTS.handles) -> None:
        self.limit = limit
        self._entries: list[tuple[str, Any] | None] = [None]
        self._free: list[int] = []

    def __len__(self) -> int:
        return len(self._entries) - 1 - len(self._free)

    def add(self, kind: str, value: Any) -> int:
        """A new handle, which the guest owns. Traps if it holds too many."""
        if self._free:
            handle = self._free.pop()
            self._entries[handle] = (kind, value)
            return handle
        if len(self._entries) > self.limit:
            raise violation(f"the guest holds {self.limit} handles, which is the limit")
        self._entries.append((kind, value))
        return len(self._entries) - 1

    def get(self, kind: str, handle: int) -> Any:
        """What a handle of this kind stands for. Traps for any other number."""
        entry = self._entries[handle] if handle < len(self._entries) else None
        if entry is None or entry[0] != kind:
            what = "nothing" if entry is None else f"a handle of {entry[0]}"
            raise violation(f"{handle} was given as a handle of {kind} and is {what}")
        return entry[1]

    def take(self, kind: str, handle: int) -> Any:
        """As `get`; the guest doesn't own it any more."""
        value = self.get(kind, handle)
        self._entries[handle] = None
        self._free.append(handle)
        return value

    def values(self, kind: str) -> list[Any]:
        """Everything of a kind that the guest still owns."""
        return [entry[1] for entry in self._entries if entry is not None and entry[0] == kind]


@record
class ListCrossing(Crossing):
    """`list<T>` of elements of `size` bytes: pointer and count; its value is a view of all of them."""

    size: int
    align: int
    flat = (I32, I32)

    def lift(self, memory: Memory, *flat: Any) -> memoryview:
        address, count = flat
        return checked(memory, aligned(address, self.align), count * self.size)


@record
class StringCrossing(Crossing):
    """`string`, UTF-8. Anything else traps, and what is longer than `most` bytes."""

    most: int = DEFAULTS.names
    flat = (I32, I32)

    def within(self, limits: Limits) -> Crossing:
        return StringCrossing(limits.names)

    def lift(self, memory: Memory, *flat: Any) -> str:
        data = checked(memory, *flat)
        if len(data) > self.most:
            raise violation(f"a string of {len(data)} bytes, at most {self.most} are taken")
        return text(data)


@record
class EnumCrossing(Crossing):
    """`enum`: the value with this number. Traps beyond the last."""

    name: str
    values: tuple[Any, ...]
    points = False

    def lift(self, memory: Memory, *flat: Any) -> Any:
        if flat[0] >= len(self.values):
            raise violation(f"{self.name} has no case {flat[0]}")
        return self.values[flat[0]]


class Area:
    """Where a function leaves its result. It was checked before the function ran, and memory may have moved
    since.
    """

    def __init__(self, memory: Memory, address: int, size: int) -> None:
        self._memory = memory
        self._address = address
        self._size = size

    def write(self, format: str, *values: int) -> None:
        """Write `values` at the start, as `format` of `struct` says without a byte order."""
        if calcsize("<" + format) > self._size:
            raise ValueError(f"the area has {self._size} bytes, {format!r} takes more")
        pack_into("<" + format, checked(self._memory, self._address, self._size), 0, *values)


@record
class AreaCrossing(Crossing):
    """A result area of `size` bytes, aligned to four."""

    size: int

    def lift(self, memory: Memory, *flat: Any) -> Area:
        checked(memory, aligned(flat[0], 4), self.size)
        return Area(memory, flat[0], self.size)


String = Annotated[str, StringCrossing()]
Bytes = Annotated[memoryview, ListCrossing(1, 1)]
"""`list<u8>`."""
Pairs = Annotated[memoryview, ListCrossing(8, 4)]
"""A list of pairs of pointer and length, as `list<list<u8>>`."""


def text(data: memoryview) -> str:
    """UTF-8. Traps for anything else."""
    try:
        return bytes(data).decode("utf-8")
    except UnicodeDecodeError as error:
        raise violation(f"the string {bytes(data[:40])!r} is no UTF-8: {error.reason}") from None


def stored(caller: Caller, data: bytes | memoryview, align: int = 1) -> int:
    """The address of a copy of `data` in memory that the guest allocates: calls back into the guest."""
    address: int = caller.call(REALLOC, REALLOC_TYPE, 0, 0, align, len(data))
    aligned(address, align)
    checked(caller.memory, address, len(data))[:] = data
    return address
