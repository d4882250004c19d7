"""Answers that are written beside the names of other lines."""

from __future__ import annotations

from typing import Any

import numpy
import pytest

from pywasm_nn.watch.sheets.sheet import sheet_of
from pywasm_nn.watch.written.other_lines import beside_others

NAMES = ["Ash", "Elm Tree", "Oak", "Fir", "Yew", "Lime", "Pine"]
NUMBERS = numpy.round(numpy.random.default_rng(8).uniform(1, 90, (7, 3)), 1)
LINES = [
    "name,height,width,age",
    *(",".join([n, *map(str, row)]) for n, row in zip(NAMES, NUMBERS, strict=True)),
]
SHEET = sheet_of("trees.csv", "\n".join(LINES).encode())
ANSWERS = [0.31, 2.4, 1.7, 0.55, 3.9, 2.9, 1.1]
ORDER = [4, 2, 0, 6, 1, 3, 5]


def hint(rows: Any, names: Any, answers: Any) -> str:
    assert SHEET is not None
    said = [f"{NAMES[at]}: {one * 10:.1f} kg" for at, one in zip(names, answers, strict=True)]
    return beside_others(SHEET, [*rows.astype("f8")], ANSWERS, ["Trees:", *said])


@pytest.mark.parametrize("rows", [NUMBERS, (NUMBERS - NUMBERS.mean(0)) / NUMBERS.std(0)])
def test_a_list_that_was_sorted_after_it_was_sent(rows: Any) -> None:
    found = hint(rows, ORDER, ANSWERS)
    assert 'row 0 of what was sent, which is "Ash" of trees.csv, is written beside "Yew"' in found
    assert hint(rows, range(7), ANSWERS) == ""
    assert hint(rows, ORDER, [ANSWERS[at] for at in ORDER]) == ""  # the answers were sorted with it
    assert hint(rows, ORDER, [1.0] * 7) == ""
    assert hint(rows[ORDER], ORDER, ANSWERS) == ""  # it was sorted before


def test_numbers_of_the_lines_are_no_answers() -> None:
    heights = NUMBERS[ORDER, 0] / 10
    assert hint(NUMBERS, ORDER, heights) == ""
