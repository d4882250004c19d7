"""WASI preview1 (`wasi_snapshot_preview1`): all 46 functions, each a few lines on the host model.

https://github.com/WebAssembly/WASI/blob/main/legacy/preview1/docs.md#functions
What is here: names, parameters and rights of the functions, and the one place where exceptions become
numbers. What is not: layouts in memory (`abi.py`), the operations (`system.py`, `descriptors.py`,
`folders.py`).
"""

# Annotations are values here: as strings, each would be compiled when a guest imports its function.
from typing import NoReturn

from ..host import S64, U16, U32, U64, Caller, Face, Out, Pointer
from . import abi
from .abi import (
    AdviceCode,
    Clock,
    Fd,
    FdFlagsBits,
    Fdstat,
    Filestat,
    Iovecs,
    LookupBits,
    OpenBits,
    Path,
    Polling,
    Prestat,
    ReceiveBits,
    RightsBits,
    Room,
    ShutdownBits,
    SignalCode,
    TimesBits,
    UnlimitedPath,
    WhenceCode,
)  # fmt: skip
from .codes import ClockId, Filetype, LookupFlags, Rights, SetTimes
from .descriptors import Times
from .errors import Errno, WasiError, number_of
from .system import System


def to_errno(error: Exception) -> int | None:
    """The number for an error of the model; None for errors that are not the guest's, and for bad or
    misaligned pointers and values outside an enumeration: they trap, as in wasmtime.

    https://github.com/WebAssembly/WASI/blob/main/legacy/tools/witx-docs.md#pointers
    """
    return number_of(error)


preview1 = Face("wasi_snapshot_preview1", to_errno, aligned=True)


# Arguments, environment, time, random numbers.


@preview1.function
def args_get(system: System, caller: Caller, argv: Pointer, argv_buf: Pointer) -> None:
    abi.put_strings(caller.memory, argv, argv_buf, system.arguments)


@preview1.function
def args_sizes_get(system: System, argc: Out[U32], argv_buf_size: Out[U32]) -> None:
    argc.set(len(system.arguments))
    argv_buf_size.set(abi.size_of(system.arguments))


@preview1.function
def environ_get(system: System, caller: Caller, environ: Pointer, environ_buf: Pointer) -> None:
    abi.put_strings(caller.memory, environ, environ_buf, system.environment)


@preview1.function
def environ_sizes_get(system: System, count: Out[U32], environ_buf_size: Out[U32]) -> None:
    count.set(len(system.environment))
    environ_buf_size.set(abi.size_of(system.environment))


@preview1.function
def clock_res_get(system: System, id: Clock, resolution: Out[U64]) -> None:
    resolution.set(system.resolution(id))


@preview1.function
def clock_time_get(system: System, id: Clock, precision: U64, time: Out[U64]) -> None:
    time.set(system.now(id))


@preview1.function
def random_get(system: System, caller: Caller, buf: Room) -> None:
    system.fill_random(buf.view(), caller.patience)


# Descriptors.


@preview1.function
def fd_advise(system: System, fd: Fd, offset: U64, len: U64, advice: AdviceCode) -> None:
    system.descriptor(fd, Rights.FD_ADVISE).advise(offset, len, advice)


@preview1.function
def fd_allocate(system: System, caller: Caller, fd: Fd, offset: U64, len: U64) -> None:
    system.descriptor(fd, Rights.FD_ALLOCATE).allocate(offset, len, caller.patience)


@preview1.function
def fd_close(system: System, fd: Fd) -> None:
    system.table.close(fd)


@preview1.function
def fd_datasync(system: System, caller: Caller, fd: Fd) -> None:
    system.descriptor(fd, Rights.FD_DATASYNC).sync(caller.patience)


@preview1.function
def fd_sync(system: System, caller: Caller, fd: Fd) -> None:
    system.descriptor(fd, Rights.FD_SYNC).sync(caller.patience)


@preview1.function
def fd_fdstat_get(system: System, fd: Fd, stat: Out[Fdstat]) -> None:
    descriptor = system.descriptor(fd)
    stat.set((descriptor.filetype, descriptor.flags, descriptor.rights, descriptor.inheriting))


@preview1.function
def fd_fdstat_set_flags(system: System, fd: Fd, flags: FdFlagsBits) -> None:
    system.descriptor(fd, Rights.FD_FDSTAT_SET_FLAGS).set_flags(flags)


@preview1.function
def fd_fdstat_set_rights(system: System, fd: Fd, base: RightsBits, inheriting: RightsBits) -> None:
    system.descriptor(fd).reduce(base, inheriting)


