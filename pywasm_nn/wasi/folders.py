"""Directories that a guest may use, and the operations on names in them.

What is here: `Folder` with every operation on a path, for any file system (in memory: `inmemory.py`), and two
kinds for the host's file system, chosen by `open_folder`:
- `FdFolder` keeps directories open as descriptors, so nothing outside is reached, even if names change.
- `PathFolder`, for platforms without `dir_fd` (Windows, Pyodide; PYWASM_NN_PORTABLE=1 selects it on Linux),
  uses full paths through directories that are held meanwhile (`held.py`), with the same guarantee.

What is not here: resolving a path (`paths.py`); rights and read-only directories (`directories.py`).
"""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from threading import RLock

from ..interpreter.runtime.memory import portable_wanted
from .codes import READING, WRITING, FdFlags, Filetype, OpenFlags, Rights
from .descriptors import Descriptor, Entry, File, Stat, Times
from .errors import Errno, WasiError
from .held import CLOEXEC, DIRECTORY, NOFOLLOW, Held, held_kind, spare
from .paths import FdSteps, PathSteps, Place, is_absolute, walk


class Folder:
    """A directory that a guest may use: paths are resolved in it and never lead out of it.

    Methods with a `Place` need one that this folder has resolved.
    """

    system: object
    """The file system of the folder: names can be moved and linked only within one."""
    descriptor: int | None = None
    """The host's descriptor of the directory, if one is open."""

    def resolve(self, path: str, follow: bool) -> AbstractContextManager[Place]:
        """A context manager that gives the place that `path` leads to, valid inside the context."""
        raise NotImplementedError

    def existing(self, path: str, follow: bool) -> AbstractContextManager[Place]:
        """The place of an existing name: a trailing slash follows the last link."""
        return self.resolve(path, follow or path.endswith("/"))

    @contextmanager
    def entry(self, path: str, dot: Errno) -> Iterator[Place]:
        """The place of a name that is created, moved or removed: a final link is not followed, and paths like
        `a/.` raise `dot`."""
        with self.resolve(path, False) as place:
            if place.dot:
                raise WasiError(dot, f'"{path}" is no name in a directory')
            yield place

    # The directory itself.

    def entries(self) -> Iterator[Entry]:
        """The entries of the directory, in the system's order."""
        raise NotImplementedError

    def stat(self) -> Stat:
        raise NotImplementedError

    def set_times(self, times: Times) -> None:
        raise NotImplementedError

    def close(self) -> None:
        """Release the directory."""

    def copy(self) -> Folder:
        """The same directory, to be closed separately."""
        raise NotImplementedError

    # Operations at a place. Each raises OSError or WasiError, as the system would.

    def status(self, place: Place) -> Stat | None:
        """The attributes of the file at a place, None if there is none."""
        raise NotImplementedError

    def open(
        self, place: Place, how: OpenFlags, rights: Rights, inheriting: Rights, flags: FdFlags
    ) -> Descriptor:
        """Open the file at a place, or create it."""
        raise NotImplementedError

    def enter(self, place: Place) -> Folder:
        """The folder for the directory at a place."""
        raise NotImplementedError

    def set_times_of(self, place: Place, stat: Stat, times: Times) -> None:
        raise NotImplementedError

    def make(self, place: Place) -> None:
        """Make a directory."""
        raise NotImplementedError

    def remove(self, place: Place) -> None:
        """Remove an empty directory."""
        raise NotImplementedError

    def unlink(self, place: Place) -> None:
        """Remove a name of a file that is no directory."""
        raise NotImplementedError

    def replace(self, old: Place, new: Place) -> None:
        """Move `old` to `new`, a place in a folder of the same system."""
        raise NotImplementedError

    def add_name(self, old: Place, new: Place) -> None:
        """Add the name `new` to the file at `old`."""
        raise NotImplementedError

    def make_link(self, text: str, place: Place) -> None:
        """Make a symbolic link."""
        raise NotImplementedError

    def target(self, place: Place) -> str:
        """The target of the symbolic link at a place."""
        raise NotImplementedError

    # Operations on paths, as guests call them.

    def found(self, place: Place) -> Stat:
        """The attributes of the file at a place. The file must exist, and be a directory if the path ended in
        a slash."""
        stat = self.status(place)
        if stat is None:
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), place.name)
        if place.slash and stat.filetype is not Filetype.DIRECTORY:
            raise WasiError(Errno.NOTDIR)
        return stat

    def stat_at(self, path: str, follow: bool) -> Stat:
        with self.existing(path, follow) as place:
            return self.found(place)

    def set_times_at(self, path: str, follow: bool, times: Times) -> None:
        with self.existing(path, follow) as place:
            self.set_times_of(place, self.found(place), times)

    def make_directory(self, path: str) -> None:
        with self.entry(path, Errno.EXIST) as place:
            self.make(place)

    def remove_directory(self, path: str) -> None:
        with self.entry(path, Errno.INVAL) as place:
            self.remove(place)

    def remove_file(self, path: str) -> None:
        with self.entry(path, Errno.ISDIR) as place:
            stat = self.found(place)
            if stat.filetype is Filetype.DIRECTORY:  # some systems raise EPERM, some would remove it
                raise WasiError(Errno.ISDIR)
            self.unlink(place)

    def rename(self, path: str, target: Folder, new_path: str) -> None:
        """Move a name, also to another folder, replacing an existing file."""
        with self.entry(path, Errno.BUSY) as old, target.entry(new_path, Errno.BUSY) as new:
            stat = self.found(old)
            if new.slash and stat.filetype is not Filetype.DIRECTORY:
                raise WasiError(Errno.NOTDIR)
            self.same_system(target)
            self.replace(old, new)

    def link(self, path: str, target: Folder, new_path: str) -> None:
        """Give a file a second name. A symbolic link is linked itself, not its target."""
        with self.entry(path, Errno.PERM) as old, target.entry(new_path, Errno.EXIST) as new:
            stat = self.status(old)
            if stat is None:
                raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), path)
            if target.status(new):
                raise WasiError(Errno.EXIST)
            if new.slash:
                raise WasiError(Errno.NOENT)
            if stat.filetype is Filetype.DIRECTORY:
                raise WasiError(Errno.PERM, "directories have one name")
            if old.slash:
                raise WasiError(Errno.NOTDIR)
            self.same_system(target)
            self.add_name(old, new)

    def same_system(self, target: Folder) -> None:
        if self.system is not target.system:
            raise WasiError(Errno.XDEV, "the two directories are in different file systems")

    def symlink(self, text: str, path: str) -> None:
        """Make a symbolic link. Its target is checked when the link is followed; an absolute target could
        never be followed, so it is refused."""
        if "\0" in text:
            raise WasiError(Errno.INVAL, "the text of the link contains NUL")
        if is_absolute(text):
            raise WasiError(Errno.PERM, f'a link to the absolute path "{text}"')
        with self.entry(path, Errno.EXIST) as place:
            if place.slash:
                raise WasiError(Errno.NOENT if self.status(place) is None else Errno.EXIST)
            self.make_link(text, place)

    def readlink(self, path: str) -> str:
        """The target of a link. An absolute target leads nowhere in the sandbox and would reveal host paths,
        so it raises PERM."""
        with self.existing(path, False) as place:
            if place.slash:
                self.found(place)
            text = self.target(place)
        if is_absolute(text):
            raise WasiError(Errno.PERM, f'the link "{path}" is absolute and leads out of its directory')
        return text


