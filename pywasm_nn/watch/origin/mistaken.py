"""Lines of a table that were scaled, and what of a file's own order was overlooked: an identifier that was
sent as a number, columns in another order than the scaler's, windows with the newest line first.

What is here: `identifier_sent`, `in_another_order`, `exchanged` and `newest_first`. What is not: the search
for the lines (`scaled.py`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import permutations
from typing import Any

from ...arrays import numpy
from .tables import COUNTED, NUMBERED, Table, is_answer, named

IDENTIFIERS = NUMBERED - {""} | {"name", "code", "key", "sample", "serial"}
TIMES = COUNTED - NUMBERED | {"hour", "minute", "day", "month", "year", "datetime", "ms", "s", "seconds"}
FEWEST_COLUMNS = 4
NO_OWN, HALF = 4.0, 0.5
"""Deviations by which the numbers of so many columns are off, if they are not a column's own."""
NEAR, USUALLY, NEARLY = 2.5, 1.0, 1.4
"""Numbers of a few lines are off by fewer deviations, usually by this; and the logarithm of deviations."""
MOSTLY = 0.8
MOST_EXCHANGED, CLEARLY = 5, 3.0
"""So many columns have each other's numbers at most, which fit so many times better than their own."""


def identifier_sent(table: Table, columns: Sequence[int], rows: Any) -> str:
    """Returns a hint about an element that is the same in all inputs, in place of a column of texts that tell
    lines apart, beside others that are columns, or "" if there is none. `columns` are those of the elements,
    or -1."""
    shifts = {column - index for index, column in enumerate(columns) if column >= 0}
    unknown = [index for index, column in enumerate(columns) if column < 0]
    if len(shifts) != 1 or len(unknown) != 1 or not table.headings:
        return ""
    element = unknown[0]
    place, last = element + min(shifts), len(columns) + min(shifts)
    if not 0 <= place < last < table.numbers.shape[1] or numpy.ptp(rows[:, element]):
        return ""
    heading = table.headings[place].strip('"').lower()
    is_text = not numpy.isfinite(table.numbers[:, place]).any()
    left = numpy.isfinite(table.numbers[:, last]).any() and not is_answer(table, last)
    if not is_text or not left or not (heading in IDENTIFIERS or heading.endswith("id")):
        return ""
    return (
        f"{named(table, place)}, a text, was sent as element {element}, which is {rows[0, element]:.4g} in "
        f"all {len(rows)} inputs (atof of a text is 0), and {named(table, last)} was not: all columns are "
        "one place too late"
    )


def in_another_order(
    table: Table, places: Sequence[int], own: tuple[Any, Any], usual: tuple[Any, Any]
) -> str:
    """Returns a hint about columns whose means and deviations are those of others, in an order that people
    use, or "" if they aren't. `own` are what was taken away and divided by, `usual` the means and deviations
    of the columns."""
    (taken, divided), (mean, deviation) = own, usual
    if len(places) < FEWEST_COLUMNS or not (deviation > 0).all():
        return ""

    def off(order: Sequence[int]) -> tuple[Any, Any]:
        there = numpy.array(order)
        moved = abs(taken - mean[there]) / deviation[there]
        return moved, abs(numpy.log(abs(divided) / deviation[there]))

    moved, wider = off(range(len(places)))
    if ((moved > NO_OWN) | (wider > NEARLY)).mean() < HALF:
        return ""
    for order, said in orders(table, places):
        moved, wider = off(order)
        fits = moved.max() < NEAR and wider.max() < NEARLY
        if fits and numpy.median(moved) < USUALLY and numpy.median(wider) < USUALLY:
            return (
                f"{named(table, places[0])}, on average {mean[0]:.4g}, was scaled by {taken[0]:.4g} and "
                f"{divided[0]:.4g}, which fit {named(table, places[order[0]])} (on average "
                f"{mean[order[0]]:.4g}), and so on: by the scaler's numbers the columns of this file are "
                f"{said}"
            )
    return ""


def exchanged(
    table: Table, elements: Sequence[int], places: Sequence[int], own: tuple[Any, Any], usual: tuple[Any, Any]
) -> str:
    """Returns a hint about a few columns that were scaled by each other's numbers, among others that were
    scaled by their own, or "" if there are none. `elements` are those of the input, the rest is as in
    `in_another_order`."""
    (taken, divided), (mean, deviation) = own, usual
    if len(places) < FEWEST_COLUMNS or not (deviation > 0).all() or not (divided != 0).all():
        return ""
    moved = abs(taken[:, None] - mean) / deviation
    wider = abs(numpy.log(abs(divided)[:, None] / deviation))
    off = moved / NO_OWN + wider / NEARLY
    better = CLEARLY * off < off.diagonal()[:, None]
    fits, odd = better & (moved < NEAR) & (wider < NEARLY), (moved > NO_OWN) | (wider > NEARLY)
    wrong = numpy.flatnonzero(odd.diagonal()).tolist()
    if not 2 <= len(wrong) <= min(MOST_EXCHANGED, len(places) - 2):
        return ""
    for order in permutations(wrong):
        if any(one == other for one, other in zip(wrong, order, strict=True)):
            continue
        if all(fits[one, other] for one, other in zip(wrong, order, strict=True)):
            one, other = wrong[0], order[0]
            both = "and the other way round" if len(wrong) == 2 else "and so on"
            return (
                f"element {elements[one]} is {named(table, places[one])}, on average {mean[one]:.4g}, and "
                f"was scaled by {taken[one]:.4g} and {divided[one]:.4g}, which fit "
                f"{named(table, places[other])} (on average {mean[other]:.4g}), {both}: columns are "
                "exchanged, or the scaler's numbers for them"
            )
    return ""


def orders(table: Table, places: Sequence[int]) -> Iterator[tuple[list[int], str]]:
    """Orders of so many columns: of each, which one it is taken for."""
    count = len(places)
    yield [*range(count)][::-1], "in the reversed order"
    for by in range(1, count):
        yield [(at + by) % count for at in range(count)], f"turned round by {by}"
    if table.headings:
        by_name = sorted(range(count), key=lambda at: table.headings[places[at]])
        yield by_name, "not in their alphabetical order"
        yield [by_name.index(at) for at in range(count)], "in their alphabetical order, and not in that"


def newest_first(table: Table, start: int, count: int) -> str:
    """Returns what is wrong with a window of lines that are sent in the opposite order, the last one first,
    or "" if the file doesn't say that the last one is the newest."""
    for column, heading in enumerate(table.headings):
        there = table.numbers[start : start + count, column]
        if heading.strip('"').lower() in TIMES and (numpy.diff(there) > 0).mean() >= MOSTLY:
            return (
                f"its lines are in the opposite order of the file's, in which {named(table, column)} goes "
                f"up: the newest, line {table.lines[start + count - 1]}, comes first, and a series wants it "
                "last"
            )
    if table.direction > 0:
        return (
            f"its lines are in the opposite order of the file's, which goes on in time: the newest, line "
            f"{table.lines[start + count - 1]}, comes first, and a series wants it last"
        )
    return ""
