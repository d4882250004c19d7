"""Numbers of a grid's cells that are read as planes, or side by side. Each mistake has its right twin."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy
import pytest

from pywasm_nn.watch.probes.asked import Sent
from pywasm_nn.watch.probes.grid_cells import misplaced
from tests.watch.test_uses_of_answers import asked_of

STRIDE = 8
Say = Callable[[Sequence[Any]], str]


def answer(count: int, rows: int, columns: int, seed: int = 3) -> Any:
    """Planes of a score and further numbers, with three things."""
    made = numpy.random.default_rng(seed).normal(0, 0.3, (count, rows, columns)).astype("f4")
    made[0] -= 5
    for row, column in ((2, 3), (5, 7), (7, 2)):
        made[0, row, column] = 4 + row / 10
    return made


def guest(count: int, rows: int, columns: int, form: str, *, planar: bool) -> Say:
    """A guest that reads the answer's elements as planes or side by side, and keeps peaks."""

    def say(answers: Sequence[Any]) -> str:
        flat, text = answers[0][0].reshape(-1), ""
        cells = flat.reshape(count, rows, columns)
        if not planar:
            cells = flat.reshape(rows, columns, count).transpose(2, 0, 1)
        wide = numpy.pad(cells[0], 1, constant_values=-numpy.inf)
        for row, column in numpy.argwhere(cells[0] > 0).tolist():
            if cells[0, row, column] < wide[row : row + 3, column : column + 3].max():
                continue
            x, y = (STRIDE * (at + 0.5) + cells[one, row, column] for one, at in ((1, column), (2, row)))
            text += form.format(x, y, x + 12, y + 14, cells[0, row, column])
        return text

    return say


FORMS = ("spot at {0:.1f} {1:.1f}\n", "{4:.2f}: {0:.0f},{1:.0f} to {2:.0f},{3:.0f}\n")


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("lies_planar", [True, False])
@pytest.mark.parametrize(("count", "rows", "columns"), [(3, 15, 15), (5, 12, 12), (5, 9, 14)])
def test_planes_and_numbers_side_by_side(
    count: int, rows: int, columns: int, form: str, *, lies_planar: bool
) -> None:
    planes = answer(count, rows, columns)
    given = planes if lies_planar else numpy.ascontiguousarray(planes.transpose(1, 2, 0))
    sent = [Sent("image", (1, 1, rows * STRIDE, columns * STRIDE), None, None)]
    for reads_planar in (True, False):
        say = guest(count, rows, columns, form, planar=reads_planar)
        said = misplaced(asked_of(say, given[None], sent=sent))
        lie = "planes, one" if lies_planar else f"{count} numbers side by side"
        assert (f"by its shape it has {lie}" in said) is (lies_planar is not reads_planar)
        assert not said or lies_planar is not reads_planar


def test_what_says_no_places() -> None:
    planes = answer(3, 12, 12)
    sent = [Sent("image", (1, 1, 96, 96), None, None)]
    for say in (
        lambda answers: f"{int((answers[0][0][0, 0] > 0).sum())} things\n",
        lambda answers: f"surest {answers[0][0].max():.2f}\n",
        lambda answers: f"at {int(answers[0][0].argmax())}\n",
    ):
        assert misplaced(asked_of(say, planes[None], sent=sent)) == ""
