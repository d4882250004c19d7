"""Maps of scores with maps of sizes and offsets. Each mistake has right twins."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy
import pytest

from pywasm_nn.watch.probes.heatmaps import mispaired, unsuppressed
from tests.watch.test_uses_of_answers import asked_of

RNG = numpy.random.default_rng(21)
HEIGHT, WIDTH, STRIDE = 12, 18, 4
SCORES = RNG.uniform(0, 0.2, (1, 1, HEIGHT, WIDTH)).astype("f4")
SCORES[0, 0, 7, 9:11] = 0.95, 0.9
PLANES = RNG.uniform(4, 6, (1, 4, HEIGHT, WIDTH)).astype("f4")


def says(
    *, in_planes: bool = True, keeps: bool = False, form: str = "{:.2f} at {:.1f},{:.1f} of {:.1f} x {:.1f}"
) -> Any:
    """A guest that lists boxes: planes are the width, the height and two offsets."""

    def say(answers: Sequence[Any]) -> str:
        scores, flat = answers[0][0].reshape(-1), answers[0][1].reshape(-1)
        kept: list[int] = []
        for cell in sorted(range(scores.size), key=lambda one: -scores[one]):
            near = any(abs(cell - one) in (1, WIDTH) for one in kept)
            if scores[cell] >= 0.5 and (keeps or not near):
                kept.append(cell)
        lines = []
        for cell in kept:
            wide, high, x, y = flat[cell :: scores.size] if in_planes else flat[4 * cell : 4 * cell + 4]
            left, top = (cell % WIDTH + x) * STRIDE, (cell // WIDTH + y) * STRIDE
            lines.append(form.format(scores[cell], left, top, wide * STRIDE, high * STRIDE))
        return "\n".join([f"{len(kept)} things", *lines]) + "\n"

    return say


@pytest.mark.parametrize("in_planes", [True, False])
@pytest.mark.parametrize("reads_planes", [True, False])
def test_numbers_of_a_cell(in_planes: bool, reads_planes: bool) -> None:
    maps = PLANES if in_planes else PLANES.transpose(0, 2, 3, 1).copy()
    said = mispaired(asked_of(says(in_planes=reads_planes), SCORES, maps))
    assert bool(said) is (in_planes is not reads_planes)
    assert ("says planes" if in_planes else "says 4 numbers") in said or not said


@pytest.mark.parametrize(
    ("say", "seen"),
    [
        (says(keeps=True), True),
        (says(), False),
        (says(keeps=True, form="{:.2f} at {:.1f},{:.1f}"), False),
        (says(keeps=True, form="candidate {:.2f} at {:.1f},{:.1f} of {:.1f} x {:.1f}"), False),
    ],
)
def test_cells_beside_each_other(say: Callable[..., str], seen: bool) -> None:
    assert ("is non-maximum suppression missing?" in unsuppressed(asked_of(say, SCORES, PLANES))) is seen
