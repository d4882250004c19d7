"""Standard input, output and error: bytes, a file object, a callable, or the process's own.

What is here: `Capture`, `Input` and `Output`, and how each kind of source and sink becomes one of them.
What is not: which descriptor numbers they get (`system.py`).
"""

from __future__ import annotations

import os
import stat
import sys
from codecs import getincrementaldecoder
from collections.abc import Callable
from io import BytesIO, TextIOBase
from typing import Protocol, TextIO

from ..brief import named, sized
from ..checks import check_whole, refuse
from .codes import INPUT_RIGHTS, OUTPUT_RIGHTS, FdFlags, Filetype
from .descriptors import POLLABLE, Descriptor
from .errors import Errno, WasiError
from .patience import PIECE, Buffers, Patience, pieces, size_of, when_ready


class Readable(Protocol):
    """A binary file to read from."""

    def read(self, count: int, /) -> bytes | None: ...


class Writable(Protocol):
    """A binary file to write to."""

    def write(self, data: bytes, /) -> object: ...


Source = bytes | Readable | Callable[[int], bytes] | None
"""Where standard input comes from. A callable gets how many bytes are wanted and answers at most so many, b""
at the end; None is the process's own."""
Sink = Writable | Callable[[bytes], object] | None
"""Where output goes: a binary file, a callable that gets every piece, or None for the process's own."""


class Capture:
    """A sink that keeps what is written. Beyond `limit` bytes the guest gets ENOSPC."""

    def __init__(self, limit: int = 1 << 28) -> None:
        check_whole("limit", limit)
        self.limit = limit
        self._data = bytearray()

    def write(self, data: bytes) -> int:
        if len(self._data) + len(data) > self.limit:
            raise WasiError(Errno.NOSPC, f"the guest wrote more than {self.limit} bytes")
        self._data += data
        return len(data)

    def __repr__(self) -> str:
        return named("Capture", f"of {sized(len(self._data))}")

    @property
    def value(self) -> bytes:
        """All that was written so far."""
        return bytes(self._data)


class Budget:
    """Bytes that a guest may still write to its outputs; None: as many as it likes."""

    def __init__(self, limit: int | None = None) -> None:
        self.limit = limit
        self.written = 0

    def spend(self, count: int) -> None:
        """Count bytes that are about to be written, or weren't. Raises ENOSPC beyond the limit."""
        if self.limit is not None and self.written + count > self.limit:
            raise WasiError(Errno.NOSPC, f"the guest may write {self.limit} bytes of output")
        self.written += count


class Stream(Descriptor):
    """What input and output have in common. `number` is the host's descriptor behind it, None without one."""

    writes: bool
    """The one direction that there is."""

    def __init__(self, number: int | None) -> None:
        super().__init__(self.applicable)
        self.number = number
        if number is not None and os.isatty(number):
            self.filetype = Filetype.CHARACTER_DEVICE

    def set_flags(self, flags: FdFlags) -> None:
        raise WasiError(self.not_a_file)

    def ready(self, write: bool) -> int | None:
        if write is not self.writes:
            raise WasiError(self.not_a_file)
        return self.number if POLLABLE else None


class Input(Stream):
    """A stream that can be read."""

    applicable = INPUT_RIGHTS
    writes = False

    def __init__(self, read: Callable[[int], bytes | None], number: int | None = None) -> None:
        super().__init__(number)
        self._read = read
        self.rest: Callable[[], bytes] | None = None
        """What has not been read yet, if it was all given as bytes."""

    def copy(self) -> Descriptor:
        if self.rest is None:
            return super().copy()
        copied = input_from(self.rest())
        copied.rights, copied.flags = self.rights, self.flags
        return copied

    def pwrite(self, buffers: Buffers, offset: int, patience: Patience) -> int:
        raise WasiError(self.not_a_file)

    def read(self, buffers: Buffers, patience: Patience) -> int:
        """Fill the first buffer as far as one read of the source goes: a terminal must not be asked twice."""
        buffer = next(filter(len, buffers), None)
        if buffer is None:
            return 0
        if self.number is not None and POLLABLE and patience() is not None:
            from .polling import await_ready

            await_ready(self.number, False, patience)
        data = self._read(min(len(buffer), PIECE))
        if data is None:
            raise WasiError(Errno.AGAIN, "nothing to read yet")
        if len(data) > len(buffer):
            raise WasiError(
                Errno.IO, f"the source of standard input gave {len(data)} bytes, not at most {len(buffer)}"
            )
        buffer[: len(data)] = data
        return len(data)


