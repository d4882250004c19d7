"""Sizes of a grid's cells that are logarithms, and a part of the picture twice as large."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy
import pytest

from pywasm_nn.nn.tensor import Tensor
from pywasm_nn.watch.probes.asked import Sent
from pywasm_nn.watch.probes.cell_sizes import unraised
from pywasm_nn.watch.whatif.views import View, seen
from tests.watch.test_uses_of_answers import asked_of

SIDE, STRIDE = 16, 8
THINGS = ((10, 3, 5.6), (10, 6, 6.1), (13, 2, 5.2), (12, 6, 7.8), (3, 12, 6.0))
"""Row, column and size in cells."""
Bend = Callable[[float], float]


def grid(of_size: Bend, part: tuple[float, float] | None = None) -> Any:
    """Score, offsets and size of cells, of the whole picture or a part that is twice as large."""
    made = numpy.zeros((1, 4, SIDE, SIDE), "f4")
    made[0, 0] = -5
    for number, (row, column, size) in enumerate(THINGS):
        if part is not None:
            row, column, size = (
                2 * row - int(2 * part[0] * SIDE),
                2 * column - int(2 * part[1] * SIDE),
                2 * size,
            )
        if 0 <= row < SIDE and 0 <= column < SIDE:
            made[0, :, row, column] = (4 - number / 9, 0.3, 0.6, of_size(size))
    return made


def hint(
    of_size: Bend, written: Bend, closer: Bend | None = None, form: str = "{0:.0f} {1:.0f} {2:.0f}\n"
) -> str:
    """What is said of a guest that writes a size of the numbers of a cell."""

    def say(answers: Any) -> str:
        cells, text = answers[0][0][0], ""
        for y, x in numpy.argwhere(cells[0] > 0):
            half = written(cells[3, y, x]) * STRIDE / 2
            across, down = (x + cells[1, y, x]) * STRIDE, (y + cells[2, y, x]) * STRIDE
            text += form.format(across, down, 2 * half, across - half, across + half)
        return text

    def answer_to(view: View) -> Mapping[int, Any]:
        assert view.top is not None and view.left is not None
        return {0: grid(closer or of_size, (view.top, view.left))}

    sent = [Sent("image", (1, 3, SIDE * STRIDE, SIDE * STRIDE), None, None)]
    asked = asked_of(say, grid(of_size), sent=sent)
    asked.answer_to = answer_to
    return unraised(asked)


@pytest.mark.parametrize("form", ["{0:.0f} {1:.0f} {2:.0f}\n", "{3:.1f} to {4:.1f}, {1:.1f}\n"])
def test_logarithms_as_they_are(form: str) -> None:
    assert "that of the 4 things in it isn't doubled" in hint(numpy.log, float, form=form)
    assert hint(numpy.log, numpy.exp, form=form) == ""
    assert hint(float, float, form=form) == ""  # sizes in cells
    assert hint(numpy.sqrt, numpy.square, form=form) == ""
    assert hint(numpy.log, float, lambda _: 0.0, form) == ""  # a model that doesn't know large things


def test_a_part_that_is_twice_as_large() -> None:
    array = numpy.arange(2 * 3 * 8 * 12, dtype="f4").reshape(2, 3, 8, 12)[:1]
    found = seen(Tensor.from_numpy(array), View(0.5, 0.25))
    assert found.shape == array.shape
    assert (found[..., ::2, 1::2] == array[..., 4:8, 3:9]).all()
    beside = array.transpose(0, 2, 3, 1).copy()
    assert (seen(Tensor.from_numpy(beside), View(0.5, 0.25)) == found.transpose(0, 2, 3, 1)).all()
    assert seen(Tensor.from_numpy(array[..., :11].copy()), View(0, 0)) is None
