"""Boxes in columns that a guest reads as if they lay in rows, or the other way round.

What is here: `transposed`. One box alone is given, where the model puts it and where it would lie in the
other layout, at several places. What is not: maps of classes (`maps.py`), and boxes that are read at another
distance (`rows.py`).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from ...arrays import numpy
from .asked import Asked, Given
from .formulas import numbers
from .rows import OneScore
from .suppression import Boxes, boxes_of

FEWEST_ROWS, TIMES = 64, 2
"""So many boxes, and so many times as many as a box has numbers, are known to be boxes."""
PLACES = (0.33, 0.55, 0.8)
"""Where boxes are put."""
SURE = 0.95
PART = 0.5
"""Numbers of a box that are so much of the largest score are scores, too."""
BOX, APART = 4, 0.4
"""Numbers of a box, and what those of another one are multiplied by, so that the two lie apart."""
BY_NUMBERS = 2
MANY = 0.2
"""A guest that writes so many of its numbers of no scores at all may take something else for scores."""

Thing = Mapping[int, Any]
"""By output, the numbers of a box and its scores."""


def transposed(asked: Asked) -> str:
    """Returns a hint if a guest only finds a box whose numbers lie as in the other layout, or "" if it finds
    others."""
    boxes = boxes_of(asked)
    if boxes is None or boxes.best is None:
        return ""
    best = surest(boxes)
    wide = {index: one for index, one in boxes.outputs.items() if width_of(boxes, one) > 1}
    most = max((width_of(boxes, one) for one in wide.values()), default=boxes.count)
    if boxes.scores.array.dtype.kind != "f" or boxes.count < max(FEWEST_ROWS, TIMES * most):
        return ""
    if not (takes_another if len(boxes.outputs) == 1 else leaves_its_own)(asked, boxes, best):
        return ""
    ways = [(index,) for index in wide] + ([(*wide,)] if len(wide) > 1 else [])
    for thing in things_of(boxes, best):
        own = follows(asked, boxes, thing, ())
        if own == BY_NUMBERS:  # another kind of score would only take the time of other rules
            return ""
        found = {way: follows(asked, boxes, thing, way) for way in ways}
        for way in ways:
            if own < found[way] == max(found.values()):
                return "; ".join(told(boxes.outputs[index], boxes.count) for index in way)
    return ""


def surest(boxes: Boxes) -> int:
    """The row with the largest score of what most rows don't have, which is the background."""
    scores = boxes.rows(boxes.scores.array)[:, boxes.columns].astype("f8")
    column = int((scores.max(axis=0) - scores.mean(axis=0)).argmax())
    return int(scores[:, column].argmax())


def width_of(boxes: Boxes, output: Given) -> int:
    """How many numbers each box has in an output."""
    return int(output.array.size) // boxes.count


def takes_another(asked: Asked, boxes: Boxes, best: int) -> bool:
    """Whether a guest writes as much, or nothing else, if no box has a score."""
    said = asked.said(boxes.made(best, {}))
    return said is not None and len(numbers(said)) >= MANY * len(numbers(asked.control.text))


def leaves_its_own(asked: Asked, boxes: Boxes, best: int) -> bool:
    """Whether what is written of the only box with a score doesn't depend on its place."""
    one = OneScore(asked, boxes, best)
    alone = one.says(one.places[:0])
    return alone is not None and one.says(one.places) == alone


def told(output: Given, count: int) -> str:
    """The hint about an output."""
    rows, columns = output.lengths
    shape, width = ",".join(map(str, output.array.shape)), output.array.size // count
    in_columns, in_rows = f"k * {count} + i", f"i * {width} + k"
    right, wrong = (in_columns, in_rows) if rows == width else (in_rows, in_columns)
    return (
        f"{output.what}: the answer [{shape}] is read as if it were {columns} rows of {rows}; it has {rows} "
        f"rows of {columns}: number k of box i is element {right}, and not {wrong} (rows and columns are "
        "exchanged: is it to be transposed?)"
    )


def things_of(boxes: Boxes, best: int) -> list[Thing]:
    """The surest box with a sure score; and with a score of any object before those of classes, too."""
    thing = {index: boxes.rows(one.array)[best].copy() for index, one in boxes.outputs.items()}
    row = thing[boxes.index]
    scores = row[boxes.columns]
    if scores.max() <= 1 and scores.min() >= 0:
        scores[scores >= PART * scores.max()] = SURE
    object_, first = row.copy(), boxes.columns.start or 0
    object_[first] = max(SURE, float(scores.max()))
    is_alike = len(boxes.outputs) > 1 or object_[first] == row[first]
    return [thing] if is_alike else [thing, {boxes.index: object_}]


def follows(asked: Asked, boxes: Boxes, thing: Thing, turned: Collection[int]) -> int:
    """Whether the same is written wherever a box lies, and another thing of none, and of two: then 1, or
    BY_NUMBERS if its numbers matter, too. `turned` are the outputs that are in the other layout."""
    is_one = len(thing) == 1
    # Where columns are read rightly, the first one has then no score.
    first = PLACES[0] * (BOX / len(thing[boxes.index]) if turned and is_one else 1.0)
    places = [round(part * boxes.count) for part in (first, *PLACES[1:])]
    other = {index: row.copy() for index, row in thing.items()}
    other[boxes.index if is_one else next(one for one in thing if one != boxes.index)][:BOX] *= APART

    def said(things: Mapping[int, Thing]) -> str | None:
        return asked.said(alone(boxes, things, turned))

    own = said({places[0]: thing})
    if own is None or any(said({place: thing}) != own for place in places[1:]):
        return 0
    if any(said(things) == own for things in ({}, {places[0]: thing, places[2]: other})):
        return 0
    return BY_NUMBERS if said({places[0]: other}) != own else 1


def alone(boxes: Boxes, things: Mapping[int, Thing], turned: Collection[int]) -> dict[int, Any]:
    """Answers with these boxes alone."""
    made = {}
    for index, output in boxes.outputs.items():
        array = output.array
        table = numpy.zeros((boxes.count, width_of(boxes, output)), array.dtype)
        if index == boxes.index:
            table[:, boxes.columns] = min(0.0, float(boxes.rows(array)[:, boxes.columns].min()))
        for place, thing in things.items():
            table[place] = thing[index]
        is_in_rows = (output.lengths[0] == boxes.count) is not (index in turned)
        made[index] = numpy.ascontiguousarray(table if is_in_rows else table.T).reshape(array.shape)
    return made
