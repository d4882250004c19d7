"""WASI snapshot 0 (`wasi_unstable`): preview1 with the older layouts.

https://github.com/WebAssembly/WASI/blob/main/legacy/preview0/docs.md What is here: fd_seek (another order of
`whence`), the two functions that return a filestat (links had 32 bits) and poll_oneoff (clock subscriptions
had an identifier). All other functions come from `preview1.py`, even sock_accept, which snapshot 0 doesn't
have.
"""

from __future__ import annotations

from typing import Annotated

from ..enumerations import IntEnum
from ..host import S64, U32, U64, Caller, Face, Out, Record
from ..interpreter.runtime.instance import HostFunc
from . import abi
from .abi import Choice, Fd, LookupBits, Path, Subscriptions, Waits
from .codes import LookupFlags, Rights, Whence
from .descriptors import Stat
from .preview1 import preview1, to_errno
from .system import System


class OldWhence(IntEnum):
    """`Whence` in its old order."""

    CUR = 0
    END = 1
    SET = 2


MAX_LINKS = (1 << 32) - 1
Filestat = Annotated[tuple[int, ...], Record("QQB3xIQQQQ")]
OldWhenceCode = Annotated[OldWhence, Choice(OldWhence)]
Polling = Annotated[Waits, Subscriptions("<QB7x8xI4xQ8xH6x")]

unstable = Face("wasi_unstable", to_errno, aligned=True)


def lookup(name: str, system: System) -> HostFunc | None:
    """The function of this name in snapshot 0."""
    return unstable.lookup(name, system) or preview1.lookup(name, system)


@unstable.function
def fd_seek(system: System, fd: Fd, offset: S64, whence: OldWhenceCode, newoffset: Out[U64]) -> None:
    newoffset.set(system.seek(fd, offset, Whence[whence.name]))


@unstable.function
def fd_filestat_get(system: System, fd: Fd, stat: Out[Filestat]) -> None:
    stat.set(filestat(system.descriptor(fd, Rights.FD_FILESTAT_GET).stat()))


@unstable.function
def path_filestat_get(system: System, fd: Fd, flags: LookupBits, path: Path, stat: Out[Filestat]) -> None:
    folder = system.descriptor(fd, Rights.PATH_FILESTAT_GET).folder
    stat.set(filestat(folder.stat_at(path, LookupFlags.SYMLINK_FOLLOW in flags)))


@unstable.function
def poll_oneoff(system: System, caller: Caller, in_out: Polling, nevents: Out[U32]) -> None:
    nevents.set(in_out.answer(system.poll(in_out.waits, caller.patience)))


def filestat(stat: Stat) -> tuple[int, ...]:
    device, inode, filetype, links, *rest = abi.filestat(stat)
    return (device, inode, filetype, min(links, MAX_LINKS), *rest)
