"""Compiled code in files, so that a second run compiles nothing.

A file has the functions of one module in one variant. It begins with `MAGIC`, a stamp of everything else on
which the code depends (this package's sources, Python's bytecode version, the variant), a checksum of the
functions, because damaged code could crash the process, and the module itself: so two modules never share
code, even if an attacker chose their bytes, and the comparison is faster than importing a secure hash. An
invalid file is ignored and replaced. Loaded code runs with the user's rights. Therefore folder and files must
belong to the user, and nobody else may be able to write to them.

What is not here: which functions are compiled, and when (`engine.py`).
"""

from __future__ import annotations

import marshal
import os
import stat
import sys
import time
from collections.abc import Sequence
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
"""Bytes of a hash, which protects against accidents, not against attacks."""
PIECE = 1 << 16
"""Bytes that are compared at a time. For larger ones malloc would get new pages from the system each time,
which takes longer than comparing them."""
MOST = 2 << 30
"""The default limit on the bytes in a folder: ten programs of the size of CPython, Ruby and clang, of 30 to
200 MB each including the module."""
NAMES = -1
"""The key of the names that all stored functions need, beside the indices of functions."""
SUFFIX, UNFINISHED = ".code", ".tmp"
OTHER_WORK = {"interpret", "text", "__pycache__"}
"""Folders whose files don't influence the compiled code."""
ABANDONED = 3600
"""Seconds after which an unfinished file counts as abandoned."""
READING = (
    os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_NONBLOCK", 0)
)  # opening a pipe doesn't block
WRITING = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH


@cache
def sources() -> bytes:
    """A fingerprint of the sources that determine the compiled code; empty if the sources can't be read.

    It uses size and modification time, as Python does for its bytecode files, and the change time, which
    can't be set: it tells files of different installations apart if an installer gives all files the same
    modification time.
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
    """Whether a file or folder belongs to the user and only the user may write to it. On systems without such
    users: always."""
    return not hasattr(os, "geteuid") or (status.st_uid == os.geteuid() and not status.st_mode & OTHERS_WRITE)


def user_folder() -> str:
    """The user's folder for caches."""
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or os.path.expanduser(r"~\AppData\Local")
    elif sys.platform == "darwin":
        base = os.path.expanduser("~/Library/Caches")
    else:
        base = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return os.path.join(base, "pywasm-nn")


