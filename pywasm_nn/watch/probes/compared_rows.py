"""A vector for each of several inputs, of which the guest says which two are alike: does it read each vector
where it lies?

What is here: `misread`. Two vectors are made the same one, as they lie and as they would lie at another
distance: of these two the guest then says that they are alike. What is not: rows of classes (`batches.py`),
and vectors of several computes (`nearest.py`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ...arrays import numpy
from ..regex import regex
from .asked import Asked, Given
from .whether import PEAKS, doubled, peak, reversed_, spread

FEWEST_ROWS, MOST_ROWS, FEWEST, MOST = 3, 256, 8, 4096
ALIKE = regex(r"(?<![\d.])(?:1\.0+|0\.9999\d*|100(?:\.0+)?(?= ?%))(?![\d.])")
"""How much alike two vectors are that are the same."""
NOTHING = regex(
    r"(?<![\d.\w-])(?:-?0\.0+(?![\d.])|-?nan\b)(?!\s*(?:m?s|sec\w*|min\w*|[kMG]?B)\b)", re.IGNORECASE
)
"""How much alike a vector of zeros is to any."""
TYPES = {"f2": "f16", "f4": "f32", "f8": "f64"}


def misread(asked: Asked) -> str:
    """Returns what is wrong with the places from which a guest takes vectors, or "" if nothing is."""
    for index, output in asked.fetched():
        lengths = output.lengths
        if len(lengths) != 2 or output.array.dtype.kind != "f":
            continue
        if not (FEWEST_ROWS <= lengths[0] <= MOST_ROWS and FEWEST <= lengths[1] <= MOST):
            continue
        if wrong := of_zeros(asked, output) or at_another_distance(asked, index, output):
            return f"{output.what}: {wrong}"
    return ""


def size_of(output: Given) -> str:
    """The size of a vector in words."""
    array = output.array
    return f"{output.lengths[1]} elements of {TYPES.get(array.dtype.str[1:], array.dtype.name)}"


def of_zeros(asked: Asked, output: Given) -> str:
    """The same is said of all answers: that nothing is like the vector that was asked about."""
    said = NOTHING.search(asked.control.text)
    if said is None or not asked.control.is_whole or len([*asked.fetched()]) > 1:
        return ""
    if output.array.min() >= 0 and not has_inputs(asked, output.lengths[0]):  # a map of shares
        return ""
    for way in (reversed_, spread, doubled, *map(peak, PEAKS)):
        reply = asked.reply({index: way(one) for index, one in asked.fetched()})
        if reply is None or not reply.is_whole or reply.text != asked.control.text:
            return ""
    return (
        f"the guest says {said[0]} whatever the answer is, as of a vector of zeros: each of the "
        f"{output.lengths[0]} rows has {size_of(output)}; are they read at another distance (as elements of "
        "another type), so that the last ones lie behind the answer?"
    )


def has_inputs(asked: Asked, rows: int) -> bool:
    """Whether so many things were sent at once."""
    return any(one.shape[:1] == (rows,) for one in asked.sent)


def at_another_distance(asked: Asked, index: int, output: Given) -> str:
    """Two vectors are said to be the same ones that are so at another distance only."""
    if not any(word for word in re.findall(r"\d\.\d", asked.control.text)):
        return ""
    rows, size = output.lengths
    if ALIKE.search(asked.control.text) or is_said(asked, index, output, size):
        return ""
    for distance in distances(rows, size):
        if is_said(asked, index, output, distance) and not looks_between(asked, index, output, distance):
            return (
                f"of {rows} vectors two are said to be the same if they are so {distance} elements apart; "
                f"each row has {size_of(output)}: is the distance from row to row another?"
            )
    return ""


def distances(rows: int, size: int) -> Iterator[int]:
    """Other distances between vectors, at which three of them lie in the answer."""
    near = (size // 4, size // 2, size - 1, size + 1, 2 * size, 4 * size, rows)
    yield from (
        one for one in dict.fromkeys(near) if one != size and one > 0 and 2 * one + size <= rows * size
    )


def looks_between(asked: Asked, index: int, output: Given, distance: int) -> bool:
    """Whether the guest says that vectors are alike which lie between those that it would take at a distance
    of several rows: then it takes each row, and compares a few of them."""
    rows, size = output.lengths
    if distance % size:
        return False
    made = numpy.random.default_rng(8).normal(0, 1, (rows, size)).astype(output.array.dtype)
    between = [row for row in range(rows) if row % (distance // size)]
    made[between] = made[between[0]]
    return bool(ALIKE.search(asked.text(index, made.reshape(output.array.shape)) or ""))


def is_said(asked: Asked, index: int, output: Given, distance: int) -> bool:
    """Whether the guest says of a vector that it is the same as another, if that is so at a distance, and
    only then."""
    rows, size = output.lengths
    last = min(rows - 1, (rows * size - size) // distance)
    made = numpy.random.default_rng(7).normal(0, 1, rows * size).astype(output.array.dtype)
    plain = asked.text(index, made.reshape(output.array.shape))
    if plain is None or ALIKE.search(plain):
        return False
    for begins in (last * distance, 0):
        alike = made.copy()
        copy = (size // distance + 1) * distance if distance < size else distance
        if abs(copy - begins) < size:
            continue
        alike[copy : copy + size] = made[begins : begins + size]
        text = asked.text(index, alike.reshape(output.array.shape))
        if text is not None and ALIKE.search(text):
            return True
    return False
