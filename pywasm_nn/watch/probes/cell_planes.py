"""Detectors whose answer has several numbers for each cell of a grid, as planes or side by side: is a cell's
place in the picture made of its own column and row, and of its own offsets?

What is here: `displaced`. One cell alone is the surest, then the one beside it and the one below it with the
same numbers; then its offsets are changed. What is not: maps of one number a cell (`cells.py`), rows of boxes
(`gridded.py`), and planes that are read as pairs (`heatmaps.py`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from copy import copy
from itertools import product
from typing import Any

from ...arrays import numpy
from ...records import Frozen
from ..facts import Picture
from ..regex import regex
from ..spoken import Word
from ..whatif.views import MIRRORED
from .asked import Asked
from .formulas import numbers

LEAST_SIDE, MOST_PLANES, SCORES = 6, 40, (0, 4)
"""Rows and columns of a grid, numbers of a cell, and where its score usually is among these."""
STEP, CHANGES = 2, (1.0, 2.5)
"""By how many cells the surest is moved, and by how much offsets are changed."""
NEAR = 0.03
OFFSETS = 8
"""So many numbers of a cell may be offsets."""
ROWS_FIRST = regex(r"\brow|\bline|\btop|\bheight|\by\b|\blat", re.IGNORECASE)
"""Words of texts in which the row, or y, is said first."""
SURE, HALF, FEWEST, TINY = 0.55, 0.5, 3, 1e-9
"""How sure cells are in which something was found, at most those around them, and how many there are."""
OUTSIDE, OFTEN = (-0.25, 1.25), 0.3
"""Offsets that lead out of a cell, and how often they do."""


class Planes:
    """All numbers of the cells [planes, rows, columns], and which of them is the score."""

    def __init__(self, asked: Asked, parts: Sequence[tuple[int, bool]], rows: int, columns: int) -> None:
        """`parts` are the outputs, and whether each has planes."""
        self.rows, self.columns = rows, columns
        self._asked, self._parts = asked, parts
        self._laid = [planar for _, planar in parts]
        """Whether each output is laid as planes for the guest."""
        taken = self.taken({index: asked.outputs[index].array for index, _ in parts})
        self._counts = [len(one) for one in taken]
        self.cells: Any = numpy.concatenate(taken)
        self.score = 0
        self.place = place_of(rows, columns)
        self.best: Any = None
        """The numbers of the surest cell."""

    @property
    def is_planar(self) -> bool:
        """Whether the output with most numbers for each cell has planes."""
        return self._parts[self._counts.index(max(self._counts))][1]

    def laid_otherwise(self) -> Planes:
        """The same numbers for questions in which each output has the other layout."""
        made = copy(self)
        made._laid = [not planar for planar in self._laid]
        return made

    @property
    def what(self) -> str:
        """The output that has most numbers for each cell."""
        return self._asked.outputs[self._parts[self._counts.index(max(self._counts))][0]].what

    def place_in_output(self, plane: int) -> tuple[str, int]:
        """The output that has this plane, and which one it is there."""
        for (index, _), count in zip(self._parts, self._counts, strict=True):
            if plane < count:
                return self._asked.outputs[index].what, plane
            plane -= count
        raise IndexError(plane)

    @property
    def others(self) -> list[int]:
        """The first numbers of a cell beside its score."""
        return [one for one in range(len(self.cells)) if one != self.score][:OFFSETS]

    @property
    def scores(self) -> Iterator[int]:
        """The numbers of a cell that may be its score: one that is an output of its own, or by custom."""
        if 1 in self._counts:
            yield sum(self._counts[: self._counts.index(1)])
        else:
            yield from (one for one in SCORES if one < len(self.cells))

    def taken(self, arrays: Mapping[int, Any]) -> list[Any]:
        """The planes of each output."""
        return [self._in_planes(arrays[index], planar) for index, planar in self._parts]

    def _in_planes(self, array: Any, planar: bool) -> Any:
        if planar:
            return array.reshape(-1, self.rows, self.columns)
        return array.reshape(self.rows, self.columns, -1).transpose(2, 0, 1)

    def choose(self, score: int) -> None:
        """Take this number of each cell for its score."""
        self.score = score
        at = int(self.cells[score].argmax())
        self.best = self.cells.reshape(len(self.cells), -1)[:, at].copy()

    def said(self, cell: int | None, changes: Mapping[int, float] | None = None) -> list[Word]:
        """The numbers that are written if this cell has the surest one's numbers, changed by so much, and
        all others have what most have."""
        own = self.best.copy()
        for plane, by in (changes or {}).items():
            own[plane] += by
        return numbers(self.text({} if cell is None else {cell: own}))

    def text(self, cells: Mapping[int, Any]) -> str:
        """What is written if these cells have these numbers, and all others what most have."""
        made = numpy.empty_like(self.cells)
        made[:] = numpy.median(self.cells, axis=(1, 2))[:, None, None]
        made[self.score] = self.cells[self.score].min()
        for cell, own in cells.items():
            made[:, cell // self.columns, cell % self.columns] = own
        answers, begins = {}, 0
        for (index, _), count, planar in zip(self._parts, self._counts, self._laid, strict=True):
            part, begins = made[begins : begins + count], begins + count
            shape = self._asked.outputs[index].array.shape
            laid = part if planar else part.transpose(1, 2, 0)
            answers[index] = numpy.ascontiguousarray(laid).reshape(shape)
        return self._asked.said(answers) or ""

    def moved(
        self, own: Sequence[Word], by: int, changes: Mapping[int, float] | None = None
    ) -> dict[int, Word]:
        """The numbers that are others if the cell lies so many elements farther in its plane, with how they
        are then; {} if it can't be said."""
        return moved_in(own, self.said(self.place + by, changes))

    def levels(self, scores: Any) -> Any:
        """How sure cells are by their scores: 1 as the surest one of the answer, 0 as most."""
        own = self.cells[self.score].astype("f8")
        usual = numpy.median(own)
        return (scores.astype("f8") - usual) / max(own.max() - usual, TINY)

    def around(self, levels: Any) -> Any:
        """The surest of the eight cells around each cell."""
        wide = numpy.pad(levels, 1, constant_values=-numpy.inf)
        others = [
            wide[down : down + self.rows, across : across + self.columns]
            for down, across in product(range(3), repeat=2)
            if (down, across) != (1, 1)
        ]
        return numpy.max(others, axis=0)

    @property
    def found(self) -> Any:
        """The cells [count, planes] in which something was found, if none of those around them is half as
        sure, so that each has all of it to itself; none if that isn't so."""
        levels = self.levels(self.cells[self.score])
        sure = levels >= SURE
        is_apart = (self.around(levels)[sure] < HALF).all()
        return self.cells[:, sure].T if is_apart else self.cells[:, :0, 0].T


