"""Games in which all moves are tried one by one: is the one that is said the best for who makes it? Mistakes,
and right programs that look like them."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy
import pytest

from pywasm_nn.nn.tensor import Tensor
from pywasm_nn.watch.order.worst_moves import WorstMoves, moves_from
from pywasm_nn.watch.whatif.sides_to_move import wins

TEXTS = ("xx.oo....", "o.x.x.o..", "oo.x.x...", "x.o.x...o")


def board(text: str, side: int = -1) -> Any:
    """A board on which x, who moves, has this number."""
    return numpy.array([side if one == "x" else -side if one == "o" else 0 for one in text], "f4").reshape(
        3, 3
    )


def chance(marks: Any, mover: int) -> float:
    """The chance of the side to move after a move of the other one, as a model may know it."""
    if any(wins(marks, -mover, at) for at in numpy.flatnonzero(marks == -mover)):
        return -0.95
    free = numpy.flatnonzero(marks == 0).tolist()
    return 0.8 if any(wins(marks, mover, at) for at in free) else 0.01 * marks.reshape(-1)[4] * mover


def answer_of(marks: Any, mover: int, numbers: int) -> Any:
    good = chance(marks, mover)
    if numbers == 1:
        return numpy.array([[good]], "f4")
    return numpy.array([[(1 + good) / 2, 0, (1 - good) / 2]], "f4")


def said(
    choose: Callable[[Any], Any],
    numbers: int = 3,
    *,
    side: int = -1,
    texts: tuple[str, ...] = TEXTS,
    line: str = "x plays row {row}, column {column}\n",
    skipped: int = 0,
) -> list[str]:
    """Returns the hint about a guest that chooses among the chances of the other side."""
    rule, graph = WorstMoves(), SimpleNamespace(inputs=[SimpleNamespace(name="board")])

    def event(operation: str, tensor: Tensor) -> Any:
        is_input = operation == "set_input"
        return SimpleNamespace(
            operation=operation, error=None, graph=graph, graph_id=1, context_id=0, model="m", given=(),
            index=0 if is_input else None, tensors=(tensor,), specs=(SimpleNamespace(name="board"),),
        )  # fmt: skip

    for text in texts:
        marks = board(text, side)
        free = numpy.flatnonzero(marks == 0).tolist()[skipped:]
        scores = []
        for place in free:
            after = marks.copy()
            after.reshape(-1)[place] = side
            rule.nn_event(event("set_input", Tensor.from_numpy(after.reshape(1, 9))))
            rule.nn_event(event("compute", Tensor.from_numpy(answer_of(after, -side, numbers))))
            scores.append(chance(after, -side))
        best = free[int(choose(numpy.array(scores)))]
        words = line.format(row=best // 3 + 1, column=best % 3 + 1).encode()
        wrote: Any = SimpleNamespace(
            name="fd_write", error=None, arguments=(("fd", 1), ("ciovs", [words])), result=0
        )
        rule.host_call(wrote)
    return [sentence for _, sentence in rule.finish()]


@pytest.mark.parametrize("numbers", [1, 3])
@pytest.mark.parametrize("side", [1, -1])
def test_the_best_for_the_other_side(numbers: int, side: int) -> None:
    (found,) = said(numpy.argmax, numbers, side=side)
    assert "is the sign of its chances to be turned?" in found and "row 1, column 3 in place of" in found
    assert said(numpy.argmin, numbers, side=side) == [], "the right one"


def test_what_looks_like_it() -> None:
    assert said(numpy.argmax, line="the worst move: row {row}, column {column}\n") == []
    assert said(numpy.argmax, line="{row} {column}\n") == [], "nothing says which square that is"
    assert said(numpy.argmax, texts=TEXTS[:1]) == [], "one position says too little"
    assert said(numpy.argmax, skipped=1) == [], "not all moves are tried"
    assert said(lambda scores: 0) == [], "another choice"


def test_which_boards_are_moves_from_one_position() -> None:
    empty = numpy.zeros((3, 3))
    boards = []
    for place in (4, 0, 8):
        boards.append((empty.copy(), None))
        boards[-1][0].reshape(-1)[place] = 1
    assert moves_from(boards, 0) == [4, 0, 8]
    assert moves_from([boards[0], (-boards[1][0], None), boards[2]], 0) == []
    assert moves_from([*boards[:2], boards[0]], 0) == [4, 0]
