"""Loaded models, each once for all graphs that use it in the same way.

What is not here: the models (`process`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from threading import Lock

from ....brief import summarised
from .adapter import Plan
from .process import Engine


@summarised
@dataclass(slots=True, eq=False)
class Entry:
    """A loaded model, or the place for one that is being loaded."""

    users: int = 0
    engine: Engine | None = None
    loading: Lock = field(default_factory=Lock)


class Engines:
    """Loaded models by plan, counted. Safe to use from several threads."""

    def __init__(self, load: Callable[[Plan], Engine]) -> None:
        self._load = load
        self._lock = Lock()
        self._entries: dict[Plan, Entry] = {}

    def take(self, plan: Plan) -> Engine:
        """The model, which is loaded by its first user; each user calls `release`."""
        with self._lock:
            entry = self._entries.setdefault(plan, Entry())
            entry.users += 1
        try:
            with entry.loading:
                if entry.engine is None:
                    entry.engine = self._load(plan)
            return entry.engine
        except BaseException:
            self.release(plan)
            raise

    def release(self, plan: Plan) -> None:
        """Close the model if this was its last user."""
        with self._lock:
            entry = self._entries[plan]
            entry.users -= 1
            if entry.users:
                return
            del self._entries[plan]
        if entry.engine is not None:
            entry.engine.close()