class Seen(Frozen):
    """The numbers that are written of one cell, and those that are others of the cells beside and below
    it."""

    own: list[Word]
    beside: dict[int, Word]
    below: dict[int, Word]

    def direction(self, moved: Mapping[int, Word]) -> str:
        """Returns which of column and row these numbers follow, or "" for both and neither."""
        across, down = {*moved} & {*self.beside}, {*moved} & {*self.below}
        return "" if bool(across) == bool(down) else "column" if across else "row"

    def step(self, moved: Mapping[int, Word]) -> float:
        """By how much all these numbers are moved for each cell; 0 if by different ones."""
        by = [(word.value - self.own[place].value, word.unit) for place, word in moved.items()]
        if not by or any(abs(one - by[0][0]) > unit + abs(NEAR * one) for one, unit in by):
            return 0.0
        return by[0][0] / STEP


def seen_in(asked: Asked) -> tuple[Planes, Seen] | None:
    """Returns the numbers of cells that a guest fetches, and what it writes of one and those around it, or
    None if it writes of no cell. This takes several copies of the guest."""
    planes = planes_of(asked)
    seen = seen_of(planes) if planes is not None else None
    return None if planes is None or seen is None else (planes, seen)


def displaced(asked: Asked, planes: Planes, seen: Seen) -> str:
    """Returns what is wrong with the places of cells that are written, or "" if nothing is known to be."""
    wrong = exchanged(asked, planes, seen) or unsquashed(planes, seen)
    return wrong and f"{planes.what}: {wrong}"


