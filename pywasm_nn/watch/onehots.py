"""Kinds as zeros and a one for each place of a text or series (one-hot), whose ones were written for another
layout than the shape's.

What is here: `other_way`. What is not: a single kind beside other elements (`origin.elements`).
"""

from __future__ import annotations

from typing import Any

FEWEST = 4
"""Fewer places or kinds, and fewer ones, say nothing."""
MOST = 1 << 20


def other_way(array: Any) -> str:
    """What is wrong with places, each with several ones or none, that each have a single one if the same
    elements lie kind by kind; "" if nothing is. Pictures of two colours and tones at once look like neither.
    """
    import numpy

    shape = [length for length in array.shape if length != 1]
    if len(shape) != 2 or min(shape) < FEWEST or shape[0] == shape[1] or array.size > MOST:
        return ""
    ones = array == 1
    if int(ones.sum()) < FEWEST or not (ones | (array == 0)).all():
        return ""
    places, kinds = shape
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
