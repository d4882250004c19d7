"""Forecasts of a column that are written in another unit than the column has, and not said to be: the window
was converted to the model's unit, and the answer wasn't brought back.

What is here: `in_another_unit`. What is not: outputs whose name says their unit (`amounts/named_units.py`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from ...arrays import numpy
from ..origin.runs_of_columns import room_of, run_of
from ..origin.straight import line_through
from ..origin.tables import named, tables_in
from ..sheets.units import converted
from ..units import PLAIN, unit_in
from .asked import Asked
from .formulas import said_of
from .unbent import MOST_COLUMNS, STEPS, forecasts, window_of

ROUNDED = 5e-3
"""The part by which halves, and factors with few digits, are off."""
NAMES = {"c": ("\u00b0c", "celsius"), "f": ("\u00b0f", "fahrenheit"), "k": ("kelvin",)}
"""How units are written that are one letter."""


def in_another_unit(asked: Asked) -> str:
    """Returns what is wrong with the unit of forecasts, or "" if nothing is known to be wrong."""
    sent = window_of(asked)
    if sent is None:
        return ""
    window = sent.astype("f8")
    outputs = forecasts(asked, window)
    if not outputs:
        return ""
    for name, unit, slope, height in placed(asked, window, room_of(sent)):
        for index, output in outputs:
            levels = [float(window.min() + step * numpy.ptp(window)) for step in STEPS]
            arrays = [numpy.full(output.array.shape, level, output.array.dtype) for level in levels]
            undone = (numpy.array([one.reshape(-1)[0] for one in arrays], "f8") - height) / slope
            said = said_of(asked, index, arrays)
            other = unit_of(said, unit, undone) if said else ""
            if other and not is_named(asked.control.text, other) and is_named(asked.control.text, unit):
                own, there = PLAIN.get(unit, unit), PLAIN.get(other, other)
                return (
                    f"{output.what}: the window is {name}, converted to {there}, and what the guest writes "
                    f"of the answer is in {there}, too, though it says {own}: is it to be brought back?"
                )
    return ""


def placed(asked: Asked, window: Any, room: float) -> Iterator[tuple[str, str, float, float]]:
    """The columns with a unit that a window goes on as, by which slope and height it was scaled."""
    for file, table in tables_in(asked.files()):
        for column in range(min(table.numbers.shape[1], MOST_COLUMNS) if table.headings else 0):
            numbers, unit = table.numbers[:, column], unit_in(table.headings[column])[1]
            start = run_of(numbers, window, room) if unit else -1
            if start >= 0:
                slope, height = line_through(numbers[start : start + len(window)], window)
                yield f"{named(table, column)} of {file}", unit, float(slope), float(height)


def unit_of(said: Sequence[Sequence[Any]], unit: str, undone: Any) -> str:
    """Returns the other unit in which all numbers are that follow the answer, or "" if there is none."""
    if len({*map(len, said)}) != 1:
        return ""
    moving = [words for words in zip(*said, strict=True) if len({word.text for word in words}) > 1]
    for other, made in converted(unit, undone) if moving else ():
        if all(near(word, value) for words in moving for word, value in zip(words, made, strict=True)):
            return other
    return ""


def near(word: Any, value: float) -> bool:
    """Whether a number stands for a value, but for what halves are rounded by."""
    return bool(abs(word.value - value) <= max(word.unit, ROUNDED * abs(value)))


def is_named(text: str, unit: str) -> bool:
    """Whether a text names a unit."""
    names = NAMES.get(unit, (PLAIN.get(unit, unit), unit))
    return any(re.search(rf"(?<![a-z/]){re.escape(name)}(?![a-z/])", text.lower()) for name in names)
