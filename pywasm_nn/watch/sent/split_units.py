"""One element in another unit than the numbers at which a model's trees split it.

What is here: `other_unit_by_splits`. What is not: units by the means that a model has (`scalers.py`), and
elements far beyond all splits that no usual unit brings there (`wanted.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...arrays import numpy
from ...nn.formats.format import Column
from .scalers import TENS, UNITS, span

MANY_SPLITS, FEWEST_OTHERS = 8, 1
"""Trees that split an element less often say little of its range; and how many others fit."""
FEWEST_ROWS, MOSTLY, APART = 5, 0.8, 0.1
"""Of so many lines this part is beyond all splits, and their middle by this part of the splits' range."""
MOST_SAID = 3


def other_unit_by_splits(columns: Sequence[Column], rows: Any) -> str:
    """Returns what is wrong if one element is mostly beyond all numbers at which trees split it, and in
    another usual unit always between them, or "" if that is not so."""
    known = [place for place, column in enumerate(columns) if len(column.splits) >= MANY_SPLITS]
    odd = [place for place in known if part_beyond(columns[place].splits, rows[:, place])]
    others = [place for place in known if is_between(columns[place].splits, rows[:, place], MOSTLY)]
    if len(rows) < FEWEST_ROWS or len(odd) != 1 or len(others) < max(FEWEST_OTHERS, len(known) - 1):
        return ""
    place = odd[0]
    own, splits = rows[:, place], columns[place].splits
    ways = [said for said, convert in (*UNITS[TENS:], *UNITS[:TENS]) if is_between(splits, convert(own), 1.0)]
    if not ways or len(numpy.unique(own)) < FEWEST_ROWS - 1:
        return ""
    return (
        f"element {place} is {span(own)} in {len(rows)} inputs, mostly beyond all numbers at which the "
        f"model's trees split it ({splits[0]:.4g} to {splits[-1]:.4g}), and the others are not; it would be "
        f"between them {' or '.join(ways[:MOST_SAID])}: is it in another unit?"
    )


def part_beyond(splits: Sequence[float], own: Any) -> bool:
    """Whether most numbers are on one side of all splits, and their middle not near them."""
    middle, room = float(numpy.median(own)), APART * (splits[-1] - splits[0])
    is_below = (own < splits[0]).mean() >= MOSTLY and middle < splits[0] - room
    return bool(is_below or ((own > splits[-1]).mean() >= MOSTLY and middle > splits[-1] + room))


def is_between(splits: Sequence[float], own: Any, part: float) -> bool:
    """Whether this part of numbers is between the first and the last split."""
    return bool(((own >= splits[0]) & (own <= splits[-1])).mean() >= part)
