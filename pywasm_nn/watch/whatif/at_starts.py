"""Asks a model about windows of a series that follow each other, where a guest's begin elsewhere: at a step
that isn't their length, so that the series' end is never sent, or from another number than the first one.

What is here: `Starts`, which keeps where a guest's windows begin, with the answers to them, and
`asked_at_others`. What is not: windows whose places alone are wrong (`series.near`).

A guest may look at windows that overlap. So two signs are needed: windows that follow each other take up the
series exactly, and those as sent don't; and the model has no doubt of the first ones, and is lost among the
others where they run from one into the next.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from ...arrays import numpy
from ...nn.backend import Graph
from ...nn.tensor import Tensor, TensorSpec
from ...records import Frozen
from ..origin.runs_of_columns import CLOSE, nearest
from ..origin.tables import table_in
from ..surroundings import Files
from .asking import MOST, Runs
from .oddly_scaled import Row, rows_of
from .sureness import OVERSURE, Answer, mean

FEWEST, ENOUGH = 4, 8
"""The fewest windows that a series has, and those that the model is asked about."""
SHORTEST, LONGEST, MOST_FILE, MOST_NUMBERS = 16, 1 << 11, 1 << 18, 1 << 19
"""Elements of a window, bytes of a file, and numbers of all windows together among which one is searched."""
ONE = 2e-3
"""By how much a deviation may differ from 1, or a scale from that of another window."""
SURE, DOUBT, LOST, SOME_LOST = 0.9, 0.02, 0.75, 2
"""How sure each answer to windows that follow each other is at least, how much doubt they have on average;
how sure an answer is at most to a window that runs from one into the next; and so many are, and a third."""
Way = Callable[[Any], Any]


class Piece(Frozen):
    """A window that was sent, where it begins in the series, and the numbers there."""

    row: Row
    start: int
    there: Any


class Series(Frozen):
    """The numbers of a file's column."""

    file: str
    numbers: Any


