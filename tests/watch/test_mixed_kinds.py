"""Windows of logs with the lines of several sensors by turns, and right twins."""

from __future__ import annotations

from typing import Any

import numpy
import pytest

from pywasm_nn.watch.series.mixed_kinds import mixed_kinds
from pywasm_nn.watch.sheets.sheet import Sheet, sheet_of

ORDER = numpy.random.default_rng(8)
STEPS = 60
ACC = numpy.cumsum(ORDER.normal(0, 0.02, (STEPS, 3)), axis=0).round(3) + numpy.array([0, 0, 1])
GYR = numpy.cumsum(ORDER.normal(0, 0.02, (STEPS, 3)), axis=0).round(3) - numpy.array([0.2, 0.1, 0])


def sheet(form: str, kinds: tuple[str, str] = ("acc", "gyr"), heading: str = "sensor") -> tuple[Sheet, Any]:
    """A log, and its numbers, line by line."""
    lines, numbers = [], []
    for at, pair in enumerate(zip(ACC, GYR, strict=True)):
        for kind, (x, y, z) in zip(kinds, pair, strict=True):
            if kind == kinds[1] and at % 5 == 4:
                continue  # the second sensor is slower
            row = at * 20 + (kind == kinds[1]), kind, x, y, z
            names = "t", heading, "x", "y", "z"
            if form == "json":
                texts = [f'"{one}"' if one == kind else str(one) for one in row]
                fields = [f'"{name}":{one}' for name, one in zip(names, texts, strict=True)]
                lines.append("{" + ",".join(fields) + "}")
            else:
                lines.append(",".join(map(str, row)))
            numbers.append((x, y, z))
    text = "\n".join([*([",".join(("t", heading, "x", "y", "z"))] * (form == "csv")), *lines])
    found = sheet_of("watch.log", text.encode())
    assert found is not None
    return found, numpy.array(numbers)


@pytest.mark.parametrize("form", ["json", "csv"])
@pytest.mark.parametrize(
    ("kinds", "heading"),
    [(("acc", "gyr"), "sensor"), (("A", "B"), "device_id"), (("1", "2"), "channel"), (("imu", "mag"), "k")],
)
def test_lines_of_two_sensors(form: str, kinds: tuple[str, str], heading: str) -> None:
    table, numbers = sheet(form, kinds, heading)
    for window in (numbers[:32], (numbers[20:60] - 0.3) / 0.5, numbers[:24].T):
        name, said = mixed_kinds(window[None].astype("f4"), [table])
        assert name == "watch.log"
        assert "are lines of one kind alone to be taken?" in said
    for alone in (ACC[:32], GYR[3:40], (ACC[:32] - 0.3) / 0.5):
        assert mixed_kinds(alone[None].astype("f4"), [table]) == ("", "")


def test_kinds_that_are_sent_too() -> None:
    table, numbers = sheet("csv", ("1", "2"), "channel")
    rows = numpy.column_stack([numbers[:32], table.numbers[:32, 1]])
    assert mixed_kinds(rows[None].astype("f4"), [table]) == ("", "")


def test_kinds_that_are_no_sensors() -> None:
    table, numbers = sheet("csv", ("high", "low"), "tide")
    assert mixed_kinds(numbers[None, :32].astype("f4"), [table]) == ("", "")
    table, numbers = sheet("csv", ("high", "low"), "sensor")
    assert mixed_kinds(numbers[None, :32].astype("f4"), [table])[1]


def test_sensors_that_measure_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.watch.test_mixed_kinds.GYR", ACC + 0.001)
    table, numbers = sheet("csv")
    assert mixed_kinds(numbers[None, :32].astype("f4"), [table]) == ("", "")
