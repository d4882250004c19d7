"""Code kept in files, so that a second run compiles nothing.

A file holds the functions of one module in one variant. It begins with `MAGIC`, a stamp of what else the code
depends on (our own sources, Python's bytecode, the variant), a check on the functions, for damaged code would
crash the process, and the module itself: no two modules share code, however somebody chose their bytes, and
comparing costs less than the import of a hash that could promise it. Whatever isn't right is as good as not
there, and is replaced. Code runs with the rights of whoever loads it. So folder and files must belong to the
user, and nobody else may write there.

What is not here: which functions are compiled, and when (`engine.py`).
"""

from __future__ import annotations

import marshal
import os
import stat
import sys
import time
from contextlib import suppress
from functools import cache
from importlib.util import MAGIC_NUMBER, source_hash
from typing import Any, BinaryIO

from ...brief import named
from ...checks import check_path, check_whole
from ..module import CodeCache
from ..runtime.memory import Flavour
from .compiled import Compiled, Notes, Unsupported, Variant

MAGIC = b"pywasm-nn code 2\n"
HASH = 8
"""Bytes of a hash: one that finds accidents, not malice."""
PIECE = 1 << 20
"""Bytes that are compared at once."""
MOST = 2 << 30
"""Bytes that a folder holds unless it is said otherwise: ten programs of the size of CPython, Ruby and clang,
of 30 to 200 MB each, with the module."""
SUFFIX, UNFINISHED = ".code", ".tmp"
OTHER_WORK = {"interpret", "text", "__pycache__"}
"""Folders in which nothing decides what code is made."""
ABANDONED = 3600
"""Seconds after which nobody will finish an unfinished file."""
READING = os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_NONBLOCK", 0)  # a pipe doesn't stop us
WRITING = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH


@cache
def sources() -> bytes:
    """What tells whether all that decides what code is made is as it was; empty if our sources aren't there.

    Size and time are what Python itself goes by when it runs bytecode in place of a source. The second time,
    which nobody can set, tells installers' files apart that are all given the same first one.
    """
    found, folders = [], [os.path.dirname(os.path.dirname(__file__))]
    try:
        for folder in folders:
            for entry in os.scandir(folder):
                if entry.name.endswith(".py"):
                    status = entry.stat()
                    found.append((entry.path, status.st_size, status.st_mtime_ns, status.st_ctime_ns))
                elif entry.name not in OTHER_WORK and entry.is_dir():
                    folders.append(entry.path)
    except OSError:
        return b""
    return repr(sorted(found)).encode() if found else b""


def is_private(status: os.stat_result) -> bool:
    """Whether a file or folder belongs to the user and only he may write there. Where there are no users,
    everything does."""
    return not hasattr(os, "geteuid") or (status.st_uid == os.geteuid() and not status.st_mode & OTHERS_WRITE)


def user_folder() -> str:
    """Where the user's programs keep what can be made again."""
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or os.path.expanduser(r"~\AppData\Local")
    elif sys.platform == "darwin":
        base = os.path.expanduser("~/Library/Caches")
    else:
        base = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return os.path.join(base, "pywasm-nn")


