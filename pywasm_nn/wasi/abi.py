"""How values of WASI preview1 cross between guest memory and Python: records, paths, vectors of buffers,
subscriptions.

Layouts: https://github.com/WebAssembly/WASI/blob/main/legacy/preview1/docs.md#types
Everything here checks bounds before a function runs, and takes no more memory than the guest really has.
What is not here: what functions do with the values (`preview1.py`, `unstable.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import IntEnum, IntFlag
from struct import Struct
from typing import Annotated, Any

from ..host import U32, Crossing, Memory, Record, checked
from ..interpreter.types import I32, I64
from .codes import (
    ALL_RIGHTS,
    Advice,
    ClockId,
    EventType,
    FdFlags,
    LookupFlags,
    OpenFlags,
    ReceiveFlags,
    Rights,
    SetTimes,
    ShutdownFlags,
    Whence,
)  # fmt: skip
from .descriptors import MAX_BUFFERS, Entry, Stat
from .errors import Errno, WasiError
from .paths import PATH_MAX
from .system import ClockWait, DescriptorWait, Event, Wait

IOVEC = Struct("<II")
DIRENT = Struct("<QQIB3x")
ADDRESS = Struct("<I")
EVENT = Struct("<QHB5xQH6x")
ALIGNMENT = 4
"""Of pointers, and of records of them."""
LONG_ALIGNMENT = 8
"""Of records that hold 64-bit numbers."""
ABSOLUTE = 1
"""The flag of a clock subscription that names a time and not a duration."""
MAX_WAITS = 4096
"""Subscriptions of one poll."""
MAX_CLAIM = 1 << 27
"""Bytes that a guest may say it passes as a path or an array; beyond it gets ENOMEM, as from wasmtime."""


@dataclass(frozen=True, slots=True)
class Choice(Crossing):
    """A number that names a member of an enumeration; EINVAL for any other."""

    type: type[IntEnum]

    def lift(self, memory: Callable[[], Memory], *flat: Any) -> IntEnum:
        try:
            return self.type(flat[0])
        except ValueError as error:
            raise WasiError(Errno.INVAL, str(error)) from None


@dataclass(frozen=True, slots=True)
class Flags(Crossing):
    """Bits of a flag set; EINVAL for a bit without a name."""

    type: type[IntFlag]

    def lift(self, memory: Callable[[], Memory], *flat: Any) -> IntFlag:
        known = sum(flag.value for flag in self.type)
        if flat[0] & ~known:
            raise WasiError(Errno.INVAL, f"{self.type.__name__} has no bits 0x{flat[0] & ~known:x}")
        return self.type(flat[0])


class _Rights(Crossing):
    flat = (I64,)

    def lift(self, memory: Callable[[], Memory], *flat: Any) -> Rights:
        return Rights(flat[0] & ALL_RIGHTS)  # guests ask for all 64 bits when they mean "everything"


def claimed(memory: Memory, address: int, count: int, alignment: int = 1) -> memoryview:
    """As `checked`, but an absurd count is ENOMEM."""
    if count > MAX_CLAIM:
        raise WasiError(Errno.NOMEM, f"the guest says that it passes {count} bytes")
    return checked(memory, address, count, alignment)


class _Path(Crossing):
    flat = (I32, I32)

    def lift(self, memory: Callable[[], Memory], *flat: Any) -> str:
        view = claimed(memory(), flat[0], flat[1])
        if len(view) >= PATH_MAX:
            raise WasiError(Errno.NAMETOOLONG, f"a path of {len(view)} bytes")
        return bytes(view).decode("utf-8")


class _Iovecs(Crossing):
    flat = (I32, I32)

    def lift(self, memory: Callable[[], Memory], *flat: Any) -> list[memoryview]:
        address, count = flat
        array = claimed(memory(), address, count * IOVEC.size, ALIGNMENT)
        if count > MAX_BUFFERS:
            raise WasiError(Errno.INVAL, f"{count} buffers in one call, at most {MAX_BUFFERS} are allowed")
        # Copied, for CPython before 3.13 crashes when it collects a cycle (as of a trap with its frames) in
        # which struct still iterates over a memoryview.
        pairs = IOVEC.iter_unpack(array.tobytes())
        return [checked(memory(), buffer, length) for buffer, length in pairs]


@dataclass(frozen=True, slots=True)
class Buffer:
    """Where the guest says it has room for `length` bytes. Only what is written must be there, as in
    wasmtime: guests name more than they have where they know that less comes."""

    memory: Memory
    address: int
    length: int

    def __repr__(self) -> str:
        return f"{self.length} bytes at 0x{self.address:x}"

    def put(self, data: bytes) -> int:
        """Write as much of `data` as there is room for; the number of bytes."""
        count = min(self.length, len(data))
        checked(self.memory, self.address, count)[:] = data[:count]
        return count


class _Room(Crossing):
    flat = (I32, I32)

    def lift(self, memory: Callable[[], Memory], *flat: Any) -> Buffer:
        return Buffer(memory(), *flat)


class Subscriptions(Crossing):
    """Pointers to subscriptions and to room for as many events, and their number, which crosses as one
    `Waits`.

    `layout` starts a clock's part: userdata, type, clock, timeout, precision, flags; a descriptor's is the
    same up to its number.
    """

    flat = (I32, I32, I32)

    def __init__(self, layout: str) -> None:
        self.layout = Struct(layout)

    def lift(self, memory: Callable[[], Memory], *flat: Any) -> Waits:
        source, target, count = flat
        array = claimed(memory(), source, count * self.layout.size, LONG_ALIGNMENT)
        room = checked(memory(), target, count * EVENT.size, LONG_ALIGNMENT)
        if not 0 < count <= MAX_WAITS:
            raise WasiError(Errno.INVAL, f"a poll of {count} subscriptions, 1 to {MAX_WAITS} are allowed")
        return Waits([wait_of(*fields) for fields in self.layout.iter_unpack(array.tobytes())], room)


@dataclass(frozen=True, slots=True)
class Waits:
    """What a guest waits for, and where the events go."""

    waits: list[Wait]
    room: memoryview

    def answer(self, events: Sequence[Event]) -> int:
        """Write events; their number."""
        for index, event in enumerate(events):
            packed = event.userdata, event.error, event.type, event.count, 0
            EVENT.pack_into(self.room, index * EVENT.size, *packed)
        return len(events)


def wait_of(userdata: int, tag: int, number: int, nanoseconds: int, flags: int) -> Wait:
    """A subscription; `number` is a clock or a descriptor."""
    try:
        type_ = EventType(tag)
        if type_ is EventType.CLOCK:
            return ClockWait(userdata, ClockId(number), nanoseconds, bool(flags & ABSOLUTE))
    except ValueError as error:
        raise WasiError(Errno.INVAL, str(error)) from None
    return DescriptorWait(userdata, number, type_)


Fd = U32
Path = Annotated[str, _Path()]
"""Pointer and length: a path in UTF-8 without a terminator."""
Iovecs = Annotated[list[memoryview], _Iovecs()]
"""Pointer to an array of pointers and lengths, and its length: views of guest memory, all of them checked."""
Room = Annotated[Buffer, _Room()]
"""Pointer and length of a buffer for an answer of unknown length, of a function without other effects."""
RightsBits = Annotated[Rights, _Rights()]
AdviceCode = Annotated[Advice, Choice(Advice)]
Clock = Annotated[ClockId, Choice(ClockId)]
WhenceCode = Annotated[Whence, Choice(Whence)]
FdFlagsBits = Annotated[FdFlags, Flags(FdFlags)]
LookupBits = Annotated[LookupFlags, Flags(LookupFlags)]
OpenBits = Annotated[OpenFlags, Flags(OpenFlags)]
ReceiveBits = Annotated[ReceiveFlags, Flags(ReceiveFlags)]
ShutdownBits = Annotated[ShutdownFlags, Flags(ShutdownFlags)]
TimesBits = Annotated[SetTimes, Flags(SetTimes)]
Polling = Annotated[Waits, Subscriptions("<QB7xI4xQ8xH6x")]
Filestat = Annotated[tuple[int, ...], Record("QQB7xQQQQQ")]
"""Device, inode, type, links, size, times of access, modification and change."""
Fdstat = Annotated[tuple[int, ...], Record("BxH4xQQ")]
"""Type, flags, rights, inheriting rights."""
Prestat = Annotated[tuple[int, ...], Record("B3xI")]
"""Kind, bytes of its name."""
DIRECTORY_KIND, OTHER_KIND = 0, 255
"""Only directories have a kind in preview1. C libraries that look for them pass over another kind, but
stop at an error."""


def filestat(stat: Stat) -> tuple[int, ...]:
    """The fields of a `Filestat`."""
    times = stat.accessed, stat.modified, stat.changed
    return (stat.device, stat.inode, stat.filetype, stat.links, stat.size, *times)


def put_strings(memory: Memory, pointers: int, buffer: int, strings: Sequence[bytes]) -> None:
    """Write strings with their terminators to `buffer` and their addresses to `pointers`."""
    table = checked(memory, pointers, 4 * len(strings), ALIGNMENT)
    room = checked(memory, buffer, size_of(strings))
    room[:] = b"".join(string + b"\0" for string in strings)
    offset = 0
    for index, string in enumerate(strings):
        ADDRESS.pack_into(table, 4 * index, buffer + offset)
        offset += len(string) + 1


def size_of(strings: Iterable[bytes]) -> int:
    """Bytes that strings take with their terminators."""
    return sum(len(string) + 1 for string in strings)


def packed_entries(entries: Iterable[tuple[int, Entry]], room: int) -> bytes:
    """Directory entries, the last one cut off where `room` bytes end."""
    packed = bytearray()
    for cookie, entry in entries:
        packed += DIRENT.pack(cookie, entry.inode, len(entry.name), entry.filetype) + entry.name
        if len(packed) >= room:
            break
    return bytes(packed[:room])
