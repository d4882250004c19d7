"""Boxes relative to the cells of grids, whose rows a guest counts to other cells than the model does."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy
import pytest

from pywasm_nn.watch.probes.asked import Sent
from pywasm_nn.watch.probes.counted_anchors import exchanged, middles_of, miscounted
from tests.watch.test_uses_of_answers import asked_of

SIDE = 192
RANDOM = numpy.random.default_rng(2)
GRIDS = {2016: ((8, 2), (16, 6)), 1512: ((8, 2), (16, 2), (32, 2)), 2304: ((4, 1),)}


def guest(
    grids: Sequence[tuple[int, int]], form: str, scale: float, *, cell: int = 0, middle: float = 0.5
) -> Callable[[Sequence[Any]], str]:
    """Writes the box of the surest row. `cell`: the side that is taken for that of all cells."""

    def say(answers: Sequence[Any]) -> str:
        boxes, scores = answers[0][0][0], answers[0][1][0, :, 0]
        best = rest = int(scores.argmax())
        for stride, count in grids:
            wide = SIDE // stride
            if rest < wide * wide * count or (stride, count) == grids[-1]:
                row, column = divmod(rest // count, wide)
                break
            rest -= wide * wide * count
        x, y = (
            (at + middle) * (cell or stride) + float(by)
            for at, by in zip((column, row), boxes[best], strict=False)
        )
        sides = (float(one) for one in boxes[best][2:4])
        return form.format(*(scale * one for one in (x, y, *sides)), scores[best]) + "\n"

    return say


@pytest.mark.parametrize(
    "form",
    [
        "palm at {:.0f}, {:.0f} of {:.0f} x {:.0f}",
        "{:.2f} {:.2f} {:.2f} {:.2f} {:.1f}",
        "face at {:.0f},{:.0f} size {:.0f}x{:.0f}",
    ],
)
@pytest.mark.parametrize(("rows", "counts"), [
    (2016, (2, 6)), (2016, (6, 6)), (2016, (1, 6)), (2016, (2, 2)), (2016, (2, 4)),
    (2304, (1,)), (2304, (2,)), (1512, (2, 2, 2)), (1512, (3, 3, 3)), (1512, (2, 4, 2)),
])  # fmt: skip
def test_rows_of_a_cell(rows: int, counts: Sequence[int], form: str) -> None:
    grids = [(stride, count) for (stride, _), count in zip(GRIDS[rows], counts, strict=True)]
    boxes = RANDOM.normal(0, 4, (1, rows, 6)).astype("f4")
    boxes[..., 2:4] = 30 + RANDOM.random((1, rows, 2)) * 10
    scores = RANDOM.normal(-5, 1, (1, rows, 1)).astype("f4")
    is_right = [*grids] == [*GRIDS[rows]]
    for shape, seen in (((1, SIDE, SIDE, 3), not is_right), ((1, SIDE, 200, 3), False)):
        sent = [Sent("picture", shape, None, None)]
        say = guest(grids, form, 1.5)
        found = miscounted(asked_of(say, boxes, scores, names=("boxes", "scores"), sent=sent))
        assert any(f"to the next cell after {count} row" in found for count in counts) is seen is bool(found)


def test_the_size_of_the_second_grids_cells() -> None:
    boxes = RANDOM.normal(0, 4, (1, 2016, 6)).astype("f4")
    boxes[..., 2:4] = 30 + RANDOM.random((1, 2016, 2)) * 10
    scores = RANDOM.normal(-5, 1, (1, 2016, 1)).astype("f4")
    sent = [Sent("picture", (1, SIDE, SIDE, 3), None, None)]
    for cell in (0, 8):
        say = guest(GRIDS[2016], "{:.1f} {:.1f} {:.1f} {:.1f} {:.1f}", 1.5, cell=cell)
        found = miscounted(asked_of(say, boxes, scores, names=("boxes", "scores"), sent=sent))
        assert ("from cell to cell in grid 2" in found) is bool(cell) is bool(found)


@pytest.mark.parametrize("rows", [*GRIDS])
@pytest.mark.parametrize("form", ["{:.0f} {:.0f} {:.0f} {:.0f} {:.1f}", "{:.3f} {:.3f} {:.3f} {:.3f}"])
def test_the_middle_of_cells(form: str, rows: int) -> None:
    boxes = RANDOM.normal(0, 4, (1, rows, 6)).astype("f4")
    boxes[..., 2:4] = 30 + RANDOM.random((1, rows, 2)) * 10
    scores = RANDOM.normal(-5, 1, (1, rows, 1)).astype("f4")
    sent = [Sent("picture", (1, SIDE, SIDE, 3), None, None)]
    for middle in (0.5, 0.0, 0.25):
        say = guest(GRIDS[rows], form, 3.0, middle=middle)
        found = miscounted(asked_of(say, boxes, scores, names=("boxes", "scores"), sent=sent))
        assert ("the beginning of its cell" in found) is (middle == 0.0) is bool(found)


@pytest.mark.parametrize("size", [(150, 100), (100, 150), (120, 180), (90, 96), (96, 90), (192, 176)])
@pytest.mark.parametrize("form", ["{:.0f} {:.0f} {:.0f} {:.0f} {:.1f}", "{:.2f} {:.2f} {:.2f} {:.2f}"])
def test_the_middle_of_cells_in_a_letterbox(form: str, size: tuple[int, int]) -> None:
    """A bar of half a cell, and cells whose width is rounded, are no beginning of a cell."""
    boxes = RANDOM.normal(0, 4, (1, 2016, 6)).astype("f4")
    boxes[..., 2:4] = 30 + RANDOM.random((1, 2016, 2)) * 10
    scores = RANDOM.normal(-5, 1, (1, 2016, 1)).astype("f4")
    sent = [Sent("picture", (1, SIDE, SIDE, 3), None, None)]
    scale = max(size) / SIDE
    say = guest(GRIDS[2016], "{} {} {} {} {}", 1.0)
    bars = [(SIDE - one / scale) / 2 for one in size]

    def undone(answers: Sequence[Any]) -> str:
        *box, score = map(float, say(answers).split())
        places = [(at - bar) * scale for at, bar in zip(box, bars, strict=False)]
        return form.format(*places, *(scale * one for one in box[2:]), score) + "\n"

    assert miscounted(asked_of(undone, boxes, scores, names=("boxes", "scores"), sent=sent)) == ""


def of_things(things: Sequence[tuple[float, float, float]], rows: int, *, first: int) -> tuple[Any, Any]:
    """Boxes of things (middle, size) that rows of all cells near to them give, with the number `first` going
    across, and their scores."""
    cells = middles_of(GRIDS[rows], (SIDE, SIDE))
    boxes = RANDOM.normal(0, 4, (rows, 6)).astype("f4")
    boxes[:, 2:4] = 30 + RANDOM.random((rows, 2)) * 10
    scores = RANDOM.normal(-5, 1, (rows, 1)).astype("f4")
    for across, down, size in things:
        near = numpy.flatnonzero(abs(cells - [across, down]).max(axis=1) < 12)
        offsets = [across, down] - cells[near] + RANDOM.normal(0, 0.3, (len(near), 2))
        boxes[near, :2] = offsets[:, [first, 1 - first]]
        boxes[near, 2:4] = size + RANDOM.normal(0, 0.5, (len(near), 2))
        scores[near, 0] = 3 - RANDOM.random(len(near))
    return boxes[None], scores[None]


@pytest.mark.parametrize("rows", [*GRIDS])
@pytest.mark.parametrize(
    "form", ["x {:.0f} y {:.0f} w {:.0f} h {:.0f}", "{:.3f} {:.3f} {:.3f} {:.3f} {:.2f}"]
)
@pytest.mark.parametrize("first", [0, 1])
def test_offsets_across_and_down(first: int, form: str, rows: int) -> None:
    """Of one thing and of two; without any in several cells nothing is known."""
    sent = [Sent("picture", (1, SIDE, SIDE, 3), None, None)]
    things = [(70.3, 101.8, 60.0), (130.0, 51.2, 48.0)]

    def found(things: Sequence[tuple[float, float, float]], taken: int) -> str:
        say = guest(GRIDS[rows], form, 2.0)

        def turned(answers: Sequence[Any]) -> str:
            boxes, scores = answers[0]
            return say([[boxes[..., [1, 0, *range(2, 6)]] if taken else boxes, scores]])

        answers = of_things(things, rows, first=first)
        return exchanged(asked_of(turned, *answers, names=("boxes", "scores"), sent=sent))

    for few in (things[:1], things):
        assert "are x and y exchanged?" in found(few, 1 - first)
        assert found(few, first) == ""
    assert found((), 0) == found((), 1) == ""
