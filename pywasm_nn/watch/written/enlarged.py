"""Pictures that a guest puts together from an answer with several planes for each colour, one for each place
within a block of pixels (pixel shuffle), and writes to a file.

What is here: `misassembled`, and `Shuffle`, the orders of such planes. What is not: drawings of letters
(`probes/shuffled.py`), and answers with a number for each pixel (`pixels.py`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import isqrt
from typing import Any

from ...arrays import numpy
from ...records import Frozen
from ..changes.arrangements import unevenness
from .pixels import Answer, wrapped

SIDES, COLOURS = range(2, 9), (1, 3)
"""How many times as large a picture becomes, and its colours."""
SMALLEST = 8
ALIKE, UNLIKE, STEP = 0.99, 0.9, 1.01
"""This part of the pixels are elements, but for a step; fewer of those in another order."""
SMOOTHER = 0.9
"""Neighbours in a picture in its own order differ by so much less."""


class Shuffle(Frozen):
    """How planes [planes, rows, columns] make a picture: its colours, and how many times it is as large."""

    colours: int
    by: int

    def pictures(self, planes: Any, *, is_across_first: bool) -> Iterator[Any]:
        """The pictures [rows, columns, colours] that planes make in the two usual orders of colours. The
        place down is first within each block, as is usual, or the place across."""
        _, rows, columns = planes.shape
        by, colours = self.by, self.colours
        blocks = planes.reshape(colours, by, by, rows, columns)
        ways = [blocks] if colours == 1 else [blocks, self._colours_last(planes)]
        for one in ways:
            order = (3, 2, 4, 1, 0) if is_across_first else (3, 1, 4, 2, 0)
            yield one.transpose(order).reshape(by * rows, by * columns, colours)

    def _colours_last(self, planes: Any) -> Any:
        made = planes.reshape(self.by, self.by, self.colours, *planes.shape[1:])
        return made.transpose(2, 0, 1, 3, 4)


def shuffles_of(lengths: Sequence[int]) -> Iterator[Shuffle]:
    """Yields the ways in which planes, as many as the first length, may make a picture."""
    for colours in COLOURS:
        by = isqrt(lengths[0] // colours)
        if by in SIDES and lengths[0] == colours * by * by and min(lengths[1:]) >= SMALLEST:
            yield Shuffle(colours, by)


def misassembled(picture: Any, answer: Answer) -> str:
    """Returns what is wrong with a picture that was made of planes, or "" if nothing is, or it wasn't."""
    if len(answer.lengths) != 3 or picture.ndim < 2:
        return ""
    written = picture.reshape(*picture.shape[:2], -1).astype("f8")
    whole = answer.flat.reshape(answer.lengths)
    for planes in (whole, whole.transpose(2, 0, 1)):
        for shuffle in shuffles_of(planes.shape):
            if wrong := of_shuffle(written, planes, shuffle):
                return wrong
    return ""


def of_shuffle(written: Any, planes: Any, shuffle: Shuffle) -> str:
    """The same for planes and how they make a picture."""
    _, rows, columns = planes.shape
    if written.shape != (shuffle.by * rows, shuffle.by * columns, shuffle.colours):
        return ""
    right = [*shuffle.pictures(planes, is_across_first=False)]
    for own in right:
        if wrong := wrapped(written.reshape(-1), own.reshape(-1)):
            return wrong
    if any(alike(written, one) >= UNLIKE for one in right):
        return ""
    for own, other in zip(right, shuffle.pictures(planes, is_across_first=True), strict=True):
        if alike(written, other) >= ALIKE and unevenness(own) < SMOOTHER * unevenness(other):
            return (
                f"the place within each block of {shuffle.by} x {shuffle.by} pixels is that of another "
                f"plane: plane k is row k / {shuffle.by}, column k % {shuffle.by}, and not the other way "
                "round (pixel shuffle)"
            )
    return ""


def alike(written: Any, elements: Any) -> float:
    """The share of the pixels that are elements, in 0..1 or as bytes, cut to black and white."""
    return max(
        float((abs(written - numpy.clip(by * elements, 0, 255)) <= STEP).mean()) for by in (255.0, 1.0)
    )
