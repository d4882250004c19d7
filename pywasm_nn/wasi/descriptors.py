"""Descriptors: what a guest's small numbers stand for.

What is here: `Table` (the lowest free number is the next), `Descriptor` with every question that can be asked
of one, and `File` on the host's file system. A descriptor answers what it can do; the base class refuses the
rest. What is not: standard streams (`streams.py`), directories (`directories.py`), files in memory
(`inmemory.py`), sockets (`sockets.py`), which function needs which right (the faces say it when they look a
descriptor up).
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import TYPE_CHECKING

from ..records import record
from .codes import (
    ALL_RIGHTS,
    FILE_RIGHTS,
    NO_FLAGS,
    NO_RIGHTS,
    SYNCED,
    Advice,
    FdFlags,
    Filetype,
    OpenFlags,
    ReceiveFlags,
    Rights,
    ShutdownFlags,
    Whence,
)
from .errors import Errno, WasiError
from .patience import Buffers, Patience, in_pieces, small, uninterrupted, when_ready

if TYPE_CHECKING:
    from .folders import Folder

MAX_OFFSET = (1 << 63) - 1
PATH_MAX = 4096
"""Bytes of a path with its terminator, as on Linux."""
ALLOCATED = 1 << 26
"""Bytes that are allocated at once: file systems without a way of their own write to each block."""
POLLABLE = os.name != "nt"
"""Whether the system says of any descriptor if it is ready; Windows does of sockets only."""


@record
class Stat:
    """What is known of a file. Times in nanoseconds since 1970."""

    filetype: Filetype
    device: int = 0
    inode: int = 0
    links: int = 1
    size: int = 0
    accessed: int = 0
    modified: int = 0
    changed: int = 0

    @classmethod
    def of(cls, status: os.stat_result) -> Stat:
        """The same in the host's words."""
        return cls(
            Filetype.of_mode(status.st_mode),
            status.st_dev & 0xFFFF_FFFF_FFFF_FFFF,
            status.st_ino & 0xFFFF_FFFF_FFFF_FFFF,  # 128 bits on some file systems of Windows
            status.st_nlink,
            status.st_size,
            max(status.st_atime_ns, 0),
            max(status.st_mtime_ns, 0),
            max(status.st_ctime_ns, 0),
        )


@record
class Times:
    """Which times to set, in nanoseconds since 1970; None leaves one as it is."""

    accessed: int | None
    modified: int | None

    def of(self, stat: Stat) -> tuple[int, int]:
        """Both, the missing ones from `stat`."""
        accessed = stat.accessed if self.accessed is None else self.accessed
        return accessed, stat.modified if self.modified is None else self.modified


@record
class Entry:
    """A name in a directory. `name` is as the host has it, which need not be UTF-8."""

    name: bytes
    inode: int
    filetype: Filetype


