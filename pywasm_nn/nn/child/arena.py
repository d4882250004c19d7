"""Memory that the host and its child share: an anonymous file that grows, divided into pieces.

What is here: the host's `Arena` and `Slot`, which alone place the pieces, and the child's `Mapped`.
What is not: the contents of the pieces (`models`, `serve`).
"""

from __future__ import annotations

import mmap
import os
import sys
import weakref
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from threading import Lock
from typing import Any

from ..errors import Code, NNError

SMALLEST = 4 << 20
"""The least growth of the file in bytes: each growth is a mapping, and each mapping takes a descriptor."""
FILE = "shared"
"""The file's name in the child's directory on Windows, which has no anonymous files."""
ONLY_OURS = 2
"""The result of `sys.getrefcount` for a value whose only references are one attribute and the call's
argument."""

Place = tuple[int, int, int]
"""The place of a piece: the chunk's offset in the file, the chunk's length, the piece's offset in the
chunk."""


class Slot:
    """A piece for one tensor. It is free again when no view of it is left."""

    __slots__ = ("_array", "place", "size")

    def __init__(self, array: Any, place: Place, size: int) -> None:
        self._array = array
        self.place = place
        self.size = size

    def view(self, size: int) -> memoryview:
        """The first `size` bytes, writable."""
        return memoryview(self._array).cast("B")[:size]

    @property
    def lent(self) -> bool:
        """Whether a view of it still exists."""
        return sys.getrefcount(self._array) != ONLY_OURS


class Arena:
    """The file, limited to `most` bytes. Before it grows by so many bytes it calls `admit`, which may raise
    NNError. Safe to use from several threads."""

    def __init__(self, folder: Path, most: int, admit: Callable[[int], None]) -> None:
        self._file = shared_file(folder)
        self._most = most
        self._admit = admit
        self._length = 0
        self._lock = Lock()
        self._chunks: dict[int, tuple[mmap.mmap, int]] = {}
        """Mappings and their lengths, by their offset in the file."""
        self._free: list[tuple[int, int, int]] = []
        """Free pieces: chunk, offset in it and length, in this order; adjacent ones are joined."""
        self._returned: deque[tuple[int, int, int]] = deque()
        """Pieces whose last view is gone. The thread that drops the last view appends here, at any moment,
        possibly while it holds the lock."""

    @property
    def descriptor(self) -> int:
        return int(self._file.fileno())

    def take(self, size: int) -> Slot:
        """A piece of `size` bytes. Raises NNError(TOO_LARGE) if there is no room."""
        import ctypes

        needed = -(-max(size, 1) // mmap.ALLOCATIONGRANULARITY) * mmap.ALLOCATIONGRANULARITY
        with self._lock:
            while self._returned:
                self._give(self._returned.popleft())
            chunk, at = self._found(needed) or self._grown(needed)
            mapping, length = self._chunks[chunk]
        array = (ctypes.c_ubyte * max(size, 1)).from_buffer(mapping, at)
        weakref.finalize(array, self._returned.append, (chunk, at, needed)).atexit = False
        return Slot(array, (chunk, length, at), size)

    def _found(self, needed: int) -> tuple[int, int] | None:
        for index, (chunk, at, length) in enumerate(self._free):
            if length >= needed:
                rest = (chunk, at + needed, length - needed)
                self._free[index : index + 1] = [rest] if rest[2] else []
                return chunk, at
        return None

    def _grown(self, needed: int) -> tuple[int, int]:
        """Space after the end of the file: more than needed, so that there are few mappings."""
        length = min(max(needed, SMALLEST, self._length // 8), self._most - self._length)
        length -= length % mmap.ALLOCATIONGRANULARITY
        if length < needed:
            raise NNError(
                Code.TOO_LARGE, f"the guest's own models may keep {self._most} bytes of tensors at a time"
            )
        self._admit(length)
        chunk = self._length
        try:
            self._file.truncate(chunk + length)
            mapping = mmap.mmap(self._file.fileno(), length, offset=chunk)
        except (OSError, ValueError) as error:
            raise NNError(Code.TOO_LARGE, f"no memory to share with the child: {error}") from error
        self._length += length
        self._chunks[chunk] = mapping, length
        if length > needed:
            self._give((chunk, needed, length - needed))
        return chunk, 0

    def _give(self, piece: tuple[int, int, int]) -> None:
        """Add a piece to the free ones and join adjacent pieces."""
        joined: list[tuple[int, int, int]] = []
        for one in sorted([*self._free, piece]):
            if joined and joined[-1][0] == one[0] and joined[-1][1] + joined[-1][2] == one[1]:
                chunk, at, length = joined.pop()
                one = (chunk, at, length + one[2])
            joined.append(one)
        self._free = joined

    def close(self) -> None:
        """End the allocation. Existing pieces stay valid until their views are gone."""
        self._chunks.clear()
        self._file.close()


def shared_file(folder: Path) -> Any:
    """A file that disappears with its last user. If the system supports it, the file can't shrink: reading
    pages that are gone would crash the host."""
    if hasattr(os, "memfd_create"):
        import fcntl

        file = os.fdopen(os.memfd_create("pywasm-nn", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING), "w+b", 0)
        with suppress(OSError):
            fcntl.fcntl(file.fileno(), fcntl.F_ADD_SEALS, fcntl.F_SEAL_SHRINK)
        return file
    if sys.platform == "win32":
        return open(folder / FILE, "w+b", 0)
    import tempfile  # imported here, because the child doesn't need it

    return tempfile.TemporaryFile(buffering=0)


class Mapped:
    """The child's view of the file."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._chunks: dict[int, mmap.mmap] = {}

    def view(self, place: Place, size: int) -> memoryview:
        """The piece at a place, as a writable view."""
        chunk, length, at = place
        if chunk not in self._chunks:
            self._chunks[chunk] = mmap.mmap(self._descriptor, length, offset=chunk)
        return memoryview(self._chunks[chunk])[at : at + size]
