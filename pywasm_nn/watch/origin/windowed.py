"""A batch of windows that were cut from a sound, each at a place of its own, perhaps at a part of its rate.

What is here: `heard_in`, which looks for an input as a whole, and else for its rows. What is not: how a part
of a sound was read (`sequences.py`).
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from math import prod
from typing import Any

from ...records import changed
from ..budget import Left, always
from .decoding import Source
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
    import numpy

    found = heard(array, source, left)
    if found is not None or source.is_picture or not source.rate or array.dtype.kind != "f":
        return found
    with numpy.errstate(all="ignore"):
        return of_windows(array, source, left)


def of_windows(array: Any, source: Source, left: Left) -> Origin | None:
    """How the loudest windows of a batch, or a single one, came from a sound, if it is the same way."""
    import numpy

    count = array.shape[0] if array.ndim > 1 and array.size > max(array.shape) else 1
    if not array.size or prod(array.shape[1:-1]) != 1 or array.size < FEWEST * count:
        return None
    rows = array.reshape(count, -1).astype("f8")
    if abs(float(rows.mean())) > AROUND * float(rows.std()):
        return None
    loudest = numpy.argsort(-numpy.abs(rows).mean(axis=1))[:LOOKS].tolist()
    found = None
    for row in loudest:
        found = of_window(rows[row], source, left, None if found is None else found.wrong)
        if found is None:
            return None
    if found is None or count == 1:
        return found
    return changed(found, steps=(f"row {loudest[-1]} of {count}", *found.steps), span=None)


def of_window(row: Any, source: Source, left: Left, wrong: str | None) -> Origin | None:
    """How a window came from a sound. `wrong` is what was wrong with another one, if that is known."""
    for step, frames in slower(source):
        if not left():
            return None
        if not is_in(row, frames):
            continue
        found = found_in(row, frames, "", left)
        if found is not None and (wrong is None or found.wrong == wrong):
            said = f"every {ORDINALS[step]} frame" if step > 1 else ""
            return changed(found, source=source, steps=(said, *found.steps))
    found = found_in(row, source, "", left) if left() else None
    return None if found is None or (wrong is not None and found.wrong != wrong) else found


def is_in(row: Any, source: Source) -> bool:
    """Whether a window is a part of a sound: of one channel, of the mean of all, or of their sum that ran
    over."""
    count = 1 if source.array.ndim == 1 else 2 + source.array.shape[1]
    likely = [one for one in islice(readings(source), count) if not one.wrong or RAN_OVER in one.wrong]
    return any(abs(place_of(row, one.samples)[-1]) >= SURELY for one in likely)


def slower(source: Source) -> Iterator[tuple[int, Source]]:
    """A sound as it is, and one frame of several of it, from each of these on."""
    yield 1, source
    for step in STEPS:
        rate = source.rate // step
        for phase in range(step) if rate >= LOWEST and source.array.ndim > 1 else ():
            yield step, changed(source, array=source.array[phase::step], rate=rate, start=0, others=())
