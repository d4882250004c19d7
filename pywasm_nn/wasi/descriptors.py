"""Descriptors: the objects behind a guest's descriptor numbers.

What is here: `DescriptorTable` (a new descriptor gets the lowest free number), `Descriptor` with every
operation on a descriptor, and `File` on the host's file system. A subclass implements the operations that it
supports; the base class refuses the rest. What is not: standard streams (`streams.py`), directories
(`directories.py`), files in memory (`inmemory.py`), sockets (`sockets.py`), the rights that each function
needs (the faces require them when they look a descriptor up).
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import TYPE_CHECKING

from ..records import Frozen
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
from .patience import POLLABLE, Buffers, Patience, in_pieces, small, uninterrupted

if TYPE_CHECKING:
    from .folders import Folder

MAX_OFFSET = (1 << 63) - 1
PATH_MAX = 4096
"""Bytes of a path with its terminator, as on Linux."""
ALLOCATED = 1 << 26
"""Bytes that are allocated at once: file systems without native allocation write to each block."""


class Stat(Frozen):
    """The attributes of a file. Times in nanoseconds since 1970."""

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
        """The attributes from the host's stat result."""
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


class Times(Frozen):
    """The times to set, in nanoseconds since 1970; None leaves a time unchanged."""

    accessed: int | None
    modified: int | None

    def of(self, stat: Stat) -> tuple[int, int]:
        """Both times; missing ones come from `stat`."""
        accessed = stat.accessed if self.accessed is None else self.accessed
        return accessed, stat.modified if self.modified is None else self.modified


class Entry(Frozen):
    """A name in a directory. `name` are the host's bytes, which need not be UTF-8."""

    name: bytes
    inode: int
    filetype: Filetype


class Descriptor:
    """Base of all descriptors. An operation that a kind doesn't support raises WasiError."""

    filetype = Filetype.UNKNOWN
    applicable = ALL_RIGHTS
    """The rights that this kind knows. `require` ignores all others: the operation itself is refused, with a
    better reason."""
    not_a_file = Errno.BADF
    not_seekable = Errno.SPIPE
    descriptor: int | None = None
    """The host's descriptor that this one has open."""
    preopen: str | None = None
    """The guest's path of a preopened directory; None for descriptors that the guest opened itself."""

    def __init__(self, rights: Rights, inheriting: Rights = NO_RIGHTS, flags: FdFlags = NO_FLAGS) -> None:
        self.rights = rights & self.applicable
        self.inheriting = inheriting
        self.flags = flags

    def require(self, rights: Rights) -> None:
        """Raise NOTCAPABLE unless the descriptor has all `rights` that apply to its kind."""
        missing = rights & self.applicable & ~self.rights
        if missing:
            raise WasiError(Errno.NOTCAPABLE, f"the descriptor lacks {missing.name}")

    def reduce(self, rights: Rights, inheriting: Rights) -> None:
        """Keep only these rights, which the descriptor must have."""
        if rights & ~self.rights or inheriting & ~self.inheriting:
            raise WasiError(Errno.NOTCAPABLE, "rights can be given up, not taken")
        self.rights, self.inheriting = rights, inheriting

    def close(self) -> None:
        """Close the host's side."""

    def copy(self) -> Descriptor:
        """An independent descriptor in the same state. Raises NOTSUP if the host keeps part of the state: for
        open files, sockets and live streams."""
        raise WasiError(Errno.NOTSUP, "the host's state of this descriptor can't be copied")

    # Reading and writing at the position.

    # An operation that may take long gets a `Patience`, and raises DeadlineError when the guest's time is
    # over.

    def read(self, buffers: Buffers, patience: Patience) -> int:
        """Fill buffers in order; returns the number of bytes, 0 at the end."""
        raise WasiError(self.not_a_file)

    def write(self, buffers: Buffers, patience: Patience) -> int:
        """Write buffers in order; returns the number of bytes, which may be less than given."""
        raise WasiError(self.not_a_file)

    def ready(self, write: bool) -> int | None:
        """The host descriptor to poll for readability (or writability); None: the operation never waits."""
        raise WasiError(self.not_a_file)

    def waiting(self) -> int:
        """The number of bytes that can be read without waiting, 1 if that is unknown."""
        return 1

    # Operations on files.

    def pread(self, buffers: Buffers, offset: int, patience: Patience) -> int:
        raise WasiError(self.not_seekable)

    def pwrite(self, buffers: Buffers, offset: int, patience: Patience) -> int:
        raise WasiError(self.not_seekable)

    def seek(self, offset: int, whence: Whence) -> int:
        """Move the position; returns the new one, from the start."""
        raise WasiError(self.not_seekable)

    def set_size(self, size: int, patience: Patience) -> None:
        raise WasiError(self.not_a_file)

    def allocate(self, offset: int, count: int, patience: Patience) -> None:
        """Reserve space for these bytes."""
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

    # Operations on directories.

    kept = 0
    """Bytes of the stored listing, which later calls continue."""

    def entries(self, cookie: int, most: int, patience: Patience) -> Iterator[tuple[int, Entry]]:
        """The entries of the directory from a cookie on (0: all), each with the cookie of the next. Raises
        ENOMEM if the stored listing would exceed `most` bytes."""
        raise WasiError(Errno.BADF, "the descriptor is no directory")

    def forget(self) -> None:
        """Drop the stored listing. A guest that continues gets a new listing, whose cookies may differ."""

    @property
    def folder(self) -> Folder:
        """The folder in which paths are resolved."""
        raise WasiError(Errno.BADF, "the descriptor is no directory")

    @property
    def changeable(self) -> Folder:
        """The same folder, for changes. Raises ROFS if the directory is read-only."""
        raise WasiError(Errno.BADF, "the descriptor is no directory")

    def open(
        self, path: str, follow: bool, how: OpenFlags, rights: Rights, inheriting: Rights, flags: FdFlags
    ) -> Descriptor:
        raise WasiError(Errno.BADF, "the descriptor is no directory")

    # Operations on sockets.

    def accept(self, flags: FdFlags, patience: Patience) -> Descriptor:
        """Wait for a connection."""
        raise WasiError(Errno.NOTSOCK)

    def receive(self, buffers: Buffers, flags: ReceiveFlags, patience: Patience) -> int:
        """Receive bytes, as `read` does."""
        raise WasiError(Errno.NOTSOCK)

    def send(self, buffers: Buffers, patience: Patience) -> int:
        """Send bytes, as `write` does."""
        raise WasiError(Errno.NOTSOCK)

    def shutdown(self, how: ShutdownFlags) -> None:
        """Shut down directions of a connection."""
        raise WasiError(Errno.NOTSOCK)


