"""Boards as planes of zeros and ones, with one for free squares or without, behind each other or square by
square."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import numpy
import pytest

from pywasm_nn.watch.whatif import sides_to_move, verdicts_on_boards
from pywasm_nn.watch.whatif.boards_in_planes import WAYS, Planes, planes_of
from pywasm_nn.watch.whatif.sides_to_move import SidesToMove, marks_in
from tests.watch.test_sides_to_move import GAMES, follow
from tests.watch.test_verdicts_on_boards import Judge

ROWS = numpy.array([[1, -1, 0], [0, 0, 0], [0, 0, 0]], "f8")


def sent(way: Planes, marks: Any) -> Any:
    return way.made(marks, numpy.zeros((1, marks.size * way.count), "f4"))


@pytest.mark.parametrize("way", WAYS)
def test_marks_in_planes(way: Planes) -> None:
    array = sent(way, ROWS)
    assert array.sum() == (9 if way.count == 3 else 2)
    found = planes_of(array)
    assert found is not None and found.kinds == way.kinds
    assert (marks_in(array) == ROWS).all()
    assert (found.made(-ROWS, array) == sent(way, -ROWS)).all()


def test_what_is_no_board() -> None:
    random = numpy.random.default_rng(3)
    assert planes_of(numpy.ones((1, 27), "f4")) is None and planes_of(numpy.zeros((1, 27), "f4")) is None
    assert planes_of(random.integers(0, 3, (1, 27))) is None
    kinds = numpy.eye(3)[random.permutation([0] * 9 + [1] * 5 + [2] * 2)]
    assert planes_of(kinds.reshape(1, -1)) is None, "as many of no two kinds"
    assert planes_of(numpy.eye(3)[[0, 1] * 5].reshape(1, -1)) is None, "no square"


@pytest.mark.parametrize("way", [one for one in WAYS if one.kinds == (0, 1)])
@pytest.mark.parametrize("game", [name for name, (side, _) in GAMES.items() if side == 3])
def test_verdicts(monkeypatch: pytest.MonkeyPatch, game: str, way: Planes) -> None:
    class Seen(Judge):
        def outputs_of(self, at: int, array: Any) -> Sequence[Any]:
            return super().outputs_of(at, way.marks(array))

    graph: Any = SimpleNamespace(inputs=[SimpleNamespace(name="planes")])
    for sort, is_own, seen in (("own", False, True), ("own", True, False), ("turn", False, False)):
        for module in (sides_to_move, verdicts_on_boards):
            monkeypatch.setattr(module, "Runs", model := Seen(sort))
        rule = SidesToMove(lambda: [], lambda _, put, asked=graph: put(asked, 1e-3, 1.0))
        marks = numpy.zeros((3, 3))
        for number, move in enumerate(GAMES[game][1]):
            marks.reshape(-1)[move] = (-1) ** number
            given = sent(way, marks * ((-1) ** (number + 1) if is_own else 1))
            follow(rule, graph, given, model.outputs_of(0, given)[0])
        model.asked = 0
        text = " ".join(one for _, one in rule.finish())
        assert ("the own marks of the side to move" in text) is seen, sort
