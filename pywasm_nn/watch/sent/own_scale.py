"""A window of a table's column that was scaled by its own mean and deviation, though a file has those of the
column.

What is here: `by_itself`. What is not: lines of which each was scaled by itself (`origin.lined`), and lines
that were not scaled (`unapplied.py`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from ...arrays import numpy
from ...nn.tensor import Tensor
from ..amounts.scales import Scale, named_scales
from ..series.rings import laid_out
from ..sheets.sheet import Sheet, sheet_of

FEWEST, MOST, DIFFERENT = 8, 4096, 6
"""Elements of a window, and different ones among them."""
EXACT = 1e-3
"""How far the mean of a window is from 0, and its deviation from 1."""
APART, WIDER, FAR = 0.2, 1.25, 4.0
"""The column's mean and deviation are others by so many deviations, or by such a factor; and a mean that is
farther away is that of something else."""


def by_itself(tensor: Tensor, files: Sequence[tuple[str, bytes]], unread: Iterable[tuple[Path, str]]) -> str:
    """Returns what is wrong with a window that was scaled so, or "" if nothing is. `unread` are texts that
    the guest could have read."""
    numbers = tensor.numbers()
    if numbers is None or numbers.dtype.kind != "f" or not FEWEST <= numbers.size <= MOST:
        return ""
    windows = [one.astype("f8") for one in laid_out(numbers.reshape(tensor.shape))]
    own = next((one[:, 0] for one in windows if all(map(is_standard, one.T))), None)
    if own is None:
        return ""
    sheets = [sheet for name, data in files if (sheet := sheet_of(name, data)) is not None]
    for sheet in sheets:
        found = window_in(own, sheet)
        if found is None:
            continue
        heading, mean, deviation = found
        later = ((path.name, text.encode()) for path, text in unread)
        for is_read, texts in ((True, files), (False, later)):
            for file in texts:
                scale = scale_of(heading, file)
                if scale is not None and is_another(scale, mean, deviation):
                    return sentence(sheet, found, scale, is_read=is_read)
    return ""


def is_standard(own: Any) -> bool:
    """Whether the mean of a column is 0, and its deviation 1."""
    is_one = abs(own.mean()) < EXACT and any(abs(own.std(ddof=by) - 1) < EXACT for by in (0, 1))
    return is_one and len(own) >= FEWEST and len(numpy.unique(own)) >= DIFFERENT


def sentence(sheet: Sheet, found: tuple[str, float, float], scale: Scale, *, is_read: bool) -> str:
    """The mistake in words."""
    heading, mean, deviation = found
    never = "" if is_read else ", which was never read,"
    return (
        f'compared with {sheet.name}, the window of "{heading}" was scaled by its own mean and deviation '
        f"({mean:.4g} and {deviation:.4g}), so that its height is lost; {scale.file}{never} has "
        f"{scale.centre:g} and {scale.width:g} for {scale.name}"
    )


def window_in(own: Any, sheet: Sheet) -> tuple[str, float, float] | None:
    """The heading of the column of which a window is a part, scaled by itself, and what it was scaled by."""
    count = len(own)
    for column, heading in enumerate(sheet.headings):
        numbers = sheet.numbers[:, column]
        for start in range(len(numbers) - count + 1):
            part = numbers[start : start + count]
            mean, deviation = float(part.mean()), float(part.std())
            if deviation > 0 and abs((part - mean) / deviation * own.std() - own).max() < EXACT:
                return heading, mean, deviation
    return None


def scale_of(heading: str, file: tuple[str, bytes]) -> Scale | None:
    """The mean and the deviation that a file has for a column by its name."""
    wanted = heading.strip().lower()
    return next((one for one in named_scales([file]) if one.name.strip().lower() == wanted), None)


def is_another(scale: Scale, mean: float, deviation: float) -> bool:
    """Whether the mean and the deviation of a column are others than those of a window of it."""
    away = abs(mean - scale.centre) / scale.width
    return away < FAR and (away > APART or not 1 / WIDER < deviation / scale.width < WIDER)
