"""Models that say who wins, of boards with the marks of both players, or with 2 for -1, and right twins."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import numpy
import pytest

from pywasm_nn.nn.tensor import Tensor
from pywasm_nn.watch.whatif import sides_to_move, verdicts_on_boards
from pywasm_nn.watch.whatif.sides_to_move import SidesToMove, wins
from pywasm_nn.watch.whatif.verdicts_on_boards import CodedBoards
from tests.watch.oracles import StandIn
from tests.watch.test_sides_to_move import GAMES, can_win, follow


class Judge(StandIn):
    """A model that says who wins, as numbers of this many verdicts ("own": by the marks of the side to move,
    which come first; "first": for the first player by whose turn it is; "turn": for the side to move, by the
    counts), where the second marks have this number. Of boards with other numbers it says one thing. With
    `squares` it scores these instead, with one number in all if `verdicts` is 1 the board."""

    def __init__(self, sort: str, verdicts: int = 3, second: int = -1, *, is_last: bool = True) -> None:
        self.sort, self.verdicts, self.second, self.is_last = sort, verdicts, second, is_last
        self.asked = 0

    def left(self, *_: int) -> bool:
        self.asked += 1
        return self.asked <= 12

    def outputs_of(self, _: int, array: Any) -> Sequence[Any]:
        marks = numpy.where(array == self.second, -1.0, array)
        marks = marks.reshape((round(marks.size**0.5),) * 2)
        is_known = marks.max() <= 1 and marks.min() >= -1
        first, second = (can_win(marks, side) if is_known else side == 1 for side in (1, -1))
        is_second = bool(marks.sum() > 0)
        mine = {
            "own": first or not second,
            "first": not second if is_second else first,
            "turn": second if is_second else first,
        }[self.sort]
        if self.verdicts == 0:
            scores = numpy.linspace(0.1, 0, marks.size)
            for place in numpy.flatnonzero(marks == 0).tolist() if is_known else ():
                scores[place] += wins(marks, -1, place) + 2 * wins(marks, 1, place)
        else:
            scores = numpy.zeros(self.verdicts)
            scores[-1 if bool(mine) is self.is_last else 0] = 5 if self.verdicts > 1 or mine else -5
        return [Tensor.from_numpy(scores.astype("f4").reshape(1, -1))]


def said(monkeypatch: pytest.MonkeyPatch, model: Judge, game: str, sent: str, letters: str = "") -> str:
    """What is said of a guest that sends a game move by move, with the first player's marks first ("first"),
    those of the side to move ("own"), or those of the first player with 2 for the other ("coded")."""
    for module in (sides_to_move, verdicts_on_boards):
        monkeypatch.setattr(module, "Runs", model)
    graph: Any = SimpleNamespace(inputs=[SimpleNamespace(name="board")])
    side, moves = GAMES[game]
    rules = [
        SidesToMove(lambda: [("a.txt", letters.encode())], lambda _, put: put(graph, 1e-3, 1.0)),
        CodedBoards(wins, lambda _, put: put(graph, 1e-3, 1.0)),
    ]
    marks = numpy.zeros((side, side))
    for number, move in enumerate(moves):
        marks.reshape(-1)[move] = (-1) ** number
        turn = (-1) ** (number + 1) if sent.startswith("own") else 1
        given = (marks * turn)[None].astype("f4")
        answer = model.outputs_of(0, given)[0]
        if sent.endswith("coded"):
            given = numpy.where(given < 0, 2, given).astype("f4").reshape(1, -1)
            answer = model.outputs_of(0, given)[0]
        for rule in rules:
            follow(rule, graph, given, answer)
    model.asked = 0
    return " ".join(text for rule in rules for _, text in rule.finish())


@pytest.mark.parametrize("is_last", [True, False])
@pytest.mark.parametrize("verdicts", [2, 3])
@pytest.mark.parametrize("game", GAMES)
def test_a_verdict_on_each_board(
    monkeypatch: pytest.MonkeyPatch, game: str, verdicts: int, *, is_last: bool
) -> None:
    text = said(monkeypatch, Judge("own", verdicts, is_last=is_last), game, "first")
    assert "as there is one mark more of the first" in text and "the own marks of the side to move" in text
    assert said(monkeypatch, Judge("own", verdicts, is_last=is_last), game, "own") == ""
    for sort in ("first", "turn"):
        for sent in ("first", "own"):
            assert said(monkeypatch, Judge(sort, verdicts, is_last=is_last), game, sent) == "", (sort, sent)


def test_a_letter_says_whose_turn_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    """The boards of the game whose last move is known alone, as the second player's turns."""
    monkeypatch.setattr(sides_to_move, "Runs", model := Judge("own"))
    graph: Any = SimpleNamespace(inputs=[SimpleNamespace(name="board")])
    for text, is_told in (("x...o.x.. o\no..xx.... o\n", True), ("x...o.x..\no..xx....\n", False)):
        rule = SidesToMove(
            [("a.txt", text.encode())].copy,
            lambda _, put: put(graph, 1e-3, 1.0),
        )
        for row in ("x...o.x..", "o..xx...."):
            given = numpy.array([[" o.x".index(one) - 2 for one in row]], "f4")
            follow(rule, graph, given, model.outputs_of(0, given)[0])
        model.asked = 0
        assert bool([*rule.finish()]) is is_told


