"""Parts of a picture that are cut at the places of a table, with x and y exchanged."""

from __future__ import annotations

from typing import Any

import numpy
import pytest

from tests.watch.test_false_alarms import all_said
from tests.watch.test_origin import ppm

PLACES = [(70, 8), (6, 40), (24, 24), (88, 30), (40, 4)]
HEIGHT, WIDTH, SIDE = 64, 120, 24
LAYOUTS = {"planar": (0, 3, 1, 2), "interleaved": (0, 1, 2, 3)}


def tray() -> Any:
    """Round things on a plain ground."""
    picture = numpy.full((HEIGHT, WIDTH, 3), (60, 90, 130), "u1")
    rows, columns = numpy.mgrid[:HEIGHT, :WIDTH]
    for at, (x, y) in enumerate(PLACES):
        apart = numpy.hypot(rows - y - 12, columns - x - 12)
        picture[apart < 7 + at] = (200 - 20 * at, 40 * at, 90 + 9 * at)
        picture[apart < 3] = (250, 250 - 30 * at, 5 * at)
    return picture


def parts(picture: Any, *, exchanged: bool, is_moved: bool = False) -> Any:
    found = []
    for x, y in PLACES:
        top, left = (x, y) if exchanged else (y, x)
        if is_moved:
            top, left = min(top, HEIGHT - SIDE), min(left, WIDTH - SIDE)
        rows, columns = (numpy.minimum(at + numpy.arange(SIDE), most - 1)
                         for at, most in ((top, HEIGHT), (left, WIDTH)))  # fmt: skip
        found.append(picture[numpy.ix_(rows, columns)])
    return numpy.stack(found)


def said(cut: Any, heading: str = "left,top", layout: str = "planar", places: Any = PLACES) -> str:
    lines = "".join(f"{x},{y}\n" for x, y in places)
    files = {"tray.ppm": ppm(tray()), "things.csv": f"{heading}\n{lines}".encode()}
    array = cut.transpose(LAYOUTS[layout])[:, None]
    return " ".join(all_said(array, files, len(array)))


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("is_moved", [True, False])
def test_x_and_y_exchanged(*, is_moved: bool, layout: str) -> None:
    wrong = parts(tray(), exchanged=True, is_moved=is_moved) / 255
    right = parts(tray(), exchanged=False, is_moved=is_moved) / 255
    assert "x and y exchanged" in said(wrong, layout=layout)
    assert said(right, layout=layout) == ""


def test_what_else_is_cut() -> None:
    wrong = parts(tray(), exchanged=True) / 127.5 - 1
    assert "x and y exchanged" in said(wrong)
    assert "x and y exchanged" not in said(wrong, heading="row,col")
    assert "x and y exchanged" not in said(wrong, heading="y,x", places=PLACES), "as the table says"
    assert "x and y exchanged" not in said(wrong[::-1]), "in another order"
    assert "x and y exchanged" not in said(wrong[:1].repeat(5, axis=0)), "the same one again and again"


def test_parts_of_plain_ground_were_not_divided_as_whole_numbers() -> None:
    picture = tray()
    picture[:9, :9] = numpy.arange(243).reshape(9, 9, 3)
    ground = numpy.full((1, 3, 24, 24), 60 / 255)
    ground[0, 2] = 130 / 255
    ground[0, 1] = 60 / 255
    picture[30:, :30] = (60, 60, 130)
    assert all_said(ground, {"tray.ppm": ppm(picture)}) == []
