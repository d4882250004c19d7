"""`Amounts`: the answers of some numbers that a guest fetched, their inputs, and what it wrote.

What is here: what is kept, and when it is compared. What is not: the rules.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from ...arrays import numpy
from ...interpreter.runtime.observe import HostEvent
from ...nn.operation import NNEvent
from ...nn.tensor import Tensor
from ..follower import Follower, inputs_of
from ..spoken import Heard
from .below_nothing import below_nothing
from .errors import signed
from .named_standard import named_standard
from .named_units import with_another_unit
from .powers import other_base
from .scaled import not_scaled_back
from .temperature import at_another
from .told import Answer, Told
from .two_scales import in_two_scales
from .units import other_unit

Files = Sequence[tuple[str, bytes]]

MOST_ROUNDS, MOST_ELEMENTS = 64, 8192
EARLY = (4, 8, 16)
"""Answers after which what was written so far is compared."""
RULES: tuple[Callable[[Told], str], ...] = (
    not_scaled_back,
    below_nothing,
    named_standard,
    other_base,
    signed,
    in_two_scales,
    at_another,
    other_unit,
    with_another_unit,
)


class Amounts(Follower):
    """Gives a hint as a pair of a rule's name and a sentence."""

    def __init__(self, files: Callable[[], Files] = tuple) -> None:
        self._files = files
        self._given: dict[Any, dict[int, Any]] = {}
        """By context, its inputs of some numbers."""
        self._answers: list[Answer] = []
        self._counts: Counter[int] = Counter()
        """Answers of each output."""
        self._heard = Heard()
        self._done = False

    def nn_event(self, event: NNEvent) -> Iterator[tuple[str, str]]:
        """An operation ended."""
        if event.error is not None or self._done:
            return
        for index, _, tensor in inputs_of(event):
            self._give(event.context_id, index, tensor)
        if event.operation == "compute":
            if event.delivered:
                self._answer(event, 0, event.specs[0].name, event.tensors[0])
            if max(self._counts.values(), default=0) in EARLY:
                yield from self._compared()
        elif event.operation.startswith("get_output") and event.tensors:
            self._answer(event, event.index or 0, event.specs[0].name, event.tensors[0])

    def _give(self, context: Any, index: int, tensor: Tensor) -> None:
        numbers = tensor.numbers() if tensor.size <= MOST_ELEMENTS else None
        given = self._given.setdefault(context, {})
        given.pop(index, None)
        if numbers is not None and numbers.dtype.kind == "f":
            given[index] = numbers.astype("f8")

    def _answer(self, event: NNEvent, index: int, name: str, tensor: Tensor) -> None:
        numbers = tensor.numbers() if 0 < tensor.size <= MOST_ELEMENTS else None
        if numbers is None or numbers.dtype.kind != "f" or self._counts[index] >= MOST_ROUNDS:
            return
        self._counts[index] += 1
        given = tuple(self._given.get(event.context_id, {}).values())
        width = tensor.shape[-1] if tensor.shape else 1
        rows = numbers.astype("f8").reshape(-1, width)
        self._answers.append(Answer(index, name, rows, given, event.model or ""))

    def host_call(self, event: HostEvent) -> None:
        """A host function returned."""
        if self._answers and not self._done:
            self._heard.add(event)

    def finish(self) -> Iterator[tuple[str, str]]:
        """A hint when the guest has ended."""
        yield from () if self._done else self._compared()

    def _compared(self) -> Iterator[tuple[str, str]]:
        text = self._heard.text
        for index in sorted({one.index for one in self._answers}) if text else ():
            told = Told([one for one in self._answers if one.index == index], text, self._files())
            with numpy.errstate(all="ignore"):
                wrong = next(filter(None, (rule(told) for rule in RULES)), "")
            if wrong:
                self._done = True
                yield "answer", f'output {index} "{told.answers[0].name}": {wrong}'
                return
