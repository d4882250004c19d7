"""The score of nothing (the background) taken for one of something, by a guest that then keeps so many boxes
that the model's own answer takes it too long.

What is here: `sparse`, an answer in which no row has any score, and `background`, which gives one or two rows
one. What is not: what else such boxes are taken for (`anchored.py`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...arrays import numpy
from .anchored import Rows, rows_of
from .asked import Asked, Given

SURE = 0.6
"""So sure is a model of something at least."""
PLACES = 0.31, 0.68
"""Rows that alone have something, as parts of all."""
LARGER = 0.02
"""Boxes are made larger by so much of the largest number."""


def only(rows: Rows, column: int, *places: int) -> dict[int, Any]:
    """An answer in which nothing has a score but these rows, in one column."""
    made = numpy.zeros_like(rows.shares.array)
    made.reshape(len(rows.table), -1)[list(places), column] = 1
    return {rows.scores: made}


def larger(rows: Rows) -> dict[int, Any]:
    """An answer in which all boxes are larger."""
    array = rows.boxes.array
    made = array + LARGER * abs(array).max() * numpy.array([0, 0, 1, 1])
    return {rows.index: made.astype(array.dtype)}


def sparse(outputs: Mapping[int, Given]) -> dict[int, Any]:
    """Returns an answer of which any guest finds no box, or {} if the model's aren't of that kind."""
    rows = rows_of(outputs.items())
    return {} if rows is None else only(rows, rows.nothing)


def background(asked: Asked) -> str:
    """Returns what is wrong if boxes are written where there is nothing, or "" if they aren't."""
    rows = rows_of(asked.fetched())
    if rows is None or float(rows.score.max()) < SURE:
        return ""
    nothing, places = rows.nothing, [round(part * len(rows.table)) for part in PLACES]
    none = asked.said(only(rows, nothing))
    if none is None or asked.said(only(rows, rows.column, *places)) != none:
        return ""
    one, both = (asked.said(only(rows, nothing, *places[:count])) for count in (1, 2))
    if one is None or both is None or one == none:
        return ""
    counts = zip(*map(asked.numbers, (none, one, both)), strict=False)
    is_counted = any(second - first == third - second == 1 for first, second, third in counts)
    if not is_counted and asked.said(only(rows, nothing, places[0]) | larger(rows)) in (None, one):
        return ""
    # A guest may also take 1 less the background's score: then it writes less if that is 1 in all rows.
    every = asked.said(rows.made(None))
    if every is not None and len(every.split()) < len(none.split()):
        return ""
    mean = rows.shares.array.reshape(len(rows.table), -1)[:, nothing].mean()
    return (
        f"{rows.shares.what}: the guest writes a row if it has 1 in column {nothing}, and none with 1 in "
        f"column {rows.column}: column {nothing} is the score of the background ({mean:.2f} on average), not "
        "of what is looked for: is it the wrong column?"
    )
