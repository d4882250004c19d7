"""A window of a table's column, or a batch of its lines, that was scaled by its own mean and deviation, or by
its own ends, though a file has those of the column.

What is here: `OwnScale`, which follows lines that are sent one by one, and `by_itself`. What is not: lines of
which each was scaled by itself (`origin.lined`), and lines that were not scaled (`unapplied.py`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from ...arrays import numpy
from ...nn.tensor import Tensor
from ...records import Frozen
from ..amounts.scales import Scale, named_scales
from ..regex import regex
from ..series.rings import laid_out
from ..sheets.scaler_files import lists_of
from ..sheets.sheet import Sheet, sheet_of

FEWEST, MOST, DIFFERENT = 8, 4096, 6
"""Elements of a window, and different ones among them."""
FEWEST_LINES, FEWEST_COLUMNS, MOST_LINES = 3, 3, 64
"""Lines of which all columns are scaled so, their columns, and lines that are sent one by one at most."""
EXACT = 1e-3
"""How far the mean of a window is from 0, and its deviation from 1."""
APART, WIDER, FAR = 0.2, 1.25, 4.0
"""The column's mean and deviation are others by so many deviations, or by such a factor; and a mean that is
farther away is that of something else."""
MANY = 0.25
"""At least so many of a batch's columns were scaled by others than the file's: some are alike by chance."""
RANGES = regex(r"min|max|range|bound|limit", re.IGNORECASE)
"""What a file of ends, or its name, says."""
Own = tuple[str, float, float]
"""The heading of a column, and what a part of it was lessened and divided by."""


class Way(Frozen):
    """A way to scale: what of a part of a column is taken away, and by what it is divided; and by which
    factor this is another one than of the whole column at most, in half of the columns."""

    said: str
    numbers: Callable[[Any], tuple[float, float]]
    most: float


MEANS = Way("mean and deviation", lambda part: (float(part.mean()), float(part.std())), 2.0)
ENDS = Way("smallest number and range", lambda part: (float(part.min()), float(numpy.ptp(part))), 4.0)


class OwnScale:
    """Gives sentences after inputs."""

    def __init__(self) -> None:
        self._lines: dict[Any, list[Any]] = {}
        """By input, the lines that were sent one by one."""

    def wrong(
        self,
        key: Any,
        tensor: Tensor,
        files: Sequence[tuple[str, bytes]],
        unread: Callable[[], Iterable[tuple[Path, str]]],
    ) -> str:
        """Returns what is wrong with an input and those before it, or "" if nothing is known to be. `unread`
        gives texts that the guest could have read."""
        numbers = tensor.numbers()
        if numbers is None or numbers.dtype.kind != "f" or not FEWEST_COLUMNS <= numbers.size <= MOST:
            return ""
        array = numbers.reshape(tensor.shape).astype("f8")
        if numbers.size != tensor.shape[-1]:
            return by_itself(array, files, unread)
        kept = self._lines.setdefault((key, numbers.size), [])
        kept.append(array.reshape(-1))
        del kept[: -MOST_LINES - 1]
        lines = numpy.stack(kept) if FEWEST_LINES <= len(kept) <= MOST_LINES else None
        is_own = lines is not None and of_lines(without_kinds(lines)) is not None
        if lines is not None and is_own:  # seldom so: only then files are read
            sheets = [sheet_of(name, data) for name, data in files]
            if any(sheet is not None and len(sheet.rows) == len(kept) for sheet in sheets):
                return by_itself(lines, files, unread)
        return by_itself(array, files, unread)


def by_itself(
    array: Any,
    files: Sequence[tuple[str, bytes]],
    unread: Callable[[], Iterable[tuple[Path, str]]],
) -> str:
    """Returns what is wrong with a window, or with lines, that were scaled so, or "" if nothing is."""
    if array.size < FEWEST:
        return ""
    array = array if of_lines(array) is not None else without_kinds(array)
    own = next((one[:, 0] for one in laid_out(array) if all(map(is_standard, one.T))), None)
    way = MEANS if own is not None else of_lines(array)
    if way is None:
        return ""
    sheets = [sheet for name, data in files if (sheet := sheet_of(name, data)) is not None]
    for sheet in sheets:
        known = lines_in(array, sheet, way) if own is None else [*filter(None, [window_in(own, sheet, way)])]
        if not known:
            continue
        later = ((path.name, text.encode()) for path, text in unread())
        for is_read, texts in ((True, files), (False, later)):
            for file in texts:
                if (other := others_of(known, file, way)) is not None:
                    heading = f'"{other[0][0]}"'
                    is_window = own is not None
                    what = f"the window of {heading}" if is_window else f"{heading} in the {len(array)} lines"
                    what = f"compared with {sheet.name}, {what} was scaled by its own {way.said}"
                    return sentence(what, *other, is_read=is_read)
    return ""


def others_of(found: Sequence[Own], file: tuple[str, bytes], way: Way) -> tuple[Own, Scale] | None:
    """Returns a column with the scale that a file has for it, if the file has one for all columns, many of
    which were scaled otherwise, or None if it has not."""
    scales: list[Scale | None] = [scale_of(heading, file) for heading, *_ in found]
    if len(found) >= FEWEST_COLUMNS and not any(scales):
        scales = [*by_place(found, file, way)]
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


def without_kinds(array: Any) -> Any:
    """A batch of lines without the columns of zeros and ones: kinds and switches, which nobody scales;
    as it is if nothing else is left, or if it is no such batch."""
    if array.ndim != 2 or array.shape[0] < FEWEST_LINES:
        return array
    left = array[:, ~((array == 0) | (array == 1)).all(axis=0)]
    return left if left.shape[1] >= FEWEST_COLUMNS else array


def of_lines(array: Any) -> Way | None:
    """The way in which all columns of a batch of lines are scaled by themselves, or None if they aren't."""
    if array.ndim != 2 or array.shape[0] < FEWEST_LINES or array.shape[1] < FEWEST_COLUMNS:
        return None
    if all(map(is_one, array.T)):
        return MEANS
    is_filled = bool((abs(array.min(axis=0)) < EXACT).all() and (abs(array.max(axis=0) - 1) < EXACT).all())
    return ENDS if is_filled else None


