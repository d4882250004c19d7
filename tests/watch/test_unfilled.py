"""Batches whose rows were written over each other, or too far apart."""

from __future__ import annotations

from typing import Any

import numpy
import pytest

from pywasm_nn.watch.order.unfilled import misplaced

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
