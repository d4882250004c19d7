"""Inputs of which all rows or columns are one of the picture that was read."""

from __future__ import annotations

from typing import Any

import numpy
import pytest

from pywasm_nn.watch.origin import Source
from pywasm_nn.watch.origin.one_line import one_line
from tests.watch.test_origin import scene

PIXELS = scene(7, 60, 90)


def hint(array: Any, pixels: Any = PIXELS, *, is_planar: bool = False) -> str:
    batch = numpy.ascontiguousarray(array.transpose(2, 0, 1) if is_planar else array)[None]
    return one_line(batch, Source("bird.ppm", pixels, "90 x 60 pixels", is_picture=True))


def sent(rows: Any, columns: Any, pixels: Any = PIXELS) -> Any:
    return pixels[numpy.asarray(rows)[:, None], numpy.asarray(columns)]


ONE, SIDE = numpy.zeros(32, int), numpy.arange(32)


@pytest.mark.parametrize("is_planar", [True, False])
@pytest.mark.parametrize("columns", [SIDE, 2 * SIDE, SIDE * 90 // 32, numpy.rint(SIDE * 89 / 31).astype(int)])
def test_rows_that_are_one(columns: Any, is_planar: bool) -> None:
    for row in (0, 17):
        rgb = sent(ONE + row, columns)
        for array in (rgb, rgb / 255, (rgb - [120.0, 110, 100]) / [60, 61, 65], rgb[..., ::-1] / 127.5 - 1):
            said = hint(array, is_planar=is_planar)
            assert f"compared with bird.ppm, all its rows are row {row} of 90 x 60 pixels" in said
    assert hint(sent(SIDE, columns), is_planar=is_planar) == ""


def test_columns_that_are_one() -> None:
    assert "all its columns are column 0 of 90 x 60" in hint(sent(SIDE * 60 // 32, ONE) / 255)
    grey = PIXELS[..., 1:2]
    assert "all its columns are column 3" in hint(sent(SIDE, ONE + 3, grey) / 255, grey)


def test_what_may_be_meant() -> None:
    assert hint(sent(ONE, ONE)) == "", "one pixel is another mistake"
    lines = numpy.repeat(PIXELS[:1], 60, axis=0)
    assert hint(sent(ONE, SIDE, lines), lines) == "", "the picture is so itself"
    ramp = numpy.repeat(numpy.linspace(0, 1, 32)[None, :, None], 32, axis=0).repeat(3, axis=2)
    assert hint(ramp) == "", "it is none of the picture's rows"
