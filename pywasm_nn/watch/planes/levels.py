"""Frames whose elements depend on their pixels in any way, such as decibels that were cut off at 0, with a
mark for what isn't known.

What is here: `by_levels`. What is not: frames that are scaled (`clips.py`).
"""

from __future__ import annotations

from typing import Any

from ...arrays import numpy

DIFFERENT, MOSTLY = 8, 0.5
"""The fewest different elements of a frame, and the part of its pixels that must have a level which others
have, too."""
SAME = 1e-6


def by_levels(planes: Any, frames: Any) -> Any:
    """Returns the number of the only frame [height, width] on whose pixels alone each plane depends, or None
    if a plane depends on none, or on several."""
    if planes.shape[1:] != frames.shape[1:]:
        return None
    flat = frames.reshape(len(frames), -1)
    orders = [numpy.argsort(one, kind="stable") for one in flat]
    places = []
    for plane in planes.reshape(len(planes), -1).astype("f8"):
        if len(numpy.unique(plane)) < DIFFERENT:
            return None
        fits = [at for at, order in enumerate(orders) if depends(plane[order], flat[at][order])]
        if len(fits) != 1:
            return None
        places += fits
    return numpy.array(places)


def depends(elements: Any, levels: Any) -> bool:
    """Whether elements are equal where levels, which go up, are."""
    begins = numpy.flatnonzero(numpy.concatenate([[True], levels[1:] != levels[:-1]]))
    counts = numpy.diff([*begins, len(levels)])
    if counts[counts > 1].sum() < MOSTLY * len(levels):
        return False
    apart = numpy.maximum.reduceat(elements, begins) - numpy.minimum.reduceat(elements, begins)
    return bool((apart <= SAME * numpy.ptp(elements)).all())
