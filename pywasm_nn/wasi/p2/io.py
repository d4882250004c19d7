"""wasi:io: errors, pollables and streams.

https://github.com/WebAssembly/WASI/tree/v0.2.12/proposals/io/wit
What is here: streams over descriptors, with immediate and with waiting operations. What is not: opening
descriptors (`cli.py`, `files.py`).
"""

from __future__ import annotations

from collections.abc import Sequence

from ...component.canonical.helpers import trap
from ...component.interface import U32, U64, Borrow, Interface, Variant, fails
from ...errors import LimitError
from ..codes import ClockId
from ..errors import Errno, WasiError, number_of
from ..waits import LONGEST_SLEEP, piece_of
from .guest import Guest, User

ERROR = Interface("wasi:io/error")
POLL = Interface("wasi:io/poll")
STREAMS = Interface("wasi:io/streams")

MOST_AT_ONCE = 1 << 16
"""The maximum of bytes that one call reads, as in wasmtime."""
ROOM = 1 << 20
"""The number of bytes that an output stream accepts after `check-write`."""
MOST_FLUSHED = 4096
"""The maximum of bytes that one call may write and flush."""
ZEROES = bytes(MOST_FLUSHED)


@ERROR.resource
class Error:
    """The reason why a stream failed."""

    def __init__(self, number: Errno, text: str) -> None:
        self.number = number
        self.text = text

    def to_debug_string(self) -> str:
        return self.text


class StreamError(Variant):
    last_operation_failed: Error
    closed: None

    @classmethod
    def of(cls, error: Exception) -> StreamError | None:
        """The stream error for an error of the model; a pipe without a reader counts as closed."""
        number = number_of(error)
        if number is None:
            return None
        if number is Errno.PIPE:
            return cls("closed")
        return cls("last-operation-failed", Error(number, number.name))


class EndError(WasiError):
    """The end of a stream, which is no error of the system."""

    def __init__(self) -> None:
        super().__init__(Errno.PIPE, "the stream has ended")


# Waiting


@POLL.resource
class Pollable:
    """A condition to wait for. This base class is always ready."""

    number: int | None = None
    """The host's descriptor whose readiness is the condition, or None."""
    writes = False
    """Whether the condition is that the descriptor is writable."""

    def left(self) -> int:
        """Nanoseconds until the condition holds without a descriptor; a very long time if a descriptor
        decides."""
        return 0

    def ready(self, guest: Guest) -> bool:
        return bool(poll_at_most(guest, [self], 0))

    def block(self, guest: Guest) -> None:
        poll_at_most(guest, [self], None)


class Timer(Pollable):
    """Ready from a point in time of the monotonic clock on."""

    def __init__(self, guest: Guest, moment: int) -> None:
        self.guest = guest
        self.moment = moment

    def left(self) -> int:
        return max(self.moment - self.guest.system.now(ClockId.MONOTONIC), 0)


class Readiness(Pollable):
    """Ready when a host descriptor is ready."""

    def __init__(self, number: int, writes: bool) -> None:
        self.number = number
        self.writes = writes

    def left(self) -> int:
        return LONGEST_SLEEP * 1000


def poll_at_most(guest: Guest, pollables: Sequence[Pollable], nanoseconds: int | None) -> list[int]:
    """The indices of ready pollables, as soon as there are any, or after `nanoseconds` at the latest; None
    waits for ever. Raises DeadlineError."""
    from ..ready import ready

    while True:
        times = [pollable.left() for pollable in pollables]
        found = [index for index, left in enumerate(times) if not left]
        wait = 0 if found else min(times) if nanoseconds is None else min(*times, nanoseconds)
        inputs = {pollable.number for pollable in pollables if not pollable.writes} - {None}
        outputs = {pollable.number for pollable in pollables if pollable.writes} - {None}
        piece = piece_of(wait, guest.patience) if wait else 0
        if inputs or outputs:
            readable, writable = ready(inputs, outputs, piece)  # type: ignore[arg-type] # None was taken out
            found += [
                index
                for index, pollable in enumerate(pollables)
                if pollable.number is not None
                and pollable.number in (writable if pollable.writes else readable)
            ]
        elif piece:
            guest.system.sleep(piece, guest.patience)
        if nanoseconds is not None:
            nanoseconds = max(nanoseconds - piece, 0)
        if found or nanoseconds == 0:
            return sorted(found)


@POLL.function
def poll(guest: Guest, in_: list[Borrow[Pollable]]) -> list[U32]:
    if not in_:
        trap("poll of an empty list")
    if len(in_) > (most := guest.system.limits.waits):
        raise LimitError("waits", f"a poll waits for {len(in_)} things, the limit is {most}")
    return poll_at_most(guest, in_, None)


