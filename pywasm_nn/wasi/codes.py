"""Enumerations and flags of WASI preview1, for the host model and the faces.

Source of names and numbers: https://github.com/WebAssembly/WASI/blob/main/legacy/preview1/docs.md#types
What is not here: records and their crossings (`abi.py`), and the operations (`descriptors.py`, `folders.py`,
`system.py`).
"""

from __future__ import annotations

import stat

from ..enumerations import IntEnum, IntFlag
from ..printable import LONGEST_REPR, printable


class Filetype(IntEnum):
    """The type of a descriptor's file or of a directory entry."""

    UNKNOWN = 0
    BLOCK_DEVICE = 1
    CHARACTER_DEVICE = 2
    DIRECTORY = 3
    REGULAR_FILE = 4
    SOCKET_DGRAM = 5
    SOCKET_STREAM = 6
    SYMBOLIC_LINK = 7

    @classmethod
    def of_mode(cls, mode: int) -> Filetype:
        """The type in a host's `st_mode`. A pipe has no type in preview1, so it is UNKNOWN."""
        return BY_FORMAT.get(stat.S_IFMT(mode), cls.UNKNOWN)


BY_FORMAT: dict[int, Filetype] = {
    stat.S_IFBLK: Filetype.BLOCK_DEVICE,
    stat.S_IFCHR: Filetype.CHARACTER_DEVICE,
    stat.S_IFDIR: Filetype.DIRECTORY,
    stat.S_IFREG: Filetype.REGULAR_FILE,
    stat.S_IFSOCK: Filetype.SOCKET_STREAM,
    stat.S_IFLNK: Filetype.SYMBOLIC_LINK,
}


class Rights(IntFlag):
    """The operations that a descriptor allows. A guest can give up rights and never gets them back."""

    def __repr__(self) -> str:
        return printable(super().__repr__(), LONGEST_REPR)

    FD_DATASYNC = 1 << 0
    FD_READ = 1 << 1
    FD_SEEK = 1 << 2
    FD_FDSTAT_SET_FLAGS = 1 << 3
    FD_SYNC = 1 << 4
    FD_TELL = 1 << 5
    FD_WRITE = 1 << 6
    FD_ADVISE = 1 << 7
    FD_ALLOCATE = 1 << 8
    PATH_CREATE_DIRECTORY = 1 << 9
    PATH_CREATE_FILE = 1 << 10
    PATH_LINK_SOURCE = 1 << 11
    PATH_LINK_TARGET = 1 << 12
    PATH_OPEN = 1 << 13
    FD_READDIR = 1 << 14
    PATH_READLINK = 1 << 15
    PATH_RENAME_SOURCE = 1 << 16
    PATH_RENAME_TARGET = 1 << 17
    PATH_FILESTAT_GET = 1 << 18
    PATH_FILESTAT_SET_SIZE = 1 << 19
    PATH_FILESTAT_SET_TIMES = 1 << 20
    FD_FILESTAT_GET = 1 << 21
    FD_FILESTAT_SET_SIZE = 1 << 22
    FD_FILESTAT_SET_TIMES = 1 << 23
    PATH_SYMLINK = 1 << 24
    PATH_REMOVE_DIRECTORY = 1 << 25
    PATH_UNLINK_FILE = 1 << 26
    POLL_FD_READWRITE = 1 << 27
    SOCK_SHUTDOWN = 1 << 28
    SOCK_ACCEPT = 1 << 29


def rights(*parts: Rights) -> Rights:
    """The union of rights. `|` on two flags would make an intermediate flag each time and search for its
    name."""
    together = 0
    for part in parts:
        together |= part.value
    return Rights(together)


