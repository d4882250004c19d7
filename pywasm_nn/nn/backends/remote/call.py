"""A request in progress: its time limit, and how another thread ends it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Lock
from time import monotonic

from ....interpreter.runtime.alarm import CLOCK, Callback
from ...errors import Code, Nature, NNError


class UnreachableError(NNError):
    """The server didn't get the request, or can't serve it now; another server may."""


class Call:
    """A request. `seconds` is its time limit, `most` the limit on the bytes of a returned tensor."""

    def __init__(self, seconds: float, most: int | None = None) -> None:
        self.seconds = seconds
        self.most = most
        self._moment = monotonic() + seconds
        self._lock = Lock()
        self._end: Callable[[], object] | None = None
        self._over = False

    def remaining(self) -> float:
        """The seconds that are left. Raises NNError if none are left, or if the request was interrupted."""
        left = self._moment - monotonic()
        if self._over or left <= 0:
            raise self.error()
        return left

    @property
    def over(self) -> bool:
        return self._over or monotonic() >= self._moment

    def error(self) -> NNError:
        """The error for a request that ran out of time or was interrupted."""
        reason = f"the server didn't answer within {self.seconds:g} s, or the request was ended"
        return NNError(Code.RUNTIME_ERROR, reason, Nature.TIMEOUT)

    def interrupt(self) -> None:
        """End the request now. Called from any thread."""
        with self._lock:
            self._over, end = True, self._end
        if end is not None:
            end()

    @contextmanager
    def ending_with(self, end: Callable[[], object]) -> Iterator[None]:
        """A block that `end` can end; it is called at an interruption, and when the time is over."""
        self.remaining()
        with self._lock:
            self._end = end
        alarm = Callback(self._moment, self.interrupt)
        clocked = CLOCK.available()
        if clocked:
            CLOCK.set(alarm)
        try:
            self.remaining()
            yield
        finally:
            if clocked:
                CLOCK.cancel(alarm)
            with self._lock:
                self._end = None
