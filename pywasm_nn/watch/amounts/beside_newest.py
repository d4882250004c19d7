"""A forecast that a guest writes as the model gives it, in deviations from a mean, beside the newest number
of the window, in the unit of both.

What is here: `BesideNewest`, for one window of a table's columns, or of raw rows of floats. What is not:
forecasts of which the next number is known, or that go on (`written/undone.py`), and amounts that are never
below 0 (`standardised.py`).

Four things speak together: a column was scaled; its newest number and the answer as it is are written with
one unit, and nothing that the answer would be in the column's own scale; and where all of a window is at one
level, the model answers about that level: in the scale of the window, and not in the column's.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from ...arrays import numpy
from ...interpreter.runtime.observe import HostEvent
from ...nn.backend import Graph
from ...nn.operation import NNEvent
from ...nn.tensor import Tensor
from ...records import Frozen
from ..follower import Follower, inputs_of, only_answer
from ..origin.lined import rows_of_floats
from ..origin.runs_of_columns import run_of
from ..origin.straight import line_through
from ..origin.tables import tables_in
from ..regex import regex
from ..spoken import Heard, Word
from ..surroundings import Files
from ..whatif.asking import MOST, Runs
from ..whatif.between_texts import Asking
from ..written.brought_back import OF_CHANGES

FEWEST, MOST_ELEMENTS, MOST_COLUMNS = 8, 1 << 12, 16
"""The fewest steps of a window, and the most elements and columns of an input."""
MOST_FILE, FARTHEST = 1 << 16, 8.0
LEVELS = (-1.5, -0.75, 0.0, 0.75, 1.5)
"""All steps of a window are at one of these, in the scale of the window."""
SLOPES, OFF, STRAIGHT = (0.5, 1.5), 0.5, 0.95
"""How much answers grow with the level, how far they are from 0 in the middle at most, and their least
correlation with it."""
SAME, MOVED = 1.7, 1.0
"""A scale is one if it is wider than this, or narrower by as much, or moved so far."""
WITH_UNIT = regex(
    r"(?<![\w.])(-?\d{1,9}\.\d{1,9})[ \t]?(?:\([ \t]*)?(°?[A-Za-z%€$µ][\w/²³%]{0,9})(?![\w/])", re.ASCII
)
"""A number with a fraction, and the word behind it."""
SCALED = regex(r"scaled|normali[sz]ed|standardi[sz]ed|sigma|z-?score", re.IGNORECASE)


class Window(Frozen):
    """A window's column among an input's, the newest number of it in the file, and by what its numbers were
    lessened and divided."""

    file: str
    column: int
    newest: float
    taken: float
    divided: float


class BesideNewest(Follower):
    """Gives a hint at the end, as a pair of a rule's name and a sentence."""

    def __init__(self, files: Files, ask: Asking[bool]) -> None:
        self._files, self._ask = files, ask
        self._given: Any = None
        self._event: NNEvent | None = None
        self._answer = 0.0
        self._is_open = True
        """Whether there was one window at most."""
        self._heard = Heard()

    def nn_event(self, event: NNEvent) -> None:
        """An operation ended."""
        for index, _, tensor in inputs_of(event) if event.error is None and self._is_open else ():
            self._is_open = self._given is None and not index
            self._given = kept(tensor) if self._is_open else None
        if event.operation == "compute" and event.error is None and self._given is not None:
            numbers = only_answer(event.tensors)
            self._is_open = self._event is None and event.graph is not None
            if numbers is None or numbers.size != 1 or numbers.dtype.kind != "f":
                self._is_open = False
            else:
                self._event, self._answer = event, float(numbers.reshape(-1)[0])

    def host_call(self, event: HostEvent) -> None:
        """A host function returned."""
        if self._is_open and self._event is not None:
            self._heard.add(event)

    def finish(self) -> Iterator[tuple[str, str]]:
        """A hint when the guest has ended."""
        text, event, given = str(self._heard.text), self._event, self._given
        if not self._is_open or event is None or given is None or abs(self._answer) > FARTHEST:
            return
        if OF_CHANGES.search(text) or SCALED.search(text):
            return
        words = [(Word.of(one[1]), one[2], one[0]) for one in WITH_UNIT.finditer(text)]
        for window in windows_in(given, self._files()) if words else ():
            back = self._answer * window.divided + window.taken
            newest = next((one for one in words if bool(one[0].fits(window.newest))), None)
            said = next((one for one in words if one is not newest and bool(one[0].fits(self._answer))), None)
            if newest is None or said is None or said[1] != newest[1]:
                continue
            if any(bool(word.fits(back)) for word in self._heard.text.words):
                continue
            if self._ask(event, lambda twin, *left, at=window.column: follows(twin, given, at, *left)):
                yield (
                    "answer",
                    f'output 0 "{event.specs[0].name}": the guest says {said[2]}, as the model gives it, '
                    f"beside {newest[2]}, the newest number of {window.file}, from which {window.taken:.4g} "
                    f"was taken and which was divided by {window.divided:.4g} for the model; of windows at "
                    "one level the model answers about that level, in their scale: is the answer to be "
                    f"brought back, too (answer * {window.divided:.4g} + {window.taken:.4g} = {back:.4g})?",
                )
                return