NO_RIGHTS = Rights(0)
ALL_RIGHTS = Rights((1 << 30) - 1)
FILE_RIGHTS = rights(
    Rights.FD_DATASYNC,
    Rights.FD_READ,
    Rights.FD_SEEK,
    Rights.FD_FDSTAT_SET_FLAGS,
    Rights.FD_SYNC,
    Rights.FD_TELL,
    Rights.FD_WRITE,
    Rights.FD_ADVISE,
    Rights.FD_ALLOCATE,
    Rights.FD_FILESTAT_GET,
    Rights.FD_FILESTAT_SET_SIZE,
    Rights.FD_FILESTAT_SET_TIMES,
    Rights.POLL_FD_READWRITE,
)
DIRECTORY_RIGHTS = rights(
    Rights.FD_FDSTAT_SET_FLAGS,
    Rights.PATH_CREATE_DIRECTORY,
    Rights.PATH_CREATE_FILE,
    Rights.PATH_LINK_SOURCE,
    Rights.PATH_LINK_TARGET,
    Rights.PATH_OPEN,
    Rights.FD_READDIR,
    Rights.PATH_READLINK,
    Rights.PATH_RENAME_SOURCE,
    Rights.PATH_RENAME_TARGET,
    Rights.PATH_FILESTAT_GET,
    Rights.PATH_FILESTAT_SET_SIZE,
    Rights.PATH_FILESTAT_SET_TIMES,
    Rights.FD_FILESTAT_GET,
    Rights.FD_FILESTAT_SET_TIMES,
    Rights.PATH_SYMLINK,
    Rights.PATH_REMOVE_DIRECTORY,
    Rights.PATH_UNLINK_FILE,
)
# Without the rights to seek and tell: with them, a C library would take a terminal for a file, and buffer
# output that it should show at once.
STREAM_RIGHTS = rights(Rights.FD_SYNC, Rights.FD_DATASYNC, Rights.FD_FILESTAT_GET, Rights.POLL_FD_READWRITE)
LISTENER_RIGHTS = rights(
    Rights.FD_FDSTAT_SET_FLAGS, Rights.FD_FILESTAT_GET, Rights.POLL_FD_READWRITE, Rights.SOCK_ACCEPT
)
CONNECTION_RIGHTS = rights(
    Rights.FD_FDSTAT_SET_FLAGS,
    Rights.FD_FILESTAT_GET,
    Rights.POLL_FD_READWRITE,
    Rights.FD_READ,
    Rights.FD_WRITE,
    Rights.SOCK_SHUTDOWN,
)
INPUT_RIGHTS = rights(STREAM_RIGHTS, Rights.FD_READ)
OUTPUT_RIGHTS = rights(STREAM_RIGHTS, Rights.FD_WRITE)
READING = rights(Rights.FD_READ, Rights.FD_READDIR)
WRITING = rights(Rights.FD_WRITE, Rights.FD_ALLOCATE, Rights.FD_FILESTAT_SET_SIZE)


class FdFlags(IntFlag):
    """Flags of reading and writing with a descriptor."""

    APPEND = 1
    DSYNC = 2
    NONBLOCK = 4
    RSYNC = 8
    SYNC = 16


NO_FLAGS = FdFlags(0)
SYNCED = FdFlags.DSYNC | FdFlags.SYNC


class OpenFlags(IntFlag):
    """Flags of opening a path."""

    CREAT = 1
    DIRECTORY = 2
    EXCL = 4
    TRUNC = 8


class LookupFlags(IntFlag):
    """How the last component of a path is resolved."""

    SYMLINK_FOLLOW = 1


class ReceiveFlags(IntFlag):
    """Flags of receiving from a socket."""

    PEEK = 1
    WAITALL = 2


class ShutdownFlags(IntFlag):
    """The directions of a connection to shut down."""

    RD = 1
    WR = 2


class SetTimes(IntFlag):
    """The times to set, to given values or to now."""

    ATIM = 1
    ATIM_NOW = 2
    MTIM = 4
    MTIM_NOW = 8


class Whence(IntEnum):
    """The origin of an offset. The numbers are the same as those of `os.SEEK_*`."""

    SET = 0
    CUR = 1
    END = 2


class Advice(IntEnum):
    """The expected use of a file."""

    NORMAL = 0
    SEQUENTIAL = 1
    RANDOM = 2
    WILLNEED = 3
    DONTNEED = 4
    NOREUSE = 5


class ClockId(IntEnum):
    """A clock."""

    REALTIME = 0
    MONOTONIC = 1
    PROCESS_CPUTIME = 2
    THREAD_CPUTIME = 3


class ClockFlags(IntFlag):
    """Flags of waiting for a clock: until an absolute time, instead of for a duration."""

    ABSTIME = 1


class EventType(IntEnum):
    """The event of a subscription to poll_oneoff."""

    CLOCK = 0
    FD_READ = 1
    FD_WRITE = 2


class Signal(IntEnum):
    """The signals that a guest may send to itself."""

    NONE = 0
    HUP = 1
    INT = 2
    QUIT = 3
    ILL = 4
    TRAP = 5
    ABRT = 6
    BUS = 7
    FPE = 8
    KILL = 9
    USR1 = 10
    SEGV = 11
    USR2 = 12
    PIPE = 13
    ALRM = 14
    TERM = 15
    CHLD = 16
    CONT = 17
    STOP = 18
    TSTP = 19
    TTIN = 20
    TTOU = 21
    URG = 22
    XCPU = 23
    XFSZ = 24
    VTALRM = 25
    PROF = 26
    WINCH = 27
    POLL = 28
    PWR = 29
    SYS = 30
