"""Answers that are vectors, of which a guest keeps several and says which is nearest to a later one.

What is here: `farthest`. The later one is made one of those that are kept, and the opposite of it.
"""

from __future__ import annotations

from typing import Any

from .asked import Asked, Given
from .classes import LEAST
from .thresholds import DECIMAL

FEWEST, MOST, SMALL = 3, 12, 0.01
TRIED = (0, 1, 2)
LENGTHS = range(8, 4097)


def farthest(asked: Asked) -> str:
    """Returns a hint if the least like is said of the later one, or "" if it isn't so."""
    texts = asked.control.texts
    kept = next((at for at, text in enumerate(texts) if text.strip()), 0)
    if not FEWEST <= kept <= MOST or LEAST.search(asked.control.text):
        return ""
    for index, output in asked.fetched():
        length = output.array.shape[-1]
        if output.array.dtype.kind != "f" or length not in LENGTHS or length < kept:
            continue
        if length != output.array.size and len(output.lengths) > 2:
            continue
        alike = [said_of(asked, index, kept, place, 1) for place in TRIED]
        if not all(alike) or alike[1] != alike[2] or alike[0] == alike[1]:
            continue
        opposite = [said_of(asked, index, kept, place, -1) for place in TRIED]
        if all(opposite) and len({*opposite}) == len(TRIED):
            return (
                f'{output.what}: of {kept} answers that it keeps the guest says "{opposite[0]}" of one that '
                f'is the opposite of the first, and "{alike[0]}" of one that is the same: is the least like '
                "taken for the nearest (a similarity for a distance, or the other way round)?"
            )
    return ""


def said_of(asked: Asked, index: int, kept: int, place: int, sign: int) -> str:
    """The first line that is written if the later answer is one that is kept, or its opposite."""
    output = asked.outputs[index]
    series = [vector(output, at) for at in range(kept)]
    text = asked.series(index, [*series, sign * series[place]]) or ""
    return DECIMAL.sub("#", text).strip().partition("\n")[0]


def vector(output: Given, place: int) -> Any:
    """An answer that is at a right angle to others, nearly."""
    made = output.array * 0 + output.array.dtype.type(SMALL)
    made[..., place] = 1
    return made
