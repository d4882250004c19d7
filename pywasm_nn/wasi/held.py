"""Directories that can't be replaced while they are held, for systems that can't open names in an open
directory.

What is here: `Held` and its kinds; `held_kind` gives the kind for this system. Whatever other processes
rename or replace meanwhile, a path that begins with `Held.path` leads into the directory that was held:
- on Windows by a handle that doesn't share deletion: until it is closed, the system refuses to rename, remove
  or replace the directory;
- on Linux by a descriptor, through the path /proc/self/fd (PYWASM_NN_PORTABLE=1 selects it);
- in Pyodide by nothing: the program is alone with its files and has no threads, so no replacement can happen.
What is not here: which directories are held (`paths.py`), and the operations in them (`folders.py`).
"""

from __future__ import annotations

import errno
import os
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

NOFOLLOW: int = getattr(os, "O_NOFOLLOW", 0)
DIRECTORY: int = getattr(os, "O_DIRECTORY", 0)
CLOEXEC: int = getattr(os, "O_CLOEXEC", 0)
BINARY: int = getattr(os, "O_BINARY", 0)
# With O_PATH, a walk can pass through a directory that may be searched but not listed, as the system itself
# does.
STEP = getattr(os, "O_PATH", os.O_RDONLY) | DIRECTORY | NOFOLLOW | CLOEXEC
NAME_SURROGATE = 0x2000_0000
"""The bit of a Windows reparse tag that says "another name", as in links and junctions."""
ALONE = ("emscripten", "wasi")
"""Values of `sys.platform` on which no other code runs while a host function runs."""
PROC = "/proc/self/fd"
FEWEST = 4096
"""The assumed limit of descriptors on systems that report none: half of the limit in Windows' C library."""
# https://learn.microsoft.com/windows/win32/api/fileapi/nf-fileapi-createfilew
GENERIC_READ = 0x8000_0000
SHARE_READ_AND_WRITE = 1 | 2
CREATE_NEW, OPEN_EXISTING = 1, 3
BACKUP_SEMANTICS, OPEN_REPARSE_POINT = 0x0200_0000, 0x0020_0000


def spare(descriptor: int) -> int:
    """Return a new descriptor of the host, or close it and raise ENFILE if guests would leave the host less
    than a quarter of the process's descriptors.
    """
    if left_after(descriptor) < 0:
        os.close(descriptor)
        raise OSError(errno.ENFILE, os.strerror(errno.ENFILE))
    return descriptor


def left_after(descriptor: int) -> int:
    """The number of descriptors that guests may open after this new one, negative if it is one too many.

    Systems use the lowest free number, so a descriptor's number is a lower bound of how many are open.
    """
    most = most_descriptors()
    return most - most // 4 - 1 - descriptor


def most_descriptors() -> int:
    """The limit of descriptors of this process."""
    try:
        from resource import RLIM_INFINITY, RLIMIT_NOFILE, getrlimit
    except ImportError:  # on Windows
        return FEWEST
    most, _ = getrlimit(RLIMIT_NOFILE)
    return sys.maxsize if most == RLIM_INFINITY else most


class Held:
    """A directory that stays at its path until `close`. This base class holds nothing, for systems on which
    no other code runs meanwhile."""

    descriptor: int | None = None
    """The host's descriptor that holds the directory."""

    def __init__(self, path: str) -> None:
        """Raises OSError: ELOOP for a link, ENOTDIR for anything else that is no directory."""
        self.path = path
        """The path by which the directory is named from now on."""
        look(path)
        if not stat.S_ISDIR(os.lstat(path).st_mode):
            raise OSError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), path)

    def copy(self) -> Held:
        """The same directory, to be closed separately."""
        return type(self)(self.path)

    def close(self) -> None:
        """Release the directory."""

    @classmethod
    @contextmanager
    def file(cls, path: str) -> Iterator[None]:
        """Keep the file at a path in place during this context. Raises ELOOP for a link."""
        look(path)
        yield

    @classmethod
    def open(cls, path: str, flags: int, mode: int) -> int:
        """Open the file at a path, or create it; returns the host's descriptor. Raises ELOOP (EEXIST) for a
        link."""
        look(path, errno.EEXIST if flags & os.O_EXCL else errno.ELOOP)
        return spare(os.open(path, flags | NOFOLLOW | CLOEXEC, mode))


