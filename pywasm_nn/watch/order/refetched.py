"""An output that is fetched twice in a row, where another one never is.

What is here: `Refetched`. What is not: a buffer that is too large for its output (`hints`), and numbers that
stand in another output (`written/misplaced.py`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ...interpreter.runtime.observe import HostEvent
from ...namespaces import is_inference
from ...nn.operation import NNEvent
from ...nn.tensor import TensorSpec
from ..follower import Follower
from ..origin.cleared import address_of

FETCHING, BUFFER = "get_output", "buffer"


class Refetched(Follower):
    """Gives a hint at the end, as a pair of a rule's name and a sentence."""

    def __init__(self) -> None:
        self._outputs: Sequence[TensorSpec] = ()
        self._asked: set[int] = set()
        """Indices of outputs that were asked for, also in vain."""
        self._last: tuple[int | None, int] | None = None
        """The context and index of the fetch that no other call followed."""
        self._computes = 0
        self._again: dict[int, int] = {}
        """How often each output was fetched twice in a row, once for a compute."""
        self._is_new = False
        self._twice: int | None = None
        """It names the output which the call that returns next fetches for the second time in a row."""
        self._address = 0
        """The last answer was put at this address in this process; it is 0 if that isn't known."""
        self._is_mixed = False
        """Whether several models answered."""

    def nn_event(self, event: NNEvent) -> None:
        """An operation ended."""
        if event.operation == "compute" and event.error is None:
            self._computes += 1
            self._is_new = True
        if not event.operation.startswith(FETCHING):
            return
        index = event.index or 0
        self._asked.add(index)
        if event.error is not None or event.graph is None:
            return
        outputs = tuple(event.graph.outputs)
        self._is_mixed = self._is_mixed or (bool(self._outputs) and outputs != self._outputs)
        self._outputs = outputs
        if self._last == (event.context_id, index) and self._is_new:
            self._twice, self._is_new = index, False
        self._last = event.context_id, index

    def host_call(self, event: HostEvent) -> None:
        """A host function returned."""
        if not (is_inference(event.module) and event.name.startswith(FETCHING)):
            self._last = None
            return
        view, before = dict(event.arguments).get(BUFFER), self._address
        self._address = address_of(view) if isinstance(view, memoryview) and view.nbytes else 0
        # The same again in the same place is what two functions do of which each fetches what it needs.
        if self._twice is not None and not 0 < before == self._address:
            self._again[self._twice] = self._again.get(self._twice, 0) + 1
        self._twice = None

    def finish(self) -> Iterator[tuple[str, str]]:
        """A hint when the guest has ended."""
        others = [index for index in range(len(self._outputs)) if index not in self._asked]
        for index, times in self._again.items():
            if times < self._computes or len(others) != 1 or self._is_mixed:
                continue
            if self._outputs[index].dtype != self._outputs[others[0]].dtype:
                continue  # a buffer of another type would be for the other one
            name, other = self._outputs[index].name, self._outputs[others[0]].name
            yield (
                "answer",
                f'output {index} "{name}" is fetched twice in a row after each compute, and output '
                f'{others[0]} "{other}" never: is index {others[0]} meant the second time?',
            )
            return
