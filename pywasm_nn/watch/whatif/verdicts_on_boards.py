"""Models that say of a board who wins: does the guest send the first player's marks first, also where the
second one is to move? And boards whose second marks are sent as 2: does a model, whatever it says, want -1?

What is here: `of_mover`, for verdicts such as lost, drawn and won, and `CodedBoards`. What is not: models
with one value (`values_of_boards.py`) or with a score for each square or column, of marks that are 1 and -1,
and how boards are known (`sides_to_move.py`).

Nothing says in which order verdicts stand, or what number a model wants for a mark. So it is asked about
positions made up here: a model that knows the side to move by its marks says that it wins where it can at
once, also if both can, and that it loses where only the other one could. One for which the second marks have
another number says so of marks with that number alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from math import prod
from typing import Any

from ...arrays import numpy
from ...nn.backend import Graph
from ...nn.operation import NNEvent
from ...nn.tensor import Tensor
from ..follower import Follower, only_answer
from .asking import MOST, Runs, numbers_of
from .between_texts import Asking
from .one_model import OneModel
from .values_of_boards import EACH, MOST_SIDE, Wins, positions

VERDICTS = (2, 3)
"""Lost and won, perhaps with a draw between them."""
SIDES, MOST_KEPT, LEAST, OTHER = 2, 16, 9, 2
"""Rows and columns; boards that are kept, the fewest squares of one, and the number of the second marks."""
CHANCE = 2
"""Of four positions, in how many the best square may win by chance."""
ALIKE = 0.25
"""Values that aren't told apart are so near to each other, as a part of what others are apart."""
Scores = Callable[[Any], Any]
"""It returns what a model says of a board, [rows, columns], in one dimension, or None if there is no time
left."""
QUICK = 0.002
"""Seconds of a run that are allowed to the quickest models."""


def told_apart(wins_: Sequence[Any], losses: Sequence[Any]) -> int | None:
    """Returns the verdict that a model gives to all positions that are won, if that is the first or last one,
    and those that are lost get the opposite one; or None."""
    if any(one is None or one.size not in VERDICTS for one in (*wins_, *losses)):
        return None
    won, lost = ({int(one.argmax()) for one in some} for some in (wins_, losses))
    last = wins_[0].size - 1
    return next((place for place in (0, last) if won == {place} and lost == {last - place}), None)


def of_mover(shape: Sequence[int], boards: Sequence[Any], wins: Wins, scores_of: Scores) -> bool:
    """Whether a model's verdicts are for the side whose marks come first, if it is to move, and so are others
    for positions in which the second one is."""
    if max(shape) > MOST_SIDE:
        return False
    own, other, both = positions(boards, wins)
    if min(map(len, (own, other, both))) < EACH:
        return False
    exchanged = [[scores_of(-one) for one in kind] for kind in (own, other, both)]
    won = told_apart([*exchanged[0], *exchanged[2]], exchanged[1])
    if won is None:
        return False
    # A model that knows by the counts that the second side is to move says otherwise of one of these kinds,
    # whether it says who wins of both players or of the side to move.
    as_sent = [scores_of(one) for one in (*other, *both)]
    return all(one is not None and int(one.argmax()) == won for one in as_sent)


