"""`Follower`: a rule that follows what a guest does, and says what is wrong with it; `inputs_of` an event,
and the `only_answer` of a compute.

What is not here: the rules, and in which order they are asked (`rules.py`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Protocol

from ..interpreter.module import Module
from ..interpreter.runtime.observe import HostEvent
from ..nn.operation import NNEvent
from ..nn.tensor import Tensor, TensorSpec

Said = tuple[str, str]
"""The name of a rule, and its hint."""


class Hearing(Protocol):
    """A part of the search that is told of calls of host functions."""

    def host_call(self, event: HostEvent) -> None:
        """A host function returned."""


class Follower:
    """A rule that is told of all that the guest does. A subclass does what it needs of this."""

    def attach(self, module: Module) -> None:
        """A guest begins."""

    def host_call(self, event: HostEvent) -> None:
        """A host function returned."""

    def nn_event(self, event: NNEvent) -> Iterable[Said] | None:
        """An operation ended. Returns hints, if there are any already."""
        return None

    def finish(self) -> Iterable[Said]:
        """The guest has ended. Returns hints."""
        return ()


def inputs_of(event: NNEvent) -> Sequence[tuple[int, TensorSpec, Tensor]]:
    """The inputs that an operation gave the model, with their indices: the one that was set, or those that
    came with a compute."""
    if event.operation.startswith("set_input") and event.index is not None and event.tensors:
        return ((event.index, event.specs[0], event.tensors[0]),)
    return event.given


def only_answer(outputs: Sequence[Tensor]) -> Any:
    """The elements of the only output of a compute, or None if it has several, or they are no numbers."""
    return outputs[0].numbers() if len(outputs) == 1 else None
