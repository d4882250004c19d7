"""Lines whose first or last elements are kinds and switches, as zeros and ones, beside those that two lists
of a file scale; and numbers in such lines that stand for missing ones."""

from __future__ import annotations

from typing import Any

import numpy
import pytest

from pywasm_nn.nn.tensor import Tensor
from pywasm_nn.watch.sheets import Sheets

MEAN, WIDE = numpy.array([71.5, 12.25, 1013.0, 4.75, 0.65]), numpy.array([20.5, 6.5, 9.25, 2.125, 0.2])
LINES = MEAN + WIDE * numpy.array(
    [[0.5, -1.25, 1.5, 0.25, -0.75], [-1.5, 0.75, 0.3, 1.1, 0.6], [1.2, 0.4, -0.7, -1.6, 0.1]]
)
KINDS = numpy.array([[0, 1, 0, 1], [1, 0, 0, 0], [0, 0, 1, 1]])
WORDS = ["birch,yes", "alder,no", "oak,yes"]


def said(lines: Any, sent: Any, *, front: bool, once: bool = False) -> str:
    table = ["tree,wet,a,b,c,d,e" if front else "a,b,c,d,e,tree,wet"]
    for words, line in zip(WORDS, lines, strict=True):
        numbers = ",".join(f"{one:.9g}" for one in line)
        table.append(f"{words},{numbers}" if front else f"{numbers},{words}")
    lists = "\n".join(" ".join(f"{one:g}" for one in row) for row in (MEAN, WIDE))
    sheets = Sheets(lambda: [("scaler.txt", lists.encode()), ("plots.csv", "\n".join(table).encode())])
    rows = numpy.hstack([KINDS, sent] if front else [sent, KINDS]).astype("f4")
    found: list[str] = []
    for row in [rows] if once else rows[:, None]:
        found += sheets.set("x", Tensor.from_numpy(row.copy()))
    return "; ".join([*found, *(one for _, one in sheets.finish())])


@pytest.mark.parametrize("front", [False, True])
def test_formulas_of_the_part_that_is_scaled(front: bool) -> None:
    assert said(LINES, (LINES - MEAN) / WIDE, front=front) == ""
    assert "multiplied by the deviation" in said(LINES, (LINES - MEAN) * WIDE, front=front)
    assert "brackets are missing" in said(LINES, LINES / WIDE - MEAN, front=front)
    assert "were sent as they stand" in said(LINES, LINES, front=front)
    assert said(LINES, (LINES[:, ::-1] - MEAN) / WIDE, front=front) == "", "of no known line"


@pytest.mark.parametrize("front", [False, True])
@pytest.mark.parametrize("mark", [-999.0, -9999.0])
def test_marks_for_missing_numbers(mark: float, front: bool) -> None:
    lines = LINES.copy()
    lines[1, 3], lines[2, 1] = mark, mark
    right = (numpy.where(lines == mark, MEAN, lines) - MEAN) / WIDE
    assert said(lines, right, front=front) == ""
    wrong = said(lines, (lines - MEAN) / WIDE, front=front)
    assert f"element 3 is {mark:g} in the line, which stands for a missing number" in wrong
    assert wrong == said(lines, (lines - MEAN) / WIDE, front=front, once=True)


def test_a_number_like_a_mark_that_may_be_measured() -> None:
    """It is as near to the others as these are to each other."""
    lines, wide = LINES.copy(), WIDE.copy()
    lines[:, 3], wide[3] = [-99, -40.5, 12.25], 60.0
    lists = "\n".join(" ".join(f"{one:g}" for one in row) for row in (MEAN, wide)).encode()
    table = "\n".join(["a,b,c,d,e", *(",".join(f"{one:.9g}" for one in line) for line in lines)]).encode()
    sheets = Sheets(lambda: [("scaler.txt", lists), ("plots.csv", table)])
    rows = ((lines - MEAN) / wide).astype("f4")
    assert not [one for row in rows for one in sheets.set("x", Tensor.from_numpy(row[None].copy()))]
