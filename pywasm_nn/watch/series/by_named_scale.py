"""A window of a column that was scaled by the mean and deviation of a short file, each of which has its name
there, in a wrong way: exchanged, without brackets, multiplied for divided.

What is here: `by_named_scale`, also of a window with a few other elements beside it. What is not: lines of
several columns (`sheets/by_scaler.py`, `sheets/by_lists.py`), and numbers that stand in no file.

Three things speak together: the window is numbers of one column that follow each other, the file's words say
which number is which, by which the window is usual, and a wrong formula makes just the elements of them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from ...arrays import numpy
from ..origin.runs_of_columns import run_of
from ..regex import regex
from ..sheets.formulas import EXACT, EXCHANGED, MISTAKEN, RIGHTLY
from ..sheets.scaler_files import MIDDLE, WIDTH
from ..surroundings import text_in
from .converted import features
from .lines import columns_of

FEWEST, MOST, MOST_OTHERS, MOST_COLUMNS, MOST_BYTES = 12, 1 << 11, 6, 16, 1 << 13
"""The fewest numbers of a window, the most elements of an input, and of those beside a window; the columns of
a table that are compared, and the bytes of a file that names a mean and a deviation."""
USUAL, LEAST, WIDEST = 3.0, 0.1, 3.0
"""The mean of a window that was scaled rightly, and its least and largest deviation."""
NAMED = regex(r"([A-Za-z_]+)[\"']?\s*[:=,;\t ]\s*([-+]?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?)(?![\w.])", re.ASCII)
"""A word with a number behind it."""
Scale = tuple[str, float, float]
"""A file, a mean and a deviation."""


def by_named_scale(array: Any, files: Sequence[tuple[str, bytes]]) -> tuple[str, str]:
    """Returns the file of a window's column, and what is wrong with how it was scaled, or "" for both if
    nothing is known to be wrong."""
    if array.dtype.kind != "f" or array.dtype.itemsize < 4 or not FEWEST <= array.size <= MOST:
        return "", ""
    scales = [*dict.fromkeys(scales_in(files))]
    windows = [*windows_of(array)] if scales else []
    for columns in columns_of(files) if windows else ():
        for column in columns[:MOST_COLUMNS]:
            for own in windows:
                start = run_of(column.numbers, own)
                there = column.numbers[start : start + len(own)]
                if start < 0 or not numpy.isfinite(there).all():
                    continue
                said = wrongly(there, own, [one for one in scales if one[0] != column.file])
                return (column.file, f"{column.named} {said}") if said else ("", "")
    return "", ""


def windows_of(array: Any) -> Iterator[Any]:
    """Yields what may be a window: the elements of each feature, and, of one line, those beside which a few
    others stand."""
    yield from (one for one in features(array) if len(one) >= FEWEST and one.std() > 0)
    flat = array.reshape(-1).astype("f8")
    for others in range(1, MOST_OTHERS + 1) if array.size == array.shape[-1] else ():
        if len(flat) - others >= max(FEWEST, 2 * others):
            yield from (one for one in (flat[:-others], flat[others:]) if one.std() > 0)


def scales_in(files: Sequence[tuple[str, bytes]]) -> Iterator[Scale]:
    """Yields the means and deviations of files that name just one each, or one each of a thing (`load_mean`,
    `load_std`)."""
    for name, data in files:
        found: dict[tuple[str, bool], list[float]] = {}
        for words, number in NAMED.findall(text_in(data, MOST_BYTES)):
            stem, _, last = words.rstrip("_").rpartition("_")
            if (is_mean := bool(MIDDLE.match(last))) or WIDTH.match(last):
                found.setdefault((stem.lower(), is_mean), []).append(float(number))
        for stem in dict.fromkeys(stem for stem, _ in found):
            means, deviations = (found.get((stem, one), []) for one in (True, False))
            if len(means) == len(deviations) == 1 and deviations[0] > 0:
                yield name, means[0], deviations[0]


def wrongly(there: Any, own: Any, scales: Sequence[Scale]) -> str:
    """Returns by which wrong formula numbers became elements, or "" if by none, or if a usual one of any of
    the scales makes them."""
    if any(is_same(formula(there, *scale[1:]), own) for scale in scales for formula in RIGHTLY[:1]):
        return ""
    for file, mean, deviation in scales:
        right = (there - mean) / deviation
        if abs(right.mean()) > USUAL or not LEAST <= right.std() <= WIDEST:
            continue
        for said, formula in (EXCHANGED | MISTAKEN).items():
            if is_same(formula(there, mean, deviation), own):
                return (
                    f"was {said.replace('the two lists are', 'they are')}, by {file}, which names "
                    f"{mean:g} the mean and {deviation:g} the deviation: the elements are {own.min():.3g} to "
                    f"{own.max():.3g}, and by (x - mean) / deviation they would be {right.min():.2g} to "
                    f"{right.max():.2g}"
                )
    return ""


def is_same(made: Any, own: Any) -> bool:
    """Whether a formula makes these elements."""
    return bool((abs(made - own) <= EXACT * (abs(own) + float(own.std()))).all())