class Taken(Frozen):
    """Windows of a series that were sent."""

    series: Series
    pieces: Sequence[Piece]

    @property
    def size(self) -> int:
        return len(self.pieces[0].there)

    @property
    def is_odd(self) -> bool:
        """Whether windows begin at even distances, but not so that they take up the series, which as many
        as fit do that follow each other."""
        starts, length = [one.start for one in self.pieces], len(self.series.numbers)
        step = starts[1] - starts[0] if len(starts) > 1 else 0
        if step <= 0 or starts != [starts[0] + step * at for at in range(len(starts))]:
            return False
        is_whole = length % self.size == 0 and length >= FEWEST * self.size
        return is_whole and (length - self.size - starts[0]) % step > 0

    @property
    def is_due(self) -> bool:
        """Whether there are as many windows as the model is asked about."""
        return len(self.pieces) >= min(ENOUGH, len(self.series.numbers) // self.size)

    def between(self) -> list[Answer]:
        """The answers to windows that run from one into the next."""
        return [one.row.answer for one in self.pieces if one.start % self.size]


class Starts:
    """By graph, windows of a series."""

    def __init__(self, files: Files = tuple) -> None:
        self._files = files
        self._kept: dict[Any, list[Piece]] = {}
        self._series: dict[Any, Series] = {}
        self._done: set[Any] = set()

    def take(
        self, graph: Any, tensor: Tensor, specs: Sequence[TensorSpec], outputs: Sequence[Tensor]
    ) -> Taken | None:
        """An input was computed. Returns the windows so far, if they begin at odd places."""
        kept = self._kept.setdefault(graph, [])
        numbers = tensor.numbers() if graph not in self._done else None
        rows = []
        if numbers is not None and numbers.dtype.kind == "f" and numpy.isfinite(numbers).all():
            rows = rows_of(numbers.reshape(tensor.shape), specs, outputs)
        for row in rows:
            if len(kept) == ENOUGH:
                break
            if (piece := self._placed(graph, row)) is None:
                rows = []
                break
            kept.append(piece)
        taken = Taken(self._series[graph], kept) if rows else None
        if taken is None or taken.is_due:
            self._done.add(graph)  # nothing more is asked
        if taken is None:
            return None
        return taken if len(kept) >= FEWEST and taken.is_odd else None

    def _placed(self, graph: Any, row: Row) -> Piece | None:
        """Where a window begins in the series of those before, behind the last one, or in any."""
        flat, kept = row.array.reshape(-1).astype("f8"), self._kept[graph]
        if kept and len(kept[0].there) != len(flat):
            return None
        known = [self._series[graph]] if kept else series_in(self._files())
        begin = kept[-1].start + 1 if kept else 0
        left = MOST_NUMBERS
        for series in known if SHORTEST <= len(flat) <= LONGEST and flat.std() > 0 else ():
            part = series.numbers[begin : begin + 3 * len(flat)] if kept else series.numbers
            left -= len(part) * len(flat)
            if len(part) < len(flat) or left < 0:
                continue
            place, apart = nearest(numpy.lib.stride_tricks.sliding_window_view(part, len(flat)), flat)
            if apart <= CLOSE:
                self._series[graph] = series
                return Piece(row, begin + place, part[place : place + len(flat)])
        return None


def series_in(files: Sequence[tuple[str, bytes]]) -> Iterator[Series]:
    """The columns of tables, and bytes as samples of 16 bits."""
    for name, data in files:
        if len(data) > MOST_FILE:
            continue
        if (table := table_in(data)) is not None:
            columns = (column for column in table.numbers.T if numpy.isfinite(column).all())
            yield from (Series(name, column) for column in columns)
        elif b"\0" in data and len(data) % 2 == 0:
            yield Series(name, numpy.frombuffer(data, "<i2").astype("f8"))


def way_of(pieces: Sequence[Piece]) -> Way | None:
    """How windows were scaled: each by itself, or all by the same; None if that isn't known."""
    rows = numpy.stack([one.row.array.reshape(-1).astype("f8") for one in pieces])
    there = numpy.stack([one.there for one in pieces])
    for degrees in (0, 1):
        deviations = rows.std(axis=1, ddof=degrees)
        if (abs(rows.mean(axis=1)) < ONE).all() and (abs(deviations - 1) < ONE).all():
            return lambda part: (part - part.mean()) / part.std(ddof=degrees)
    slopes = rows.std(axis=1) / there.std(axis=1)
    slope = float(slopes.mean())
    heights = rows.mean(axis=1) - slope * there.mean(axis=1)
    if numpy.ptp(slopes) < ONE * slope and numpy.ptp(heights) < ONE * (1 + abs(heights).max()):
        height = float(heights.mean())
        return lambda part: slope * part + height
    return None


def asked_at_others(graph: Graph, taken: Taken, seconds: float, most: float = MOST) -> str:
    """A sentence if a model of one input has no doubt of windows that follow each other, and is lost among
    those as sent, or "". Raises NNError."""
    between, size, way = taken.between(), taken.size, way_of(taken.pieces)
    lost = [one for one in between if one.sure <= LOST]
    if way is None or len(lost) < max(SOME_LOST, len(between) / 3):
        return ""
    known = {one.start: one.row.answer for one in taken.pieces}
    first, count = taken.pieces[0].row.array, min(ENOUGH, len(taken.series.numbers) // size)
    found: list[Answer] = []
    with Runs(graph, [Tensor.from_numpy(first)], most, once_open=seconds) as runs:
        for start in range(0, count * size, size):
            answer = known.get(start)
            if answer is None and runs.left():
                made = way(taken.series.numbers[start : start + size])
                answer = runs.changed(0, made.reshape(first.shape).astype(first.dtype))
            if answer is None or not answer.sure >= SURE or answer.margin > OVERSURE:
                return ""
            found.append(answer)
    if 1 - mean(found) > DOUBT or len({one.place for one in found}) < 2:
        return ""
    starts, length = [one.start for one in taken.pieces], len(taken.series.numbers)
    return (
        f'input 0 "{graph.inputs[0].name}": its windows of {size} numbers begin at {starts[0]}, {starts[1]}, '
        f"{starts[2]} ... of the {length} in {taken.series.file}, and miss the end; {length // size} that "
        f"follow each other take up all, and of the first {count} the model is {mean(found):.3f} sure on "
        f"average, of those as sent between them {mean(between):.3f}: does each begin where the one before "
        "ends?"
    )
