"""Numbers that stand for "not measured" in a grid, and were taken for numbers.

What is here: `marked`. What is not: finding the grid (`grids.py`, `text_grids.py`), and columns of tables
(`series.gaps`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

MARKS = (-32768.0, -32767.0, -9999.0, -99999.0)
"""Usual marks: the least number of 16 bits (SRTM, DTED), and nines."""
FAR = 2.0
"""A mark is so many times the range of all other numbers away from them."""
MOST = 0.5
"""The part of the numbers that may be missing."""


def marked(numbers: Any, marks: Sequence[float], name: str = "") -> str:
    """Returns what is wrong with the numbers of an input if a mark is among them, or "" if there is none.
    `name` is what the file calls it."""
    for mark in marks:
        is_mark = numbers == mark
        count, rest = int(is_mark.sum()), numbers[~is_mark]
        if not 0 < count <= MOST * numbers.size:
            continue
        low, high = float(rest.min()), float(rest.max())
        room = FAR * (high - low)
        if low - room <= mark <= high + room:
            continue
        called = f"{name} {mark:g}, which stands" if name else f"{mark:g}, which usually stands"
        return (
            f"{count:,} of its {numbers.size:,} numbers are {called} for one that was not measured (the "
            f"others are {low:g} to {high:g}): it goes into the input, and into a mean or range taken of it, "
            "like any other"
        )
    return ""