@preview1.function
def fd_filestat_get(system: System, fd: Fd, stat: Out[Filestat]) -> None:
    stat.set(abi.filestat(system.descriptor(fd, Rights.FD_FILESTAT_GET).stat()))


@preview1.function
def fd_filestat_set_size(system: System, caller: Caller, fd: Fd, size: U64) -> None:
    system.descriptor(fd, Rights.FD_FILESTAT_SET_SIZE).set_size(size, caller.patience)


@preview1.function
def fd_filestat_set_times(system: System, fd: Fd, atim: U64, mtim: U64, fst_flags: TimesBits) -> None:
    descriptor = system.descriptor(fd, Rights.FD_FILESTAT_SET_TIMES)
    descriptor.set_times(times(system, atim, mtim, fst_flags))


@preview1.function
def fd_read(system: System, caller: Caller, fd: Fd, iovs: Iovecs, nread: Out[U32]) -> None:
    nread.set(system.descriptor(fd, Rights.FD_READ).read(iovs, caller.patience))


@preview1.function
def fd_pread(system: System, caller: Caller, fd: Fd, iovs: Iovecs, offset: U64, nread: Out[U32]) -> None:
    nread.set(system.descriptor(fd, Rights.FD_READ | Rights.FD_SEEK).pread(iovs, offset, caller.patience))


@preview1.function
def fd_write(system: System, caller: Caller, fd: Fd, ciovs: Iovecs, nwritten: Out[U32]) -> None:
    nwritten.set(system.descriptor(fd, Rights.FD_WRITE).write(ciovs, caller.patience))


@preview1.function
def fd_pwrite(system: System, caller: Caller, fd: Fd, ciovs: Iovecs, offset: U64, nwritten: Out[U32]) -> None:
    descriptor = system.descriptor(fd, Rights.FD_WRITE | Rights.FD_SEEK)
    nwritten.set(descriptor.pwrite(ciovs, offset, caller.patience))


@preview1.function
def fd_seek(system: System, fd: Fd, offset: S64, whence: WhenceCode, newoffset: Out[U64]) -> None:
    newoffset.set(system.seek(fd, offset, whence))


@preview1.function
def fd_tell(system: System, fd: Fd, offset: Out[U64]) -> None:
    offset.set(system.tell(fd))


@preview1.function
def fd_prestat_get(system: System, fd: Fd, prestat: Out[Prestat]) -> None:
    kind = abi.DIRECTORY_KIND if system.descriptor(fd).filetype is Filetype.DIRECTORY else abi.OTHER_KIND
    prestat.set((kind, len(system.preopen(fd))))


@preview1.function
def fd_prestat_dir_name(system: System, fd: Fd, path: Room) -> None:
    name = system.preopen(fd, Errno.NOTDIR)
    if path.length < len(name):
        raise WasiError(
            Errno.NAMETOOLONG, f"the name has {len(name)} bytes, the guest has room for {path.length}"
        )
    path.put(name)


@preview1.function
def fd_readdir(system: System, caller: Caller, fd: Fd, buf: Room, cookie: U64, bufused: Out[U32]) -> None:
    entries = system.entries(fd, cookie, caller.patience)
    bufused.set(buf.put(abi.packed_entries(entries, buf.length)))


@preview1.function
def fd_renumber(system: System, fd: Fd, to: Fd) -> None:
    system.table.renumber(fd, to)


# Paths.


@preview1.function
def path_create_directory(system: System, fd: Fd, path: Path) -> None:
    system.descriptor(fd, Rights.PATH_CREATE_DIRECTORY).changeable.make_directory(path)


@preview1.function
def path_filestat_get(system: System, fd: Fd, flags: LookupBits, path: Path, stat: Out[Filestat]) -> None:
    folder = system.descriptor(fd, Rights.PATH_FILESTAT_GET).folder
    stat.set(abi.filestat(folder.stat_at(path, LookupFlags.SYMLINK_FOLLOW in flags)))


@preview1.function
def path_filestat_set_times(
    system: System, fd: Fd, flags: LookupBits, path: Path, atim: U64, mtim: U64, fst_flags: TimesBits
) -> None:
    folder = system.descriptor(fd, Rights.PATH_FILESTAT_SET_TIMES).changeable
    folder.set_times_at(path, LookupFlags.SYMLINK_FOLLOW in flags, times(system, atim, mtim, fst_flags))


