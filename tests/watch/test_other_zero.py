"""Bytes with another zero than the type of the input says."""

from __future__ import annotations

from typing import Any

import numpy
import pytest

from pywasm_nn.nn.tensor import Tensor
from pywasm_nn.watch.sent.other_zero import other_zero

AT = numpy.arange(160)
WAVE = numpy.rint(30 * numpy.sin(AT / 9) + 12 * numpy.sin(AT / 2.3)).astype("i1").reshape(1, 2, 80)
SQUARE = (255 * (AT % 20 < 10) + (AT % 7 == 0) * 3 * (1 - 2 * (AT % 20 < 10))).astype("u1")


def hint(array: Any, name: str = "x") -> str:
    return other_zero(Tensor.from_numpy(numpy.ascontiguousarray(array)), name)


@pytest.mark.parametrize(
    ("array", "said"),
    [
        (WAVE.view("u1"), "is 128 to be added to each"),
        ((WAVE.astype("i2") + 128).astype("u1").view("i1"), "is 128 to be taken away from each"),
        (WAVE, ""),
        ((WAVE.astype("i2") + 128).astype("u1"), ""),
        (SQUARE, ""),  # a sound that is cut off
        (abs(WAVE).astype("u1"), ""),
        (AT.astype("u1"), ""),
        (numpy.tile(WAVE.view("u1").reshape(10, 16), (1, 1, 1)), ""),  # a picture in black and white
        (WAVE.view("u1").astype("f4"), ""),
    ],
)
def test_bytes_at_both_ends(array: Any, said: str) -> None:
    found = hint(array)
    assert said in found and bool(said) == bool(found)


def test_numbers_that_go_round() -> None:
    assert not hint(WAVE.view("u1"), "wind_direction")
