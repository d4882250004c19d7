"""Directories of the host that a guest may use, and what can be done to the names in them.

What is here: `Folder` with every operation on a path, in two kinds, chosen by `open_folder`:
- `FdFolder` holds directories open. Whatever happens to names meanwhile, nothing outside is reached.
- `PathFolder`, for platforms without `dir_fd` (Windows, Pyodide; PYWASM_NN_PORTABLE=1 asks for it anywhere),
  checks full paths with lstat. Guests change names only through this class, and one lock is held from the
  walk to the end of the use, so that no guest can swap a component under another's feet. Against other
  programs of the host the walk is checked again after opening and the file is refused if anything differs;
  such a program could at worst make an empty file appear elsewhere, or learn what lstat says, where it can
  already do more by itself.

What is not here: how a path is resolved (`paths.py`); descriptors, rights and read-only directories
(`descriptors.py`).
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from threading import RLock

from .errors import Errno, WasiError
from .paths import CLOEXEC, DIRECTORY, NOFOLLOW, FdSteps, PathSteps, Place, is_absolute, is_link, walk

BINARY: int = getattr(os, "O_BINARY", 0)


@dataclass(frozen=True, slots=True)
class Times:
    """Which times to set, in nanoseconds since 1970; None leaves one as it is."""

    accessed: int | None
    modified: int | None

    def of(self, status: os.stat_result) -> tuple[int, int]:
        """Both, the missing ones from `status`."""
        accessed = status.st_atime_ns if self.accessed is None else self.accessed
        return accessed, status.st_mtime_ns if self.modified is None else self.modified


def status_at(place: Place) -> os.stat_result | None:
    """What is at a place, None for nothing."""
    try:
        return os.lstat(place.name, dir_fd=place.dir_fd)
    except FileNotFoundError:
        return None


class Folder:
    """A directory of the host that a guest may use: paths are resolved in it and never lead out of it."""

    def resolve(self, path: str, follow: bool) -> AbstractContextManager[Place]:
        """A context in which the place that `path` leads to can be used."""
        raise NotImplementedError

    def existing(self, path: str, follow: bool) -> AbstractContextManager[Place]:
        """The place of something that should be there: a trailing slash follows the last link."""
        return self.resolve(path, follow or path.endswith("/"))

    @contextmanager
    def entry(self, path: str, dot: Errno) -> Iterator[Place]:
        """The place of a name that is made, moved or removed: a link is meant itself, and `dot` answers paths
        like `a/.`."""
        with self.resolve(path, False) as place:
            if place.dot:
                raise WasiError(dot, f'"{path}" is no name in a directory')
            yield place

    def open(self, place: Place, flags: int, mode: int = 0o666) -> int:
        """Open the file at a place of this folder's."""
        raise NotImplementedError

    def enter(self, place: Place) -> Folder:
        """The folder for the directory at a place of this folder's."""
        raise NotImplementedError

    def entries(self) -> list[os.DirEntry[str]]:
        """What is in the directory, in the host's order."""
        raise NotImplementedError

    def stat(self) -> os.stat_result:
        raise NotImplementedError

    def set_times(self, times: tuple[int, int]) -> None:
        """Access and modification time of the directory itself, in nanoseconds."""
        raise NotImplementedError

    def sync(self) -> None:
        """Write names to the disk, where the platform can."""

    def close(self) -> None:
        """Let the directory go."""

    def stat_at(self, path: str, follow: bool) -> os.stat_result:
        with self.existing(path, follow) as place:
            status = os.lstat(place.name, dir_fd=place.dir_fd)
            if place.slash and not stat.S_ISDIR(status.st_mode):
                raise WasiError(Errno.NOTDIR)
            return status

    def set_times_at(self, path: str, follow: bool, times: Times) -> None:
        with self.existing(path, follow) as place:
            status = os.lstat(place.name, dir_fd=place.dir_fd)
            if place.slash and not stat.S_ISDIR(status.st_mode):
                raise WasiError(Errno.NOTDIR)
            if os.utime in os.supports_follow_symlinks:
                os.utime(place.name, ns=times.of(status), dir_fd=place.dir_fd, follow_symlinks=False)
            elif stat.S_ISLNK(status.st_mode):
                raise WasiError(Errno.NOTSUP, "links have no times of their own on this system")
            else:
                os.utime(place.name, ns=times.of(status), dir_fd=place.dir_fd)

    def make_directory(self, path: str) -> None:
        with self.entry(path, Errno.EXIST) as place:
            os.mkdir(place.name, dir_fd=place.dir_fd)

    def remove_directory(self, path: str) -> None:
        with self.entry(path, Errno.INVAL) as place:
            os.rmdir(place.name, dir_fd=place.dir_fd)

    def remove_file(self, path: str) -> None:
        with self.entry(path, Errno.ISDIR) as place:
            status = os.lstat(place.name, dir_fd=place.dir_fd)
            if stat.S_ISDIR(status.st_mode):  # some systems answer EPERM, some would remove it
                raise WasiError(Errno.ISDIR)
            if place.slash:
                raise WasiError(Errno.NOTDIR)
            os.unlink(place.name, dir_fd=place.dir_fd)

    def rename(self, path: str, target: Folder, new_path: str) -> None:
        """Move a name, also to another folder, replacing what is there."""
        with self.entry(path, Errno.BUSY) as old, target.entry(new_path, Errno.BUSY) as new:
            status = os.lstat(old.name, dir_fd=old.dir_fd)
            if (old.slash or new.slash) and not stat.S_ISDIR(status.st_mode):
                raise WasiError(Errno.NOTDIR)
            os.replace(old.name, new.name, src_dir_fd=old.dir_fd, dst_dir_fd=new.dir_fd)

    def link(self, path: str, target: Folder, new_path: str) -> None:
        """Give a file a second name; a symbolic link itself, not what it leads to."""
        with self.entry(path, Errno.PERM) as old, target.entry(new_path, Errno.EXIST) as new:
            status = os.lstat(old.name, dir_fd=old.dir_fd)
            if status_at(new):
                raise WasiError(Errno.EXIST)
            if new.slash:
                raise WasiError(Errno.NOENT)
            if stat.S_ISDIR(status.st_mode):
                raise WasiError(Errno.PERM, "directories have one name")
            if old.slash:
                raise WasiError(Errno.NOTDIR)
            os.link(old.name, new.name, src_dir_fd=old.dir_fd, dst_dir_fd=new.dir_fd, follow_symlinks=False)

    def symlink(self, text: str, path: str) -> None:
        """Make a symbolic link. Where it leads is checked when it is followed; an absolute one never could
        be."""
        if "\0" in text:
            raise WasiError(Errno.INVAL, "the text of the link contains NUL")
        if is_absolute(text):
            raise WasiError(Errno.PERM, f'a link to the absolute path "{text}"')
        with self.entry(path, Errno.EXIST) as place:
            if place.slash:
                raise WasiError(Errno.NOENT if status_at(place) is None else Errno.EXIST)
            os.symlink(text, place.name, dir_fd=place.dir_fd)

    def readlink(self, path: str) -> str:
        """Where a link leads. An absolute target leads nowhere in the sandbox and names what is outside:
        PERM."""
        with self.existing(path, False) as place:
            if place.slash and not stat.S_ISDIR(os.lstat(place.name, dir_fd=place.dir_fd).st_mode):
                raise WasiError(Errno.NOTDIR)
            text = os.readlink(place.name, dir_fd=place.dir_fd)
        if is_absolute(text):
            raise WasiError(Errno.PERM, f'the link "{path}" is absolute and leads out of its directory')
        return text