def planes_of(asked: Asked) -> Planes | None:
    """The numbers of cells that a guest fetches, if the cells lie over a picture."""
    pictures = asked.pictures
    outputs = [(index, one) for index, one in asked.fetched() if one.array.dtype.kind == "f"]
    if not outputs or not pictures:
        return None
    sizes = [*sizes_of([one.lengths for _, one in outputs])]
    sizes.sort(key=lambda size: not any(is_even(size, one) for one in pictures))
    for rows, columns in sizes:
        if not any(one.height > rows and one.width > columns for one in pictures):
            continue
        parts = [
            (index, one.lengths[-2:] == [rows, columns])
            for index, one in outputs
            if len(one.lengths) <= 3 and [rows, columns] in (one.lengths[-2:], one.lengths[:2])
        ]
        if len(parts) == len(outputs):
            found = Planes(asked, parts, rows, columns)
            return found if 3 <= len(found.cells) <= MOST_PLANES else None
    return None


def is_even(size: tuple[int, int], picture: Picture) -> bool:
    """Whether cells are squares of whole pixels that fill a picture: 8 x 8 cells of 7 numbers have the shape
    of 8 planes of 8 x 7, too."""
    down, across = divmod(picture.height, size[0]), divmod(picture.width, size[1])
    return down == across and not down[1]


def sizes_of(lengths: Sequence[list[int]]) -> Iterator[tuple[int, int]]:
    """The rows and columns that a grid may have by the dimensions of outputs."""
    for one in lengths:
        if len(one) == 2 and min(one) >= LEAST_SIDE:
            yield one[0], one[1]
    for one in lengths:
        if len(one) == 3 and min(one[1:]) >= LEAST_SIDE and one[0] <= MOST_PLANES:
            yield one[1], one[2]
        if len(one) == 3 and min(one[:2]) >= LEAST_SIDE:
            yield one[0], one[1]


def moved_in(own: Sequence[Word], other: Sequence[Word]) -> dict[int, Word]:
    """The numbers of the other text that aren't those of the first one, by their places; {} if it has not as
    many."""
    if len(own) != len(other):
        return {}
    pairs = enumerate(zip(own, other, strict=True))
    return {place: new for place, (old, new) in pairs if old.value != new.value}


def seen_of(planes: Planes) -> Seen | None:
    """Returns what is written of a cell and those around it, or None if nothing written follows a cell."""
    for score in planes.scores:
        planes.choose(score)
        own = planes.said(planes.place)
        if len(own) <= len(planes.said(None)):
            continue
        beside, below = (planes.moved(own, STEP * by) for by in (1, planes.columns))
        if beside or below:
            return Seen(own, beside, below)
    return None


