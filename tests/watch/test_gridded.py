"""Boxes that a model gives relative to cells of three grids, as guests write them: mistakes, and right
twins."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy
import pytest

from pywasm_nn.watch.probes.asked import Placed, Sent
from pywasm_nn.watch.probes.gridded import STRIDES, misscaled
from pywasm_nn.watch.probes.suppression import misjudged
from pywasm_nn.watch.probes.whether import moves
from tests.watch.test_uses_of_answers import asked_of

HIGH, WIDE = 192, 320
PLACED = Placed((300, 480), (0, 0, 300, 480), (0, 0, 192, 307), (HIGH, WIDE))
CELLS = [
    (column, row, stride)
    for stride in STRIDES for row in range(HIGH // stride) for column in range(WIDE // stride)
]  # fmt: skip
RNG = numpy.random.default_rng(3)


def answer() -> Any:
    """Three things, each in four neighbouring cells, and nothing else."""
    rows = numpy.concatenate([RNG.uniform(-2, 2, (len(CELLS), 2)), numpy.full((len(CELLS), 5), -0.1)], axis=1)
    for number, (x, y) in enumerate([(60, 50), (150, 110), (250, 60)]):
        for at, (column, row, stride) in enumerate(CELLS):
            if stride == 16 and max(abs(column * 16 + 8 - x), abs(row * 16 + 8 - y)) <= 16:
                rows[at, :4] = x / 16 - column, y / 16 - row, 1.1, 1.2
                rows[at, 4:] = 0.9 - 0.1 * number - 0.0001 * at, 0.02, 0.95
    return rows[None].astype("f4")


def guest(scale: float, form: str, *, stride: bool = True, suppresses: bool = True) -> Any:
    def say(answers: Sequence[Any]) -> str:
        found: list[Any] = []
        for (column, row, by), line in sorted(
            zip(CELLS, answers[0][0][0], strict=True), key=lambda one: -one[1][4]
        ):
            score = line[4] * line[6]
            middle = (line[:2] + numpy.array([column, row])) * (by if stride else 1)
            sizes = numpy.exp(line[2:4]) * by
            box = [*(middle - sizes / 2) * scale, *(middle + sizes / 2) * scale]
            if score > 0.3 and not (suppresses and any(abs(box[0] - one[0]) < 30 for one, _ in found)):
                found.append((box, score))
            assert len(found) < 50, "with scores that are below 0 all boxes are compared with all"
        return form + "".join("{:.0f},{:.0f} .. {:.0f},{:.0f} {:.2f}\n".format(*box, s) for box, s in found)

    return say


def asked(say: Any) -> Any:
    return asked_of(say, answer(), sent=[Sent("picture", (1, 3, HIGH, WIDE), None, None, PLACED)])


@pytest.mark.parametrize(
    ("say", "said"),
    [
        (guest(480 / 307, "480 x 300\n"), ""),
        (guest(1.0, "480 x 300\n"), 'beside them "480 x 300", the size of the picture'),
        (guest(1.0, "boxes\n"), ""),
        (guest(1.0, "480 x 300, as 320 x 192\n"), ""),
        (guest(1.0, "480 x 300 resized:\n"), ""),
        (guest(480 / 307, "480 x 300\n", stride=False), "not multiplied by the grid's stride?"),
        (guest(1.0, "", stride=False), "not multiplied by the grid's stride?"),
        (guest(1.0, "grid:\n", stride=False), ""),
    ],
)
def test_cells_and_pixels(say: Any, said: str) -> None:
    found = misscaled(asked(say))
    assert (said in found) if said else (found == "")


@pytest.mark.parametrize("suppresses", [True, False])
def test_suppression_of_boxes_in_cells(suppresses: bool) -> None:
    found = misjudged(asked(guest(480 / 307, "", suppresses=suppresses)))
    assert found == "" if suppresses else "is non-maximum suppression missing?" in found


def test_a_detector_is_asked_without_scores_first() -> None:
    assert moves(asked(guest(480 / 307, "")))


@pytest.mark.parametrize(("scale", "seen"), [(1.0, True), (150 / 307, False)])
def test_boxes_beyond_a_smaller_picture(scale: float, seen: bool) -> None:
    placed = Placed((94, 150), (0, 0, 94, 150), (0, 0, 192, 307), (HIGH, WIDE))
    sent = [Sent("picture", (1, 3, HIGH, WIDE), None, None, placed)]
    found = misscaled(asked_of(guest(scale, "boxes\n"), answer(), sent=sent))
    assert ("are they not divided by 2.047?" in found) is seen
