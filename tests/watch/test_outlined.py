"""Outlines of what is high in a map of the input, in the pixels of the input or of the picture."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy
import pytest

from pywasm_nn.watch.probes.asked import Placed, Sent
from pywasm_nn.watch.probes.outlined import undivided
from tests.watch.test_uses_of_answers import asked_of

ENLARGED = Placed((48, 96), (0, 0, 48, 96), (0, 0, 96, 192), (96, 192))
SAME = Placed((96, 192), (0, 0, 96, 192), (0, 0, 96, 192), (96, 192))
PART = Placed((48, 200), (0, 0, 48, 96), (0, 0, 96, 192), (96, 192))
FORM = "text from {},{} to {},{} ({:.1f} %)\n"


def hint(
    by: float = 1, placed: Placed | None = ENLARGED, form: str = FORM, right: int = 180, smaller: int = 1
) -> str:
    """What is said of a guest that writes where a map is high, times `by`. The map, which is so many times
    smaller than the input, is high up to the column `right` of that."""
    map_ = numpy.full((96 // smaller, 192 // smaller), 0.05, "f4")
    map_[20 // smaller : 40 // smaller, 30 // smaller : right // smaller] = 0.9

    def say(answers: Sequence[Any]) -> str:
        rows, columns = numpy.nonzero(numpy.reshape(answers[0], map_.shape) > 0.3)
        if not len(rows):
            return "no text\n"
        ends = (columns.min(), rows.min(), columns.max() + 1, rows.max() + 1)
        return form.format(*(round(float(one) * by * smaller) for one in ends), 100 * len(rows) / map_.size)

    return undivided(asked_of(say, map_, sent=[Sent("x", (1, 3, 96, 192), None, None, placed)]))


@pytest.mark.parametrize("smaller", [1, 2])
@pytest.mark.parametrize("form", [FORM, "{:3d} {:3d} {:3d} {:3d} ({:.2f})\n"])
def test_an_outline_beyond_the_picture(form: str, smaller: int) -> None:
    found = hint(form=form, smaller=smaller)
    assert "up to 180 across and 40 down; the picture has 96 x 48" in found
    assert "are they not divided by 2?" in found


@pytest.mark.parametrize(
    "given",
    [
        {"by": 0.5}, {"by": 2}, {"placed": SAME}, {"placed": PART}, {"placed": None}, {"right": 90},
        {"form": "in the input: {} {} {} {} ({:.1f})\n"}, {"by": 0.5, "smaller": 2},
    ],
)  # fmt: skip
def test_outlines_that_may_be_meant(given: dict[str, Any]) -> None:
    """In the picture's pixels, in others, of a part of it, within it, or said to be the input's."""
    assert hint(**given) == ""


def test_more_numbers_for_some_places() -> None:
    """A guest may write the digits one by one, or be cut off by the time."""

    def say(answers: Sequence[Any]) -> str:
        high = numpy.flatnonzero(numpy.reshape(answers[0], (96, 192)).max(axis=0) > 0.3)
        return " ".join(str(high[0] + 40)) + "\n" if len(high) else "no text\n"

    map_ = numpy.full((96, 192), 0.05, "f4")
    map_[20:40, 30:180] = 0.9
    assert undivided(asked_of(say, map_, sent=[Sent("x", (1, 3, 96, 192), None, None, ENLARGED)])) == ""


SHRUNK = Placed((192, 384), (0, 0, 192, 384), (0, 0, 96, 192), (96, 192))
BESIDE = "text from ({}, {}) to ({}, {}) of 384 x 192\n"


@pytest.mark.parametrize("smaller", [1, 2])
@pytest.mark.parametrize("form", [BESIDE, "384x192: {} {} {} {}\n"])
def test_an_outline_beside_the_size_of_the_picture(form: str, smaller: int) -> None:
    found = hint(placed=SHRUNK, form=form, smaller=smaller)
    assert "the size of the picture: are they not multiplied by 2 and 2?" in found
    assert hint(by=2, placed=SHRUNK, form=form, smaller=smaller) == "", "in the picture's pixels"


@pytest.mark.parametrize(
    "given",
    [
        {"form": FORM}, {"form": "192 x 96: " + BESIDE}, {"form": "input: " + BESIDE}, {"placed": None},
        {"placed": Placed((192, 400), (0, 0, 192, 384), (0, 0, 96, 192), (96, 192))},
        {"placed": SAME, "form": BESIDE.replace("384 x 192", "192 x 96")},
    ],
)  # fmt: skip
def test_an_outline_that_may_be_meant_beside_a_size(given: dict[str, Any]) -> None:
    """No size is written, or the input's, too, or the picture has another one, or lies there as it is."""
    assert hint(**{"placed": SHRUNK, "form": BESIDE, **given}) == ""


CUT = Placed((300, 500), (48, 128, 144, 320), (0, 0, 96, 192), (96, 192))
CUT_HALVED = Placed((300, 500), (48, 16, 240, 400), (0, 0, 96, 192), (96, 192))
OF_ALL = "at {}, {} to {}, {} of the page\n"


@pytest.mark.parametrize("smaller", [1, 2])
@pytest.mark.parametrize("form", [OF_ALL, "{} {} {} {} (500 x 300)\n", "in the photo: {}, {}, {}, {}\n"])
@pytest.mark.parametrize(("placed", "by"), [(CUT, 1), (CUT_HALVED, 1), (CUT_HALVED, 2)])
def test_an_outline_from_the_beginning_of_a_part(placed: Placed, by: float, form: str, smaller: int) -> None:
    top, left = placed.part[:2]
    found = hint(by, placed, form, smaller=smaller)
    assert f"column {left}, row {top} of the picture (500 x 300)" in found
    assert hint(by, placed, form.replace("page", "crop").replace("photo", "cut").replace("500", "501")) == ""
    whole = Placed(placed.size, (2, 1, *placed.part[2:]), placed.lies, placed.input)
    assert hint(by, whole, form) == "", "nearly from the picture's beginning"


@pytest.mark.parametrize("add", [(128, 48), (320, 96)])
def test_the_place_of_a_part_is_added(add: tuple[int, int]) -> None:
    def say(answers: Sequence[Any]) -> str:
        rows, columns = numpy.nonzero(numpy.reshape(answers[0], (96, 192)) > 0.3)
        if not len(rows):
            return "no text\n"
        x, y = columns.min() + add[0], rows.min() + add[1]
        return f"at {x}, {y}, {columns.max() + 1 - columns.min()} wide, of the page\n"

    map_ = numpy.full((96, 192), 0.05, "f4")
    map_[20:40, 30:180] = 0.9
    placed = Placed((300, 520), (add[1], add[0], add[1] + 96, add[0] + 192), (0, 0, 96, 192), (96, 192))
    assert undivided(asked_of(say, map_, sent=[Sent("x", (1, 3, 96, 192), None, None, placed)])) == ""