class CodedBoards(Follower):
    """Gives a hint at the end, as a pair of a rule's name and a sentence."""

    def __init__(self, wins: Wins, ask: Asking[str]) -> None:
        self._wins, self._ask = wins, ask
        self._model = OneModel(coded_in, are_all_known=True)
        self._kept: dict[bytes, tuple[Tensor, int]] = {}
        """By what they hold, the boards and how many numbers the answers have."""

    def nn_event(self, event: NNEvent) -> None:
        """An operation ended."""
        given = self._model.computed(event)
        if given is None or len(self._kept) >= MOST_KEPT:
            return
        scores = only_answer(event.tensors)
        size = 0 if scores is None else int(scores.size)
        self._model.is_over = size not in (1, *VERDICTS, prod(given.shape))
        self._kept[bytes(given.view())] = given, size

    def finish(self) -> Iterator[tuple[str, str]]:
        """A hint when the guest has ended."""
        event = self._model.last
        if event is None or not self._kept:
            return
        boards = [marks_of(tensor) for tensor, _ in self._kept.values()]
        over = {int(one.sum()) for one in boards}
        if not (over <= {0, 1} or over <= {0, -1}) or all((one >= 0).all() for one in boards):
            return  # no game in which both players move in turns
        kinds = positions(boards, self._wins) if max(boards[0].shape) <= MOST_SIDE else ()
        if not kinds or min(map(len, kinds)) < EACH:
            return
        given, size = next(iter(self._kept.values()))

        def question(twin: Graph, seconds: float, most: float = MOST) -> str:
            with Runs(twin, [given], most, once_open=max(seconds, QUICK)) as runs:
                return self._asked(runs, given, size, kinds)

        if wrong := self._ask(event, question):
            yield "whatif", f"{self._model.called}: {wrong}"

    def _asked(self, runs: Runs, given: Tensor, size: int, kinds: Sequence[Sequence[Any]]) -> str:
        """Returns what is wrong by the word of a model whose answer has so many numbers, or "" if nothing is.
        Raises NNError."""
        array = given.numpy()

        def scores_of(marks: Any, other: int) -> Any:
            sent = numpy.where(marks < 0, other, marks).reshape(array.shape).astype(array.dtype)
            return numbers_of(runs, sent)

        known = wins_at_once if size == array.size else known_outcomes
        if not known(kinds, self._wins, scores_of):
            return ""
        boards = f"{len(self._kept)} boards" if len(self._kept) > 1 else "the board"
        return (
            f"the marks on {boards} are 1 and 2; asked about positions made up of both, the "
            "model doesn't tell those that are won from others, and with -1 for 2 it does, of all: does it "
            "want -1 for the second kind of marks?"
        )


def known_outcomes(kinds: Sequence[Sequence[Any]], _: Wins, scores_of: Callable[[Any, int], Any]) -> bool:
    """Whether a model that says who wins knows it only with -1 for the second marks."""
    own, other, both = kinds
    won, lost = ([scores_of(-one, -1) for one in some] for some in ((*own, *both), other))
    codes = [scores_of(one, OTHER) for one in (-own[0], -other[0], both[0], other[0])]
    if any(one is None or not one.size for one in (*won, *lost, *codes)):
        return False
    if won[0].size > 1:
        return told_apart(won, lost) is not None and len({int(one.argmax()) for one in codes}) == 1
    high, low, same = ([float(one[0]) for one in some] for some in (won, lost, codes))
    apart = min(high) - max(low)
    return apart > 0 and max(same) - min(same) <= ALIKE * apart


def wins_at_once(kinds: Sequence[Sequence[Any]], wins: Wins, scores_of: Callable[[Any, int], Any]) -> bool:
    """Whether a model with a score for each square wins at once only with -1 for the second marks."""
    own, _, both = kinds

    def won(marks: Any, side: int, other: int) -> bool | None:
        scores = scores_of(marks, other)
        if scores is None or scores.size != marks.size:
            return None
        return wins(marks, side, int(numpy.where(marks.reshape(-1) == 0, scores, -numpy.inf).argmax()))

    several = [*own, *both]
    right = [won(-one, 1, -1) for one in several]
    if not all(right):
        return False
    first, second = ([won(sign * one, sign * -1, OTHER) for one in several] for sign in (-1, 1))
    return None not in (*first, *second) and max(sum(map(bool, first)), sum(map(bool, second))) <= CHANCE


def coded_in(tensor: Tensor) -> Tensor | None:
    """Returns a copy of an input that is a board of 0, 1 and 2, or None for anything else."""
    numbers = tensor.numbers() if LEAST <= prod(tensor.shape) <= MOST_SIDE**2 else None
    if numbers is None or numbers.dtype.kind not in "fi" or not {*numbers.tolist()} <= {0, 1, OTHER}:
        return None
    copy = Tensor(tensor.dtype, tensor.shape, bytes(tensor.view()))
    return None if marks_of(copy) is None else copy


def marks_of(tensor: Tensor) -> Any:
    """Returns 1, -1 and 0 for a board of 1, 2 and 0, [rows, columns], or None if it has no such shape."""
    flat = tensor.numpy().astype("f8").reshape(-1)
    lengths = [length for length in tensor.shape if length != 1]
    side = round(flat.size**0.5)
    shape = (side, side) if len(lengths) == 1 else tuple(lengths)
    if len(shape) != SIDES or shape[0] * shape[1] != flat.size or min(shape) < VERDICTS[-1]:
        return None
    return numpy.where(flat == OTHER, -1.0, flat).reshape(shape)
