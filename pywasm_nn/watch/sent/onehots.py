"""Kinds as zeros and a one for each place of a text or series (one-hot), whose ones were written for another
layout than the shape's.

What is here: `other_way`. What is not: a single kind beside other elements (`origin.elements`).
"""

from __future__ import annotations

from typing import Any

from ...arrays import numpy

FEWEST = 4
"""Fewer places or kinds, and fewer ones, say nothing."""
MOST = 1 << 20
MANY, NEARLY = 16, 0.8
"""So many places that have a one each, and this part of those up to the last, are no chance: letters that are
of no kind have none."""
BATCHED = 3
"""An array of fewer dimensions may be lines of a table, each of several columns of kinds."""


def other_way(array: Any) -> str:
    """Returns what is wrong with places, each with several ones or none, that each have a single one if the
    same elements lie kind by kind, or "" if nothing is. Pictures of two colours and tones at once look like
    neither."""
    shape = [length for length in array.shape if length != 1]
    if len(shape) != 2 or min(shape) < FEWEST or shape[0] == shape[1] or array.size > MOST:
        return ""
    ones = array == 1
    if int(ones.sum()) < FEWEST or not (ones | (array == 0)).all():
        return ""
    first, second = shape
    said = kind_by_kind(ones, first, second)
    return said or (place_by_place(ones, first, second) if array.ndim >= BATCHED else "")


def place_by_place(ones: Any, kinds: int, places: int) -> str:
    """Returns what is wrong if the shape says kinds of places, and each place's kinds lie behind each other,
    or "" if that is not so."""
    own = ones.reshape(kinds, places).sum(axis=0)
    turned = ones.reshape(places, kinds).sum(axis=1)
    used = int(turned.sum())
    if kinds > places or own.max() <= 1 or turned.max() > 1 or used < MANY:
        return ""
    last = int(turned.nonzero()[0][-1]) + 1
    if used < NEARLY * last or ones.reshape(places, kinds).any(axis=0).sum() < FEWEST:
        return ""
    return (
        f"its zeros and ones lie place by place: the shape says {kinds} kinds of {places} places each, by "
        f"which place {own.argmax()} is of {own.max()} kinds at once; taken as {places} places of {kinds} "
        f"kinds each of the {used} that are filled has one: they have to be transposed"
    )


def kind_by_kind(ones: Any, places: int, kinds: int) -> str:
    """Returns what is wrong if the shape says places of kinds, and each kind's places lie behind each other,
    or "" if that is not so."""
    own = ones.reshape(places, kinds).sum(axis=1)
    turned = ones.reshape(kinds, places).sum(axis=0)
    used = int(turned.sum())
    if own.max() <= 1 or not numpy.array_equal(turned, numpy.arange(places) < used):
        return ""
    if ones.reshape(kinds, places).any(axis=1).sum() < FEWEST:
        return ""
    return (
        f"its zeros and ones lie kind by kind: the shape says {places} places of {kinds} kinds, by which "
        f"place {own.argmax()} has {own.max()} ones; taken as {kinds} kinds of {places} places each of the "
        f"first {used} has one"
    )