class HostFolder(Folder):
    """A directory of the host. The operations call functions of `os`, with a name and either `dir_fd` or a
    full path."""

    system = os

    def status(self, place: Place) -> Stat | None:
        try:
            return Stat.of(os.lstat(place.name, dir_fd=place.parent))
        except FileNotFoundError:
            return None

    def open(
        self, place: Place, how: OpenFlags, rights: Rights, inheriting: Rights, flags: FdFlags
    ) -> Descriptor:
        descriptor = self.open_host(place, host_flags(how, rights))
        try:
            file = File(descriptor, rights, inheriting, flags)
            if file.filetype is Filetype.DIRECTORY:  # it has replaced a file since the check
                raise WasiError(Errno.ISDIR)
            if OpenFlags.TRUNC in how and file.filetype is Filetype.REGULAR_FILE:
                os.ftruncate(descriptor, 0)
        except BaseException:
            os.close(descriptor)
            raise
        return file

    def open_host(self, place: Place, flags: int, mode: int = 0o666) -> int:
        """Open the file at a place; returns the host's descriptor."""
        raise NotImplementedError

    def set_times_of(self, place: Place, stat: Stat, times: Times) -> None:
        if os.utime in os.supports_follow_symlinks:
            os.utime(place.name, ns=times.of(stat), dir_fd=place.parent, follow_symlinks=False)
        elif stat.filetype is Filetype.SYMBOLIC_LINK:
            raise WasiError(Errno.NOTSUP, "links have no times of their own on this system")
        else:
            os.utime(place.name, ns=times.of(stat), dir_fd=place.parent)

    def make(self, place: Place) -> None:
        os.mkdir(place.name, dir_fd=place.parent)

    def remove(self, place: Place) -> None:
        os.rmdir(place.name, dir_fd=place.parent)

    def unlink(self, place: Place) -> None:
        os.unlink(place.name, dir_fd=place.parent)

    def replace(self, old: Place, new: Place) -> None:
        os.replace(old.name, new.name, src_dir_fd=old.parent, dst_dir_fd=new.parent)

    def add_name(self, old: Place, new: Place) -> None:
        if not hasattr(os, "link"):  # in Pyodide
            raise WasiError(Errno.NOTSUP)
        if os.link in os.supports_follow_symlinks:
            os.link(old.name, new.name, src_dir_fd=old.parent, dst_dir_fd=new.parent, follow_symlinks=False)
        else:
            os.link(old.name, new.name)

    def make_link(self, text: str, place: Place) -> None:
        os.symlink(text, place.name, dir_fd=place.parent)

    def target(self, place: Place) -> str:
        return os.readlink(place.name, dir_fd=place.parent)


