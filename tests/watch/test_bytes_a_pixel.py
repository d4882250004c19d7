"""Pictures whose pixels have as many bytes as the file says, and were taken to have others."""

from __future__ import annotations

from typing import Any

import numpy
import pytest

from pywasm_nn.watch.origin.calculated import Size, between, calculated_in, means, nearest
from pywasm_nn.watch.origin.decoding import Source

HIGH, WIDE = 70, 92
DOWN, ACROSS = numpy.mgrid[:HIGH, :WIDE]
GREY = (110 + 60 * numpy.sin(DOWN / 7) + 50 * numpy.cos((ACROSS - DOWN) / 5)).astype("u1")[..., None]
RGB = numpy.concatenate([GREY, GREY[::-1], GREY[:, ::-1]], axis=2)
ALPHA = numpy.full((HIGH, WIDE, 1), 255, "u1")


def read(stored: Any, count: int) -> Any:
    """Bytes as pixels of so many bytes, zeros behind them."""
    made = numpy.zeros(max(stored.size, HIGH * WIDE * count), "u1")
    made[: stored.size] = stored.reshape(-1)
    return made[: HIGH * WIDE * count].reshape(HIGH, WIDE, count)


@pytest.mark.parametrize(
    ("shown", "stored", "count", "said"),
    [
        (GREY, GREY, 3, "1 byte a pixel, and was read as 3"),
        (GREY, numpy.concatenate([GREY, ALPHA], 2), 3, "2 bytes a pixel, and was read as 3"),
        (GREY, numpy.concatenate([GREY, ALPHA], 2), 1, "2 bytes a pixel, and was read as 1"),
        (RGB, numpy.concatenate([RGB, ALPHA], 2), 3, "4 bytes a pixel (with alpha) were taken for 3"),
        (RGB, RGB, 1, "3 bytes a pixel, and was read as 1"),
    ],
)
@pytest.mark.parametrize("kind", ["f4", "u1"])
def test_other_bytes_a_pixel(shown: Any, stored: Any, count: int, said: str, kind: str) -> None:
    size = Size(40, 48, 0, 0)
    has_alpha = stored.shape[2] in (2, 4)
    colours = numpy.repeat(shown, 3, 2) if has_alpha and shown.shape[2] == 1 else shown
    array = numpy.concatenate([colours, ALPHA], 2) if has_alpha else colours
    source = Source("a.png", array, "92 x 70 pixels", True)

    def found(pixels: Any) -> str:
        made = means(pixels, numpy.arange(size.height), numpy.arange(size.width), size)
        elements = made / 255 if kind == "f4" else made
        origin = calculated_in(elements.astype(kind)[None], [[source]])
        return "" if origin is None else origin.wrong

    assert said in found(read(stored, count))
    assert found(shown if count != 1 or shown.shape[2] == 1 else shown[..., :1]) == ""


@pytest.mark.parametrize("way", [means, nearest, between(0.5)])
@pytest.mark.parametrize(
    ("apart", "said"), [(48, "which is the input's width"), (HIGH, "which is the height"), (WIDE, "")]
)
def test_rows_at_another_distance(way: Any, apart: int, said: str) -> None:
    """Means of several rows are smooth, though these rows belong to others."""
    size = Size(40, 48, 0, 0)
    flat = RGB.reshape(-1, 3)
    looked_up = flat[numpy.arange(HIGH)[:, None] * apart + numpy.arange(WIDE)]
    elements = way(looked_up, numpy.arange(size.height), numpy.arange(size.width), size) / 127.5 - 1
    source = Source("a.png", RGB, "92 x 70 pixels", True)
    found = calculated_in(elements.astype("f4")[None], [[source]])
    assert found is not None and said in found.wrong and bool(said) is bool(found.wrong)
