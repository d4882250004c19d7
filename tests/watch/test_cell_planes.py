"""Several numbers for each cell of a grid, of which a guest makes places in a picture."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy
import pytest

from pywasm_nn.watch.probes.asked import Placed, Sent
from pywasm_nn.watch.probes.cell_counts import uncounted
from pywasm_nn.watch.probes.cell_pixels import unscaled
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


@pytest.mark.parametrize("axis", [1, 2])
def test_the_mirror_image_says_what_rows_are(axis: int) -> None:
    """A model may have its columns first: then a guest is right that takes the first axis for x."""
    cells = grid(8, 8)
    sent = [Sent("image", (1, 3, 8 * STRIDE, 8 * STRIDE), None, None)]
    asked = asked_of(guest(RAW, turned=True), cells[None], sent=sent)
    asked.answer_to = lambda _: {0: numpy.flip(cells, axis)[None]}
    found = seen_in(asked)
    assert found is not None
    assert ("are rows and columns exchanged?" in displaced(asked, *found)) is (axis == 2)


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


@pytest.mark.parametrize(("rows", "columns"), [(8, 8), (9, 9), (9, 8)])
@pytest.mark.parametrize("turned", [True, False])
def test_cells_beside_each_other_in_a_row(rows: int, columns: int, *, turned: bool) -> None:
    """The numbers of a cell lie beside each other, and are as many as a grid may have columns."""
    cells = numpy.concatenate([grid(rows, columns), grid(rows, columns)[-1:]]).transpose(1, 2, 0)

    def say(answers: Sequence[Any]) -> str:
        return guest(RAW, turned=turned)([[answers[0][0].transpose(0, 3, 1, 2)]])

    sent = [Sent("image", (1, 3, rows * STRIDE, columns * STRIDE), None, None)]
    asked = asked_of(say, numpy.ascontiguousarray(cells)[None], sent=sent)
    found = seen_in(asked)
    assert found is not None and (found[0].rows, found[0].columns) == (rows, columns)
    if rows == columns:
        assert ("are rows and columns exchanged?" in displaced(asked, *found)) is turned


def scaled(form: str, by: float, size: tuple[int, int], *, is_part: bool = False) -> str:
    """What is said of places by so much larger than in the input, in a picture of a height and width."""

    def say(answers: Sequence[Any]) -> str:
        cells, text = answers[0][0][0], ""
        for y, x in zip(*(cells[0] > 0).nonzero(), strict=True):
            place = [(at + squashed(cells[one, y, x])) * STRIDE * by for at, one in ((x, 1), (y, 2))]
            colour = f"{int(19 * place[0] + 7 * place[1]) + 450_000:06d}"  # as of the picture there
            text += form.format(*place, size[1], size[0], colour)
        return text

    end = size if not is_part else (size[0] // 2, size[1])
    placed = Placed(size, (0, 0, *end), (0, 0, 128, 128), (128, 128))
    sent = [Sent("image", (1, 3, 128, 128), None, None, placed)]
    asked = asked_of(say, grid(8, 8)[None], sent=sent)
    found = seen_in(asked)
    assert found is not None
    return unscaled(asked, *found)


@pytest.mark.parametrize(
    "form", ["({0:.0f}, {1:.0f})\n", "{0:.0f}x{1:.0f} is #{4}\n", "{2} by {3}: {0:.1f} {1:.1f}\n"]
)
def test_places_in_the_pixels_of_the_input(form: str) -> None:
    assert "not multiplied by 4 across and 3 down?" in scaled(form, 1.0, (384, 512))
    assert scaled(form, 4.0, (512, 512)) == ""
    assert scaled(form, 1 / STRIDE, (512, 512)) == "", "in cells"
    assert scaled(form, 1.0, (128, 128)) == "", "as large as the input"
    assert scaled(form, 1.0, (512, 512), is_part=True) == ""
    assert scaled("of 128: " + form, 1.0, (512, 512)) == ""
    assert scaled("in the input: " + form, 1.0, (512, 512)) == ""


COINS = ((2.4, 1.6), (5.6, 2.5), (1.5, 5.4), (6.5, 6.5))


def seen_by_several(*, is_pointing: bool = True) -> Any:
    """Cells around each coin see it, and their offsets say where; or else they say nothing."""
    made = numpy.zeros((7, 8, 8), "f4")
    made[0] = -4
    for y, x in COINS:
        for row in range(8):
            for column in range(8):
                down, across = y - row - 0.5, x - column - 0.5
                far = max(abs(down), abs(across))
                if far < 0.95:
                    made[:, row, column] = (4 - 2 * far, across, down, 0.6, 0.1, 0.9, 0.2)
                    made[1:3, row, column] *= is_pointing
    return made


def counting(form: str, near: float) -> Callable[[Sequence[Any]], str]:
    """A guest that counts cells, but for those whose place is so near to that of a surer one."""

    def say(answers: Sequence[Any]) -> str:
        cells = answers[0][0][0]
        places = sorted(zip(*(cells[0] > 0).nonzero(), strict=True), key=lambda at: -cells[0][at])
        kept: list[Any] = []
        for y, x in places:
            place = numpy.array([y + cells[2, y, x], x + cells[1, y, x]])
            if all(numpy.hypot(*(place - one)) >= near for one in kept):
                kept.append(place)
        return form.format(len(kept), len(places), 2 * len(kept))

    return say


@pytest.mark.parametrize(
    ("form", "near", "is_pointing", "seen"),
    [
        ("{0} coins, worth {2}\n", 0.0, True, True),
        ("{0} coins\n", 0.0, True, True),
        ("{0} coins\n", 0.5, True, False),
        ("{0} coins\n", 0.0, False, False),
        ("{0} coins of {1}\n", 0.5, True, False),
        ("{0} cells see a coin\n", 0.0, True, False),
        ("{0} squares are covered\n", 0.0, True, False),
    ],
)
@pytest.mark.parametrize("is_planar", [True, False])
def test_cells_that_see_the_same_thing(
    form: str, near: float, is_planar: bool, *, is_pointing: bool, seen: bool
) -> None:
    cells, counts = seen_by_several(is_pointing=is_pointing), counting(form, near)
    sent = [Sent("image", (1, 3, 64, 64), None, None)]
    if is_planar:
        asked = asked_of(counts, cells[None], sent=sent)
    else:
        turned = numpy.ascontiguousarray(cells.transpose(1, 2, 0))[None]
        asked = asked_of(lambda all_: counts([[all_[0][0].transpose(0, 3, 1, 2)]]), turned, sent=sent)
    assert ("is each thing counted once" in uncounted(asked)) is seen
