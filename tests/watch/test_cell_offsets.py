"""Offsets across that are taken for offsets down, and the picture's mirror image."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy
import pytest

from pywasm_nn.nn.tensor import Tensor
from pywasm_nn.watch.probes.asked import Sent
from pywasm_nn.watch.probes.cell_offsets import crossed
from pywasm_nn.watch.probes.cell_planes import seen_in
from pywasm_nn.watch.whatif.views import MIRRORED, View, seen
from tests.watch.test_uses_of_answers import asked_of

ROWS, COLUMNS, STRIDE = 12, 16, 8
THINGS = ((4, 3, 0.9, 0.3), (5, 8, 0.2, 0.8), (3, 12, 0.1, 0.6), (9, 6, 0.7, 0.1))
"""Row, column, and offsets across and down as parts of a cell."""
Bend = Callable[[Any], Any]


def grid(bend: Bend, *, is_mirrored: bool = False) -> Any:
    """Score, offset across, offset down and a size."""
    made = numpy.zeros((1, 4, ROWS, COLUMNS), "f4")
    made[0, 0] = -5
    for number, (row, column, across, down) in enumerate(THINGS):
        if is_mirrored:
            column, across = COLUMNS - 1 - column, 1 - across
        made[0, :, row, column] = (4 - number / 9, bend(across), bend(down), 2)
    return made


def hint(bend: Bend, back: Bend, form: str, *, turned: bool, is_mirrored: bool = True) -> str:
    """What is said of a guest that writes places, perhaps with its offsets exchanged."""

    def say(answers: Any) -> str:
        cells, text = answers[0][0][0], ""
        for y, x in numpy.argwhere(cells[0] > 0):
            across, down = (back(cells[1 + at, y, x]) for at in ((1, 0) if turned else (0, 1)))
            text += form.format((x + across) * STRIDE, (y + down) * STRIDE)
        return text

    def answer_to(view: View) -> Mapping[int, Any]:
        assert view == MIRRORED
        return {0: grid(bend, is_mirrored=is_mirrored)}

    sent = [Sent("x", (1, 3, ROWS * STRIDE, COLUMNS * STRIDE), None, None)]
    asked = asked_of(say, grid(bend), sent=sent)
    asked.answer_to = answer_to
    found = seen_in(asked)
    return crossed(asked, *found) if found is not None else ""


def logit(share: Any) -> Any:
    return numpy.log(share / (1 - share))


def sigmoid(value: Any) -> Any:
    return 1 / (1 + numpy.exp(-value))


@pytest.mark.parametrize(
    ("bend", "back"), [(float, float), (logit, sigmoid), (lambda one: one - 0.5, lambda one: one + 0.5)]
)
@pytest.mark.parametrize("form", ["at {0:.1f},{1:.1f}\n", "y {1:.1f}, x {0:.1f}\n"])
def test_offsets_exchanged(bend: Bend, back: Bend, form: str) -> None:
    assert "are offsets across and down exchanged?" in hint(bend, back, form, turned=True)
    assert hint(bend, back, form, turned=False) == ""
    assert hint(bend, back, form, turned=True, is_mirrored=False) == ""  # a model that sees nothing of it


def test_the_mirror_image() -> None:
    array = numpy.arange(3 * 8 * 12, dtype="f4").reshape(1, 3, 8, 12)
    assert (seen(Tensor.from_numpy(array), MIRRORED) == array[..., ::-1]).all()
    assert (
        seen(Tensor.from_numpy(array.reshape(1, 8, 12, 3)), MIRRORED)[0, :, 0]
        == array.reshape(8, 12, 3)[:, -1]
    ).all()
