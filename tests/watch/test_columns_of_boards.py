"""Boards on which marks fall, sent to models with a score for each column: with the rows the other way round,
and with the marks of one player first."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import numpy
import pytest

from pywasm_nn.nn.tensor import Tensor
from pywasm_nn.watch.whatif import sides_to_move
from pywasm_nn.watch.whatif.columns_of_boards import are_on_last, chances
from pywasm_nn.watch.whatif.sides_to_move import SidesToMove, marks_in, wins
from tests.watch.oracles import StandIn
from tests.watch.test_sides_to_move import follow

ROWS = ["......", "......", "..w...", ".bw...", ".bbw.."]
"""A board of 5 x 6 as it stands; "w" began, so that both have as many marks."""


class Columns(StandIn):
    """Stands for a model that says a column in which a side wins, and else the middle one. It knows the
    bottom as the last row or the first one, and as that side the one whose marks come first or second, or the
    one that is to move by the counts (0)."""

    def __init__(self, *, on_last: bool, side: int = 1) -> None:
        self._on_last, self._side = on_last, side

    def outputs_of(self, _: int, array: Any) -> Sequence[Any]:
        marks = marks_in(array)
        side = self._side or (1 if (marks == 1).sum() <= (marks == -1).sum() else -1)
        board = marks if self._on_last else marks[::-1]
        scores = numpy.linspace(0.1, 0, board.shape[1])
        for column in range(board.shape[1]):
            free = numpy.flatnonzero(board[:, column] == 0)
            if len(free):
                scores[column] += 10 * wins(board, side, int(free[-1]) * board.shape[1] + column)
        return [Tensor.from_numpy(scores.astype("f4")[None])]


def said(
    monkeypatch: pytest.MonkeyPatch, model: Columns, *, on_last: bool, first: str = "b", text: str = ""
) -> str:
    """What is said of a guest that sends a board with its bottom at one end and these marks first."""
    monkeypatch.setattr(sides_to_move, "Runs", model)
    graph: Any = SimpleNamespace(inputs=[SimpleNamespace(name="position")])
    text = text or "\n".join(["b", *ROWS])
    rule = SidesToMove(lambda: [("position.txt", text.encode())], lambda _, put: put(graph, 1e-3, 1.0))
    letters = numpy.array([[*row] for row in ROWS])[:: 1 if on_last else -1]
    given = numpy.stack([letters == first, (letters != first) & (letters != ".")], axis=-1)[None]
    given = given.astype("f4")
    follow(rule, graph, given, model.outputs_of(0, given)[0])
    return " ".join(text for _, text in rule.finish())


@pytest.mark.parametrize("side", [1, -1, 0])
@pytest.mark.parametrize("on_last", [True, False])
def test_rows_upside_down(monkeypatch: pytest.MonkeyPatch, *, on_last: bool, side: int) -> None:
    model = Columns(on_last=on_last, side=side)
    end = "last" if on_last else "first"
    found = said(monkeypatch, model, on_last=not on_last)
    assert f"in the other order, with the {end} row as the bottom" in found
    assert said(monkeypatch, model, on_last=on_last) == ""


@pytest.mark.parametrize("on_last", [True, False])
def test_marks_of_one_player_first(monkeypatch: pytest.MonkeyPatch, *, on_last: bool) -> None:
    own = Columns(on_last=on_last)
    assert "own marks of the side to move first" in said(monkeypatch, own, on_last=on_last, first="w")
    assert said(monkeypatch, own, on_last=on_last, first="b") == "", "which is to move"
    alone = "\n".join(ROWS)
    assert said(monkeypatch, own, on_last=on_last, first="w", text=alone) == "", (
        "nobody knows whose turn it is"
    )
    for other in (Columns(on_last=on_last, side=0), Columns(on_last=on_last, side=-1)):
        assert said(monkeypatch, other, on_last=on_last, first="w") == ""


class Constant(Columns):
    """A model that says the same column always."""

    def outputs_of(self, _: int, array: Any) -> Sequence[Any]:
        return [Tensor.from_numpy(numpy.arange(marks_in(array).shape[1], dtype="f4")[None])]


def test_a_model_that_says_nothing_of_wins(monkeypatch: pytest.MonkeyPatch) -> None:
    for on_last in (True, False):
        assert said(monkeypatch, Constant(on_last=True), on_last=on_last) == ""


def test_where_marks_lie() -> None:
    board = numpy.array([[0, 0, 0, 0], [0, 0, 0, 0], [1, 0, 0, 0], [-1, 1, 0, 0]])
    assert are_on_last([board]) is True and are_on_last([board[::-1]]) is False
    assert are_on_last([board, board[::-1]]) is None and are_on_last([numpy.eye(3)]) is None
    assert are_on_last([board[1:, :3]]) is None, "three by three may lie so, and nobody lets marks fall there"
    assert chances((15, 15), wins) == ([], []), "games on such boards take long"
