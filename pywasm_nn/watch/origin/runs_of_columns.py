"""Numbers that follow each other in a column, with gaps, as the elements of an input do, whatever was taken
away from them and divided by.

What is here: `run_of`, `nearest` and `room_of`. What is not: which column, and what its order says
(`tables.py`).
"""

from __future__ import annotations

from typing import Any

from ...arrays import numpy

CLOSE = 1e-3
"""By how many deviations elements may be off that were worked out in 32 bits."""
WIDEST = 0.15
"""By how many deviations elements may be off in 16 bits: whatever is farther off is like any numbers that go
up and down."""
MOST_GAPS = 0.3
"""The part of a window that may be missing in the file, and was filled by the guest."""
FEWEST = 8
"""Numbers that are known."""
MOST_WINDOWS = 1 << 22
"""Numbers of all windows together, of columns with gaps."""


def room_of(array: Any) -> float:
    """By how many deviations elements may differ from the numbers of a file, as they were rounded to their
    type."""
    flat = array.reshape(-1).astype("f8")
    if array.dtype.kind != "f" or array.itemsize > 2 or not flat.std():
        return CLOSE
    step = float(numpy.finfo(array.dtype).eps) * float(abs(flat).max())
    return min(max(CLOSE, 2 * step / float(flat.std())), WIDEST)


def run_of(numbers: Any, flat: Any, room: float = CLOSE) -> int:
    """Returns from which number on a column goes on as the elements do, or -1 if it doesn't anywhere."""
    count = len(flat)
    if len(numbers) < count or not flat.std():
        return -1
    windows = numpy.lib.stride_tricks.sliding_window_view(numbers, count)
    place, apart = nearest(windows, flat)
    return place if apart < room else with_gaps(windows, flat, room)


def nearest(windows: Any, flat: Any) -> tuple[int, float]:
    """The window whose numbers go on most as the elements do, and by how many deviations they differ."""
    own = (flat - flat.mean()) / flat.std()
    with numpy.errstate(all="ignore"):
        levels = (windows - windows.mean(1, keepdims=True)) / windows.std(1, keepdims=True)
        apart = numpy.nan_to_num(abs(levels - own).max(axis=1), nan=numpy.inf)
    place = int(apart.argmin())
    return place, float(apart[place])


def with_gaps(windows: Any, flat: Any, room: float) -> int:
    """Returns the window with gaps whose known numbers go on as the elements do, or -1 if there is none."""
    count = len(flat)
    known = numpy.isfinite(windows)
    some = numpy.flatnonzero(~known.all(axis=1) & (known.sum(axis=1) >= max(FEWEST, (1 - MOST_GAPS) * count)))
    if not len(some) or len(some) * count > MOST_WINDOWS:
        return -1
    known, there = known[some], windows[some]
    wanted = numpy.where(known, flat, numpy.nan)
    with numpy.errstate(all="ignore"):
        levels, own = (
            (one - numpy.nanmean(one, 1, keepdims=True)) / numpy.nanstd(one, 1, keepdims=True)
            for one in (there, wanted)
        )
        apart = abs(levels - own)
    apart = numpy.where(known, numpy.nan_to_num(apart, nan=numpy.inf), 0.0).max(axis=1)
    place = int(apart.argmin())
    return int(some[place]) if apart[place] < room else -1
