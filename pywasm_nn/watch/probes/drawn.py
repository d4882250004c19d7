"""Boxes that a guest writes in pixels: in which picture, and from which of their numbers are they made?

What is here: `misdrawn`. One box alone has a score, and one of its four numbers after the other is changed:
each number that is written follows them along a line. Where the picture lies in the input says which line is
right. What is not: which boxes are kept (`suppression.py`), and rows of other lengths (`rows.py`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from itertools import permutations
from typing import Any

from ...records import Frozen
from ..regex import regex
from ..spoken import Word
from ..whatif.views import MIRRORED
from .asked import Asked, Placed
from .counted_anchors import in_pixels
from .formulas import NUMBER, numbers
from .mirrored_boxes import by_their_middle
from .outside import beside_size, beyond_picture, unlike_size
from .suppression import BOX, LESS, Boxes, boxes_of, rows_like

STEP = 0.1
"""By how much a number is changed, as a part of the range of all middles."""
NEAR = 0.03
"""How far a factor may be from another one."""
PIXELS = 2.5
"""Numbers of boxes go beyond this, unless they are parts of the picture."""
LARGER = 1.2
"""A picture is so much larger than the input that boxes in the one are none in the other."""
OUTSIDE, OVER_ALL = 0.3, 0.4
"""Places lie no farther before the input, and the last ones so far on in it, as a part of its size."""
PICTURE = 3
"""The dimensions of a picture alone."""
FEWEST, BEYOND = 3, 0.15
"""So many boxes are needed, and this part of one may lie beyond the picture."""
LEFT_TOP = regex(
    r"\b(?:left|top)\b\W{0,3}\d+(?:\.\d+)?\W{1,3}(?:left|top)\b\W{0,3}\d+(?:\.\d+)?",
    re.IGNORECASE,
)
"""Words by which numbers are a first corner."""
PARTS = (0.8, 0.7, 0.88)
"""Sides of a box in another one, as parts of its sides: both share 0.64 of their area, 0.49 or 0.77, and
0.43, 0.26 or 0.61 if the smaller one lies as far out as `_is_dropped` puts it. Thresholds lie between."""
OF_THE_INPUT = regex(r"\b(?:input|model|network|resized|tensor|scaled|grid|cell_?size)\b", re.IGNORECASE)


class Line(Frozen):
    """How a written number follows the numbers of a box: `value` with these, plus `factors` times changes."""

    value: float
    factors: tuple[float, ...]
    room: float
    """How far factors may be from what they are, because numbers are rounded."""

    def follows(self, *places: int) -> bool:
        """Whether it follows these numbers of the box, the first of them at least, and no other."""
        moved = [place for place, factor in enumerate(self.factors) if abs(factor) > self.room]
        return places[0] in moved and {*moved} <= {*places}

    def zero(self, box: Sequence[float]) -> float:
        """Returns what the number would be with a box of zeros."""
        return self.value - sum(factor * one for factor, one in zip(self.factors, box, strict=True))


class Axis(Frozen):
    """One direction: the `size` of the picture, from where to where the part of it (`start`, `end`), where
    that lies in the input (`place`, `length`), and the `input`'s size."""

    what: str
    size: int
    start: int
    end: int
    place: int
    length: int
    input: int

    @property
    def scale(self) -> float:
        return (self.end - self.start) / self.length


def misdrawn(asked: Asked) -> str:
    """Returns what is wrong with the boxes that are written, or "" if nothing is."""
    boxes = boxes_of(asked)
    placed = next((one.placed for one in asked.sent if one.placed is not None), None)
    if boxes is None or placed is None or (best := boxes.best) is None:
        return ""
    drawing = Drawing(asked, boxes, best)
    wrong = drawing.wrong(axes(placed)) or drawing.unscaled(placed)
    wrong = wrong or drawing.outside(placed) or drawing.as_sent(placed) or drawing.cornered(placed)
    return wrong and f"{drawing.what}: {wrong}"


def axes(placed: Placed) -> tuple[Axis, Axis]:
    top, left, bottom, right = placed.part
    row, column, high, wide = placed.lies
    return (
        Axis("x", placed.size[1], left, right, column, wide, placed.input[1]),
        Axis("y", placed.size[0], top, bottom, row, high, placed.input[0]),
    )


