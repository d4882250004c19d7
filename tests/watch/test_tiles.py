"""Tiles that a guest cuts out of a picture one after the other. Each mistake has right twins."""

from __future__ import annotations

from typing import Any

import numpy
import pytest

from pywasm_nn.watch.sent.tiles import Tiles, fits
from tests.watch.test_false_alarms import all_said

ORDER = numpy.random.default_rng(7)
PAGE = ORDER.integers(0, 255, (8, 48, 1)).astype("u1")
PLATE = ORDER.integers(0, 255, (24, 32, 3)).astype("u1")


def said(tiles: list[Any], pixels: Any = PAGE) -> list[str]:
    found = Tiles()
    for tile in tiles:
        found.set("input 0", tile, ("page.pgm", pixels))
    return [*found.finish()]


def row(step: int, count: int = 6) -> list[Any]:
    return [PAGE[None, None, :, at * step : at * step + 8, 0] / 255.0 for at in range(count)]


def grid(down: int, across: int) -> list[Any]:
    places = [(y * down, x * across) for y in range(3) for x in range(4)]
    return [PLATE[None, top : top + 8, left : left + 8] for top, left in places]


def test_tiles_that_are_cut_too_near() -> None:
    (text,) = said(row(7))
    assert (
        "tiles of 8 pixels are cut every 7 pixels: 6 of 8" in text
        and "the last 5 of these are in none" in text
    )
    assert "input 0: compared with page.pgm" in text
    (text,) = said([1 - tile for tile in row(7)])
    assert "every 7 pixels" in text, "dark on light"
    (text,) = said(grid(8, 7), PLATE)
    assert "cut every 7 pixels: 4 of 8" in text


@pytest.mark.parametrize(
    ("tiles", "pixels"),
    [
        (row(8), PAGE), (row(4, 11), PAGE), (row(7, 5), PAGE), (row(6), PAGE), (row(7, 3), PAGE),
        (grid(8, 8), PLATE), ([*row(7), numpy.ones((1, 1, 8, 8))], PAGE),
        ([*row(7), ORDER.normal(size=(1, 1, 8, 8))], PAGE),
    ],
)  # fmt: skip
def test_tiles_that_somebody_means(tiles: list[Any], pixels: Any) -> None:
    assert said(tiles, pixels) == []


def test_elements_that_are_no_numbers(recwarn: pytest.WarningsRecorder) -> None:
    """Bits of anything may be sent as floats: nothing is said of them, by numpy neither."""
    for odd in (numpy.nan, numpy.inf, 1e300):
        spoilt = [numpy.where(ORDER.random(tile.shape) < 0.3, odd, tile) for tile in row(7)]
        mixed = [numpy.where(ORDER.random(tile.shape) < 0.3, -odd, tile) for tile in spoilt]
        assert said(spoilt) == said(mixed) == []
        colours = [numpy.where(ORDER.random(tile.shape) < 0.3, odd, -odd) for tile in grid(8, 7)]
        assert said(colours, PLATE) == []
    assert not [*recwarn]


def test_what_is_looked_for() -> None:
    assert fits(8, 8, 8, 48) and not fits(8, 8, 8, 8) and not fits(8, 49, 8, 48)
    assert not fits(65, 65, 200, 200) and not fits(64, 64, 3000, 3000) and not fits(2, 3, 8, 8)


@pytest.mark.parametrize(("step", "words"), [(7, "tiles of 8 pixels are cut every 7"), (8, "")])
def test_a_guest_that_cuts_a_page(step: int, words: str) -> None:
    files = {"page.pgm": b"P5\n48 8\n255\n" + PAGE.tobytes()}
    text = "".join(all_said(numpy.stack(row(step)), files, 6))
    assert words in text and bool(words) == bool(text)
