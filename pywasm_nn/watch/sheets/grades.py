"""Kinds that have an order of their own, such as grades, numbered by the alphabet, where another column of
kinds is numbered in its own order.

What is here: `by_alphabet`. What is not: kinds that are numbered as they appear (`orders.py`). Many models
are trained on numbers by the alphabet: a hint needs the other column, which shows that this one is not.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from .orders import kinds
from .periods import WEEKDAYS
from .places_of_rows import lines_by_fields
from .sheet import Sheet

SCALES = (
    "fair good very_good premium ideal",
    "poor fair good very_good excellent",
    "poor fair average good excellent",
    "very_low low medium high very_high",
    "low medium high critical",
    "none low medium high",
    "none mild moderate severe",
    "never rarely sometimes often always",
    "xs s m l xl xxl",
    "tiny small medium large huge",
    "cold cool mild warm hot",
    "bronze silver gold platinum",
    "first second third fourth",
    "primary secondary tertiary",
    "mon tue wed thu fri sat sun",
    " ".join(WEEKDAYS),
    "jan feb mar apr may jun jul aug sep oct nov dec",
    "january february march april may june july august september october november december",
    "winter spring summer autumn",
    "calm light moderate strong storm",
    "dry damp moist wet",
    "child teen adult senior",
)
"""Kinds in their own order; a column may have a part of them."""
FEWEST, MOST_OFF = 3, 1
"""Different kinds, and the number of the first one at most."""


def by_alphabet(sheet: Sheet, rows: Any) -> str:
    """Returns what is wrong with the numbers of grades, or "" if nothing is known to be wrong. `rows` are
    inputs, in any order of the table's lines."""
    lines = lines_by_fields(sheet, rows)
    if len(lines) < FEWEST:
        return ""
    columns = [(column, [texts[line] for line in lines]) for column, texts in kinds(sheet)]
    other = next((column for column, own in columns if is_in_own_order(own, rows)), None)
    if other is None:
        return ""
    for column, own in columns:
        for scale in scales_of(own):
            if column != other and (found := alphabetical(own, scale, rows)) is not None:
                first, last = (
                    pick(map(plain, own), key=scale.index).replace("_", " ") for pick in (min, max)
                )
                return (
                    f'{sheet.named(column)} is numbered by the alphabet in element {found} ("{own[0]}" is '
                    f'{rows[0, found]:g}), though its kinds have an order, from "{first}" to "{last}", and '
                    f"{sheet.named(other)} is not: does the model want it?"
                )
    return ""


def alphabetical(own: Sequence[str], scale: Sequence[str], rows: Any) -> int | None:
    """The element in which kinds of a scale are numbered by the alphabet; None if there is none."""
    by_name = sorted(scale)
    for first in range(MOST_OFF + 1):
        wrong, right = ([order.index(plain(one)) + first for one in own] for order in (by_name, scale))
        found = [element for element in range(rows.shape[1]) if rows[:, element].tolist() == wrong != right]
        if found:
            return found[0]
    return None


def scales_of(own: Sequence[str]) -> Iterator[list[str]]:
    """The scales that have all of some kinds."""
    there = {plain(one) for one in own}
    for text in SCALES if len(there) >= FEWEST else ():
        scale = text.split()
        if there <= {*scale}:
            yield scale


def plain(kind: str) -> str:
    return "_".join(kind.lower().replace("-", " ").split())


def is_in_own_order(own: Sequence[str], rows: Any) -> bool:
    """Whether an element numbers kinds, neither by the alphabet nor as they appear."""
    appear = list(dict.fromkeys(own))
    for element in range(rows.shape[1]):
        numbers = rows[:, element].tolist()
        known = dict(zip(own, numbers, strict=True))
        is_one = all(known[one] == number for one, number in zip(own, numbers, strict=True))
        if len(known) < FEWEST or not is_one or len({*known.values()}) < len(known):
            continue
        if any(number % 1 for number in numbers):
            continue
        ordered = sorted(known, key=lambda one: known[one])
        others = (sorted(known), sorted(known, key=str.lower), appear)
        if all(ordered not in (one, one[::-1]) for one in others):
            return True
    return False
