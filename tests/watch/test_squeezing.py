"""Pictures that were squeezed far more in one direction than in the other, as in `imagenet.c` and `ocr.c` of
the outside set 12, and pictures that were cropped, bordered, or squeezed as usual."""

from __future__ import annotations

from typing import Any

import numpy
import pytest

from pywasm_nn.watch.origin import decoded, traced
from pywasm_nn.watch.origin.resizing import resized
from pywasm_nn.watch.sent.squeezing import squeezed
from tests.watch.test_origin import ppm, scene


def said(pixels: Any, shown: Any, wanted: tuple[int, ...], classes: int = 0, names: str = "") -> str:
    """What is said of an input [1, 3, height, width] made of a picture."""
    source = decoded("a.ppm", ppm(pixels))
    array = numpy.ascontiguousarray((shown / 255).astype("f4").transpose(2, 0, 1)[None])
    assert source is not None
    found = traced(array, source)
    assert found is not None and found.wrong == ""
    return squeezed(found, array.shape, wanted, classes, names)


def into(pixels: Any, height: int, width: int) -> Any:
    return resized(numpy.ascontiguousarray(pixels).astype("f4"), height, width)


SQUARE, FREE, STRIP = (1, 3, 96, 96), (1, 3, 48, -1), (1, 3, 48, 96)


@pytest.mark.parametrize("size", [(100, 256), (256, 100)])
def test_a_wide_picture_in_a_square(size: tuple[int, int]) -> None:
    photo = scene(1, *size)
    side = 100
    middle = tuple(slice((length - side) // 2, (length + side) // 2) for length in size)
    text = said(photo, into(photo, 96, 96), SQUARE)
    assert "2.6 times" in text and ("narrower" in text) == (size[1] > size[0])
    assert said(photo, into(photo[middle], 96, 96), SQUARE) == ""


@pytest.mark.parametrize("box", [(10, 20, 90, 50), (30, 5, 90, 150), (0, 0, 120, 48)])
def test_a_box_around_something_in_a_square(box: tuple[int, int, int, int]) -> None:
    """A walker whom a detector found is tall, and recognised in a square."""
    street = scene(6, 120, 160)
    top, left, bottom, right = box
    assert said(street, into(street[top:bottom, left:right], 96, 96), SQUARE) == ""


@pytest.mark.parametrize("names", ["mel_db genres", "x ecg-12", "image spectrogram_cnn"])
def test_what_is_as_wide_as_it_lasts(names: str) -> None:
    heard = scene(7, 100, 256)
    assert said(heard, into(heard, 96, 96), SQUARE, names=names) == ""
    assert "2.6 times" in said(heard, into(heard, 96, 96), SQUARE, names="image meals")


def test_a_border_is_right() -> None:
    photo = scene(2, 100, 256)
    shown = numpy.zeros((96, 96, 3))
    shown[29:67] = into(photo, 38, 96)
    assert said(photo, shown, SQUARE) == ""


@pytest.mark.parametrize("size", [(90, 120), (90, 160), (160, 90)])
def test_what_is_usual(size: tuple[int, int]) -> None:
    photo = scene(3, *size)
    assert said(photo, into(photo, 96, 96), SQUARE) == ""


def test_a_line_of_text_in_an_input_of_any_width() -> None:
    page = scene(4, 96, 320)
    line = page[24:58, 25:297]
    assert "4.0 times narrower" in said(page, into(line, 48, 96), FREE)
    assert "4.0 times narrower" in said(page, into(line, 48, 96), FREE, 6625)
    assert said(page, into(line, 48, 96), FREE, 2) == "", "how it lies is seen in a narrow one, too"
    assert "the model takes other sizes" in said(page, into(line, 48, 96), FREE)
    assert said(page, into(line, 48, 384), FREE) == ""
    assert said(page, into(line, 48, 96), STRIP) == ""


def test_a_picture_that_is_wider_than_it_has_to_be() -> None:
    photo = scene(5, 90, 96)
    assert said(photo, into(photo, 48, 192), FREE) == ""
    assert said(photo, into(photo, 48, 192), (1, 3, -1, -1)) == ""
    assert "2.1 times lower" in said(photo, into(photo, 40, 88), (1, 3, -1, -1))
