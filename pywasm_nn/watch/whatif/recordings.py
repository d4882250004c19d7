"""Asks a model about windows of a recording of raw numbers with the converter's zero taken away, and begun
before the events that a text lists.

What is here: `Recordings`, which keeps windows with where each lies in its file, and `heard_otherwise`. What
is not: recordings whose text says the zero (`sent/scans.py`), and an accelerometer's windows (`sensors.py`).

Two things speak together. The numbers: they lie around a power of two, and were sent so; or windows begin
just where a text lists peaks. And the model: it gives all windows as sent one answer, and others otherwise.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from math import prod
from typing import Any

from ...arrays import numpy
from ...nn.backend import Graph
from ...nn.tensor import Tensor
from ...records import Frozen
from ..origin.raw_places import is_telling, numbers_in, places
from ..surroundings import Files
from .asking import MOST, Runs
from .sureness import MOST_SURE, Answer, mean

FEWEST, MOST_ELEMENTS, LOOKS, ROWS, FEWEST_ROWS, MOST_ROWS = 48, 1 << 13, 24, 6, 4, 5
"""The fewest and most samples of a window; the windows that are looked at, the most and the fewest that are
asked about, and the most about which two questions are asked."""
DUE = (FEWEST_ROWS, ROWS)
"""The numbers of windows after which the model is asked."""
KINDS = ("<i2", "<u2", ">i2")
"""The types as which raw numbers are read."""
ZEROS, NEAR, AWAY = tuple(2**power for power in range(7, 16)), 0.02, 2.0
"""A converter's zero is the middle of its range; by which part the middle of a file's numbers may differ from
it; and how many times their deviation it is away from 0."""
EARLIER = (0.4, 0.5)
"""Which parts of a window usually lie before the event that it shows."""
EXACTLY, DOUBTED, ALONE = (0.25, 1 / 3, 0.36, 0.4, 0.45, 0.5), 0.7, 0.95
"""The parts that are tried one by one if answers as sent are at most so sure on average; a model that knows
events at one place alone must then be so sure on average."""
PEAK, HIGHER = 0.04, 0.75
"""So near to a listed place, in parts of a window, is the peak of half a window on both sides of it, or
something so high as it, in parts of its height."""
MOST_TEXT, BETWEEN, WHOLE = 1 << 16, 8, re.compile(rb"(?<![\d.])\d{1,9}(?![\d.])")
LEAST, SURE, DIFFERENT = 0.7, 0.9, 2
"""How sure each answer in the right way is, and all are on average, and how many different ones there are."""


class Window(Frozen):
    """An input, the answer to it, the numbers of the file that it came from, where it begins there, by what
    they were multiplied and whether something was taken away."""

    array: Any
    answer: Answer
    file: str
    numbers: Any
    begins: int
    factor: float
    is_moved: bool

    def begun(self, earlier: int) -> Any:
        """The window that begins so many samples before."""
        start = self.begins - earlier
        flat = self.array.reshape(-1)
        here = self.numbers[self.begins]
        made = flat[0] + self.factor * (self.numbers[start : start + flat.size] - here)
        return made.astype(self.array.dtype).reshape(self.array.shape)


class Change(Frozen):
    """What the numbers say, what is done, what is asked, and the windows so, in some ways. If `said` is one
    text for all, these have to get the same answers; else the surest one is enough. `flat` is an input that
    shows nothing, if one is to get the answer as sent."""

    seen: str
    said: Sequence[str]
    asked: str
    made: Sequence[Sequence[Any]]
    flat: Any = None

    @property
    def is_alone(self) -> bool:
        return len(self.said) > 1


class Recordings:
    """By graph, windows of a recording."""

    def __init__(self, files: Files = tuple) -> None:
        self._files = files
        self._kept: dict[Any, list[Window]] = {}
        self._looked: dict[Any, int] = {}

    def take(self, graph: Any, tensor: Tensor, answer: Answer | None) -> list[Window]:
        """A window was computed. Returns those so far if it is another one of a recording; else []."""
        looked = self._looked[graph] = self._looked.get(graph, 0) + 1
        kept = self._kept.setdefault(graph, [])
        is_long = FEWEST <= max(tensor.shape, default=0) == prod(tensor.shape) <= MOST_ELEMENTS
        if answer is None or looked > LOOKS or not is_long or len(kept) == ROWS:
            return []
        numbers = tensor.numbers()
        if numbers is None or numbers.dtype.kind != "f" or not is_telling(numbers):
            return []
        found = self._found(numbers.reshape(tensor.shape).copy(), answer)
        if found is None and not kept:
            self._looked[graph] = looked + LOOKS // 4  # a file that is no recording stays one
        if found is None or any(one.begins == found.begins or one.file != found.file for one in kept):
            return []
        kept.append(found)
        return kept

    def close(self, graph: Any) -> None:
        """A graph's windows have their hint."""
        self._looked[graph] = LOOKS

    def _found(self, array: Any, answer: Answer) -> Window | None:
        flat = array.reshape(-1).astype("f8")
        for name, numbers in numbers_in(self._files(), KINDS):
            for begins, is_moved in places(flat, numbers, 1):
                there = numbers[begins : begins + flat.size]
                factor = float(numpy.ptp(flat) / numpy.ptp(there))
                return Window(array, answer, name, numbers, begins, factor, is_moved)
        return None

    def changes(self, windows: Sequence[Window]) -> Iterator[Change]:
        """What may be wrong with windows, by the numbers of their file and by texts. A model is asked
        about them when they are as many as DUE says."""
        is_one = len({one.answer.place for one in windows}) == 1
        if is_one:
            yield from without_zero(windows)
        if is_one or is_doubted(windows):
            yield from before_events(windows, self._files())


