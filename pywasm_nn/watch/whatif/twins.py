"""`Twins`: the graph that questions about one compute are put to, and what it costs.

What is here: one twin for all questions about a compute, which is opened for the first run, and its time in
the budget. What is not: what a twin is (`nn.backend`), and the questions.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from time import perf_counter, process_time

from ...nn.backend import Context, Graph, GraphConfig
from ...nn.errors import Code, NNError
from ..budget import Budget

FEWEST = 3
"""A twin that takes time to open is opened only if there is time for so many runs of it."""


class Twins:
    """Gives the twin of a guest's graph to the questions about a compute. They share it, as a guest's own
    model is loaded in a child of its own, which takes longer than most questions; and most questions find
    that they have nothing to ask."""

    def __init__(self, budget: Budget) -> None:
        self._budget = budget
        self._of: Graph | None = None
        self._twin: Twin | None = None
        self._began = self._spent = 0.0

    @contextmanager
    def shared(self) -> Iterator[None]:
        """A block in which questions share a twin."""
        try:
            yield
        finally:
            self._close()

    def cost(self, graph: Graph) -> float:
        """Seconds that the next run of a twin takes for opening it."""
        return graph.worked if self._twin is None or self._of is not graph else self._twin.worked

    @contextmanager
    def twin(
        self, graph: Graph, parts: Sequence[bytes | Path], seconds: float, most: float
    ) -> Iterator[Graph]:
        """The twin for one question, which has so many seconds at `most`; one run takes `seconds`."""
        if self._twin is None or self._of is not graph:
            self._close()
            self._began, self._spent = worked(), 0.0
            self._twin, self._of = Twin(graph, parts), graph
        twin, began = self._twin, perf_counter()
        twin.allow(began + most, seconds)
        try:
            yield twin
        finally:
            self._spend(perf_counter() - began - twin.waited())

    def _spend(self, seconds: float) -> None:
        """Count what is known before a child's time is: that is told when it has ended."""
        self._spent += seconds
        self._budget.spend(seconds)

    def _close(self) -> None:
        if self._twin is None:
            return
        twin, self._of, self._twin = self._twin, None, None
        twin.close()
        self._spend(worked() - self._began - self._spent)


class Twin(Graph):
    """A graph of the same model as a guest's, which is opened for its first context."""

    def __init__(self, graph: Graph, parts: Sequence[bytes | Path]) -> None:
        super().__init__(graph.backend, graph.inputs, graph.outputs, graph.device, graph.notes)
        self.worked = graph.worked
        """Seconds of the processor's time that opening it takes, 0 once it is open."""
        self._graph, self._parts = graph, parts
        self._own: Graph | None = None
        self._refused: NNError | None = None
        self._until = self._seconds = self._waited = 0.0

    @property
    def keeps_state(self) -> bool:
        return self._graph.keeps_state

    def allow(self, until: float, seconds: float) -> None:
        """A question begins, which has time until that moment; one run takes `seconds`."""
        self._until, self._seconds = until, seconds

    def waited(self) -> float:
        """Seconds since the last such question in which another process that opened the model didn't work."""
        waited, self._waited = self._waited, 0.0
        return waited

    def opened(self, config: GraphConfig | None = None) -> Context:
        """A new context. Raises NNError if the model can't be asked, or if there is no time for it."""
        if self._own is None:
            self._own = self._open()
        return self._own.opened(config)

    def _open(self) -> Graph:
        began = perf_counter()
        if self._refused is not None:
            raise self._refused
        if self.worked and began + self.worked + FEWEST * self._seconds > self._until:
            raise NNError(Code.BUSY, "there is no time to open the model again and run it")
        try:
            own = self._graph.twin(self._parts)
        except NNError as error:
            self._refused = error
            raise
        if own is None:
            self._refused = NNError(Code.UNSUPPORTED_OPERATION, "the model is asked by its guest alone")
            raise self._refused
        self._waited += perf_counter() - began - own.worked
        self.worked = 0.0
        return own

    def close(self) -> None:
        if self._own is not None:
            self._own.close_twin()


def worked() -> float:
    """Processor time of this process, and of all that it started and that have ended."""
    times = os.times()
    return process_time() + times.children_user + times.children_system
