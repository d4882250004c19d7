"""Lazy access to a model's bytes, so that recognising a file of 40 GB reads only a few of them.

What is here: `Look`, on bytes or on a file. What is not: how to recognise formats (`known`, and plugins).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from os import SEEK_END
from pathlib import Path
from typing import Any, TypeVar, overload

T = TypeVar("T")


class Look:
    """The bytes of a model, as a function asks that recognises its format: `look[:4]` reads four of them (as
    `bytes`), `look[-4:]` the last ones, `len(look)` none."""

    __contains__ = None
    """`in` would ask each byte alone; `b"\\n" in look[:64]` asks those that are read."""

    def __init__(self, size: int, read: Callable[[int, int], bytes]) -> None:
        """`read` returns the bytes between two positions, both in range."""
        self._size = size
        self._read = read
        self._said: dict[Callable[[Look], Any], Any] = {}

    @classmethod
    def of(cls, data: bytes | memoryview) -> Look:
        """A look at bytes in memory."""
        view = memoryview(data).cast("B")
        return cls(len(view), lambda start, stop: bytes(view[start:stop]))

    @classmethod
    @contextmanager
    def into(cls, path: Path) -> Iterator[Look]:
        """A look into a file, which is open during the block. Raises OSError."""
        with path.open("rb") as file:

            def read(start: int, stop: int) -> bytes:
                file.seek(start)
                return file.read(stop - start)

            yield cls(file.seek(0, SEEK_END), read)

    def __len__(self) -> int:
        return self._size

    @overload
    def __getitem__(self, part: slice) -> bytes: ...

    @overload
    def __getitem__(self, part: int) -> int: ...

    def __getitem__(self, part: slice | int) -> bytes | int:
        if not isinstance(part, slice):
            return self[part : part + 1 or None][0]
        start, stop, step = part.indices(self._size)
        return self._read(start, max(start, stop))[::step]

    def __bytes__(self) -> bytes:
        return self[:]

    def once(self, question: Callable[[Look], T]) -> T:
        """The answer to a question about these bytes, computed only once although several formats ask."""
        if question not in self._said:
            self._said[question] = question(self)
        answer: T = self._said[question]
        return answer
