"""Loaded graphs that several users share: counted, and kept for later users within a budget of bytes.

What is here: `SharedGraphs` and `Lease`. What is not: finding and loading the model (`registry`).
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from contextlib import suppress
from dataclasses import dataclass, field
from threading import Lock, RLock
from typing import Any

from ..brief import summarised
from .backend import Graph
from .blame import blaming

KEPT_BYTES = 1 << 30
"""Bytes of models, measured as files, that stay loaded; among unused models the longest unused is closed
first.
"""


@summarised
@dataclass(slots=True)
class Lease:
    """The use of a graph by one user, who releases it exactly once."""

    graph: Graph
    release: Callable[[], None]


def owned(graph: Graph) -> Lease:
    """A lease of a graph with a single user."""

    def release() -> None:
        with blaming(graph.backend):
            graph.close()

    return Lease(graph, release)


@summarised
@dataclass(slots=True, eq=False)
class Entry:
    """A graph of the table, or the place for one that is being loaded."""

    key: tuple[str, Hashable]
    size: int
    keep: bool
    graph: Graph | None = None
    users: int = 0
    listed: bool = True
    """Whether new users may still take it."""
    loading: Lock = field(default_factory=Lock)


class SharedGraphs:
    """Graphs by name and configuration. Safe to use from several threads; each graph is loaded once, and
    different graphs load at the same time.
    """

    def __init__(self, budget: int = KEPT_BYTES) -> None:
        self.budget = budget
        self._lock = RLock()
        self._entries: dict[tuple[str, Hashable], Entry] = {}
        """In the order of release: the graph that was released longest ago is first."""

    @property
    def resident(self) -> int:
        """Bytes of the loaded models that new users may take."""
        with self._lock:
            return sum(entry.size for entry in self._entries.values())

    def __len__(self) -> int:
        return len(self._entries)

    def take(
        self, name: str, config: Hashable, size: int, load: Callable[[], Graph], *, keep: bool = True
    ) -> Lease:
        """The graph of this name and configuration; `load` loads it if it isn't loaded. `keep`: it may stay
        loaded without users.
        """
        key = (name, config)
        with self._lock:
            entry = self._entries.setdefault(key, Entry(key, size, keep))
            entry.users += 1
        try:
            with entry.loading:
                if entry.graph is None:
                    entry.graph = load()
            graph = entry.graph
        except BaseException:
            self._let_go(entry)
            raise
        self._evict()
        once: list[Any] = [entry]
        return Lease(graph, lambda: self._let_go(once.pop()) if once else None)

    def forget(self, name: str) -> None:
        """Give the graphs of this name to no new users, and close each when its last user releases it."""
        with self._lock:
            gone = [self._entries.pop(key) for key in list(self._entries) if key[0] == name]
            for entry in gone:
                entry.listed = False
            idle = [entry for entry in gone if not entry.users]
        for entry in idle:
            close(entry)

    def _let_go(self, entry: Entry) -> None:
        with self._lock:
            entry.users -= 1
            if entry.users:
                return
            kept = entry.listed and entry.keep and entry.graph is not None
            if entry.listed:
                del self._entries[entry.key]
            if kept:
                self._entries[entry.key] = entry  # at the end
        if kept:
            self._evict()
        else:
            close(entry)

    def _evict(self) -> None:
        """Close unused graphs until the sizes fit the budget."""
        gone = []
        with self._lock:
            excess = sum(entry.size for entry in self._entries.values()) - self.budget
            for entry in [entry for entry in self._entries.values() if not entry.users]:
                if excess <= 0:
                    break
                excess -= entry.size
                gone.append(self._entries.pop(entry.key))
        for entry in gone:
            close(entry)


def close(entry: Entry) -> None:
    graph, entry.graph = entry.graph, None
    if graph is not None:
        with blaming(graph.backend):
            graph.close()
        del graph
        give_back()


def give_back() -> None:
    """Make the C library return the freed memory of a model to the system; glibc keeps it otherwise."""
    with suppress(ImportError, OSError, AttributeError, TypeError):  # another C library, or no ctypes
        import ctypes

        ctypes.CDLL(None).malloc_trim(0)
