"""Several numbers for each cell of a grid, of which a guest makes places in a picture."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy
import pytest

from pywasm_nn.watch.probes.asked import Sent
from pywasm_nn.watch.probes.cell_planes import displaced, seen_in
from tests.watch.test_uses_of_answers import asked_of

STRIDE, THINGS = 16, ((2, 3), (4, 1), (6, 5), (1, 6))
OFFSETS = numpy.array([(1.8, -1.4), (-1.1, 0.3), (0.4, 2.1), (-2.2, 1.5)])
RAW = "({0:.0f}, {1:.0f}) {2:.1f} wide\n"


def grid(rows: int, columns: int, offsets: Any = OFFSETS, beside: float = -6.0) -> Any:
    """Numbers of cells: a score, two offsets, a size and two classes; `beside` is the score of cells beside
    those in which something was found."""
    made = numpy.zeros((6, rows, columns), "f4")
    made[0] = -6
    for row, column in THINGS:
        made[0, row, column - 1 : column + 2] = beside
    for number, ((row, column), offset) in enumerate(zip(THINGS, offsets, strict=True)):
        made[:, row, column] = (5 + number / 4, *offset, 0.4, 3 - number, number)
    return made


def squashed(value: float) -> float:
    return float(1 / (1 + numpy.exp(-value)))


def guest(
    form: str, bend: Callable[[float], float] = squashed, *, turned: bool = False, is_split: bool = False
) -> Callable[[Sequence[Any]], str]:
    """A guest that writes the places of cells whose score is above 0."""

    def say(answers: Sequence[Any]) -> str:
        parts = [one[0] for one in answers[0]]
        cells = numpy.concatenate(parts) if is_split else parts[0]
        rows, columns = cells.shape[1:]
        if turned:
            cells = cells.reshape(-1, columns, rows).transpose(0, 2, 1)
        found = [(float(cells[0, y, x]), y, x) for y in range(rows) for x in range(columns)]
        text = ""
        for score, y, x in sorted(found, reverse=True):
            across, down, size = cells[1:4, y, x]
            if score > 0:
                text += form.format((x + bend(across)) * STRIDE, (y + bend(down)) * STRIDE, size)
        return text

    return say


def hint(say: Callable[[Sequence[Any]], str], *answers: Any) -> str:
    rows, columns = answers[0].shape[-2:]
    sent = [Sent("image", (1, 3, rows * STRIDE, columns * STRIDE), None, None)]
    asked = asked_of(say, *(one[None] for one in answers), sent=sent)
    found = seen_in(asked)
    return displaced(asked, *found) if found is not None else ""


@pytest.mark.parametrize(("rows", "columns"), [(8, 8), (8, 11), (11, 8)])
def test_rows_and_columns_exchanged(rows: int, columns: int) -> None:
    cells = grid(rows, columns)
    assert "are rows and columns exchanged?" in hint(guest(RAW, turned=True), cells)
    split = hint(guest(RAW, turned=True, is_split=True), cells[:1], cells[1:])
    assert split.startswith('output 1 "z": ') and "are rows and columns exchanged?" in split
    assert hint(guest(RAW), cells) == hint(guest(RAW, is_split=True), cells[:1], cells[1:]) == ""


def test_rows_that_are_written_first() -> None:
    assert hint(guest("row {1:.0f}, column {0:.0f}\n"), grid(8, 8)) == ""
    assert hint(guest("y {1:.0f}, x {0:.0f}\n"), grid(8, 8)) == ""
    assert hint(guest("{1:.0f}, {0:.0f}\n"), grid(8, 8)) == ""  # offsets are those of columns first


@pytest.mark.parametrize("form", [RAW, "{0:.1f} {1:.1f}\n", "at {1:.0f}/{0:.0f}\n"])
def test_offsets_that_are_logits(form: str) -> None:
    raw = guest(form, float)
    assert "-2.2 to 2.1 cells, often beyond the cell: are they logits" in hint(raw, grid(8, 8))
    split = guest(form, float, is_split=True)
    assert "are they logits" in hint(split, grid(8, 8)[:3], grid(8, 8)[3:])
    assert hint(guest(form), grid(8, 8)) == ""
    assert hint(raw, grid(8, 8, abs(OFFSETS) / 3)) == ""  # shares of a cell
    assert hint(raw, grid(8, 8, beside=3.0)) == ""  # places that are found from cells around, too
