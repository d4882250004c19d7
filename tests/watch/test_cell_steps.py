"""How far a guest takes cells to be apart, and how far they are by the model. Mistakes and right twins."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy
import pytest

from pywasm_nn.watch.probes.asked import Placed, Sent
from pywasm_nn.watch.probes.cell_planes import seen_in
from pywasm_nn.watch.probes.cell_steps import misstepped
from pywasm_nn.watch.whatif.views import View
from tests.watch.test_uses_of_answers import asked_of

SIDE, WINDOW = 96, 8


def detector(picture: Any, stride: int) -> Any:
    """Scores and offsets of cells that see more than their distance, as a convolution without padding."""
    places = range(0, SIDE - WINDOW + 1, stride)
    scores = [[picture[y : y + WINDOW, x : x + WINDOW].max() - 0.8 for x in places] for y in places]
    made = numpy.zeros((3, len(places), len(places)), "f4")
    made[0] = scores
    return made


def hint(step: float, stride: int = 4, scale: float = 1.0, form: str = "spot at {0:.1f} {1:.1f}\n") -> str:
    picture = numpy.random.default_rng(stride).uniform(0, 0.4, (SIDE, SIDE))
    picture[[20, 50, 70], [30, 66, 24]] = 1.0

    def say(answers: Sequence[Any]) -> str:
        cells, text = answers[0][0][0], ""
        for row, column in numpy.argwhere(cells[0] > 0).tolist():
            x, y = (step * at + cells[one, row, column] + 3.5 for one, at in ((1, column), (2, row)))
            text += form.format(x, y)
        return text

    size = (round(SIDE * scale),) * 2
    placed = Placed(size, (0, 0, *size), (0, 0, SIDE, SIDE), (SIDE, SIDE))
    sent = [Sent("image", (1, 1, SIDE, SIDE), None, None, placed)]
    asked = asked_of(say, detector(picture, stride)[None], sent=sent)

    def answer_to(view: View) -> dict[int, Any]:
        return {0: detector(numpy.roll(picture, (view.moved, view.moved), (0, 1)), stride)[None]}

    asked.answer_to = answer_to
    found = seen_in(asked)
    assert found is not None
    return misstepped(asked, *found)


@pytest.mark.parametrize(
    ("step", "stride", "scale", "seen"),
    [
        (4, 4, 1.0, False),
        (8, 4, 1.0, True),
        (8, 4, 2.0, False),
        (16, 4, 2.0, True),
        (16, 8, 1.0, True),
        (8, 8, 1.0, False),
        (4, 8, 1.0, False),
        (SIDE / 23, 4, 1.0, False),
    ],
)  # fmt: skip
def test_the_side_of_a_cell_for_its_distance(step: float, stride: int, scale: float, *, seen: bool) -> None:
    said = hint(step, stride, scale)
    assert (f"are cells {stride * scale:.4g} apart, and only as large as {step}?" in said) is seen
    assert bool(said) is seen
    assert hint(step, stride, scale, "cell {0:.0f} {1:.0f}\n") == ""
