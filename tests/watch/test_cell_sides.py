"""Heights of a grid's cells that are taken for widths, and a part of the picture twice as high."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy
import pytest

from pywasm_nn.nn.tensor import Tensor
from pywasm_nn.watch.probes.asked import Sent
from pywasm_nn.watch.probes.cell_planes import seen_in
from pywasm_nn.watch.probes.cell_sides import crossed
from pywasm_nn.watch.whatif.views import View, seen
from tests.watch.test_uses_of_answers import asked_of

SIDE, STRIDE = 16, 8
THINGS = ((4, 3, 3.6, 2.1), (5, 8, 4.1, 2.8), (3, 12, 3.2, 2.5), (11, 6, 4.8, 3.0))
"""Row, column, height and width in cells."""


def grid(bend: Callable[[float], float], top: float | None = None) -> Any:
    """Score, height and width, of the whole picture or a part that is twice as high."""
    made = numpy.zeros((1, 3, SIDE, SIDE), "f4")
    made[0, 0] = -5
    for number, (row, column, height, width) in enumerate(THINGS):
        if top is not None:
            row, height, width = 2 * row - int(2 * top * SIDE), 2 * height, 1.1 * width
        if 0 <= row < SIDE:
            made[0, :, row, column] = (4 - number / 9, bend(height), bend(width))
    return made


def hint(bend: Any, back: Any, form: str, *, turned: bool, grows: bool = True) -> str:
    """What is said of a guest that writes boxes, perhaps with height and width exchanged."""

    def say(answers: Any) -> str:
        cells, text = answers[0][0][0], ""
        for y, x in numpy.argwhere(cells[0] > 0):
            high, wide = (float(back(one)) * STRIDE for one in cells[1:, y, x])
            high, wide = (wide, high) if turned else (high, wide)
            middle = (x + 0.5) * STRIDE, (y + 0.5) * STRIDE
            text += form.format(
                middle[0] - wide / 2,
                middle[1] - high / 2,
                middle[0] + wide / 2,
                middle[1] + high / 2,
                wide,
                high,
            )
        return text

    def answer_to(view: View) -> Mapping[int, Any]:
        assert view.left is None and not view.is_mirrored
        return {0: grid(bend, view.top if grows else None)}

    asked = asked_of(say, grid(bend), sent=[Sent("x", (1, 3, SIDE * STRIDE, SIDE * STRIDE), None, None)])
    asked.answer_to = answer_to
    found = seen_in(asked)
    return crossed(asked, *found) if found is not None else ""


@pytest.mark.parametrize(("bend", "back"), [(numpy.log, numpy.exp), (float, float)])
@pytest.mark.parametrize(
    "form", ["{0:.1f},{1:.1f} {2:.1f},{3:.1f}\n", "{0:.0f} {1:.0f}: {4:.0f} x {5:.0f}\n"]
)
def test_heights_for_widths(bend: Any, back: Any, form: str) -> None:
    found = hint(bend, back, form, turned=True)
    assert "number 1 of a cell (from 0) grows" in found
    assert "are height and width exchanged?" in found
    assert hint(bend, back, form, turned=False) == ""
    assert hint(bend, back, form, turned=True, grows=False) == ""


def test_a_part_that_is_twice_as_high() -> None:
    array = numpy.arange(3 * 8 * 12, dtype="f4").reshape(1, 3, 8, 12)
    found = seen(Tensor.from_numpy(array), View(0.25))
    assert found.shape == array.shape and (found[..., 1::2, :] == array[..., 2:6, :]).all()
