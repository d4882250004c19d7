"""Tables of boxes with scores, by their numbers.

What is here: `has_scores`.
"""

from __future__ import annotations

from typing import Any

FEWEST_ROWS, BOX, MOST_WIDTH = 32, 4, 512
PIXELS = 2.0
"""Places that reach beyond this are in pixels."""


def has_scores(numbers: Any) -> bool:
    """Whether an answer is a table of boxes in pixels, in rows or in columns, with scores that are shares:
    what is beyond 1 there is a place, and no score."""
    lengths = [length for length in numbers.shape if length != 1]
    if len(lengths) != 2 or max(lengths) < FEWEST_ROWS or not BOX < min(lengths) <= MOST_WIDTH:
        return False
    table = numbers.reshape(lengths)
    rows = table if lengths[0] > lengths[1] else table.T
    places, others = rows[:, :BOX], rows[:, BOX:]
    are_shares = (others.min(axis=0) >= 0) & (others.max(axis=0) <= 1)
    return bool(places.max() > PIXELS and are_shares.any())
