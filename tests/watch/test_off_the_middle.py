"""Crops that are nearly the middle of a picture, and crops that are meant."""

from __future__ import annotations

from typing import Any

import numpy
import pytest

from pywasm_nn.watch.origin import decoded, traced
from pywasm_nn.watch.origin.resizing import resized
from tests.watch.test_origin import ppm, scene

PHOTO = scene(8, 160, 200)
SOURCE = decoded("a.ppm", ppm(PHOTO))


def said(left: int, top: int, side: int, new: int = 96) -> str:
    """What is said of a square part of the picture if no other follows."""
    part = PHOTO[top : top + side, left : left + side].astype("f4")
    shown: Any = resized(numpy.ascontiguousarray(part), new, new) if new != side else part
    assert SOURCE is not None
    found = traced(numpy.ascontiguousarray((shown / 255).astype("f4").transpose(2, 0, 1)[None]), SOURCE)
    assert found is not None and found.wrong == ""
    return found.in_part


@pytest.mark.parametrize(("left", "top", "side"), [(20, 0, 160), (30, 10, 140), (31, 11, 139), (36, 16, 128)])
def test_the_middle(left: int, top: int, side: int) -> None:
    assert said(left, top, side) == ""


@pytest.mark.parametrize(
    ("left", "top", "side", "where"),
    [
        (40, 10, 140, "10 pixels too far right"),
        (30, 20, 140, "10 pixels too far down"),
        (22, 2, 140, "8 pixels too far left and 8 pixels too far up"),
    ],
)
def test_off_by_some_pixels(left: int, top: int, side: int, where: str) -> None:
    assert said(left, top, side).endswith(where)


@pytest.mark.parametrize(("left", "top", "side"), [(30, 0, 160), (12, 0, 160), (22, 14, 140), (38, 6, 140)])
def test_nothing_says_that_the_middle_was_meant(left: int, top: int, side: int) -> None:
    """A part as high as the picture can't be anywhere else in that direction; others are off differently."""
    assert "not the middle" not in said(left, top, side)


@pytest.mark.parametrize(("left", "top", "side"), [(60, 30, 96), (0, 60, 90), (100, 64, 96)])
def test_parts_that_are_chosen(left: int, top: int, side: int) -> None:
    assert "not the middle" not in said(left, top, side, 64)
