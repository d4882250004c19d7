"""Boxes by their middles, of which a guest compares the four numbers as if they were two corners. Each
mistake has right twins."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy
import pytest

from pywasm_nn.watch.probes.compared_middles import as_corners
from tests.watch.test_uses_of_answers import asked_of

RNG = numpy.random.default_rng(8)
Overlap = Callable[[Any, Any], float]


def answer(side: float, count: int, kinds: int) -> Any:
    """Rows with a middle, a size and scores, of which a few see something."""
    size = side / 6
    rows = numpy.concatenate(
        [RNG.uniform(size, side - size, (count, 2)), RNG.uniform(0.8, 1.2, (count, 2)) * size], 1
    )
    scores = RNG.uniform(0, 0.2, (count, kinds))
    scores[5:8, -1] = 0.97, 0.9, 0.85
    rows[5:8, :2] = [[0.5 * side, 0.6 * side], [0.52 * side, 0.6 * side], [0.5 * side, 0.63 * side]]
    return numpy.concatenate([rows, scores], 1).astype("f4")


def by_corners(one: Any, other: Any) -> float:
    """What two boxes share of their areas together."""
    wide = min(one[2], other[2]) - max(one[0], other[0])
    high = min(one[3], other[3]) - max(one[1], other[1])
    if wide <= 0 or high <= 0:
        return 0.0
    areas = sum((box[2] - box[0]) * (box[3] - box[1]) for box in (one, other))
    return float(wide * high / (areas - wide * high))


def by_middles(one: Any, other: Any) -> float:
    def sides(box: Any) -> Any:
        return [*(box[:2] - box[2:] / 2), *(box[:2] + box[2:] / 2)]

    return by_corners(sides(one), sides(other))


def guest(overlap: Overlap, form: str, *, most: int = 100) -> Any:
    """A guest that drops each box over one that it keeps."""

    def say(answers: Sequence[Any]) -> str:
        one = [numpy.asarray(part)[0] for part in answers[0]]
        boxes, scores = (one[0], one[1]) if len(one) == 2 else (one[0][:, :4], one[0][:, 4:])
        kept: list[int] = []
        for at in numpy.argsort(-scores.max(1), kind="stable"):
            if scores[at].max() > 0.5 and all(overlap(boxes[at], boxes[other]) <= 0.3 for other in kept):
                kept.append(int(at))
        lines = [form.format(scores[at].argmax(), 100 * scores[at].max(), *boxes[at]) for at in kept[:most]]
        return "".join(lines) + f"{len(kept)} things\n"

    return say


FORMS = ("{0} at {2:.0f},{3:.0f} {1:.0f} %\n", "{2:.3f} {3:.3f}\n", "")


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(("side", "count", "kinds"), [(96, 441, 3), (1, 60, 1), (640, 100, 7)])
@pytest.mark.parametrize("apart", [False, True])
def test_middles_compared_as_corners(form: str, side: float, count: int, kinds: int, apart: bool) -> None:
    whole = answer(side, count, kinds)[None]
    outputs = [whole[:, :, :4].copy(), whole[:, :, 4:].copy()] if apart else [whole]

    def hint(overlap: Overlap) -> str:
        return as_corners(asked_of(guest(overlap, form), *outputs, names=("boxes", "scores")))

    assert "as if they were two corners" in hint(by_corners)
    assert hint(by_middles) == ""
    assert hint(lambda *_: 0.0) == ""  # which is another mistake
    assert hint(lambda *_: 1.0) == ""


def test_boxes_that_are_corners() -> None:
    rows = answer(200, 80, 2)
    rows[:, 2:4] += rows[:, :2]
    for overlap in (by_corners, by_middles):
        assert as_corners(asked_of(guest(overlap, FORMS[0]), rows[None])) == ""
