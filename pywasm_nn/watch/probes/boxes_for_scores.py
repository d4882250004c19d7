"""Boxes whose first elements a guest takes for scores, one for each row, while it never fetches the output
that has these.

What is here: `boxes_for_scores`. What is not: guests that write numbers of boxes as if these were scores, as
seen without copies (`written/unscored.py`), and boxes that are read in the other layout (`transposed.py`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..written.unscored import pair_of
from .asked import Asked

PLACES = (0.33, 0.55, 0.8)
"""Rows, as parts of their number, of which one alone gets a large number."""
LEVELS = 4.0, 0.9
"""A high logit and a high share: some guests take far larger numbers, as boxes in pixels have, for none."""


def boxes_for_scores(asked: Asked) -> str:
    """Returns a hint if what a guest writes follows just as many elements of boxes as there are rows, or ""
    if it follows others, or fetches the scores."""
    fetched = [index for index, _ in asked.fetched()]
    outputs = [asked.outputs[index] for index in sorted(asked.outputs)]
    names = [one.what.partition('"')[2].strip('"') for one in outputs]
    pair = pair_of(names, [one.array.shape for one in outputs])
    if pair is None or sorted(asked.outputs) != [0, 1] or fetched != [pair.boxes]:
        return ""
    array = outputs[pair.boxes].array
    if array.dtype.kind != "f" or not reads_first(asked, pair.boxes, array, pair.rows):
        return ""
    boxes, scores = pair.what
    return (
        f"{boxes}: the guest reads its first {pair.rows} elements, one for each of its {pair.rows} rows, "
        f"and no others, but a row has {pair.width} numbers there, of a box; {scores} has a score for "
        f"each row, and is never fetched: is the index of the output to be {pair.scores}?"
    )


def reads_first(asked: Asked, index: int, array: Any, count: int) -> bool:
    """Whether a guest reads so many elements of an answer, from the first one on, and none behind."""
    low, high = array.min(), array.max()
    if not low < high:
        return False

    def said(made: Any) -> str | None:
        return asked.text(index, made.reshape(array.shape))

    for other in (low, high):
        made = array.reshape(-1).copy()
        made[count:] = other
        if said(made) != asked.control.text:
            return False
    made[:] = low
    nothing = said(made)
    return nothing is not None and any(
        is_heard_in_first(said, made, count, level, nothing)
        for level in (high, *(one for one in LEVELS if low < one < high))
    )


def is_heard_in_first(
    said: Callable[[Any], str | None], made: Any, count: int, level: float, nothing: str
) -> bool:
    """Whether a guest says something of one element at this level if it is among so many first ones, and the
    same as of `nothing` if it lies behind."""

    def is_heard(place: int) -> bool:
        one = made.copy()
        one[place] = level
        return said(one) not in (None, nothing)

    behind = made.size - count
    return all(is_heard(round(part * count)) for part in PLACES) and not any(
        is_heard(count + round(part * behind)) for part in (0.0, *PLACES)
    )
