"""Boxes that begin with y or x, by the words of guests and the mirror image. Each mistake has right twins."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy
import pytest

from pywasm_nn.watch.probes.asked import Placed, Sent
from pywasm_nn.watch.probes.crossed_boxes import crossed
from tests.watch.test_uses_of_answers import asked_of

RNG = numpy.random.default_rng(9)
WORDS = "left {0:.0f} top {1:.0f} width {2:.0f} height {3:.0f}\n"
TWO_CORNERS = "x1={0:.0f} y1={1:.0f} x2={2:.0f} y2={3:.0f}\n"
BARE = "{0:.0f} {1:.0f} {2:.0f} {3:.0f}\n"
SQUARE, WIDE = (Placed((96, width), (0, 0, 96, width), (0, 0, 64, 64), (64, 64)) for width in (96, 192))


def things() -> Any:
    """Left, top, right and bottom of three things among many of the background, in parts of the picture, and
    their scores."""
    starts = RNG.uniform(0.02, 0.6, (24, 2))
    boxes = numpy.concatenate([starts, starts + RNG.uniform(0.08, 0.3, (24, 2))], axis=1)
    scores = numpy.full(24, 0.03)
    boxes[[3, 9, 17]] = [0.1, 0.5, 0.22, 0.7], [0.3, 0.1, 0.6, 0.24], [0.7, 0.6, 0.8, 0.95]
    scores[[3, 9, 17]] = 0.95, 0.8, 0.7
    return boxes, scores


def in_rows(boxes: Any, form: str) -> Any:
    """Boxes as a model gives them: with x or y first, as corners or with a middle and sizes."""
    starts, ends = boxes[:, :2], boxes[:, 2:]
    if form.endswith("middle"):
        starts, ends = (starts + ends) / 2, ends - starts
    order = slice(None, None, -1 if form.startswith("y") else 1)
    return numpy.concatenate([starts[:, order], ends[:, order]], axis=1).astype("f4")


def corners(row: Any, form: str) -> Any:
    """What a guest makes of a row that it takes for one of this form."""
    first, second = row[:2], row[2:]
    if form.endswith("middle"):
        first, second = first - second / 2, first + second / 2
    order = slice(None, None, -1 if form.startswith("y") else 1)
    return [*first[order], *second[order]]


def hint(rows: str, taken: str, text: str, placed: Placed = SQUARE, **how: Any) -> str:
    boxes, scores = things()
    form = text.replace("\n", ", a thing\n")
    is_sorted = how.get("is_sorted", False)

    def answers(of: Any) -> list[Any]:
        order = numpy.argsort(-scores) if is_sorted else numpy.arange(24)
        beside = [scores[order][None], numpy.full((1, 24), 2.0)] if is_sorted else [scores[None, :, None]]
        return [in_rows(of, rows)[order][None], *(one.astype("f4") for one in beside)]

    def say(given: Sequence[Any]) -> str:
        found, text = [one[0] for one in given[0]], ""
        for row, score in zip(found[0], found[1].reshape(-1), strict=True):
            x, y, right, bottom = (
                one * side for one, side in zip(corners(row, taken), placed.size[::-1] * 2, strict=True)
            )
            last = (right - x, bottom - y) if "width" in form else (right, bottom)
            text += form.format(x, y, *last) if score > 0.5 else ""
        return text

    sent = [Sent("picture", (1, 3, 64, 64), None, None, placed)]
    asked = asked_of(say, *answers(boxes), names=("boxes", "scores", "kinds"), sent=sent)
    turned = boxes.copy()
    if how.get("is_mirrored", True):
        turned[:, [0, 2]] = 1 - boxes[:, [2, 0]] + RNG.uniform(-0.004, 0.004, (24, 2))
    asked.answer_to = lambda _: dict(enumerate(answers(turned)))
    return crossed(asked)


@pytest.mark.parametrize("text", [WORDS, TWO_CORNERS])
@pytest.mark.parametrize("kind", [" corners", " middle"])
@pytest.mark.parametrize("is_sorted", [True, False])
def test_boxes_that_begin_with_the_other(text: str, kind: str, *, is_sorted: bool) -> None:
    x, y = "x" + kind, "y" + kind
    assert "rows are y, x" in hint(y, x, text, is_sorted=is_sorted)
    assert "rows are x, y" in hint(x, y, text, is_sorted=is_sorted)
    for right in (x, y):
        assert hint(right, right, text, is_sorted=is_sorted) == ""
    assert hint(y, x, text, is_sorted=is_sorted, is_mirrored=False) == "", "a model that doesn't see it"


def test_words_or_sides_say_what_is_meant() -> None:
    assert hint("y", "x", BARE) == ""
    assert "rows are y, x" in hint("y", "x", BARE, WIDE)
    assert hint("y", "y", BARE, WIDE) == hint("x", "x", BARE, WIDE) == ""
