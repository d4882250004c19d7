"""Logs in which a name stands before each number: they are tables whose headings are these names. Headings
may be a comment, too."""

from __future__ import annotations

from typing import Any

import numpy
import pytest

from pywasm_nn.watch.origin.tables import table_in
from pywasm_nn.watch.sheets.periods import of_few_lines
from pywasm_nn.watch.sheets.sheet import sheet_of
from tests.watch.test_windows_of_tables import hints

HOURS = 40
LOAD = (
    500 + 90 * numpy.sin(numpy.arange(HOURS) / 3.7) + numpy.random.default_rng(3).normal(0, 9, HOURS)
).round(1)
FORMS = {
    "json": '{{"at": "2025-11-{day:02}T{hour:02}:00Z", "load": {load}, "pump": {pump}}}',
    "blanks": "2025-11-{day:02}T{hour:02}:00 INFO load={load}kW pump={pump}",
    "semicolons": "at:2025-11-{day:02} {hour:02}:00;pump:{pump};load:{load}",
}


def log(form: str, *, is_turned: bool = False) -> bytes:
    lines = [
        FORMS[form].format(day=3 + at // 24, hour=at % 24, load=load, pump=at * 7 % 5)
        for at, load in enumerate(LOAD.tolist())
    ]
    return ("\n".join(lines[::-1] if is_turned else lines) + "\n").encode()


@pytest.mark.parametrize("form", FORMS)
def test_a_history_with_its_newest_number_first(form: str) -> None:
    window: Any = (LOAD[-16:] - 480) / 120
    newest = hints([window[::-1].reshape(1, 16, 1)], log(form))
    assert [text for text in newest if "in the reversed order, the last first" in text]
    assert hints([window.reshape(1, 16, 1)], log(form)) == [], "the oldest first"
    assert hints([window.reshape(1, 16, 1)], log(form, is_turned=True)) == [], "from a log that goes back"
    assert hints([window[::-1].reshape(1, 16, 1)], log(form), name="lags") == [], "as it is named"


@pytest.mark.parametrize("form", FORMS)
def test_the_names_are_headings(form: str) -> None:
    data = log(form)
    table, sheet = table_in(data), sheet_of("x", data)
    assert table is not None and sheet is not None
    assert {"load", "pump"} < {*table.headings} and table.headings == sheet.headings
    column = table.headings.index("load")
    assert table.numbers[:, column].tolist() == sheet.numbers[:, column].tolist() == LOAD.tolist()
    assert table.lines[0] == 1 and sheet.raw[0].encode() == data.splitlines()[0]


def test_texts_that_are_no_such_logs() -> None:
    lines = [f"k{at}=4 http://a.b/{at} C:\\x e:none {at}" for at in range(8)]
    table = table_in("\n".join(lines).encode())
    assert table is not None and table.headings == (), "another name in each line, addresses, words"
    assert table.numbers.shape == (8, 5) and numpy.isfinite(table.numbers).sum() == 8


@pytest.mark.parametrize(
    "above",
    [
        "# day course_deg knots",
        "#  day course_deg knots",
        "// day course_deg knots",
        "# of the boat\n# day course_deg knots",
    ],
)
def test_headings_behind_the_sign_of_a_comment(above: str) -> None:
    """Blanks stand between them, and behind the sign, which is no heading."""
    lines = [f"{day} {angle} {5 + day / 4}" for day, angle in enumerate((31, 144, 275, 350))]
    data = "\n".join([above, *lines, ""]).encode()
    sheet, table = sheet_of("log.txt", data), table_in(data)
    assert sheet is not None and sheet.headings == ("day", "course_deg", "knots") and len(sheet.rows) == 4
    assert table is not None and table.headings == sheet.headings
    rows = numpy.stack([turn(sheet.numbers[:3, 1]) for turn in (numpy.sin, numpy.cos)], axis=1)
    assert 'sine and cosine of column 2 ("course_deg"), taken as radians' in of_few_lines(sheet, rows)
    right = numpy.radians(sheet.numbers[:3, 1])
    assert not of_few_lines(sheet, numpy.stack([numpy.sin(right), numpy.cos(right)], axis=1))


def test_comments_that_are_no_headings() -> None:
    for above in ("# the boat", "# 4 lines of numbers", "# day, course, knots, wind"):
        sheet = sheet_of("log.txt", f"{above}\n1 20 3\n2 40 4\n3 50 5\n".encode())
        assert sheet is not None and not sheet.headings and len(sheet.rows) == 3
