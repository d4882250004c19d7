"""Windows of an accelerometer of which the stillest is said to be a run or a walk, and one that moves to be a
rest: the names of the classes are in another order than the model's.

What is here: `StillOnes`. What is not: files that are named after what they show (`written/by_files.py`), and
windows in another unit or order of axes (`whatif/motions.py`).

Several signs are asked for: gravity in each window says that it is an accelerometer's, and in which unit; one
window hardly moves, and each that is said to be a rest moves several times as much; and the model, which
is sure of three classes or more, gives that window one of its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from ...arrays import numpy
from ...interpreter.runtime.observe import HostEvent
from ...nn.operation import NNEvent
from ...nn.tensor import Tensor
from ...records import Frozen
from ..follower import Follower, only_answer
from ..origin.comparing import are_shares, softmax
from ..regex import regex
from ..spoken import filled_lines
from ..whatif.motions import GRAVITY, SPACE, steps_and_axes
from ..whatif.one_model import OneModel

FEWEST, MOST, MOST_ELEMENTS = 3, 64, 1 << 16
"""Windows, and classes that the model tells apart; and the most windows, and elements of an input."""
NEAR = 0.15
"""How far gravity in a window may be from 1 g, by its means: it isn't in the middle of a turn."""
STILL, MOVES, TIMES = 0.05, 0.1, 3.0
"""The deviation of an axis in g, all in all, of what lies or sits, and of what moves, and how many times
as large that is at least."""
SURE = 0.75
RESTS, MOTIONS = (
    regex(rf"(?<![^\W_])(?:{words})(?![^\W_])", re.IGNORECASE)
    for words in (
        r"rest(?:s|ing)?|still|sit(?:s|ting)?|stand(?:s|ing)?|lie|lying|idle|sleep(?:s|ing)?|asleep"
        r"|stationary|motionless",
        r"walk(?:s|ing)?|run(?:s|ning)?|jog(?:s|ging)?|row(?:s|ing)?|jump(?:s|ing)?|climb(?:s|ing)?"
        r"|skip(?:s|ping)?|danc(?:es?|ing)|sprint(?:s|ing)?",
    )
)
DIGITS = regex(r"\d+")
DENIED = regex(r"(?<!\w)(?:not?|never|without|before|after|next|until)(?!\w)|n't", re.IGNORECASE)
"""With one of these a line may say something else of a window."""


class Window(Frozen):
    """How much a window moves, in g, and the class that the model is sure of, or -1."""

    moved: float
    best: int


class StillOnes(Follower):
    """Gives a hint at the end, as a pair of a rule's name and a sentence."""

    def __init__(self) -> None:
        self._model = OneModel(windows_of, are_all_known=True)
        self._kept: list[Window] = []
        self._begins: list[int] = []
        """How much had been written at each compute."""

    def host_call(self, event: HostEvent) -> None:
        """A host function returned."""
        self._model.host_call(event)

    def nn_event(self, event: NNEvent) -> None:
        """An operation ended."""
        given = self._model.computed(event)
        if given is None:
            return
        scores = only_answer(event.tensors)
        found = windows(given, scores)
        self._model.is_over = not found or len(self._kept) + len(found) > MOST
        self._kept += found
        self._begins += [len(self._model.heard.data)] * len(found)

    def finish(self) -> Iterator[tuple[str, str]]:
        """A hint when the guest has ended."""
        kept = self._kept
        if self._model.is_over or len({one.best for one in kept} - {-1}) < FEWEST:
            return
        lines = self._lines()
        if len(lines) != len(kept) or any(DENIED.search(line) for line in lines):
            return
        rests = [one for one, line in zip(kept, lines, strict=True) if RESTS.search(line)]
        least = min(kept, key=lambda one: one.moved)
        said = lines[kept.index(least)].strip()
        if not rests or RESTS.search(said) or least.best < 0 or least.moved > STILL:
            return
        slowest = min(rests, key=lambda one: one.moved)
        if slowest.moved < max(MOVES, TIMES * least.moved) or least.best in {one.best for one in rests}:
            return
        other = lines[kept.index(slowest)].strip()
        yield (
            "answer",
            f'the guest says "{said[:40]}" of the window of an accelerometer that is the stillest '
            f'({least.moved:.2g} g in an axis), and "{other[:40]}" of one with {slowest.moved:.2g} g; '
            f"the model gives only the first one class {least.best}: are the names in another order than "
            "the model's classes?",
        )

    def _lines(self) -> list[str]:
        """The line that says of each window what it is, or [] if that isn't known."""
        data, ends = bytes(self._model.heard.data), [*self._begins[1:], len(self._model.heard.data)]
        pieces = [
            data[one:end].decode("utf-8", "replace") for one, end in zip(self._begins, ends, strict=True)
        ]
        first = [telling(one)[:1] for one in pieces]
        if all(first):
            return [line for one in first for line in one]
        alike: dict[str, list[str]] = {}
        for line in telling(self._model.heard.text):
            form = DIGITS.sub("0", RESTS.sub("", MOTIONS.sub("", line)))
            alike.setdefault(form, []).append(line)
        # What is counted of all comes behind what is said of each.
        return next((lines for lines in alike.values() if len(lines) == len(self._kept)), [])


def telling(text: str) -> list[str]:
    """The lines that say either a rest or a motion."""
    return [one for one in filled_lines(text) if bool(RESTS.search(one)) is not bool(MOTIONS.search(one))]


def windows_of(tensor: Tensor) -> Tensor | None:
    """Returns a copy of an input of windows with an accelerometer's axes, or None for anything else."""
    numbers = tensor.numbers() if tensor.size <= MOST_ELEMENTS and len(tensor.shape) > 1 else None
    if numbers is None or numbers.dtype.kind != "f" or steps_and_axes(tensor.shape[1:]) is None:
        return None
    return Tensor(tensor.dtype, tensor.shape, bytes(tensor.view()))


def windows(tensor: Tensor, scores: Any) -> Sequence[Window]:
    """The windows of an input and the classes of each, or () if gravity isn't in all, in one unit."""
    form, rows = steps_and_axes(tensor.shape[1:]), tensor.shape[0]
    if (
        form is None
        or scores is None
        or scores.dtype.kind != "f"
        or scores.size < rows * FEWEST
        or scores.size % rows
    ):
        return ()
    steps, axes, is_together = form
    array = tensor.numpy().astype("f8").reshape(rows, *((steps, axes) if is_together else (axes, steps)))
    each = (array if is_together else array.swapaxes(1, 2))[:, :, :SPACE]
    pulls = numpy.linalg.norm(each.mean(axis=1), axis=1)
    unit = next((one for one in (1.0, GRAVITY) if (abs(pulls / one - 1) <= NEAR).all()), 0.0)
    if not unit:
        return ()
    answers = scores.astype("f8").reshape(rows, -1)
    shares = answers if are_shares(answers) else softmax(answers)
    moved = numpy.sqrt(each.var(axis=1).mean(axis=1)) / unit
    return [
        Window(float(one), int(row.argmax()) if row.max() >= SURE else -1)
        for one, row in zip(moved, shares, strict=True)
    ]
