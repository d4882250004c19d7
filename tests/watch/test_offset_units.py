"""Offsets that are added to places in another unit than theirs: of anchors, and of a grid's cells."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy
import pytest

from pywasm_nn.watch.probes.asked import Sent
from pywasm_nn.watch.probes.cell_fractions import unspread
from pywasm_nn.watch.probes.cell_planes import seen_in
from pywasm_nn.watch.probes.counted_anchors import middles_of
from pywasm_nn.watch.probes.offset_units import unlike_units
from tests.watch.test_uses_of_answers import asked_of

SIDE, LAYOUT = 128, ((8, 2), (16, 6))
MIDDLES = middles_of(LAYOUT, (SIDE, SIDE))
PICTURE = Sent("x", (1, SIDE, SIDE, 3), None, None)


def detected(at: tuple[float, float], size: float) -> list[Any]:
    """Boxes around a thing by MediaPipe's rows, in pixels, and their scores."""
    apart = numpy.array(at) - MIDDLES
    boxes = numpy.concatenate([apart.clip(-40, 40), numpy.full((len(apart), 2), size)], axis=1)
    scores = 5 - abs(apart).max(axis=1, keepdims=True)
    return [boxes[None].astype("f4"), scores[None].astype("f4")]


def corners(middle: Any, size: Any) -> str:
    first, second = middle - size / 2, middle + size / 2
    return f"{first[0]:.3f},{first[1]:.3f} {second[0]:.3f},{second[1]:.3f}\n"


def middle(middle: Any, size: Any) -> str:
    return f"thing at {middle[0]:.2f} {middle[1]:.2f} of width {size[0]:.2f}\n"


WAYS: dict[str, Callable[[Any, Any, Any], tuple[Any, Any]]] = {
    "shares": lambda place, box, size: (place / SIDE + box / SIDE, size / SIDE),
    "pixels": lambda place, box, size: (place + box, size),
    "of the picture": lambda place, box, size: (3 * (place + box), 3 * size),
    "undivided": lambda place, box, size: (place / SIDE + box, size),
    "in part": lambda place, box, size: (place + box / SIDE, size / SIDE),
}


@pytest.mark.parametrize("say", [corners, middle])
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(("at", "size"), [((60, 70), 30.0), ((40, 33), 12.0), ((64, 64), 110.0)])
def test_anchors(at: tuple[float, float], size: float, way: str, say: Callable[[Any, Any], str]) -> None:
    def text(answers: Any) -> str:
        boxes, scores = (one.reshape(len(MIDDLES), -1) for one in answers[0])
        best = int(scores[:, 0].argmax())
        return say(*WAYS[way](MIDDLES[best], boxes[best, :2], boxes[best, 2:]))

    found = unlike_units(asked_of(text, *detected(at, size), sent=[PICTURE]))
    said = {"undivided": "divided by 128 before", "in part": "added to places in pixels before"}.get(way, "")
    assert said in found
    assert bool(said) is bool(found)


CELLS, STRIDE = 12, 4
THINGS = ((3, 2, 0.9, 0.3), (4, 7, 0.2, 0.8), (9, 4, 0.5, 0.1))


@pytest.mark.parametrize("by", [1, STRIDE])
@pytest.mark.parametrize("scale", [1.0, 2.5])
@pytest.mark.parametrize("are_pixels", [True, False])
def test_cells(by: int, scale: float, *, are_pixels: bool) -> None:
    """Offsets are shares of a cell, or pixels of it, and are multiplied by `by`."""
    grid = numpy.zeros((1, 3, CELLS, CELLS), "f4")
    for row, column, across, down in THINGS:
        unit = STRIDE if are_pixels else 1
        grid[0, :, row, column] = (1, across * unit, down * unit)

    def text(answers: Any) -> str:
        cells, said = answers[0][0][0], ""
        for y, x in numpy.argwhere(cells[0] > 0.3):
            across, down = (STRIDE * at + by * cells[1 + axis, y, x] for axis, at in enumerate((x, y)))
            said += f"at {scale * across:.2f} {scale * down:.2f}\n"
        return said

    sent = Sent("x", (1, 1, CELLS * STRIDE, CELLS * STRIDE), None, None)
    asked = asked_of(text, grid, sent=[sent])
    found = seen_in(asked)
    assert found is not None
    said = unspread(asked, *found)
    assert ("to be multiplied by 4?" in said) is (by == 1 and not are_pixels) is bool(said)