class Descriptor:
    """Base of everything with a number. Each method is a question; whoever can't answer raises WasiError."""

    filetype = Filetype.UNKNOWN
    applicable = ALL_RIGHTS
    """Rights that mean something here. Nobody lacks another one: the question itself is refused, with a
    better reason."""
    not_a_file = Errno.BADF
    not_seekable = Errno.SPIPE
    descriptor: int | None = None
    """The host's descriptor that is open for this one."""
    preopen: str | None = None
    """Under which path the guest was given this before it ran; None for what it opened itself."""

    def __init__(self, rights: Rights, inheriting: Rights = NO_RIGHTS, flags: FdFlags = NO_FLAGS) -> None:
        self.rights = rights & self.applicable
        self.inheriting = inheriting
        self.flags = flags

    def require(self, rights: Rights) -> None:
        """Raise NOTCAPABLE unless all `rights` that apply here are there."""
        missing = rights & self.applicable & ~self.rights
        if missing:
            raise WasiError(Errno.NOTCAPABLE, f"the descriptor lacks {missing.name}")

    def reduce(self, rights: Rights, inheriting: Rights) -> None:
        """Keep only these rights, which must be there already."""
        if rights & ~self.rights or inheriting & ~self.inheriting:
            raise WasiError(Errno.NOTCAPABLE, "rights can be given up, not taken")
        self.rights, self.inheriting = rights, inheriting

    def close(self) -> None:
        """Let go of the host's side."""

    def copy(self) -> Descriptor:
        """One that does the same from here on and shares no state that moves. Raises NOTSUP where the host
        keeps such state: in open files, sockets and live streams."""
        raise WasiError(Errno.NOTSUP, "what the host keeps of this descriptor can't be had twice")

    # Reading and writing at the position.

    # What may take long takes a `Patience`, and raises DeadlineError in the middle.

    def read(self, buffers: Buffers, patience: Patience) -> int:
        """Fill buffers in order; the number of bytes, 0 at the end."""
        raise WasiError(self.not_a_file)

    def write(self, buffers: Buffers, patience: Patience) -> int:
        """Write buffers in order; the number of bytes, which may be less than given."""
        raise WasiError(self.not_a_file)

    def ready(self, write: bool) -> int | None:
        """A host descriptor whose readiness says whether reading (or writing) would wait; None: it never
        does."""
        raise WasiError(self.not_a_file)

    def waiting(self) -> int:
        """Bytes that can be read without waiting, 1 if nobody knows."""
        return 1

    # Questions of files.

    def pread(self, buffers: Buffers, offset: int, patience: Patience) -> int:
        raise WasiError(self.not_seekable)

    def pwrite(self, buffers: Buffers, offset: int, patience: Patience) -> int:
        raise WasiError(self.not_seekable)

    def seek(self, offset: int, whence: Whence) -> int:
        """Move the position; the new one, from the start."""
        raise WasiError(self.not_seekable)

    def set_size(self, size: int, patience: Patience) -> None:
        raise WasiError(self.not_a_file)

    def allocate(self, offset: int, count: int, patience: Patience) -> None:
        """Make sure that these bytes are there."""
        raise WasiError(self.not_a_file)

    def advise(self, offset: int, count: int, advice: Advice) -> None:
        raise WasiError(self.not_a_file)

    def sync(self, patience: Patience) -> None:
        """Write everything to the disk."""
        raise WasiError(self.not_a_file)

    def stat(self) -> Stat:
        return Stat(self.filetype)

    def set_times(self, times: Times) -> None:
        raise WasiError(self.not_a_file)

    def set_flags(self, flags: FdFlags) -> None:
        self.flags = flags

    # Questions of directories.

    kept = 0
    """Bytes of names that are kept for the calls that go on with a listing."""

    def entries(self, cookie: int, most: int, patience: Patience) -> Iterator[tuple[int, Entry]]:
        """What is in the directory from a cookie on (0: all), each with the cookie of the next. ENOMEM if
        more than `most` bytes would be kept."""
        raise WasiError(Errno.BADF, "the descriptor is no directory")

    def forget(self) -> None:
        """Keep no names: who goes on with a listing gets another, in which the cookies may differ."""

    @property
    def folder(self) -> Folder:
        """The directory in which paths are resolved."""
        raise WasiError(Errno.BADF, "the descriptor is no directory")

    @property
    def changeable(self) -> Folder:
        """The same, to change what is in it: ROFS where the guest may only look."""
        raise WasiError(Errno.BADF, "the descriptor is no directory")

    def open(
        self, path: str, follow: bool, how: OpenFlags, rights: Rights, inheriting: Rights, flags: FdFlags
    ) -> Descriptor:
        raise WasiError(Errno.BADF, "the descriptor is no directory")

    # Questions of sockets.

    def accept(self, flags: FdFlags, patience: Patience) -> Descriptor:
        """Wait for a connection."""
        raise WasiError(Errno.NOTSOCK)

    def receive(self, buffers: Buffers, flags: ReceiveFlags, patience: Patience) -> int:
        """As `read`."""
        raise WasiError(Errno.NOTSOCK)

    def send(self, buffers: Buffers, patience: Patience) -> int:
        """As `write`."""
        raise WasiError(Errno.NOTSOCK)

    def shutdown(self, how: ShutdownFlags) -> None:
        """End directions of a connection."""
        raise WasiError(Errno.NOTSOCK)


