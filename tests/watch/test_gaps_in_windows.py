"""Windows of one column in which something stands for a number that isn't there, or of the wrong column."""

from __future__ import annotations

from typing import Any

import numpy
import pytest

from pywasm_nn.watch.series.counted_up import clock_among, counted_up
from pywasm_nn.watch.series.gaps import stood_in
from pywasm_nn.watch.sheets.sheet import sheet_of

LEVELS = (1013 + 6 * numpy.sin(numpy.arange(40) / 3) + numpy.arange(40) % 3).round(1)
EMPTY = 27


def file(*, with_gap: bool = False, alone: bool = False) -> tuple[str, bytes]:
    fields = ["" if with_gap and at == EMPTY else f"{one:.1f}" for at, one in enumerate(LEVELS)]
    lines = (
        ["pressure", *fields]
        if alone
        else ["day;pressure", *(f"{at};{one}" for at, one in enumerate(fields))]
    )
    return "weather.txt", "\n".join(lines).encode()


def scaled(numbers: Any, *shape: int) -> Any:
    return ((numpy.array(numbers) - 1010) / 7.5).astype("f4").reshape(shape)


@pytest.mark.parametrize("alone", [False, True])
@pytest.mark.parametrize("shape", [(1, 16), (1, 1, 16), (1, 16, 1)])
def test_a_number_for_an_empty_field(shape: tuple[int, ...], *, alone: bool) -> None:
    window = LEVELS[20:36].copy()
    given = [file(with_gap=True, alone=alone)]
    for number in (0.0, -999.0):
        window[EMPTY - 20] = number
        name, said = stood_in(scaled(window, *shape), given)
        assert name == "weather.txt" and f"is empty in line 29, and was sent as {number:g}" in said
    for number in (window[EMPTY - 21], 1010.0):  # the one before, and what becomes 0
        window[EMPTY - 20] = number
        assert stood_in(scaled(window, *shape), given) == ("", "")


def test_the_same_mark_in_several_columns_is_meant() -> None:
    """Sent as it is, for a forest that was trained with it."""
    columns = numpy.array([LEVELS, LEVELS[::-1] / 7]).T.round(2)
    columns[4, 0] = columns[11, 1] = numpy.nan
    lines = ["a,b", *(",".join("" if one != one else f"{one:g}" for one in row) for row in columns.tolist())]
    given = [("rooms.csv", "\n".join(lines).encode())]
    for number, is_meant in ((-999.0, True), (0.0, False)):
        filled = numpy.where(numpy.isnan(columns), number, columns)
        said = stood_in(filled[None, :24].astype("f4"), given)[1]
        assert ("is empty in line 6" in said) is not is_meant and bool(said) is not is_meant, said
    scaled_one = numpy.where(numpy.isnan(columns), -999.0, columns)[None, :24] / (100, 10)
    assert "is empty" in stood_in(scaled_one.astype("f4"), given)[1]


@pytest.mark.parametrize("alone", [False, True])
@pytest.mark.parametrize("mark", [-9999.0, -999.0, -99.0])
def test_a_mark_for_a_missing_number(mark: float, *, alone: bool) -> None:
    levels = LEVELS.copy()
    levels[[22, 30]] = mark
    lines = (
        ["pressure", *levels]
        if alone
        else ["day;pressure", *(f"{at};{one}" for at, one in enumerate(levels))]
    )
    given = [("depths.log", "\n".join(map(str, lines)).encode())]
    name, said = stood_in(scaled(levels[18:38], 1, 20), given)
    assert name == "depths.log" and f"{mark:g} in line 24 of " in said
    assert stood_in(levels[18:38].astype("f4")[None], given) == ("", ""), "the model may know the mark"
    filled = levels.copy()
    filled[[22, 30]] = levels[[21, 29]]
    assert stood_in(scaled(filled[18:38], 1, 20), given) == ("", "")
    assert stood_in(scaled(levels[:20], 1, 20), given) == ("", ""), "none is missing there"


