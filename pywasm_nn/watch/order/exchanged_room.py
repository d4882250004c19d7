"""The address and the size of a buffer for an answer, exchanged: the answer lands at a small address.

What is here: `ExchangedRoom`. What is not: buffers that are too large for an output (`hints/use.py`), and
answers that nothing reads (`probes/whether.py`).
"""

from __future__ import annotations

from collections.abc import Iterator
from math import prod

from ...interpreter.runtime.observe import HostEvent
from ...namespaces import is_inference
from ...nn.operation import NNEvent
from ..follower import Follower
from ..origin.cleared import address_of

FETCHING, BUFFER = "get_output", "buffer"
LOWEST, TIMES = 64, 8
"""A number that is rather an address than a size: it is so large, and so many times the answer's bytes."""


class ExchangedRoom(Follower):
    """Gives a hint when an answer was fetched."""

    def __init__(self) -> None:
        self._fetched: tuple[str, int, int] | None = None
        """The output of the call that returns next: what it is called, its bytes and its elements."""
        self._said = ""

    def nn_event(self, event: NNEvent) -> None:
        """An operation ended."""
        self._fetched = None
        if event.operation == FETCHING and event.error is None and event.tensors:
            tensor = event.tensors[0]
            self._fetched = f'output {event.index} "{event.specs[0].name}"', tensor.nbytes, prod(tensor.shape)

    def host_call(self, event: HostEvent) -> None:
        """A host function returned."""
        if self._fetched is None or self._said or not is_inference(event.module):
            return
        (called, size, elements), self._fetched = self._fetched, None
        view = dict(event.arguments).get(BUFFER)
        if not isinstance(view, memoryview) or view.nbytes < max(LOWEST, TIMES * size):
            return
        address = address_of(view) - address_of(view.obj)  # in the guest's memory
        if address in (size, elements):
            bytes_ = f"{size} byte{'s' * (size != 1)}"
            self._said = (
                f"{called}: it has {bytes_}, and get_output was given {address} as the buffer's address and "
                f"{view.nbytes} as its size: are the two exchanged?"
            )

    def finish(self) -> Iterator[tuple[str, str]]:
        """The hint when the guest has ended."""
        if self._said:
            yield "answer", self._said
