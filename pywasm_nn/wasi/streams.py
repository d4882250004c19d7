"""Standard input, output and error: bytes, a file object, a callable, or the process's own.

What is here: `Capture`, `Input` and `Output`, and making them from each kind of source and sink.
What is not: assigning descriptor numbers (`provider.py`).
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
from .descriptors import Descriptor
from .errors import Errno, WasiError
from .patience import PIECE, POLLABLE, Buffers, Patience, pieces, size_of


class Readable(Protocol):
    """A binary file to read from."""

    def read(self, count: int, /) -> bytes | None: ...


class Writable(Protocol):
    """A binary file to write to."""

    def write(self, data: bytes, /) -> object: ...


Source = bytes | Readable | Callable[[int], bytes] | None
"""The source of standard input. A callable gets the number of bytes wanted and returns at most that many, b""
at the end; None means the process's own."""
Sink = Writable | Callable[[bytes], object] | None
"""The sink of output: a binary file, a callable that gets every piece, or None for the process's own."""


class Capture:
    """A sink that keeps the output. Beyond `limit` bytes the guest gets ENOSPC."""

    def __init__(self, limit: int = 1 << 28) -> None:
        check_whole("limit", limit)
        self.limit = limit
        self._data = bytearray()

    def write(self, data: bytes) -> int:
        if len(self._data) + len(data) > self.limit:
            raise WasiError(Errno.NOSPC, f"a Capture takes at most {self.limit} bytes")
        self._data += data
        return len(data)

    def __repr__(self) -> str:
        return named("Capture", f"of {sized(len(self._data))}")

    @property
    def value(self) -> bytes:
        """The whole output so far."""
        return bytes(self._data)


class Budget:
    """Counts the bytes that a guest writes to its outputs, up to a limit; None means no limit. `report` is
    told once that output was cut off: programs seldom check whether they could write."""

    def __init__(self, limit: int | None = None, report: Callable[[str], None] = lambda text: None) -> None:
        self.limit = limit
        self.written = 0
        self._report = report
        self._told = False

    def spend(self, count: int) -> None:
        """Count bytes before they are written; a negative count corrects that. Raises ENOSPC beyond the
        limit."""
        if self.limit is not None and self.written + count > self.limit:
            raise WasiError(Errno.NOSPC, f'the guest may write {self.limit} bytes of output (limit "output")')
        self.written += count

    def tell(self, error: WasiError) -> None:
        """Report an error that cuts output off."""
        if error.errno is Errno.NOSPC and not self._told:
            self._told = True
            self._report(f"the guest's output was cut off: {error.reason}")


class Stream(Descriptor):
    """The base of input and output. `number` is the host's descriptor behind the stream, or None."""

    writes: bool
    """The direction of the stream."""

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
        """Returns the bytes that have not been read yet, if the source is bytes."""

    def copy(self) -> Descriptor:
        if self.rest is None:
            return super().copy()
        copied = input_from(self.rest())
        copied.rights, copied.flags = self.rights, self.flags
        return copied

    def pwrite(self, buffers: Buffers, offset: int, patience: Patience) -> int:
        raise WasiError(self.not_a_file)

    def read(self, buffers: Buffers, patience: Patience) -> int:
        """Fill the first buffer from one read of the source: a second read of a terminal would wait for more
        input."""
        buffer = next(filter(len, buffers), None)
        if buffer is None:
            return 0
        if self.number is not None and POLLABLE and patience() is not None:
            from .ready import await_ready

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
        """Another descriptor for the same sink, with the same budget."""
        copied = Output(self._write, self.number, self._flush)
        copied.budget, copied.rights, copied.flags = self.budget, self.rights, self.flags
        copied.heard = self.heard
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
        """Our own descriptor of the terminal that the sink writes to."""
        self.heard: Callable[[bytes], None] | None = None
        """Gets each piece of data after it was written."""

    def close(self) -> None:
        if self._terminal is not None:
            os.close(self._terminal)

    def write(self, buffers: Buffers, patience: Patience) -> int:
        # Buffers may overlap, so they may name far more bytes than the guest has. So each piece is joined
        # separately.
        size, put = self.way(patience)
        count, written, spent = size_of(buffers), 0, 0
        try:
            self.budget.spend(count)
            spent = count
            for piece in pieces(buffers, size):
                if written:
                    patience()
                data = b"".join(piece)
                taken = put(data)
                written += taken
                if self.heard is not None:
                    self.heard(data[:taken])
        except OSError:
            if not written:
                raise
        except WasiError as error:
            self.budget.tell(error)
            if not written:
                raise
        finally:
            self.budget.spend(written - spent)
        return written

    def way(self, patience: Patience) -> tuple[int, Callable[[bytes], int]]:
        """The size of a piece, and the function that writes one, so that no write outlasts the guest's time.

        A descriptor that other processes share must not be made non-blocking. But a ready pipe accepts a
        small piece at once, and a terminal can be opened a second time.
        """
        if self.number is None or not POLLABLE or patience() is None or is_regular(self.number):
            return PIECE, self.put
        from .ready import AT_ONCE, await_ready, when_ready

        number = self.number
        if self.filetype is Filetype.CHARACTER_DEVICE and self._terminal is None:
            self._terminal = terminal_of(number)
        terminal = self._terminal

        def put_when_ready(data: bytes) -> int:
            if terminal is None:
                await_ready(number, True, patience)
                return self.put(data)
            if self._flush:
                self._flush()  # the host's own output comes first
            return when_ready(lambda: os.write(terminal, data), terminal, True, patience)

        return AT_ONCE, put_when_ready

    def put(self, data: bytes) -> int:
        """Write at once, however long that takes."""
        self._write(data)
        if self._flush:
            self._flush()
        return len(data)


