"""`Twins`: the graph that questions about one compute are put to, and what it costs.

What is here: one twin for all questions about a compute, and its time in the budget. What is not: what a twin
is (`nn.backend`), and the questions.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from time import perf_counter, process_time

from ...nn.backend import Graph
from ..budget import Budget


class Twins:
    """Opens the twin of a guest's graph for the first question about a compute; the others share it, as a
    guest's own model is loaded in a child of its own, which takes longer than most questions."""

    def __init__(self, budget: Budget) -> None:
        self._budget = budget
        self._of: Graph | None = None
        self._twin: Graph | None = None
        self._began = self._spent = 0.0

    @contextmanager
    def shared(self) -> Iterator[None]:
        """A block in which questions share a twin."""
        try:
            yield
        finally:
            self._close()

    def cost(self, graph: Graph) -> float:
        """Seconds that the next question takes to open a twin."""
        return 0.0 if self._of is graph else graph.worked

    @contextmanager
    def twin(self, graph: Graph, parts: Sequence[bytes | Path]) -> Iterator[Graph | None]:
        """The twin for one question, None if there is none."""
        if self._of is not graph:
            self._close()
            self._began, self._spent = worked(), 0.0
            self._twin, self._of = graph.twin(parts), graph
            self._spend(self._twin.worked if self._twin is not None else 0.0)
        began = perf_counter()
        try:
            yield self._twin
        finally:
            self._spend(perf_counter() - began)

    def _spend(self, seconds: float) -> None:
        """Count what is known before a child's time is: that is told when it has ended."""
        self._spent += seconds
        self._budget.spend(seconds)

    def _close(self) -> None:
        if self._of is None:
            return
        twin, self._of, self._twin = self._twin, None, None
        if twin is not None:
            twin.close_twin()
        self._spend(worked() - self._began - self._spent)


def worked() -> float:
    """Processor time of this process, and of all that it started and that have ended."""
    times = os.times()
    return process_time() + times.children_user + times.children_system
