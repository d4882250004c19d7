"""Windows that were moved, and arrays that were copied or read, by a number of elements where bytes are
counted, or by a number of samples where elements are.

What is here: `moved_in_part`, `copied_in_part`, `read_in_part` and `LinesInPart`.
What is not: bytes of a picture that are copied so (`origin/begun.py`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ...arrays import numpy
from ..origin.raw_places import is_raw
from ..origin.straight import line_of
from ..sheets.sheet import Sheet
from .rings import laid_out

SIZES = (4, 8)
"""Bytes of an element."""
FEWEST = 4
"""Elements that show a mistake, and their different values."""
OF_A_LINE = 8
"""Elements of a line that may be scaled, and others than 0 that must be missing."""
MOST_NUMBERS, MOST_STARTS = 1 << 20, 4
"""Numbers of a table that is searched, and columns at which its lines may begin."""
EXACT, FEWEST_INPUTS = 1e-5, 2
TYPES = ("<f4", "<f8", "<i2")
"""Numbers of a file of samples."""
MOST_CHANNELS = 12


def moved_in_part(before: Any, now: Any) -> str:
    """Returns what is wrong with a window, [samples, channels], that came from the one before, or "" if
    nothing is. Its first elements are those of the other from some sample on, and then none has moved."""
    count, width = before.shape
    old, new = before.reshape(-1), now.reshape(-1)
    for size in SIZES:
        for step in range(1, count):
            whole = (count - step) * width
            part = whole // size
            if part < FEWEST or step * width < FEWEST or whole % size:
                continue
            if new[0] != old[step * width] or new[part] != old[part]:
                continue
            moved, stayed = old[step * width : step * width + whole], old[part:whole]
            if (new[:part] != moved[:part]).any() or (new[part:whole] != stayed).any():
                continue
            if len(numpy.unique(stayed)) >= FEWEST and (stayed != moved[part:]).mean() > 0.5:
                return (
                    f"of {whole:,} elements that the window moves by, only {part:,} came to their new place, "
                    f"1 of {size}, and the others stayed: memmove and memcpy count bytes, {size} for each "
                    "element"
                )
    return ""


def copied_in_part(flat: Any, files: Sequence[tuple[str, bytes]]) -> tuple[str, str]:
    """Returns the file and what is wrong with elements of which the first part alone came from it, or "" for
    both if nothing is known to be wrong."""
    for size in {flat.dtype.itemsize} & {*SIZES}:
        part, rest = divmod(flat.size, size)
        begin = flat[:part]
        if rest or part < FEWEST or flat[part:].any() or len(numpy.unique(begin)) < FEWEST:
            continue
        for name, data in files:
            at = data.find(begin.tobytes())
            more = data[at + part * size : at + flat.nbytes]
            if at >= 0 and len(more) == flat.nbytes - part * size and any(more):
                return name, (
                    f"its first {part:,} of {flat.size:,} elements are those of the file, 1 of {size}, and "
                    f"zeros follow: memcpy and the like count bytes, {size} for each element"
                )
    return "", ""


def read_in_part(array: Any, files: Sequence[tuple[str, bytes]]) -> tuple[str, str]:
    """Returns the file and what is wrong with a window of several channels that holds the first numbers of a
    file alone, scaled or not: as many as it has samples, though the file goes on, and nothing behind them. A
    sample is cut in two by that, which nobody does on purpose; whole ones may be left out to see what they
    are worth."""
    raw: list[tuple[str, bytes]] | None = None
    for rows in laid_out(array) if array.dtype.kind == "f" else ():
        count, width = rows.shape
        flat = rows.reshape(-1)
        if not 1 < width <= MOST_CHANNELS or not count % width or (flat[count:] != flat[-1]).any():
            continue
        if len(numpy.unique(flat[:count])) < FEWEST:
            continue
        raw = [one for one in files if is_raw(one[1])] if raw is None else raw
        for name, data in raw:
            if any(is_begun(flat.astype("f8"), count, data, kind) for kind in TYPES):
                return name, (
                    f"only its first {count:,} numbers are those of the file, which goes on, in the order of "
                    f"{count:,} samples of {width} channels, of which {flat.size:,} are wanted, and the rest "
                    f"was left at 0: does the read count {count:,} numbers in place of samples (fread's size "
                    f"is that of a whole sample, {width} numbers)?"
                )
    return "", ""


def is_begun(flat: Any, count: int, data: bytes, kind: str) -> bool:
    """Whether elements are the first numbers of a file up to a factor and what is added, and behind these
    what becomes of 0."""
    if len(data) < flat.size * numpy.dtype(kind).itemsize:
        return False
    with numpy.errstate(invalid="ignore"):  # bytes that were read as another type
        numbers = numpy.frombuffer(data, kind, flat.size).astype("f8")
    if not numpy.isfinite(numbers).all() or not numpy.count_nonzero(numbers[count:]) > count:
        return False
    filled = numpy.where(numpy.arange(flat.size) < count, numbers, 0.0)
    return line_of(flat, filled, EXACT) is not None


class LinesInPart:
    """Knows inputs that have the first part alone of a line of numbers, by keys that end with an index. A
    guest that asks what a part of a line is worth sends all of it, or other parts, too."""

    def __init__(self) -> None:
        self._found: dict[Any, tuple[str, str]] = {}
        self._begun: dict[Any, set[bytes]] = {}
        self._others: set[Any] = set()
        """Those to which something else was sent."""

    def sent(self, key: Any, flat: Any) -> None:
        """An input was sent, whether or not there is time to look at it."""
        part = flat.size // flat.dtype.itemsize
        begun = self._begun.setdefault(key, set())
        if flat[part:].any():
            self._others.add(key)
        elif len(begun) < FEWEST_INPUTS:
            begun.add(flat[:part].tobytes())

    def set(self, key: Any, flat: Any, sheets: Sequence[Sheet]) -> None:
        """There is time to look at an input."""
        size = flat.dtype.itemsize
        part = flat.size // size
        is_looked_at = size in SIZES and not flat.size % size and part >= OF_A_LINE
        if key in self._found or not is_looked_at or flat[part:].any():
            return
        for sheet in sheets:
            if is_line_begun(flat[:part].astype("f8"), sheet.numbers, size):
                self._found[key] = (
                    sheet.name,
                    f"the first {part:,} of {flat.size:,} elements alone are those of a line, 1 of {size}, "
                    "and zeros follow, as in all inputs: memcpy and the like count bytes, "
                    f"{size} for each element",
                )
                return

    def finish(self) -> Iterator[str]:
        """Yields what is wrong with inputs, when the guest has ended."""
        for key, (name, said) in self._found.items():
            if key not in self._others and len(self._begun.get(key, ())) >= FEWEST_INPUTS:
                yield f"input {key[-1]}: compared with {name}, {said}"


def is_line_begun(begin: Any, numbers: Any, size: int) -> bool:
    """Whether a single line begins with these elements, up to a factor and what is added, and goes on. It has
    `size` times as many."""
    width = len(begin) * size
    own = begin - begin.mean()
    if numbers.size > MOST_NUMBERS or len(numpy.unique(begin)) < FEWEST:
        return False
    for start in range(min(MOST_STARTS, numbers.shape[1] - width + 1)):
        there = numbers[:, start : start + len(begin)]
        apart = there - there.mean(axis=1, keepdims=True)
        with numpy.errstate(all="ignore"):
            factors = apart @ own / (apart * apart).sum(axis=1)
            left = abs(apart * factors[:, None] - own).max(axis=1)
        found = numpy.flatnonzero((left <= EXACT * abs(own).max()) & (factors > 0))
        if len(found) == 1:
            line, factor = int(found[0]), float(factors[found[0]])
            added = float(begin.mean() - factor * there[line].mean())
            rest = numbers[line, start + len(begin) : start + width] * factor + added
            return bool(numpy.count_nonzero(abs(rest) > EXACT) >= OF_A_LINE)
    return False
