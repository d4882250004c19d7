"""Sines and cosines of an hour, a month or a direction, which were taken of its degrees: of one among the
arguments, or of several that the rows of inputs are about.

What is here: `Degrees`. What is not: hours in a table (`sheets/hours.py`), and angles that were sent as they
are (`whatif/angles.py`).

Two elements side by side that lie on the unit circle are just the sine and the cosine of so many radians as
an argument is degrees: no other meaning gives these numbers to six places. Where no argument says the number,
four different ones, one in each of as many rows, are as sure.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ...arrays import numpy
from ...nn.operation import NNEvent
from ..follower import Follower, inputs_of
from ..regex import regex

TURN = 360.0
PERIODS = {
    24: "of 24 hours",
    12: "of 12 months",
    7: "of 7 days",
    60: "of 60 minutes",
    52: "of 52 weeks",
    365: "of 365 days",
    1440: "of 1,440 minutes",
    360: "of 360 degrees",
}
"""Into how many parts what goes round is divided, and what these are."""
FROM_ONE = (12, 7, 52, 365)
"""The numbers of parts that people may count from 1."""
FEWEST_DEGREES = 30.0
"""Smaller angles may as well be in radians."""
ROUND, MOST_PAIRS, LEAST, MOST_BYTES = 1e-5, 4, 1e-3, 1 << 14
"""How far a pair of elements is from the unit circle, the most such pairs (of many, as in a position's code,
one fits by chance), and the least size of each, as 0 and 1 are no angle;
and the most bytes of an input."""
EXACT, SINGLE = 2e-6, 1.2e-7
"""How far an angle may be from another one, and what 32 bits add for each degree."""
HOURS_AND_THE_LIKE = (7, 12, 24, 52, 60)
"""Rows may be about one of so many hours, months and the like. Days of a year are left out, as their degrees
are nearly whole numbers of radians."""
MOST_ROWS, FEWEST_ROWS = 64, 4
"""The rule keeps `MOST_ROWS` rows at most, which must tell at least `FEWEST_ROWS` different numbers."""
NUMBER = regex(r"(?<![\w.-])\d{1,4}(?:\.\d{1,3})?(?![\w.])")


class Degrees(Follower):
    """Gives a hint for each input, once."""

    def __init__(self, arguments: Sequence[str] = ()) -> None:
        """`arguments` are those of the guest."""
        self._numbers = [float(one) for text in arguments for one in NUMBER.findall(text)]
        self._done: set[Any] = set()
        self._rows: dict[Any, list[Any]] = {}
        """Maps an input to its first rows."""

    def nn_event(self, event: NNEvent) -> Iterator[tuple[str, str]]:
        """An operation ended."""
        for index, spec, tensor in inputs_of(event) if event.error is None else ():
            key = event.graph_id, index
            is_open = bool(self._numbers) or len(self._rows.get(key, ())) < MOST_ROWS
            is_new = key not in self._done and tensor.nbytes <= MOST_BYTES
            numbers = tensor.numbers() if is_new and is_open else None
            if numbers is None or numbers.dtype.kind != "f" or numbers.size < 2:
                continue
            flat = numbers.astype("f8")
            said = in_degrees(flat, self._numbers) if self._numbers else ""
            if said := said or self._of_rows(key, flat, tensor.shape):
                self._done.add(key)
                yield "origin", f'input {index} "{spec.name}": {said}'

    def _of_rows(self, key: Any, flat: Any, shape: Sequence[int]) -> str:
        """Returns what is wrong with the rows of an input so far, or "" if nothing is."""
        rows, width = self._rows.setdefault(key, []), shape[-1] if shape else 0
        if width < 2 or len(rows) >= MOST_ROWS or (rows and len(rows[0]) != width):
            return ""
        before = len(rows)
        rows += [*flat.reshape(-1, width)[: MOST_ROWS - before]]
        is_due = before < FEWEST_ROWS <= len(rows) or len(rows) in (8, 16, MOST_ROWS)
        return of_several(numpy.stack(rows)) if is_due else ""


def in_degrees(flat: Any, numbers: Sequence[float]) -> str:
    """Returns what is wrong with elements that are a sine and a cosine, or "" if nothing is."""
    one, other = flat[:-1], flat[1:]
    on_circle = (abs(one**2 + other**2 - 1) < ROUND) & (numpy.minimum(abs(one), abs(other)) > LEAST)
    places = numpy.flatnonzero(on_circle).tolist()
    for at in places if len(places) <= MOST_PAIRS else ():
        for sine, cosine in ((at, at + 1), (at + 1, at)):
            angle = float(numpy.arctan2(flat[sine], flat[cosine]))
            if found := next((each for each in meant(numbers) if is_same(angle, each[0])), None):
                degrees, number, period = found
                return (
                    f"elements {sine} and {cosine} are the sine and cosine of {degrees:g}, as if these were "
                    f"radians; {number:g} {PERIODS[period]}, by the arguments, is {degrees:g} degrees: is "
                    "the factor pi / 180 missing?"
                )
    return ""


def of_several(rows: Any) -> str:
    """Returns what is wrong with rows, [rows, elements], that have a sine and a cosine at the same place, or
    "" if nothing is."""
    with numpy.errstate(all="ignore"):
        on_circle = (abs(rows[:, :-1] ** 2 + rows[:, 1:] ** 2 - 1) < ROUND).all(axis=0)
    places = numpy.flatnonzero(on_circle).tolist()
    for at in places if len(places) <= MOST_PAIRS else ():
        for sine, cosine in ((at, at + 1), (at + 1, at)):
            angles = numpy.arctan2(rows[:, sine], rows[:, cosine])
            for period in HOURS_AND_THE_LIKE:
                found = [number_of(float(angle), period) for angle in angles]
                if -1 in found or len({*found} - {0}) < FEWEST_ROWS:
                    continue
                number = max(found)
                return (
                    f"elements {sine} and {cosine} are the sine and cosine of {number * TURN / period:g} and "
                    f"the like in all of {len(found)} rows, as if these were radians: that is number "
                    f"{number} of {period} in degrees (hours, months ...): is the factor pi / 180 missing?"
                )
    return ""


def number_of(angle: float, period: int) -> int:
    """Returns the number from 0 to the period whose degrees, taken for radians, are this angle, or -1 if
    there is none."""
    steps = (number for number in range(period + 1) if is_same(angle, number * TURN / period))
    return next(steps, -1)


def meant(numbers: Sequence[float]) -> Iterator[tuple[float, float, int]]:
    """Degrees of what goes round, with the number and its period."""
    for number in numbers:
        for period in PERIODS:
            for first in (0, 1) if period in FROM_ONE else (0,):
                degrees = (number - first) * TURN / period
                if number <= period and degrees >= FEWEST_DEGREES:
                    yield degrees, number, period


def is_same(angle: float, radians: float) -> bool:
    """Whether an angle is so many radians, but for whole turns."""
    off = (radians - angle + numpy.pi) % (2 * numpy.pi) - numpy.pi
    return bool(abs(off) <= EXACT + SINGLE * radians)
