"""Windows of columns with decimal commas that were cut off there, so that hardly any number is left."""

from __future__ import annotations

from typing import Any

import numpy
import pytest

from pywasm_nn.watch.series.cut_commas import cut_commas
from pywasm_nn.watch.sheets.sheet import sheet_of

RANDOM = numpy.random.default_rng(12)
MOVES = numpy.column_stack(
    [RANDOM.normal(0, 0.7, 90), RANDOM.normal(0.4, 0.8, 90), RANDOM.normal(1, 0.1, 90)]
)


def table(digits: int = 3, point: str = ",", mark: str = ";") -> bytes:
    """Lines of a time, a date and three axes."""
    lines = [
        [f"{at * 0.02:.{digits}f}", f"0{at % 9 + 1}.12.2023", *(f"{one:.{digits}f}" for one in own)]
        for at, own in enumerate(MOVES)
    ]
    return "\n".join(mark.join(one).replace(".", point) for one in [["t", "day", *"xyz"], *lines]).encode()


def said(array: Any, data: bytes) -> str:
    sheet = sheet_of("moves.csv", data)
    assert sheet is not None
    return cut_commas(array.astype("f4"), [sheet])[1]


def dated(data: bytes) -> bytes:
    """The same with dates as people write them."""
    return b"\n".join(
        b";".join(one.replace(b",", b".") if at == 1 else one for at, one in enumerate(line.split(b";")))
        for line in data.split(b"\n")
    )


@pytest.mark.parametrize("digits", [2, 3])
@pytest.mark.parametrize("by", [1.0, 0.5, -2.0])
@pytest.mark.parametrize("start", [0, 25])
def test_only_whole_numbers_are_left(digits: int, by: float, start: int) -> None:
    data, cut = dated(table(digits)), numpy.trunc(MOVES.round(digits))[start : start + 64]
    for window in (cut, cut.T, cut[:, 1:2], cut[None]):
        wrong = said(window * by, data)
        assert "the decimals were cut off" in wrong and "at which atof, strtof and parseFloat stop" in wrong
    assert said(MOVES[start : start + 64] * by, data) == ""


def test_what_says_nothing() -> None:
    cut = numpy.trunc(MOVES)[:64]
    assert said(cut, table(point=".", mark=",")) == ""
    assert said(cut[:, [1, 0, 2]], dated(table())) == said(cut[:8], dated(table())) == ""
    assert said(numpy.zeros((64, 3)), dated(table())) == ""
    whole = dated("\n".join(["x;y", *(f"{at % 3},0;{at % 4},0" for at in range(64))]).encode())
    assert said(numpy.array([[at % 3, at % 4] for at in range(64)]), whole) == ""


def test_three_decimals_are_no_thousands() -> None:
    sheet = sheet_of("moves.csv", dated(table()))
    assert sheet is not None and numpy.allclose(sheet.numbers[:, 2:], MOVES.round(3))
    thousands = sheet_of("a.csv", b"n;m\n1,200;4\n12,345;5\n")
    assert thousands is not None and thousands.numbers[:, 0].tolist() == [1200, 12345]
