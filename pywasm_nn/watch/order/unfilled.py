"""A batch whose rows were written over each other, or too far apart, so that the other rows are zeros.

What is here: `Unfilled`. What is not: pictures of a batch that are the same or empty (`sent/batches.py`), and
the last batch of a file, which may have fewer items (`leftover.py`). Zeros may be silence, or padding of a
batch: a hint needs a line of the guest for each row, and sounds or tables in which zeros are rarer.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

from ...arrays import numpy
from ...interpreter.runtime.observe import HostEvent
from ...nn.operation import NNEvent
from ..facts import picture_of
from ..follower import Follower
from ..origin.decoding import decoded
from ..origin.tables import tables_in
from ..regex import regex
from ..spoken import Heard, filled_lines
from ..surroundings import Files
from .leftover import groups

MOST_TEXT = 8192
MOST_BYTES = 4 << 20
FEWEST_ROWS, FEWEST = 3, 4
"""Rows of a batch, and elements of a row."""
ELEMENTS = 0.5
"""A row that is filled has at least so many elements that aren't 0."""
USUAL, MOST_LOST = (1, 4, 8), 3
"""Distances of rows in elements if it isn't multiplied, or by the bytes of an element; and the last elements
that may be 0."""
A_BASE = regex(r"base|zero|empty|blank|null|reference|neutral|all 0", re.IGNORECASE)
"""A guest that writes one of these words also asks about zeros, to compare other answers with that one."""
PARTS = regex(r"[,;|\t\n]| {2,}")
"""The marks between the parts of a text of which each says something of one row."""
RARER = 0.5
"""Zeros are so many times as rare in the files, at least."""


class Unfilled(Follower):
    """Gives a hint at the end, as a pair of a rule's name and a sentence."""

    def __init__(self, files: Files = tuple, sound: Callable[[], Any] = lambda: None) -> None:
        """`sound` gives the sound that was read last, with its samples as an array; None if there is none."""
        self._files, self._sound = files, sound
        self._wrong: dict[Any, tuple[int, int, str]] = {}
        """Maps a model and its input to the rows of the first batch, how many are filled, and what is
        wrong."""
        self._sets: Counter[Any] = Counter()
        self._heard = Heard(MOST_TEXT)

    def nn_event(self, event: NNEvent) -> None:
        """An operation ended."""
        if event.error is not None or not event.operation.startswith("set_input") or not event.tensors:
            return
        key = event.graph_id, event.model, event.index
        self._sets[key] += 1
        tensor, shape = event.tensors[0], event.specs[0].shape or ()
        varies = bool(shape) and not isinstance(shape[0], int)
        if self._sets[key] > 1 or not varies or len(tensor.shape) < 2 or tensor.shape[0] < FEWEST_ROWS:
            return
        batch = tensor.numbers() if tensor.nbytes <= MOST_BYTES else None
        if batch is None or batch.dtype.kind not in "fiu":
            return
        rows = batch.reshape(tensor.shape[0], -1)
        own = picture_of(tensor.shape)
        wrong = misplaced(rows, None if own is None else (own.width, own.height * own.width))
        if wrong and not self._has_zeros(float((rows == 0).mean())):
            said = f'input {event.index} "{event.specs[0].name}": the guest writes of {len(rows)} rows, and'
            self._wrong[key] = len(rows), int(rows.any(axis=1).sum()), f"{said} {wrong}"

    def _has_zeros(self, share: float) -> bool:
        """Whether zeros may come from what was read: from silence, from lines of zeros or of one number, from
        which it was taken away, or from pictures of mostly one colour."""
        sound = self._sound()
        if sound is not None:
            return bool((sound.array == 0).mean() > RARER * share)
        read = (decoded(name, data) for name, data in self._files())
        pictures = [one.array for one in read if one is not None and one.is_picture]
        if pictures:
            return max(map(most_of_one, pictures)) > RARER * share
        tables = [table.numbers for _, table in tables_in(self._files())]
        return not tables or any((one == one[:, :1]).all(axis=1).any() for one in tables if one.shape[1] > 1)

    def host_call(self, event: HostEvent) -> None:
        """A host function returned."""
        if self._wrong:
            self._heard.add(event)

    def finish(self) -> Iterator[tuple[str, str]]:
        """A hint when the guest has ended."""
        text = self._heard.text
        of_a_kind, every = groups(text), len(filled_lines(text))
        parts = len([one for one in PARTS.split(text) if one.strip()])
        for key, (count, filled, wrong) in self._wrong.items():
            if filled == count - 1 and A_BASE.search(text):
                continue
            lines = count * self._sets[key]
            # A line for each row that is filled, and one more about all of them, are as many.
            if lines in of_a_kind or (lines in (every, parts) and filled not in of_a_kind):
                yield "zeros", wrong
                return


