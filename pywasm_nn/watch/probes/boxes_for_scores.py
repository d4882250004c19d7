"""Boxes whose first elements a guest takes for scores, one for each row, while it never fetches the output
that has these.

What is here: `boxes_for_scores`. What is not: guests that write numbers of boxes as if these were scores, as
seen without copies (`written/unscored.py`), and boxes that are read in the other layout (`transposed.py`).
"""

from __future__ import annotations

from typing import Any

from ..written.unscored import pair_of
from .asked import Asked

PLACES = (0.33, 0.55, 0.8)
"""Rows, as parts of their number, of which one alone gets a large number."""


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
    made[:count] = low
    nothing = said(made)
    for place in [round(part * count) for part in PLACES] if nothing is not None else ():
        one = made.copy()
        one[place] = high
        if said(one) in (None, nothing):
            return False
    return nothing is not None
