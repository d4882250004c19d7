"""Lines of a table against the mean and deviation that a model has for each element: elements that stand in
another order than the model's, and one element that is in another unit.

What is here: `other_order`, `likelier_order` and `other_unit`. A mistake is named only if what was meant
fits: so lines of other data than those of the training get no hint, however far they are. What is not:
elements most of which are far from their means (`wanted.py`), and headings that name a unit (`sheets/`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import permutations
from typing import Any

from ...arrays import numpy
from ...nn.formats.format import Column

FEWEST_ROWS, MANY_ROWS = 2, 5
FAR, FARTHER, VERY_FAR = 3.0, 4.0, 10.0
"""How many deviations all elements of a column are from their mean: if it is exchanged, if it is in another
unit, and if it may be far from zero, too."""
USUAL, WIDEST = 2.0, 3.0
"""How many deviations the average of elements is from their mean at most, and how wide they are."""
TIGHT = 4.0
"""Elements whose mean is so many deviations from zero are of one size: ten times the mean is none of them."""
MOST_MOVED = 5
"""So many elements are tried in all orders."""
FEW_ROWS, FEWEST_ORDERED = 4, 3
UNLIKELY, LIKELY, HARDLY, LIKELIER = 5.0, 1.6, 3.0, 2.0
"""Mean squares of the deviations of lines: the least as sent, the most in the best order, the most of one
element there; and how many times as much the next best order must have."""
YEARS, TODAY = (1850, 2035), 2025
"""The range of whole numbers that are taken for years, and the year from which ages are counted."""
Own = tuple[int, float, float]
"""An element, its mean, and its deviation."""

Conversion = tuple[str, Callable[[Any], Any]]
"""How it is said, and done."""
TO_CELSIUS: Conversion = ("less 32 and divided by 1.8 (Fahrenheit to Celsius)", lambda x: (x - 32) / 1.8)
UNITS: tuple[Conversion, ...] = (
    *((f"times {by}", lambda x, by=by: x * by) for by in (10, 100, 1000)),
    *((f"divided by {by}", lambda x, by=by: x / by) for by in (10, 100, 1000)),
    ("less 273.15 (kelvins to Celsius)", lambda x: x - 273.15),
    ("plus 273.15 (Celsius to kelvins)", lambda x: x + 273.15),
    TO_CELSIUS,
    ("times 1.8 plus 32 (Celsius to Fahrenheit)", lambda x: x * 1.8 + 32),
    *(
        (f"{how} {by:g} ({names})", lambda x, by=by, how=how: x * by if how == "times" else x / by)
        for by, one, other in (
            (25.4, "inches", "mm"),
            (2.54, "inches", "cm"),
            (2.2046, "kg", "pounds"),
            (3.6, "m/s", "km/h"),
            (3.2808, "metres", "feet"),
            (57.296, "radians", "degrees"),
            (60, "minutes", "seconds"),
            (3600, "hours", "seconds"),
        )
        for how, names in (("times", f"{one} to {other}"), ("divided by", f"{other} to {one}"))
    ),
)
"""What brings elements back to the unit of a mean. What is frequent comes first."""
TENS = 6
"""The first so many units differ by ten times or more, which a few lines already show."""


def owns(columns: Sequence[Column]) -> list[Own]:
    """The elements whose mean and deviation a model has."""
    return [
        (place, column.centre[0], column.centre[1])
        for place, column in enumerate(columns)
        if column.centre is not None and column.centre[1] > 0
    ]


def is_usual(elements: Any, mean: float, deviation: float) -> bool:
    """Whether elements lie around a mean as others of this deviation."""
    level = (elements - mean) / deviation
    return bool(abs(level.mean()) <= USUAL and level.std() <= WIDEST)


def is_far(elements: Any, mean: float, deviation: float, far: float = FAR) -> bool:
    """Whether all elements are far from a mean, on one side."""
    level = (elements - mean) / deviation
    return bool(level.min() > far or level.max() < -far)


def other_order(columns: Sequence[Column], rows: Any) -> str:
    """Returns what is wrong if the elements that are far from their means are usual ones of each other's, or
    "" if that is not so."""
    known = owns(columns)
    if len(rows) < FEWEST_ROWS or len(known) < 2:
        return ""
    far = [one for one in known if is_far(rows[:, one[0]], *one[1:])]
    if len(far) < 2:
        return ""
    for by in (1, -1):
        if is_shifted(known, far, rows, by):
            beside = "next" if by == 1 else "one before"
            return (
                f"elements are far from the means that the model has for them, and each is as the model has "
                f"the {beside}: element {far[0][0]} is {span(rows[:, far[0][0]])}, for a mean of "
                f"{far[0][1]:.4g}: were the columns counted from another one?"
            )
    fitting = list(orders(far, rows))
    if len(fitting) != 1:
        return ""
    places = fitting[0]
    swaps = ", ".join(f"{one[0]} from {place}" for one, place in zip(far, places, strict=True))
    what = "two elements are exchanged" if len(far) == 2 else f"{len(far)} elements are in another order"
    return (
        f"by the means and deviations that the model has, {what}: element {far[0][0]} is "
        f"{span(rows[:, far[0][0]])}, for a mean of {far[0][1]:.4g}, and element {places[0]} is "
        f"{span(rows[:, places[0]])}; the model wants element {swaps} of those that were sent"
    )


def likelier_order(columns: Sequence[Column], rows: Any) -> str:
    """Returns what is wrong if lines are far less likely by the means and deviations of all elements than in
    the one order in which they are as likely as any of the training's, or "" if that is not so."""
    known = owns(columns)
    if len(rows) < FEW_ROWS or not FEWEST_ORDERED <= len(known) == rows.shape[1] <= MOST_MOVED:
        return ""
    means, deviations = (numpy.array([one[at] for one in known]) for at in (1, 2))
    levels = (rows[:, :, None] - means) / deviations
    off = (levels**2).mean(axis=0)  # of each element, by each mean
    places = range(len(known))
    best, next_ = sorted(permutations(places), key=lambda one: off[[*one], places].sum())[:2]
    own, least, other = (off[[*one], places].mean() for one in (places, best, next_))
    if own < UNLIKELY or least > LIKELY or other < LIKELIER * least or off[[*best], places].max() > HARDLY:
        return ""
    moved = [to for to in places if best[to] != to]
    swaps = ", ".join(f"{to} from {best[to]}" for to in moved)
    first = moved[0]
    return (
        f"by the means and deviations that the model has, {len(moved)} elements are in another order: "
        f"{len(rows)} lines are {own**0.5:.1f} deviations away as they were sent, and {least**0.5:.1f} in "
        f"one other order; element {first} is {span(rows[:, first])}, for a mean of {means[first]:.4g}: the "
        f"model wants element {swaps} of those that were sent"
    )


