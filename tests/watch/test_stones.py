"""Boards in two planes whose stones are in both, or hang in the air."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import numpy
import pytest

from pywasm_nn.nn.tensor import Tensor, TensorSpec
from pywasm_nn.watch.order.stones import Stones


def said(boards: Sequence[Any]) -> str:
    rule = Stones()
    for one in boards:
        tensor = Tensor.from_numpy(numpy.ascontiguousarray(one))
        event: Any = SimpleNamespace(
            error=None, given=(), operation="set_input", index=0, graph_id=1, tensors=(tensor,),
            specs=(TensorSpec("board", tensor.dtype, tensor.shape),),
        )  # fmt: skip
        rule.nn_event(event)
    return " ".join(text for _, text in rule.finish())


def game(height: int, width: int, moves: int, seed: int = 1) -> list[Any]:
    """The marks (1 and -1) before each move, each at a random free square."""
    marks, found = numpy.zeros((height, width)), []
    for at, square in enumerate(numpy.random.default_rng(seed).permutation(height * width)[:moves]):
        found.append(marks.copy())
        marks.reshape(-1)[square] = 1 - 2 * (at % 2)
    return found


def planes(marks: Sequence[Any], *, clears: bool, turns: bool, is_last: bool = False) -> list[Any]:
    """The planes of the side to move, and of the other one."""
    kept = numpy.zeros((2, *marks[0].shape), "f4")
    made = []
    for at, one in enumerate(marks):
        side = 1 - 2 * (at % 2) if turns else 1
        kept = kept * (not clears)
        kept[0][one == side] = 1
        kept[1][one == -side] = 1
        made.append((kept.transpose(1, 2, 0) if is_last else kept)[None].copy())
    return made


@pytest.mark.parametrize("is_last", [False, True])
@pytest.mark.parametrize(("height", "width", "moves"), [(3, 3, 7), (8, 8, 20), (6, 7, 9)])
def test_planes_that_are_not_cleared(height: int, width: int, moves: int, is_last: bool) -> None:
    marks = game(height, width, moves)
    for clears, turns in ((False, True), (True, True), (False, False), (True, False)):
        text = said(planes(marks, clears=clears, turns=turns, is_last=is_last))
        assert ("set to 0 before each board" in text) is (turns and not clears)
    boards = planes(marks, clears=False, turns=True, is_last=is_last)
    assert said(boards[-3:]) == "", "planes that may be of other things"
    assert said(boards[:3]) == ""
    assert said([*boards, boards[0]]) == ""


def fallen(width: int, height: int, stones: int, seed: int) -> Any:
    """The stones of columns [columns, squares from below]: 1 and 2."""
    columns, order = numpy.zeros((width, height), "i4"), numpy.random.default_rng(seed)
    for at in range(stones):
        column = columns[int(order.choice(numpy.flatnonzero(columns[:, -1] == 0)))]
        column[int((column > 0).sum())] = 1 + at % 2
    return columns


def both(board: Any) -> Any:
    return numpy.stack([board == 1, board == 2])[None].astype("f4")


@pytest.mark.parametrize(("width", "height"), [(7, 6), (9, 7), (5, 6)])
def test_stones_that_hang(width: int, height: int) -> None:
    columns = [fallen(width, height, 10 + seed, seed) for seed in range(4)]
    exchanged = [both(one.reshape(height, width)) for one in columns]
    assert "are rows and columns of the board exchanged?" in said(exchanged)
    assert f"{width} columns of {height} squares" in said(exchanged)
    assert "the lowest first" in said(exchanged)
    downward = [both(one[:, ::-1].reshape(height, width)) for one in columns]
    assert "the uppermost first" in said(downward)
    for right in (
        [both(one.T[::-1]) for one in columns],
        [both(one.T) for one in columns],
        [both(one) for one in columns],
        exchanged[:1],
        [both(one.reshape(height, width)[:, ::-1]) for one in columns],
        [both(numpy.random.default_rng(seed).integers(0, 3, (height, width))) for seed in range(4)],
    ):
        assert "are rows and columns" not in said(right)