class Output(Stream):
    """A stream that can be written."""

    applicable = OUTPUT_RIGHTS
    writes = True

    def copy(self) -> Descriptor:
        """Another way to the same sink, within the same budget."""
        copied = Output(self._write, self.number, self._flush)
        copied.budget, copied.rights, copied.flags = self.budget, self.rights, self.flags
        return copied

    def pread(self, buffers: Buffers, offset: int, patience: Patience) -> int:
        raise WasiError(self.not_a_file)

    def __init__(
        self,
        write: Callable[[bytes], object],
        number: int | None = None,
        flush: Callable[[], object] | None = None,
    ) -> None:
        super().__init__(number)
        self.budget = Budget()
        self._write = write
        self._flush = flush
        self._terminal: int | None = None
        """The terminal that is written to, opened by us."""

    def close(self) -> None:
        if self._terminal is not None:
            os.close(self._terminal)

    def write(self, buffers: Buffers, patience: Patience) -> int:
        # Buffers may overlap, so that they name far more bytes than the guest has: each piece is joined anew.
        size, put = self.way(patience)
        count, written = size_of(buffers), 0
        self.budget.spend(count)
        try:
            for piece in pieces(buffers, size):
                if written:
                    patience()
                written += put(b"".join(piece))
        except (OSError, WasiError):
            if not written:
                raise
        finally:
            self.budget.spend(written - count)
        return written

    def way(self, patience: Patience) -> tuple[int, Callable[[bytes], int]]:
        """How many bytes to write at once, and how: so that nobody waits for longer than the guest has time.

        What others have open too can't be made not to wait. But a pipe that is ready takes a small piece at
        once, and a terminal can be opened another time.
        """
        if self.number is None or not POLLABLE or patience() is None or is_regular(self.number):
            return PIECE, self.put
        from .polling import AT_ONCE, await_ready

        number = self.number
        if self.filetype is Filetype.CHARACTER_DEVICE and self._terminal is None:
            self._terminal = terminal_of(number)
        terminal = self._terminal

        def put_when_ready(data: bytes) -> int:
            if terminal is None:
                await_ready(number, True, patience)
                return self.put(data)
            if self._flush:
                self._flush()  # what the host itself wrote comes first
            return when_ready(lambda: os.write(terminal, data), terminal, True, patience)

        return AT_ONCE, put_when_ready

    def put(self, data: bytes) -> int:
        """Write at once, as long as that may take."""
        self._write(data)
        if self._flush:
            self._flush()
        return len(data)


def check_source(name: str, source: object) -> None:
    """Raises TypeError unless input can come from there."""
    usable = callable(source) or hasattr(source, "read") or isinstance(source, bytes | bytearray | memoryview)
    if source is not None and (not usable or isinstance(source, type)):
        raise refuse(name, "bytes, a binary file, a callable, or None for the process's own", source)
    check_binary(name, source)


def check_sink(name: str, sink: object) -> None:
    """Raises TypeError unless output can go there."""
    usable = (callable(sink) or hasattr(sink, "write")) and not isinstance(sink, type)
    if sink is not None and not usable:
        raise refuse(name, "a binary file, a callable, a Capture, or None for the process's own", sink)
    check_binary(name, sink)


def check_binary(name: str, stream: object) -> None:
    """Raises TypeError for a file of text."""
    if isinstance(stream, TextIOBase):
        raise refuse(name, "a binary file", stream, "open it with the mode 'rb' or 'wb', or use its buffer")


def input_from(source: Source) -> Input:
    """Standard input from what the user gave."""
    if source is None:
        return own_input()
    if isinstance(source, bytes | bytearray | memoryview):
        data = BytesIO(source)
        made = Input(data.read)
        made.rest = lambda: data.getvalue()[data.tell() :]
        return made
    if callable(source):
        return Input(source)
    return Input(getattr(source, "read1", source.read), number_of(source))


def output_to(sink: Sink, own: TextIO | None, budget: Budget) -> Output:
    """Standard output or error to what the user gave; `own` is the process's."""
    if sink is None:
        output = own_output(own)
    elif callable(sink):
        output = Output(sink)
    else:
        output = Output(sink.write, number_of(sink), getattr(sink, "flush", None))
    output.budget = budget
    return output


def own_input() -> Input:
    """The process's standard input: its descriptor, so that readiness and reading mean the same bytes."""
    number = number_of(sys.stdin)
    if number is None:
        return Input(lambda count: b"")
    return Input(lambda count: os.read(number, count), number)


def own_output(stream: TextIO | None) -> Output:
    """The process's standard output or error, in order with what Python itself prints there."""
    if stream is None:
        return Output(lambda data: None)
    binary = getattr(stream, "buffer", None)
    if binary is None:  # a notebook's
        decode = getincrementaldecoder("utf-8")("replace").decode
        return Output(lambda data: stream.write(decode(data)), None, stream.flush)

    def write(data: bytes) -> None:
        stream.flush()
        binary.write(data)

    return Output(write, number_of(stream), binary.flush)


def number_of(stream: object) -> int | None:
    """The host's descriptor of a file object that has one."""
    fileno = getattr(stream, "fileno", None)
    if fileno is None:
        return None
    try:
        return int(fileno())
    except (OSError, ValueError):  # in memory, closed, or replaced by a test runner
        return None


def is_regular(number: int) -> bool:
    """Whether a descriptor of the host's is of a file on a disk, for which nobody waits long."""
    return stat.S_ISREG(os.fstat(number).st_mode)


def terminal_of(number: int) -> int | None:
    """Another descriptor of a terminal, which never waits; None where there is none to be had."""
    try:
        return os.open(os.ttyname(number), os.O_WRONLY | os.O_NONBLOCK | os.O_NOCTTY)
    except OSError:
        return None
