"""Lines of a table that were sent as they stand, though a mean and a deviation for each column are there: in
the program itself, or in a file that it can open and never did.

What is here: `Unapplied`. What is not: files of that kind that were read (`sheets.scales`), and models that
say themselves that a scaler is missing (`whatif.scaling`).
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from ...arrays import numpy
from ...interpreter.module import Module
from ..origin.own_numbers import all_constants, constants_in
from ..regex import regex
from ..sheets.scaler_files import lists_of
from ..surroundings import files_in

FEWEST_LINES, FEW_LINES, FEWEST_COLUMNS, MOST_COLUMNS = 5, 2, 4, 64
MOST_CODE = 1 << 23
MOST_DATA, MOST_FILE, MOST_FILES = 1 << 20, 1 << 16, 200
"""Bytes of a program's data and of a file that are looked at, and files."""
SUFFIXES = (".json", ".csv", ".tsv", ".txt", ".yaml", ".yml", ".toml", ".ini", ".cfg")
SAYS_MEAN = regex(r"mean|centre|center|average|\bmu\b", re.IGNORECASE)
SAYS_DEVIATION = regex(r"std|scale|dev|sigma|var", re.IGNORECASE)
"""What stands in a file of means and deviations, or in its name."""
NUMBER = regex(r"(?<![\w.])[-+]?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?(?![\w.])")
WORD = regex(r"[^a-z]+")
"""What is between the words of a name."""
NEAR, USUALLY, WIDER = 3.0, 1.2, 6.0
"""Means of the same columns differ by fewer deviations, usually by this; and deviations by this factor."""
APART = 4096
"""So many numbers lie between means and deviations at most."""
MOST_FOUND = 16


