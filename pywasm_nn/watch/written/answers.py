"""What a guest fetched and what it then wrote, compute by compute.

What is here: `Answers`, which keeps the outputs of the last compute, its inputs and the text after it. What
is not: the comparison (`misread.py`, `misplaced.py`), and a single output of classes (`sayings.py`).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from typing import Any

from ...interpreter.runtime.observe import HostEvent
from ...nn.operation import NNEvent
from ...nn.quantized import dequantized
from ...nn.tensor import Tensor, TensorSpec
from ..follower import Follower
from ..spoken import Heard
from ..surroundings import Files
from .boxes import inverted, negative
from .misplaced import misplaced, other_layout
from .misread import Fetched, Round, misread
from .misscaled import misscaled
from .retold import as_another_type
from .unranked import unranked

MOST_BYTES = 1 << 20
"""Larger tensors are left out: some element of theirs is near any number."""
MOST_OF_A_MAP, MOST_MAPS = 16 << 20, 8
"""Pictures of classes may be larger, as their pixels are only counted; after so many fetches none is kept."""
MAP = 3
"""The number of lengths other than 1 in the shape of such a picture."""
MOST_BEFORE = 8


class Answers(Follower):
    """Gives a hint at the end, about the last compute after which something was written."""

    def __init__(self, files: Files = tuple) -> None:
        self._files = files
        self._given: dict[Any, dict[int, Fetched]] = {}
        """By context, its inputs."""
        self._inputs: tuple[Fetched, ...] = ()
        self._outputs: dict[int, Fetched] = {}
        self._maps: dict[int, Fetched] = {}
        self._maps_left = MOST_MAPS
        self._before: deque[Fetched] = deque(maxlen=MOST_BEFORE)
        self._heard = Heard()
        self._last: Round | None = None
        self._retold = ""
        """What any round says of the answer's type."""

    def nn_event(self, event: NNEvent) -> None:
        """An operation ended."""
        if event.error is not None:
            return
        if event.operation.startswith("set_input") and event.index is not None and event.tensors:
            self._keep(event.context_id, event.index, event.specs[0], event.tensors[0])
        elif event.operation == "compute":
            self._close()
            for index, spec, tensor in event.given:
                self._keep(event.context_id, index, spec, tensor)
            self._inputs = tuple(self._given.get(event.context_id, {}).values())
            if event.delivered:
                for index, tensor in enumerate(event.tensors):
                    self._fetch(index, event.specs[index], tensor)
        elif event.operation.startswith("get_output") and event.tensors:
            self._fetch(event.index or 0, event.specs[0], event.tensors[0])
        elif event.operation == "finalize_execution_context":
            self._given.pop(event.context_id, None)

    def _keep(self, context: Any, index: int, spec: TensorSpec, tensor: Tensor) -> None:
        """Copy an input: a guest writes other things to its buffer."""
        if (kept := fetched(f'input {index} "{spec.name}"', tensor, spec)) is not None:
            self._given.setdefault(context, {})[index] = kept

    def _fetch(self, index: int, spec: TensorSpec, tensor: Tensor) -> None:
        if not self._outputs and not self._maps:
            self._heard.data.clear()
        if self._maps_left and (large := map_of(f'output {index} "{spec.name}"', tensor)) is not None:
            self._maps[index], self._maps_left = large, self._maps_left - 1
        elif (kept := fetched(f'output {index} "{spec.name}"', tensor, spec)) is not None:
            self._outputs[index] = kept

    def host_call(self, event: HostEvent) -> None:
        """A host function returned."""
        if self._outputs or self._maps:
            self._heard.add(event)

    def _close(self) -> None:
        """The next compute begins: what was fetched and written belongs together."""
        outputs, maps = tuple(self._outputs.values()), tuple(self._maps.values())
        if (outputs or maps) and self._heard.data:
            text = self._heard.text
            self._last = Round(outputs, self._inputs, text, tuple(self._before), maps, self._files)
            self._retold = self._retold or as_another_type(self._last)
        self._before.extend(outputs)
        self._outputs, self._maps = {}, {}
        self._heard.data.clear()

    def finish(self) -> Iterator[tuple[str, str]]:
        """A hint when the guest has ended."""
        self._close()
        last, self._last = self._last, None
        if last is None:
            return
        if not last.outputs:
            if wrong := other_layout(last):
                yield "answer", wrong
            return
        wrong = misread(last) or misplaced(last) or inverted(last) or negative(last) or misscaled(last)
        if wrong := wrong or self._retold or unranked(last):
            yield "answer", wrong


def fetched(what: str, tensor: Tensor, spec: TensorSpec) -> Fetched | None:
    """Returns a tensor with a copy of its bytes, or None if it has no numbers, or too many."""
    if not 0 < tensor.nbytes <= MOST_BYTES:
        return None
    raw = tensor.numbers()
    numbers = dequantized(tensor, spec).numbers() if raw is not None else None
    if raw is None or numbers is None or numbers.size < 1:
        return None
    shape = tensor.shape or (1,)
    return Fetched(what, numbers.astype("f8").reshape(shape), bytes(tensor.view()), raw.dtype.str)


def map_of(what: str, tensor: Tensor) -> Fetched | None:
    """Returns a copy of a large tensor with rows, columns and classes, or None for others."""
    is_large = MOST_BYTES < tensor.nbytes <= MOST_OF_A_MAP
    numbers = tensor.numbers() if is_large and sum(length > 1 for length in tensor.shape) == MAP else None
    return None if numbers is None else Fetched(what, numbers.reshape(tensor.shape).copy(), b"", "")
