"""By which formula columns of a table were scaled: what was taken away and divided by says it.

What is here: `formula_of`, which compares them with those that the table's own means and deviations give by
usual formulas and by mistaken ones, and `not_used`, which compares them with numbers in other files. What is
not: finding those numbers (`scaled.py`).

A scaler's numbers come from other data than the table, so that means and deviations are known roughly: each
formula is allowed what comes of that. A mistake is said only if its formula agrees, and none that somebody
may mean does.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from itertools import product
from typing import Any

from ...arrays import numpy
from ...records import Frozen
from ..regex import regex
from ..units import UNITS
from .tables import FEWEST, Table, named

MEANS, DEVIATIONS = 0.25, 0.15
"""Means of data alike differ by this part of the deviation, and deviations by this part of themselves."""
ALLOWED = 0.03
"""What formulas are allowed at least, as a part of the numbers."""
AGREES, MOSTLY = 1.2, 2.5
"""A formula agrees if half of the columns are off by so many times the allowance at most, most by this."""
FAR, BETTER = 2.0, 3.0
"""No other agrees if half of the columns are farther off, and so many times farther than by the mistake."""
MOST = 0.8
VARIED = 0.4
"""Logarithms of deviations that vary less don't tell a deviation from its square."""
LEAST_FACTOR = 2.5
"""All numbers less times larger are no other unit."""
EXACT = 2e-3
"""Numbers from a file are used if they agree within this part."""
ZEROS = (32.0, 32 / 1.8, 273.15)
"""One of these is added to degrees of one kind, or taken away, to make another kind of degrees of them."""
FACTORS = sorted(
    {a / b for (one, a), (other, b) in product(UNITS.values(), repeat=2) if one == other != "warmth"} - {1.0}
)
"""Numbers are divided by one of these to bring them to another unit."""
MOST_LISTS, MOST_NUMBERS = 64, 64
NUMBER = regex(r"(?<![\w.])[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?(?![\w.])")
BRACKETS = regex(r"\[[^\[\]]*\]")

Lists = Sequence[tuple[str, Sequence[Any]]]
"""The names of files, and the lists of numbers in them."""


class Numbers(Frozen):
    """Of each column, what was taken away, and what was divided by."""

    taken: Any
    divided: Any

    @property
    def are_none(self) -> bool:
        """Whether columns are as they were: some models, such as trees, want them so."""
        return bool((abs(self.taken) < EXACT * abs(self.divided)).all() and (near(self.divided, 1.0)).all())


def was_scaled(taken: float, divided: float) -> bool:
    """Whether a column was scaled, and not just brought to another unit. Another unit takes nothing away, or
    one of `ZEROS`."""
    if abs(taken) >= EXACT * abs(divided):
        return all(abs(abs(taken) - zero) > EXACT * zero for zero in ZEROS)
    return not any(near(factor, divided) for factor in FACTORS)


class Columns(Frozen):
    """Columns of a table, and of each its mean, deviation, smallest and largest number."""

    table: Table
    places: Sequence[int]
    mean: Any
    deviation: Any
    low: Any
    high: Any


Formula = Callable[[Any, Any], tuple[Any, Any]]
"""From means and deviations to what is taken away and divided by."""


def columns_of(table: Table, places: Sequence[int]) -> Columns:
    lines = table.numbers[:, list(places)]
    with numpy.errstate(all="ignore"):
        return Columns(
            table,
            places,
            numpy.nanmean(lines, axis=0),
            numpy.nanstd(lines, axis=0),
            numpy.nanmin(lines, axis=0),
            numpy.nanmax(lines, axis=0),
        )


MEANT: tuple[Formula, ...] = (
    lambda mean, deviation: (mean, deviation),
    lambda mean, deviation: (0 * mean, deviation),
    lambda mean, deviation: (mean, 0 * mean + 1),
    lambda mean, _deviation: (0 * mean, 0 * mean + 1),
)
"""What people mean: mean and deviation, one of them, or nothing."""
MISTAKEN: dict[str, Formula] = {
    "it was divided by the variance, not the deviation": lambda mean, deviation: (mean, deviation**2),
    "only the mean was divided by the deviation: brackets are missing in (x - mean) / deviation": (
        lambda mean, deviation: (mean / deviation, 0 * mean + 1)
    ),
    "brackets are missing in (x - mean) / deviation: it was x / deviation - mean": (
        lambda mean, deviation: (mean * deviation, deviation)
    ),
    "it was multiplied by the deviation, not divided": lambda mean, deviation: (mean, 1 / deviation),
    "the mean was added, not taken away": lambda mean, deviation: (-mean, deviation),
}


def off(own: Numbers, formula: Formula, columns: Columns) -> Any:
    """How far numbers are from those of a formula, by column, in what it is allowed."""
    mean, deviation = columns.mean, columns.deviation
    taken, divided = formula(mean, deviation)
    moved, wider = formula(mean + MEANS * deviation, deviation), formula(mean, deviation * (1 + DEVIATIONS))
    slack = abs(moved[0] - taken) + abs(wider[0] - taken) + ALLOWED * abs(divided)
    less = abs(numpy.log(wider[1] / divided)) + ALLOWED
    return numpy.maximum(abs(own.taken - taken) / slack, abs(numpy.log(abs(own.divided / divided))) / less)


