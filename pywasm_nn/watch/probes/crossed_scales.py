"""Places in a map that a guest brings to the size of a picture: is each axis multiplied by its own factor?

What is here: `crossed`. A block of one class lies at a place alone, and then farther across and down: how far
what is written moves says the factors. What is not: places that aren't multiplied at all (`cells.py`,
`outlined.py`), and rows and columns that are exchanged (`cells.py`, `maps.py`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ...arrays import numpy
from ...records import Frozen
from ..spoken import Word
from .asked import Asked, Given
from .formulas import numbers
from .gridded import changed, moved
from .maps import SIZE

FEWEST, MOST_CLASSES = 12, 256
"""Rows and columns of a map, and its classes."""
PARTS = 4
"""A block is such a part of the map's height and width, begins there, and is moved by half of that."""
MOST_KINDS = 3
"""The rule tries so many classes until the guest writes one."""
NEAR, APART = 0.03, 0.12
"""Factors are nearly the same, as they may be rounded; and clearly others."""
SHARES = ((1, 1), (100, 100))
"""The sides of a picture of which places are said as shares, or in percent."""

Size = tuple[int, int]
Factors = tuple[float, float]


class Move(Frozen):
    """By how much numbers move with each column or row, and how much of that may be due to rounding."""

    by: float
    room: float

    @staticmethod
    def of(one: list[Word], other: list[Word], steps: int) -> Move:
        unit = max(one[at].unit for at in changed(one, other))
        return Move(moved(one, other) / steps, unit / steps)


Moves = tuple[Move, Move]


class Blocks:
    """An answer with one class in a block, and another one all around."""

    def __init__(self, index: int, output: Given) -> None:
        self.index, self.output = index, output
        own = output.planes(output.array)
        _, self.height, self.width = own.shape
        self._is_labels = own.dtype.kind in "iu" and len(own) == 1
        labels = own[0] if self._is_labels or len(own) == 1 else own.argmax(axis=0)
        self._low, self._high = own.min(), own.max()
        if self._is_labels or len(own) > 1:
            kinds, counts = numpy.unique(labels, return_counts=True)
            order = [int(kinds[at]) for at in numpy.argsort(-counts, kind="stable")]
        else:
            order = [0, 1]
        self._around, self.kinds = order[0], order[1:][:MOST_KINDS]

    def made(self, kind: int, row: int, column: int) -> Any:
        """An array with a block of a class from a row and column on."""
        array = self.output.array.copy()
        planes = self.output.planes(array)
        rows = slice(row, row + self.height // PARTS)
        columns = slice(column, column + self.width // PARTS)
        planes[:] = self._around if self._is_labels else self._low
        if self._is_labels:
            planes[0, rows, columns] = kind
        elif len(planes) == 1:
            planes[0, rows, columns] = self._high
        else:
            planes[self._around] = self._high
            planes[self._around, rows, columns] = self._low
            planes[kind, rows, columns] = self._high
        return array


def crossed(asked: Asked) -> str:
    """Returns a hint about places of which each axis is multiplied by what belongs to the other one, or "" if
    there are none."""
    known, beside = [*sizes_read(asked)], sizes_said(asked)
    for index, output in asked.fetched():
        if not is_map(output) or asked.is_batch(output):
            continue
        blocks = Blocks(index, output)
        moves = moves_of(asked, blocks)
        map_ = (blocks.width, blocks.height)
        inputs = [(one.width, one.height) for one in asked.pictures]
        if moves is None or any(
            is_by(moves, own(size, map_))
            for size in (map_, *inputs, *known, *beside, *(size[::-1] for size in beside), *SHARES)
        ):
            return ""
        for size in (*known, *beside, *SHARES):
            right = own(size, map_)
            for wrong in others(size, map_):
                if is_by(moves, wrong) and is_apart(wrong, right):
                    return told(output, map_, size, moves, right)
    return ""


def told(output: Given, map_: Size, size: Size, moves: Moves, right: Factors) -> str:
    """The hint about an output."""
    whole = f"a picture from 0 to {size[0]}" if size in SHARES else "a picture of {} x {}".format(*size)
    return (
        f"{output.what}: the guest writes places that move by {moves[0].by:.4g} with each column and by "
        f"{moves[1].by:.4g} with each row; {map_[0]} columns and {map_[1]} rows of {whole} are "
        f"{right[0]:.4g} and {right[1]:.4g} apart: are the factors of the two axes exchanged?"
    )


def is_map(output: Given) -> bool:
    """Whether an output may be a map of labels, of shares, or of scores of some classes."""
    lengths = output.lengths
    if output.array.dtype.kind not in "fiu" or len(lengths) not in (2, 3) or sorted(lengths)[-2] < FEWEST:
        return False
    is_of_classes = len(lengths) == 2 or min(lengths) in (lengths[0], lengths[2])
    return is_of_classes and (len(lengths) == 2 or min(lengths) <= MOST_CLASSES)


def sizes_read(asked: Asked) -> Iterator[Size]:
    """The width and height of pictures that were sent as a whole, in all of the input."""
    for one in asked.sent:
        placed = one.placed
        if placed is not None and placed.part == (0, 0, *placed.size) and placed.lies[2:] == placed.input:
            yield placed.size[1], placed.size[0]


def sizes_said(asked: Asked) -> list[Size]:
    """The sizes that the guest writes, or that are among its arguments."""
    text = "\n".join((asked.control.text, *asked.arguments))
    return [(int(wide), int(high)) for wide, high in SIZE.findall(text)]


def moves_of(asked: Asked, blocks: Blocks) -> Moves | None:
    """Returns by how much what is written moves with each column and row, or None if that isn't known."""
    row, column = blocks.height // PARTS, blocks.width // PARTS
    down, across = row // 2, column // 2
    for kind in blocks.kinds:
        first, beside, below = (
            numbers(asked.text(blocks.index, blocks.made(kind, row + by[0], column + by[1])) or "")
            for by in ((0, 0), (0, across), (down, 0))
        )
        places = changed(first, beside), changed(first, below)
        if all(places) and not {*places[0]} & {*places[1]}:
            return Move.of(first, beside, across), Move.of(first, below, down)
    return None


def own(size: Size, map_: Size) -> Factors:
    """The factors of both axes."""
    return size[0] / map_[0], size[1] / map_[1]


def others(size: Size, map_: Size) -> Sequence[Factors]:
    """The factors by the other sides of the map, and those of the other axis."""
    return (size[0] / map_[1], size[1] / map_[0]), own(size, map_)[::-1]


def is_by(moves: Moves, factors: Factors) -> bool:
    """Whether places move by these factors, perhaps rounded."""
    return all(abs(move.by - by) <= NEAR * by + move.room for move, by in zip(moves, factors, strict=True))


def is_apart(one: Factors, other: Factors) -> bool:
    """Whether both factors clearly differ."""
    return all(abs(a - b) > APART * max(a, b) for a, b in zip(one, other, strict=True))
