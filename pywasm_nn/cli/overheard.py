"""Streams that announce each write, so that the progress line and traces can give way to the guest's output.

What is not here: the reaction to a write (`progress.py`, `tracing.py`).
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any


class Overheard:
    """A stream that calls `told` with the data before each write."""

    def __init__(self, stream: Any, told: Callable[[Any], None]) -> None:
        self._stream, self._told = stream, told

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    @property
    def buffer(self) -> Any:
        return Overheard(self._stream.buffer, self._told)

    def write(self, data: Any) -> Any:
        self._told(data)
        return self._stream.write(data)


@contextmanager
def lines_of_their_own() -> Iterator[Callable[[], bool]]:
    """Gives a function that says whether stderr must begin a new line: the guest's stdout goes to the same
    place and has not ended its line."""
    if not is_one_place():
        yield bool
        return
    begun = [False]

    def told(data: Any) -> None:
        if len(data):
            begun[0] = data[-1:] not in ("\n", b"\n")

    def needed() -> bool:
        was, begun[0] = begun[0], False
        return was

    stdout, sys.stdout = sys.stdout, Overheard(sys.stdout, told)
    try:
        yield needed
    finally:
        sys.stdout = stdout


def is_one_place() -> bool:
    """Whether stdout and stderr are one terminal, pipe or file."""
    try:
        return os.path.samestat(os.fstat(sys.stdout.fileno()), os.fstat(sys.stderr.fileno()))
    except (OSError, ValueError, AttributeError):
        return False