def ranges(own: Numbers, columns: Columns) -> Any:
    """The same for formulas of the smallest and largest number: 0..1, -1..1, and by the largest alone."""
    low, high = columns.low, columns.high
    width = high - low
    found = [
        numpy.maximum(
            abs(own.taken - taken) / (MEANS * width),
            abs(numpy.log(abs(own.divided) / divided)) / (MEANS + ALLOWED),
        )
        for taken, divided in ((low, width), ((low + high) / 2, width / 2), (0 * low, abs(high)))
    ]
    return min(map(numpy.median, found))


def formula_of(table: Table, places: Sequence[int], own: Numbers) -> str:
    """Returns the mistake in how columns were scaled, or "" if none is known."""
    columns = columns_of(table, places)
    if len(places) < FEWEST or not (columns.deviation > 0).all():
        return ""
    with numpy.errstate(all="ignore"):
        right = min(ranges(own, columns), *(numpy.median(off(own, one, columns)) for one in MEANT))
        for said, formula in (*MISTAKEN.items(), *in_a_unit(columns, own)):
            apart = off(own, formula, columns)
            middle = float(numpy.median(apart))
            agrees = middle < AGREES and (apart < MOSTLY).mean() >= MOST
            if agrees and right > max(FAR, BETTER * middle) and varied(columns):
                return said
        return of_those_beside(columns, own) or others_numbers(columns, own)


def varied(columns: Columns) -> bool:
    return float(numpy.log(columns.deviation).std()) > VARIED


def in_a_unit(columns: Columns, own: Numbers) -> Iterator[tuple[str, Formula]]:
    """The formula of columns that were all multiplied by the same before they were scaled rightly."""
    factor = float(numpy.exp(numpy.median(numpy.log(columns.deviation / abs(own.divided)))))
    if not (factor > LEAST_FACTOR or 0 < factor < 1 / LEAST_FACTOR):
        return
    near = round(math.log10(factor))
    whole = near and abs(math.log10(factor) - near) < DEVIATIONS
    shown = 10.0**near if whole else float(f"{factor:.2g}")
    said = (
        f"all columns were multiplied by about {shown:g} before a scaler was applied: are they in another "
        "unit than the scaler's?"
    )
    yield said, lambda mean, deviation: (mean / factor, deviation / factor)


def others_numbers(columns: Columns, own: Numbers) -> str:
    """Returns a hint about columns that were scaled by the mean and deviation of others, or "" if there are
    none."""
    slack = (MEANS + ALLOWED) * columns.deviation
    moved = abs(own.taken[:, None] - columns.mean) / slack
    scale = abs(numpy.log(abs(own.divided)[:, None] / columns.deviation)) / DEVIATIONS
    apart = numpy.nan_to_num(numpy.maximum(moved, scale), nan=numpy.inf)  # [column, whose numbers]
    others = [at for at in range(len(apart)) if apart[at, at] > 2 * MOSTLY]
    best = [int(apart[at].argmin()) for at in others]
    agreeing = sum(apart[at, place] < AGREES for at, place in zip(others, best, strict=True))
    distinct = len(set(best)) == len(best) and all(place in others for place in best)
    if len(others) < 2 or agreeing < MOST * len(others) or not distinct:
        return ""
    worst = max(range(len(others)), key=lambda at: apart[others[at], others[at]])
    one, other = (named(columns.table, columns.places[at]) for at in (others[worst], best[worst]))
    return (
        f"{one} was scaled by the mean and deviation of {other}; {len(others)} columns were scaled by "
        "another's: are the columns in another order than the scaler's?"
    )


def not_used(table: Table, places: Sequence[int], own: Numbers, lists: Lists) -> str:
    """Returns a hint if a file that was read has each column's mean and deviation, and none of its numbers
    was used, or "" if that is not so."""
    if wrong := of_neighbours(table, places, own, lists):
        return wrong
    columns = columns_of(table, places)
    if len(places) < FEWEST or not (columns.deviation > 0).all() or own.are_none:
        return ""
    with numpy.errstate(all="ignore"):
        if numpy.median(off(own, MEANT[0], columns)) < FAR:
            return ""
        for name, found in lists:
            fitting = [one for one in found if len(one) == len(places)]
            if any(is_among(numbers, fitting) for numbers in (own.taken, own.divided)):
                return ""
            pairs = ((mean, deviation) for mean in fitting for deviation in fitting)
            if any(numpy.median(off(Numbers(*pair), MEANT[0], columns)) < AGREES for pair in pairs):
                how = "its smallest and largest number" if ranges(own, columns) < FAR else "other numbers"
                return (
                    f"each column was scaled by {how}, though {name} has their means and deviations: which "
                    "of them was the model trained with?"
                )
    return ""


