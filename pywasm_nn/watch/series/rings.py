"""A ring of samples that is sent as it lies in memory, and not from its oldest sample on.

What is here: `turned_ring`, and `Rings`, for windows that are turned only after a while. The samples of a
window are those of a part of a table, turned round by some places, and of no part as it is.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence, Set
from typing import Any

from ...arrays import numpy
from ...records import Frozen
from ..origin.tables import MOST_TEXT, table_in

FEWEST, MOST = 8, 512
"""Samples of a window."""
MOST_NUMBERS = 1 << 17
"""Of all windows of a column."""
SEVERAL = 3
"""So many windows were sent before the last one is compared."""
ALIKE = 0.99995
"""The correlation of samples with those of a table."""
NEAR = 0.003
"""How far the samples of a turned window are from a line over those of the table, in parts of their
deviation: a forecast in place of one of them is farther."""
MOST_COLUMNS = 12
SIZES = (4, 8)
"""Bytes of an element."""


class Window(Frozen):
    """Where a window begins in a table, and by how many places it is turned."""

    start: int
    turned: int


def laid_out(array: Any) -> Iterator[Any]:
    """The elements of a window as [samples, channels], whichever the shape puts first."""
    lengths = [length for length in array.shape if length != 1] or [1]
    if len(lengths) == 1:
        yield array.reshape(-1, 1)
    elif len(lengths) == 2:
        plain = array.reshape(lengths)
        yield from (one for one in (plain, plain.T) if len(one) >= FEWEST and one.shape[1] <= MOST_COLUMNS)


def level(rows: Any, axis: int) -> Any:
    """Returns numbers around 0, of length 1 along an axis, or 0 where all are equal."""
    own = rows - rows.mean(axis=axis, keepdims=True)
    length = numpy.linalg.norm(own, axis=axis, keepdims=True)
    return own / numpy.where(length > 0, length, numpy.inf)


def window_of(samples: Any, numbers: Any) -> Window | None:
    """Returns where samples, [samples, channels], lie in a table's columns, perhaps turned, or None if they
    don't, or if that is not certain. A table that repeats itself may have them in several places, for which
    the ring begins at the same sample."""
    count = len(samples)
    if not FEWEST <= count <= min(MOST, len(numbers)) or numbers.shape[1] > MOST_COLUMNS:
        return None
    if any(len(numpy.unique(one)) < FEWEST for one in samples.T):
        return None
    found: set[tuple[int, int]] | None = None
    own = numpy.fft.rfft(level(samples, 0), axis=0)
    likes = []
    for column in numbers.T:
        windows = numpy.lib.stride_tricks.sliding_window_view(column, count)[: MOST_NUMBERS // count]
        likes.append(numpy.fft.rfft(level(windows, 1), axis=1))
    for channel in own.T:
        places: set[tuple[int, int]] = set()
        for one in likes:
            like = numpy.fft.irfft(one.conj() * channel, count, axis=1)
            places |= {(int(start), int(by)) for start, by in numpy.argwhere(like > ALIKE)[:MOST]}
        found = places if found is None else found & places
        if not found:
            return None
    plain = [one for one in found or () if not one[1]]
    if plain:
        return Window(*plain[0])
    if len({(start - by) % count for start, by in found or ()}) != 1:
        return None
    turned = (Window(*one) for one in sorted(found or ()))
    return next((one for one in turned if are_all_there(samples, numbers, one)), None)


def are_all_there(samples: Any, numbers: Any, window: Window) -> bool:
    """Whether each sample of each channel lies on a line over the turned window of some column."""
    there = numpy.roll(numbers[window.start : window.start + len(samples)], window.turned, axis=0)
    own, others = level(samples, 0), level(there, 0)
    room = NEAR / len(samples) ** 0.5  # what `level` makes of NEAR deviations
    apart = abs(own[:, :, None] - others[:, None, :]).max(axis=0)
    return bool((apart.min(axis=1) <= room).all())


def turned_ring(windows: Sequence[Window | None], count: int) -> str:
    """Returns what is wrong with the last of some windows, or "" if nothing is. The first samples of a table
    fill a ring from its beginning on: turned round, they come of a table that was read twice, end to end."""
    last = windows[-1] if windows else None
    if last is None or not last.turned or not last.start:
        return ""
    newest = last.start + count
    return (
        f"its {count} samples are numbers {last.start + 1} to {newest} of a column, but begin with number "
        f"{newest - last.turned + 1}, and number {last.start + 1} follows the newest: a ring was sent as it "
        "lies; it has to begin with its oldest sample"
    )


def turned_in_column(array: Any, files: Sequence[tuple[str, bytes]]) -> tuple[str, str]:
    """Returns a file that has one column and no headings, and what is wrong with a window of it, each "" if
    nothing is."""
    for name, data in files:
        table = table_in(data) if 2 * FEWEST <= len(data) <= MOST_TEXT else None
        if table is None or table.numbers.shape[1] != 1:
            continue
        for samples in laid_out(array):
            found = window_of(samples, table.numbers) if samples.shape[1] == 1 else None
            if found is not None:
                return name, turned_ring([found], len(samples))
    return "", ""


class Rings:
    """Keeps the last window of each input, by keys that end with an index: a ring that is sent as it lies
    shows when it has gone round, and the first windows of a guest are not turned."""

    def __init__(self) -> None:
        self._last: dict[Any, Any] = {}
        self._sent: Counter[Any] = Counter()

    def sent(self, key: Any, array: Any) -> None:
        """A window of floats was sent."""
        if FEWEST <= array.size == max(array.shape) <= MOST:
            self._last[key] = array.copy()
            self._sent[key] += 1

    def finish(self, files: Sequence[tuple[str, bytes]], done: Set[Any]) -> Iterator[str]:
        """Yields what is wrong with the last windows of inputs of which nothing is said yet."""
        for key, array in self._last.items():
            name, said = turned_in_column(array, files) if key not in done else ("", "")
            if said and self._sent[key] >= SEVERAL:
                yield f"input {key[-1]}: compared with {name}, {said}"


def too_far_apart(windows: Sequence[Window | None], count: int, length: int) -> str:
    """Returns a hint about windows that begin as many times their length apart as an element has bytes, until
    nothing of the table is left, or "" if they don't."""
    known = [one.start for one in windows if one is not None]
    if len(windows) != len(known) + 1 or windows[-1] is not None or len(known) < 2:
        return ""
    for size in SIZES:
        step = size * count
        if known == [step * at for at in range(len(known))] and step * len(known) + count > length:
            return (
                f"windows of {count} samples begin {step} samples apart, {size} times their length, until "
                f"one lies behind the last of {length} samples: was a number of bytes (sizeof) added to a "
                "pointer to elements?"
            )
    return ""