class FdFolder(Folder):
    """A directory held open by a descriptor."""

    def __init__(self, descriptor: int) -> None:
        self.descriptor = descriptor

    @contextmanager
    def resolve(self, path: str, follow: bool) -> Iterator[Place]:
        steps = FdSteps(self.descriptor)
        try:
            yield walk(steps, path, follow)
        finally:
            steps.close()

    def open(self, place: Place, flags: int, mode: int = 0o666) -> int:
        return os.open(place.name, flags | NOFOLLOW | CLOEXEC, mode, dir_fd=place.dir_fd)

    def enter(self, place: Place) -> Folder:
        return FdFolder(self.open(place, os.O_RDONLY | DIRECTORY))

    def entries(self) -> list[os.DirEntry[str]]:
        with os.scandir(self.descriptor) as entries:
            return list(entries)

    def stat(self) -> os.stat_result:
        return os.fstat(self.descriptor)

    def set_times(self, times: tuple[int, int]) -> None:
        os.utime(self.descriptor, ns=times)

    def sync(self) -> None:
        os.fsync(self.descriptor)

    def close(self) -> None:
        os.close(self.descriptor)


class PathFolder(Folder):
    """A directory remembered by its full path."""

    lock = RLock()
    """Held from a walk to the end of its use, by all folders of the process: the walk must still be true
    then."""

    def __init__(self, path: str) -> None:
        self.path = path
        status = os.stat(path)
        self.identity = status.st_dev, status.st_ino

    @contextmanager
    def resolve(self, path: str, follow: bool) -> Iterator[Place]:
        with self.lock:
            status = os.lstat(self.path)
            if (status.st_dev, status.st_ino) != self.identity:
                raise WasiError(Errno.NOENT, f'"{self.path}" is not the directory any more that was opened')
            yield walk(PathSteps(self.path), path, follow)

    def open(self, place: Place, flags: int, mode: int = 0o666) -> int:
        if is_link(place.name):
            raise WasiError(Errno.EXIST if flags & os.O_EXCL else Errno.LOOP)
        descriptor = os.open(place.name, flags | NOFOLLOW | CLOEXEC | BINARY, mode)
        if not self.still_true(place, os.fstat(descriptor)):
            os.close(descriptor)
            raise WasiError(Errno.PERM, f'"{place.name}" was changed by another program while it was opened')
        return descriptor

    def still_true(self, place: Place, opened: os.stat_result) -> bool:
        """Whether the walk, taken again, leads to what was opened."""
        for path, device, inode in place.trail:
            now = os.lstat(path)
            if (now.st_dev, now.st_ino) != (device, inode):
                return False
        return os.path.samestat(opened, os.lstat(place.name))

    def enter(self, place: Place) -> Folder:
        if is_link(place.name):
            raise WasiError(Errno.LOOP)
        if not stat.S_ISDIR(os.lstat(place.name).st_mode):
            raise WasiError(Errno.NOTDIR)
        return PathFolder(place.name)

    def entries(self) -> list[os.DirEntry[str]]:
        with os.scandir(self.path) as entries:
            return list(entries)

    def stat(self) -> os.stat_result:
        return os.stat(self.path)

    def set_times(self, times: tuple[int, int]) -> None:
        os.utime(self.path, ns=times)


def portable() -> bool:
    """Whether directories have to be, or are asked to be, remembered by path."""
    if os.environ.get("PYWASM_NN_PORTABLE", "0") not in ("", "0"):
        return True
    needed = {
        os.open,
        os.stat,
        os.readlink,
        os.mkdir,
        os.rmdir,
        os.unlink,
        os.rename,
        os.link,
        os.symlink,
        os.utime,
    }
    return not (needed <= os.supports_dir_fd and os.scandir in os.supports_fd and NOFOLLOW)


def open_folder(host: str) -> Folder:
    """The folder for a directory that a person names; links on the way to it are followed. Raises OSError."""
    if portable():
        path = os.path.realpath(host)
        if not os.path.isdir(path):
            os.scandir(path).close()  # says what is wrong in the system's words
        return PathFolder(path)
    return FdFolder(os.open(host, os.O_RDONLY | DIRECTORY | CLOEXEC))
