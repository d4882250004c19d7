"""Answers that are fetched into buffers which overlap: each is written over most of the one before.

What is here: `Overlaid`, also for two outputs of one answer. What is not: rows of one answer at the wrong
distance (`probes/batches.py`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

from ...interpreter.runtime.observe import HostEvent
from ...namespaces import is_inference
from ...nn.operation import NNEvent
from ..follower import Follower
from ..origin.cleared import address_of

FETCHING, BUFFER = "get_output", "buffer"
FEWEST, MOST, FEWEST_ELEMENTS = 2, 256, 3
"""So many answers show a distance, and no more are kept; and the fewest elements of one."""


class Overlaid(Follower):
    """Gives a hint at the end."""

    def __init__(self) -> None:
        self._places: dict[Any, list[int]] = {}
        """By model, output and its size in bytes, the addresses at which answers were put, in this process.
        """
        self._known: dict[Any, tuple[str, int]] = {}
        """By the same, what the output is called, and how many bytes an element has."""
        self._fetched: Any = None
        """The output of the call that returns next."""
        self._last: tuple[Any, int] | None = None
        """The output of the same answer that was fetched before, and its address."""
        self._beside = ""
        """What is wrong with two outputs of one answer."""

    def nn_event(self, event: NNEvent) -> None:
        """An operation ended."""
        self._fetched = None
        if event.operation == "compute":
            self._last = None
        if event.operation.startswith(FETCHING) and event.error is None and event.tensors:
            tensor = event.tensors[0]
            self._fetched = key = event.graph_id, event.index, tensor.nbytes
            what = f'output {event.index} "{event.specs[0].name}"'
            self._known[key] = what, tensor.dtype.size

    def host_call(self, event: HostEvent) -> None:
        """A host function returned."""
        if not is_inference(event.module) or self._fetched is None:
            return
        key, self._fetched = self._fetched, None
        view, places = dict(event.arguments).get(BUFFER), self._places.setdefault(key, [])
        if isinstance(view, memoryview) and view.nbytes >= key[-1]:
            address = address_of(view)
            places += [address] * (len(places) < MOST)
            self._beside = self._beside or self._over_the_last(key, address)
            self._last = key, address

    def _over_the_last(self, key: Any, address: int) -> str:
        """Returns what is wrong with an output that was put as many bytes behind the one before as that has
        elements, or "" if nothing is."""
        if self._last is None or self._last[0][:2] == key[:2]:
            return ""
        (*_, size), before = self._last
        other, element = self._known[self._last[0]]
        if element < FEWEST or size // element < FEWEST_ELEMENTS or address - before != size // element:
            return ""
        return (
            f"{self._known[key][0]}: it was put {address - before} bytes behind where {other} begins, which "
            f"has {size} bytes in {size // element} elements, and is written over: are elements counted "
            "where bytes are meant?"
        )

    def finish(self) -> Iterator[tuple[str, str]]:
        """The hint, if all answers lie equally far apart, and nearer than they are long."""
        if self._beside:
            yield "answer", self._beside
            return
        for key, places in self._places.items():
            what, element = self._known[key]
            if said := wrong_with(places, key[-1], element):
                yield "answer", f"{what}: {said}"
                return


def wrong_with(places: Sequence[int], size: int, element: int) -> str:
    """Returns what is wrong with where answers of so many bytes were put, or "" if nothing is known to be
    wrong."""
    steps = {after - before for before, after in pairwise(places)}
    step = steps.pop() if len(steps) == 1 and len(places) >= FEWEST else 0
    count = size // element if element else 0
    if not 0 < step < size or step not in (element, count) or count < FEWEST_ELEMENTS:
        return ""
    why = (
        f"is the number of the answer not multiplied by {count}, the elements of each?"
        if step == element
        else "are elements counted where bytes are meant?"
    )
    return (
        f"{len(places)} answers of {size} bytes were put {step} bytes apart, so that each is written over "
        f"most of the one before: {why}"
    )
