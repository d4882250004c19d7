"""Windows that are the beginning of files with just several times as many lines, as at a higher rate.

What is here: `Decimated`, windows of which each file's second line (or third ...) alone is taken, and
`decimated`, which finds them. What is not: asking a model about them (`sensors.py`), and sounds
(`at_rates.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...arrays import numpy
from ...records import Frozen
from ..sheets.rows import straight
from ..sheets.sheet import sheet_of

MOST_TIMES = 10
"""Files have so many times the lines of a window at most."""


class Decimated(Frozen):
    """Windows at a lower rate: how many times as many lines their files have, and each with what was sent."""

    times: int
    pairs: Sequence[tuple[Any, Any]]

    def of(self, rows: Any) -> Any:
        """Returns a window, [steps, axes], at the lower rate."""
        return next(
            made for sent, made in self.pairs if sent.shape == rows.shape and bool((sent == rows).all())
        )


def decimated(windows: Sequence[Any], files: Sequence[tuple[str, bytes]]) -> Decimated | None:
    """Returns windows, [steps, axes], at a lower rate if each is the beginning of another file, and all of
    these have the same number of times as many lines, or None if not."""
    found, names = [], set()
    for rows in windows:
        made = next(
            ((name, one) for name, data in files if (one := of_file(name, data, rows)) is not None), None
        )
        if made is None or made[0] in names:
            return None
        names.add(made[0])
        found.append(made[1])
    times = {one[0] for one in found}
    if len(times) != 1:
        return None
    return Decimated(times.pop(), [(rows, one[1]) for rows, one in zip(windows, found, strict=True)])


def of_file(name: str, data: bytes, rows: Any) -> tuple[int, Any] | None:
    """Returns how many times as many lines a file has as a window that it begins with, and the window at the
    lower rate, or None if it doesn't begin so."""
    sheet, steps = sheet_of(name, data), len(rows)
    if sheet is None:
        return None
    times, rest = divmod(len(sheet.rows), steps)
    if rest or not 1 < times <= MOST_TIMES:
        return None
    found = straight(rows, sheet.numbers[:steps])
    if not found.fits.any(axis=1).all():
        return None
    columns = found.fits.argmax(axis=1)
    places = numpy.arange(len(columns)), columns
    made = sheet.numbers[::times, columns] * found.slopes[places] + found.heights[places]
    return (times, made) if numpy.isfinite(made).all() else None