def kept(tensor: Tensor) -> Any:
    """Returns a copy of a window, or None of anything else."""
    numbers = tensor.numbers() if tensor.nbytes <= 8 * MOST_ELEMENTS else None
    if numbers is None or numbers.dtype.kind != "f" or not tensor.shape or numbers.size < FEWEST:
        return None
    if not numpy.isfinite(numbers).all() or abs(numbers).max() > FARTHEST:
        return None
    return numbers.reshape(tensor.shape).copy()


def width_of(array: Any) -> int:
    """Returns how many columns a window has."""
    return int(array.shape[-1]) if array.ndim > 2 and array.shape[-1] <= MOST_COLUMNS else 1


def windows_in(array: Any, files: Sequence[tuple[str, bytes]]) -> Iterator[Window]:
    """Yields the columns of files of which an input's are windows, scaled by numbers that say something."""
    width = width_of(array)
    own = array.reshape(-1, width).astype("f8")
    every = [(name, table.numbers) for name, table in tables_in(files, MOST_FILE)]
    raw = [(name, rows_of_floats(data, width)) for name, data in files if b"\0" in data[:MOST_FILE]]
    every += [(name, numbers) for name, numbers in raw if numbers is not None]
    for name, numbers in every if len(own) >= FEWEST else ():
        for column, window in enumerate(own.T):
            for there in numbers.T:
                start = run_of(there, window)
                part = there[start : start + len(own)]
                slope = line_through(part, window)[0] if start >= 0 and numpy.isfinite(part).all() else 0.0
                if slope <= 0:
                    continue
                divided = 1 / slope
                taken = float(part.mean() - window.mean() * divided)
                if not 1 / SAME < divided < SAME or abs(taken) > MOVED:
                    yield Window(name, column, float(part[-1]), taken, divided)


def follows(graph: Graph, given: Any, column: int, seconds: float, most: float = MOST) -> bool:
    """Whether a model's answers are about the level of a column of a window, all of which is at one, while
    the others are at 0. Raises NNError."""
    found = []
    with Runs(graph, [Tensor.from_numpy(given)], most, seconds=seconds) as runs:
        for level in LEVELS if runs.left() else ():
            made = numpy.zeros_like(given)
            made.reshape(-1, width_of(given))[:, column] = level
            outputs = runs.outputs_of(0, made) if runs.left() else []
            numbers = only_answer(outputs)
            if numbers is None or numbers.size != 1:
                return False
            found.append(float(numbers.reshape(-1)[0]))
    if len(found) < len(LEVELS) or not numpy.isfinite(found).all() or not numpy.ptp(found):
        return False
    slope, height = line_through(numpy.array(LEVELS), numpy.array(found))
    is_near = SLOPES[0] <= slope <= SLOPES[1] and abs(height) <= OFF
    return is_near and float(numpy.corrcoef(LEVELS, found)[0, 1]) >= STRAIGHT