def test_a_number_that_is_no_mark() -> None:
    """So weak a signal there may be."""
    weak = (-80 + 9 * numpy.sin(numpy.arange(40) / 3)).round()
    weak[25] = -99
    given = [
        ("signal.csv", "\n".join(["at;dbm", *(f"{at};{one:g}" for at, one in enumerate(weak))]).encode())
    ]
    assert stood_in(((weak[10:34] + 80) / 9).astype("f4")[None], given) == ("", "")


@pytest.mark.parametrize("alone", [False, True])
def test_headings_as_a_number(*, alone: bool) -> None:
    given = [file(alone=alone)]
    assert "stands for the headings" in stood_in(scaled([0, *LEVELS[:15]], 1, 16), given)[1]
    assert stood_in(scaled(LEVELS[:16], 1, 16), given) == ("", "")
    assert stood_in(scaled([1010, *LEVELS[:15]], 1, 16), given) == ("", "")


@pytest.mark.parametrize("scaled_by_itself", [False, True])
def test_windows_that_begin_with_a_0_of_their_own(*, scaled_by_itself: bool) -> None:
    """A rise of any kind lies along a column of times, and a filter at rest before the first line says 0."""

    def said(window: Any, column: Any, name: str) -> str:
        window = numpy.array(window, "f8")
        window = (window - window.mean()) / window.std() if scaled_by_itself else window / 3
        data = "\n".join([f"{name};volts", *(f"{one:.2f};{at % 7}" for at, one in enumerate(column))])
        return stood_in(window.astype("f4")[None], [("run.txt", data.encode())])[1]

    assert said(numpy.arange(16) * 0.02, numpy.arange(1, 41) * 0.02, "t_s") == ""
    waves = (numpy.sin(numpy.arange(40) / 2) * 4).round(2)
    assert said([0, *waves[1:16]], waves[1:], "gyro") == ""
    assert "stands for the headings" in said([0, *LEVELS[:15]], LEVELS, "pressure")


def test_the_column_that_counts() -> None:
    days = scaled(numpy.arange(16), 1, 16)
    name, said = counted_up("window", days, [file()])
    assert name == "weather.txt" and 'column 1 ("day")' in said and 'was column 2 ("pressure") meant' in said
    for other, array in (("day", days), ("window", days.T), ("window", scaled(LEVELS[:16], 1, 16))):
        assert counted_up(other, array, [file()]) == ("", "")
    assert counted_up("window", days, [file(alone=True)]) == ("", "")


@pytest.mark.parametrize("planar", [True, False])
@pytest.mark.parametrize("by", [1.0, 1 / 9.80665, 0.001, 3.0])
@pytest.mark.parametrize("head", ["t_ms", "time", "sample", ""])
def test_a_time_among_channels(head: str, by: float, planar: bool) -> None:
    steps = numpy.arange(60) * 20.0
    axes = numpy.random.default_rng(8).normal(0, 3, (60, 3)).round(4)
    lines = [f"{one:g},{x},{y},{z}" for one, (x, y, z) in zip(steps, axes.tolist(), strict=True)]
    heads = [f"{head},ax,ay,az"] if head else []
    sheet = sheet_of("log.csv", "\n".join([*heads, *lines]).encode())
    assert sheet is not None

    def said(window: Any) -> str:
        window = (window.T if planar else window)[None].astype("f4")
        return clock_among(window, [sheet])[1]

    wrong = numpy.column_stack([steps, axes])[5:45]
    found = said(wrong[:, :3] * by)
    if head == "sample":
        assert found == "", "a name of a measured thing, too"
    else:
        assert "one place too early" in found and "column 4" in found
    for right in (axes[5:45] * by, wrong * by, wrong[:, :3] * [0.5, 2, 2], wrong[::-1, :3] * by):
        assert said(right) == ""