class File(Descriptor):
    """A file of the host, or a device that lies in a directory of the guest's. It was opened so that the
    system never waits for it: we wait where the guest does."""

    applicable = FILE_RIGHTS

    def __init__(self, descriptor: int, rights: Rights, inheriting: Rights, flags: FdFlags) -> None:
        super().__init__(rights, inheriting, flags)
        self.descriptor: int = descriptor
        self.filetype = Filetype.of_mode(os.fstat(descriptor).st_mode)
        self.position = 0 if self.filetype is Filetype.REGULAR_FILE else None
        """Ours, for a host's may not go as far; a device has none, or keeps it itself."""

    def close(self) -> None:
        os.close(self.descriptor)

    def read(self, buffers: Buffers, patience: Patience) -> int:
        if self.position is None:
            return self.move(read_into, buffers, False, patience)
        count = self.pread(buffers, self.position, patience)
        self.position += count
        return count

    def write(self, buffers: Buffers, patience: Patience) -> int:
        if self.position is None:
            count = self.move(write_from, buffers, True, patience)
            if self.flags & SYNCED:
                self.sync(patience)
            return count
        if FdFlags.APPEND in self.flags:
            # Not O_APPEND: it can't be taken off everywhere, and Linux would append in pwrite too.
            self.position = self.size
        count = self.pwrite(buffers, self.position, patience)
        self.position += count
        return count

    def move(
        self, move: Callable[[int, Buffers], int], buffers: Buffers, write: bool, patience: Patience
    ) -> int:
        """Read or write where there is no position, and wait until the first piece can be moved."""
        waits = FdFlags.NONBLOCK not in self.flags

        def step(piece: Buffers, done: int) -> int:
            if done or not waits:
                return move(self.descriptor, piece)
            return when_ready(lambda: move(self.descriptor, piece), self.descriptor, write, patience)

        return in_pieces(buffers, patience, step)

    def pread(self, buffers: Buffers, offset: int, patience: Patience) -> int:
        check_offset(offset)
        if small(buffers):  # the usual case, without the calls of the other
            return read_at(self.descriptor, buffers, offset)
        return in_pieces(
            buffers, patience, lambda piece, done: read_at(self.descriptor, piece, offset + done)
        )

    def pwrite(self, buffers: Buffers, offset: int, patience: Patience) -> int:
        check_offset(offset)
        if small(buffers):
            count = write_at(self.descriptor, buffers, offset)
        else:
            count = in_pieces(
                buffers, patience, lambda piece, done: write_at(self.descriptor, piece, offset + done)
            )
        if self.flags & SYNCED:
            self.sync(patience)
        return count

    @property
    def size(self) -> int:
        return os.fstat(self.descriptor).st_size

    def ready(self, write: bool) -> int | None:
        return self.descriptor if self.position is None and POLLABLE else None

    def waiting(self) -> int:
        return 1 if self.position is None else max(self.size - self.position, 0)

    def seek(self, offset: int, whence: Whence) -> int:
        if self.position is None:
            return os.lseek(self.descriptor, offset, whence)
        self.position = moved(self.position, self.size, offset, whence)
        return self.position

    def set_size(self, size: int, patience: Patience) -> None:
        check_offset(size)
        os.ftruncate(self.descriptor, size)

    def allocate(self, offset: int, count: int, patience: Patience) -> None:
        end = offset + count
        check_offset(end)
        if not count:
            raise WasiError(Errno.INVAL, "nothing to allocate")
        size = self.size
        if not hasattr(os, "posix_fallocate"):
            if size < end:
                os.ftruncate(self.descriptor, end)
            return
        system = os.fstatvfs(self.descriptor)
        if end - min(offset, size) > system.f_bavail * system.f_frsize + size:
            raise WasiError(Errno.NOSPC, "the disk has less than that")
        try:
            for start in range(offset, end, ALLOCATED):
                os.posix_fallocate(self.descriptor, start, min(ALLOCATED, end - start))
                patience()
        except BaseException:
            if self.size > size:
                os.ftruncate(self.descriptor, size)
            raise

    def advise(self, offset: int, count: int, advice: Advice) -> None:
        """Nothing: the host's system does well without."""
        check_offset(count)

    def sync(self, patience: Patience) -> None:
        uninterrupted(lambda: os.fsync(self.descriptor), patience)

    def stat(self) -> Stat:
        return Stat.of(os.fstat(self.descriptor))

    def set_times(self, times: Times) -> None:
        if os.utime not in os.supports_fd:
            raise WasiError(Errno.NOTSUP, "this system sets times by path only")
        os.utime(self.descriptor, ns=times.of(self.stat()))

    def open(
        self, path: str, follow: bool, how: OpenFlags, rights: Rights, inheriting: Rights, flags: FdFlags
    ) -> Descriptor:
        raise WasiError(Errno.NOTDIR)