def check_source(name: str, source: object) -> None:
    """Raises TypeError if the object can't be a source of input."""
    usable = callable(source) or hasattr(source, "read") or isinstance(source, bytes | bytearray | memoryview)
    if source is not None and (not usable or isinstance(source, type)):
        raise refuse(name, "bytes, a binary file, a callable, or None for the process's own", source)
    check_binary(name, source)


def check_sink(name: str, sink: object) -> None:
    """Raises TypeError if the object can't be a sink of output."""
    usable = (callable(sink) or hasattr(sink, "write")) and not isinstance(sink, type)
    if sink is not None and not usable:
        raise refuse(name, "a binary file, a callable, a Capture, or None for the process's own", sink)
    check_binary(name, sink)


def check_binary(name: str, stream: object) -> None:
    """Raises TypeError for a text file."""
    if isinstance(stream, TextIOBase):
        raise refuse(name, "a binary file", stream, "open it with the mode 'rb' or 'wb', or use its buffer")


def input_from(source: Source) -> Input:
    """Standard input from the user's source."""
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
    """Standard output or error to the user's sink; `own` is the process's stream."""
    if sink is None:
        output = own_output(own)
    elif callable(sink):
        output = Output(sink)
    else:
        output = Output(sink.write, number_of(sink), getattr(sink, "flush", None))
    output.budget = budget
    return output


def own_input() -> Input:
    """The process's standard input, read through its descriptor: a buffer would hide bytes from polling."""
    number = number_of(sys.stdin)
    if number is None:
        return Input(lambda count: b"")
    return Input(lambda count: os.read(number, count), number)


def own_output(stream: TextIO | None) -> Output:
    """The process's standard output or error, in order with Python's own output there."""
    if stream is None:
        return Output(lambda data: None)
    binary = getattr(stream, "buffer", None)
    if binary is None:  # in a notebook
        decode = getincrementaldecoder("utf-8")("replace").decode
        return Output(lambda data: stream.write(decode(data)), None, stream.flush)

    def write(data: bytes) -> None:
        stream.flush()
        binary.write(data)

    return Output(write, number_of(stream), binary.flush)


def number_of(stream: object) -> int | None:
    """The host's descriptor of a file object, or None."""
    fileno = getattr(stream, "fileno", None)
    if fileno is None:
        return None
    try:
        return int(fileno())
    except (OSError, ValueError):  # in memory, closed, or replaced by a test runner
        return None


def is_regular(number: int) -> bool:
    """Whether a host descriptor is a file on a disk; writes to it don't wait long."""
    return stat.S_ISREG(os.fstat(number).st_mode)


def terminal_of(number: int) -> int | None:
    """Another, non-blocking descriptor of a terminal, or None."""
    try:
        return os.open(os.ttyname(number), os.O_WRONLY | os.O_NONBLOCK | os.O_NOCTTY)
    except OSError:
        return None