def most_of_one(picture: Any) -> float:
    """The share of a picture's pixels that have the most frequent value of its first channel."""
    return float(numpy.bincount(picture[..., 0].reshape(-1).astype("i8")).max() / picture[..., 0].size)


def misplaced(rows: Any, picture: tuple[int, int] | None = None) -> str:
    """Returns what is wrong with the places of rows in a batch, of which most elements are 0, or "" if
    nothing is. `picture`: the elements of a picture's row and plane, if rows are pictures."""
    count, size = rows.shape
    filled = numpy.flatnonzero(rows.any(axis=1)).tolist()
    if size < FEWEST or not filled or (rows[filled[0]] != 0).mean() < ELEMENTS:
        return ""
    if filled == [*range(1, count)] and (rows[1:] != 0).mean() >= ELEMENTS:
        return "row 0 is all 0, where the others are filled: does the first item go to row 1?"
    if filled == [*range(count - 1)] and (rows[:-1] != 0).mean() >= ELEMENTS:
        return (
            f"row {count - 1}, the last one, is all 0, where the others are filled: is one row counted "
            "too many (such as that of the headings)?"
        )
    if filled[0]:
        return ""
    step = filled[1] if len(filled) > 1 else 0
    if step in {rows.itemsize, 8} and filled == [*range(0, count, step)]:
        return (
            f"only each {step}th of these ({size} elements each) is filled, the others are 0: was the "
            f"distance of rows multiplied by the {step} bytes of an element, though addresses of elements "
            "count them?"
        )
    end = int(numpy.flatnonzero(rows.reshape(-1))[-1]) + 1
    if end <= size:
        return (
            f"only the first of these ({size} elements each) is filled, the others are 0: does each row "
            f"begin {size} elements behind the one before?"
        )
    apart = distance(end - size, count - 1)
    if not 0 < apart < size or (picture is not None and apart not in {*USUAL, *picture}):
        return ""
    nearer = rows.reshape(-1)[: count * apart].reshape(-1, apart)
    if has_kinds(rows) > has_kinds(nearer):
        return ""  # the last row ends with the zeros of a kind's elements
    return (
        f"all elements behind the {end:,}th are 0: the rows, of {size} elements each, seem to be written "
        f"{apart} element{'' if apart == 1 else 's'} apart, over each other"
    )


def has_kinds(rows: Any) -> int:
    """The number of columns that are zeros and ones alone: an element for each kind (one-hot). Rows at
    another distance than theirs mix them with others."""
    return int((((rows == 0) | (rows == 1)).all(axis=0) & (rows == 1).any(axis=0)).sum())


def distance(length: int, steps: int) -> int:
    """How far apart rows begin that take up so many more elements than one row; 0 if that can't be. The last
    elements of the last row may be 0 themselves, where the distance is a usual one."""
    apart, rest = divmod(length, steps)
    if not rest:
        return apart
    return next((usual for usual in USUAL if 0 < usual * steps - length <= MOST_LOST), 0)