class FdFolder(HostFolder):
    """A directory that is kept open as a descriptor."""

    def __init__(self, descriptor: int) -> None:
        self.descriptor: int = descriptor

    @contextmanager
    def resolve(self, path: str, follow: bool) -> Iterator[Place]:
        steps = FdSteps(self.descriptor)
        try:
            yield walk(steps, path, follow)
        finally:
            steps.close()

    def open_host(self, place: Place, flags: int, mode: int = 0o666) -> int:
        return spare(os.open(place.name, flags | NOFOLLOW | CLOEXEC, mode, dir_fd=place.parent))

    def enter(self, place: Place) -> Folder:
        return FdFolder(self.open_host(place, os.O_RDONLY | DIRECTORY))

    def entries(self) -> Iterator[Entry]:
        with os.scandir(self.descriptor) as entries:
            yield from map(entry_of, entries)

    def stat(self) -> Stat:
        return Stat.of(os.fstat(self.descriptor))

    def set_times(self, times: Times) -> None:
        os.utime(self.descriptor, ns=times.of(self.stat()))

    def close(self) -> None:
        os.close(self.descriptor)

    def copy(self) -> Folder:
        return FdFolder(spare(os.dup(self.descriptor)))


class PathFolder(HostFolder):
    """A directory given by its full path, and held."""

    lock = RLock()
    """All folders of the process take this lock during a walk and the operation after it, so that one guest's
    short hold on a name causes no error in another guest."""

    def __init__(self, held: Held) -> None:
        self.held = held
        self.descriptor = held.descriptor

    @contextmanager
    def resolve(self, path: str, follow: bool) -> Iterator[Place]:
        with self.lock:
            steps = PathSteps(self.held)
            try:
                yield walk(steps, path, follow)
            finally:
                steps.close()

    def open_host(self, place: Place, flags: int, mode: int = 0o666) -> int:
        return self.held.open(place.name, flags, mode)

    def set_times_of(self, place: Place, stat: Stat, times: Times) -> None:
        with self.held.file(place.name):
            super().set_times_of(place, stat, times)

    def add_name(self, old: Place, new: Place) -> None:
        with self.held.file(old.name):
            super().add_name(old, new)

    def enter(self, place: Place) -> Folder:
        return PathFolder(type(self.held)(place.name))

    def entries(self) -> Iterator[Entry]:
        with os.scandir(self.held.path) as entries:
            yield from map(entry_of, entries)

    def copy(self) -> Folder:
        return PathFolder(self.held.copy())

    def close(self) -> None:
        self.held.close()

    def stat(self) -> Stat:
        return Stat.of(os.stat(self.held.path))

    def set_times(self, times: Times) -> None:
        os.utime(self.held.path, ns=times.of(self.stat()))


