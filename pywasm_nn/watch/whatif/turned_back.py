"""Asks a model about pictures that were sent turned, compared with their file: was that a mistake, or are the
file's pictures turned, and the guest puts them right?

What is here: `TurnedBack`, which holds a hint back until the model has said what it makes of the pictures
turned back as the file has them, `words_of`, which are the answers that say something of that, and
`is_meant`, which judges them. What is not: how a picture was turned (`origin`), and which hints are held back
(`sent/turned.py`).

A network may be sure of a picture that is upside down. But over several of them it is less sure than of
upright ones, or sees the same in all of them. No network wants pictures upside down, but some were trained on
pictures in columns (those of EMNIST, and nets that came from MATLAB, such as MTCNN's): that a picture lies in
columns is a hint only if the model says that it knows the file's own order better.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterator, Sequence
from itertools import pairwise
from math import log
from typing import Any

from ...arrays import numpy
from ...nn.backend import Graph
from ...nn.operation import NNEvent
from ...nn.tensor import Tensor, TensorSpec
from ...records import Frozen, changed
from ..changes.arrangements import as_before, interleaved
from ..facts import picture_or_square
from ..origin.resizing import TURNS, unturned
from ..regex import regex
from .asking import FAR, MOST, SURE, VERY_SURE, Runs
from .detections import detection_of, is_distribution
from .sureness import MOST_SURE, SMALLEST, Answer, answers_of, every_answer, is_far_surer, mean

EXCHANGED = "rows and columns exchanged"
HALF_TURN, UPSIDE_DOWN, COLUMNS = "turned by 180 degrees", "upside down", "rows and columns swapped"
MOST_ASKED, ENOUGH = 8, 3
"""The model is asked about `MOST_ASKED` inputs at most, and first about `ENOUGH`, or when the guest ends."""
MOST_KEPT = 16 << 20
"""Inputs of this many bytes at most wait for a question."""
ALIKE = 0.01
"""Margins of the same answer that differ by less than this part are those of a picture without an upper side.
"""
SURER, LESS_DOUBT = 1.5, 0.5
"""Pictures that are upright have so many times the margin of turned ones, and this part of the doubt."""
DOUBTED, ALL_DOUBTED = 0.05, 0.1
"""The least doubt in turned pictures, and where they get more different answers than the upright ones."""
NAMES = {
    HALF_TURN: regex(r"upside|flip|(?<![a-z])turned|rotated|rot.?180|180.?deg", re.IGNORECASE),
    UPSIDE_DOWN: regex(r"upside|flip|bottom.?up", re.IGNORECASE),
    COLUMNS: regex(r"column|(?<![a-z])cols?(?![a-z])|transposed|fortran", re.IGNORECASE),
}
"""A file that stores its pictures so may have a name like these."""


class Held(Frozen):
    """A hint that waits. `turn` is how the picture was turned, or "" if the model isn't asked about that."""

    index: int
    source: str
    turn: str
    text: str
    place: Hashable = None
    """The part of the file, which the guest may also send as it is."""

    @property
    def way(self) -> str:
        """Names the turn as it is called for pictures that are resized."""
        return COLUMNS if self.turn == EXCHANGED else self.turn

    def has_to_be_surer(self, specs: Sequence[TensorSpec], tensors: Sequence[Tensor]) -> bool:
        """Whether only a surer answer says that the turn is meant. A detector finds text and other things as
        surely where they are upside down, and says them at the wrong places."""
        return self.way != COLUMNS and not every_answer(specs, tensors)


class Compared(Frozen):
    """The answers to a picture as it was sent, and turned back as the file has it."""

    sent: Answer
    back: Answer
    has_to_be_surer: bool = False
    """Whether the turn is meant only if the model is surer of what was sent."""

    @property
    def is_alike(self) -> bool:
        """Whether the turn changes nothing."""
        one, other = self.sent.margin, self.back.margin
        is_as_sure = abs(self.sent.sure - self.back.sure) <= ALIKE
        return (
            self.sent.place == self.back.place and is_as_sure and abs(one - other) <= ALIKE * max(one, other)
        )


class Round(Frozen):
    """A compute, its inputs, its outputs' descriptions and the answers, one for each picture."""

    event: NNEvent
    inputs: Sequence[Tensor]
    specs: Sequence[TensorSpec]
    answers: Sequence[Answer]
    has_to_be_surer: bool = False
    """Whether the turn is meant only if the model is surer of what was sent."""