class Unapplied:
    """Gives a sentence where lines come from a table as they are."""

    def __init__(
        self, directories: Sequence[Path] = (), opened: Callable[[], Sequence[Path]] = tuple
    ) -> None:
        """`directories` are those that the guest may open, where the host has them, `opened` gives the files
        that it did open."""
        self._directories, self._opened = directories, opened
        self._module: Module | None = None
        self._done = False

    def attach(self, module: Module) -> None:
        """A guest begins."""
        self._module = module

    def said(self, lines: Any, opened: Sequence[Path], model: Sequence[Path] = ()) -> str:
        """Returns what is wrong if lines, [lines, elements], were sent as they are, or "" if nothing is.
        `opened` are the files that were read, and `model` those that the model came from. Asked once."""
        whole = lines[numpy.isfinite(lines).all(axis=1)]
        if self._done or len(whole) < FEW_LINES or not FEWEST_COLUMNS <= whole.shape[1] <= MOST_COLUMNS:
            return ""
        self._done = True
        if has_rivals(model):
            return ""
        if len(whole) < FEWEST_LINES:
            return self._of_few(whole, opened)
        mean, deviation = whole.mean(axis=0), whole.std(axis=0)
        if not (deviation > 0).all() or is_scaled(mean, deviation):
            return ""
        for path, numbers in self._unread(opened):
            if (found := scaler_in(numbers, mean, deviation)) is not None:
                return never_read(path, *found)
        for numbers in self.own():
            if (found := scaler_in(numbers, mean, deviation)) is not None:
                return (
                    "lines of the table were sent as they stand, though the program has a mean and a "
                    f"deviation for each column among its data {shown(*found)}: are they not applied, or to "
                    "a copy that isn't sent?"
                )
        return ""

    def _of_few(self, lines: Any, opened: Sequence[Path]) -> str:
        """The same for lines that are too few for means and deviations: a file has nothing but two lists."""
        for path, text in self.texts(opened):
            for lists in lists_of([(path.name, text.encode())], lines.shape[1]):
                if lists.is_named and is_measured(lists.means) and lists.fits(lines):
                    return never_read(path, *lists.both)
        return ""

    def own(self) -> Iterator[Any]:
        """The data of the program as floats of both widths."""
        for data in self._module.datas if self._module is not None else ():
            body = bytes(data.init[:MOST_DATA])
            for kind, width in (("<f4", 4), ("<f8", 8)):
                for start in range(0, width, 4):
                    yield numpy.frombuffer(body[start : start + (len(body) - start) // width * width], kind)

    def _unread(self, opened: Sequence[Path]) -> Iterator[tuple[Path, Any]]:
        """Numbers of texts in the guest's directories that it did not open, and that name a mean and a
        deviation."""
        for path, text in self.texts(opened):
            if SAYS_MEAN.search(text) and SAYS_DEVIATION.search(text):
                yield path, numpy.array([float(one) for one in NUMBER.findall(text)])

    def numbers(self) -> Iterator[Any]:
        """The same, and the floats of its instructions: small arrays often become such."""
        yield from self.own()
        if self._module is not None:
            yield from constants_in(bytes(self._module.data[:MOST_CODE]))

    def constants(self) -> Any:
        """All floats of its instructions, in their order, however many digits they have."""
        code = bytes(self._module.data[:MOST_CODE]) if self._module is not None else b""
        return all_constants(code)

    def every(self) -> Any:
        """All different floats of its instructions and data."""
        known = (numbers[numpy.isfinite(numbers)].astype("f8") for numbers in self.own())
        return numpy.unique(numpy.concatenate([self.constants(), *known]))

    def unread(self) -> Iterator[tuple[str, bytes]]:
        """The names and bytes of those texts."""
        return ((path.name, text.encode()) for path, text in self.texts(self._opened()))

    def texts(self, opened: Sequence[Path]) -> Iterator[tuple[Path, str]]:
        """Texts in the guest's directories that it did not open."""
        known = {os.path.realpath(one) for one in opened}
        for path in islice((one for folder in self._directories for one in files_in(folder)), MOST_FILES):
            if path.suffix.lower() not in SUFFIXES or os.path.realpath(path) in known:
                continue
            try:
                yield path, path.read_text("utf-8") if path.stat().st_size <= MOST_FILE else ""
            except (OSError, ValueError):
                continue


def has_rivals(model: Sequence[Path]) -> bool:
    """Whether another model in that folder begins with the same word (`house_raw`, `house_scaled`): what is
    never read may be for that one."""
    for path in model[:1]:
        word, others = WORD.split(path.stem.lower())[0], islice(files_in(path.parent), MOST_FILES)
        return any(
            one.suffix == path.suffix and one.stem != path.stem and WORD.split(one.stem.lower())[0] == word
            for one in others
        )
    return False


def never_read(path: Path, mean: Any, deviation: Any) -> str:
    return (
        f"lines of the table were sent as they stand, and {path.name}, which has a mean and a deviation for "
        f"each column {shown(mean, deviation)}, was never read: was the scaler forgotten?"
    )


def is_scaled(mean: Any, deviation: Any) -> bool:
    """Whether columns of a file were scaled before."""
    return bool((abs(mean) < deviation).all() and (deviation < 2).all())


def scaler_in(numbers: Any, mean: Any, deviation: Any) -> tuple[Any, Any] | None:
    """Returns the means and deviations of columns among numbers, one after the other or in turns, or None if
    there are none."""
    count = len(mean)
    for step in (1, 2):
        span = (count - 1) * step + 1
        if len(numbers) < span:
            continue
        runs = numpy.lib.stride_tricks.sliding_window_view(numbers, span)[:, ::step]
        with numpy.errstate(all="ignore"):
            wide = (runs * WIDER > deviation) & (runs < WIDER * deviation)
            for at in numpy.flatnonzero(wide.all(axis=1))[:MOST_FOUND].tolist():
                if not is_measured(runs[at]):
                    continue
                low = max(0, at - APART)
                off = abs(runs[low : at + APART] - mean) / runs[at]
                fits = (off < NEAR).all(axis=1) & (numpy.median(off, axis=1) < USUALLY)
                for place in (low + numpy.flatnonzero(fits)).tolist():
                    if is_measured(runs[place]) and is_apart(at, place, span, step):
                        return runs[place], runs[at]
    return None


def is_apart(one: int, other: int, span: int, step: int) -> bool:
    """Whether two runs of numbers have no number in common."""
    return abs(one - other) >= span or (step > 1 and (one - other) % step != 0)


def is_measured(numbers: Any) -> bool:
    """Whether numbers were worked out: they differ, and most have decimals."""
    return len({*numbers.tolist()}) == len(numbers) and bool((numbers != numbers.round()).mean() > 0.5)


def shown(mean: Any, deviation: Any) -> str:
    """ "(5.843, 3.057 ... and 0.8253, 0.4344 ...)"."""
    first, second = (", ".join(f"{one:.4g}" for one in numbers[:2]) for numbers in (mean, deviation))
    return f"({first} ... and {second} ...)"
