"""Records of a file with floats and a few bytes beside them, one record for each input, that a guest reads at
another distance than they lie: with the padding of a struct that the file lacks, or without one that it has.

What is here: `Drifting`, which follows inputs and looks for the distance at which all numbers of the file are
usual ones. It says, too, that elements beyond all usual numbers come of it, and not of another order of
bytes. What is not: windows of such records (`arrays.py`), and records of whole numbers (`packed.py`).
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from math import prod
from typing import Any

from ...arrays import numpy
from ...nn.operation import NNEvent
from ...records import Frozen
from ..follower import Follower, inputs_of
from ..origin.raw_places import is_raw
from ..surroundings import Files

FEWEST, MOST = 3, 64
"""Floats of a record."""
FEWEST_RECORDS, MANY_RECORDS, MOST_RECORDS, MOST_ROWS = 4, 8, 64, 8
"""Records of a file, such records that needn't fill it, those that are looked at, and inputs that are looked
for."""
MOST_BESIDE = 32
"""Bytes of a record that are in no float of the input."""
MOST_BYTES = 1 << 18
USUAL = 1e-5, 1e7
"""Numbers of records are within these, or 0."""
HARDLY = 0.9
"""The largest share of usual numbers among records that are read at another distance."""
KINDS = ("<f4", "<f8")


class Layout(Frozen):
    """How floats lie in a file: their type, how far records are apart, and where the first ones begin."""

    kind: str
    apart: int
    begins: int


class Drifting(Follower):
    """Gives a hint after the third input, or a later one."""

    def __init__(self, files: Files) -> None:
        self._files = files
        self._rows: dict[Any, list[Any]] = {}
        self._found: set[Any] = set()
        """Inputs of which the first come from between records."""
        self._done: set[Any] = set()

    def explains(self, event: NNEvent) -> bool:
        """Whether records that were read at another distance are why an input is what it is. It may be asked
        before the event is told."""
        for index, row in rows_of(event):
            key = event.graph_id, index
            is_early = len(self._rows.get(key, ())) < MOST_ROWS
            if key not in self._found and is_early and is_between(row, self._files()):
                self._found.add(key)
            if key in self._found:
                return True
        return False

    def nn_event(self, event: NNEvent) -> Iterator[tuple[str, str]]:
        """An operation ended."""
        for index, row in rows_of(event):
            key = event.graph_id, index
            kept = self._rows.setdefault(key, [])
            if key in self._done or len(kept) >= MOST_ROWS or (kept and kept[0].shape != row.shape):
                continue
            kept.append(row)
            for name, data in self._files() if len(kept) >= FEWEST else ():
                if len(data) <= MOST_BYTES and is_raw(data) and (said := at_another_distance(kept, data)):
                    self._done.add(key)
                    self._found.add(key)
                    yield "origin", f"input {index}: compared with {name}, {said}"
                    break


def rows_of(event: NNEvent) -> Iterator[tuple[int, Any]]:
    """The inputs of f32 that may be records."""
    for index, _, tensor in inputs_of(event) if event.error is None else ():
        if FEWEST <= prod(tensor.shape) <= MOST and prod(tensor.shape[:-1]) == 1:
            numbers = tensor.numbers()
            if numbers is not None and numbers.dtype.str == "<f4":
                yield index, numbers.reshape(-1).copy()


def is_between(row: Any, files: Any) -> bool:
    """Whether an input is floats of a file that lie across those of its records."""
    with numpy.errstate(all="ignore"):
        if part_of_usual(row) > HARDLY:
            return False
    for _, data in files:
        if FEWEST_RECORDS * row.nbytes < len(data) <= MOST_BYTES and is_raw(data):
            for kind in KINDS:
                for at in places_of(row, data, kind):
                    right = layout_of(data, kind, len(row))
                    if right is not None and (at - right.begins) % right.apart:
                        return True
    return False


def places_of(row: Any, data: bytes, kind: str, start: int = 0) -> Iterator[int]:
    """The bytes of a file, from one on, at which an input lies."""
    if kind == "<f4":
        if (at := data.find(row.tobytes(), start)) >= 0:
            yield at
        return
    for phase in range(start, min(start + 8, len(data) - 8 * len(row))):
        with numpy.errstate(all="ignore"):
            numbers = numpy.frombuffer(data, kind, (len(data) - phase) // 8, phase).astype("f4")
        for at in numpy.flatnonzero(numbers[: len(numbers) - len(row) + 1] == row[0]).tolist():
            if (numbers[at : at + len(row)] == row).all():
                yield phase + 8 * at


def floats(data: bytes, layout: Layout, count: int) -> Any:
    """The floats of all records, [records, floats]."""
    width = numpy.dtype(layout.kind).itemsize * count
    records = max(0, (len(data) - layout.begins - width) // layout.apart + 1)
    places = layout.begins + layout.apart * numpy.arange(records)[:, None] + numpy.arange(width)
    raw = numpy.frombuffer(data, "u1")[places]
    return numpy.frombuffer(raw.tobytes(), layout.kind).reshape(records, count).astype("f8")


def part_of_usual(numbers: Any) -> float:
    """The part of numbers that are neither tiny nor large."""
    size = abs(numbers)
    return float(((size == 0) | ((size > USUAL[0]) & (size < USUAL[1]))).mean())


def unsteady(numbers: Any) -> float:
    """By how many powers of two the floats of each place differ from record to record, on average."""
    with numpy.errstate(all="ignore"):
        powers = numpy.where(numbers == 0, numpy.nan, numpy.log2(abs(numbers)))
    known = [own[numpy.isfinite(own)] for own in powers.T]
    return float(numpy.mean([own.std() for own in known if len(own) > 1] or [numpy.inf]))


@lru_cache(16)
def layout_of(data: bytes, kind: str, count: int) -> Layout | None:
    """Returns how the floats of all records of a file lie, so that they are usual ones and differ least from
    record to record, or None if that isn't known, or they are in the other order of bytes."""
    width = numpy.dtype(kind).itemsize * count
    with numpy.errstate(all="ignore"):
        for apart in range(width, width + MOST_BESIDE + 1):
            records = len(data) // apart
            if records < FEWEST_RECORDS or (len(data) % apart and records < MANY_RECORDS):
                continue
            best, least = None, numpy.inf
            for begins in range(apart - width + 1):
                for order in (kind, kind.replace("<", ">")):
                    layout = Layout(order, apart, begins)
                    numbers = floats(data[: MOST_RECORDS * apart], layout, count)
                    if part_of_usual(numbers) == 1 and (own := unsteady(numbers)) < least:
                        best, least = layout, own
            if best is not None:  # what else fits is a multiple of it
                return best if best.kind == kind and least else None
    return None


