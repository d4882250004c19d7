"""Asks a model that hears nothing in nearly all windows of a sound about that sound at another usual rate.

What is here: `AtRates`, which keeps the first window and the answers to all, and `heard_at_another_rate`.
What is not: sounds that fit into one input at another rate (`sent/other_rate.py`), and rates that models or
programs name (`sent/sounds.py`).

A model may well know nothing of a sound. Then it knows nothing of it at any rate, or it is unsure, or says
something else of the same a little later. What speaks for a rate are several things in loud windows, each
heard surely, also a little later and softer, where as sent nearly all windows get what silence gets, though
most of them are loud, or many get one answer that is in doubt.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ...arrays import numpy
from ...nn.backend import Graph
from ...nn.operation import NNEvent
from ...nn.tensor import Tensor
from ...records import Frozen
from .asking import FEWEST_CLASSES, MOST, SURE, Change, Runs
from .sureness import Answer
from .ways import resampled

WANTED = (16000, 8000)
"""Rates that most models want."""
ENOUGH, FEWEST = 3, 4
"""The number of loud windows that the model is asked about, and the fewest windows that got one answer."""
LOUD, VERY_SURE, LATER, SOFTER = 0.5, 0.9, 0.05, 0.7
"""How loud a window is, as a part of the loudest one; how sure an answer is; and how a window is changed that
must get the same answer: by which part of its length it begins later, and how much softer it is."""
THINGS = 2
"""The fewest different answers to loud windows at the right rate."""
OTHERS, UNHEARD = 0.25, 0.5
"""The most of the windows that get another answer than the first one as sent: a tone at the wrong rate may be
near to another one; and the least part of all that are loud and get that of silence then."""
MANY, DOUBTED = 8, 0.75
"""So many windows that get one answer, which isn't that to silence, of which the model is so sure at most on
average, are doubted: at the right rate all loud ones must get different answers."""


class Windows(Frozen):
    """The window of a sound that was sent as an input `index`, of so many samples, and the samples of all of
    it from there on, in the range in which they were sent. `rate` is that of the file `name`."""

    index: int
    name: str
    rate: int
    size: int
    samples: Any

    def loud_share(self) -> float:
        """Returns which part of the windows, as they were sent, is loud."""
        count = len(self.samples) // self.size
        levels = self.samples[: count * self.size].reshape(count, self.size).std(axis=1)
        return float((levels >= LOUD * levels.max()).mean())

    def loud(self, wanted: int) -> list[int]:
        """Where the loud windows of the sound begin at a rate, as many as are asked about, or [] if there are
        fewer."""
        samples = resampled(self.samples, self.rate, wanted)
        count = (len(samples) - round(LATER * self.size)) // self.size
        if count < ENOUGH:
            return []
        levels = samples[: count * self.size].reshape(count, self.size).std(axis=1)
        found = numpy.flatnonzero(levels >= LOUD * levels.max()) * self.size
        chosen = numpy.linspace(0, len(found) - 1, ENOUGH).round().astype("i4")
        return found[chosen].tolist() if len(found) >= ENOUGH else []


class Silent(Frozen):
    """The first compute of a model that gave all windows of a sound the same answer, and its inputs."""

    event: NNEvent
    inputs: tuple[Tensor, ...]
    windows: Windows
    answer: Answer
    count: int
    sure: float
    """How sure the model was, all in all."""
    others: int = 0
    """How many windows got another answer."""

    @property
    def is_doubted(self) -> bool:
        """Whether the model gave many windows one answer in doubt."""
        return not self.others and self.count >= MANY and self.sure <= DOUBTED * self.count

    @property
    def are_few_others(self) -> bool:
        return self.others <= OTHERS * self.count

    @property
    def is_unheard(self) -> bool:
        """Whether many windows are loud among those that got the one answer, or all got it."""
        share = self.windows.loud_share()
        return not self.others or share - self.others / self.count >= UNHEARD


class AtRates:
    """Keeps the first window of a sound by graph, and what was answered to all."""

    def __init__(self) -> None:
        self._windows: dict[Any, Windows] = {}
        self._kept: dict[Any, Silent] = {}
        self._left: set[Any] = set()

    def take(self, graph: Any, windows: Windows | None) -> None:
        """An input is a window of a sound."""
        if windows is not None:
            self._windows.setdefault(graph, windows)

    def is_open(self, graph: Any) -> bool:
        """Whether answers of a graph are kept."""
        return graph in self._windows and graph not in self._left

    def computed(self, event: NNEvent, inputs: Sequence[Tensor] | None, answer: Answer | None) -> None:
        """A model has answered."""
        graph = event.graph_id
        windows, before = self._windows[graph], self._kept.get(graph)
        if answer is None or answer.classes < FEWEST_CLASSES:
            self.leave(graph)
        elif before is not None:
            count, sure = before.count + 1, before.sure + answer.sure
            others = before.others + (answer.place != before.answer.place)
            self._kept[graph] = Silent(event, before.inputs, windows, before.answer, count, sure, others)
            if others > OTHERS * max(count, MANY):
                self.leave(graph)
        elif inputs is not None and len(inputs) == 1:
            self._kept[graph] = Silent(event, (*inputs,), windows, answer, 1, answer.sure)

    def leave(self, graph: Any) -> None:
        """Ask nothing of a graph."""
        self._left.add(graph)
        self._kept.pop(graph, None)

    def due(self) -> Iterator[Silent]:
        """What models are to be asked about when the guest has ended."""
        yield from (one for one in self._kept.values() if one.count >= FEWEST and one.are_few_others)


def heard_at_another_rate(graph: Graph, silent: Silent, seconds: float, most: float = MOST) -> str:
    """A sentence if the model hears several things in the sound at another rate, or "". Raises NNError."""
    windows, sent = silent.windows, silent.answer
    for wanted in WANTED if silent.is_unheard else ():
        begins = windows.loud(wanted) if wanted != windows.rate else []
        if not begins:
            continue
        with Runs(graph, silent.inputs, most, seconds=seconds) as runs:
            found, as_silence = things(runs, silent, wanted, begins)
        if len({one.place for one in found}) < (THINGS if as_silence and not silent.others else ENOUGH):
            continue
        said = ", ".join(map(str, found))
        own = silent.count - silent.others
        how_many = f"{own} of {silent.count}" if silent.others else f"all {own}"
        what = "as silence does" if as_silence else f"{silent.sure / silent.count:.2f} sure on average"
        return (
            f'input {windows.index} "{graph.inputs[windows.index].name}": {how_many} windows of '
            f"{windows.name}, which has {windows.rate:,} Hz, get the answer {sent.place}, {what}; "
            f"resampled to {wanted:,} Hz its loud windows get {said}, also a little later and softer: was "
            f"the model trained with {wanted:,} Hz?"
        )
    return ""


def things(runs: Runs, silent: Silent, wanted: int, begins: Sequence[int]) -> tuple[list[Answer], bool]:
    """What a model hears surely in each loud window at a rate, which is not what it says of all as sent and
    of samples in a random order, or [] if it isn't so of all; and whether it says of silence what it says as
    sent."""
    windows, sent = silent.windows, silent.answer
    array = silent.inputs[windows.index].numpy()
    samples = resampled(windows.samples, windows.rate, wanted)

    def heard(at: int, by: float = 1.0) -> Answer | None:
        own = by * samples[at : at + windows.size]
        return runs.changed(windows.index, own.reshape(array.shape).astype(array.dtype))

    nothing = runs.changed(windows.index, numpy.zeros_like(array))
    as_silence = nothing is not None and nothing.place == sent.place
    if nothing is None or not (as_silence or silent.is_doubted):
        return [], as_silence
    found = []
    for at in begins:
        answer = heard(at)
        if answer is None or answer.sure < VERY_SURE or answer.place == sent.place:
            return [], as_silence
        others = (heard(at + round(LATER * windows.size)), heard(at, SOFTER))
        if any(one is None or one.place != answer.place or one.sure < SURE for one in others):
            return [], as_silence
        found.append(answer)
    first = samples[begins[0] :][: windows.size].reshape(array.shape).astype(array.dtype)
    shuffled = runs.shuffled(Change("", windows.index, first), range(1))
    is_told = bool(shuffled) and shuffled[0].place != found[0].place
    return (found if is_told else []), as_silence