def lines_in(array: Any, sheet: Sheet, way: Way) -> list[Own]:
    """Returns what `window_in` says of each column of a batch, or [] if not all are columns of a table, in
    their order."""
    found = [one for own in array.T if (one := window_in(own, sheet, way)) is not None]
    names = [name for name, *_ in found]
    is_whole = len(found) == array.shape[1] == len({*names})
    return found if is_whole and sorted(names, key=names_of(sheet).index) == names else []


def sentence(what: str, found: Own, scale: Scale, *, is_read: bool) -> str:
    """The mistake in words."""
    _, centre, width = found
    never = "" if is_read else ", which was never read,"
    return (
        f"{what} ({centre:.4g} and {width:.4g}), so that its height is lost; {scale.file}{never} has "
        f"{scale.centre:g} and {scale.width:g} for {scale.name}"
    )


def names_of(sheet: Sheet) -> Sequence[str]:
    """The headings of a table, or numbers from 1 for them."""
    return sheet.headings or [f"column {at + 1}" for at in range(sheet.numbers.shape[1])]


def window_in(own: Any, sheet: Sheet, way: Way) -> Own | None:
    """The heading of the column of which a window is a part, scaled by itself, and what it was scaled by."""
    count = len(own)
    centre, width = way.numbers(own)
    for column, heading in enumerate(names_of(sheet)):
        numbers = sheet.numbers[:, column]
        for start in range(len(numbers) - count + 1):
            taken, divided = way.numbers(part := numbers[start : start + count])
            if divided > 0 and abs((part - taken) / divided * width + centre - own).max() < EXACT:
                return heading, taken, divided
    return None


def scale_of(heading: str, file: tuple[str, bytes]) -> Scale | None:
    """The mean and the deviation that a file has for a column by its name."""
    wanted = heading.strip().lower()
    return next((one for one in named_scales([file]) if one.name.strip().lower() == wanted), None)


def by_place(found: Sequence[Own], file: tuple[str, bytes], way: Way) -> Sequence[Scale]:
    """The scales of a file that says by its name or words that it has nothing but these, one for each column
    in their order, or () if they aren't those of such columns."""
    name, data = file
    is_named = RANGES.search(name) or RANGES.search(data.decode("utf-8", "replace"))
    centres, widths = (numpy.array([one[at] for one in found]) for at in (1, 2))
    for one in lists_of([file], len(found)):
        divided = one.deviations if way is MEANS else one.deviations - one.means
        if not (one.is_named or (way is ENDS and is_named)) or not (divided > 0).all():
            continue
        away = abs(centres - one.means) / divided
        wider = abs(numpy.log(widths / divided))
        if away.max() < FAR and numpy.median(wider) < numpy.log(way.most):
            numbers = zip(found, one.means.tolist(), divided.tolist(), strict=True)
            return [Scale(name, f'"{own[0]}"', centre, width) for own, centre, width in numbers]
    return ()


def is_another(scale: Scale, mean: float, deviation: float) -> bool:
    """Whether the mean and the deviation of a column are others than those of a window of it."""
    away = abs(mean - scale.centre) / scale.width
    return away < FAR and (away > APART or not 1 / WIDER < deviation / scale.width < WIDER)
