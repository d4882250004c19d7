"""Parts of grids of numbers, shifted and scaled: byte order, signs, marks, lines above those of a text."""

from __future__ import annotations

from typing import Any

import numpy
import pytest

from pywasm_nn.nn.tensor import Tensor
from pywasm_nn.watch.sent.grids import misread_grid
from pywasm_nn.watch.sent.text_grids import misread_text_grid

ROWS, COLUMNS = numpy.mgrid[:60, :90]
WAVES = 300 * numpy.sin(COLUMNS / 11 + ROWS / 7) + 200 * numpy.cos(ROWS / 5)
NOISE = numpy.random.default_rng(4).integers(0, 65536, WAVES.shape)
PART = slice(20, 44), slice(30, 62)


def holed(heights: Any, mark: float = -32768) -> Any:
    made = heights.copy()
    made[25:27, 40:44] = mark
    return made


def tensor(elements: Any) -> Tensor:
    """Elements less their mean, in hundreds."""
    return Tensor.from_numpy(((elements - elements.mean()) / 100).astype("f4")[None])


@pytest.mark.parametrize(
    "heights, kind, read, words",
    [
        (WAVES + 1200, ">i2", "<i2", "read as little-endian"),
        (WAVES / 10 + 500, "<u2", ">u2", "as little-endian they are 4"),
        (WAVES, "<i2", "<u2", "were read without their sign"),
        (100 * WAVES, "<i4", ">i4", "its numbers of 32 bits were read as big-endian"),
        (100 * WAVES, ">i4", ">i4", ""),
        (holed(WAVES + 900), ">i2", ">i2", "8 of its 768 numbers are -32768"),
        (holed(WAVES + 900.5, -9999), "<f4", "<f4", "numbers are -9999"),
        (WAVES + 1200, ">i2", ">i2", ""),
        (WAVES, "<i2", "<i2", ""),
        (NOISE, "<u2", "<u2", ""),
        (NOISE // 256 * 256, "<u2", "<u2", ""),
        (NOISE // 16 * 16, ">u2", ">u2", ""),
    ],
)
@pytest.mark.parametrize("header", [b"", b"MAP\0\1"])
def test_grids_of_words(heights: Any, kind: str, read: str, words: str, header: bytes) -> None:
    data = header + heights.astype(kind).tobytes()
    part = numpy.frombuffer(data, read, heights.size, len(header)).reshape(heights.shape)[PART]
    for elements in (part.astype("f8"), part[:, ::-1].astype("f8")):
        found = misread_grid(tensor(elements), [("a.bin", data)], lambda: True)
        is_mirrored = elements[0, 0] != part[0, 0]
        assert (words in found and bool(words) == bool(found)) or (is_mirrored and not found)


def test_mended_holes() -> None:
    heights = holed(WAVES + 900)
    data = heights.astype(">i2").tobytes()
    mended = numpy.where(heights == -32768, 1000, heights.astype("i2"))[PART]
    assert misread_grid(tensor(mended.astype("f8")), [("a.hgt", data)], lambda: True) == ""


ESRI = b"ncols 12\nnrows 10\nxllcorner 412000\nyllcorner 5283000\ncellsize 30\nNODATA_value -999\n"
FEW = (WAVES[:10, :12] + 900.25).round(1)
HEADS = {"esri": ESRI, "surfer": b"DSAA\n12 10\n0 11\n0 9\n400 1400\n", "sides": b"10 12\n"}


def written(head: bytes, numbers: Any) -> bytes:
    return head + b"".join(b" ".join(b"%.1f" % one for one in row) + b"\r\n" for row in numbers)


@pytest.mark.parametrize(
    "head, by, words",
    [
        ("esri", -1, 'is -999, "NODATA_value" above the grid'),
        ("esri", -2, 'is 30, "cellsize" above the grid'),
        ("surfer", -2, 'is 400, "the ends of z" above the grid'),
        ("sides", -2, 'is 10, "the sides" above the grid'),
        ("esri", 12, "is number 13 of the grid, and at its end 12 are missing"),
        ("esri", 0, ""), ("surfer", 0, ""), ("sides", 0, ""),
    ],
)  # fmt: skip
def test_lines_above_a_grid(head: str, by: int, words: str) -> None:
    data = written(HEADS[head], FEW)
    above = [float(one) for one in HEADS[head].split() if one[:1].isdigit() or one[:1] == b"-"]
    every = numpy.array([*above, *FEW.reshape(-1), *numpy.zeros(120)])
    start = len(above) + by
    found = misread_text_grid(tensor(every[start : start + 120].reshape(10, 12)), [("a.asc", data)])
    assert words in found and bool(words) == bool(found)


@pytest.mark.parametrize("part", [(slice(0, 10), slice(0, 12)), (slice(1, 9), slice(2, 11))])
def test_marks_that_a_text_names(part: tuple[slice, slice]) -> None:
    holes = FEW.copy()
    holes[4, 5:7] = -999
    data = written(ESRI, holes)
    said = misread_text_grid(tensor(holes[part]), [("a.asc", data)])
    assert "2 of its" in said and "NODATA_value -999, which stands" in said
    mended = numpy.where(holes == -999, 800, holes)
    assert misread_text_grid(tensor(mended[part]), [("a.asc", data)]) == ""


@pytest.mark.parametrize("number", [0, 2])
def test_grids_with_rows_and_columns_exchanged(number: int) -> None:
    """A text may hold several grids; of other sides a model may want columns."""
    head = b"ncols 12\nnrows 12\nxllcorner 412000\n"
    grids = [(WAVES[at : at + 12, at : at + 12] + 900.25).round(1) for at in (0, 9, 21)]
    data = b"".join(written(head, one) for one in grids)
    files = [("fields.asc", data)]
    said = misread_text_grid(tensor(grids[number].T), files)
    assert "compared with fields.asc, rows and columns of the grid are exchanged" in said
    assert misread_text_grid(tensor(grids[number]), files) == ""
    plain = "\n".join(" ".join(map(str, row)) for row in grids[number]).encode()
    assert misread_text_grid(tensor(grids[number].T), [("a.txt", plain)]) == "", "it may be of series"
    assert misread_text_grid(tensor(FEW.T), [("a.asc", written(ESRI, FEW))]) == ""
    same = grids[0] + grids[0].T
    assert misread_text_grid(tensor(same), [("a.asc", written(head, same))]) == ""


@pytest.mark.parametrize("between", ["", " ", ","])
@pytest.mark.parametrize("factor", [1.0, 1 / 9, 2 / 255])
def test_codes_of_digits_that_stand_each_for_itself(between: str, factor: float) -> None:
    """Of another width, or as texts, a model may want the codes."""
    cells = numpy.random.default_rng(8).integers(0, 6, (14, 11))
    data = "\r\n".join(between.join(map(str, row)) for row in cells).encode()

    def said(elements: Any) -> str:
        sent = Tensor.from_numpy((elements * factor).astype("f4"))
        return misread_text_grid(sent, [("maze.txt", data)])

    words = 'compared with maze.txt, its elements are the codes of the characters "0" to "5" (48 to 53'
    assert words in said(cells[None, :, :, None] + 48)
    assert said(cells[None, :, :, None]) == said(cells[None] - 2.5) == said(cells[None] * 3 + 1) == ""
    assert said((cells + 48).reshape(1, 154)) == said((cells + 48)[None, ::-1]) == ""