class TurnedBack:
    """Keeps hints about turned pictures until it is known whether they are meant, by graph."""

    def __init__(self) -> None:
        self._held: dict[int | None, Held] = {}
        self._compared: dict[int | None, list[Compared]] = {}
        self._rounds: dict[int | None, list[Round]] = {}
        """Rounds about which the model wasn't asked yet."""
        self._begins: dict[int | None, list[int]] = {}
        """The rows of the file at which the pictures begin."""
        self._known: dict[tuple[int | None, str], bool] = {}
        """Maps a graph and a turn to whether the guest means it."""

    def holds(self, graph: int | None, held: Held, row: int | None) -> bool:
        """Whether a hint is not to be said now. The picture begins at this row of the file."""
        is_meant = self._known.get((graph, held.turn))
        if is_meant is not None:
            return is_meant
        self._held.setdefault(graph, held)
        if row is not None:
            self._begins.setdefault(graph, []).append(row)
        return True

    def sent_as_it_is(self, source: str, place: Hashable) -> None:
        """A part of a file was sent without a turn, too: it is turned on purpose."""
        for graph, held in [*self._held.items()]:
            if (held.source, held.place) == (source, place):
                self._close(graph, is_meant=True)

    def waits(self, graph: int | None) -> bool:
        """Whether a hint is held back: other inputs may show whether it is meant."""
        return graph in self._held

    def asked(self, graph: int | None) -> Held | None:
        """Returns what a model is to be asked about, or None if that is nothing."""
        held = self._held.get(graph)
        return held if held is not None and held.turn else None

    def take(self, graph: int | None, one: Round | None) -> list[Round]:
        """Keep a round, which is None if the model can't be asked about it. Returns those that it is to be
        asked about now: opening a model again takes longer than most questions."""
        kept = self._rounds.setdefault(graph, [])
        if one is not None:
            kept.append(one)
        count = len(self._compared.setdefault(graph, [])) + len(kept)
        is_first = not self._compared[graph]
        size = sum(tensor.nbytes for one in kept for tensor in one.inputs)
        is_due = one is None or count >= MOST_ASKED or size > MOST_KEPT or (is_first and count >= ENOUGH)
        return self._rounds.pop(graph) if is_due else []

    def answered(self, graph: int | None, compared: Sequence[Compared]) -> str:
        """Keep what a model says of the rounds that were due, which is nothing if it can't be asked. Returns
        the hint if it is known to be a mistake, or ""."""
        kept = self._compared.setdefault(graph, [])
        kept += compared
        is_known = not compared or len(kept) >= MOST_ASKED
        return self._judged(graph) if is_known or is_better([turned(one) for one in kept]) else ""

    def rest(self) -> list[tuple[int | None, list[Round]]]:
        """Returns each graph with the rounds about which its model was not asked when the guest ended."""
        return [(graph, rounds) for graph, rounds in self._rounds.items() if rounds and self.asked(graph)]

    def finish(self) -> Iterator[str]:
        """The hints that are left when the guest has ended."""
        yield from filter(None, [self._judged(graph) for graph in [*self._held]])

    def _judged(self, graph: int | None) -> str:
        held = self._held[graph]
        begins = self._begins.get(graph, [])
        names = NAMES.get(held.way)
        said_so = names is not None and names.search(held.source) is not None
        is_likely = said_so or (held.turn == HALF_TURN and is_from_the_end(begins))
        compared = self._compared.get(graph, [])
        if held.way == COLUMNS:
            found = not is_better([turned(one) for one in compared if not one.is_alike])
        else:
            found = is_meant(compared, is_likely=is_likely)
        self._close(graph, is_meant=found)
        return "" if found else held.text

    def _close(self, graph: int | None, *, is_meant: bool) -> None:
        self._known[graph, self._held.pop(graph).turn] = is_meant
        self._rounds.pop(graph, None)


def is_meant(compared: Sequence[Compared], *, is_likely: bool) -> bool:
    """Whether pictures were turned on purpose: the model is surer of them than of what the file has, or it
    makes no difference. `is_likely`: something else says so, if the model doesn't say the opposite."""
    if not compared:
        return False
    if any(one.has_to_be_surer for one in compared):
        return has_less_doubt([one.sent for one in compared], [one.back for one in compared], DOUBTED)
    told = [one for one in compared if not one.is_alike]
    if not told or is_better(told):
        return True
    return is_likely and not is_better([turned(one) for one in told])


