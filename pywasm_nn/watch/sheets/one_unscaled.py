"""A column that was sent as it stands in a table where others were scaled, to a model that can't have been
trained on it so.

What is here: `one_unscaled`. What is not: whole lines as they stand (`scales.py`, `whatif.scaling`), and
columns in another unit than their heading names (`units.py`).

A dense layer is trained on elements that are of about the same size. If one is so large that it alone says
what nearly every unit gives, and wouldn't be if it were divided by a power of ten, it was to be scaled, too.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...arrays import numpy
from ...nn.formats.format import Layer
from ..origin.straight import line_within
from .sheet import Sheet

FEWEST = 3
"""Lines that are compared at least: three different numbers lie on a straight line by no chance as exactly
as f32 has them."""
EXACT, PLAIN = 3e-6, 1e-5
LARGE, SMALL = 20.0, 6.0
"""The size of an element that was not scaled, and the largest of the others."""
OVERWHELMING, ALIKE = 8.0, 2.5
"""What the units of a layer get on average is many times as large as it should be, and is about that if the
element is divided."""
DIVISORS = (1e1, 1e2, 1e3, 1e4, 1e5, 1e6)


def one_unscaled(sheet: Sheet, rows: Any, layer: Layer) -> str:
    """Returns what is wrong with inputs, [inputs, elements], that follow the lines of a table, or "" if
    nothing is."""
    if not sheet.headings or rows.shape[1] != layer.weights.shape[1]:
        return ""
    plain, scaled = [*columns(sheet, rows, is_plain=True)], [*columns(sheet, rows, is_plain=False)]
    sizes = abs(rows).max(axis=0)
    large = [(element, column) for element, column in plain if sizes[element] >= LARGE]
    if len(large) != 1 or not scaled or sizes[[one for one, _ in scaled]].max() > SMALL:
        return ""
    element, column = large[0]
    if numpy.delete(sizes, element).max() > SMALL or mean_of_units(layer, rows) < OVERWHELMING:
        return ""
    for divisor in DIVISORS:
        made = rows.copy()
        made[:, element] /= divisor
        if sizes[element] / divisor <= SMALL and mean_of_units(layer, made) <= ALIKE:
            other = sheet.named(scaled[0][1])
            return (
                f"{sheet.named(column)} was sent as it stands ({rows[0, element]:g} in the first line), and "
                f"{other} was scaled: it makes what the first layer of the model gives "
                f"{mean_of_units(layer, rows) / mean_of_units(layer, made):.0f} times as large as divided by "
                f"{divisor:,.0f}: was it to be scaled, too?"
            )
    return ""


def mean_of_units(layer: Layer, rows: Any) -> float:
    """The size of what the units of a layer give, on average."""
    return float(abs(rows @ layer.weights.T + layer.heights).mean())


def columns(sheet: Sheet, rows: Any, *, is_plain: bool) -> Iterator[tuple[int, int]]:
    """Elements and the columns that they are, as these stand or scaled."""
    numbers = sheet.numbers[: len(rows)]
    for column in range(numbers.shape[1]):
        there = numbers[:, column]
        if not numpy.isfinite(there).all() or len(numpy.unique(there)) < FEWEST:
            continue
        for element, own in enumerate(rows.T):
            if numpy.allclose(own, there, rtol=PLAIN, atol=0):
                if is_plain:
                    yield element, column
                continue
            room = EXACT * (abs(own).max() + numpy.ptp(own))
            if not is_plain and line_within(own, there, room) is not None:
                yield element, column
