"""Loops that get nowhere, and files that are only opened, seen while they happen.

What is here: `Repeats`, which counts host calls, and its sentences. What is not: what single calls mean
(`values.py`, `use.py`, `places.py`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ...interpreter.runtime.observe import HostEvent
from ...printable import printable

OFTEN = 500
"""So many equal calls in a row get nowhere."""
MANY = 128
"""So many files are opened, and none is closed."""
WAITING = frozenset({"poll_oneoff", "sched_yield", "clock_time_get", "random_get"})
"""Functions that a guest may rightly call again and again."""
FOLLOWED = frozenset({"fd_read", "fd_pread", "path_open", "fd_close"})
"""Functions that are counted also if they succeed."""
LATER = frozenset({"AGAIN", "INTR", "INPROGRESS"})
"""Errors after which a guest rightly calls again."""


class Repeats:
    """Follows host calls; gives a rule and its sentence when a loop gets nowhere."""

    def __init__(self) -> None:
        self._last: tuple[Any, ...] | None = None
        self._count = 0
        self._opened = 0
        self._closes = False
        """Whether the guest ever closed a file."""

    def host_call(self, event: HostEvent) -> Iterator[tuple[str, str]]:
        """A host function returned or raised."""
        if event.error is None and event.name not in FOLLOWED:  # most calls
            self._last = None
            return
        arguments = dict(event.arguments)
        key = self._nowhere(event, arguments)
        if key is None or key != self._last:
            self._last, self._count = key, 0
        if key is not None:
            self._count += 1
            if self._count == OFTEN:
                yield "repeated", sentence(event, arguments)
        if event.error is None and event.name in ("path_open", "fd_close"):
            self._closes = self._closes or event.name == "fd_close"
            self._opened += 1
            if self._opened == MANY and not self._closes:
                yield "growing", f"{MANY} files were opened, and none was ever closed"

    def _nowhere(self, event: HostEvent, arguments: Mapping[str, Any]) -> tuple[Any, ...] | None:
        """Returns a key that is equal for calls that get as far as each other, or None for calls that get
        somewhere."""
        if event.name in WAITING:
            return None
        if event.error is not None:
            if getattr(getattr(event.error, "errno", None), "name", "") in LATER:
                return None
            return event.name, str(arguments.get("fd")), str(arguments.get("path")), str(event.error)
        ended = event.name in ("fd_read", "fd_pread") and arguments.get("nread") == 0
        wanted = any(map(len, arguments.get("iovs", ())))
        return (event.name, arguments.get("fd")) if ended and wanted else None


def sentence(event: HostEvent, arguments: Mapping[str, Any]) -> str:
    """The loop in words."""
    if event.error is None:
        read = f"{event.name} of fd {arguments.get('fd')}"
        return f"{read} found the end of the file {OFTEN} times in a row: does a loop not look for 0 bytes?"
    return f"{event.name} failed {OFTEN} times in a row, each time so: {printable(str(event.error), 200)}"
