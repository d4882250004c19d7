"""A column of a table that was sent as it stands where others were scaled."""

from __future__ import annotations

from typing import Any

import numpy
import pytest

from pywasm_nn.nn import Tensor
from pywasm_nn.nn.formats.format import Layer
from pywasm_nn.watch.sheets import Sheets

LINES = [(34, 52000.0, 1.7, "a"), (51, 31500.0, 0.4, "b"), (28, 44250.0, 2.9, "a"), (63, 61000.0, 1.1, "c")]
FILE = (
    "people.csv",
    b"age,income,debt,kind\n" + b"".join(b"%d,%g,%g,%s\n" % (*one[:3], b"a") for one in LINES),
)
LAYER = Layer(numpy.random.default_rng(6).normal(0, 0.4, (20, 5)), numpy.full(20, 0.1))


def rows(income: float, age: float = 10.0, *, middle: float = 45.0) -> Any:
    return [
        [
            (one[0] - middle) / age,
            (one[1] - 40000 * (income > 1)) / income,
            one[2],
            one[3] == "a",
            one[3] == "b",
        ]
        for one in LINES
    ]


def said(made: Any, *, at_once: bool, layer: Layer = LAYER) -> str:
    sheets, found = Sheets(lambda: [FILE]), ""
    sheets.loaded(3, {0: layer})
    array = numpy.array(made, "f4")
    for part in [array] if at_once else array[:, None]:
        found = found or "".join(sheets.set((3, None, 0), Tensor.from_numpy(part)))
    return found


@pytest.mark.parametrize("at_once", [True, False])
def test_one_column(at_once: bool) -> None:
    found = said(rows(1.0), at_once=at_once)
    assert (
        'column 2 ("income") was sent as it stands (52000 in the first line), and column 1 ("age")' in found
    )
    assert "times as large as divided by 10" in found
    assert said(rows(10000.0), at_once=at_once) == "", "all are scaled"
    assert said(rows(1.0, age=1.0, middle=0.0), at_once=at_once) == "", "none is"
    small = Layer(LAYER.weights * [1, 1e-4, 1, 1, 1], LAYER.heights)
    assert said(rows(1.0), at_once=at_once, layer=small) == "", "the model was trained on it so"
    other = [[*row[:4][::-1], 0.0] for row in numpy.random.default_rng(2).normal(0, 1, (4, 5)).tolist()]
    assert said(other, at_once=at_once) == ""


FLATS = ("standard input", b"72 3 4.5 1985\n34 1 1.2 1910\n110 4 14 2005\n55 2 8 1968\n")


@pytest.mark.parametrize("at_once", [True, False])
@pytest.mark.parametrize(
    ("factor", "by", "seen"),
    [
        (10.7639, 100, True), (10.764, 100, True), (1, 100, False), (10.7639, 1000, False),
        (10.7639, 1, False), (9.3, 100, False), (1, 9.29, False),
    ],
)  # fmt: skip
def test_one_column_in_another_unit(factor: float, by: float, seen: bool, at_once: bool) -> None:
    lines = numpy.array([line.split() for line in FLATS[1].splitlines()], "f8")
    made = (lines * [factor, 1, 1, 1] - [0, 0, 0, 1950]) / [by, 5, 10, 50]
    sheets, found = Sheets(lambda: [FLATS]), ""
    for part in [made] if at_once else made[:, None]:
        found = found or "".join(sheets.set((3, None, 0), Tensor.from_numpy(part.astype("f4"))))
    assert ("(m2 to sqft) and divided by 100: by that it comes to 11.8" in found) is seen
    assert bool(found) is seen
    others = made * [1, 4, 1, 1]  # no unit's factor is needed for one that is as large
    found = "".join(Sheets(lambda: [FLATS]).set((3, None, 0), Tensor.from_numpy(others.astype("f4"))))
    assert "sqft" not in found
