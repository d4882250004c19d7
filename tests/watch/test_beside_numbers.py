"""Forecasts beside the numbers of other lines or columns than those that they are about; and beside those
that somebody means."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy
import pytest

from pywasm_nn.watch.origin.tables import table_in
from pywasm_nn.watch.spoken import Spoken
from pywasm_nn.watch.written.beside_numbers import Made, beside_numbers

HOURS = numpy.arange(72)
ORDER = numpy.random.default_rng(9)
LOADS = numpy.stack([540 + 130 * numpy.sin((HOURS + shift) / 3.8) for shift in (0, 5)], 1)
LOADS = (LOADS + ORDER.normal(0, 3, LOADS.shape)).round(1)
DATA = "hour,north,south\n" + "".join(
    f"{hour},{one[0]:.1f},{one[1]:.1f}\n" for hour, one in zip(HOURS, LOADS, strict=True)
)
Line = Callable[[list[float], Any, int], str]


def said(line: Line, *, ends: int = 0, columns: int = 2, noise: float = 4.0, about: int = 0) -> str:
    """What is said of lines about each of the last hours, whose windows end so many hours too early. The
    model forecasts the next hour, or one so many hours behind that."""
    table = table_in(DATA.encode())
    assert table is not None
    made, text = [], ""
    for hour in range(56, 70):
        end = hour - ends
        own = [float(LOADS[end + about, at] + ORDER.normal(0, noise)) for at in range(columns)]
        made += [Made(1 + at, end, one) for at, one in enumerate(own)]
        text += line(own, LOADS, hour) + "\n"
    return beside_numbers(table, made, Spoken(text))


def each(own: list[float], loads: Any, hour: int) -> str:
    return f"{hour}" + "".join(f" {one:.1f} (was {loads[hour, at]:.1f})" for at, one in enumerate(own))


def of_the_other(own: list[float], loads: Any, hour: int) -> str:
    return (
        f"{hour} north {own[1]:.1f} (was {loads[hour, 0]:.1f}) south {own[0]:.1f} (was {loads[hour, 1]:.1f})"
    )


@pytest.mark.parametrize("columns", [1, 2])
@pytest.mark.parametrize("ends", [0, 1, 2])
def test_windows_that_end_too_early(columns: int, ends: int) -> None:
    found = said(each, ends=ends, columns=columns)
    assert (f"does each window end {ends} line{'s' * (ends > 1)} too early" in found) == (ends > 0)
    assert bool(found) == (ends > 0)


def test_answers_of_the_other_context() -> None:
    found = said(of_the_other)
    assert 'windows of column 2 ("north") are written beside the next numbers of column 3 ("south")' in found
    assert said(of_the_other, noise=90) == "", "forecasts of nothing"


@pytest.mark.parametrize(
    "line",
    [
        lambda own, loads, hour: f"now {loads[hour - 1, 0]:.1f}, next {own[0]:.1f}",
        lambda own, loads, hour: (
            f"{hour} {own[0]:.1f} {own[1]:.1f} {loads[hour, 0]:.1f} {loads[hour, 1]:.1f}"
        ),
        lambda own, loads, hour: f"{loads[hour, 0]:.1f} {loads[hour, 1]:.1f} {own[0]:.1f} {own[1]:.1f}",
        lambda own, loads, hour: f"hour {hour}: north {own[0]:.1f}\nhour {hour}: south {own[1]:.1f}",
    ],
)
def test_what_somebody_writes(line: Line) -> None:
    assert said(line) == ""


@pytest.mark.parametrize("about", [1, 2, 5])
def test_a_model_that_forecasts_a_later_hour(about: int) -> None:
    """Its windows end earlier on purpose; it is good, or hardly better than the last number."""
    for noise in (0.5, 4, 12, 40):
        assert said(each, ends=about, about=about, noise=noise) == ""
    assert said(each, ends=about, about=-1, noise=4) == "", "the last number again"