def place_of(rows: int, columns: int) -> int:
    """A cell from which one may go some cells across and down, also if rows and columns are exchanged."""
    for place in range(rows * columns // 3, rows * columns - STEP * max(rows, columns)):
        if place % columns + STEP < columns and place % rows + STEP < rows:
            return place
    return rows * columns // 3


def exchanged(asked: Asked, planes: Planes, seen: Seen) -> str:
    """Returns what is wrong if rows are taken for columns, or "" if they aren't."""
    if not {*seen.beside} & {*seen.below}:
        return exchanged_in_square(asked, planes, seen) if planes.rows == planes.columns else ""
    across = {*planes.moved(seen.own, STEP * planes.rows)}
    if not across - {*seen.beside} or not {*seen.beside} - across or not planes.columns % planes.rows:
        return ""
    return (
        "what the guest writes of the cell with the largest score follows it as if rows had "
        f"{planes.rows} cells; they have {planes.columns} ({planes.rows} rows of {planes.columns}): are "
        "rows and columns exchanged?"
    )


def exchanged_in_square(asked: Asked, planes: Planes, seen: Seen) -> str:
    """The same if there are as many rows as columns: the first of two numbers is the column, and has the
    first of the offsets, unless the text says otherwise."""
    if len(seen.beside) != 1 or len(seen.below) != 1 or ROWS_FIRST.search(asked.control.text):
        return ""
    (column,), (row,) = seen.beside, seen.below
    if row + 1 != column or min(map(abs, (seen.step(seen.beside), seen.step(seen.below)))) <= 1:
        return ""
    offsets = offsets_of(planes, seen)
    first, second = (next((at for at, one in offsets.items() if {*one} == {to}), -1) for to in (row, column))
    if not 0 <= first < second or are_columns_first(asked, planes):
        return ""
    return (
        f"of two numbers that the guest writes of a cell (such as {seen.own[row].text} and "
        f"{seen.own[column].text}) the first follows its row and the second its column in the answer's "
        f"{planes.rows} rows of {planes.columns}: are rows and columns exchanged?"
    )


def are_columns_first(asked: Asked, planes: Planes) -> bool:
    """Whether the model's answer to the picture's mirror image says that what the shape has for rows are
    columns: their order is the opposite one there."""
    mirrored = asked.answer_to(MIRRORED)
    if any(index not in mirrored for index in asked.outputs):
        return False
    taken = numpy.concatenate(planes.taken(mirrored))
    if taken.shape != planes.cells.shape:
        return False
    own, other = (planes.levels(one[planes.score]) for one in (planes.cells, taken))
    by_rows, by_columns = (float(abs(own - turned).mean()) for turned in (other[::-1], other[:, ::-1]))
    return by_rows < by_columns


def offsets_of(planes: Planes, seen: Seen, by: float = CHANGES[0]) -> dict[int, dict[int, Word]]:
    """By number of a cell, those that are written otherwise if it is larger by so much."""
    return {one: moved for one in planes.others if (moved := planes.moved(seen.own, 0, {one: by}))}


def unsquashed(planes: Planes, seen: Seen) -> str:
    """Returns what is wrong if offsets are added to cells as they are, though most would lead out of the
    cell, or "" if they aren't."""
    steps = [seen.step(one) for one in (seen.beside, seen.below)]
    found = planes.found
    if not all(steps) or len(found) < FEWEST or not leads_out(found[:, planes.others]):
        return ""
    added: list[int] = []
    for moved, step in zip((seen.beside, seen.below), steps, strict=True):
        plane = next((at for at, one in offsets_of(planes, seen).items() if {*one} == {*moved}), None)
        if plane is None or not all(is_added(planes, seen, plane, by, step) for by in CHANGES):
            return ""
        added.append(plane)
    values = found[:, added]
    below, above = values < OUTSIDE[0], values > OUTSIDE[1]
    if not (leads_out(values) and (below | above).mean() >= OFTEN):
        return ""
    return (
        "the guest adds two numbers of each cell to its column and row as they are; where something was "
        f"found they are {values.min():.3g} to {values.max():.3g} cells, often beyond the cell: are they "
        "logits, to be given to a sigmoid before?"
    )


def leads_out(values: Any) -> bool:
    """Whether numbers lead out of a cell, in both directions."""
    return bool((values < OUTSIDE[0]).any() and (values > OUTSIDE[1]).any())


def is_added(planes: Planes, seen: Seen, plane: int, by: float, step: float) -> bool:
    """Whether a number of a cell that is larger by so much moves all that is written of it as cells do."""
    moved = planes.moved(seen.own, 0, {plane: by})
    return bool(moved) and all(
        abs(word.value - seen.own[place].value - by * step) <= 1.01 * word.unit + abs(NEAR * by * step)
        for place, word in moved.items()
    )
