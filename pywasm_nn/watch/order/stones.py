"""Boards in two planes whose stones can't lie so: some are in both planes, or hang in the air.

What is here: `Stones`. What is not: whose marks come first (`whatif/sides_to_move.py`), and squares that are
taken (`probes/boards.py`).

A board that is filled again for each move, and not set to zero before, has stones in both planes if the
planes change sides: no board that was begun is like that, and no stone goes away. Where stones fall (as in
Connect Four) none lies above a free square. If many do in all boards, and none would if the elements of each
plane were columns one after the other, rows and columns of the file were exchanged.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ...arrays import numpy
from ...nn.operation import NNEvent
from ..follower import Follower, inputs_of
from ..whatif.sides_to_move import FEWEST, MOST_SQUARES, axis_of, has_axis

MOST_KEPT, PLANES = 64, 2
FEWEST_BOARDS, FEWEST_IN_BOTH = 3, 2
"""Boards that have stones in both planes, and so many stones of the last one."""
FEWEST_FALLEN, FEWEST_STONES, LEAST_SIDE = 2, 12, 5
"""Boards with stones that hang, all stones of these, and the sides of a board onto which stones fall."""
HANGING = 0.1
"""At least this part of the stones hangs."""


class Stones(Follower):
    """Gives a hint at the end, as a pair of a rule's name and a sentence."""

    def __init__(self) -> None:
        self._boards: dict[Any, tuple[str, list[Any]]] = {}
        """By model and input, how that is called, and its boards [planes, rows, columns]."""

    def nn_event(self, event: NNEvent) -> None:
        """An operation ended."""
        if event.error is not None:
            return
        for index, spec, tensor in inputs_of(event):
            key = event.graph_id, index
            kept = self._boards.setdefault(key, (f'input {index} "{spec.name}"', []))[1]
            is_board = PLANES * FEWEST <= tensor.size <= PLANES * MOST_SQUARES
            planes = planes_in(tensor.numpy()) if is_board and len(kept) < MOST_KEPT else None
            if planes is not None and all(one.shape == planes.shape for one in kept[:1]):
                kept.append(planes)

    def finish(self) -> Iterator[tuple[str, str]]:
        """A hint when the guest has ended."""
        for what, boards in self._boards.values():
            if wrong := in_both(boards) or hanging(boards):
                yield "origin", f"{what}: {wrong}"
                return


def planes_in(array: Any) -> Any:
    """Returns zeros and ones [planes, rows, columns] of a board, or None for any other input."""
    if array.dtype.kind not in "fiu" or not has_axis(array) or not ((array == 0) | (array == 1)).all():
        return None
    planes = numpy.moveaxis(array, axis_of(array), 0).astype(bool)
    lengths = [length for length in planes.shape[1:] if length != 1]
    return planes.reshape(PLANES, *lengths) if len(lengths) == PLANES else None


def in_both(boards: Sequence[Any]) -> str:
    """Returns what is wrong with boards that have more and more stones in both planes, or "" if nothing
    is."""
    different = [one for at, one in enumerate(boards) if not at or (one != boards[at - 1]).any()]
    counts = [int(one.all(axis=0).sum()) for one in different]
    begun = next((at for at, count in enumerate(counts) if count), 0)
    after = different[begun:]
    if not begun or len(after) < FEWEST_BOARDS or counts[-1] < FEWEST_IN_BOTH:
        return ""
    kept = [
        bool((later >= earlier).all()) for earlier, later in zip(different[begun - 1 :], after, strict=False)
    ]
    if not all(kept) or min(counts[begun:]) < 1:
        return ""
    return (
        f"from input {begun + 1} on squares have a stone in both planes, at last {counts[-1]} of "
        f"{boards[0][0].size}, and no stone goes away: are the planes to be set to 0 before each board?"
    )


def hanging(boards: Sequence[Any]) -> str:
    """Returns what is wrong with boards of which stones hang in the air, and lie on each other with rows and
    columns exchanged, or "" if nothing is."""
    stones = [one.any(axis=0) for one in boards if not one.all(axis=0).any()]
    if len({one.tobytes() for one in stones}) < FEWEST_FALLEN or len(stones) < len(boards):
        return ""
    height, width = stones[0].shape
    total = sum(int(one.sum()) for one in stones)
    if min(height, width) < LEAST_SIDE or height == width or total < FEWEST_STONES:
        return ""
    if min(sum(map(hang, turned(stones, up=up))) for up in (False, True)) < HANGING * total:
        return ""
    exchanged = [one.reshape(width, height).T for one in stones]
    for up in (False, True):
        if sum(map(hang, turned(exchanged, up=up))) == 0:
            end = "lowest" if up else "uppermost"
            return (
                f"stones of {len(boards)} boards hang above free squares, and none does if each plane has "
                f"{width} columns of {height} squares one after the other, the {end} first, and not "
                f"{height} rows of {width}: are rows and columns of the board exchanged?"
            )
    return ""


def turned(boards: Sequence[Any], *, up: bool) -> list[Any]:
    """Boards with their lowest row last; `up`: those that have it first."""
    return [one[::-1] if up else one for one in boards]


def hang(stones: Any) -> int:
    """How many stones are above a free square."""
    return int((stones[:-1] & ~stones[1:]).sum())
