"""Lines of a file that goes back in time for a model that carries a state on, and right twins."""

from __future__ import annotations

from typing import Any

import numpy
import pytest

from tests.watch.test_loops import Guest

WIND = numpy.random.default_rng(11).normal(6, 2, 12).round(1)
RAIN = numpy.random.default_rng(12).gamma(1, 2, 12).round(1)
TIMES = {
    "date": [f"2024-03-{at + 1:02}" for at in range(12)],
    "minute": [f"{at * 10}" for at in range(12)],
    "time": [f"{at // 2:02}:{at % 2 * 30:02}" for at in range(12)],
}


def table(heading: str, *, is_back: bool) -> bytes:
    lines = [f"{time};{a};{b}" for time, a, b in zip(TIMES[heading], WIND, RAIN, strict=True)]
    return "\n".join([f"{heading};wind;rain", *(lines[::-1] if is_back else lines)]).encode()


def said(rows: Any, data: bytes, *, carried: bool = True, name: str = "x", file: str = "log.csv") -> str:
    guest = Guest(2, ["y", "state_next"], [(file, data)], f"{name} state")
    state = numpy.zeros((1, 6), "f4")
    for at, row in enumerate(rows):
        made = numpy.full((1, 6), 0.1 + at / 9, "f4")
        guest.computes([row[None].astype("f4"), state], [numpy.zeros((1, 1), "f4"), made])
        state = made if carried else state
    return guest.said


@pytest.mark.parametrize("heading", TIMES)
@pytest.mark.parametrize("scaled", [False, True])
def test_the_newest_line_first(heading: str, *, scaled: bool) -> None:
    rows = numpy.stack([WIND, RAIN], 1)
    rows = (rows - [5, 1.5]) / [2.5, 3] if scaled else rows
    back = table(heading, is_back=True)
    assert "which go back in time, and the state goes on" in said(rows[::-1], back)
    assert said(rows, back) == "", "from its end on"
    assert said(rows[::-1], table(heading, is_back=False)) == ""
    assert said(rows[::-1], back, name="x_reversed") == ""
    assert "back in time" not in said(rows[::-1], back, carried=False), "lines, and no series"


def test_by_the_name_of_the_file() -> None:
    rows, plain = numpy.stack([WIND, RAIN], 1), table("date", is_back=True).split(b"\n")
    data = b"\n".join(one.partition(b";")[2] for one in plain)
    assert "back in time" in said(rows[::-1], data, file="newest_first.csv")
    assert said(rows[::-1], data) == ""


def test_what_only_counts_says_nothing() -> None:
    rows = numpy.stack([numpy.arange(12.0)[::-1], numpy.ones(12)], 1)
    assert said(rows, table("date", is_back=True)) == ""
