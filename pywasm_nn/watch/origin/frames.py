"""Frames of a sound that was misread, one in each row of an input, perhaps each scaled by its own mean and
deviation, so that no two have the same range.

What is here: `in_frames`. What is not: frames of bands (`spectral.py`), and a sound as it is
(`sequences.py`).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ..budget import Left, always
from .decoding import Source
from .matching import Origin
from .sequences import EXACT, SURELY, Found, Sounding, place_of, readings

SHORTEST, ROWS = 256, 2
"""Samples of a frame, and dimensions; shorter ones are bands."""
AROUND = 0.2
"""Samples go around 0: their mean is no more than this part of their deviation."""
LOOKS = 2
"""So many frames are looked for."""


def in_frames(array: Any, source: Source, left: Left = always) -> Origin | None:
    """Returns how some rows are frames of a sound that was misread in one way, or None if they aren't, or are
    frames of the sound as it is."""
    rows = array.reshape(-1, array.shape[-1]).astype("f8") if array.ndim >= ROWS else array[:0]
    if array.dtype.kind != "f" or len(rows) < LOOKS or rows.shape[1] < SHORTEST:
        return None
    spread = rows.std(axis=1)
    loud = (spread > 0).nonzero()[0]
    if len(loud) < LOOKS or not (abs(rows[loud].mean(axis=1)) < AROUND * spread[loud]).all():
        return None
    chosen = [rows[loud[0]], rows[loud[len(loud) // 2]]]
    known = [*readings(source)]
    if all(is_plainly_in(row, [one for one in known if not one.wrong]) for row in chosen):
        return None
    for reading in known:
        if not left():
            return None
        places = []
        for row in chosen:
            at, scale, shift, like = place_of(row, reading.samples)
            if like < SURELY or (reading.end is not None and at >= reading.end):
                break
            places.append(Found(like, reading, at, scale, shift))
        if len(places) < LOOKS or (len(loud) > LOOKS and places[0].at == places[1].at):
            continue
        said = f"{reading.said}frames of {rows.shape[1]} samples, the first from sample {places[0].at:,} on"
        return Origin(source, (said,), reading.wrong) if reading.wrong else None
    return None


def is_plainly_in(row: Any, right: Iterable[Sounding]) -> bool:
    """Whether a row is a part of a sound as it is, or of one of its channels, which may lie row by row."""
    return any(place_of(row, one.samples)[3] >= EXACT for one in right)
