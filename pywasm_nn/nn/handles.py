"""Handles: small numbers by which a guest refers to graphs and contexts."""

from __future__ import annotations

from threading import Lock
from typing import Generic, TypeVar

from .errors import Code, NNError

T = TypeVar("T")


class Handles(Generic[T]):
    """A table of values of one kind: ids start at 0 and are never reused, so a stale id never means another
    value.
    """

    def __init__(self, kind: str, limit: int) -> None:
        self.kind = kind
        self.limit = limit
        self._lock = Lock()
        self._next = 0
        self._live: dict[int, T] = {}

    def __len__(self) -> int:
        return len(self._live)

    def numbers(self) -> list[int]:
        """The handles that are alive."""
        return list(self._live)

    def make_room(self) -> None:
        """Raise NNError(TOO_LARGE) if the table is full: call it before the work whose result the table will
        hold."""
        if len(self._live) >= self.limit:
            raise NNError(
                Code.TOO_LARGE, f"this guest already holds {self.limit} {self.kind}s, which is the limit"
            )

    def add(self, value: T) -> int:
        """Add a value. Raises NNError(TOO_LARGE) if the table is full."""
        with self._lock:
            self.make_room()
            number = self._next
            self._next += 1
            self._live[number] = value
            return number

    def __getitem__(self, number: int) -> T:
        """The value of a handle. Raises NNError(INVALID_ARGUMENT) for one that isn't alive."""
        if number not in self._live:
            raise self._unknown(number)
        return self._live[number]

    def pop(self, number: int) -> T:
        """Remove and return a value; its handle is invalid afterwards. Raises NNError(INVALID_ARGUMENT) if it
        already was.
        """
        with self._lock:
            if number not in self._live:
                raise self._unknown(number)
            return self._live.pop(number)

    def _unknown(self, number: int) -> NNError:
        why = "was let go of before" if number < self._next else "was never given out"
        return NNError(Code.INVALID_ARGUMENT, f"{self.kind} {number} {why}")
