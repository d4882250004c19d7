"""Pictures that a guest shrank in its own loops, which went wrong."""

from typing import Any

import numpy
import pytest

from pywasm_nn.watch.origin.boxed import boxed
from pywasm_nn.watch.origin.decoding import Source, decoded
from tests.watch.test_origin import ppm

ORDER = numpy.random.default_rng(9)


def source(height: int, width: int, channels: int) -> tuple[Any, Source]:
    pixels = ORDER.integers(0, 256, (height, width, channels), "u1")
    head = f"P{5 if channels == 1 else 6}\n{width} {height}\n255\n".encode()
    found = decoded("a.ppm", head + pixels.tobytes())
    assert found is not None
    return pixels, found


def means(pixels: Any, size: tuple[int, int], box: tuple[int, int], stride: int) -> Any:
    """The means of boxes [height, width, channels], as a guest's loops take them; beyond the end is 7."""
    flat = pixels.reshape(-1, pixels.shape[2]).astype("f8")
    flat = numpy.concatenate([flat, numpy.full((4 * len(flat), flat.shape[1]), 7.0)])
    y, x, j, i = numpy.ix_(range(size[0]), range(size[1]), range(box[0]), range(box[1]))
    return flat[(y * box[0] + j) * stride + x * box[1] + i].mean(axis=(2, 3))


def found_in(elements: Any, of: Source) -> tuple[str, str]:
    array = numpy.ascontiguousarray(elements.transpose(2, 0, 1)[None], "f4")
    found = boxed(array, of)
    return ("none", "") if found is None else (str(found), found.wrong)


@pytest.mark.parametrize(("height", "width"), [(32, 48), (48, 32), (40, 90), (70, 60)])
@pytest.mark.parametrize("channels", [1, 3])
@pytest.mark.parametrize("size", [(8, 8), (12, 10), (16, 8)])
def test_means_of_boxes(height: int, width: int, channels: int, size: tuple[int, int]) -> None:
    pixels, of = source(height, width, channels)
    box = height // size[0], width // size[1]
    right, wrong = found_in(means(pixels, size, box, width) / 255, of)
    assert "the mean of each box" in right and wrong == ""
    _, wrong = found_in(means(pixels, size, box, height) / 127.5 - 1, of)
    assert f"looked up {height} pixels apart" in wrong
    other = width // size[0], height // size[1]
    if other != box:
        _, wrong = found_in(means(pixels, size, other, width) / 255, of)
        assert f"boxes of {other[1]} x {other[0]} were taken: height and width are exchanged" in wrong


@pytest.mark.parametrize(("height", "width"), [(32, 48), (41, 29)])
@pytest.mark.parametrize("order", [1, -1])
def test_nearest_pixels(height: int, width: int, order: int) -> None:
    pixels, of = source(height, width, 3)
    pixels = pixels[..., ::order]
    down, across = numpy.arange(12), numpy.arange(9)
    flat = numpy.concatenate([pixels.reshape(-1, 3), numpy.zeros((9999, 3), "u1")])

    def near(rows: Any, columns: Any, stride: int) -> Any:
        return flat[rows[:, None] * stride + columns] / 255

    right, wrong = found_in(near(down * height // 12, across * width // 9, width), of)
    assert "nearest pixel" in right and wrong == ""
    assert ("RGB" if order == 1 else "BGR") in right
    _, wrong = found_in(near(down * height // 12, across * width // 9, height), of)
    assert f"looked up {height} pixels apart" in wrong
    _, wrong = found_in(near(down * width // 12, across * height // 9, width), of)
    assert "height and width are exchanged" in wrong


def test_other_pictures() -> None:
    pixels, of = source(32, 48, 1)
    assert found_in(ORDER.uniform(0, 1, (8, 8, 1)), of)[0] == "none"
    square = pixels[:32, :32]
    assert found_in(means(square, (8, 8), (4, 4), 32) / 255, of)[0] == "none", "a part is cut on purpose"
    assert boxed(numpy.ones((1, 1, 8, 8), "f4"), decoded("b.ppm", ppm(pixels.repeat(3, 2))) or of) is None
