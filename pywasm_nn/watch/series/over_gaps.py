"""Windows around events that a text lists by their times, of a table that says the time of each line and
lacks some: was the line counted from the time, as if none was missing?

What is here: `OverGaps`. Each window has to be where its event would be without gaps, and two at least,
behind a gap, elsewhere than the times of the lines say. What is not: events by the numbers of samples.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ...arrays import numpy
from ...nn.operation import NNEvent
from ...records import Frozen
from ..follower import Follower, inputs_of
from ..origin.straight import line_of
from ..origin.tables import MOST_TEXT, named, table_in
from ..surroundings import Files

SHORTEST, LONGEST, MOST_WINDOWS = 16, 1 << 12, 32
"""Samples of a window, and windows that are kept."""
FEWEST_LINES = 64
FEWEST, FEWEST_BEHIND, FAR = 4, 2, 3
"""Windows; those behind a gap, and how many lines these are elsewhere at least."""
GAP, EVEN, NEAR, WHOLE = 1.6, 0.05, 1e-3, 1e-3
"""Steps of a gap; the part of the steps that may be others; and how near windows are to the file's numbers,
and a rate to a whole one."""


class Recording(Frozen):
    """A column of a table, and by its times the line at which each event is, and would be without gaps."""

    file: str
    named: str
    numbers: Any
    there: Any
    counted: Any
    gap: float
    """The time behind the first gap."""


class OverGaps(Follower):
    """Gives a hint at the end, as a pair of a rule's name and a sentence."""

    def __init__(self, files: Files) -> None:
        self._files = files
        self._kept: dict[Any, list[Any]] = {}
        self._names: dict[Any, str] = {}

    def nn_event(self, event: NNEvent) -> None:
        """An operation ended."""
        for index, spec, tensor in inputs_of(event) if event.error is None else ():
            kept = self._kept.setdefault((event.graph_id, index), [])
            rows = tensor.shape[0] if tensor.shape and max(tensor.shape) != tensor.shape[0] else 1
            size = tensor.size // max(1, rows)
            numbers = tensor.numbers() if SHORTEST <= size <= LONGEST and len(kept) < MOST_WINDOWS else None
            if numbers is not None and numbers.dtype.kind == "f":
                self._names[event.graph_id, index] = f'input {index} "{spec.name}"'
                kept += [*numbers.reshape(rows, -1).astype("f8")]

    def finish(self) -> Iterator[tuple[str, str]]:
        """A hint when the guest has ended."""
        for key, kept in self._kept.items():
            windows = kept[:MOST_WINDOWS]
            for one in recordings(self._files()) if len(windows) >= FEWEST else ():
                if behind := all_counted(windows, one):
                    yield (
                        "origin",
                        f"{self._names[key]}: each window is where its event would be if no line of "
                        f"{one.file} was missing; there is a gap before {one.gap:g}, and {behind} windows "
                        f"behind it are elsewhere in {one.named} than the times of the lines say: is the "
                        "line to be looked up by its time, and not counted from it?",
                    )
                    return


def recordings(files: Sequence[tuple[str, bytes]]) -> Iterator[Recording]:
    """The columns of tables with gaps in their times, by the events that each other column lists."""
    found = [(name, table_in(data)) for name, data in files if len(data) <= MOST_TEXT]
    tables = [(name, table) for name, table in found if table is not None]
    for name, table in tables:
        times = table.numbers[:, 0]
        gaps = gaps_in(times)
        if not len(gaps):
            continue
        rate = gaps[0] / (times[gaps[0]] - times[0])
        rate = round(rate) if abs(rate - round(rate)) <= WHOLE * rate else rate
        for events in (events for _, other in tables if other is not table for events in other.numbers.T):
            if len(events) < FEWEST or not (numpy.diff(events) > 0).all() or events[-1] > times[-1]:
                continue
            counted = numpy.rint((events - times[0]) * rate).astype("i8")
            there = numpy.searchsorted(times, events - 0.5 / rate)
            for at, column in enumerate(table.numbers.T[1:], 1):
                gap = float(times[gaps[0] + 1])
                yield Recording(name, named(table, at), column, there, counted, gap)


def gaps_in(times: Any) -> Any:
    """Returns the lines before gaps in times that go on evenly otherwise, or none of other numbers."""
    steps = numpy.diff(times) if numpy.isfinite(times).all() else numpy.zeros(1)
    if len(steps) < FEWEST_LINES or steps.min() <= 0:
        return numpy.zeros(0, "i8")
    gaps = numpy.flatnonzero(steps > GAP * numpy.median(steps))
    are_few = 0 < len(gaps) <= EVEN * len(steps) and gaps[0] >= SHORTEST
    return gaps if are_few else gaps[:0]


def all_counted(windows: Sequence[Any], one: Recording) -> int:
    """Returns how many windows behind a gap are where they would be without it, if all are, or 0."""
    count, first = len(windows[0]), int(one.counted[0])
    if any(len(window) != count for window in windows) or abs(one.there[0] - first) > 1:
        return 0
    for before in range(count + 1):
        inside = (one.counted >= before) & (one.counted - before + count <= len(one.numbers))
        counted, there = (places[inside][: len(windows)] - before for places in (one.counted, one.there))
        if len(counted) < len(windows) or not is_at(windows[0], one.numbers, int(counted[0])):
            continue
        behind = int((abs(counted - there) >= FAR).sum())
        if all(is_near(window, one.numbers, int(at)) for window, at in zip(windows, counted, strict=True)):
            return behind if behind >= FEWEST_BEHIND else 0
    return 0


def is_near(window: Any, numbers: Any, at: int) -> bool:
    """Whether a window begins at a place of a column, or beside it, as times are rounded."""
    return any(is_at(window, numbers, at + by) for by in (0, -1, 1))


def is_at(window: Any, numbers: Any, at: int) -> bool:
    """Whether a window is a part of a column, scaled in any way."""
    there = numbers[at : at + len(window)] if at >= 0 else numbers[:0]
    return len(there) == len(window) and line_of(window, there, NEAR) is not None
