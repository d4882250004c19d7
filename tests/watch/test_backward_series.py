"""Windows of a series in the opposite order of time, also of what was made of its numbers before: mistakes,
and twins without one."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import numpy
import pytest

from pywasm_nn.watch.origin.read_files import File, as_table
from pywasm_nn.watch.origin.scaled import scaled_lines
from pywasm_nn.watch.origin.tables import found_in, table_in

MADE: dict[str, Callable[[Any], Any]] = {
    "as it is": lambda x: x,
    "logarithms": numpy.log,
    "log1p": numpy.log1p,
    "roots": numpy.sqrt,
    "differences": numpy.diff,
    "relative changes": lambda x: numpy.diff(x) / x[:-1],
    "of their logarithms": lambda x: numpy.diff(numpy.log(x)),
}


def series(seed: int, count: int) -> Any:
    steps = numpy.random.default_rng(seed).normal(0, 0.25, count)
    return (900 * numpy.exp(numpy.cumsum(steps) / 2 + 0.5 * numpy.sin(numpy.arange(count) / 2))).round()


def wrong(numbers: Any, window: Any, times: list[str] | None = None) -> str:
    own = times or [f"2025-{at:02d}" for at in range(1, len(numbers) + 1)]
    table = table_in("\n".join(f"{at};{one:g}" for at, one in zip(own, numbers, strict=True)).encode())
    assert table is not None
    found = found_in(table, numpy.array([window], "f4"))
    return found.wrong if found is not None else ""


@pytest.mark.parametrize("made", MADE)
@pytest.mark.parametrize("seed", range(4))
def test_the_newest_first(made: str, seed: int) -> None:
    numbers = series(seed, 30)
    own = MADE[made](numbers)[-12:]
    scaled = (own - own.mean()) / own.std()
    for window in (own, scaled):
        assert "reversed order" in wrong(numbers, window[::-1])
        assert wrong(numbers, window) == ""


@pytest.mark.parametrize("made", ["differences", "of their logarithms"])
def test_turned_before_they_were_taken_from_each_other(made: str) -> None:
    numbers = series(5, 20)
    assert "reversed order" in wrong(numbers, MADE[made](numbers[::-1])[:12])


@pytest.mark.parametrize("seed", range(4))
def test_other_numbers(seed: int) -> None:
    assert wrong(series(seed, 30), series(seed + 10, 12)) == ""
    even = series(seed, 12)
    same_both_ways = numpy.concatenate([even, even[::-1]])
    assert wrong(same_both_ways, numpy.log(same_both_ways)) == ""


DAY = datetime(2026, 3, 1, 21)
TIMES = {
    "%Y-%m-%d": timedelta(days=1),
    "%d.%m.%Y": timedelta(days=1),
    "%Y-%m": timedelta(days=31),
    "%Y-%m-%d %H:%M": timedelta(minutes=30),
    "%d/%m/%Y %H:%M:%S": timedelta(hours=1),
    "%H:%M": timedelta(hours=1),
    "%H:%M:%S": timedelta(minutes=1),
    "%I:%M %p": timedelta(minutes=20),
}


@pytest.mark.parametrize("form", TIMES)
@pytest.mark.parametrize("made", ["as it is", "logarithms", "differences"])
def test_a_file_that_begins_with_its_newest_line(form: str, made: str) -> None:
    """There the opposite order is right, and the file's own one is not."""
    numbers = series(3, 24)
    times = [(DAY + at * TIMES[form]).strftime(form) for at in range(24)]
    own = MADE[made](numbers)[:14]
    assert wrong(numbers, own, times) == wrong(numbers[::-1], own, times[::-1]) == ""
    assert "reversed order" in wrong(numbers, own[::-1], times)
    if made == "as it is":
        assert "go back in time" in wrong(numbers[::-1], own[::-1], times[::-1])


def test_hours_that_go_on_behind_midnight() -> None:
    numbers, times = series(4, 20), [f"{hour}:30" for hour in range(17, 37)]
    assert wrong(numbers, numbers[3:15], times) == wrong(numbers[::-1], numbers[3:15], times[::-1]) == ""
    assert "reversed order" in wrong(numbers, numbers[14:2:-1], times)
    assert "go back in time" in wrong(numbers[::-1], numbers[14:2:-1], times[::-1])


@pytest.mark.parametrize("heading", ["date", "clock", "stop"])
def test_times_that_nobody_can_read(heading: str) -> None:
    """Whether the newest stands on top isn't known there."""
    numbers = series(6, 20)
    lines = [f"{at} days after Easter,{one:g},{one / 2 + at}" for at, one in enumerate(numbers)]
    table = table_in("\n".join([f"{heading},level,flow", *lines]).encode())
    assert table is not None
    for window in (numbers[12::-1], numpy.log(numbers[12::-1])):
        found = found_in(table, numpy.array([window], "f4"))
        assert found is not None
        assert ("reversed order" in found.wrong) is (heading == "stop")


@pytest.mark.parametrize(
    ("name", "seen"), [("newest.txt", False), ("LATEST_temps.csv", False), ("t.txt", True)]
)
def test_a_file_that_is_named_after_its_order(name: str, seen: bool) -> None:
    numbers = series(3, 24)
    file = File(name)
    file.read("\n".join(f"{one:g}" for one in numbers).encode(), 0)
    table = as_table(file)
    assert table is not None
    found = found_in(table, numpy.array([numbers[12::-1]], "f4"))
    assert found is not None
    assert ("reversed order" in found.wrong) is seen


@pytest.mark.parametrize("is_scaled", [False, True])
def test_lines_of_several_columns(is_scaled: bool) -> None:
    rows = numpy.stack([series(seed, 30) for seed in range(3)], 1)
    lines = [f"{(DAY + timedelta(days=at)):%Y-%m-%d},{','.join(f'{one:g}' for one in row)}"
             for at, row in enumerate(rows)]  # fmt: skip
    sent = ((rows - rows.mean(0)) / rows.std(0) if is_scaled else rows)[:20]

    def of(lines: list[str], window: Any) -> str:
        table = table_in("\n".join(["date,a,b,c", *lines]).encode())
        assert table is not None
        array = numpy.array([window], "f4")
        found = found_in(table, array) or scaled_lines(table, array[0], is_window=True, is_series=True)
        return found.wrong if found is not None else ""

    assert of(lines, sent) == of(lines[::-1], sent) == ""
    assert "opposite order" in of(lines, sent[::-1]) or "reversed order" in of(lines, sent[::-1])
    assert "go back in time" in of(lines[::-1], sent[::-1])
