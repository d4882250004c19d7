"""Width and height that are exchanged in a shape, by how alike pixels of the rows are."""

from __future__ import annotations

from typing import Any

import numpy
import pytest

from pywasm_nn.watch.changes.sides import are_exchanged
from pywasm_nn.watch.sent.elements import sides_exchanged
from tests.watch.test_origin import ppm, scene
from tests.watch.test_raw_pixels import wrong

ORDER = numpy.random.default_rng(3303)
EXCHANGED = "height and width exchanged?"


def line_of_letters(height: int, width: int) -> Any:
    """Dark strokes on white paper, few of all pixels, as of a line of text."""
    pixels = numpy.full((height, width, 3), 250, "u1")
    top, low = height // 3, height // 2 + 2
    for left in range(8, width - 8, 6):
        wide, down = ORDER.integers(1, 4), ORDER.integers(top, low - 3)
        pixels[down : down + ORDER.integers(3, low - top), left : left + wide] = 40
        pixels[ORDER.integers(top, low), left : left + 6] = 90
    return pixels


def as_planes(pixels: Any) -> Any:
    return (pixels.transpose(2, 0, 1) / 127.5 - 1).astype("f4")


@pytest.mark.parametrize(("height", "width"), [(96, 320), (48, 200), (200, 64)])
def test_sides_of_a_line_of_letters(height: int, width: int) -> None:
    """Most pixels are the same white, so that those at any distance differ little."""
    pixels = line_of_letters(height, width)
    data, planes = pixels.tobytes(), as_planes(pixels)
    assert EXCHANGED in wrong(planes.reshape(1, 3, width, height), data, "a.raw")
    assert EXCHANGED in wrong(pixels.reshape(1, width, height, 3), data, "a.raw")
    assert wrong(planes[None], data, "a.raw") in ("", "?")


@pytest.mark.parametrize("seed", range(1, 13))
def test_sides_of_a_picture_from_no_file(seed: int) -> None:
    """No file has these elements, as of a picture that was resized, or that the guest has in itself."""
    height, width = 40 + 3 * seed, 150 - 5 * seed
    pixels = scene(seed, height, width)
    for layout in (as_planes(pixels)[None], pixels[None] / 255, pixels[None, ..., :1].astype("f4")):
        assert sides_exchanged(layout) == ""
        shape = [width if one == height else height if one == width else one for one in layout.shape]
        assert EXCHANGED in sides_exchanged(layout.reshape(shape))


@pytest.mark.parametrize("seed", range(40))
def test_sides_of_what_is_no_picture(seed: int) -> None:
    """Noise, waves, stripes, spectra and random walks, of which none has rows of the other length."""
    order = numpy.random.default_rng(seed)
    height, width = (int(one) for one in order.integers(12, 160, 2))
    steps = numpy.arange(height * width)
    kinds = (
        order.normal(size=height * width),
        numpy.sin(steps / order.uniform(1, 40)) + order.normal(size=height * width) * 0.1,
        (steps % int(order.integers(2, 30)) < 2) * 1.0,
        (order.normal(size=(height, 1)) + order.normal(size=(height, width)) * 0.3).reshape(-1),
        order.normal(size=height * width).cumsum(),
        numpy.zeros(height * width),
    )
    for flat in kinds:
        assert sides_exchanged(flat.reshape(1, 1, height, width).astype("f4")) == ""
        assert not are_exchanged(flat, height, width, is_known=True)


@pytest.mark.parametrize(("height", "width"), [(40, 80), (64, 48), (24, 96)])
def test_sides_of_a_file_that_says_them(height: int, width: int) -> None:
    """Rows that are cut at half their length, or anywhere else."""
    pixels = scene(height, height, width)
    planes = as_planes(pixels)
    assert EXCHANGED in wrong(planes.reshape(1, 3, width, height), ppm(pixels), "a.ppm")
    assert wrong(planes[None], ppm(pixels), "a.ppm") == ""