def of_neighbours(table: Table, places: Sequence[int], own: Numbers, lists: Lists) -> str:
    """Returns a hint about columns that were scaled by the numbers of those before or behind them in a file,
    or "" if they weren't. By their own all are a few deviations away, and by the others' some are many."""
    with numpy.errstate(all="ignore"):
        for name, found in lists:
            for means, deviations in pairs_of(found):
                used = [
                    numpy.flatnonzero(near(means, taken) & near(deviations, abs(divided))).tolist()
                    for taken, divided in zip(own.taken, own.divided, strict=True)
                ]
                if not all(len(one) == 1 for one in used) or len(used) < FEWEST:
                    continue
                pairs = [(place, one[0]) for place, one in zip(places, used, strict=True)]
                by = {
                    shift: away(table, [(place + shift, at) for place, at in pairs], means, deviations)
                    for shift in range(-MOST_SHIFT, MOST_SHIFT + 1)
                }
                best = min(by, key=lambda shift: by[shift])
                if best and by[best] < USUAL and by[0] > FAR_OFF:
                    (place, at), right = pairs[0], places[0] + best
                    return (
                        f"{named(table, place)} was scaled by {means[at]:g} and {deviations[at]:g}, number "
                        f"{at + 1} in {name}, which are those of {named(table, right)} by their size: the "
                        f"columns are {abs(best)} off (up to {by[0]:.0f} deviations away, and {by[best]:.1f} "
                        "by their own)"
                    )
    return ""


MOST_SHIFT, USUAL, FAR_OFF = 3, 6.0, 20.0
"""Columns of data alike are no more deviations away, and wrong ones are."""
TYPICAL = 0.2, 2.0
"""The range of the median distance from the mean, in deviations."""


def of_those_beside(columns: Columns, own: Numbers) -> str:
    """Returns a hint about columns each of which was scaled by numbers that are those of a column before or
    behind it by their size, or "" if they weren't."""
    table, places, away_by = columns.table, columns.places, dict[int, float]()
    if len(places) <= FEWEST or not (own.divided > 0).all():
        return ""
    for shift in range(-MOST_SHIFT, MOST_SHIFT + 1):
        pairs = [(place + shift, at) for at, place in enumerate(places)]
        away_by[shift] = away(table, pairs, own.taken, own.divided)
    best = min(away_by, key=lambda shift: away_by[shift])
    if not best or away_by[best] >= USUAL or away_by[0] <= FAR_OFF:
        return ""
    there = table.numbers[:, [place + best for place in places]]
    if not TYPICAL[0] < float(numpy.nanmedian(abs((there - own.taken) / own.divided))) < TYPICAL[1]:
        return ""
    return (
        f"{named(table, places[0])} was scaled by {own.taken[0]:.4g} and {own.divided[0]:.4g}, and each "
        f"column by numbers that are those of the column {abs(best)} {'behind' if best > 0 else 'before'} it "
        f"by their size (up to {away_by[0]:.0f} deviations away, and {away_by[best]:.1f} by these): are the "
        "columns counted from another one?"
    )


def pairs_of(lists: Sequence[Any]) -> Iterator[tuple[Any, Any]]:
    """Two lists of as many numbers, the second of which may be deviations."""
    yield from (
        (one, other)
        for one in lists
        for other in lists
        if one is not other and len(one) == len(other) and (other > 0).all()
    )


def near(numbers: Any, one: float) -> Any:
    return abs(numbers - one) <= EXACT * abs(one) + 1e-9


def away(table: Table, pairs: Sequence[tuple[int, int]], means: Any, deviations: Any) -> float:
    """How many deviations the numbers of columns are away by those of a list, at most."""
    width = table.numbers.shape[1]
    if any(not 0 <= place < width for place, _ in pairs):
        return math.inf
    sizes = [abs((table.numbers[:, place] - means[at]) / deviations[at]) for place, at in pairs]
    return float(numpy.max([numpy.nanmax(one) if numpy.isfinite(one).any() else numpy.inf for one in sizes]))


def is_among(numbers: Any, lists: Sequence[Any]) -> bool:
    """Whether half of the numbers, or their squares, roots or inverses, are those of a list."""
    for one in lists:
        for other in (one, one**2, numpy.sqrt(abs(one)), 1 / one):
            if (abs(numbers - other) <= EXACT * abs(other) + 1e-12).mean() >= 0.5:
                return True
    return False


def lists_in(text: str) -> list[Any]:
    """The lists of numbers in a short text: its lines, its columns, and what is between square brackets."""
    lists = [NUMBER.findall(one) for one in BRACKETS.findall(text)]
    lines = [] if lists else [one for line in text.splitlines() if (one := NUMBER.findall(line))]
    found = [one for one in lines if len(one) >= FEWEST]
    if len(lines) >= FEWEST and len({len(one) for one in lines[1:]}) == 1:
        found += [list(one) for one in zip(*lines[1:], strict=True)]
        found += [list(one) for one in zip(*lines, strict=True)] if len(lines[0]) == len(lines[1]) else []
    return [numpy.array(one, "f8") for one in found + lists if FEWEST <= len(one) <= MOST_NUMBERS][
        :MOST_LISTS
    ]