class CodeFolder:
    """A folder that keeps the compiled code of modules for later processes.

    `folder` is created if it doesn't exist; the default is the user's own (`$XDG_CACHE_HOME/pywasm-nn`).
    `most` is the limit on the bytes of its files: the least recently used ones are removed first.
    """

    def __init__(self, folder: str | os.PathLike[str] | None = None, most: int = MOST) -> None:
        if folder is not None:
            check_path("folder", folder)
        check_whole("most", most)
        self.is_chosen = folder is not None
        self.folder = os.path.abspath(folder) if folder is not None else user_folder()
        self.most = most
        self.refusal = ""
        """Why the folder isn't used; empty if it is."""
        try:
            os.makedirs(self.folder, mode=0o700, exist_ok=True)
            if not is_private(os.stat(self.folder)):
                self.refusal = "it isn't the user's own, or others may write there"
            elif not sources():
                self.refusal = "the sources of this package can't be read"
        except OSError as error:
            self.refusal = error.strerror or str(error)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickled as its settings: whoever unpickles it checks the folder there, and the default folder is
        that of the user there."""
        return CodeFolder, (self.folder if self.is_chosen else None, self.most)

    def __repr__(self) -> str:
        return named("CodeFolder", self.folder + (f": {self.refusal}" if self.refusal else ""))

    def code_of(self, data: bytes, features: Sequence[str] = ()) -> CodeCache:
        """The compiled code of the module that `data` encodes, read with these features."""
        return CodeCache() if self.refusal else StoredCode(self, data, features)

    def read(self, stamp: bytes, module: bytes) -> dict[int, bytes]:
        """The stored functions of a module, each as `packed`; empty if there is no valid file."""
        path = self.path(stamp, module)
        try:
            with open(os.open(path, READING), "rb") as file:
                status = os.fstat(file.fileno())
                if not stat.S_ISREG(status.st_mode) or not is_private(status) or status.st_size > self.most:
                    return {}
                if not goes_on(file, head(stamp, module)) or not goes_on(file, module):
                    return {}
                check, payload = file.read(HASH), file.read(status.st_size)  # without a size: one more copy
        except OSError:
            return {}
        if check != source_hash(payload):
            return {}
        with suppress(OSError):
            os.utime(path)
        functions: dict[int, bytes] = marshal.loads(payload)
        return functions

    def write(self, stamp: bytes, module: bytes, functions: dict[int, bytes]) -> None:
        """Store functions of a module atomically. Raises OSError."""
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
        """Remove the least recently used files while there are too many bytes, and abandoned unfinished
        files. Raises OSError."""
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
    """The first bytes of a file."""
    return MAGIC + stamp + len(module).to_bytes(8, "little")


def goes_on(file: BinaryIO, wanted: bytes) -> bool:
    """Whether these bytes come next in a file."""
    pieces = (wanted[start : start + PIECE] for start in range(0, len(wanted), PIECE))
    return all(file.read(len(piece)) == piece for piece in pieces)


class StoredCode(CodeCache):
    """The compiled code of one module in a folder. A file is read on the first request for a function,
    functions are unpacked one by one."""

    def __init__(self, folder: CodeFolder, data: bytes, features: Sequence[str]) -> None:
        super().__init__()
        self.folder = folder
        self.module = data
        self.features = features
        self.stored: dict[Variant, dict[int, bytes]] = {}
        self.fresh: dict[Variant, set[str]] = {}
        """Variants with functions that aren't stored yet, and the names that these need."""

    @property
    def proves_valid(self) -> bool:
        """Whether there is stored code: a function is stored only after a call in an instance, whose module
        was validated."""
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
        names = self.fresh.setdefault(variant, set())
        if isinstance(made, Compiled):
            names.update(made.notes.names)

    def names(self, variant: Any) -> tuple[str, ...]:
        stored = self.stored_for(variant).get(NAMES)
        return () if stored is None else marshal.loads(stored)

    def save(self) -> None:
        """Store new functions. If that fails, they are compiled again next time."""
        while self.fresh:
            variant, names = self.fresh.popitem()
            functions = self.stored[variant]
            functions[NAMES] = marshal.dumps(tuple(sorted(names.union(self.names(variant)))))
            with suppress(OSError):
                self.folder.write(stamp(variant, self.features), self.module, dict(functions))

    def native_code(self, label: str) -> bytes | None:
        kept: dict[int, bytes] = self.folder.read(native_stamp(label, self.features), self.module)
        return kept.get(0)

    def keep_native(self, label: str, code: bytes) -> None:
        with suppress(OSError):
            self.folder.write(native_stamp(label, self.features), self.module, {0: code})

    def stored_for(self, variant: Variant) -> dict[int, bytes]:
        if variant not in self.stored:
            self.stored[variant] = self.folder.read(stamp(variant, self.features), self.module)
        return self.stored[variant]


def stamp(variant: Variant, features: Sequence[str]) -> bytes:
    """The hash of everything on which the code depends besides the module. Stored code stands for a body that
    was decoded, so other features have other code."""
    python = f"{sys.implementation.cache_tag} {MAGIC_NUMBER.hex()}"
    return source_hash(
        sources() + f"{python} {variant.flavour.value} {[*variant.counts]} {','.join(features)}".encode()
    )


def native_stamp(label: str, features: Sequence[str]) -> bytes:
    """The same for native code, which another package compiles: it depends on this package's version of the
    bytes given to it."""
    return source_hash(sources() + f"native {label} {','.join(features)}".encode())


def packed(made: Compiled | Unsupported) -> bytes:
    """The result of compiling a function as bytes: its code, or the reason why there is none."""
    if isinstance(made, Unsupported):
        return marshal.dumps((str(made), None))
    return marshal.dumps((made.code, tuple(made.notes)))


def unpacked(data: bytes) -> Compiled | Unsupported:
    """The inverse of `packed`."""
    code, notes = marshal.loads(data)
    return Unsupported(code) if notes is None else Compiled(code, Notes(*notes))
