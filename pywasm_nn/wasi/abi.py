"""Crossings of WASI preview1 between guest memory and Python: records, paths, vectors of buffers,
subscriptions.

Layouts: https://github.com/WebAssembly/WASI/blob/main/legacy/preview1/docs.md#types
Bounds are checked before a function runs, and the memory used here is bounded by the guest's real memory.
What is not here: the functions that use the values (`preview1.py`, `unstable.py`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from struct import Struct
from typing import TYPE_CHECKING, Annotated, Any

from ..enumerations import IntEnum, IntFlag
from ..host import U32, AlignmentError, Crossing, Memory, NoSuchValueError, PointerError, Record, checked
from ..interpreter.types import I32, I64, NumType
from ..limits import DEFAULTS, Limits
from ..records import Frozen
from .codes import (
    Advice,
    ClockFlags,
    ClockId,
    EventType,
    FdFlags,
    LookupFlags,
    OpenFlags,
    ReceiveFlags,
    Rights,
    SetTimes,
    ShutdownFlags,
    Signal,
    Whence,
)  # fmt: skip
from .descriptors import PATH_MAX, Entry, Stat
from .errors import Errno, WasiError
from .patience import MAX_BUFFERS

if TYPE_CHECKING:
    from .waits import Event, Wait

IOVEC = Struct("<II")
DIRENT = Struct("<QQIB3x")
ADDRESS = Struct("<I")
EVENT = Struct("<QHB5xQH6x")
ALIGNMENT = 4
"""Alignment of pointers, and of records of pointers."""
LONG_ALIGNMENT = 8
"""Alignment of records that contain 64-bit numbers."""
MOST_BYTES = 0x7FFF_F000
"""The maximum of bytes that one call reads or writes, as on Linux; the guest continues with the next call."""
LOOKED_AT = 1 << 16
"""The number of entries of a buffer array that one call examines: empty buffers cost time too."""
MAX_CLAIM = 1 << 27
"""The maximum of bytes that a guest may claim to pass as a path or an array; for more it gets ENOMEM, as from
wasmtime."""


class Choice(Crossing, Frozen):
    """A number for a member of an enumeration; any other number traps."""

    type: type[IntEnum]
    points = False

    def lift(self, memory: Memory, *flat: Any) -> IntEnum:
        try:
            return self.type(flat[0])
        except ValueError:
            raise NoSuchValueError(f"{self.type.__name__} {flat[0]}") from None


class Flags(Crossing):
    """Bits of a flag set; a bit without a name traps."""

    points = False

    def __init__(self, type: type[IntFlag], core: NumType = I32) -> None:
        self.type = type
        self.core = core
        self.unknown = ~sum(type)

    @property
    def flat(self) -> tuple[NumType, ...]:
        return (self.core,)

    def lift(self, memory: Memory, *flat: Any) -> IntFlag:
        if flat[0] & self.unknown:
            raise NoSuchValueError(f"{self.type.__name__} 0x{flat[0] & self.unknown:x}")
        return self.type(flat[0])


def claimed(count: int) -> int:
    """The number of bytes that a guest claims to pass. Raises ENOMEM if it is absurdly large."""
    if count > MAX_CLAIM:
        raise WasiError(Errno.NOMEM, f"the guest claims to pass {count} bytes")
    return count


class _Path(Crossing, Frozen):
    limited: bool = True
    most: int = PATH_MAX
    flat = (I32, I32)

    def within(self, limits: Limits) -> Crossing:
        return _Path(self.limited, min(limits.names, PATH_MAX))

    def lift(self, memory: Memory, *flat: Any) -> str:
        view = checked(memory, flat[0], claimed(flat[1]) if self.limited else flat[1])
        if len(view) >= self.most:
            raise WasiError(Errno.NAMETOOLONG, f"a path of {len(view)} bytes")
        return bytes(view).decode("utf-8")


class _Iovecs(Crossing, Frozen):
    most: int = MAX_BUFFERS
    flat = (I32, I32)

    def within(self, limits: Limits) -> Crossing:
        return _Iovecs(limits.buffers)

    def lift(self, memory: Memory, *flat: Any) -> list[memoryview]:
        address, count = flat
        return buffers_of(memory, address, count, self.most) if claimed(count * IOVEC.size) else []


def buffers_of(memory: Memory, address: int, count: int, most: int) -> list[memoryview]:
    """The non-empty buffers of an array. At most `most` buffers and MOST_BYTES bytes are taken, and the array
    ends at the first buffer outside memory. Such a call is short; the guest's next call begins at that buffer
    and gets a PointerError."""
    if address % ALIGNMENT:
        raise AlignmentError(address, ALIGNMENT)
    size = memory.size
    there = min(count, max(size - address, 0) // IOVEC.size)
    array = memory.view(address, min(there, LOOKED_AT) * IOVEC.size) if there else b""
    buffers: list[memoryview] = []
    room = MOST_BYTES
    for offset in range(0, len(array), IOVEC.size):
        buffer, length = IOVEC.unpack_from(array, offset)
        if not length:
            continue
        if len(buffers) == most or not room or (buffers and buffer + length > size):
            return buffers
        buffers.append(checked(memory, buffer, length)[:room])
        room -= len(buffers[-1])
    if there < count and not buffers:
        raise PointerError(address, count * IOVEC.size, size)
    return buffers


class Buffer(Frozen):
    """The guest's room of `length` bytes. Only the bytes that are written must be inside memory, as in
    wasmtime: guests claim more than they have if they know that less comes."""

    memory: Memory
    address: int
    length: int

    def __repr__(self) -> str:
        return f"{self.length} bytes at 0x{self.address:x}"

    def view(self) -> memoryview:
        """The whole buffer. It must be inside memory."""
        return checked(self.memory, self.address, self.length) if self.length else memoryview(b"")

    def put(self, data: bytes) -> int:
        """Write as much of `data` as fits; returns the number of bytes."""
        count = min(self.length, len(data))
        checked(self.memory, self.address, count)[:] = data[:count]
        return count


class _Room(Crossing):
    flat = (I32, I32)

    def lift(self, memory: Memory, *flat: Any) -> Buffer:
        return Buffer(memory, *flat)


class Subscriptions(Crossing):
    """Pointers to subscriptions and to room for as many events, and their number, which cross as one `Waits`.

    `layout` begins with the fields of a clock: userdata, type, clock, timeout, precision, flags; a
    descriptor's fields are the same up to its number.
    """

    flat = (I32, I32, I32)

    def __init__(self, layout: str, most: int = DEFAULTS.waits) -> None:
        self.layout = Struct(layout)
        self.most = most

    def within(self, limits: Limits) -> Crossing:
        return Subscriptions(self.layout.format, limits.waits)

    def lift(self, memory: Memory, *flat: Any) -> Waits:
        source, target, count = flat
        array = checked(memory, source, claimed(count * self.layout.size), LONG_ALIGNMENT)
        room = checked(memory, target, count * EVENT.size, LONG_ALIGNMENT)
        if not 0 < count <= self.most:
            raise WasiError(Errno.INVAL, f"a poll of {count} subscriptions, 1 to {self.most} are allowed")
        return Waits([wait_of(*fields) for fields in self.layout.iter_unpack(array.tobytes())], room)


class Waits(Frozen):
    """The waits of a poll, and the room for their events."""

    waits: list[Wait]
    room: memoryview

    def answer(self, events: Sequence[Event]) -> int:
        """Write events; returns their number."""
        for index, event in enumerate(events):
            packed = event.userdata, event.error, event.type, event.count, 0
            EVENT.pack_into(self.room, index * EVENT.size, *packed)
        return len(events)


def wait_of(userdata: int, tag: int, number: int, nanoseconds: int, flags: int) -> Wait:
    """Make a wait from a subscription; `number` is a clock or a descriptor."""
    from .waits import ClockWait, DescriptorWait

    try:
        type_ = EventType(tag)
        if type_ is not EventType.CLOCK:
            return DescriptorWait(userdata, number, type_)
        clock = ClockId(number)
    except ValueError as error:
        raise WasiError(Errno.INVAL, str(error)) from None
    if flags & ~ClockFlags.ABSTIME.value:
        raise WasiError(Errno.INVAL, f"a clock is waited for with flags 0x{flags:x}")
    return ClockWait(userdata, clock, nanoseconds, bool(flags))


Fd = U32
Path = Annotated[str, _Path()]
"""Pointer and length: a path in UTF-8 without a terminator."""
UnlimitedPath = Annotated[str, _Path(limited=False)]
"""The same, but an absurd length is not ENOMEM: the path reaches outside memory, so the call traps."""
Iovecs = Annotated[list[memoryview], _Iovecs()]
"""Pointer to an array of pointers and lengths, and its length: views of memory, from `buffers_of`."""
Room = Annotated[Buffer, _Room()]
"""Pointer and length of a buffer for an answer of unknown length, for functions without other effects."""
RightsBits = Annotated[Rights, Flags(Rights, I64)]
AdviceCode = Annotated[Advice, Choice(Advice)]
Clock = Annotated[ClockId, Choice(ClockId)]
SignalCode = Annotated[Signal, Choice(Signal)]
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
"""Kind, and bytes of the name."""
DIRECTORY_KIND, OTHER_KIND = 0, 255
"""Only directories have a kind in preview1. C libraries that list preopened directories skip another kind,
but stop at an error."""


def filestat(stat: Stat) -> tuple[int, ...]:
    """The fields of a `Filestat`."""
    times = stat.accessed, stat.modified, stat.changed
    return (stat.device, stat.inode, stat.filetype, stat.links, stat.size, *times)


def put_strings(memory: Memory, pointers: int, buffer: int, strings: Sequence[bytes]) -> None:
    """Write null-terminated strings to `buffer` and their addresses to `pointers`."""
    table = checked(memory, pointers, 4 * len(strings), ALIGNMENT)
    room = checked(memory, buffer, size_of(strings))
    room[:] = b"".join(string + b"\0" for string in strings)
    offset = 0
    for index, string in enumerate(strings):
        ADDRESS.pack_into(table, 4 * index, buffer + offset)
        offset += len(string) + 1


def size_of(strings: Iterable[bytes]) -> int:
    """The bytes of strings with their terminators."""
    return sum(len(string) + 1 for string in strings)


def packed_entries(entries: Iterable[tuple[int, Entry]], room: int) -> bytes:
    """Directory entries as bytes, cut after `room` bytes."""
    packed = bytearray()
    for cookie, entry in entries:
        packed += DIRENT.pack(cookie, entry.inode, len(entry.name), entry.filetype) + entry.name
        if len(packed) >= room:
            break
    return bytes(packed[:room])
