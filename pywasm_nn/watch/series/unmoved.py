"""Sliding windows whose older samples never move: the newest ones come behind those of the beginning.

What is here: `Unmoved`. What is not: windows of which a part alone was moved (`moves.py`), and rings.

Two signs are needed: the first window goes on as the file does, so that its first part is older and not
another thing; and the part behind it is the file's next samples in each window, while the first one stays.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...arrays import numpy
from ..origin.raw_places import is_telling, places
from ..origin.straight import line_through
from .rings import laid_out
from .torn import series_in

FEWEST, WINDOWS, MOST_SAMPLES = 16, 4, 1 << 12
"""The fewest and most samples of a window, and the windows that are compared."""
LEAST, MOST = 0.25, 0.875
"""Which part of a window stays, at least and at most: windows overlap by as much."""
NEAR = 1e-4
"""How far samples may be from those of the file, as a part of their range."""


class Unmoved:
    """Gives a sentence after inputs."""

    def __init__(self) -> None:
        self._kept: dict[Any, list[Any]] = {}

    def set(self, key: Any, array: Any, files: Sequence[tuple[str, bytes]]) -> tuple[str, str]:
        """Returns a file and what is wrong with the first windows of it, each "" if nothing is."""
        kept = self._kept.setdefault((key, array.shape), [])
        if len(kept) >= WINDOWS or not FEWEST <= max(array.shape, default=0) <= MOST_SAMPLES:
            return "", ""
        kept.append(array.astype("f8"))
        for several in zip(*map(laid_out, kept), strict=True) if len(kept) == WINDOWS else ():
            stays = staying(several)
            for name, _, numbers in series_in(files) if stays else ():
                with numpy.errstate(all="ignore"):  # bytes that are no floats
                    if goes_on(several, stays, numbers.astype("f8")):
                        return name, told(stays, len(several[0]))
        return "", ""


def told(stays: int, count: int) -> str:
    return (
        f"the first {stays} of its {count} samples are those of its beginning in each of {WINDOWS} windows, "
        f"and the {count - stays} behind them the next ones: are the older samples to be moved to the front "
        "before new ones come?"
    )


def staying(several: Sequence[Any]) -> int:
    """Returns how many samples at the beginning of windows, [samples, channels], are the same in all of them,
    while all behind are others in each, or 0 if that is no part of a usual size. Of one channel with two
    halves the first may be something else on purpose, such as what is normal."""
    first, others = several[0], several[1:]
    same = numpy.logical_and.reduce([(one == first).all(axis=1) for one in others])
    stays = len(same) if same.all() else int(same.argmin())
    count, channels = first.shape
    newer = [one[stays:] for one in several]
    is_usual = LEAST * count <= stays <= MOST * count and (channels > 1 or 2 * stays > count)
    if not is_usual or not all(is_telling(one[:, 0]) for one in (first[:stays], *newer)):
        return 0
    differ = all((one != other).any() for at, one in enumerate(newer) for other in newer[:at])
    return stays if differ else 0


def goes_on(several: Sequence[Any], stays: int, numbers: Any) -> bool:
    """Whether the first column of the first window goes on as a series of numbers does, and all newer parts
    behind one another do."""
    count, channels = several[0].shape
    whole = numpy.concatenate([several[0][:, 0], *(one[stays:, 0] for one in several[1:])])
    own = several[0][:, 0]
    for apart in {1, channels}:
        for at, _ in places(own, numbers, apart):
            there = numbers[at::apart][: len(whole)]
            slope, height = line_through(there[:count], own)
            if len(there) == len(whole) and bool(
                (abs(slope * there + height - whole) <= NEAR * numpy.ptp(own)).all()
            ):
                return True
    return False
