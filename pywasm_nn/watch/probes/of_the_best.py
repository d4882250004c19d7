"""Shares of classes that are shares of the best few alone: the sum by which they are divided leaves out the
others.

What is here: `divided`. Answers are given whose elements fall by a factor each, which becomes smaller, so
that the sum of the best three is another than that of the best four, and than that of all. What is not: other
wrong formulas (`formulas.py`).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from ...arrays import numpy
from ..origin.comparing import are_shares
from ..regex import regex
from .again import lowest
from .asked import Asked, Given
from .formulas import numbers, place_of, said_of

FEWEST, MOST = 6, 4096
FALLING, FASTER = (0.6, 0.75, 0.85), 1.15
"""By how much the second element is smaller than the first one; the sum of all is 1. By one factor the sum of
every third element would have the best three's share of all, too."""
BEST = range(3, 11)
"""So many are the best few. Of two the one may be compared with the other."""
MEANT = regex(
    r"\b(?:of|among|between|within|over) (?:these|those|them|(?:the|all) (?:best|top|first|shown|\w+ best))"
    r"|relative|normali[sz]|weight|compared|\balloc|budget|portfolio|invest|\bbuy\b|\bspend|\bsplit|\bmix|blend|stake",
    re.IGNORECASE,
)
"""Words for shares of some classes."""


def divided(asked: Asked) -> str:
    """Returns a hint about shares of the best few classes, or "" if none are written."""
    if MEANT.search(asked.control.text):
        return ""
    for index, output in asked.fetched():
        is_row = len(output.lengths) == 1 and not asked.is_batch(output)
        is_row = is_row and FEWEST <= output.array.size <= MOST and are_said(asked, output)
        if is_row and (count := of_row(asked, index, output)):
            return (
                f"{output.what}: the share that the guest writes of a class is that of the best {count} "
                f"alone, as if the others of all {output.array.size} had none: is it to be divided by the "
                "sum of all?"
            )
    return ""


def are_said(asked: Asked, output: Given) -> bool:
    """Whether a number is written that may be the best class's share of the best few, of the model's own
    answer."""
    if output.array.dtype.kind != "f" and lowest(output) is None:
        return False
    own = row(output.array, output)
    own = numpy.sort(own / own.max())[::-1]
    words = numbers(asked.control.text)
    shares = [float(own[0] / own[:count].sum()) for count in BEST]
    return any(bool(word.fits(by * one)) for word in words for one in shares for by in (1.0, 100.0))


def of_row(asked: Asked, index: int, output: Given) -> int:
    """Returns of how many of the best classes shares are written, or 0 if they are of all, or not known."""
    shares = [falling(output.array.size, by) for by in FALLING]
    made = [in_kind(output, one) for one in shares]
    if any(one is None for one in made):
        return 0
    said = said_of(asked, index, made)
    own = [row(one, output) for one in made]
    if not said or any(place_of(said, wanted) is not None for wanted in rights(own, shares, output)):
        return 0
    for count in BEST:
        if count <= output.array.size // 2:
            wanted = [float(one[0] / one[:count].sum()) for one in own]
            if place_of(said, wanted) is not None:
                return count
    return 0


def falling(size: int, by: float) -> Any:
    """Shares of which each is smaller than the one before."""
    made = by ** (numpy.arange(size) ** FASTER)
    return made / made.sum()


def in_kind(output: Given, shares: Any) -> Any:
    """An output with these shares, the best in its middle: as they are, as logits, or as bytes that stand
    for shares; None if its bytes don't."""
    array = output.array
    made = numpy.roll(shares, array.size // 2)
    if array.dtype.kind != "f":
        least = lowest(output)
        if least is None:
            return None
        made = numpy.round(255 * made) + least
    elif not are_shares(array.reshape(-1)):
        made = numpy.log(numpy.maximum(made, numpy.finfo("f4").tiny))
    return made.astype(array.dtype).reshape(array.shape)


def row(made: Any, output: Given) -> Any:
    """The powers of e, shares or bytes that an output has, the best first."""
    array = numpy.roll(made.reshape(-1).astype("f8"), -(made.size // 2))
    if output.array.dtype.kind != "f":
        return array - (lowest(output) or 0)
    return array if are_shares(output.array.reshape(-1)) else numpy.exp(array - array.max())


def rights(own: Sequence[Any], shares: Sequence[Any], output: Given) -> list[list[float]]:
    """What a guest may write of the best class: its share of all, and its bytes by their scale."""
    scale = output.affine[0] if output.affine else 1 / 255
    return [
        [float(one[0]) for one in shares],
        [float(one[0] / one.sum()) for one in own],
        *([[float(one[0] * by) for one in own] for by in (scale, 1 / 255, 1 / 256)]),
    ]
