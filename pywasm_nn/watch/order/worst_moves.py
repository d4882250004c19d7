"""Games in which a guest tries all moves of a side, asks a model about each board that follows, and says the
worst one: after a move the other side is to move, so that its chances are to be small.

What is here: `WorstMoves`, for models that give one value for a board, or say who wins. What is not: models
with a score for each square (`probes/boards.py`), and whose marks come first (`whatif/sides_to_move.py`).

Three things speak together: in all positions the guest says just the move after which an element of the
answer, or the first one less the last one, is largest (or smallest); in two at least another move wins at
once, and the one that it says doesn't; and by the opposite of what it looks at a move that wins is the best.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

from ...arrays import numpy
from ...interpreter.runtime.observe import HostEvent
from ...nn.operation import NNEvent
from ...records import Frozen
from ..follower import Follower, only_answer
from ..probes.boards import COLUMN, ROW
from ..regex import regex
from ..spoken import filled_lines
from ..whatif.one_model import OneModel
from ..whatif.sides_to_move import board_of, marks_in, wins
from ..whatif.values_of_boards import are_held, squares

FEWEST, MOST_KEPT, MOST_VALUES = 2, 512, 3
"""Positions in which a move that wins is missed, boards that are kept, and numbers of an answer."""
FEWEST_MOVES, MOVED = 3, 2
"""Moves of a position, and squares in which two boards with another move each differ."""
ON_PURPOSE = regex(r"\b(?:worst|weak\w*|losing|beginner|easy|blunder\w*|mis[eè]re|avoid\w*)\b", re.IGNORECASE)
"""Words for moves that are bad, and said as such."""


class Position(Frozen):
    """A board, the side that moves, the squares that it tries, and the answers to the boards that follow,
    [squares, numbers]."""

    marks: Any
    side: int
    tried: Sequence[int]
    answers: Any

    def winning(self) -> set[int]:
        return {place for place in self.tried if wins(self.marks, self.side, place)}

    def are_all(self) -> bool:
        """Whether all moves were tried."""
        every = [{*squares(self.marks, falls=falls)} for falls in (False, are_held(self.marks))]
        return {*self.tried} in every

    def said(self, line: str) -> int:
        """The square that a line says by its row and column, counted from 1, or by the column into which a
        mark falls; -1 if it says none that was tried."""
        column = COLUMN.search(line)
        row = ROW.search(line)
        width = self.marks.shape[1]
        across = int(column[1]) - 1 if column else -1
        places = [one for one in self.tried if one % width == across]
        if row is not None:
            places = [one for one in places if one // width == int(row[1]) - 1]
        return places[0] if len(places) == 1 else -1


class WorstMoves(Follower):
    """Gives a hint at the end, as a pair of a rule's name and a sentence."""

    def __init__(self) -> None:
        self._model = OneModel(board_of, are_all_known=True)
        self._kept: list[tuple[Any, Any]] = []

    def host_call(self, event: HostEvent) -> None:
        """A host function returned."""
        self._model.host_call(event)

    def nn_event(self, event: NNEvent) -> None:
        """An operation ended."""
        given = self._model.computed(event)
        if given is None:
            return
        marks = marks_in(given.numpy(), begun=False)
        scores = only_answer(event.tensors)
        if marks is None or scores is None or not 0 < scores.size <= MOST_VALUES:
            self._model.is_over = True
        elif len(self._kept) < MOST_KEPT:
            self._kept.append((marks, scores.astype("f8").reshape(-1)))

    def finish(self) -> Iterator[tuple[str, str]]:
        """A hint when the guest has ended."""
        text = str(self._model.heard.text)
        if self._model.is_over or len(self._kept) < FEWEST * FEWEST_MOVES or ON_PURPOSE.search(text):
            return
        found = [*positions(self._kept)]
        lines = [line for line in filled_lines(text) if COLUMN.search(line)]
        if len(found) < FEWEST or len(lines) != len(found) or not all(one.are_all() for one in found):
            return
        said = [one.said(line) for one, line in zip(found, lines, strict=True)]
        if -1 not in said and (wrong := worst(found, said)):
            yield "answer", wrong


def positions(kept: Sequence[tuple[Any, Any]]) -> Iterator[Position]:
    """The boards that are one position each with another move, as long as all are."""
    start = 0
    while start < len(kept):
        moves = moves_from(kept, start)
        if len(moves) < FEWEST_MOVES:
            yield Position(kept[start][0], 1, (), None)
            return
        marks = kept[start][0].copy()
        side = int(marks.reshape(-1)[moves[0]])
        marks.reshape(-1)[moves[0]] = 0
        end = start + len(moves)
        yield Position(marks, side, moves, numpy.stack([scores for _, scores in kept[start:end]]))
        start = end


def moves_from(kept: Sequence[tuple[Any, Any]], start: int) -> list[int]:
    """The squares of the only mark by which boards differ from each other, from one of them on."""
    moves: list[int] = []
    first = kept[start][0].reshape(-1)
    for marks, _ in kept[start + 1 :]:
        other = marks.reshape(-1)
        differ = numpy.flatnonzero(first != other).tolist() if other.size == first.size else []
        own = [place for place in differ if first[place]]
        if len(differ) != MOVED or len(own) != 1 or (moves and own != moves[:1]):
            break
        (place,) = (one for one in differ if one != own[0])
        if other[own[0]] or other[place] != first[own[0]] or place in moves:
            break
        moves = [*(moves or own), place]
    return moves


def worst(found: Sequence[Position], said: Sequence[int]) -> str:
    """Returns what is wrong with the moves that are said, or "" if nothing is."""
    missed = [
        at
        for at, (one, move) in enumerate(zip(found, said, strict=True))
        if one.winning() and move not in one.winning()
    ]
    if len(missed) < FEWEST or any(move in one.winning() for one, move in zip(found, said, strict=True)):
        return ""
    for name, value in values(found[0].answers.shape[1]):
        each = [value(one.answers) for one in found]
        are_said = all(
            one.tried[int(numbers.argmax())] == move
            for one, numbers, move in zip(found, each, said, strict=True)
        )
        if are_said and all(found[at].tried[int(each[at].argmin())] in found[at].winning() for at in missed):
            one, move = found[missed[0]], said[missed[0]]
            return (
                f"in {len(found)} positions all moves of one side were tried, and each time the guest says "
                f"the one after which {name}; in {len(missed)} of these another one wins at once, such as "
                f"{shown(one, min(one.winning()))} in place of {shown(one, move)}, and is last by that: "
                "after a move the other side is to move: is the sign of its chances to be turned?"
            )
    return ""


def values(count: int) -> Iterator[tuple[str, Callable[[Any], Any]]]:
    """Yields the numbers by which a guest may choose among answers of so many elements, in words."""
    for sign, most in ((1, "largest"), (-1, "smallest")):
        if count > 1:
            said = f"element 0 less element {count - 1} of the answer is {most}"
            yield said, partial(difference, sign)
        for at in range(count):
            yield f"element {at} of the answer is {most}", partial(element, sign, at)


def difference(sign: int, answers: Any) -> Any:
    return sign * (answers[:, 0] - answers[:, -1])


def element(sign: int, at: int, answers: Any) -> Any:
    return sign * answers[:, at]


def shown(position: Position, place: int) -> str:
    row, column = divmod(place, position.marks.shape[1])
    return f"row {row + 1}, column {column + 1}"
