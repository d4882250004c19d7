"""A model that is run on an input without elements: nothing was left of what it should see.

What is here: `NothingSent`. What is not: inputs of zeros (`hints.values`), and states, which may begin
without elements.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import prod
from typing import Any

from ...nn.operation import NNEvent
from ..feedback import states
from ..follower import Follower
from ..surroundings import Files


class NothingSent(Follower):
    """Gives a hint at the end, if all that a model was run on was empty."""

    def __init__(self, files: Files = tuple) -> None:
        """`files` gives the names and bytes of those that the guest read: of an empty one nothing is left
        rightly."""
        self._files = files
        self._shapes: dict[Any, dict[int, tuple[str, tuple[int, ...]]]] = {}
        """By context, the names and shapes of its inputs."""
        self._empty: dict[Any, str] = {}
        """By model, what to say of its first compute; "" if one had elements."""

    def nn_event(self, event: NNEvent) -> None:
        """An operation ended."""
        if event.error is not None:
            return
        shapes = self._shapes.setdefault(event.context_id, {})
        if event.operation.startswith("set_input") and event.index is not None and event.tensors:
            shapes[event.index] = event.specs[0].name, tuple(event.tensors[0].shape)
        elif event.operation == "compute":
            given = {index: (spec.name, tuple(tensor.shape)) for index, spec, tensor in event.given}
            self._computed(event, given or shapes)

    def _computed(self, event: NNEvent, shapes: dict[int, tuple[str, tuple[int, ...]]]) -> None:
        key = event.graph_id, event.model
        kept = () if event.graph is None else states(event.graph.inputs, event.graph.outputs)
        own = {index: one for index, one in shapes.items() if all(index != state for state, _ in kept)}
        empty = {index: one for index, one in own.items() if is_empty(one[1])}
        if not empty or any(prod(shape) > 1 for _, shape in own.values()):
            self._empty[key] = ""  # what was sent beside it is what the answer is about
            return
        index, (name, shape) = min(empty.items())
        self._empty.setdefault(
            key,
            f'input {index} "{name}": it has no elements ({" x ".join(map(str, shape))}), and the model was '
            "run all the same, so that its answer is about nothing: was all that was read left out before "
            "set_input (by a threshold, a filter, a length of 0)?",
        )

    def finish(self) -> Iterator[tuple[str, str]]:
        """A hint when the guest has ended."""
        is_right = any(not data.strip() for _, data in self._files())
        for said in () if is_right else filter(None, self._empty.values()):
            yield "origin", said


def is_empty(shape: tuple[int, ...]) -> bool:
    """Whether an item has no elements. A batch may rightly have no items."""
    return 0 in (shape if len(shape) == 1 else shape[1:])
