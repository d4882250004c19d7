"""Batches whose rows were written over each other, or too far apart."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy
import pytest

from pywasm_nn.nn.operation import NNEvent
from pywasm_nn.nn.tensor import DType, Tensor, TensorSpec
from pywasm_nn.watch.order.unfilled import Unfilled, misplaced
from tests.watch.test_origin import ppm, scene

ROWS = numpy.random.default_rng(5).normal(size=(6, 9)).astype("f4")


def placed(apart: int) -> Any:
    """The rows in a batch of their shape, so many elements apart, as far as there is room."""
    made = numpy.zeros(ROWS.size, "f4")
    for at, row in enumerate(ROWS):
        part = made[at * apart : at * apart + len(row)]
        part[:] = row[: len(part)]
    return made.reshape(ROWS.shape)


@pytest.mark.parametrize(
    ("apart", "said"),
    [
        (0, "only the first of these (9 elements each) is filled"),
        (
            1,
            "behind the 14th are 0: the rows, of 9 elements each, seem to be written 1 element apart",
        ),
        (4, "seem to be written 4 elements apart, over each other"),
        (36, "only each 4th of these"),
        (9, ""),
    ],
)
def test_rows_at_another_distance(apart: int, said: str) -> None:
    found = misplaced(placed(apart))
    assert said in found and bool(found) == bool(said)


def test_one_row_is_empty() -> None:
    first, last = placed(9), placed(9)
    first[0] = last[-1] = 0
    assert "row 0 is all 0" in misplaced(first)
    assert "is one row counted too many" in misplaced(last)


@pytest.mark.parametrize(("last", "seen"), [("0.05 0.05 0.05 0.05", False), ("0.6 0.4 0.4 0.5", True)])
def test_a_line_of_one_number_from_which_it_was_taken_away(last: str, *, seen: bool) -> None:
    """Of a file with fewer lines a row is left; but a line of nothing but the offset is a row, too."""
    lines = ["0.45 0.22 0.31 0.5", "0.55 0.24 0.3 0.52", "1.05 0.9 0.7 0.8"]
    given = numpy.array([[float(word) for word in line.split()] for line in lines])
    batch = numpy.concatenate([given - 0.05, numpy.zeros((1, 4))]).astype("f4")
    text = "\n".join([*lines, last]).encode()
    unfilled = Unfilled(lambda: [("volts.txt", text)], lambda: None)
    tensor, spec = Tensor.from_numpy(batch), TensorSpec("x", DType.F32, (None, 4))
    unfilled.nn_event(NNEvent("set_input", "", 0.0, None, None, 1, 1, None, 0, (spec,), (tensor,)))
    written: Any = SimpleNamespace(
        error=None, name="fd_write", arguments=[("fd", 1), ("ciovs", [b"1\n2\n3\n4\n"])]
    )
    unfilled.host_call(written)
    assert bool([*unfilled.finish()]) is seen


def test_a_last_row_that_ends_with_zeros() -> None:
    batch = placed(1)
    batch.reshape(-1)[12:] = 0
    assert "seem to be written 1 element apart" in misplaced(batch)


def test_rows_that_end_anywhere() -> None:
    """A sound that ends in the second row, counts of words, and rows that are empty here and there."""
    ended, sparse, gaps = placed(9), numpy.zeros((6, 9), "f4"), placed(9)
    ended.reshape(-1)[16:] = 0
    sparse[0, :2] = 1
    gaps[[1, 4]] = 0
    assert [misplaced(one) for one in (ended, sparse, gaps)] == ["", "", ""]


@pytest.mark.parametrize("kinds", [3, 4, 5, 7])
@pytest.mark.parametrize("others", [3, 6])
def test_a_last_row_of_the_first_kind(kinds: int, others: int) -> None:
    """Zeros and a one for each kind: those of the last row end the batch, as if it were shorter."""
    numbers = numpy.random.default_rng(kinds).normal(size=(kinds, others))
    ones = numpy.roll(numpy.eye(kinds), -1, axis=0)
    rows = numpy.concatenate([numbers, ones], axis=1).astype("f4")
    assert misplaced(rows) == ""
    apart = rows.shape[1] - 1
    made = numpy.zeros(rows.size, "f4")
    for at, row in enumerate(rows):
        made[at * apart : at * apart + len(row)] = row
    made[len(rows) * apart] = 0.5  # the last element of the last row
    assert f"seem to be written {apart} elements apart" in misplaced(made.reshape(rows.shape))


def said_of(batch: Any, text: str) -> bool:
    """Returns whether there is a hint about a batch of a guest that writes a text."""
    unfilled = Unfilled(lambda: [("a.csv", ("\n".join(" ".join(map(str, row)) for row in ROWS)).encode())])
    tensor, spec = Tensor.from_numpy(batch), TensorSpec("x", DType.F32, (None, 9))
    unfilled.nn_event(NNEvent("set_input", "", 0.0, None, None, 1, 1, None, 0, (spec,), (tensor,)))
    arguments = [("fd", 1), ("ciovs", [text.encode()])]
    written: Any = SimpleNamespace(error=None, name="fd_write", arguments=arguments)
    unfilled.host_call(written)
    return bool([*unfilled.finish()])


@pytest.mark.parametrize(
    ("place", "count", "head", "seen"),
    [
        (5, 6, "", True),
        (5, 5, "", False),
        (5, 5, "5 rows, and room for one more\n", False),  # six lines, of which five are about rows
        (0, 6, "", True),
        (0, 6, "row 0 is the baseline\n", False),
        (0, 6, "compared with all zeros:\n", False),
    ],
)
def test_a_row_that_is_empty_on_purpose(place: int, count: int, head: str, *, seen: bool) -> None:
    batch = placed(9)
    batch[place] = 0
    assert said_of(batch, head + "".join(f"row {at}: 0.5\n" for at in range(count))) is seen


MAP = scene(3, 64, 48)


def tiles(side: int, apart: int, *, planar: bool, filled: int | None = None) -> Any:
    """The tiles of a picture in a batch, by its mean and deviation, so many elements apart."""
    pixels = (MAP / 255 - 0.45) / 0.22
    blocks = pixels.reshape(64 // side, side, 48 // side, side, 3).transpose(0, 2, 1, 3, 4)
    rows = blocks.reshape(-1, side, side, 3)[:filled]
    made = numpy.zeros(blocks.size, "f4")
    for at, row in enumerate(rows.transpose(0, 3, 1, 2) if planar else rows):
        made[at * apart : at * apart + row.size] = row.reshape(-1)
    shape = (-1, 3, side, side) if planar else (-1, side, side, 3)
    return made.reshape(shape)


def said_of_tiles(batch: Any, text: str, picture: Any = MAP) -> str:
    unfilled = Unfilled(lambda: [("map.ppm", ppm(picture))])
    tensor, spec = Tensor.from_numpy(batch), TensorSpec("x", DType.F32, (None, *batch.shape[1:]))
    unfilled.nn_event(NNEvent("set_input", "", 0.0, None, None, 1, 1, None, 0, (spec,), (tensor,)))
    arguments = [("fd", 1), ("ciovs", [text.encode()])]
    written: Any = SimpleNamespace(error=None, name="fd_write", arguments=arguments)
    unfilled.host_call(written)
    return "; ".join(text for _, text in unfilled.finish())


@pytest.mark.parametrize("planar", [True, False])
@pytest.mark.parametrize("side", [8, 16])
@pytest.mark.parametrize("form", ["{} 90 %, {} 80 %, {} 70 %\n", "{} {}  {} {}  {} {}\n", "{} 99 %\n"])
def test_tiles_over_each_other(planar: bool, side: int, form: str) -> None:
    count = 64 * 48 // side**2
    size, plane = 3 * side * side, side * side
    lines = count // (1 if form.startswith("{} 9") and form.count("{") == 1 else 3)
    text = form.format(*["field"] * 6) * lines
    assert f"{plane} elements apart, over each other" in said_of_tiles(
        tiles(side, plane, planar=planar), text
    )
    filled = (count - 1) // 3 + 1
    assert said_of_tiles(tiles(side, size, planar=planar), text) == ""
    padded = tiles(side, size, planar=planar, filled=filled)
    assert said_of_tiles(padded, form.format(*["field"] * 6) * (lines // 3)) == "", "a batch that isn't full"
    assert said_of_tiles(tiles(side, plane + 5, planar=planar), text) == ""
    black = numpy.where(numpy.arange(64)[:, None, None] < 20, MAP, 0).astype("u1")
    assert said_of_tiles(tiles(side, plane, planar=planar), text, black) == ""