def by_descriptor() -> bool:
    """Whether the platform can use names relative to open directories."""
    needed = {
        os.open,
        os.stat,
        os.readlink,
        os.mkdir,
        os.rmdir,
        os.unlink,
        os.rename,
        getattr(os, "link", None),
        os.symlink,
        os.utime,
    }
    return needed <= os.supports_dir_fd and os.scandir in os.supports_fd and bool(NOFOLLOW)


def open_folder(host: str) -> Folder:
    """The folder for a directory that the user names; links on the way are followed. Raises OSError."""
    kind = held_kind()
    if kind and (portable_wanted() or not by_descriptor()):
        path = os.path.realpath(host)
        if not os.path.isdir(path):
            os.scandir(path).close()  # raises the system's own error
        return PathFolder(kind(path))
    if not by_descriptor():
        raise OSError(errno.ENOTSUP, "this system can't hold directories, so none is given to a guest", host)
    return FdFolder(os.open(host, os.O_RDONLY | DIRECTORY | CLOEXEC))


def host_flags(how: OpenFlags, rights: Rights) -> int:
    """The host's flags for opening a file. O_TRUNC is left out: the file is truncated once its type is
    known."""
    writing = bool(rights & WRITING) or OpenFlags.TRUNC in how
    reading = bool(rights & READING) or not writing
    flags = os.O_RDWR if reading and writing else os.O_WRONLY if writing else os.O_RDONLY
    if OpenFlags.CREAT in how:
        flags |= os.O_CREAT
        if OpenFlags.EXCL in how:
            flags |= os.O_EXCL
    # Opening a pipe must not make the host wait, for its other end or for bytes, and a terminal must not
    # become the controlling terminal.
    return flags | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0)


def entry_of(entry: os.DirEntry[str]) -> Entry:
    """A directory entry as an `Entry`."""
    return Entry(os.fsencode(entry.name), entry.inode() & 0xFFFF_FFFF_FFFF_FFFF, filetype_of(entry))


def filetype_of(entry: os.DirEntry[str]) -> Filetype:
    """The type of a directory entry, without a system call if the listing has it."""
    if entry.is_symlink():
        return Filetype.SYMBOLIC_LINK
    if entry.is_dir(follow_symlinks=False):
        return Filetype.DIRECTORY
    if entry.is_file(follow_symlinks=False):
        return Filetype.REGULAR_FILE
    try:
        return Filetype.of_mode(entry.stat(follow_symlinks=False).st_mode)
    except OSError:
        return Filetype.UNKNOWN  # gone by now