class Table:
    """The descriptors of one guest, by number."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self._slots: list[Descriptor | None] = []

    def add(self, descriptor: Descriptor) -> int:
        """Give a descriptor the lowest free number. Where there is none, MFILE, it is closed."""
        try:
            return self._place(descriptor)
        except BaseException:
            descriptor.close()
            raise

    def _place(self, descriptor: Descriptor) -> int:
        if None in self._slots:
            number = self._slots.index(None)
            self._slots[number] = descriptor
            return number
        if len(self._slots) >= self.limit:
            raise WasiError(Errno.MFILE, f"the guest has {self.limit} descriptors open")
        self._slots.append(descriptor)
        return len(self._slots) - 1

    def get(self, number: int, rights: Rights = NO_RIGHTS) -> Descriptor:
        """The open descriptor of this number, which must have these rights."""
        descriptor = self._slots[number] if number < len(self._slots) else None
        if descriptor is None:
            raise WasiError(Errno.BADF, f"descriptor {number} is not open")
        descriptor.require(rights)
        return descriptor

    def close(self, number: int) -> None:
        descriptor = self.get(number)
        self._slots[number] = None
        descriptor.close()

    def renumber(self, number: int, to: int) -> None:
        """Move a descriptor onto another open one, which is closed."""
        moved, replaced = self.get(number), self.get(to)
        if number == to:
            return
        self._slots[to], self._slots[number] = moved, None
        replaced.close()

    def copy(self) -> Table:
        """A table of copies under the same numbers. Raises NOTSUP, with nothing left open."""
        table = Table(self.limit)
        try:
            for descriptor in self._slots:
                table._slots.append(descriptor and descriptor.copy())
        except BaseException:
            table.close_all()
            raise
        return table

    def numbered(self) -> Iterator[tuple[int, Descriptor]]:
        """What is open, with its numbers."""
        return ((number, slot) for number, slot in enumerate(self._slots) if slot is not None)

    def __iter__(self) -> Iterator[Descriptor]:
        return (descriptor for descriptor in self._slots if descriptor is not None)

    def __del__(self) -> None:
        """A guest that was dropped and never closed keeps no descriptor of the host's."""
        self.close_all()

    def close_all(self) -> None:
        """Close everything that is open. Closing twice is fine."""
        slots, self._slots = self._slots, []
        for descriptor in slots:
            if descriptor is not None:
                with suppress(OSError):
                    descriptor.close()


def moved(position: int, size: int, offset: int, whence: Whence) -> int:
    """Where a position in a file of `size` bytes is after a seek. Raises INVAL outside any file."""
    there = offset + {Whence.SET: 0, Whence.CUR: position, Whence.END: size}[whence]
    if there < 0:
        raise WasiError(Errno.INVAL, "before the beginning of the file")
    check_offset(there)
    return there


def check_offset(offset: int) -> None:
    if offset > MAX_OFFSET:
        raise WasiError(Errno.INVAL, f"{offset} is beyond the end of any file")


def read_at(descriptor: int, buffers: Buffers, offset: int) -> int:
    """Read a piece from there on."""
    if hasattr(os, "preadv"):
        return os.preadv(descriptor, buffers, offset)
    os.lseek(descriptor, offset, os.SEEK_SET)
    return read_into(descriptor, buffers)


def write_at(descriptor: int, buffers: Buffers, offset: int) -> int:
    """Write a piece from there on."""
    if hasattr(os, "pwritev"):
        return os.pwritev(descriptor, buffers, offset)
    os.lseek(descriptor, offset, os.SEEK_SET)
    return write_from(descriptor, buffers)


def read_into(descriptor: int, buffers: Buffers) -> int:
    """Read a piece at the position, into the guest's memory itself where the platform can."""
    if hasattr(os, "readv"):
        return os.readv(descriptor, buffers)
    total = 0
    for buffer in buffers:
        data = os.read(descriptor, len(buffer))
        buffer[: len(data)] = data
        total += len(data)
        if len(data) < len(buffer):
            break
    return total


def write_from(descriptor: int, buffers: Buffers) -> int:
    """Write a piece at the position."""
    if hasattr(os, "writev"):
        return os.writev(descriptor, buffers)
    total = 0
    for buffer in buffers:
        count = os.write(descriptor, buffer)
        total += count
        if count < len(buffer):
            break
    return total
