"""Grades that are numbered by the alphabet."""

from __future__ import annotations

from collections.abc import Sequence

import numpy
import pytest

from pywasm_nn.watch.sheets.grades import by_alphabet
from pywasm_nn.watch.sheets.sheet import sheet_of

RISKS = ["high", "low", "medium", "low", "high", "medium", "low"]
SIZES = ["S", "L", "M", "XL", "M", "S", "L"]
FIRMS = ["north", "south", "east", "east", "north", "south", "west"]
NUMBERS = numpy.round(numpy.random.default_rng(3).uniform(2, 60, (7, 3)), 2)
LINES = [",".join([*texts, *map(str, row)]) for *texts, row in zip(RISKS, SIZES, FIRMS, NUMBERS, strict=True)]
SHEET = sheet_of("loads.csv", "\n".join(["risk,size,firm,a,b,c", *LINES]).encode())
ORDER = [3, 0, 6, 2, 5, 1, 4]


def hint(risk: Sequence[str], size: Sequence[str], firm: Sequence[str] = ()) -> str:
    """What is said if these are the orders by which kinds are numbered."""
    assert SHEET is not None
    pairs = [(RISKS, risk), (SIZES, size), *([(FIRMS, firm)] if firm else [])]
    numbers = numpy.array([[order.index(one) for one in texts] for texts, order in pairs], "f8").T
    return by_alphabet(SHEET, numpy.concatenate([numbers, NUMBERS], axis=1)[ORDER])


RISK, SIZE = ["low", "medium", "high", "critical"], ["S", "M", "L", "XL"]


@pytest.mark.parametrize(
    ("risk", "size", "firm", "said"),
    [
        (sorted(RISK), SIZE, (), 'column 1 ("risk") is numbered by the alphabet in element 0 ("low" is 2)'),
        (RISK, sorted(SIZE), (), 'from "s" to "xl", and column 1 ("risk") is not: does the model want it?'),
        (RISK, SIZE, (), ""),
        (sorted(RISK), sorted(SIZE), (), ""),  # so a model may be trained
        (RISK, SIZE, sorted({*FIRMS}), ""),
        (RISK[::-1], SIZE, (), ""),
    ],
)
def test_numbers_by_the_alphabet(risk: list[str], size: list[str], firm: Sequence[str], said: str) -> None:
    found = hint(risk, size, firm)
    assert said in found and bool(said) == bool(found)
