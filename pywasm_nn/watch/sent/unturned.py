"""Pictures whose files ask for a turn (Orientation of EXIF and TIFF) that is not made, in any of a guest's
inputs: of several files often only the later ones do.

What is here: `Unturned`, for pictures that are shrunk by boxes. What is not: how the first
inputs came from their files (`origin`), which sees the same of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from ...nn.operation import NNEvent
from ...nn.tensor import Tensor
from ..budget import Budget
from ..follower import Follower, inputs_of
from ..origin.boxed import MOST_ELEMENTS, boxed
from ..origin.decoding import JPEG, Source, decoded
from ..origin.jpeg import orientation
from ..origin.tagged import asks_for_a_turn
from ..origin.tiny import unturned_wrong
from ..surroundings import Files

LOOKS, MOST_BYTES = 4, 1 << 18
"""Inputs from files that ask for a turn that are looked at, and the most bytes of a file that is decoded."""


class Unturned(Follower):
    """Gives a hint after an input."""

    def __init__(self, files: Files, budget: Budget) -> None:
        self._files, self._budget = files, budget
        self._looks = 0

    def nn_event(self, event: NNEvent) -> Iterator[tuple[str, str]]:
        """An operation ended."""
        if event.error is not None or self._looks >= LOOKS:
            return
        for index, spec, tensor in inputs_of(event):
            with self._budget.comparing() as left:
                source = self._asking() if tensor.size <= MOST_ELEMENTS and left() else None
                if source is None:
                    continue
                self._looks += 1
                wrong = wrongly_sent(tensor, source, left)
            if wrong:
                self._looks = LOOKS
                yield "origin", f'input {index} "{spec.name}": compared with {source.name}, {wrong}'

    def _asking(self) -> Source | None:
        """The picture that was read last, if its file asks for a turn."""
        name, data = next(reversed(self._files()), ("", b""))
        if not 0 < len(data) <= MOST_BYTES:
            return None
        asks = orientation(data) != 1 if data.startswith(JPEG) else asks_for_a_turn(data)
        return decoded(name, data) if asks else None


def wrongly_sent(tensor: Tensor, source: Source, left: Callable[[], Any]) -> str:
    """Returns a hint if an input is a picture as it is stored, shrunk by boxes, or "" if it isn't."""
    numbers = tensor.numbers() if left() else None
    found = boxed(numbers.reshape(tensor.shape), source) if numbers is not None else None
    return found.wrong if found is not None and found.wrong == unturned_wrong("", source) else ""
