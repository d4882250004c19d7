"""Memory that a host and its child both see: a file without a name, which grows, and pieces of it.

What is here: `Arena` and `Slot` of the host, who alone decides what lies where, and `Mapped` of the child.
What is not: what lies in a piece (`models`, `serve`).
"""

from __future__ import annotations

import mmap
import os
import sys
import weakref
from collections import deque
from contextlib import suppress
from pathlib import Path
from threading import Lock
from typing import Any

from ..errors import Code, NNError

SMALLEST = 4 << 20
"""Bytes by which the file grows at least: each growth is a mapping, and each mapping a descriptor."""
FILE = "shared"
"""The file's name in the child's directory, where it must have one (Windows)."""
ONLY_OURS = 2
"""What `sys.getrefcount` says of a value that one attribute alone holds, and its own argument."""

Place = tuple[int, int, int]
"""Where a piece lies: the chunk's offset in the file, the chunk's length, the piece's offset in the chunk."""


class Slot:
    """A piece for one tensor. It is free again when nobody holds a view of it any more."""

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
        """Whether somebody still holds a view."""
        return sys.getrefcount(self._array) != ONLY_OURS


class Arena:
    """The file, at most `most` bytes of it. Safe to use from several threads."""

    def __init__(self, folder: Path, most: int) -> None:
        self._file = shared_file(folder)
        self._most = most
        self._length = 0
        self._lock = Lock()
        self._chunks: dict[int, tuple[mmap.mmap, int]] = {}
        """Mappings and their lengths, by their offset in the file."""
        self._free: list[tuple[int, int, int]] = []
        """Chunk, offset in it and length of what nobody uses, in this order, never two that touch."""
        self._returned: deque[tuple[int, int, int]] = deque()
        """What views gave back: appended by whichever thread drops the last of them, in the middle of
        anything."""

    @property
    def descriptor(self) -> int:
        return int(self._file.fileno())

    def take(self, size: int) -> Slot:
        """A piece of so many bytes. Raises NNError(TOO_LARGE) if there is no room."""
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
        """Room behind what there is: more than asked for, so that there are few mappings."""
        length = min(max(needed, SMALLEST, self._length // 8), self._most - self._length)
        length -= length % mmap.ALLOCATIONGRANULARITY
        if length < needed:
            raise NNError(
                Code.TOO_LARGE, f"the guest's own models may keep {self._most} bytes of tensors at a time"
            )
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
        """Put a piece among the free ones, joined with those that it touches."""
        joined: list[tuple[int, int, int]] = []
        for one in sorted([*self._free, piece]):
            if joined and joined[-1][0] == one[0] and joined[-1][1] + joined[-1][2] == one[1]:
                chunk, at, length = joined.pop()
                one = (chunk, at, length + one[2])
            joined.append(one)
        self._free = joined

    def close(self) -> None:
        """No new pieces. Those that somebody holds stay until they are let go of."""
        self._chunks.clear()
        self._file.close()


def shared_file(folder: Path) -> Any:
    """A file that is gone with its last user. Where the system can, nobody may make it shorter: reading what
    isn't there any more would end the host."""
    if hasattr(os, "memfd_create"):
        import fcntl

        file = os.fdopen(os.memfd_create("pywasm-nn", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING), "w+b", 0)
        with suppress(OSError):
            fcntl.fcntl(file.fileno(), fcntl.F_ADD_SEALS, fcntl.F_SEAL_SHRINK)
        return file
    if sys.platform == "win32":
        return open(folder / FILE, "w+b", 0)
    import tempfile  # here, as the child does without

    return tempfile.TemporaryFile(buffering=0)


class Mapped:
    """The child's view of the file."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._chunks: dict[int, mmap.mmap] = {}

    def view(self, place: Place, size: int) -> memoryview:
        """The piece at a place, writable."""
        chunk, length, at = place
        if chunk not in self._chunks:
            self._chunks[chunk] = mmap.mmap(self._descriptor, length, offset=chunk)
        return memoryview(self._chunks[chunk])[at : at + size]