def turned(one: Compared) -> Compared:
    """Returns what it would be if the guest had sent the other picture."""
    return Compared(one.back, one.sent)


def is_better(compared: Sequence[Compared]) -> bool:
    """Whether a model is clearly surer of pictures as they were sent than turned back."""
    if not compared:
        return False
    sent, back = [one.sent for one in compared], [one.back for one in compared]
    kinds = [len({answer.place for answer in answers}) for answers in (sent, back)]
    if len(compared) == 1:
        return is_clearly_surer(sent[0], back[0])
    if len(compared) >= ENOUGH and kinds[0] > kinds[1] and 1 - mean(sent) < DOUBTED:
        return True
    return has_less_doubt(sent, back, ALL_DOUBTED if kinds[0] < kinds[1] else DOUBTED)


def has_less_doubt(sent: Sequence[Answer], back: Sequence[Answer], least: float) -> bool:
    """Whether pictures as they were sent have the margin of upright ones, and turned back the doubt of turned
    ones, which is at least `least`."""
    margins = [sum(min(one.margin, MOST_SURE) for one in answers) for answers in (sent, back)]
    doubts = [1 - mean(answers) for answers in (sent, back)]
    return doubts[1] >= max(least, doubts[0] / LESS_DOUBT) and margins[0] >= SURER * margins[1]


def is_clearly_surer(one: Answer, other: Answer) -> bool:
    """Whether a single answer is so much surer than another that this is no chance."""
    if one.sure < SURE:
        return False
    return other.sure <= FAR * one.sure or (other.sure < VERY_SURE and is_far_surer(one, other))


def words_of(specs: Sequence[TensorSpec], tensors: Sequence[Tensor]) -> list[Answer]:
    """Returns the answers to one input or to each of a batch. If the model says more than a class, they are
    those of the only output of probabilities, or the surest detection."""
    found = every_answer(specs, tensors)
    if found:
        return found
    arrays = [tensor.numbers() for tensor in tensors]
    tables = [
        at
        for at, (array, tensor) in enumerate(zip(arrays, tensors, strict=True))
        if array is not None and len(tensor.shape) == 2 and is_distribution(array.reshape(tensor.shape))
    ]
    if len(tables) == 1 and len({tensor.shape[:1] for tensor in tensors}) == 1:
        return answers_of([specs[tables[0]]], [tensors[tables[0]]])
    surest = detection_of(specs, tensors)
    return [] if surest is None else [changed(surest, margin=margin_of(surest.sure))]


def margin_of(share: float) -> float:
    """Returns the margin of something that is there with this probability, or 0 if it is rather not there."""
    return max(0.0, log(max(share, SMALLEST) / max(1 - share, 1e-9)))


def is_from_the_end(begins: Sequence[int]) -> bool:
    """Whether pictures were sent from a file's last one on: all of it is turned round."""
    return len({*begins}) > 1 and all(one >= other for one, other in pairwise(begins))


def asked_back(
    graph: Graph, rounds: Sequence[Round], held: Held, seconds: float, most: float = MOST
) -> list[Compared]:
    """Returns a model's answers to pictures as they were sent, and turned back, as far as there are any.
    Raises NNError."""
    found: list[Compared] = []
    with Runs(graph, rounds[0].inputs, most, seconds=seconds) as runs:
        for one in rounds:
            given = one.inputs[held.index]
            made = back_in_file(given, held.way) if runs.left() else None
            if made is None:
                break
            changed = {held.index: Tensor(given.dtype, given.shape, made)}
            others = words_of(one.specs, runs.outputs(dict(enumerate(one.inputs)) | changed))
            if len(others) != len(one.answers):
                break
            pairs = zip(one.answers, others, strict=True)
            found += [Compared(*pair, one.has_to_be_surer) for pair in pairs]
    return found


def back_in_file(tensor: Tensor, way: str) -> Any:
    """Returns the pictures of an input as they lie in their file, or None if they don't fit it then."""
    picture, numbers = picture_or_square(tensor.shape), tensor.numbers()
    if picture is None or numbers is None or way not in TURNS:
        return None
    pixels = interleaved(numbers.reshape(tensor.shape), picture)
    made = numpy.stack([unturned(one, way) for one in pixels])
    return (
        None
        if made.shape != pixels.shape
        else numpy.ascontiguousarray(as_before(made, picture, tensor.shape))
    )