def pollable_of(guest: Guest, number: int, writes: bool) -> Pollable:
    """A pollable for reading or writing a guest's descriptor."""
    try:
        host = guest.descriptor(number).ready(writes)
    except (OSError, WasiError):
        return Pollable()  # the operation itself reports the error
    return Pollable() if host is None else Readiness(host, writes)


# Streams


class Stream(User):
    """A stream over a descriptor, at the descriptor's own position or at a separate one. After a failure the
    stream is closed for good."""

    writes = False

    def __init__(self, guest: Guest, number: int, position: int | None = None) -> None:
        super().__init__(guest, number)
        self._position = position
        self._failed = False

    def _open(self) -> None:
        """Raise EndError if the stream has failed."""
        if self._failed:
            raise EndError

    def _pollable(self) -> Pollable:
        if self._failed or self._position is not None:
            return Pollable()
        return pollable_of(self._guest, self._number, self.writes)


@STREAMS.resource
class InputStream(Stream):
    """A stream to read from."""

    def _take(self, count: int) -> bytes:
        """Read at least one byte, at most `count`. Raises EndError."""
        self._open()
        buffer = bytearray(min(count, MOST_AT_ONCE))
        descriptor, patience = self._guest.descriptor(self._number), self._guest.patience
        try:
            if self._position is None:
                taken = descriptor.read([memoryview(buffer)], patience)
            else:
                taken = descriptor.pread([memoryview(buffer)], self._position, patience)
                self._position += taken
        except (OSError, WasiError):
            self._failed = True
            raise
        if not taken and count:
            raise EndError
        return bytes(memoryview(buffer)[:taken])

    @fails(StreamError)
    def read(self, len_: U64) -> bytes:
        """Read the available bytes, perhaps none."""
        return self._take(len_) if self.subscribe().ready(self._guest) else b""

    @fails(StreamError)
    def blocking_read(self, len_: U64) -> bytes:
        self.subscribe().block(self._guest)
        return self._take(len_)

    @fails(StreamError)
    def skip(self, len_: U64) -> U64:
        return len(self._take(len_)) if self.subscribe().ready(self._guest) else 0

    @fails(StreamError)
    def blocking_skip(self, len_: U64) -> U64:
        self.subscribe().block(self._guest)
        return len(self._take(len_))

    def subscribe(self) -> Pollable:
        return self._pollable()


@STREAMS.resource
class OutputStream(Stream):
    """A stream to write to. Bytes are written at once, so flushing does nothing."""

    writes = True
    _room = 0
    """The number of bytes that may be written before the next check."""

    def _put(self, data: bytes | memoryview) -> None:
        """Write all bytes."""
        self._open()
        try:
            self._put_all(memoryview(data))
        except (OSError, WasiError):
            self._failed = True
            raise

    def _put_all(self, rest: memoryview) -> None:
        descriptor, patience = self._guest.descriptor(self._number), self._guest.patience
        while rest:
            if self._position is None:
                count = descriptor.write([rest], patience)
            else:
                count = descriptor.pwrite([rest], self._position, patience)
                self._position += count
            rest = rest[count:]
            if rest:
                patience()

    def _claim(self, count: int, most: int) -> None:
        """Trap if the guest writes more bytes than it was allowed to."""
        if count > most:
            trap(f"{count} bytes are written where there is room for {most}")

    @fails(StreamError)
    def check_write(self) -> U64:
        self._open()
        self._room = ROOM if self.subscribe().ready(self._guest) else 0
        return self._room

    @fails(StreamError)
    def write(self, contents: bytes) -> None:
        self._claim(len(contents), self._room)
        self._room -= len(contents)
        self._put(contents)

    @fails(StreamError)
    def blocking_write_and_flush(self, contents: bytes) -> None:
        self._claim(len(contents), MOST_FLUSHED)
        self._put(contents)

    @fails(StreamError)
    def flush(self) -> None:
        self._open()

    @fails(StreamError)
    def blocking_flush(self) -> None:
        self._open()

    def subscribe(self) -> Pollable:
        return self._pollable()

    @fails(StreamError)
    def write_zeroes(self, len_: U64) -> None:
        self._claim(len_, self._room)
        self._room -= len_
        self._put(bytes(len_))

    @fails(StreamError)
    def blocking_write_zeroes_and_flush(self, len_: U64) -> None:
        self._claim(len_, MOST_FLUSHED)
        self._put(ZEROES[:len_])

    @fails(StreamError)
    def splice(self, src: Borrow[InputStream], len_: U64) -> U64:
        self._open()
        if not self.subscribe().ready(self._guest):
            return 0
        data = src.read(min(len_, MOST_AT_ONCE))
        self._put(data)
        return len(data)

    @fails(StreamError)
    def blocking_splice(self, src: Borrow[InputStream], len_: U64) -> U64:
        self._open()
        data = src.blocking_read(min(len_, MOST_AT_ONCE))
        self._put(data)
        return len(data)


INTERFACES = ERROR, POLL, STREAMS