class HeldByDescriptor(Held):
    """A directory held by a descriptor (Linux)."""

    def __init__(self, path: str) -> None:
        self._keep(spare(os.open(path, STEP)))

    def _keep(self, descriptor: int) -> None:
        self.descriptor: int = descriptor
        self.path = f"{PROC}/{descriptor}"

    def copy(self) -> Held:
        copied = object.__new__(type(self))
        copied._keep(spare(os.dup(self.descriptor)))
        return copied

    def close(self) -> None:
        os.close(self.descriptor)

    @classmethod
    @contextmanager
    def file(cls, path: str) -> Iterator[None]:
        yield  # on Linux, the functions of `os` that change a file can avoid following links

    @classmethod
    def open(cls, path: str, flags: int, mode: int) -> int:
        return spare(os.open(path, flags | NOFOLLOW | CLOEXEC, mode))


class HeldByHandle(Held):
    """A directory held by a handle (Windows)."""

    def __init__(self, path: str) -> None:
        self.handle = handle_on(path)
        try:
            super().__init__(path)
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        kernel().CloseHandle(self.handle)

    @classmethod
    @contextmanager
    def file(cls, path: str) -> Iterator[None]:
        handle = handle_on(path)
        try:
            look(path)
            yield
        finally:
            kernel().CloseHandle(handle)

    @classmethod
    def open(cls, path: str, flags: int, mode: int) -> int:
        # CreateFile creates the new file: it doesn't follow a link, while os.open would create the link's
        # target.
        if flags & os.O_CREAT:
            try:
                kernel().CloseHandle(handle_on(path, CREATE_NEW))
            except FileExistsError:
                if flags & os.O_EXCL:
                    raise
        with cls.file(path):
            return spare(os.open(path, flags & ~(os.O_CREAT | os.O_EXCL) | BINARY, mode))


def look(path: str, error: int = errno.ELOOP) -> None:
    """Raise an OSError with this number if a path is a link."""
    if is_link(path):
        raise OSError(error, os.strerror(error), path)


def is_link(path: str) -> bool:
    """Whether a path is a symbolic link, or on Windows a junction."""
    try:
        status = os.lstat(path)
    except FileNotFoundError:
        return False
    return stat.S_ISLNK(status.st_mode) or bool(getattr(status, "st_reparse_tag", 0) & NAME_SURROGATE)


@cache
def kernel() -> Any:
    """Functions of kernel32, with their argument types."""
    import ctypes
    from ctypes import wintypes

    library: Any = ctypes
    functions = library.WinDLL("kernel32", use_last_error=True)
    functions.CreateFileW.argtypes = (
        wintypes.LPCWSTR, wintypes.DWORD, wintypes.DWORD, wintypes.LPVOID, wintypes.DWORD, wintypes.DWORD,
        wintypes.HANDLE,
    )  # fmt: skip
    functions.CreateFileW.restype = wintypes.HANDLE
    functions.CloseHandle.argtypes = (wintypes.HANDLE,)
    return functions


def handle_on(path: str, disposition: int = OPEN_EXISTING) -> int:
    """A handle on the file at a path, also on a link or a directory. Nobody can rename, remove or replace it
    until the handle is closed. The handle asks for read access, because without any access Windows would not
    enforce the sharing mode. Raises OSError."""
    handle: int | None = kernel().CreateFileW(
        path,
        GENERIC_READ,
        SHARE_READ_AND_WRITE,
        None,
        disposition,
        BACKUP_SEMANTICS | OPEN_REPARSE_POINT,
        None,
    )
    if handle is None or handle in (-1, (1 << 32) - 1, (1 << 64) - 1):
        import ctypes

        library: Any = ctypes
        raise library.WinError(library.get_last_error())
    return handle


def held_kind() -> type[Held] | None:
    """The kind of `Held` for this system, None if it has none."""
    if os.name == "nt":
        return HeldByHandle
    if sys.platform in ALONE:
        return Held
    return HeldByDescriptor if hasattr(os, "O_PATH") and os.path.isdir(PROC) else None
