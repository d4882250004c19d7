"""Lines scaled by a file's lists, of which all numbers behind an empty field were read a place too early."""

from __future__ import annotations

import numpy
import pytest

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
