"""Forecasts of several lines for each compute, which begin again though their times go on."""

from __future__ import annotations

import pytest

from pywasm_nn.watch.loops.repeating import repeating

VALUES = ("11.5", "12.25", "9.75")


def lines(times: list[str], values: tuple[str, ...] = VALUES) -> list[str]:
    return [f"{time}: {values[at % len(values)]} kW" for at, time in enumerate(times)]


DATES = [f"2026-03-{day:02}" for day in range(8, 14)]


@pytest.mark.parametrize("times", [DATES, [f"{hour}.5" for hour in range(7, 13)], ["+1", *"23456"]])
def test_lines_that_begin_again_while_times_go_on_are_told(times: list[str]) -> None:
    found = repeating(lines(times), 2)
    assert found is not None
    assert (found.lines, found.begin, found.end) == (3, times[0], times[-1])


def test_others_are_not() -> None:
    other = (*VALUES, "8.5", "8.25", "9.5")
    assert repeating(lines(DATES, other), 2) is None  # another forecast
    assert repeating(lines(DATES[:3] * 2), 2) is None  # the same times again
    assert repeating(lines(DATES, ("7.5",)), 2) is None  # one answer for all, which may stay so
    assert repeating(lines(DATES), 6) is None  # a line for each compute, as those that measure write
    assert repeating(lines(DATES)[:5], 2) is None


@pytest.mark.parametrize(
    "times",
    [["0.012", "0.013", "0.014", "0.095", "0.096", "0.098"], [f"12:00:00.{at}" for at in range(101, 107)]],
)
def test_the_times_of_a_log_are_no_forecast(times: list[str]) -> None:
    """A program that measures the same input twice writes so."""
    assert repeating(lines(times), 2) is None
