"""A column that was sent as it stands in a table where others were scaled, to a model that can't have been
trained on it so, and one that was converted to another unit before it was divided, which leaves the range of
all others.

What is here: `one_unscaled` and `one_converted`. What is not: whole lines as they stand (`scales.py`,
`whatif.scaling`), and columns in another unit than their heading names (`units.py`).

A dense layer is trained on elements that are of about the same size. If one is so large that it alone says
what nearly every unit gives, and wouldn't be if it were divided by a power of ten, it was to be scaled, too.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any

from ...arrays import numpy
from ...nn.formats.format import Layer
from ..origin.straight import factor_of, line_within
from ..units import UNITS
from .sheet import Sheet
from .units import CUSTOMARY

FEWEST = 3
"""Lines that are compared at least: three different numbers lie on a straight line by no chance as exactly
as f32 has them."""
EXACT, PLAIN = 3e-6, 1e-5
LARGE, SMALL = 20.0, 6.0
"""The size of an element that was not scaled, and the largest of the others."""
OVERWHELMING, ALIKE = 8.0, 2.5
"""What the units of a layer get on average is many times as large as it should be, and is about that if the
element is divided."""
ROUND = (1.0, 2.0, 5.0)
"""People divide by such numbers, times a power of ten."""
BEYOND, WITHIN, LIKE, LEAST_DIVISOR = 3.0, 2.0, 5e-5, 5.0
"""The size of an element that was converted, the largest of the others, how near a factor is to a unit's as
people write it, and by what it is divided at least: one that is only converted may be wanted so."""
DIGITS = 4
DIVISORS = (1e1, 1e2, 1e3, 1e4, 1e5, 1e6)


def one_unscaled(sheet: Sheet, rows: Any, layer: Layer) -> str:
    """Returns what is wrong with inputs, [inputs, elements], that follow the lines of a table, or "" if
    nothing is."""
    if not sheet.headings or rows.shape[1] != layer.weights.shape[1]:
        return ""
    sizes = abs(rows).max(axis=0)
    large = [*columns(sheet, rows, is_plain=True, among=numpy.flatnonzero(sizes >= LARGE).tolist())]
    scaled = [*columns(sheet, rows, is_plain=False)] if len(large) == 1 else []
    if not scaled or sizes[[one for one, _ in scaled]].max() > SMALL:
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


def one_converted(sheet: Sheet, rows: Any) -> str:
    """Returns what is wrong with a column that was converted to another unit, and is far beyond all other
    elements by that alone, or "" if nothing is."""
    sizes = abs(rows).max(axis=0)
    element = int(sizes.argmax())
    others = numpy.delete(sizes, element).max(initial=0.0)
    if sizes[element] < BEYOND or others > WITHIN:
        return ""
    scaled = dict(columns(sheet, rows, is_plain=False))
    if len(scaled) < FEWEST or element not in scaled:
        return ""
    there = sheet.numbers[: len(rows), scaled[element]]
    factor = factor_of(rows[:, element], there, EXACT)
    found = conversion(factor) if factor > 0 and not is_written(1 / factor) else None
    if found is None or sizes[element] / found[1] > WITHIN:
        return ""
    said, by = found
    return (
        f"{sheet.named(scaled[element])} was multiplied by {by:.5g} ({said}) and divided by "
        f"{by / factor:.3g}: by that it comes to {sizes[element]:.3g}, and all others to {others:.2g}; it "
        f"would be {sizes[element] / by:.2g} without the conversion: does the model want it as it stands?"
    )


def conversion(factor: float) -> tuple[str, float] | None:
    """The conversion between a customary unit and a metric one that numbers went through before they were
    divided by a round number, in words and as a factor, or None if it is none."""
    for unit, (kind, size) in UNITS.items():
        for other, (own, by) in UNITS.items():
            if own != kind or unit not in CUSTOMARY or other in CUSTOMARY or kind == "warmth":
                continue
            for said, ratio in ((f"{other} to {unit}", by / size), (f"{unit} to {other}", size / by)):
                if ratio > 1 and ratio / factor >= LEAST_DIVISOR and is_round(ratio / factor):
                    return said, ratio
    return None


def is_written(number: float) -> bool:
    """Whether a number has few digits, so that it needs no unit to be divided by."""
    return abs(float(f"{number:.{DIGITS}g}") - number) <= EXACT * number


def is_round(number: float) -> bool:
    """Whether a number is 1, 2 or 5 times a power of ten, as far as factors of units are written."""
    power = 10.0 ** numpy.floor(numpy.log10(number * (1 + LIKE)))
    return any(abs(number / power / one - 1) <= LIKE for one in ROUND)


def mean_of_units(layer: Layer, rows: Any) -> float:
    """The size of what the units of a layer give, on average."""
    return float(abs(rows @ layer.weights.T + layer.heights).mean())


def columns(
    sheet: Sheet, rows: Any, *, is_plain: bool, among: Collection[int] | None = None
) -> Iterator[tuple[int, int]]:
    """Elements and the columns that they are, as these stand or scaled; of all elements, or `among` some. A
    wide table has many pairs of both."""
    numbers = sheet.numbers[: len(rows)]
    elements = [*range(rows.shape[1])] if among is None else [*among]
    for column in range(numbers.shape[1]) if elements else ():
        there = numbers[:, column]
        if not numpy.isfinite(there).all() or len(numpy.unique(there)) < FEWEST:
            continue
        equal = numpy.isclose(rows[:, elements], there[:, None], rtol=PLAIN, atol=0).all(axis=0)
        if is_plain:
            yield from ((element, column) for element, one in zip(elements, equal, strict=True) if one)
            continue
        for element in [one for one, is_equal in zip(elements, equal, strict=True) if not is_equal]:
            own = rows[:, element]
            room = EXACT * (abs(own).max() + numpy.ptp(own))
            if line_within(own, there, room) is not None:
                yield element, column
