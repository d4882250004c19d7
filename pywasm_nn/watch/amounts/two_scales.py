"""Errors of models that restore their input, of which one side was brought back to the scale of the file: a
scaled answer is compared with the numbers from before they were scaled, or the other way round.

What is here: `in_two_scales`, by the means and deviations, or the ends of ranges, in a file that was read.
What is not: lines of tables and windows, which copies of the guest tell (`probes.restored`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from ...arrays import numpy
from ..sheets.scaler_files import lists_of, named_pairs
from .errors import MEANT
from .told import Told

LEAST, MOST, MOST_SCALES = 3, 4096, 64
"""Elements of an input; and scales that are tried."""
FARTHER = 2.0
"""So many times as large are most errors by what is compared: a model may also answer in the scale of the
file, to which it is nearer then."""
MEASURES: dict[str, Callable[[Any], Any]] = {
    "mean of the squares": lambda gaps: (gaps**2).mean(),
    "root of the mean square": lambda gaps: (gaps**2).mean() ** 0.5,
    "mean": lambda gaps: abs(gaps).mean(),
    "sum of the squares": lambda gaps: (gaps**2).sum(),
    "root of the sum of squares": lambda gaps: (gaps**2).sum() ** 0.5,
    "sum": lambda gaps: abs(gaps).sum(),
    "largest": lambda gaps: abs(gaps).max(),
}
Scale = tuple[str, Any, Any]
"""The file in which a scale stands, the number that it adds, and the factor that comes before."""


def in_two_scales(told: Told) -> str:
    """Returns what is wrong with the numbers that differences are taken of, or "" if nothing is."""
    pairs = pairs_of(told)
    if not pairs or MEANT.search(told.text):
        return ""
    apart = [answer - own for answer, own in pairs]
    scales = [*scales_of(told, pairs[0][0].size, told.answers[0].rows.shape[-1])][:MOST_SCALES]
    if not scales or any(told.said([of(gaps) for gaps in apart]) for of in MEASURES.values()):
        return ""
    squares = numpy.array([float((gaps**2).sum()) for gaps in apart])
    for where, centre, width in scales:
        for side in (0, 1):
            gaps = [one[side] * width + centre - one[1 - side] for one in pairs]
            if numpy.median([float((gap**2).sum()) for gap in gaps] / squares) < FARTHER:
                continue
            for what, of in MEASURES.items():
                if found := told.said([of(gap) for gap in gaps]):
                    one, other = ("input", "the answer") if side else ("answer", "the input")
                    return (
                        f"it restores the input, and the guest says {found[0].text}, which is the {what} of "
                        f"the differences between {other} and the {one} as it is by the numbers of {where} "
                        f"(brought back from its scale); of the two as they are it is {of(apart[0]):.4g}: "
                        "are both to be in the same scale?"
                    )
    return ""


def pairs_of(told: Told) -> Sequence[tuple[Any, Any]]:
    """The answers, flat, each with the input of its size, or () if one has none."""
    found = []
    for one in told.answers:
        flat = one.rows.reshape(-1)
        given = [own.reshape(-1) for own in one.given if own.size == flat.size]
        if len(given) != 1 or not LEAST <= flat.size <= MOST:
            return ()
        found.append((flat, given[0]))
    return found


def scales_of(told: Told, size: int, row: int) -> Iterator[Scale]:
    """The scales in the files that were read, for each element, for each element of a row, and for all."""
    for width in dict.fromkeys((size, row)):
        for lists in lists_of(told.files, width) if width >= LEAST else ():
            times = size // width
            first, second = (numpy.tile(one, times) for one in lists.both)
            if (second > 0).all():
                yield lists.where, first, second
            if (second > first).all():
                yield lists.where, first, second - first
    for centre, deviation, where in named_pairs(told.files):
        if deviation > 0:
            yield where, centre, deviation
