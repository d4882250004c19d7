"""wasi:io: errors, pollables and streams.

https://github.com/WebAssembly/WASI/tree/v0.2.12/proposals/io/wit
What is here: streams over descriptors, which are read and written at once or after waiting. What is not:
where descriptors come from (`cli.py`, `files.py`).
"""

from __future__ import annotations

from collections.abc import Sequence

from ...component.canonical.helpers import trap
from ...component.interface import U32, U64, Borrow, Interface, Variant, fails
from ...errors import LimitError
from ..codes import ClockId
from ..errors import Errno, WasiError, number_of
from ..system import LONGEST_SLEEP, piece_of
from .guest import Guest, User

ERROR = Interface("wasi:io/error")
POLL = Interface("wasi:io/poll")
STREAMS = Interface("wasi:io/streams")

MOST_AT_ONCE = 1 << 16
"""Bytes that one call reads at most, as in wasmtime."""
ROOM = 1 << 20
"""Bytes that an output stream takes after a check."""
MOST_FLUSHED = 4096
"""Bytes that one call may write and flush."""
ZEROES = bytes(MOST_FLUSHED)


@ERROR.resource
class Error:
    """Why a stream failed."""

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
        """The error of a stream for one of the model; a pipe that nobody reads is closed."""
        number = number_of(error)
        if number is None:
            return None
        if number is Errno.PIPE:
            return cls("closed")
        return cls("last-operation-failed", Error(number, number.name))


class EndError(WasiError):
    """The end of a stream, which isn't an error of the system's."""

    def __init__(self) -> None:
        super().__init__(Errno.PIPE, "the stream has ended")


# Waiting


@POLL.resource
class Pollable:
    """Something to wait for: one that is ready at any time, unless a subclass says otherwise."""

    number: int | None = None
    """The host's descriptor that tells when it is ready."""
    writes = False
    """Whether that is when it can be written."""

    def left(self) -> int:
        """Nanoseconds until it is ready by itself; more than anybody waits if a descriptor tells."""
        return 0

    def ready(self, guest: Guest) -> bool:
        return bool(poll_at_most(guest, [self], 0))

    def block(self, guest: Guest) -> None:
        poll_at_most(guest, [self], None)


class Timer(Pollable):
    """Ready from a moment of the monotonic clock on."""

    def __init__(self, guest: Guest, moment: int) -> None:
        self.guest = guest
        self.moment = moment

    def left(self) -> int:
        return max(self.moment - self.guest.system.now(ClockId.MONOTONIC), 0)


class Readiness(Pollable):
    """Ready when a descriptor of the host's is."""

    def __init__(self, number: int, writes: bool) -> None:
        self.number = number
        self.writes = writes

    def left(self) -> int:
        return LONGEST_SLEEP * 1000


def poll_at_most(guest: Guest, pollables: Sequence[Pollable], nanoseconds: int | None) -> list[int]:
    """The indices of those that are ready, as soon as there are any, and after so long at the latest; None is
    for ever. Raises DeadlineError."""
    from ..polling import ready

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
    """What to wait for before reading or writing a descriptor of the guest's."""
    try:
        host = guest.descriptor(number).ready(writes)
    except (OSError, WasiError):
        return Pollable()  # whoever tries learns of the error
    return Pollable() if host is None else Readiness(host, writes)


# Streams


class Stream(User):
    """A descriptor that is used at its own position, or at one of the stream's. What fails closes the stream
    for good."""

    writes = False

    def __init__(self, guest: Guest, number: int, position: int | None = None) -> None:
        super().__init__(guest, number)
        self._position = position
        self._failed = False

    def _open(self) -> None:
        """Raise EndError once something has failed."""
        if self._failed:
            raise EndError

    def _pollable(self) -> Pollable:
        if self._failed or self._position is not None:
            return Pollable()
        return pollable_of(self._guest, self._number, self.writes)


@STREAMS.resource
class InputStream(Stream):
    """Bytes that come."""

    def _take(self, count: int) -> bytes:
        """At most so many bytes, at least one. Raises EndError."""
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
        """What is there, perhaps nothing."""
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
    """Bytes that go. They are written at once, so there is nothing to flush."""

    writes = True
    _room = 0
    """Bytes that may be written before the next check."""

    def _put(self, data: bytes | memoryview) -> None:
        """Write all of it."""
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
        """Traps where a guest writes more than it was told that it may."""
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
