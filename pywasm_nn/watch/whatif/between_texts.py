"""A state that goes on from one text to the next, where each is to begin with the state of the first: a model
that reads letters or words one by one, and what it says of each text.

What is here: `BetweenTexts`. What is not: series in files of their own (`loops/files.py`).

The letters that were sent say where texts end: those of the lines that the guest read, or writes. A guest may
read one long text line by line; so the model is asked, too, about a text of which it says the same as of the
one before.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

from ...arrays import numpy
from ...interpreter.runtime.observe import HostEvent
from ...nn.backend import Graph
from ...nn.operation import NNEvent
from ...nn.tensor import Tensor
from ..feedback import states
from ..follower import Follower, inputs_of
from ..regex import regex
from ..spoken import Heard, filled_lines
from ..surroundings import Files, text_in
from .fed_twice import Step, fed_twice
from .sureness import Answer, chosen

MOST_STEPS, MOST_CLASSES, MOST_STATE, MOST_BYTES = 1 << 12, 1 << 12, 1 << 14, 1 << 14
"""Computes that are kept, elements of an answer, and bytes of a state and of a text file."""
SHOWN = 40
"""Letters of a text that are shown."""
FEWEST, MOST_ASKED, LONGEST = 3, 2, 64
"""The fewest texts, those that are read to the model again, and its letters or words in one of them."""
UNSURE, SURER, STATES = 0.8, 0.15, 2
"""How sure the model is at most that is asked, by how much it is surer then, and the most states."""
FIELDS = tuple(map(regex, (r"\s{2,}|\t+", '"', r": ", r" \| ", " -> ")))
LETTER, WORD = regex(r"[^\W\d_]| "), regex(r"\w+")
UNITS: tuple[Callable[[str], list[str]], ...] = (
    list,
    lambda text: [one for one in text if one.isalpha()],
    LETTER.findall,
    lambda text: [*text, "\n"],
    str.split,
    WORD.findall,
)
"""What programs send of a text, one by one."""
T = TypeVar("T")
Asking = Callable[[NNEvent, Callable[[Graph, float, float], T]], T | None]
"""Puts a question to the model of a compute, as `WhatIf.put` does."""


class Walk:
    """The computes of a context with states, from the first one on."""

    def __init__(self, event: NNEvent, names: Sequence[str], pairs: Sequence[tuple[int, int]]) -> None:
        """`names` are those of the inputs, and `pairs` the states' inputs and outputs."""
        self.event, self.names, self.pairs = event, names, pairs
        self.index = next(at for at in range(len(names)) if all(at != one for one, _ in pairs))
        self.steps: list[Step] = []
        self.first: Mapping[int, Tensor] = {}
        self.made: Mapping[int, bytes] = {}

    def add(self, given: Mapping[int, Tensor], event: NNEvent) -> None:
        """A compute has ended."""
        if not self.steps:
            self.first = dict(given)
        goes_on = all(bytes(given[index].view()) == self.made.get(index) for index, _ in self.pairs)
        number = int(given[self.index].numpy().reshape(-1)[0])
        self.steps.append(Step(number, goes_on, self.answer_in(event.tensors)))
        self.made = {index: bytes(event.tensors[output].view()) for index, output in self.pairs}

    def answer_in(self, tensors: Sequence[Tensor]) -> Answer | None:
        """The answer of the only output that is no state."""
        rest = [at for at in range(len(tensors)) if all(at != output for _, output in self.pairs)]
        numbers = tensors[rest[0]].numbers() if len(rest) == 1 else None
        if numbers is None or numbers.dtype.kind != "f" or not 1 < numbers.size <= MOST_CLASSES:
            return None
        return chosen(numbers.astype("f8").reshape(-1))


