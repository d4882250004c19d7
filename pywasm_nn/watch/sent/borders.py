"""Inputs with a border that was left from the input before: a buffer that was not cleared, or in part.

What is here: `Borders`, which compares each small input with the one before it.
"""

from __future__ import annotations

from typing import Any

from ...arrays import numpy
from ..facts import picture_of
from ..origin.matching import Origin
from ..origin.readings import first

MOST_BYTES = 1 << 20
LEVELS = 4
"""A border has at least so many different pixels: all others are a ground."""
INSIDE, CHANGED = 0.9, 0.3
"""The most of a picture's pixels that lie within the border, and the least part of these that changed."""
SLIGHTLY, SHOWN, SMOOTH = 0.6, 16, 0.5
"""A new middle is correlated by less than `SLIGHTLY` with the one before, and has `SHOWN` different pixels,
or it is that one blurred or covered. Its neighbours are correlated by more than `SMOOTH`, or it is noise."""
SLACK = 1
"""By how many pixels the middle may be off."""


class Borders:
    """Keeps the last input of pixels, and where it came from."""

    def __init__(self) -> None:
        self._before: dict[Any, tuple[Any, str]] = {}

    def wrong(self, key: Any, array: Any, found: Origin | None) -> str:
        """Returns what is wrong with the next input, or "" if nothing is. `found` is where it came from."""
        picture = picture_of(array.shape)
        if picture is None or array.nbytes > MOST_BYTES:
            return ""
        own = first(array, picture)
        where = "" if found is None or found.lies is None else f"{found.source.name} {found.part}"
        before = self._before.get(key)
        self._before[key] = own, where
        if before is None or not before[1] or before[0].shape != own.shape or where == before[1]:
            return ""
        if found is not None and (found.lies is None or found.lies == (0, 0, *own.shape[:2])):
            return ""
        return of_a_middle(own, before[0])


def is_another(own: Any, before: Any) -> bool:
    """Whether a part is another picture than the one before, and not that one covered, blurred or in noise,
    as somebody hides what is in the middle."""
    if len(numpy.unique(own)) < min(SHOWN, own.size // 2) or min(own.shape) < LEVELS:
        return False
    return like(own, before) < SLIGHTLY and like(own[1:], own[:-1]) > SMOOTH


def like(one: Any, other: Any) -> float:
    """Returns the correlation of two parts, or 0 if one has but a single level."""
    if not numpy.ptp(one) or not numpy.ptp(other):
        return 0.0
    return float(numpy.corrcoef(one.reshape(-1), other.reshape(-1))[0, 1])


def of_a_middle(own: Any, before: Any) -> str:
    """Returns the border that pixels have in common with those before, around a middle part that changed, or
    "" if there is none."""
    changed = (own != before).any(axis=2)
    rows, columns = (numpy.flatnonzero(changed.any(axis=axis)) for axis in (1, 0))
    if not len(rows):
        return ""
    height, width = changed.shape
    top, bottom, left, right = int(rows[0]), int(rows[-1]) + 1, int(columns[0]), int(columns[-1]) + 1
    around = top, height - bottom, left, width - right
    is_middle = abs(around[0] - around[1]) <= SLACK and abs(around[2] - around[3]) <= SLACK
    inside = changed[top:bottom, left:right]
    if not is_middle or max(around) == 0 or inside.size > INSIDE * changed.size or inside.mean() < CHANGED:
        return ""
    there = numpy.ones(changed.shape, bool)
    there[top:bottom, left:right] = False
    parts = [one[top:bottom, left:right].mean(axis=2) for one in (own, before)]
    if len(numpy.unique(own[there])) < LEVELS or not is_another(*parts):
        return ""
    return (
        f"only its middle, {right - left} x {bottom - top} of {width} x {height} pixels, is new, and around "
        "that is still the picture before: is the buffer cleared before each picture, and as a whole (the "
        "sizeof of a pointer is 4)?"
    )
