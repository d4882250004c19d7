"""Enumerations and flags of WASI preview1: the words in which host model and faces speak.

Source of names and numbers: https://github.com/WebAssembly/WASI/blob/main/legacy/preview1/docs.md#types
What is not here: records and how values cross (`abi.py`), and what any of it does (`descriptors.py`,
`system.py`).
"""

from __future__ import annotations

import stat
from enum import IntEnum, IntFlag

from ..printable import LONGEST_REPR, printable


class Filetype(IntEnum):
    """What a descriptor or a name in a directory stands for."""

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
        """The type in a host's `st_mode`. A pipe has no name in preview1 and is unknown."""
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
    """What a descriptor may be used for. A guest can give rights up and never gets them back."""

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
    """All of them together: to join them one by one makes a flag of each step, and looks for its name."""
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
# No seek and no tell: with them a C library takes a terminal for a file and buffers what it should show at
# once.
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
    """How a descriptor reads and writes."""

    APPEND = 1
    DSYNC = 2
    NONBLOCK = 4
    RSYNC = 8
    SYNC = 16


NO_FLAGS = FdFlags(0)
SYNCED = FdFlags.DSYNC | FdFlags.SYNC


class OpenFlags(IntFlag):
    """What opening a path may do besides."""

    CREAT = 1
    DIRECTORY = 2
    EXCL = 4
    TRUNC = 8


class LookupFlags(IntFlag):
    """How the last component of a path is resolved."""

    SYMLINK_FOLLOW = 1


class ReceiveFlags(IntFlag):
    """How to receive from a socket."""

    PEEK = 1
    WAITALL = 2


class ShutdownFlags(IntFlag):
    """Which directions of a connection to end."""

    RD = 1
    WR = 2


class SetTimes(IntFlag):
    """Which times to set, to what was given or to now."""

    ATIM = 1
    ATIM_NOW = 2
    MTIM = 4
    MTIM_NOW = 8


class Whence(IntEnum):
    """Where an offset counts from. These are the host's numbers too."""

    SET = 0
    CUR = 1
    END = 2


class Advice(IntEnum):
    """How a file is going to be used."""

    NORMAL = 0
    SEQUENTIAL = 1
    RANDOM = 2
    WILLNEED = 3
    DONTNEED = 4
    NOREUSE = 5


class ClockId(IntEnum):
    """Which clock."""

    REALTIME = 0
    MONOTONIC = 1
    PROCESS_CPUTIME = 2
    THREAD_CPUTIME = 3


class ClockFlags(IntFlag):
    """How to wait for a clock: until a time, and not for so long."""

    ABSTIME = 1


class EventType(IntEnum):
    """What poll_oneoff waits for."""

    CLOCK = 0
    FD_READ = 1
    FD_WRITE = 2


class Signal(IntEnum):
    """What a guest may send itself."""

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
