"""A window of a table's column, or a batch of its lines, that was scaled by its own mean and deviation,
though a file has those of the column.

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
from ..sheets.scaler_files import lists_of
from ..sheets.sheet import Sheet, sheet_of

FEWEST, MOST, DIFFERENT = 8, 4096, 6
"""Elements of a window, and different ones among them."""
FEWEST_LINES, FEWEST_COLUMNS = 5, 3
"""Lines of a batch of which all columns are scaled so, and its columns."""
EXACT = 1e-3
"""How far the mean of a window is from 0, and its deviation from 1."""
APART, WIDER, FAR = 0.2, 1.25, 4.0
"""The column's mean and deviation are others by so many deviations, or by such a factor; and a mean that is
farther away is that of something else."""
TWICE = 2.0
"""The deviations in a file are within this factor of those of the columns, half of them."""
MANY = 0.25
"""At least so many of a batch's columns were scaled by others than the file's: some are alike by chance."""
Own = tuple[str, float, float]
"""The heading of a column, and the mean and deviation of a part of it."""


def by_itself(tensor: Tensor, files: Sequence[tuple[str, bytes]], unread: Iterable[tuple[Path, str]]) -> str:
    """Returns what is wrong with a window that was scaled so, or "" if nothing is. `unread` are texts that
    the guest could have read."""
    numbers = tensor.numbers()
    if numbers is None or numbers.dtype.kind != "f" or not FEWEST <= numbers.size <= MOST:
        return ""
    array = numbers.reshape(tensor.shape).astype("f8")
    own = next((one[:, 0] for one in laid_out(array) if all(map(is_standard, one.T))), None)
    is_batch = own is None and of_lines(array)
    if own is None and not is_batch:
        return ""
    sheets = [sheet for name, data in files if (sheet := sheet_of(name, data)) is not None]
    for sheet in sheets:
        known = lines_in(array, sheet) if is_batch else [*filter(None, [window_in(own, sheet)])]
        if not known:
            continue
        later = ((path.name, text.encode()) for path, text in unread)
        for is_read, texts in ((True, files), (False, later)):
            for file in texts:
                if (other := others_of(known, file)) is not None:
                    heading = f'"{other[0][0]}"'
                    what = f"{heading} in the {len(array)} lines" if is_batch else f"the window of {heading}"
                    return sentence(f"compared with {sheet.name}, {what}", *other, is_read=is_read)
    return ""


def others_of(found: Sequence[Own], file: tuple[str, bytes]) -> tuple[Own, Scale] | None:
    """Returns a column with the scale that a file has for it, if the file has one for all columns, many of
    which were scaled otherwise, or None if it has not."""
    scales: list[Scale | None] = [scale_of(heading, file) for heading, *_ in found]
    if len(found) >= FEWEST_COLUMNS and not any(scales):
        scales = [*by_place(found, file)]
    pairs = [(own, scale) for own, scale in zip(found, scales, strict=False) if scale is not None]
    differ = [(own, scale) for own, scale in pairs if is_another(scale, *own[1:])]
    if len(pairs) < len(found) or len(differ) < MANY * len(found):
        return None
    return differ[0]


def is_standard(own: Any) -> bool:
    """Whether the mean of a column is 0, and its deviation 1."""
    return is_one(own) and len(own) >= FEWEST and len(numpy.unique(own)) >= DIFFERENT


def is_one(own: Any) -> bool:
    """The same of any column of numbers that differ."""
    return abs(own.mean()) < EXACT and any(abs(own.std(ddof=by) - 1) < EXACT for by in (0, 1))


def of_lines(array: Any) -> bool:
    """Whether all columns of a batch of lines are scaled so that their mean is 0, and their deviation 1."""
    if array.ndim != 2 or array.shape[0] < FEWEST_LINES or array.shape[1] < FEWEST_COLUMNS:
        return False
    return all(map(is_one, array.T))


def lines_in(array: Any, sheet: Sheet) -> list[Own]:
    """Returns what `window_in` says of each column of a batch, or [] if not all are columns of a table, in
    their order."""
    found = [one for own in array.T if (one := window_in(own, sheet)) is not None]
    headings = [heading for heading, *_ in found]
    is_whole = len(found) == array.shape[1] == len({*headings})
    return found if is_whole and sorted(headings, key=sheet.headings.index) == headings else []


def sentence(what: str, found: Own, scale: Scale, *, is_read: bool) -> str:
    """The mistake in words."""
    _, mean, deviation = found
    never = "" if is_read else ", which was never read,"
    return (
        f"{what} was scaled by its own mean and deviation ({mean:.4g} and {deviation:.4g}), so that its "
        f"height is lost; {scale.file}{never} has {scale.centre:g} and {scale.width:g} for {scale.name}"
    )


def window_in(own: Any, sheet: Sheet) -> Own | None:
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


def by_place(found: Sequence[Own], file: tuple[str, bytes]) -> Sequence[Scale]:
    """The means and deviations of a file that says by its name that it has nothing but these, one for each
    column in their order, or () if they aren't those of such columns."""
    means, deviations = (numpy.array([one[at] for one in found]) for at in (1, 2))
    for one in lists_of([file], len(found)):
        if not one.is_named or not (one.deviations > 0).all():
            continue
        away = abs(means - one.means) / one.deviations
        wider = abs(numpy.log(deviations / one.deviations))
        if away.max() < FAR and numpy.median(wider) < numpy.log(TWICE):
            numbers = zip(found, one.means.tolist(), one.deviations.tolist(), strict=True)
            return [Scale(file[0], f'"{own[0]}"', mean, deviation) for own, mean, deviation in numbers]
    return ()


def is_another(scale: Scale, mean: float, deviation: float) -> bool:
    """Whether the mean and the deviation of a column are others than those of a window of it."""
    away = abs(mean - scale.centre) / scale.width
    return away < FAR and (away > APART or not 1 / WIDER < deviation / scale.width < WIDER)
