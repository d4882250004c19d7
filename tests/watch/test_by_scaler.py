"""Few lines of a table that a guest scales by the numbers of a file: mistakes, and twins without one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy
import pytest

from pywasm_nn.watch.units import unit_in
from tests.watch.test_sheets import hints, text

HEADINGS = ["when", "warmth_f", "level", "flow_km/h"]
LINES = [["2026-02-03 09:30 AM", "61.2", "4.75", "21.6"], ["2026-02-03 03:00 PM", "77.9", "9.25", "7.2"],
         ["2026-02-04 12:15 PM", "70.1", "6.5", "14.4"]]  # fmt: skip
NAMES = ["hour", "warmth", "level", "flow_m_s"]
MIDDLE, WIDTH = numpy.array([12.5, 17.0, 6.0, 4.0]), numpy.array([7.0, 6.0, 2.0, 1.5])
LOW, HIGH = numpy.array([0, -20.0, 2.0, 0]), numpy.array([24.0, 40.0, 11.0, 16.0])


def read(hours: tuple[float, ...] = (9, 15, 12), *, celsius: bool = True, metres: bool = True) -> Any:
    rows = numpy.array([[float(one) for one in line[1:]] for line in LINES])
    if celsius:
        rows[:, 0] = (rows[:, 0] - 32) / 1.8
    if metres:
        rows[:, 2] /= 3.6
    return numpy.column_stack([hours[: len(rows)], rows])


def scale(titles: list[str], one: Any, other: Any, names: list[str] = NAMES) -> bytes:
    rows = [[name, f"{a:g}", f"{b:g}"] for name, a, b in zip(names, one, other, strict=True)]
    return text(rows, headings=["column", *titles])


TABLE = text(LINES, headings=HEADINGS)
FILES = {"scale.csv": scale(["mean", "std"], MIDDLE, WIDTH), "day.csv": TABLE}


@pytest.mark.parametrize("count", [2, 3])
@pytest.mark.parametrize(
    ("rows", "said"),
    [
        (read(), ""),
        (read((9.5, 15, 12.25)), ""),
        (read((9, 3, 12)), "read without their AM and PM"),
        (read((9.5, 3, 12.25)), "read without their AM and PM"),
        (read((9, 15, 24)), "12 PM is 24"),
        (read(metres=False), 'which is for mps by its name: it has to be converted'),
        (read(celsius=False), 'line "warmth" of scale.csv, which is for another unit by its numbers'),
    ],
)  # fmt: skip
def test_hours_and_units(rows: Any, said: str, count: int) -> None:
    found = hints(FILES, ((rows - MIDDLE) / WIDTH)[:count])
    seen = said and not ("12 PM is 24" in said and count < 3)
    assert (said in found) if seen else (found == "")


def test_a_range_for_half_days() -> None:
    files = {"scale.csv": scale(["min", "max"], LOW, HIGH), "day.csv": TABLE}
    assert "AM and PM" in hints(files, (read((9, 3, 12)) - LOW) / (HIGH - LOW))
    assert hints(files, (read() - LOW) / (HIGH - LOW)) == ""
    assert hints({"day.csv": TABLE}, (read((9, 3, 12)) - LOW) / (HIGH - LOW)) == "", "nothing says the scale"


PLAIN = numpy.array([[3.1, 40.5, 7.25], [2.4, 61.25, 9.5], [5.0, 52.0, 8.125]])
A, B = numpy.array([1.0, 20.0, 0.0]), numpy.array([9.0, 95.0, 14.0])


@pytest.mark.parametrize(
    ("titles", "made", "said"),
    [
        (["min", "max"], lambda x: (x - A) / (B - A), ""),
        (["min", "max"], lambda x: 2 * (x - A) / (B - A) - 1, ""),
        (["min", "max"], lambda x: x / B, 'divided by "max" alone'),
        (["min", "max"], lambda x: (x - A) / B, 'in place of "max" - "min"'),
        (["mean", "scale"], lambda x: (x - A) / B, ""),
        (["mean", "scale"], lambda x: x / B, '"mean" was not taken away'),
        (["mean", "scale"], lambda x: x - A, 'not divided by "scale"'),
        (["mean", "scale"], lambda x: (x - A) * B, "multiplied by"),
        (["weight", "limit"], lambda x: x / B, ""),
    ],
)
def test_formulas(titles: list[str], made: Callable[[Any], Any], said: str) -> None:
    rows = [["Monday", *(f"{one:g}" for one in row)] for row in PLAIN]
    files = {
        "pump.csv": text(rows, headings=["day", "a", "b", "c"]),
        "ranges.csv": scale(titles, A, B, ["a", "b", "c"]),
    }
    found = hints(files, made(PLAIN))
    assert (said in found) if said else (found == "")


@pytest.mark.parametrize("name", ["wind m/s", "wind (m/s)", "wind_m_s", "wind_mps"])
def test_units_with_a_stroke(name: str) -> None:
    assert unit_in(name) == ("wind", "mps")
    assert unit_in("items_s") == ("items", "s") and unit_in("team_s") == ("team", "s")