class BetweenTexts(Follower):
    """Gives a hint at the end, as a pair of a rule's name and a sentence."""

    def __init__(self, files: Files, ask: Asking[Answer | None]) -> None:
        self._files, self._ask = files, ask
        self._given: dict[Any, dict[int, Tensor]] = {}
        self._walks: dict[Any, Walk | None] = {}
        """By context; None for one that is no walk through texts."""
        self._heard = Heard()

    def nn_event(self, event: NNEvent) -> None:
        """An operation ended."""
        number = event.context_id
        if event.error is not None or (number in self._walks and self._walks[number] is None):
            return
        given = self._given.setdefault(number, {})
        for index, _, tensor in inputs_of(event):
            given.pop(index, None)
            if tensor.nbytes <= MOST_STATE:
                given[index] = Tensor(tensor.dtype, tensor.shape, bytes(tensor.view()))
        if event.operation == "compute":
            walk = self._walks.get(number) or walk_of(event)
            is_kept = walk is not None and len(walk.steps) < MOST_STEPS and walk_fits(walk, given, event)
            self._walks[number] = walk if is_kept else None
            if is_kept and walk is not None:
                walk.add(given, event)

    def host_call(self, event: HostEvent) -> None:
        """A host function returned."""
        if self._walks:
            self._heard.add(event)

    def finish(self) -> Iterator[tuple[str, str]]:
        """A hint when the guest has ended."""
        for walk in self._walks.values():
            if walk is not None and (said := fed_twice(walk.steps)):
                yield "state", f'input {walk.index} "{walk.names[walk.index]}": {said}'
                return
            if walk is None or not all(one.goes_on for one in walk.steps[1:]):
                continue
            texts = next(texts_of([one.number for one in walk.steps], self._lists()), [])
            if wrong := self._wrong(walk, texts):
                yield "state", wrong
                return

    def _lists(self) -> Iterator[list[str]]:
        """Texts that may have been sent: lines of files, and parts of the lines that are written."""
        for _, data in self._files():
            yield filled_lines(text_in(data, MOST_BYTES))
        lines = filled_lines(str(self._heard.text))
        for part in (lines, lines[1:], lines[:-1]):
            for separator in FIELDS:
                fields = [[one for one in separator.split(line) if one.strip()] for line in part]
                yield from ([one[at] for one in fields if one] for at in (-1, 0))

    def _wrong(self, walk: Walk, texts: Sequence[tuple[str, int]]) -> str:
        """Returns a hint if from the first state on a model says something else, and surer, of each of a few
        texts of which it said the same as of the one before; or ""."""
        ends, told = [end for _, end in texts], list[str]()
        for at, (text, end) in sorted(enumerate(texts), key=lambda one: one[1][1] - ends[one[0] - 1]):
            before, own = walk.steps[ends[at - 1] - 1].answer, walk.steps[end - 1].answer
            is_short = at > 0 and end - ends[at - 1] <= LONGEST and len(told) < MOST_ASKED
            if not is_short or before is None or own is None or own.place != before.place:
                continue
            if own.sure > UNSURE:
                continue
            numbers = [one.number for one in walk.steps[ends[at - 1] : end]]
            fresh = self._ask(walk.event, lambda twin, *_, sent=numbers: again(twin, walk, sent))
            if fresh is None or fresh.place == own.place or fresh.sure < own.sure + SURER:
                return ""  # a line of one long text, by which it hardly changes
            told.append(
                f'of "{text.strip()[:SHOWN]}" the model says the same as of the one before it ({own}), and '
                f"from the state with which the first text begins {fresh}"
            )
        names = " and ".join(f'"{walk.names[one]}"' for one, _ in walk.pairs)
        said = f"the state {names} goes on through all {len(texts)} texts: "
        return said + told[0] + ": is the state to be set back before each?" if told else ""


def walk_of(event: NNEvent) -> Walk | None:
    """A walk of a model with states and one more input, or None for any other model."""
    graph = event.graph
    pairs = states(graph.inputs, graph.outputs) if graph is not None else []
    if graph is None or not 0 < len(pairs) <= STATES or len(graph.inputs) != len(pairs) + 1:
        return None
    return Walk(event, [one.name for one in graph.inputs], pairs)


def walk_fits(walk: Walk, given: Mapping[int, Tensor], event: NNEvent) -> bool:
    """Whether a compute has one whole number beside its states, and these are known."""
    if len(given) != len(walk.pairs) + 1 or any(output >= len(event.tensors) for _, output in walk.pairs):
        return False
    numbers = given[walk.index].numbers() if walk.index in given else None
    if numbers is None or numbers.dtype.kind not in "iu" or numbers.size != 1:
        return False
    made = [event.tensors[output] for _, output in walk.pairs]
    return all(one.nbytes <= MOST_STATE and one.numbers() is not None for one in made)


def texts_of(numbers: Sequence[int], lists: Iterator[list[str]]) -> Iterator[list[tuple[str, int]]]:
    """Texts whose letters or words are these numbers, one text behind the other, and where each ends."""
    for texts in lists:
        if not FEWEST <= len(texts) <= len(numbers):
            continue
        for make in UNITS:
            for lower in (False, True):
                units = [make(one.lower() if lower else one) for one in texts]
                if sum(map(len, units)) == len(numbers) and all(units) and are_numbered(units, numbers):
                    ends = numpy.cumsum([len(one) for one in units]).tolist()
                    yield [*zip(texts, ends, strict=True)]


def are_numbered(units: Sequence[Sequence[str]], numbers: Sequence[int]) -> bool:
    """Whether each letter or word has a number of its own, the same everywhere."""
    flat = [one for text in units for one in text]
    pairs = {*zip(flat, numbers, strict=True)}
    return len(pairs) == len({*flat}) == len({*numbers}) < len(flat)


def again(twin: Graph, walk: Walk, numbers: Sequence[int]) -> Answer | None:
    """The answer to numbers one after the other, from the first state on. Raises NNError."""
    context, given = twin.opened(), dict(walk.first)
    try:
        outputs: list[Tensor] = []
        for number in numbers:
            kind = walk.first[walk.index].numpy().dtype
            given[walk.index] = Tensor.from_numpy(numpy.full(walk.first[walk.index].shape, number, kind))
            for index, tensor in given.items():
                context.set_input(index, tensor)
            context.compute()
            outputs = [context.output(index) for index in range(len(twin.outputs))]
            given.update({index: outputs[output] for index, output in walk.pairs})
        return walk.answer_in(outputs)
    finally:
        context.close()
