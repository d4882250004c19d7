"""Lines scaled by a file's lists, of which all numbers behind an empty field were read a place too early."""

from __future__ import annotations

import numpy
import pytest

from pywasm_nn.nn.tensor import Tensor
from pywasm_nn.watch.sheets import Sheets
from tests.watch.test_by_lists import LINES, MEAN, SCALE, WIDE, said, with_gap


@pytest.mark.parametrize("left", [0.0, 0.7])
@pytest.mark.parametrize("at", ["p1,", ""])
@pytest.mark.parametrize("places", [[1], [2]])
def test_fields_behind_an_empty_one(places: list[int], at: str, left: float) -> None:
    """Of the last elements nothing is known: they may be those of the line before."""
    files = with_gap("", places, at=at)
    if not at:
        files = {name: data.removeprefix(b"id,") for name, data in files.items()}
    kept = numpy.delete(LINES[0], places)
    early = numpy.append((kept - MEAN[: len(kept)]) / WIDE[: len(kept)], [left] * len(places))
    found = said(files | SCALE, [early])
    assert f"the field of element {places[0]} is empty in the line, and those behind it were read" in found
    assert "strtok (or a split without empty fields)" in found
    filled = (LINES[0] - MEAN) / WIDE
    filled[places] = 0
    assert said(files | SCALE, [filled]) == ""


def test_fields_that_say_that_they_are_empty() -> None:
    """Nothing swallows these."""
    kept = numpy.delete(LINES[0], 1)
    early = numpy.append((kept - MEAN[:4]) / WIDE[:4], 0)
    assert "strtok" not in said(with_gap("NA", [1]) | SCALE, [early])


def test_columns_that_are_alike() -> None:
    """Where every number is usual for its neighbour, too, only some of the columns may have been wanted."""
    mean, wide = numpy.full(5, 40.0) + numpy.arange(5) / 8, numpy.full(5, 6.0) + numpy.arange(5) / 16
    fields = ["43.5", "", "38.25", "47", "41"]
    other = "39,44,36.5,42,45"
    lists = "\n".join(" ".join(map(str, one.tolist())) for one in (mean, wide)).encode()
    files = {"scale.txt": lists, "beds.csv": f"a,b,c,d,e\n{','.join(fields)}\n{other}".encode()}
    kept = numpy.array([43.5, 38.25, 47, 41])
    assert said(files, [numpy.append((kept - mean[:4]) / wide[:4], 0)]) == ""


HEADS = "bed;depth;width;salt;warmth;light"
NUMBERS = numpy.random.default_rng(7).uniform([2, 30, 300, 9, 60], [9, 80, 900, 30, 99], (9, 5)).round(1)
EMPTY = {0: 0, 2: 3, 4: 1, 5: 2}
"""By lines, the column that is empty: each is so somewhere, so that none is an element in all lines."""


def line_by_line(early: bool, *, by: float = 1.0, less: float = 0.0, count: int = 9, mark: str = "") -> str:
    """The hint about lines of which the fields behind an empty one are, or aren't, one place too early, and a
    filler stands for what is missing."""
    texts, rows = [], []
    for at, own in enumerate(NUMBERS.tolist()):
        fields = [f"{one:g}" for one in own]
        row = [one * by + less for one in own]
        if at in EMPTY:
            fields[EMPTY[at]] = mark
            filler = row.pop(EMPTY[at])
            row.insert(len(row) if early else EMPTY[at], 0.1 * filler)
        texts.append(";".join([f"bed {at}", *fields]))
        rows.append(row)
    files = {"beds.csv": "\n".join([HEADS, *texts]).encode()}
    sheets, found = Sheets(lambda: [*files.items()]), []
    for row in rows[:count]:
        found += sheets.set("x", Tensor.from_numpy(numpy.array([row], "f4")))
    return "; ".join(found)


@pytest.mark.parametrize(("by", "less", "count"), [(1.0, 0.0, 5), (1.0, 0.0, 9), (0.25, -3.0, 9)])
def test_lines_each_with_another_empty_field(by: float, less: float, count: int) -> None:
    found = line_by_line(True, by=by, less=less, count=count)
    assert 'column 2 ("depth") is empty in line 2' in found and "strtok" in found
    assert line_by_line(False, by=by, less=less, count=count) == ""
    assert "strtok" not in line_by_line(True, by=by, less=less, count=count, mark="?")
