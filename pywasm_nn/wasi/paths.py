"""The sandboxed resolver: turns a guest's path into a place below one of its directories, or an error.

A path is walked component by component. Symbolic links are read and resolved here, inside the sandbox only;
`..` goes back to the directory that the walk came from and never above the root; absolute paths and absolute
links are refused. The result is a `Place`: a name in a directory, without any link left to follow, for
the functions of `os`.

There are two kinds of steps: `FdSteps` uses `dir_fd` and O_NOFOLLOW, `PathSteps` uses full paths through held
directories (`held.py`). Even if names are moved or replaced meanwhile, every step starts from a directory
that allowed steps have reached. What is not here: the operations at a place, and the choice of the kind
(`folders.py`).
"""

from __future__ import annotations

import errno
import os
from typing import Any

from ..records import Frozen
from .descriptors import PATH_MAX
from .errors import Errno, WasiError
from .held import STEP, Held, is_link, spare

MAX_LINKS = 40
"""Symbolic links that one resolution follows, as on Linux."""
NO_LINK = {errno.ENOTDIR, errno.ELOOP, errno.EMLINK}
"""Errors of opening a symbolic link with O_DIRECTORY and O_NOFOLLOW, on various systems."""
WINDOWS_DEVICES = {"CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$"} | {
    f"{port}{digit}" for port in ("COM", "LPT") for digit in "0123456789¹²³"
}


class Place(Frozen):
    """The result of a resolved path, not to be followed further: `name` in the directory `parent`. The
    resolver defines `parent`: an open descriptor, None if the name is a full path, or a node in memory.

    `slash`: the path ends in a slash, so it must be a directory. `dot`: the path leads to the directory
    itself, or to one on the way, and not to a name in it.
    """

    name: str
    parent: Any
    slash: bool
    dot: bool


class Steps:
    """A walk: its current directory, and the steps from there."""

    def enter(self, name: str) -> str | None:
        """Enter a directory. For a symbolic link, stay and return its target."""
        raise NotImplementedError

    def leave(self) -> bool:
        """Go back to the directory that the walk came from; returns False at the root."""
        raise NotImplementedError

    def link(self, name: str) -> str | None:
        """The target of a symbolic link; None for anything else, and for a missing name."""
        raise NotImplementedError

    def place(self, name: str, slash: bool) -> Place:
        raise NotImplementedError


def walk(steps: Steps, path: str, follow: bool) -> Place:
    """Resolve `path` and return its last component as a place; `follow` says whether a link there is
    followed."""
    check(path)
    slash = path.endswith("/")
    todo = components(path)
    links = 0
    while todo:
        name = todo.pop()
        if name == "..":
            if not steps.leave():
                raise WasiError(Errno.PERM, f'path "{path}" leads out of its directory')
            continue
        if name == ".":
            continue
        if todo:
            target = steps.enter(name)
        elif not follow or (target := steps.link(name)) is None:
            return steps.place(name, slash)
        if target is None:
            continue
        links += 1
        if links > MAX_LINKS:
            raise WasiError(Errno.LOOP, f'path "{path}" has too many symbolic links')
        if is_absolute(target):
            raise WasiError(
                Errno.PERM, f'path "{path}": the link "{name}" is absolute and leads out of its directory'
            )
        slash = slash or (not todo and target.endswith("/"))
        todo += components(target)
    return steps.place(".", slash)


def check(path: str) -> None:
    """Refuse paths that can't be inside a directory."""
    if not path:
        raise WasiError(Errno.NOENT, "the path is empty")
    if "\0" in path:
        raise WasiError(Errno.INVAL, "the path contains NUL")
    if len(os.fsencode(path)) >= PATH_MAX:
        raise WasiError(Errno.NAMETOOLONG, f"the path is longer than {PATH_MAX - 1} bytes")
    if path.startswith("/"):
        raise WasiError(Errno.PERM, f'the path "{path}" is absolute')


def is_absolute(target: str) -> bool:
    """Whether the target of a link doesn't depend on where the link is."""
    return target.startswith("/") or os.path.isabs(target)


def components(path: str) -> list[str]:
    """Components in reverse order, so that a walk can pop the next one."""
    return [part for part in reversed(path.split("/")) if part]


class FdSteps(Steps):
    """Steps by `dir_fd`. All descriptors from the root to here stay open, so that `..` needs no name."""

    def __init__(self, root: int) -> None:
        self.root = root
        self.entered: list[int] = []

    @property
    def here(self) -> int:
        return self.entered[-1] if self.entered else self.root

    def enter(self, name: str) -> str | None:
        try:
            self.entered.append(spare(os.open(name, STEP, dir_fd=self.here)))
        except OSError as error:
            if error.errno not in NO_LINK or (target := self.link(name)) is None:
                raise
            return target
        return None

    def leave(self) -> bool:
        if not self.entered:
            return False
        os.close(self.entered.pop())
        return True

    def link(self, name: str) -> str | None:
        return read_link(name, self.here)

    def place(self, name: str, slash: bool) -> Place:
        return Place(name, self.here, slash, name == ".")

    def close(self) -> None:
        for descriptor in self.entered:
            os.close(descriptor)


class PathSteps(Steps):
    """Steps by full paths. All directories from the root to here stay held."""

    def __init__(self, root: Held) -> None:
        self.root = root
        self.entered: list[Held] = []

    @property
    def here(self) -> Held:
        return self.entered[-1] if self.entered else self.root

    def path(self, name: str) -> str:
        if os.name == "nt" and name != ".":
            check_windows_name(name)
        return os.path.join(self.here.path, name)

    def enter(self, name: str) -> str | None:
        try:
            self.entered.append(type(self.root)(self.path(name)))
        except OSError as error:
            if error.errno not in NO_LINK or (target := self.link(name)) is None:
                raise
            return target
        return None

    def leave(self) -> bool:
        if not self.entered:
            return False
        self.entered.pop().close()
        return True

    def link(self, name: str) -> str | None:
        path = self.path(name)
        if not is_link(path):
            return None
        text = read_link(path)
        return None if text is None else text.replace(os.sep, "/")

    def place(self, name: str, slash: bool) -> Place:
        return Place(self.path(name), None, slash, name == ".")

    def close(self) -> None:
        for held in self.entered:
            held.close()


def read_link(path: str, dir_fd: int | None = None) -> str | None:
    """The target of a symbolic link; None for anything else, and for a missing name."""
    try:
        return os.readlink(path, dir_fd=dir_fd)
    except OSError as error:
        if error.errno in (errno.EINVAL, errno.ENOENT):
            return None
        raise


def check_windows_name(name: str) -> None:
    """Refuse names that Windows would read as a drive, a stream, a device or a path with separators."""
    device = name.split(".")[0].rstrip(" ").upper() in WINDOWS_DEVICES
    if device or any(c in '\\:*?"<>|' or c < " " for c in name) or name[-1] in ". ":
        raise WasiError(Errno.NOENT, f'"{name}" is no file name on this system')
