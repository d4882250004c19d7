"""Means and deviations for the other order of channels: a mistake of guests of classifiers, and how detectors
of texts were trained."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy
import pytest

from pywasm_nn.watch.origin import decoded, traced
from pywasm_nn.watch.sent.shapes import gives_maps
from tests.watch.test_origin import ppm, scene
from tests.watch.whatif_models import DEVIATION, MEAN


def test_numbers_for_the_other_order_are_told_from_others() -> None:
    photo = scene(6, 96, 96)
    source = decoded("a.ppm", ppm(photo))
    assert source is not None
    for pixels, is_reversed in ((photo[..., ::-1], True), (photo, False)):
        array = ((pixels / 255 - MEAN.reshape(3)) / DEVIATION.reshape(3)).transpose(2, 0, 1)[None]
        found = traced(numpy.ascontiguousarray(array.astype("f4")), source)
        assert found is not None and found.is_reversed is is_reversed
        assert ("the numbers for the other order" in found.wrong) is is_reversed


@pytest.mark.parametrize(
    ("shapes", "maps"),
    [
        (((1, 10),), False),
        (((1, 1, -1, -1),), True),
        (((1, 1, 64, 64),), True),
        (((1, 64, 64, 21),), True),
        (((1, 1000, 1, 1),), False),
        (((1, 1, 1, 1404), (1, 1, 1, 1)), False),
        ((None,), False),
    ],
)
def test_models_that_answer_with_maps(shapes: Any, maps: bool) -> None:
    graph: Any = SimpleNamespace(outputs=[SimpleNamespace(shape=shape) for shape in shapes])
    assert gives_maps(graph) is maps