def is_doubted(windows: Sequence[Window]) -> bool:
    """Whether the model is sure of hardly any window."""
    return mean([one.answer for one in windows]) <= DOUBTED


def without_zero(windows: Sequence[Window]) -> Iterator[Change]:
    """Numbers around a converter's zero that was left in."""
    first = windows[0]
    middle, low = float(numpy.median(first.numbers)), float(first.numbers.min())
    zero = min(ZEROS, key=lambda one: abs(middle / one - 1))
    if any(one.is_moved for one in windows) or low <= 0 or abs(middle / zero - 1) > NEAR:
        return
    if zero < AWAY * first.numbers.std():
        return
    made = [(one.array - zero * one.factor).astype(one.array.dtype) for one in windows]
    yield Change(
        f"the numbers of {first.file} lie around {zero:,} ({low:,.0f} to {first.numbers.max():,.0f}), "
        "which was left in",
        [f"with {zero:,} taken away"],
        f"is {zero:,} the converter's zero?",
        [made],
        numpy.full_like(first.array, zero * first.factor),
    )


def before_events(windows: Sequence[Window], files: Sequence[tuple[str, bytes]]) -> Iterator[Change]:
    """Windows that begin just at the places of peaks, which a text lists."""
    length = windows[0].array.size
    lists = [(name, data) for name, data in files if name != windows[0].file]
    name = next((name for name, data in lists if are_listed([one.begins for one in windows], data)), "")
    if not name or not all(is_peak(one.numbers, one.begins, length) for one in windows):
        return
    fit = [one for one in windows if one.begins >= max(EARLIER) * length][:MOST_ROWS]
    is_alone = is_doubted(windows)
    earlier = [int(part * length) for part in (EXACTLY if is_alone else EARLIER)]
    ways = map(str, earlier) if is_alone else [" or ".join(map(str, earlier))]
    yield Change(
        f"its windows begin just at the places that {name} lists, which are peaks of {windows[0].file}",
        [f"begun {one} samples before them" for one in ways],
        "are windows to begin before the event, and not at it?",
        [[one.begun(by) for one in fit] for by in earlier],
    )


