"""A guest that computes and never asks for an answer, or for a state alone.

What is here: `Unfetched`, and `StatesAlone`. What is not: answers that are fetched and not used (`probes`),
and boxes without their scores (`unscored.py`).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ...arrays import numpy
from ...interpreter.runtime.observe import HostEvent
from ...nn.operation import NNEvent
from ...nn.tensor import TensorSpec
from ...records import Frozen
from ..feedback import states
from ..follower import Follower
from ..regex import regex
from ..spoken import Heard, Spoken, Word

SPEED = regex(
    r"\d\s*(?:[mµun]?s\b|sec|min|fps|hz|x\b|/s)|\b(?:time|took|elapsed|latency|bench\w*|warm\w*|ready|loaded"
    r"|runs?|iterations?|loops?|tests?|ok|done|status|returned|errno|version|v\d[\d.]*|succe\w+|pass(?:ed)?"
    r"|works?|finished|complete[ds]?|[kmg]i?b|bytes)\b",
    re.IGNORECASE,
)
"""What a guest writes that only measures inference, or says that it works."""
ANSWER = regex(
    r"\d\.\d|\b(?:class|label|index|digit|category|best|top|predict\w*|answer|result|score|prob\w*)\b[^\n\d]{0,12}\d",
    re.IGNORECASE,
)
"""What looks like an answer."""
ROUNDS, FEWEST, KEPT = 3, 8, 256
"""At least so many computes go on from a state, it has at least so many elements, and so many are kept. A
state of fewer elements may be what is followed: a place, a speed, a temperature."""
LINES, FINE = 3, 1e-3
"""So many lines with numbers as fine as this are no chance."""


class Unfetched(Follower):
    """Gives a hint at the end."""

    def __init__(self) -> None:
        self._computes = 0
        self._asked = False
        self._heard = Heard()

    def nn_event(self, event: NNEvent) -> None:
        """An operation ended."""
        if event.operation == "compute" and event.error is None:
            self._computes += 1
            self._asked = self._asked or event.delivered
        elif event.operation.startswith("get_output"):
            self._asked = True

    def host_call(self, event: HostEvent) -> None:
        """A host function returned."""
        if self._computes:
            self._heard.add(event)

    def finish(self) -> Iterator[tuple[str, str]]:
        """A hint when the guest has ended."""
        text = self._heard.text
        if self._computes and not self._asked and ANSWER.search(text) and not SPEED.search(text):
            times = "once" if self._computes == 1 else f"{self._computes} times"
            yield (
                "answer",
                f"compute succeeded {times}, and no output was ever asked for (get_output): what the guest "
                "writes is not the answer",
            )


class State(Frozen):
    """An output that is the next value of an input: its first element after a compute, and that input and the
    model's outputs that are no states."""

    index: int
    name: str
    first: float
    input: str
    others: Mapping[int, str]


class StatesAlone(Follower):
    """Gives a hint at the end about an answer that is never asked for, where a state's number is written."""

    def __init__(self) -> None:
        self._states: dict[Any, State] = {}
        """By context, the first of its states, if its model has other outputs, too."""
        self._computes: Counter[Any] = Counter()
        self._firsts: dict[Any, list[float]] = {}
        """By context, the first elements of that state."""
        self._fetched: dict[Any, set[int]] = {}
        self._heard = Heard()

    def nn_event(self, event: NNEvent) -> None:
        """An operation ended."""
        if event.error is not None:
            return
        if event.operation == "compute" and event.graph is not None and not event.delivered:
            self._computes[event.context_id] += 1
            state = state_of(event, event.graph.inputs, event.graph.outputs)
            if state is not None:
                self._states[event.context_id] = state
                self._firsts.setdefault(event.context_id, []).append(state.first)
                del self._firsts[event.context_id][:-KEPT]
        elif event.operation.startswith("get_output") and event.index is not None:
            self._fetched.setdefault(event.context_id, set()).add(event.index)

    def host_call(self, event: HostEvent) -> None:
        """A host function returned."""
        if self._states:
            self._heard.add(event)

    def finish(self) -> Iterator[tuple[str, str]]:
        """A hint when the guest has ended."""
        for context, state in self._states.items():
            fetched = self._fetched.get(context, set())
            is_alone = state.index in fetched and not fetched & {*state.others}
            word = said_of(self._heard.text, self._firsts[context]) if is_alone else None
            if word is not None and self._computes[context] >= ROUNDS:
                index, name = next(iter(state.others.items()))
                yield (
                    "answer",
                    f"the guest writes {word.text}, the first element of output {state.index} "
                    f'"{state.name}", which is the next {state.input}, and never fetches output {index} '
                    f'"{name}": is that one the answer?',
                )
                return


def said_of(text: Spoken, firsts: Sequence[float]) -> Word | None:
    """Returns the last number with a point, if it is the last of these numbers, or if the last one of each of
    several lines is one of these, or None."""
    lines = [[word for word in line if not word.is_whole] for line in text.lines]
    words = [line[-1] for line in lines if line]
    if words and bool(words[-1].fits(firsts[-1])):
        return words[-1]
    known = numpy.array(firsts)
    are_known = all(word.unit <= FINE and bool(word.fits(known).any()) for word in words)
    return words[-1] if len(words) >= LINES and are_known else None


def state_of(event: NNEvent, inputs: tuple[TensorSpec, ...], outputs: tuple[TensorSpec, ...]) -> State | None:
    """Returns the first state among the outputs of a compute, or None if it has none, or nothing else."""
    pairs = states(inputs, outputs)
    others = {at: one.name for at, one in enumerate(outputs) if all(at != place for _, place in pairs)}
    if not pairs or not others or len(pairs) == len(inputs):
        return None
    index, place = pairs[0]
    numbers = event.tensors[place].numbers() if place < len(event.tensors) else None
    if numbers is None or numbers.size < FEWEST:
        return None
    given = f'input {index} "{inputs[index].name}"'
    return State(place, outputs[place].name, float(numbers.flat[0]), given, others)