def test_a_board_of_three_columns_whose_marks_lie_on_each_other(monkeypatch: pytest.MonkeyPatch) -> None:
    """Three verdicts are no values of columns, as nobody lets marks fall on three rows."""
    monkeypatch.setattr(sides_to_move, "Runs", model := Judge("own"))
    graph: Any = SimpleNamespace(inputs=[SimpleNamespace(name="board")])
    rows = ("....x.oxo", "...x..oxo", "......oxx")
    for sides, is_told in (("xxo", True), ("ooo", False)):
        text = "\n".join(f"{row} {side}" for row, side in zip(rows, sides, strict=True))
        rule = SidesToMove([("a.txt", text.encode())].copy, lambda _, put: put(graph, 1e-3, 1.0))
        for row in rows:
            given = numpy.array([[" x.o".index(one) - 2 for one in row]], "f4")
            follow(rule, graph, given, model.outputs_of(0, given)[0])
        model.asked = 0
        assert bool([*rule.finish()]) is is_told, sides


@pytest.mark.parametrize("verdicts", [0, 1, 2, 3])
@pytest.mark.parametrize("game", GAMES)
def test_two_for_the_second_marks(monkeypatch: pytest.MonkeyPatch, game: str, verdicts: int) -> None:
    for sent in ("coded", "own coded"):
        text = said(monkeypatch, Judge("own", verdicts), game, sent)
        assert "does it want -1 for the second kind of marks?" in text, sent
        for sort in ("own", "turn", "first"):
            assert said(monkeypatch, Judge(sort, verdicts, 2), game, sent) == "", "it was trained so"
    assert said(monkeypatch, Judge("own", verdicts), game, "own") == ""


@pytest.mark.parametrize("verdicts", [0, 1, 2, 3])
@pytest.mark.parametrize("second", [-1, 2])
def test_a_single_board(monkeypatch: pytest.MonkeyPatch, verdicts: int, second: int) -> None:
    """Of one board the model says as much."""
    monkeypatch.setattr(verdicts_on_boards, "Runs", model := Judge("own", verdicts, second))
    graph: Any = SimpleNamespace(inputs=[SimpleNamespace(name="cells")])
    rule = CodedBoards(wins, lambda _, put: put(graph, 1e-3, 1.0))
    given = numpy.array([[[0, 1, 2], [0, 1, 0], [2, 0, 0]]], "f4")
    follow(rule, graph, given, model.outputs_of(0, given)[0])
    model.asked = 0
    text = " ".join(text for _, text in rule.finish())
    assert ("the marks on the board are 1 and 2; asked" in text) is (second == -1)


def test_what_is_no_game(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of the first kind there are many more, or there is no second one."""
    monkeypatch.setattr(verdicts_on_boards, "Runs", model := Judge("own"))
    graph: Any = SimpleNamespace(inputs=[SimpleNamespace(name="cells")])
    for rows in (("111100000", "111120000"), ("100000000", "010000000"), ("120000000", "123000000")):
        rule = CodedBoards(wins, lambda _, put: put(graph, 1e-3, 1.0))
        for row in rows:
            given = numpy.array([[*map(int, row)]], "f4")
            follow(rule, graph, given, model.outputs_of(0, given)[0])
        assert [*rule.finish()] == []


WRITTEN = {
    "{} (o to move): {}": True,
    "o to move in {}": False,
    "o to move: {} -> {}": False,
    "{}, o plays": True,
    "{} x wins; o to move": False,
    "{} {}": False,
}
"""What a guest writes of each board, and whether the letter that is to move stands beside it."""


@pytest.mark.parametrize("form", WRITTEN)
def test_the_guest_writes_whose_turn_it_is(monkeypatch: pytest.MonkeyPatch, form: str) -> None:
    graph: Any = SimpleNamespace(inputs=[SimpleNamespace(name="board")])
    rows = ("x...o.x.o", "o..xx..o.", "xo..x..o.")
    for sort, sent, is_told in (("own", 1, True), ("own", -1, False), ("first", 1, False)):
        monkeypatch.setattr(sides_to_move, "Runs", model := Judge(sort))
        rule = SidesToMove(list, lambda _, put: put(graph, 1e-3, 1.0))
        for row in rows:
            marks = numpy.array([[" o.x".index(one) - 2 for one in row]], "f4") * sent
            follow(rule, graph, marks, model.outputs_of(0, marks)[0])
            text = form.format(row, "a draw") + "\n"
            event: Any = SimpleNamespace(
                name="fd_write", error=None, arguments={"fd": 1, "ciovs": [text.encode()]}.items()
            )
            rule.host_call(event)
        model.asked = 0
        assert bool([*rule.finish()]) is (is_told and WRITTEN[form]), (sort, sent)