def are_listed(begins: Sequence[int], data: bytes) -> bool:
    """Whether a text lists all these places in their order, and not many others between them."""
    if len(data) > MOST_TEXT or b"\0" in data:
        return False
    listed = [int(one) for one in WHOLE.findall(data)]
    at = [-1]
    for one in begins:
        if one not in listed[at[-1] + 1 :]:
            return False
        at.append(listed.index(one, at[-1] + 1))
    return at[-1] - at[1] <= BETWEEN * len(begins)


def is_peak(numbers: Any, place: int, length: int) -> bool:
    """Whether the numbers around a place are farthest from their middle at it."""
    start = max(0, place - length // 2)
    around = abs(numbers[start : place + length // 2] - numpy.median(numbers))
    near = max(1, int(PEAK * length))
    at = place - start
    return bool(around[max(0, at - near) : at + near + 1].max() >= HIGHER * around.max())


def are_due(windows: Sequence[Window], changes: Sequence[Change]) -> bool:
    """Whether a model is to be asked about changes of so many windows."""
    return len(windows) in DUE and any(len(one.made[0]) >= FEWEST_ROWS for one in changes)


def heard_otherwise(
    graph: Graph, windows: Sequence[Window], changes: Sequence[Change], seconds: float, most: float = MOST
) -> str:
    """A sentence if a model of one input wants windows in another way, or "". Raises NNError."""
    sent = [one.answer for one in windows]
    for change in changes:
        count = len(change.made[0])
        if count < FEWEST_ROWS:
            continue
        flat = [] if change.flat is None else [change.flat]
        found = answered(graph, [*flat, *(one for made in change.made for one in made)], seconds, most)
        ways = [found[at : at + count] for at in range(len(flat), len(found), count)]
        if len(found) < len(flat) + count * len(change.made) or any(
            one.place != sent[0].place for one in found[: len(flat)]
        ):
            continue
        best = max(range(len(ways)), key=lambda at: mean(ways[at])) if change.is_alone else 0
        meant = ways[best : best + 1] if change.is_alone else ways
        if is_meant(meant, sent[:count], ALONE if change.is_alone else SURE):
            few, many = (len({one.place for one in each}) for each in (sent[:count], ways[best]))
            what = f"{few} answer{'s' if few > 1 else ''}, at {mean(sent[:count]):.2f} on average"
            what += " (that to a flat line)" if flat else ""
            return (
                f'input 0 "{graph.inputs[0].name}": {change.seen}; {count} windows as sent get {what}, and '
                f"{change.said[best]} {many}, at {mean(ways[best]):.2f}: {change.asked}"
            )
    return ""


def answered(graph: Graph, arrays: Sequence[Any], seconds: float, most: float) -> list[Answer]:
    """The answers of a model to inputs: all in one run, if it takes batches, as another process may have to
    run it. Else one by one, as long as it takes them and there is time."""
    shape = graph.inputs[0].shape
    if shape and not isinstance(shape[0], int) and arrays[0].shape[0] == 1:
        batch = numpy.concatenate(arrays)
        with Runs(graph, [Tensor.from_numpy(batch)], most, seconds=seconds) as runs:
            return runs.rows(0, batch)
    found: list[Answer] = []
    with Runs(graph, [Tensor.from_numpy(arrays[0])], most, seconds=seconds) as runs:
        for one in arrays:
            answer = runs.changed(0, one) if runs.left() else None
            if answer is None:
                break
            found.append(answer)
    return found


def is_meant(ways: Sequence[Sequence[Answer]], sent: Sequence[Answer], least: float = SURE) -> bool:
    """Whether a model means windows in each of some ways: it gives them different answers, is sure of them as
    training makes it, and says in one way what it says in the other."""
    first = ways[0]
    if any(mean(way) < least for way in ways):
        return False
    places = [[one.place for one in way] for way in ways]
    is_sane = all(one.sure >= LEAST and one.margin <= MOST_SURE for way in ways for one in way)
    is_other = sum(one.place != sent[0].place for one in first) * 2 > len(sent)
    is_other = is_other or mean(sent) <= DOUBTED
    return is_sane and is_other and len({*places[0]}) >= DIFFERENT and all(one == places[0] for one in places)
