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


def scan(cell: tuple[int, int], at: tuple[int, int], rows: int = 1, ground: int = 255) -> Any:
    """A page of cells with a drawing of 8 x 8 pixels at a place of each, dark or bright on an even ground."""
    page = numpy.full((rows * cell[0], 5 * cell[1], 1), ground, "u1")
    for row in range(rows):
        for column in range(5):
            top, left = row * cell[0] + at[0], column * cell[1] + at[1]
            page[top : top + 8, left : left + 8, 0] = abs(ground - ORDER.integers(60, 250, (8, 8)))
    return page


def cut_at(page: Any, cell: tuple[int, int], at: tuple[int, int], size: int = 8) -> list[Any]:
    ends = page.shape[0] - cell[0] + 1, page.shape[1] - cell[1] + 1
    starts = [(y + at[0], x + at[1]) for y in range(0, ends[0], cell[0]) for x in range(0, ends[1], cell[1])]
    return [page[None, None, y : y + size, x : x + size, 0] / 255.0 for y, x in starts]


@pytest.mark.parametrize("ground", [0, 255])
@pytest.mark.parametrize("rows", [1, 3])
@pytest.mark.parametrize(
    ("cell", "lies", "cut", "seen"),
    [
        ((16, 16), (4, 4), (0, 0), "from row 4 and column 4 on"),
        ((14, 12), (3, 2), (6, 4), "from row 3 and column 2 on"),
        ((12, 8), (2, 0), (0, 0), "from row 2 and column 0 on"),
        ((16, 16), (4, 4), (4, 4), ""),
        ((14, 12), (3, 2), (3, 2), ""),
    ],
)  # fmt: skip
def test_tiles_beside_what_is_drawn(
    cell: tuple[int, int], lies: tuple[int, int], cut: tuple[int, int], seen: str, rows: int, ground: int
) -> None:
    page = scan(cell, lies, rows, ground)
    text = "".join(said(cut_at(page, cell, cut), page))
    assert seen in text and bool(text) is bool(seen)
    assert not said(cut_at(page[:, : 4 * cell[1]], cell, cut), page), "not all cells are cut"


def test_parts_of_cells_that_are_meant() -> None:
    """Cells with more in them than a tile holds (the corner of a card), and pictures without a ground."""
    page = scan((16, 16), (2, 2))
    page[10:14, 12::16] = 0
    assert said(cut_at(page, (16, 16), (0, 0)), page) == []
    photo = ORDER.integers(0, 255, (16, 80, 1)).astype("u1")
    assert said(cut_at(photo, (16, 16), (0, 0)), photo) == []


def test_tiles_are_followed_until_another_thing_is_sent() -> None:
    """Which costs next to nothing, so that it is done even where there is no time for searches."""
    found = Tiles()
    assert not found.is_followed("input 0")
    for tile in row(8, 3):
        found.set("input 0", tile, ("page.pgm", PAGE))
        assert found.is_followed("input 0") and not found.is_followed("input")
    found.set("input 0", ORDER.normal(size=(1, 1, 8, 8)), ("page.pgm", PAGE))
    assert not found.is_followed("input 0")
