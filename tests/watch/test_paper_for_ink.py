"""Dark ink on bright paper for inputs that are named after ink."""

from __future__ import annotations

from typing import Any

import numpy
import pytest

from pywasm_nn.nn.tensor import Tensor
from pywasm_nn.watch.origin import Origin
from pywasm_nn.watch.origin.decoding import Source
from pywasm_nn.watch.origin.ranges import SWAPPED
from pywasm_nn.watch.sent.paper_for_ink import paper_for_ink

ROWS, COLUMNS = numpy.mgrid[:28, :28]
INK = (abs(ROWS - COLUMNS) < 2) & (ROWS > 4) & (ROWS < 24)
DIAL = numpy.where((ROWS - 14) ** 2 + (COLUMNS - 14) ** 2 < 170, numpy.where(INK, 20, 245), 120)


def hint(array: Any, name: str, steps: tuple[str, ...] | None = None) -> str:
    source = Source("a.pgm", numpy.zeros((28, 28, 1), "u1"), "28 x 28 pixels", is_picture=True)
    found = None if steps is None else Origin(source, steps)
    return paper_for_ink(Tensor.from_numpy(numpy.ascontiguousarray(array)), name, found)


@pytest.mark.parametrize(
    ("array", "name"),
    [
        ((~INK).astype("f4").reshape(1, 1, 28, 28), "ink"),
        ((~INK).astype("u1").reshape(1, 784), "darkness"),
        ((~INK).astype("f4").reshape(784), "ink"),
        ((127.5 - 255 * INK).astype("f4").reshape(1, 28, 28, 1), "pen_strokes"),
    ],
)
def test_paper_is_the_largest(array: Any, name: str) -> None:
    assert "are black and white to be swapped?" in hint(array, name)
    assert hint(array, "pink") == hint(array, "picture") == ""
    assert hint(array.max() - array + array.min(), name) == ""


def test_paper_in_the_middle_of_a_picture_that_was_read() -> None:
    dial = (DIAL / 255).astype("f4").reshape(1, 1, 28, 28)
    assert "its bright ground has the largest elements (up to 0.961)" in hint(dial, "ink", ())
    assert hint(dial, "ink") == hint(dial, "ink", (SWAPPED,)) == hint(1 - dial, "ink", (SWAPPED,)) == ""
    assert hint((INK * 0.9).astype("f4").reshape(1, 1, 28, 28), "ink", ()) == ""  # chalk on a blackboard