class File(Descriptor):
    """A file of the host, or a device in one of the guest's directories. It is opened non-blocking, so that
    waits happen here, within the guest's time."""

    applicable = FILE_RIGHTS

    def __init__(self, descriptor: int, rights: Rights, inheriting: Rights, flags: FdFlags) -> None:
        super().__init__(rights, inheriting, flags)
        self.descriptor: int = descriptor
        self.filetype = Filetype.of_mode(os.fstat(descriptor).st_mode)
        self.position = 0 if self.filetype is Filetype.REGULAR_FILE else None
        """Our own position, because a host's may have fewer bits; None for a device, which has none or keeps
        it itself."""

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
            # Not O_APPEND: not every system can switch it off, and with it Linux would append in pwrite too.
            self.position = self.size
        count = self.pwrite(buffers, self.position, patience)
        self.position += count
        return count

    def move(
        self, move: Callable[[int, Buffers], int], buffers: Buffers, write: bool, patience: Patience
    ) -> int:
        """Read or write without a position, and wait until the first piece can be moved."""
        waits = FdFlags.NONBLOCK not in self.flags

        def step(piece: Buffers, done: int) -> int:
            if done or not waits:
                return move(self.descriptor, piece)
            from .ready import when_ready

            return when_ready(lambda: move(self.descriptor, piece), self.descriptor, write, patience)

        return in_pieces(buffers, patience, step)

    def pread(self, buffers: Buffers, offset: int, patience: Patience) -> int:
        check_offset(offset)
        if small(buffers):  # a shortcut for the usual case
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
        """Does nothing: the host's system needs no advice."""
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


class DescriptorTable:
    """The descriptors of one guest, by number."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self._slots: list[Descriptor | None] = []

    def add(self, descriptor: Descriptor) -> int:
        """Give a descriptor the lowest free number. If there is none, close it and raise MFILE."""
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
        """The open descriptor with this number, which must have these rights."""
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
        """Move a descriptor to the number of another open one, which is closed."""
        moved, replaced = self.get(number), self.get(to)
        if number == to:
            return
        self._slots[to], self._slots[number] = moved, None
        replaced.close()

    def copy(self) -> DescriptorTable:
        """A table of copies under the same numbers. Raises NOTSUP, with nothing left open."""
        table = DescriptorTable(self.limit)
        try:
            for descriptor in self._slots:
                table._slots.append(descriptor and descriptor.copy())
        except BaseException:
            table.close_all()
            raise
        return table

    def numbered(self) -> Iterator[tuple[int, Descriptor]]:
        """Open descriptors with their numbers."""
        return ((number, slot) for number, slot in enumerate(self._slots) if slot is not None)

    def __iter__(self) -> Iterator[Descriptor]:
        return (descriptor for descriptor in self._slots if descriptor is not None)

    def __del__(self) -> None:
        """Close the host's descriptors of a guest that was dropped without being closed."""
        self.close_all()

    def close_all(self) -> None:
        """Close all descriptors. Closing twice is fine."""
        slots, self._slots = self._slots, []
        for descriptor in slots:
            if descriptor is not None:
                with suppress(OSError):
                    descriptor.close()


def moved(position: int, size: int, offset: int, whence: Whence) -> int:
    """The position after a seek in a file of `size` bytes. Raises INVAL outside any file."""
    there = offset + {Whence.SET: 0, Whence.CUR: position, Whence.END: size}[whence]
    if there < 0:
        raise WasiError(Errno.INVAL, "before the beginning of the file")
    check_offset(there)
    return there


def check_offset(offset: int) -> None:
    if offset > MAX_OFFSET:
        raise WasiError(Errno.INVAL, f"{offset} is beyond the end of any file")


def read_at(descriptor: int, buffers: Buffers, offset: int) -> int:
    """Read a piece at an offset."""
    if hasattr(os, "preadv"):
        return os.preadv(descriptor, buffers, offset)
    os.lseek(descriptor, offset, os.SEEK_SET)
    return read_into(descriptor, buffers)


def write_at(descriptor: int, buffers: Buffers, offset: int) -> int:
    """Write a piece at an offset."""
    if hasattr(os, "pwritev"):
        return os.pwritev(descriptor, buffers, offset)
    os.lseek(descriptor, offset, os.SEEK_SET)
    return write_from(descriptor, buffers)


def read_into(descriptor: int, buffers: Buffers) -> int:
    """Read a piece at the position, directly into the guest's memory if the platform can."""
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
