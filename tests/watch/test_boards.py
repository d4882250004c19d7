"""Guests that choose a move on a board by a score for each square: those that are taken left out, and not."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy
import pytest

from pywasm_nn.watch.probes.asked import Sent
from pywasm_nn.watch.probes.boards import taken, turned
from tests.watch.test_uses_of_answers import asked_of

WAYS: dict[str, Callable[[Any], Any]] = {
    "planes": lambda marks: numpy.stack([marks == 1, marks == -1])[None],
    "planes last": lambda marks: numpy.stack([marks == 1, marks == -1], axis=-1)[None],
    "a plane for the turn": lambda marks: numpy.stack([marks == 1, marks == -1, marks * 0])[None],
    "signs": lambda marks: marks.reshape(1, -1),
}


def mover(marks: Any, form: str, *, leaves_out: bool) -> Callable[[Sequence[Any]], str]:
    """A guest that says the best square."""

    def say(answers: Sequence[Any]) -> str:
        levels = answers[0][0].reshape(-1).astype("f8")
        if leaves_out:
            levels[marks.reshape(-1) != 0] = -numpy.inf
        best = int(levels.argmax())
        return form.format(best, best // marks.shape[1] + 1, best % marks.shape[1] + 1)

    return say


@pytest.mark.parametrize("form", ["move to row {1}, column {2}\n", "X plays {0}\n"])
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("shape", [(3, 3), (6, 7), (9, 9)])
def test_squares_that_are_taken(shape: tuple[int, int], seed: int, way: str, form: str) -> None:
    rng = numpy.random.default_rng(seed)
    marks = numpy.zeros(shape[0] * shape[1])
    marks[rng.permutation(marks.size)[:4]] = 1, -1, 1, -1
    scores = rng.normal(0, 1, (1, marks.size)).astype("f4")
    board = marks.reshape(shape)
    sent = [Sent("x", WAYS[way](board).shape, WAYS[way](board).astype("f4"), None)]
    for place in (int((marks != 0).argmax()), int((marks == 0).argmax())):
        answer = scores.copy()
        answer[0, place] = 9
        for leaves_out in (True, False):
            found = taken(asked_of(mover(board, form, leaves_out=leaves_out), answer, sent=sent))
            seen = bool(marks[place]) and not leaves_out
            assert (f"the largest element is {place}" in found) is seen is bool(found)
    answer[0, int((marks != 0).argmax())] = 99
    for words in ("row {1}\n", "class {0}\n"):
        assert taken(asked_of(mover(board, words, leaves_out=False), answer, sent=sent)) == "", "no game"
    every = mover(board, form + " ".join(["{0}"] * marks.size), leaves_out=False)
    assert taken(asked_of(every, answer, sent=sent)) == "", "all scores are written"
    others = [Sent("x", (1, 2 * marks.size), rng.random((1, 2 * marks.size)), None)]
    assert taken(asked_of(mover(board, form, leaves_out=False), answer, sent=others)) == "", "no board"


@pytest.mark.parametrize(
    ("form", "seen"),
    [
        ("W moves to {0} (occupied)\n", True),
        ("x plays {0}, which is taken\n", True),
        ("x plays {0}: an illegal move\n", False),
        ("the net wants {0}, which is taken, and x plays elsewhere\n", False),
        ("policy says {0} (occupied)\n", False),
        ("x plays 0 ({0} was best and is taken)\n", False),
        ("x plays 0, {0} is taken\n", False),
    ],
)
def test_moves_that_are_said_to_be_taken(form: str, *, seen: bool) -> None:
    """A guest that knows what is taken, and moves there all the same; and those that judge a model by it."""
    marks = numpy.zeros(16)
    marks[[1, 6, 7, 11]] = 1, -1, 1, -1
    free = "x plays {0}\n" if "x plays" in form else form.replace(" (occupied)", "")

    def say(answers: Sequence[Any]) -> str:
        best = int(answers[0][0].reshape(-1).argmax())
        return (form if marks[best] else free).format(best)

    sent = [Sent("x", (1, 16), marks.reshape(1, -1).astype("f4"), None)]
    answer = numpy.linspace(0, 1, 16)[None].astype("f4")
    answer[0, 6] = 4
    assert ("such squares are played all the same" in taken(asked_of(say, answer, sent=sent))) is seen
    answer[0, 5] = 9
    assert taken(asked_of(say, answer, sent=sent)) == ""


@pytest.mark.parametrize(
    ("form", "is_turned"),
    [
        ("put it in row {1}, column {2}\n", False),
        ("put it in row {2}, column {1}\n", True),
        ("Zeile {4} Spalte {3}\n", True),
        ("Spalte: {2}, Zeile: {1}\n", False),
        ("square {2}/{1}\n", False),
    ],
)
@pytest.mark.parametrize("way", ["planes", "planes last"])
@pytest.mark.parametrize("shape", [(3, 3), (6, 7), (9, 9)])
def test_rows_and_columns_exchanged(shape: tuple[int, int], way: str, form: str, *, is_turned: bool) -> None:
    marks = numpy.zeros(shape)
    marks[0, 0], marks[0, 2], marks[1, 0], marks[2, 0] = 1, -1, -1, 1
    answer = numpy.random.default_rng(3).normal(0, 1, (1, marks.size)).astype("f4")
    board = WAYS[way](marks).astype("f4")

    def say(answers: Sequence[Any]) -> str:
        levels = numpy.where(marks.reshape(-1) == 0, answers[0][0].reshape(-1), -numpy.inf)
        row, column = divmod(int(levels.argmax()), shape[1])
        return form.format(0, row + 1, column + 1, row, column)

    letters = [["#-@"[int(one) + 1] for one in row] for row in marks]
    by_rows, by_columns = "\n".join(map("".join, letters)), " ".join(map("".join, zip(*letters, strict=True)))
    for text, is_seen in ((by_rows, True), (by_columns, False), ("no board", False)):
        files = [("game.txt", text.encode())]
        found = turned(asked_of(say, answer, sent=[Sent("x", board.shape, board, None)], files=files))
        assert ("are / and % exchanged" in found) is (is_turned and is_seen), text