class CodeFolder:
    """A folder in which the code of modules is kept from one process to the next.

    `folder` is made if it isn't there; without one it is the user's own (`$XDG_CACHE_HOME/pywasm-nn`).
    `most` is how many bytes of files stay there: what wasn't used for the longest time goes first.
    """

    def __init__(self, folder: str | os.PathLike[str] | None = None, most: int = MOST) -> None:
        if folder is not None:
            check_path("folder", folder)
        check_whole("most", most)
        self.folder = os.fspath(folder) if folder is not None else user_folder()
        self.most = most
        self.refusal = ""
        """Why nothing is kept there; empty if nothing speaks against it."""
        try:
            os.makedirs(self.folder, mode=0o700, exist_ok=True)
            if not is_private(os.stat(self.folder)):
                self.refusal = "it isn't the user's own, or others may write there"
            elif not sources():
                self.refusal = "the sources of this package can't be read"
        except OSError as error:
            self.refusal = error.strerror or str(error)

    def __repr__(self) -> str:
        return named("CodeFolder", self.folder + (f": {self.refusal}" if self.refusal else ""))

    def code_of(self, data: bytes) -> CodeCache:
        """The code of the module that `data` encodes."""
        return CodeCache() if self.refusal else StoredCode(self, data)

    def read(self, stamp: bytes, module: bytes) -> dict[int, bytes]:
        """Functions that were written for a module, each as `packed`; none if there is no sound file."""
        path = self.path(stamp, module)
        try:
            with open(os.open(path, READING), "rb") as file:
                status = os.fstat(file.fileno())
                if not stat.S_ISREG(status.st_mode) or not is_private(status) or status.st_size > self.most:
                    return {}
                if not goes_on(file, head(stamp, module)) or not goes_on(file, module):
                    return {}
                check, payload = file.read(HASH), file.read()
        except OSError:
            return {}
        if check != source_hash(payload):
            return {}
        with suppress(OSError):
            os.utime(path)
        functions: dict[int, bytes] = marshal.loads(payload)
        return functions

    def write(self, stamp: bytes, module: bytes, functions: dict[int, bytes]) -> None:
        """Keep functions of a module, whole or not at all. Raises OSError."""
        payload = marshal.dumps(functions)
        parts = head(stamp, module), module, source_hash(payload), payload
        if sum(map(len, parts)) > self.most:
            return
        unfinished = os.path.join(self.folder, os.urandom(8).hex() + UNFINISHED)
        try:
            with open(os.open(unfinished, WRITING, 0o600), "wb") as file:
                file.writelines(parts)
            os.replace(unfinished, self.path(stamp, module))
        except BaseException:
            with suppress(OSError):
                os.unlink(unfinished)
            raise
        self.trim()

    def trim(self) -> None:
        """Remove what wasn't used for the longest time, as far as there is too much, and what nobody will
        finish. Raises OSError."""
        now, left, found = time.time(), self.most, []
        for entry in os.scandir(self.folder):
            if entry.name.endswith((SUFFIX, UNFINISHED)):
                with suppress(OSError):  # another process may have removed it
                    found.append((entry.stat(follow_symlinks=False), entry))
        for status, entry in sorted(found, key=lambda pair: -pair[0].st_mtime_ns):
            left -= status.st_size
            if left < 0 or (entry.name.endswith(UNFINISHED) and now - status.st_mtime > ABANDONED):
                with suppress(OSError):
                    os.unlink(entry)

    def path(self, stamp: bytes, module: bytes) -> str:
        return os.path.join(self.folder, (source_hash(module) + stamp).hex() + SUFFIX)


def head(stamp: bytes, module: bytes) -> bytes:
    """How a file begins."""
    return MAGIC + stamp + len(module).to_bytes(8, "little")


def goes_on(file: BinaryIO, wanted: bytes) -> bool:
    """Whether these bytes are next in a file."""
    pieces = (wanted[start : start + PIECE] for start in range(0, len(wanted), PIECE))
    return all(file.read(len(piece)) == piece for piece in pieces)


class StoredCode(CodeCache):
    """The code of one module in a folder. Files are read when a function is first asked for, functions
    unpacked one by one."""

    def __init__(self, folder: CodeFolder, data: bytes) -> None:
        super().__init__()
        self.folder = folder
        self.module = data
        self.stored: dict[Variant, dict[int, bytes]] = {}
        self.fresh: set[Variant] = set()
        """Variants of which there is more than was read."""

    @property
    def proves_valid(self) -> bool:
        """Functions get into a file when they were called in an instance, which takes a valid module."""
        return bool(self.stored_for(Variant(Flavour.default())))

    def get(self, index: int, variant: Any) -> Any:
        made = super().get(index, variant)
        if made is None:
            stored = self.stored_for(variant).get(index)
            if stored is not None:
                made = unpacked(stored)
                super().add(index, variant, made)
        return made

    def add(self, index: int, variant: Any, made: Any) -> None:
        super().add(index, variant, made)
        self.stored_for(variant)[index] = packed(made)
        self.fresh.add(variant)

    def save(self) -> None:
        """Write what is new. Where that is impossible nothing happens: it is compiled again next time."""
        while self.fresh:
            variant = self.fresh.pop()
            with suppress(OSError):
                self.folder.write(stamp(variant), self.module, dict(self.stored[variant]))

    def stored_for(self, variant: Variant) -> dict[int, bytes]:
        if variant not in self.stored:
            self.stored[variant] = self.folder.read(stamp(variant), self.module)
        return self.stored[variant]


def stamp(variant: Variant) -> bytes:
    """The hash of all that code depends on besides the module."""
    return source_hash(
        sources() + f"{sys.implementation.cache_tag} {MAGIC_NUMBER.hex()} {variant!r}".encode()
    )


def packed(made: Compiled | Unsupported) -> bytes:
    """What became of a function, as bytes: its code, or why there is none."""
    if isinstance(made, Unsupported):
        return marshal.dumps((str(made), None))
    return marshal.dumps((made.code, tuple(made.notes)))


def unpacked(data: bytes) -> Compiled | Unsupported:
    """What `packed` made bytes of."""
    code, notes = marshal.loads(data)
    return Unsupported(code) if notes is None else Compiled(code, Notes(*notes))
