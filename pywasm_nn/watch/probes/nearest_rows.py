"""Vectors of several inputs in one answer, of which a guest says which is nearest to the first or the last of
them, whatever else it says.

What is here: `least_alike`, for which that one is made the same as others, and the opposite of them, and
`by_product`, for which another one is made far longer. What is not: vectors of several computes
(`nearest.py`), and rows that are taken at another distance (`compared_rows.py`).

A product that isn't divided by lengths is what some models are made for. It is said only where what was sent
speaks for the other vector, too: the two inputs have more in common than the one that is said.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from ...arrays import numpy
from ...records import Frozen
from ..regex import regex
from .asked import Asked, Given
from .classes import LEAST
from .thresholds import DECIMAL

FEWEST_ROWS, MOST_ROWS, FEWEST, MOST = 5, 256, 6, 4096
TRIED = 3
"""So many vectors are made the nearest in turn."""
TILT = 0.5
"""How far these are from what they have in common."""
LONGER, LONG = 100.0, 1.05
"""How many times as long a vector is made, and how many times as long the longest of the model's own is at
least as the shortest."""
NEARER, MORE = 0.05, 0.15
"""By how much the cosine of the nearest vector is larger, and by how much more its input has in common with
that which is compared."""
APART = regex(
    r"\b(?:far(?:thest|ther)?|furth|odd\b|outlier|distant\b|opposite|divers|variet|novel)", re.IGNORECASE
)
"""Words for the least like, beside those for the smallest."""
PRODUCT = regex(r"product|\bdot\b|inner|recommend|score", re.IGNORECASE)
"""What guests say that take products on purpose."""


class Compared(Frozen):
    """An answer [rows, size], the place of the row that is compared with the others, and what is said if it
    is the same as each of the first ones of these, or their opposite."""

    index: int
    output: Given
    place: int
    alike: tuple[str, ...]
    opposite: tuple[str, ...] = ()

    @property
    def others(self) -> list[int]:
        """The places of the rows that it is compared with."""
        return [row for row in range(len(self.output.array)) if row != self.place]


def least_alike(asked: Asked) -> str:
    """Returns a hint if the least like is said of a row, or "" if it isn't so."""
    if is_looked_for(asked.control.text):
        return ""
    for one in compared(asked):
        if len({*one.alike}) == 1 and len({*one.opposite}) == TRIED:
            return (
                f"{one.output.what}: its row {one.place} is compared with the others; if it is made the same "
                f'as row {one.others[0]}, the guest says "{shown(one.alike[0])}", as of other rows, and '
                f'"{shown(one.opposite[0])}" if it is the opposite of that: is the least like taken for the '
                "nearest (a similarity for a distance, or the other way round)?"
            )
    return ""


def is_looked_for(text: str) -> bool:
    """Whether a text says that the least like is meant."""
    return LEAST.search(text) is not None or APART.search(text) is not None


def by_product(asked: Asked) -> str:
    """Returns a hint if a row that is longer is said in place of the nearest one, and both the model's answer
    and what was sent say that another one is meant; or "" if it isn't so."""
    if is_looked_for(asked.control.text) or PRODUCT.search(asked.control.text):
        return ""
    for one in compared(asked):
        if len({*one.alike}) < TRIED:
            continue
        vectors = one.output.array.reshape(-1, one.output.array.shape[-1]).astype("f8")
        lengths = numpy.linalg.norm(vectors, axis=1)
        own, others = vectors[one.place], one.others
        products = vectors[others] @ own
        near = products / numpy.maximum(lengths[others] * lengths[one.place], 1e-30)
        best, nearest = int(products.argmax()), int(near.argmax())
        if near[nearest] < near[best] + NEARER or lengths.max() < LONG * lengths.min():
            continue
        common = in_common(asked, one)
        if common is None or common[nearest] < common[best] + MORE:
            continue
        long = [said(asked, one, row, by=LONGER) for row in range(TRIED)]
        if len({*long}) > 1 or not long[0]:
            continue
        return (
            f"{one.output.what}: its row {one.place} is compared with the others, and a longer one is said "
            f"to be the nearest whatever it is; of the answer itself the product with row {others[best]} is "
            f"the largest, while row {others[nearest]} is the nearest if all are divided by their lengths "
            f"({near[nearest]:.3f}, and {near[best]:.3f} for the other), and its input has more in common: "
            "are products to be divided by the lengths of both (cosine)?"
        )
    return ""


def compared(asked: Asked) -> Iterator[Compared]:
    """The answers whose first or last row is compared with all others, as what is said follows it."""
    for index, output in asked.fetched():
        lengths = output.lengths
        if len(lengths) != 2 or output.array.dtype.kind != "f" or not asked.is_batch(output):
            continue
        if not (FEWEST_ROWS <= lengths[0] <= MOST_ROWS and FEWEST <= lengths[1] <= MOST):
            continue
        for place in (lengths[0] - 1, 0):
            one = Compared(index, output, place, ())
            alike = tuple(said(asked, one, row) for row in range(TRIED))
            opposite: tuple[str, ...] = ()
            if all(alike) and len({*alike}) == 1:
                opposite = tuple(said(asked, one, row, sign=-1) for row in range(TRIED))
            if len({*alike, *opposite}) > 1 and all((*alike, *opposite)):
                yield Compared(index, output, place, alike, opposite)


def said(asked: Asked, one: Compared, row: int, *, sign: int = 1, by: float = 1.0) -> str:
    """What is said if the row that is compared is the same as another one, or its opposite, and a further one
    is so many times as long as all."""
    rows, size = one.output.lengths
    others = one.others
    made = numpy.zeros((rows, size))
    made[others] = cone(rows - 1, size, TRIED)
    made[one.place] = sign * made[others[row]]
    if by > 1:
        made[others[-1]] = by * made[others[:TRIED]].mean(axis=0)
    array = made.astype(one.output.array.dtype).reshape(one.output.array.shape)
    return DECIMAL.sub("#", asked.text(one.index, array) or "").strip()


def cone(count: int, size: int, near: int) -> Any:
    """So many vectors of length 1, of which the first ones are near to each other, the last one is their
    opposite, and the rest lies beside them."""
    made = numpy.zeros((count, size))
    made[:, 1] = 1
    made[:near] = 0
    for at in range(near):
        made[at, [0, 2 + at]] = 1, TILT
    made[-1] = 0
    made[-1, 0] = -1
    return made / numpy.linalg.norm(made, axis=1, keepdims=True)


def in_common(asked: Asked, one: Compared) -> Any:
    """Returns how much the input of each other row has in common with that of the row that is compared, as
    the cosine of what they count or of the words that are in them, or None if inputs are neither."""
    rows = len(one.output.array)
    for sent in asked.sent:
        if sent.array is None or sent.shape[:1] != (rows,) or sent.array.min() < 0:
            continue
        counts = sent.array.reshape(rows, -1).astype("f8")
        if (counts % 1).any() or len(numpy.unique(counts)) < 2:
            continue
        if counts.max() > counts.shape[1]:  # numbers of words, and no counts
            numbers = numpy.unique(counts[counts > 0])
            counts = numpy.stack([numpy.isin(numbers, row) for row in counts]).astype("f8")
        lengths = numpy.maximum(numpy.linalg.norm(counts, axis=1), 1e-30)
        return counts[one.others] @ counts[one.place] / (lengths[one.others] * lengths[one.place])
    return None


def shown(text: str) -> str:
    """The line of a text that is said of the answer: the last one."""
    return text.splitlines()[-1].strip()
