"""Loaded graphs that several users share: counted, and kept for the next one within a budget of bytes.

What is here: `SharedGraphs` and `Lease`. What is not: which model that is and how it is loaded (`registry`).
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from contextlib import suppress
from dataclasses import dataclass, field
from threading import Lock, RLock
from typing import Any

from ..brief import summarised
from .backend import Graph, blaming

KEPT_BYTES = 1 << 30
"""Bytes of models, as files, that stay loaded; what nobody uses goes first, the longest unused before
others.
"""


@summarised
@dataclass(slots=True)
class Lease:
    """The use of a graph by one user, who lets go of it exactly once."""

    graph: Graph
    release: Callable[[], None]


def owned(graph: Graph) -> Lease:
    """A graph that nobody else uses."""

    def release() -> None:
        with blaming(graph.backend):
            graph.close()

    return Lease(graph, release)


@summarised
@dataclass(slots=True, eq=False)
class Entry:
    """A graph of the table, or the place where one is being loaded."""

    key: tuple[str, Hashable]
    size: int
    keep: bool
    graph: Graph | None = None
    users: int = 0
    listed: bool = True
    """Whether new users may still come."""
    loading: Lock = field(default_factory=Lock)


class SharedGraphs:
    """Graphs by name and configuration. Safe to use from several threads; a graph is loaded once, and
    others load meanwhile.
    """

    def __init__(self, budget: int = KEPT_BYTES) -> None:
        self.budget = budget
        self._lock = RLock()
        self._entries: dict[tuple[str, Hashable], Entry] = {}
        """In the order of use: those at the front were let go of the longest ago."""

    @property
    def resident(self) -> int:
        """Bytes of the models that are loaded and may get new users."""
        with self._lock:
            return sum(entry.size for entry in self._entries.values())

    def __len__(self) -> int:
        return len(self._entries)

    def take(
        self, name: str, config: Hashable, size: int, load: Callable[[], Graph], *, keep: bool = True
    ) -> Lease:
        """The graph of this name and configuration, loaded by `load` if nobody has. `keep`: it may stay when
        its last user is gone.
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
        """Give these graphs to nobody any more, and close each when its last user lets go."""
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
                self._entries[entry.key] = entry  # at the back
        if kept:
            self._evict()
        else:
            close(entry)

    def _evict(self) -> None:
        """Close what nobody uses until the budget is kept."""
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
    """Have the C library return to the system what a model has freed: glibc keeps it, unless asked."""
    with suppress(ImportError, OSError, AttributeError, TypeError):  # there is none, or another
        import ctypes

        ctypes.CDLL(None).malloc_trim(0)
