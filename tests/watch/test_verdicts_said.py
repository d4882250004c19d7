"""Guests that write who wins of boards, in the model's order of verdicts and in another one."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import numpy
import pytest

from pywasm_nn.watch.whatif import sides_to_move
from pywasm_nn.watch.whatif.sides_to_move import SidesToMove
from tests.watch.test_sides_to_move import WAYS, follow
from tests.watch.test_verdicts_on_boards import Judge

BOARDS = {
    3: ["bb.w.w...", "w.b..bw..", ".w..bw..b"],
    5: [".....b....b....b....ww.w.", "bbb.......ww..w..........", "wb....b.w..b............w"],
}
"""By their sides, boards on which "b" has the move and can win."""
LOST, OPEN, WON = range(3)


class Same(Judge):
    """A model that knows nothing of the game."""

    def outputs_of(self, _: int, array: Any) -> Sequence[Any]:
        return super().outputs_of(0, array * 0)


def said(
    monkeypatch: pytest.MonkeyPatch,
    side: int,
    words: Sequence[str],
    form: str = "{board} b to move: {word}\n",
    *,
    model: Judge | None = None,
    way: str = "signs",
    first: str = "b",
) -> str:
    """What is said of a guest that writes these words for lost, drawn and won."""
    model = model or Judge("own")
    monkeypatch.setattr(sides_to_move, "Runs", model)
    graph: Any = SimpleNamespace(inputs=[SimpleNamespace(name="position")])
    rule = SidesToMove(lambda: [], lambda _, put: put(graph, 1e-3, 1.0))
    for board in BOARDS[side]:
        letters = numpy.array([*board]).reshape(side, side)
        given = WAYS[way](letters == first, (letters != first) & (letters != ".")).astype("f4")
        answer = model.outputs_of(0, given)[0]
        follow(rule, graph, given, answer)
        data = form.format(board=board, word=words[int(answer.numpy().argmax())]).encode()
        event: Any = SimpleNamespace(
            name="fd_write", error=None, result=0, arguments=(("fd", 1), ("ciovs", [data]))
        )
        rule.host_call(event)
    model.asked = 0
    return " ".join(text for _, text in rule.finish())


@pytest.mark.parametrize("side", BOARDS)
@pytest.mark.parametrize("words", [("loss", "draw", "win"), ("Lost", "Drawn", "Won")])
@pytest.mark.parametrize("is_last", [True, False])
def test_words_in_another_order(
    monkeypatch: pytest.MonkeyPatch, side: int, words: Sequence[str], *, is_last: bool
) -> None:
    """A model's first verdict may be that the side to move wins, or its last one."""
    for order in (words, words[::-1]):
        text = said(monkeypatch, side, order, model=Judge("own", is_last=is_last))
        is_wrong = (order == words) is not is_last
        assert ("in 3 positions the side to move can win at once" in text) is is_wrong is bool(text)


@pytest.mark.parametrize(
    "form",
    [
        "{board}: {word}\n",
        "{board} w to move: {word}\n",
        "{board} b to move: {word} 0.03\n",
        "{board} b to move, w {word}\n",
        "{board} b to move: not {word}\n",
        "{board} b to move (for the opponent: {word})\n",
    ],
)
def test_lines_that_may_mean_something_else(monkeypatch: pytest.MonkeyPatch, form: str) -> None:
    words = ("win", "draw", "loss")
    assert said(monkeypatch, 3, words) != ""
    assert "order" not in said(monkeypatch, 3, words, form)


def test_models_that_say_so_of_other_boards(monkeypatch: pytest.MonkeyPatch) -> None:
    """One that says the same of all, and a guest that sends the other side's marks first."""
    words = ("win", "draw", "loss")
    assert said(monkeypatch, 3, words, model=Same("own")) == ""
    assert "order" not in said(monkeypatch, 3, words, first="w")
