"""Planes of a picture, or frames of a film, that were written over each other: each begins a row or an
element behind the one before, so that the rest of the input is never filled.

What is here: `overlapping`. What is not: planes in another order (`clips.py`), and loops that store all
elements at one address (`sent/emptied.py`).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...arrays import numpy
from .clips import COLOURS, places_of

LEAST_SIDE = 8


def overlapping(array: Any, frames: Any) -> str:
    """Returns what is wrong with an input of which only the beginning is filled, with one of the frames
    [frames, height, width] that were read, or "" if it isn't so."""
    flat = array.reshape(-1)
    filled = int(numpy.flatnonzero(flat != flat[-1])[-1]) + 1 if (flat != flat[-1]).any() else 0
    for count, height, width, formula in shapes(array):
        size = height * width
        for step in {1, height, width}:
            if filled != size + (count - 1) * step or filled >= flat.size or step >= size:
                continue
            blocks = (flat[at : at + size].reshape(1, height, width) for at in (0, (count - 1) * step))
            if any(block.std() and places_of(block, frames) is not None for block in blocks):
                apart = "1 element" if step == 1 else f"{step} elements"
                return (
                    f"only its first {filled:,} elements are filled: its {count} planes of {width} x "
                    f"{height} were written over each other, {apart} apart; plane k, row r and column c "
                    f"belong at {formula}"
                )
    return ""


def shapes(array: Any) -> Iterator[tuple[int, int, int, str]]:
    """How many planes of which height and width an input has, and where each element belongs."""
    lengths = [one for one in array.shape if one != 1]
    if len(lengths) != COLOURS:
        return
    first, middle, last = lengths
    if min(middle, last) >= LEAST_SIDE:
        yield first, middle, last, f"(k * {middle} + r) * {last} + c"
    if min(first, middle) >= LEAST_SIDE and last <= COLOURS + 1:
        yield last, first, middle, f"(r * {middle} + c) * {last} + k"