def at_another_distance(rows: list[Any], data: bytes) -> str:
    """Returns what is wrong with inputs that lie a fixed number of bytes apart in a file, if its records are
    apart by another number, or "" if nothing is."""
    count = len(rows[0])
    for kind in KINDS:
        width = numpy.dtype(kind).itemsize * count
        for first in places_of(rows[0], data, kind):
            found = [first]
            for row in rows[1:]:
                found += [next(places_of(row, data, kind, found[-1] + width), -1)]
                if found[-1] < 0:
                    break
            steps = {*numpy.diff(found).tolist()}
            if len(found) < len(rows) or len(steps) > 1:
                continue
            apart = steps.pop()
            with numpy.errstate(all="ignore"):
                if part_of_usual(floats(data, Layout(kind, apart, first % apart), count)) > HARDLY:
                    continue
            right = layout_of(data, kind, count)
            if right is not None and apart % right.apart:
                return said(apart, right)
    return ""


def said(apart: int, right: Layout) -> str:
    is_short = apart > right.apart
    by = f"{abs(apart - right.apart)} byte{'s' * (abs(apart - right.apart) > 1)}"
    why = (
        f"a struct has {by} of padding, which a file of packed records lacks (packed, or read field by field)"
        if is_short
        else f"are {by} of padding, as a struct has it, or of another field, to be passed over in each?"
    )
    return (
        f"records were read {apart} bytes apart, where many floats are beyond all usual ones; {right.apart} "
        f"bytes apart all are usual, the first at byte {right.begins}: {why}"
    )