class Drawing:
    """What a guest writes of the surest box alone."""

    def __init__(self, asked: Asked, boxes: Boxes, best: int) -> None:
        self._asked = asked
        self._made = boxes.made(best, {best: 1.0})
        self._boxes = boxes
        self._best = best
        others = [index for index in boxes.outputs if index != boxes.index]
        self._index = others[0] if others else boxes.index
        self.what = boxes.outputs[self._index].what
        known = in_pixels(boxes.outputs[self._index], asked) if others else None
        rows = boxes.rows(boxes.outputs[self._index].array)
        self._rows = rows[:, :BOX].astype("f8") if known is None else known
        self._cells = self._rows - rows[:, :BOX]
        self._number = "element" if known is None else "place in the input"
        self._box = self._rows[best]

    @property
    def _in_pixels(self) -> bool:
        return bool(abs(self._rows).max() > PIXELS)

    @cached_property
    def _alone(self) -> str:
        """What is written of this box."""
        return self._asked.said(self._made) or ""

    def _said(self, place: int, change: float) -> list[Word]:
        array = self._made[self._index].copy()
        self._boxes.rows(array)[self._best, place] += array.dtype.type(change)
        return numbers(self._asked.said(self._made | {self._index: array}) or "")

    @cached_property
    def _lines(self) -> list[Line]:
        """How each number that is written follows the box, or [] if not as many are written each time."""
        reach = STEP * float((self._rows[:, :2].max(0) - self._rows[:, :2].min(0)).max())
        middle = self._rows.mean(0)
        changes = [reach if self._box[place] <= middle[place] else -reach for place in range(BOX)]
        own = numbers(self._alone)
        others = [self._said(place, change) for place, change in enumerate(changes)] if reach > 0 else []
        if not own or not others or any(len(one) != len(own) for one in others):
            return []
        return [
            Line(
                word.value,
                tuple(
                    (one[at].value - word.value) / change for one, change in zip(others, changes, strict=True)
                ),
                1.01 * word.unit / reach,
            )
            for at, word in enumerate(own)
        ]

    def _along(self, axis: int) -> Iterator[Line]:
        """The numbers that follow a middle or corner in one direction."""
        return (line for line in self._lines if line.follows(axis, axis + 2))

    def _is(self, line: Line, axis: int, factor: float, zero: float, size: int) -> bool:
        """Whether a number is its middle or corner times a factor plus a number, in pixels."""
        own = line.factors[axis] / (1.0 if self._in_pixels else size)
        room = line.room / (1.0 if self._in_pixels else size) + NEAR * factor
        apart = abs(line.zero(self._box) - zero)
        loose = line.room * float(abs(self._box[:2]).max())  # factors of whole numbers are rounded
        return abs(own - factor) <= room and apart <= max(2.0, NEAR * size * factor, loose)

    def wrong(self, both: Sequence[Axis]) -> str:
        """Numbers in the picture's pixels as if it lay elsewhere in the input. Rows may begin with x or y: in
        neither order may all be right."""
        first, second = self._ordered(both), self._ordered(both[::-1])
        return "" if None in (first, second) else first or second or ""

    def _ordered(self, order: Sequence[Axis]) -> str | None:
        """Returns what is wrong if rows begin with the first of these, or None if all is right then."""
        said = []
        for number, axis in enumerate(order):
            moved = axis.start - axis.place * axis.scale
            ways = {
                "right": (axis.scale, moved),
                "in the input": (1.0, 0.0),
                "stretched": (axis.size / axis.input, 0.0),
            }
            if axis.end - axis.start == axis.size:
                ways["bars"] = (axis.scale, 0.0)
            for line in self._along(number):
                fits = [
                    way for way, (by, zero) in ways.items() if self._is(line, number, by, zero, axis.input)
                ]
                if fits == ["bars"] or fits == ["stretched"]:
                    return self._sentence(axis, moved, fits[0])
                said.append(bool(fits))
        return None if all(said) else ""

    def _sentence(self, axis: Axis, moved: float, way: str) -> str:
        lies = f"pixels {axis.place} to {axis.place + axis.length} of the input's {axis.input}"
        part = "the picture's" if axis.end - axis.start == axis.size else f"{axis.start} to {axis.end} of the"
        right = (
            f"{axis.what} = {axis.scale:.4g} * {self._number} {'+' if moved >= 0 else '-'} {abs(moved):.4g}"
        )
        said = (
            f"{axis.what} = {axis.scale:.4g} * {self._number}: are the bars of the letterbox not taken away?"
            if way == "bars"
            else f"{axis.what} = {axis.size / axis.input:.4g} * {self._number}, as if it filled the input"
        )
        return f"{part} {axis.size} pixels lie in {lies}, so that {right}; the guest writes {said}"

    def unscaled(self, placed: Placed) -> str:
        """Numbers in the input's pixels, beside the picture's other size."""
        text = self._asked.control.text
        if not beside_size(text, placed) or OF_THE_INPUT.search(text) or not self._in_input(placed):
            return ""
        return unlike_size(text, placed, "boxes")

    def outside(self, placed: Placed) -> str:
        """Numbers in the input's pixels, of a smaller picture, beyond which some boxes lie."""
        text, places = self._asked.control.text, ([*self._places(0)], [*self._places(1)])
        if not self._in_input(placed) or OF_THE_INPUT.search(text):
            return ""
        return beyond_picture(text, (places[0], places[1]), placed)

    def as_sent(self, placed: Placed) -> str:
        """Numbers in the input's pixels, where the picture lies in another size than its own."""
        (height, width), (high, wide) = placed.size, placed.input
        down, across = height / placed.lies[2], width / placed.lies[3]
        is_whole = placed.part == (0, 0, height, width)
        text = self._asked.control.text
        if not is_whole or max(down, across, 1 / down, 1 / across) < LARGER or OF_THE_INPUT.search(text):
            return ""
        if not self._are_places(placed):
            return ""
        if any(re.search(rf"(?<![\w.]){one}(?![\w.])", text) for one in {wide, high}):
            return ""  # the size to which places belong is said
        sides = [line for line in self._lines if any(abs(factor) > line.room for factor in line.factors)]
        if len(sides) < BOX or not self._in_input(placed):
            return ""
        return (
            f"the guest writes boxes in the {wide} x {high} pixels of the input, where the picture lies as "
            f"{placed.lies[3]} x {placed.lies[2]}; it has {width} x {height} itself: are they not multiplied "
            f"by {across:.4g} across and {down:.4g} down?"
        )

    def _are_places(self, placed: Placed) -> bool:
        """Whether rows begin with numbers that may be places all over one input, and not with any others,
        such as those of classes of several pictures."""
        size = min(placed.input) if self._in_pixels else 1.0
        low, high = float(self._rows.min()), float(self._rows.max())
        shapes = [one.shape for one in self._asked.sent if one.placed is not None]
        is_one = all(len(shape) == PICTURE or shape[0] == 1 for shape in shapes)
        return is_one and low >= -OUTSIDE * size and high >= OVER_ALL * size

    def _in_input(self, placed: Placed) -> bool:
        """Whether all numbers that follow a middle or corner are in the input's pixels."""
        for axis, size in enumerate(reversed(placed.input)):
            lines = [*self._along(axis)]
            if not lines or not all(self._is(line, axis, 1.0, 0.0, size) for line in lines):
                return False
        return True

    def _places(self, axis: int) -> Iterator[int]:
        return (at for at, line in enumerate(self._lines) if line.follows(axis, axis + 2))

    def cornered(self, placed: Placed) -> str:
        """Middles of boxes that are written as their first corner: so they go beyond the picture, or the
        picture's mirror image shows it."""
        corners, text = self._corners(), self._asked.control.text
        if not corners:
            said = self._said_of_first(text) if self._are_as_in_rows() else ""
            return said and self._mirrored(said, placed.input[1])
        factors = [self._lines[corners[axis]].factors[axis] for axis in (0, 1)]
        before = 0
        for line in self._alone.splitlines():
            count = len(NUMBER.findall(line))
            if before <= min(corners) and max(corners) < before + count:
                rows = rows_like(line, text)
                boxes = [[row[at - before] for at in corners] for row in rows if len(row) == count]
                said = ", ".join(f"{one:g}" for one in boxes[0]) if boxes else ""
                ends = [
                    abs(factor) * (size if self._in_pixels else 1.0)
                    for factor, size in zip(factors, reversed(placed.input), strict=True)
                ]
                said = f"writes {said} as two corners, {OF_WHICH}"
                return beyond(boxes, ends) or self._mirrored(said, placed.input[1])
            before += count
        return ""

    def _said_of_first(self, text: str) -> str:
        """By what it is known that the guest takes the first two numbers of a row for a corner, or ""."""
        if (named := LEFT_TOP.search(text)) is not None:
            return f'writes "{named[0]}", {OF_WHICH}'
        equal = self._boxes.made(self._best, {self._best: 1.0, self._best ^ 1: LESS})
        if self._number != "element" or self._asked.said(equal) != self._alone:
            return ""
        for part in PARTS:
            in_corners = self._is_dropped(equal, part, 1 - part)
            if in_corners != self._is_dropped(equal, part, (part - 1) / 2):
                return COMPARED if in_corners else ""
        return ""

    def _is_dropped(self, equal: Mapping[int, Any], part: float, by: float) -> bool:
        """Whether the guest writes nothing of a less sure second box, whose sides are this part of the first
        one's, and whose row begins with numbers that are larger `by` so much of them."""
        array = equal[self._index].copy()
        row = self._boxes.rows(array)[self._best ^ 1]
        row[:2] += (by * row[2:BOX]).astype(array.dtype)
        row[2:BOX] = (part * row[2:BOX]).astype(array.dtype)
        return self._asked.said({**equal, self._index: array}) == self._alone

    def _mirrored(self, said: str, width: int) -> str:
        """Returns what is wrong with a first corner that is the middle, as the mirror image shows."""
        size = width if self._in_pixels else 1.0
        found = by_their_middle(self._boxes, self._asked.answer_to(MIRRORED), size, self._cells)
        if found is None:
            return ""
        begins = ", with its cell added," * (self._number != "element") + " begins"
        return (
            f"the guest {said}; in the picture's mirror image a row that{begins} with {found[0]:.3g} begins "
            f"with {found[1]:.3g} of {size:g}, as a middle does and no corner: rows begin with the middle, "
            "so take half of the size away first"
        )

    def _are_as_in_rows(self) -> bool:
        """Whether the four numbers of a box are written beside each other as they are, but for a factor."""
        several = [self._lines[at : at + BOX] for at in range(len(self._lines) - BOX + 1)]
        return any(all(any(line.follows(at) for line in one) for at in range(BOX)) for one in several)

    def _corners(self) -> Sequence[int]:
        """Returns the places of two numbers that are the first two numbers of the box, and of two others that
        are those with its sizes added, which may stand between them; [] if there are none."""
        found = [
            next(
                (
                    (at, end)
                    for at, end in permutations(range(len(self._lines)), 2)
                    if self._is_added(self._lines[at], self._lines[end], axis)
                ),
                None,
            )
            for axis in (0, 1)
        ]
        across, down = found
        return [] if across is None or down is None else [across[0], down[0], across[1], down[1]]

    def _is_added(self, first: Line, end: Line, axis: int) -> bool:
        """Whether a number is one of the box, and another one is that with the size added."""
        if not first.follows(axis) or not end.follows(axis, axis + 2):
            return False
        by, room = first.factors[axis], max(first.room, end.room)
        return all(abs(by - end.factors[at]) <= room + NEAR * abs(by) for at in (axis, axis + 2))


