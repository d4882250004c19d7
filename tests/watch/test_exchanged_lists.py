"""Lines that are scaled by means and deviations in another order than their columns."""

from __future__ import annotations

from typing import Any

import numpy
import pytest

from pywasm_nn.watch.sheets.by_lists import of_lists, of_program

MEANS = numpy.array([48.5, 1.5, 26.4, 94.6, 189.0, 4.64])
WIDE = numpy.array([13.1, 0.5, 4.4, 13.8, 34.6, 0.52])
RANDOM = numpy.random.default_rng(3)
LINES = (MEANS + WIDE * RANDOM.uniform(-1.6, 1.6, (12, 6))).round(2)
EXCHANGED, TURNED, SORTED = [0, 2, 1, 3, 4, 5], [0, 2, 5, 3, 4, 1], [*numpy.argsort(MEANS)]
WORDS = "another order than the columns"


def rows(numbers: Any, separator: str = ",") -> bytes:
    return "\n".join(
        separator.join(f"{one:.6g}" for one in row) for row in numpy.atleast_2d(numbers)
    ).encode()


def said_of_files(kept: Any, order: list[int], way: str) -> str:
    """What is said of the first of these lines, scaled by lists of a file in that order."""
    first, second = (MEANS, WIDE) if way != "ends" else (MEANS - 2 * WIDE, MEANS + 2 * WIDE)
    first, second = first[order], second[order]
    by = second - first if way == "ends" else second
    listed = {
        "ends": rows([first, second]),
        "floats": numpy.concatenate([first, second]).astype("<f4").tobytes(),
    }
    scale = listed.get(way, f'{{"mean": {[*map(float, first)]}, "std": {[*map(float, second)]}}}'.encode())
    row = ((kept[0] - first) / by).astype("f4").astype("f8")
    return of_lists([("scale", scale), ("patients.csv", rows(kept))], row).said


@pytest.mark.parametrize("way", ["json", "floats", "ends"])
@pytest.mark.parametrize("order", [EXCHANGED, TURNED, SORTED])
@pytest.mark.parametrize("count", [1, 12])
def test_lists_of_a_file(order: list[int], way: str, count: int) -> None:
    assert WORDS in said_of_files(LINES[:count], order, way)
    assert WORDS not in said_of_files(LINES[:count], [*range(6)], way)


@pytest.mark.parametrize("order", [EXCHANGED, TURNED])
def test_means_alone(order: list[int]) -> None:
    own = numpy.concatenate([MEANS[order], WIDE])
    said = of_lists([("a.csv", rows(LINES))], (LINES[0] - MEANS[order]) / WIDE, lambda: [own]).said
    assert "scaled by the means of one another in the program" in said and WORDS in said


@pytest.mark.parametrize("factor", [9.0, 40.0])
def test_lines_that_are_far_from_all_means(factor: float) -> None:
    """Other data than the training's: no order of the lists fits it."""
    for places in ([1, 2], [0, 3], [3, 4, 5]):
        other = LINES.copy()
        other[:, places] += factor * WIDE[places] + 300
        assert WORDS not in said_of_files(other, [*range(6)], "json")


def test_one_column_that_is_far() -> None:
    other = LINES.copy()
    other[:, 1] = LINES[:, 2]
    assert WORDS not in said_of_files(other, [*range(6)], "json"), "a column was read twice"


def in_program(order: list[int], way: str, *, apart: int = 0) -> str:
    """What is said of a line that is among a program's data, as a text or as floats."""
    first, second = MEANS[order], WIDE[order]
    between = numpy.full(apart, 1e30)
    lines = LINES[:3].ravel() if way == "floats" else numpy.zeros(0)
    noise = RANDOM.normal(0, 50, 40)
    own = numpy.concatenate([noise, first, between, second, noise, lines]).astype("f4")
    row = ((LINES[1].astype("f4") - first.astype("f4")) / second.astype("f4")).astype("f8")
    return of_program([rows(LINES, "\t")] if way == "text" else [], row, [own, own.astype("f8")[:7]])


@pytest.mark.parametrize("way", ["text", "floats"])
@pytest.mark.parametrize("apart", [0, 2])
@pytest.mark.parametrize("order", [EXCHANGED, TURNED])
def test_lists_and_lines_of_a_program(order: list[int], apart: int, way: str) -> None:
    if apart and way == "text":
        return
    assert WORDS in in_program(order, way, apart=apart)
    assert in_program([*range(6)], way, apart=apart) == ""
    assert in_program(order, "neither", apart=apart) == ""


def test_lines_of_a_program_that_are_scaled_wrongly() -> None:
    own = numpy.concatenate([MEANS, WIDE])
    assert "not divided" in of_program([rows(LINES, " ")], (LINES[0] - MEANS) * WIDE, [own])
    assert of_program([rows(LINES, " ")], (LINES[0] - MEANS) / WIDE, [own]) == ""
