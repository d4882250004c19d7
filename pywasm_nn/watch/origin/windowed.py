"""A batch of windows that were cut from a sound, each at a place of its own, perhaps at a part of its rate.

What is here: `heard_in`, which looks for an input as a whole, and else for its rows. What is not: how a part
of a sound was read (`sequences.py`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from math import prod
from typing import Any

from ...arrays import numpy
from ...records import changed
from ..budget import Left, always
from .decoding import Source
from .locating import correlation
from .matching import Origin
from .sequences import RAN_OVER, SURELY, found_in, heard, place_of, readings

FEWEST = 256
"""Samples of a window."""
AROUND = 0.5
"""Samples are around 0, by so many deviations: features, such as levels of bands, are not."""
LOOKS = 2
"""So many of a batch's windows are looked at, the loudest first, and show the same mistake."""
STEPS = (2, 3)
"""One frame of so many is taken, where a sound is brought to a lower rate without a filter."""
LOWEST = 16000
"""The lowest rate that is made so."""
ORDINALS = {2: "second", 3: "third"}


def heard_in(array: Any, source: Source, left: Left = always) -> Origin | None:
    """How an input came from a sound, as a whole or window by window; None if it didn't."""
    rows = None if source.is_picture or not source.rate else windows_of(array, source)
    if rows is None:
        return heard(array, source, left)
    with numpy.errstate(all="ignore"):
        is_first = len(rows) == 1 or is_in(rows[0], source)
        found = heard(array, source, left) if is_first else None
        found = found or (of_windows(rows, source, left) if left() else None)
        # Windows that lie nowhere in it are hardly the sound as a whole, and searching for that takes long.
        return found if found is not None or is_first or not left() else heard(array, source, left)


def begins_with(array: Any, source: Source) -> bool:
    """Whether an input is the first samples of a sound, or of the mean of its channels, scaled or not: that
    is seen at once."""
    samples = source.array[: array.size]
    own = samples if samples.ndim == 1 else samples.mean(axis=1)
    if array.dtype.kind != "f" or len(own) < FEWEST or array.size > max(array.shape):
        return False
    return correlation(array.reshape(-1)[: len(own)].astype("f8"), own) > SURELY


def windows_of(array: Any, source: Source) -> Any:
    """The windows of a batch, [windows, samples]; None for features, and for a row of each channel."""
    count = array.shape[0] if array.ndim > 1 and array.size > max(array.shape) else 1
    if array.dtype.kind != "f" or prod(array.shape[1:-1]) != 1 or array.size < FEWEST * count:
        return None
    rows = array.reshape(count, -1).astype("f8")
    is_around = abs(float(rows.mean())) <= AROUND * float(rows.std())
    return rows if is_around and (source.array.ndim == 1 or count != source.array.shape[1]) else None


def of_windows(rows: Any, source: Source, left: Left) -> Origin | None:
    """How the loudest windows of a batch, or a single one, came from a sound, if it is the same way."""
    loudest = numpy.argsort(-numpy.abs(rows).mean(axis=1))[:LOOKS].tolist()
    ways = [*slower(source)]
    found = None
    for row in loudest:
        way, one = of_window(rows[row], source, ways, left)
        if one is None or (found is not None and one.wrong != found.wrong):
            return None
        found, ways = one, [way]
    if found is None or len(rows) == 1:
        return found
    return changed(found, steps=(f"row {loudest[-1]} of {len(rows)}", *found.steps), span=None)


Way = tuple[int, Sequence[Source]]
"""One frame of how many was taken, and the sounds that these make, from each frame on."""


def of_window(row: Any, source: Source, ways: Sequence[Way], left: Left) -> tuple[Way, Origin | None]:
    """How a window came from a sound: in which way, and from where."""
    for step, sounds in ways:
        for frames in sounds:
            if left() and is_in(row, frames):
                found = found_in(row, frames, "", left)
                said = f"every {ORDINALS[step]} frame" if step > 1 else ""
                if found is not None:
                    whole = changed(source, rate=frames.rate)  # what was sent has that rate
                    return (step, sounds), changed(found, source=whole, steps=(said, *found.steps))
    plain: Way = 1, (source,)
    is_open = left() and any(step == 1 for step, _ in ways)
    return plain, found_in(row, source, "", left) if is_open else None


def is_in(row: Any, source: Source) -> bool:
    """Whether a window is a part of a sound: of one channel, of the mean of all, or of their sum that ran
    over."""
    count = 1 if source.array.ndim == 1 else 2 + source.array.shape[1]
    likely = [one for one in islice(readings(source), count) if not one.wrong or RAN_OVER in one.wrong]
    return any(abs(place_of(row, one.samples)[-1]) >= SURELY for one in likely)


def slower(source: Source) -> Iterator[Way]:
    """A sound as it is, and one frame of several of it."""
    yield 1, (source,)
    for step in STEPS:
        rate = source.rate // step
        if rate >= LOWEST and source.array.ndim > 1:
            made = (source.array[phase::step] for phase in range(step))
            yield step, [changed(source, array=one, rate=rate, start=0, others=()) for one in made]