@preview1.function
def path_link(
    system: System, old_fd: Fd, old_flags: LookupBits, old_path: Path, new_fd: Fd, new_path: Path
) -> None:
    if LookupFlags.SYMLINK_FOLLOW in old_flags:
        raise WasiError(Errno.INVAL, "a link is made to the name itself")
    old = system.descriptor(old_fd, Rights.PATH_LINK_SOURCE).changeable
    old.link(old_path, system.descriptor(new_fd, Rights.PATH_LINK_TARGET).changeable, new_path)


@preview1.function
def path_open(
    system: System,
    fd: Fd,
    dirflags: LookupBits,
    path: Path,
    oflags: OpenBits,
    fs_rights_base: RightsBits,
    fs_rights_inheriting: RightsBits,
    fdflags: FdFlagsBits,
    opened_fd: Out[Fd],
) -> None:
    opened_fd.set(system.open(fd, path, dirflags, oflags, fs_rights_base, fs_rights_inheriting, fdflags))


@preview1.function
def path_readlink(system: System, fd: Fd, path: Path, buf: Room, bufused: Out[U32]) -> None:
    target = system.descriptor(fd, Rights.PATH_READLINK).folder.readlink(path)
    bufused.set(buf.put(target.encode("utf-8", "surrogateescape")))


@preview1.function
def path_remove_directory(system: System, fd: Fd, path: Path) -> None:
    system.descriptor(fd, Rights.PATH_REMOVE_DIRECTORY).changeable.remove_directory(path)


@preview1.function
def path_rename(system: System, fd: Fd, old_path: Path, new_fd: Fd, new_path: Path) -> None:
    old = system.descriptor(fd, Rights.PATH_RENAME_SOURCE).changeable
    old.rename(old_path, system.descriptor(new_fd, Rights.PATH_RENAME_TARGET).changeable, new_path)


@preview1.function
def path_symlink(system: System, old_path: Path, fd: Fd, new_path: Path) -> None:
    system.descriptor(fd, Rights.PATH_SYMLINK).changeable.symlink(old_path, new_path)


@preview1.function
def path_unlink_file(system: System, fd: Fd, path: UnlimitedPath) -> None:
    system.descriptor(fd, Rights.PATH_UNLINK_FILE).changeable.remove_file(path)


# Waiting and ending.


@preview1.function
def poll_oneoff(system: System, caller: Caller, in_out: Polling, nevents: Out[U32]) -> None:
    nevents.set(in_out.answer(system.poll(in_out.waits, caller.patience)))


@preview1.function
def proc_exit(system: System, rval: U32) -> NoReturn:
    system.exit(rval)


@preview1.function
def proc_raise(system: System, sig: SignalCode) -> None:
    system.raise_signal(sig)


@preview1.function
def sched_yield(system: System) -> None:
    system.clocks.sleep(0)


# Sockets: listeners that the guest was given.


@preview1.function
def sock_accept(system: System, caller: Caller, fd: Fd, flags: FdFlagsBits, new_fd: Out[Fd]) -> None:
    new_fd.set(system.accept(fd, flags, caller.patience))


@preview1.function
def sock_recv(
    system: System,
    caller: Caller,
    fd: Fd,
    ri_data: Iovecs,
    ri_flags: ReceiveBits,
    datalen: Out[U32],
    roflags: Out[U16],
) -> None:
    datalen.set(system.descriptor(fd, Rights.FD_READ).receive(ri_data, ri_flags, caller.patience))
    roflags.set(0)  # streams are never truncated


@preview1.function
def sock_send(
    system: System, caller: Caller, fd: Fd, si_data: Iovecs, si_flags: U16, datalen: Out[U32]
) -> None:
    if si_flags:
        raise WasiError(Errno.INVAL, "there are no flags for sending")
    datalen.set(system.descriptor(fd, Rights.FD_WRITE).send(si_data, caller.patience))


@preview1.function
def sock_shutdown(system: System, fd: Fd, how: ShutdownBits) -> None:
    system.descriptor(fd, Rights.SOCK_SHUTDOWN).shutdown(how)


def times(system: System, atim: int, mtim: int, flags: SetTimes) -> Times:
    """The times that the four flags ask for. EINVAL if one time should be both given and now."""
    for given, now in ((SetTimes.ATIM, SetTimes.ATIM_NOW), (SetTimes.MTIM, SetTimes.MTIM_NOW)):
        if given in flags and now in flags:
            raise WasiError(Errno.INVAL, "a time is either given or now")
    present = system.now(ClockId.REALTIME)
    accessed = present if SetTimes.ATIM_NOW in flags else atim if SetTimes.ATIM in flags else None
    modified = present if SetTimes.MTIM_NOW in flags else mtim if SetTimes.MTIM in flags else None
    return Times(accessed, modified)