OF_WHICH = "of which the first is the first two numbers of the row"
COMPARED = (
    "drops a box that lies in a surer one if rows begin with a corner, and keeps one that lies in it if they "
    "begin with the middle"
)


def beyond(boxes: Sequence[Sequence[float]], ends: Sequence[float]) -> str:
    """Returns what is wrong with corners of which some lie beyond the picture, which ends there, if all boxes
    lie in it by their first points as their middles, or "" if that isn't so."""
    if len(boxes) < FEWEST:
        return ""
    farthest = ("", 0.0)
    for axis, end in enumerate(ends):
        for box in boxes:
            start, size = box[axis], box[axis + 2] - box[axis]
            if size <= 0 or start - size / 2 < -NEAR * end or start + size / 2 > (1 + NEAR) * end:
                return ""
            over = (start + size - end) / size
            if over > max(BEYOND, farthest[1]):
                farthest = (", ".join(f"{one:g}" for one in box), over)
    if not farthest[0]:
        return ""
    return (
        f"the guest writes {farthest[0]} as two corners, the second of which is a number of the row added to "
        f"the first, and lies beyond the picture, which ends at {ends[0]:g}, {ends[1]:g}; all {len(boxes)} "
        "boxes lie in it if rows begin with the middle: take half of the size away first"
    )
