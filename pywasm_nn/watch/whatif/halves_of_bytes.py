"""Numbers of 4 bits, two in a byte of a file, of which a guest takes the lower half first, or the higher one:
which does the model know?

What is here: `HalvesOfBytes`, for inputs whose elements are such numbers one after the other, of pictures or
sounds of any size. What is not: single bits (`origin`), and colours of words of 16 bits (`sent/divided.py`).

Both orders are usual. So the model has to say it: of several inputs it has hardly any doubt with the two of
each byte exchanged, several times as much as sent, and another answer to one of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from ...arrays import numpy
from ...interpreter.runtime.deadline import paused
from ...nn.backend import Graph
from ...nn.operation import NNEvent
from ...nn.tensor import Tensor
from ..follower import Follower
from ..surroundings import Files
from .asking import MOST, RUNS, Runs
from .between_texts import Asking
from .letter_orders import kinds_in
from .one_model import OneModel
from .sureness import MOST_SURE, Answer, answer_or_share, mean

LEVELS, FEWEST_LEVELS, FEWEST_ELEMENTS, MOST_ELEMENTS = 16, 4, 32, 1 << 14
"""Different elements of an input, and its elements."""
FEWEST, MOST_KEPT = 3, 8
"""The rule asks about so many inputs."""
MOST_BYTES, MOST_PRODUCTS, SAME = 1 << 16, 1 << 22, 0.99999
"""Bytes of a file, products that are made to find an input there, and the correlation with its own place."""
LEAST, SURE, TIMES = 0.75, 0.93, 4.0
"""How sure each answer is with halves exchanged, and all on average; and by how much the doubt is larger as
sent."""
LOW_FIRST = "the lower half of each byte before the higher one"
HIGH_FIRST = "the higher half of each byte before the lower one"


Kept = tuple[Tensor, Answer]
"""An input, and the answer to it."""


class HalvesOfBytes(Follower):
    """Gives a hint at the end, as a pair of a rule's name and a sentence."""

    def __init__(self, files: Files, ask: Asking[str], reserve: Callable[[], None]) -> None:
        """`reserve` is called where copies of the guest are to leave time for a question."""
        self._files, self._ask, self._reserve = files, ask, reserve
        self._model = OneModel(of_few_levels, are_all_known=False)
        self._kept: list[Kept] = []

    def nn_event(self, event: NNEvent) -> None:
        """An operation ended."""
        found = self._model.answered(event)
        if found is None or len(self._kept) >= MOST_KEPT:
            return
        self._kept.append(found)
        if len(self._kept) == 1:
            with paused():
                _, order = order_in([found[0].numpy().reshape(-1)], self._files())
            self._model.is_over = not order
            if order:
                self._reserve()

    def finish(self) -> Iterator[tuple[str, str]]:
        """A hint when the guest has ended."""
        event, kept = self._model.last, self._kept
        if event is None or len(kept) < FEWEST:
            return
        with paused():
            name, order = order_in([given.numpy().reshape(-1) for given, _ in kept], self._files())
        if not order:
            return

        def asked(twin: Graph, *left: float) -> str:
            return with_halves_exchanged(twin, kept, *left)

        if wrong := self._ask(event, asked):
            yield (
                "whatif",
                f"{self._model.called}: its elements are numbers of 4 bits in {name}, {order}; {wrong}",
            )


def of_few_levels(tensor: Tensor) -> Tensor | None:
    """Returns a copy of an input with as few different elements as 4 bits have, or None for any other."""
    numbers = tensor.numbers() if FEWEST_ELEMENTS <= tensor.size <= MOST_ELEMENTS else None
    if numbers is None or numbers.size % 2 or numbers.dtype.kind not in "fiu":
        return None
    if not FEWEST_LEVELS <= len(numpy.unique(numbers)) <= LEVELS:
        return None
    return Tensor(tensor.dtype, tensor.shape, bytes(tensor.view()))


def order_in(arrays: Sequence[Any], files: Sequence[tuple[str, bytes]]) -> tuple[str, str]:
    """Returns the file in which the elements of all inputs are numbers of 4 bits, but for a scale and a
    shift, and which half of a byte is the first one, or "" and "" if there is none."""
    for name, data in reversed(files):
        octets = numpy.frombuffer(data[:MOST_BYTES], "u1")
        halves = octets & 15, octets >> 4
        for said, pair in ((LOW_FIRST, halves), (HIGH_FIRST, halves[::-1])):
            numbers = numpy.stack(pair, axis=1).reshape(-1).astype("f8")
            if all(is_part(one.astype("f8"), numbers) for one in arrays):
                return name, said
    return "", ""


def is_part(own: Any, numbers: Any) -> bool:
    """Whether elements are numbers one after the other, from a whole byte on, but for a scale and a shift."""
    count = (len(numbers) - own.size) // 2 + 1
    if count < 1 or count * own.size > MOST_PRODUCTS:
        return False
    windows = numpy.lib.stride_tricks.sliding_window_view(numbers, own.size)[::2]
    own = own - own.mean()
    spread = windows.std(axis=1) * own.size**0.5 * float(numpy.sqrt(own @ own))
    return bool((windows @ own >= SAME * numpy.maximum(spread, 1e-9)).any())


def with_halves_exchanged(graph: Graph, kept: Sequence[Kept], seconds: float, most: float = MOST) -> str:
    """Returns what a model says of inputs with the two numbers of each byte exchanged, if that is far surer,
    or "". Raises NNError."""
    if seconds * RUNS > most:
        return ""
    before, found = [answer for _, answer in kept], []
    with Runs(graph, [kept[0][0]], most, judge=answer_or_share, seconds=seconds) as runs:
        for given, _ in kept:
            array = given.numpy()
            turned = array.reshape(-1, 2)[:, ::-1].reshape(array.shape)
            found.append(runs.changed(0, numpy.ascontiguousarray(turned)))
    answers = [one for one in found if one is not None]
    if len(answers) < len(kept) or min(one.sure for one in answers) < LEAST or mean(answers) < SURE:
        return ""
    is_surer = 1 - mean(before) >= TIMES * (1 - mean(answers))
    are_others = any(one.place != other.place for one, other in zip(before, answers, strict=True))
    if not is_surer or not are_others or any(one.margin > MOST_SURE for one in answers):
        return ""
    if len({one.place for one in answers}) < 2:
        return ""
    return (
        f"{len(kept)} inputs as sent get {kinds_in(before)}, and with the two of each byte exchanged "
        f"{kinds_in(answers)}: does the file have the other half first?"
    )
