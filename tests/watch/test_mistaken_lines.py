"""Lines of a table that were scaled, of which a text, the order or a gap was overlooked: mistakes, and twins
without one."""

from __future__ import annotations

import re
from typing import Any

import numpy
import pytest

from pywasm_nn.nn.tensor import Tensor
from pywasm_nn.watch.origin import Origins
from pywasm_nn.watch.origin.following import in_columns
from pywasm_nn.watch.origin.tables import table_in
from tests.watch.test_false_alarms import reads

ORDER = numpy.random.default_rng(18)
NAMES = ["salt", "height", "light", "depth", "noise"]
MEAN, DEVIATION = numpy.array([13, 2.3, 100, 0.4, 750]), numpy.array([0.8, 1.1, 14, 0.12, 310])
NUMBERS = (MEAN + DEVIATION * ORDER.normal(0, 1, (30, 5))).round(3)
SCALED = (NUMBERS - MEAN) / DEVIATION
HOURS = [f"{(6 + line) % 24}" for line in range(30)]


def csv(rows: Any, names: list[str], first: list[str], heading: str) -> bytes:
    lines = [
        [one, *(f"{number:g}" for number in row)] for one, row in zip(first, rows.tolist(), strict=False)
    ]
    return "\n".join(",".join(row) for row in ([heading, *names], *lines)).encode()


def wrong(rows: Any, data: bytes, *, is_window: bool = False, is_series: bool = False) -> str:
    table = table_in(data)
    assert table is not None
    sent = rows.astype("f4").astype("f8")
    part = in_columns(table, sent, is_window=is_window, is_series=is_series)
    return part.wrong if part else ""


def labelled(heading: str = "id", names: list[str] = NAMES) -> bytes:
    return csv(NUMBERS, names, [f"W{line}" for line in range(30)], heading)


def test_an_identifier_taken_for_the_first_column() -> None:
    read = numpy.column_stack([numpy.zeros(30), NUMBERS[:, :4]])
    sent = ((read - MEAN) / DEVIATION)[:8]
    assert 'column 1 ("id"), a text, was sent as element 0, which is -16.25' in wrong(sent, labelled())
    assert wrong(SCALED[:8], labelled()) == ""
    for data in (labelled("sex"), labelled(names=[*NAMES[:4], "class"])):
        assert "a text, was sent" not in wrong(sent, data)


@pytest.mark.parametrize("order", [[4, 3, 2, 1, 0], [2, 3, 4, 0, 1]])
def test_columns_in_another_order_than_the_scaler(order: list[int]) -> None:
    turned = NUMBERS[:6, order]
    data = csv(turned, [NAMES[one] for one in order], HOURS, "hour")
    said = "in the reversed order" if order[0] == 4 else "turned round by"
    assert said in wrong((turned - MEAN) / DEVIATION, data)
    assert wrong((turned - MEAN[order]) / DEVIATION[order], data) == ""


EXCHANGED = "columns are exchanged, or the scaler's|are the columns in another order than the scaler's"


@pytest.mark.parametrize("order", [[0, 4, 2, 3, 1], [4, 1, 0, 3, 2]])
@pytest.mark.parametrize("lines", [6, 20])
def test_a_few_columns_by_each_others_numbers(order: list[int], lines: int) -> None:
    data, rows = labelled("name"), NUMBERS[:lines]
    changed = (rows[:, order] - MEAN) / DEVIATION
    assert re.search(EXCHANGED, wrong(changed, data))
    given = (rows - MEAN[order]) / DEVIATION[order]
    assert re.search(EXCHANGED, wrong(given, data))
    assert wrong((rows[:, order] - MEAN[order]) / DEVIATION[order], data) == "", "the model's own order"
    low, high = NUMBERS.min(axis=0), NUMBERS.max(axis=0)
    assert "exchanged" not in wrong((rows - low) / (high - low), data)
    assert "exchanged" not in wrong((rows - low) / (3 * (high - low)), data), "wide ranges"


def test_a_window_with_the_newest_line_first() -> None:
    data = csv(NUMBERS, NAMES, HOURS, "hour")
    window = SCALED[:24]
    said = wrong(window[::-1], data, is_window=True, is_series=True)
    assert 'column 1 ("hour") goes up: the newest, line 25, comes first' in said
    assert wrong(window, data, is_window=True, is_series=True) == ""
    assert wrong(window[::-1], data, is_window=True) == "", "a batch of lines"
    newest = csv(NUMBERS[::-1], NAMES, HOURS[::-1], "hour")
    assert wrong(window, newest, is_window=True, is_series=True) == "", "a file of the newest"


HOUSES = [["136", "", "16.8"], ["154", "1946", "4.1"], ["164", "", "9.3"],
          ["78", "1995", "4.8"], ["50", "", "12.9"], ["72", "1986", "1"]]  # fmt: skip


def houses(*, gap: float, taken: float = 1960, divided: float = 40) -> Any:
    rows = numpy.array([[float(one or gap) for one in row] for row in HOUSES])
    return numpy.column_stack(
        [rows[:, 0] / 100, (rows[:, 1] - taken) / divided, rows[:, 2] / 5, numpy.arange(6) // 2 % 2]
    )


FLATS = "\n".join(",".join(row) for row in (["area", "built", "km"], *HOUSES)).encode()


def test_empty_fields_that_were_read_as_0() -> None:
    said = wrong(houses(gap=0), FLATS)
    assert 'column 2 ("built") is missing in line 2, and was sent as -49, by which it is 0' in said
    assert wrong(houses(gap=1960), FLATS) == ""


def test_one_column_that_was_left_as_it_is() -> None:
    data = FLATS.replace(b",,", b",1962,")
    said = wrong(houses(gap=1962, taken=0, divided=1), data)
    assert 'column 2 ("built") was not scaled: element 1 comes up to 1995, and all others to 3.36' in said
    assert wrong(houses(gap=1962), data) == ""


def test_the_lines_of_a_second_file() -> None:
    origins = Origins()
    said = []
    other = FLATS.replace(b",,", b",1962,").replace(b"1", b"2")
    for name, data, gap in (("a.csv", other, 1962), ("b.csv", FLATS, 0)):
        for event in reads(data, name):
            origins.host_call(event)
        for row in houses(gap=gap):
            found = origins.of(Tensor.from_numpy(row[None].astype("f4")), "x")
            said += [found.wrong] if found is not None and found.wrong else []
    assert any("is missing in line 2" in one for one in said)


def test_fields_in_quotes() -> None:
    table = table_in(b'street,area\n"Quay 12, rear",39\n"Mill Lane 4",172\nElm 5,100\n')
    assert table is not None
    assert table.numbers[:, 1].tolist() == [39, 172, 100]
