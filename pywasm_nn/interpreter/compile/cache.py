"""Code kept in files, so that a second run compiles nothing.

A file holds the functions of one module in one variant, and its name is the hash of everything that the code
depends on: the module, our own sources, Python's bytecode, the variant. It begins with `MAGIC`, that hash and
a hash of what follows, because damaged code would crash the process: whatever isn't right is as good as not
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
from hashlib import blake2b
from importlib.util import MAGIC_NUMBER
from typing import Any

from ..memory import Flavour
from ..module import CodeCache
from .compiled import Compiled, Notes, Unsupported, Variant

MAGIC = b"pywasm-nn code 1\n"
HASH = 32
"""Bytes of a hash."""
MOST = 256 << 20
"""Bytes that a folder holds unless it is said otherwise."""
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
    """The hash of all that decides what code is made; empty if our sources can't be read."""
    hashed, found = digest(), list[str]()
    for folder, folders, names in os.walk(os.path.dirname(os.path.dirname(__file__))):
        folders[:] = sorted(set(folders) - OTHER_WORK)
        found += [os.path.join(folder, name) for name in sorted(names) if name.endswith(".py")]
    try:
        for path in found:
            with open(path, "rb") as file:
                hashed.update(digest(file.read()).digest())
    except OSError:
        return b""
    return hashed.digest() if found else b""


def digest(data: bytes = b"") -> Any:
    return blake2b(data, digest_size=HASH)


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

    def code_of(self, data: bytes) -> CodeCache:
        """The code of the module that `data` encodes."""
        return CodeCache() if self.refusal else StoredCode(self, data)

    def read(self, key: bytes) -> dict[int, bytes]:
        """Functions that were written under a key, each as `packed`; none if there is no sound file."""
        try:
            with open(os.open(self.path(key), READING), "rb") as file:
                status = os.fstat(file.fileno())
                if not stat.S_ISREG(status.st_mode) or not is_private(status) or status.st_size > self.most:
                    return {}
                head, payload = file.read(len(MAGIC) + 2 * HASH), file.read()
        except OSError:
            return {}
        if head != MAGIC + key + digest(payload).digest():
            return {}
        with suppress(OSError):
            os.utime(self.path(key))
        functions: dict[int, bytes] = marshal.loads(payload)
        return functions

    def write(self, key: bytes, functions: dict[int, bytes]) -> None:
        """Keep functions under a key, whole or not at all. Raises OSError."""
        payload = marshal.dumps(functions)
        if len(payload) > self.most:
            return
        unfinished = os.path.join(self.folder, os.urandom(8).hex() + UNFINISHED)
        try:
            with open(os.open(unfinished, WRITING, 0o600), "wb") as file:
                file.write(MAGIC + key + digest(payload).digest())
                file.write(payload)
            os.replace(unfinished, self.path(key))
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

    def path(self, key: bytes) -> str:
        return os.path.join(self.folder, key.hex() + SUFFIX)


class StoredCode(CodeCache):
    """The code of one module in a folder. Files are read when a function is first asked for, functions
    unpacked one by one."""

    def __init__(self, folder: CodeFolder, data: bytes) -> None:
        super().__init__()
        self.folder = folder
        self.module = digest(data).digest()
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
                self.folder.write(self.key(variant), dict(self.stored[variant]))

    def stored_for(self, variant: Variant) -> dict[int, bytes]:
        if variant not in self.stored:
            self.stored[variant] = self.folder.read(self.key(variant))
        return self.stored[variant]

    def key(self, variant: Variant) -> bytes:
        """The hash of all that the code depends on."""
        hashed = digest(self.module + sources())
        hashed.update(f"{sys.implementation.cache_tag} {MAGIC_NUMBER.hex()} {variant!r}".encode())
        key: bytes = hashed.digest()
        return key


def packed(made: Compiled | Unsupported) -> bytes:
    """What became of a function, as bytes: its code, or why there is none."""
    if isinstance(made, Unsupported):
        return marshal.dumps((str(made), None))
    return marshal.dumps((made.code, tuple(made.notes)))


def unpacked(data: bytes) -> Compiled | Unsupported:
    """What `packed` made bytes of."""
    code, notes = marshal.loads(data)
    return Unsupported(code) if notes is None else Compiled(code, Notes(*notes))
