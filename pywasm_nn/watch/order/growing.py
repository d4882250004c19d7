"""Graphs and contexts that a guest makes anew for each compute, and never releases: a loop begins too early.

What is here: `Growing`, which speaks while it happens. What is not: files that are never closed
(`hints/repeats.py`), and contexts that are mixed up (`contexts.py`).

A guest that loads a model for each of a few pictures may be meant, so many are asked for; and one that
releases what it made never gets a hint.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from zlib import crc32

from ...nn.operation import NNEvent
from ..follower import Follower

MANY = 24
"""So many graphs of one model, or contexts of one graph, were made one after the other."""
COMPARED = 1 << 16
"""Bytes of a part by which a model is known."""


class Made:
    """How many graphs a guest made of one model, or contexts of one graph, and how often these computed."""

    def __init__(self) -> None:
        self.count = self.computes = 0

    def are_many(self) -> bool:
        """Whether there are many, each for one compute but the last, which was just made."""
        return self.count == MANY and self.computes == MANY - 1


class Growing(Follower):
    """Gives hints after operations, as pairs of a rule's name and a sentence."""

    def __init__(self) -> None:
        self._graphs: dict[tuple[object, ...], Made] = {}
        """By model, its graphs."""
        self._contexts: dict[int, Made] = {}
        """By graph, its contexts."""
        self._models: dict[int, Made] = {}
        """By graph, all that were loaded of its model."""
        self._releases = False
        """Whether the guest ever released a graph or a context."""

    def nn_event(self, event: NNEvent) -> Iterator[tuple[str, str]]:
        """An operation ended."""
        graph = event.graph_id
        if event.error is not None or graph is None or self._releases:
            return
        if event.operation in ("unload", "finalize_execution_context"):
            self._releases = True
        elif event.operation == "compute":
            for made in (self._models.get(graph), self._contexts.get(graph)):
                if made is not None:
                    made.computes += 1
        elif event.operation.startswith("load"):
            made = self._models[graph] = self._graphs.setdefault(model_of(event), Made())
            made.count += 1
            if made.are_many():
                yield (
                    "growing",
                    f"the same model was loaded {MANY} times, each time for one compute, and none of "
                    "the graphs was released: one graph and its context serve all inputs; are load and "
                    "init_execution_context to stand before the loop?",
                )
        elif event.operation.startswith("init_execution_context"):
            made = self._contexts.setdefault(graph, Made())
            made.count += 1
            if made.are_many():
                yield (
                    "growing",
                    f"{MANY} contexts of graph {graph} were made, each for one compute, and none was "
                    "released: one context serves all inputs; is init_execution_context to stand before the "
                    "loop?",
                )


def model_of(event: NNEvent) -> tuple[object, ...]:
    """By what a model is known: its name, or the paths of its files, or its bytes."""
    if event.wanted is not None:
        return (event.wanted,)
    return tuple(
        part if isinstance(part, Path) else (len(part), crc32(part[:COMPARED])) for part in event.parts
    )