def is_shifted(known: Sequence[Own], far: Sequence[Own], rows: Any, by: int) -> bool:
    """Whether elements are usual ones of the next mean (`by` is 1), or of the one before (-1)."""
    means = {place: (mean, deviation) for place, mean, deviation in known}
    moved = [place for place, *_ in known if place + by in means]
    far_ones = {place for place, *_ in far}
    return (
        len(moved) > 2
        and far_ones >= {*moved}
        and all(is_usual(rows[:, place], *means[place + by]) for place in moved)
    )


def orders(far: Sequence[Own], rows: Any) -> Iterator[tuple[int, ...]]:
    """Orders of elements in which each lies around its mean."""
    if len(far) > MOST_MOVED:
        return
    fits = {(to[0], place): is_usual(rows[:, place], *to[1:]) for to in far for place, *_ in far}
    places = [place for place, *_ in far]
    for order in permutations(places):
        if all(fits[to, place] for to, place in zip(places, order, strict=True)):
            yield order


def other_unit(columns: Sequence[Column], rows: Any) -> str:
    """Returns what is wrong if one element is far from its mean, and is a usual one after a conversion of
    units, and all others are usual as they are, or "" if that is not so."""
    known = owns(columns)
    if len(rows) < FEWEST_ROWS or len(known) < 2:
        return ""
    odd = [one for one in known if not is_usual(rows[:, one[0]], *one[1:])]
    if len(odd) != 1:
        return ""
    place, mean, deviation = odd[0]
    own = rows[:, place]
    if is_far(own, mean, deviation, VERY_FAR) and are_years(own) and is_usual(TODAY - own, mean, deviation):
        return (
            f"element {place} is {span(own)} in {len(rows)} inputs, which are years; the model has a mean of "
            f"{mean:.4g} for it, and the others are near theirs: are ages meant ({span(TODAY - own)} if "
            f"counted from {TODAY})?"
        )
    is_tight, are_many = abs(mean) > TIGHT * deviation, len(rows) >= MANY_ROWS
    if not is_far(own, mean, deviation, FARTHER if is_tight else VERY_FAR):
        return ""
    if own.min() == own.max() or not (is_tight or are_many):
        return ""  # such as a number that stands for a missing one; skewed ones are far by themselves
    away = abs((own - mean).mean()) / deviation
    for said, convert in UNITS if are_many else UNITS[:TENS]:
        there = convert(own)
        if is_usual(there, mean, deviation):
            return (
                f"element {place} is {span(own)} in {len(rows)} inputs, {away:.0f} "
                f"deviations from the mean that the model has for it ({mean:.4g}), and the others are near "
                f"theirs; {said} it would be {span(there)}: is it in another unit?"
            )
    return ""


def are_years(own: Any) -> bool:
    """Whether all elements are whole numbers that may be years."""
    return bool(own.min() >= YEARS[0] and own.max() <= YEARS[1] and not (own % 1).any())


def span(elements: Any) -> str:
    low, high = (f"{one:.4g}" for one in (elements.min(), elements.max()))
    return low if low == high else f"{low} to {high}"
