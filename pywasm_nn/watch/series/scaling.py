"""Numbers of a file of which the first ones alone were scaled.

What is here: `scaled_in_part`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ...arrays import numpy
from ..sheets.rows import NEARLY
from ..sheets.scaler_files import pairs_in
from ..sheets.sheet import Sheet

FEWEST, DIFFERENT = 8, 4
"""Elements that are as in the file, and their different values."""
MOST = 0.5
"""The part of the elements that may be scaled."""
EXACT = 1e-4


def scaled_in_part(flat: Any, sheets: Sequence[Sheet]) -> tuple[str, str]:
    """Returns the file and what is wrong with elements that come from it, or "" for both if nothing is known
    to be wrong."""
    end = flat[-FEWEST:].astype("f8")
    if flat.size <= FEWEST or len(numpy.unique(end)) < DIFFERENT:
        return "", ""
    for sheet in sheets:
        pairs = [pair for other in sheets if other is not sheet for pair in pairs_in(other)]
        for what, numbers in runs(sheet):
            windows = numpy.lib.stride_tricks.sliding_window_view(numbers, FEWEST)
            for at in numpy.flatnonzero((abs(windows - end) <= NEARLY * abs(end)).all(axis=1)).tolist():
                first = at + FEWEST - flat.size
                if first < 0:
                    continue
                there = numbers[first : at + FEWEST]
                other = abs(there - flat) > NEARLY * abs(there)
                count = int(other.argmin())
                is_scaled = any(fits(there[:count], flat[:count], *pair) for pair in pairs)
                if 0 < count <= MOST * flat.size and not other[count:].any() and is_scaled:
                    part = "first element is" if count == 1 else f"first {count} elements are"
                    rest = flat.size - count
                    return sheet.name, (
                        f"its {part} {what} scaled, and the other {rest} as in the file: was the "
                        "loop's end the size of a pointer (sizeof of an array that is a parameter)?"
                    )
    return "", ""


def runs(sheet: Sheet) -> Iterator[tuple[str, Any]]:
    """The numbers of a table in the orders in which they may be sent."""
    if len(sheet.rows) < FEWEST:
        return
    for column in range(sheet.numbers.shape[1]):
        yield f"numbers of {sheet.named(column)}", sheet.numbers[:, column]
    yield "numbers of its lines", sheet.numbers.reshape(-1)


def fits(there: Any, own: Any, taken: float, divided: float) -> bool:
    """Whether numbers were scaled by these."""
    return bool((abs((there - taken) / divided - own) <= EXACT * (1 + abs(own))).all())
