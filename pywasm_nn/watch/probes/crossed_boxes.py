"""Boxes whose rows begin with y, of which a guest takes the first number for x, or the other way round.

What is here: `crossed`. What the guest takes numbers for is seen in the words before those that it writes, or
in the picture's width and height; what the model means, in its answer to the mirror image. What is not:
middles that are taken for corners, and other pictures (`drawn.py`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ...arrays import numpy
from ..regex import regex
from ..whatif.views import MIRRORED
from .asked import Asked, Given, Placed
from .drawn import NEAR, Drawing, axes
from .formulas import NUMBER, SIDES
from .mirrored_boxes import place_across
from .suppression import BOX, FEWEST_ROWS, Boxes, boxes_of

ACROSS, DOWN = (
    regex(rf"(?:^|[^a-z])(?:{words}|[{axis}][_ -]?(?:\d|min|max|start|end)?)\W{{0,3}}$", re.IGNORECASE)
    for words, axis in (("left|right|width|w|cols?|columns?", "x"), ("top|bottom|height|h|rows?", "y"))
)
"""Words before numbers that go across and down."""
UNEVEN = 1.2
"""The least quotient of width and height by which a factor is known to be one of the two."""
LONGEST = 16


def crossed(asked: Asked) -> str:
    """Returns what is wrong with the order of a box's numbers, or "" if nothing is known to be."""
    boxes = boxes_of(asked) or sorted_boxes(asked)
    placed = next((one.placed for one in asked.sent if one.placed is not None), None)
    if boxes is None or placed is None or (best := boxes.best) is None:
        return ""
    taken = Taken(asked, boxes, best)
    return taken.crossed(placed)


def sorted_boxes(asked: Asked) -> Boxes | None:
    """Boxes with a class and a score each in outputs of their own, the surest first, as TFLite's detectors
    give them after the suppression."""
    outputs = dict(asked.fetched())
    rows = [(index, one) for index, one in outputs.items() if one.lengths[1:] == [BOX]]
    if len(rows) != 1 or (count := rows[0][1].lengths[0]) < FEWEST_ROWS:
        return None
    beside = {index: one for index, one in outputs.items() if one.lengths == [count] and are_sorted(one)}
    if len(beside) != 1 or asked.is_batch(rows[0][1]):
        return None
    return Boxes(dict(rows) | beside, next(iter(beside)), slice(None), count)


def are_sorted(one: Given) -> bool:
    """Whether numbers are scores, the largest first."""
    flat = one.array.reshape(-1)
    if flat.dtype.kind != "f" or flat.min() < 0 or flat.max() > 1 or flat[0] == flat[-1]:
        return False
    return bool((numpy.diff(flat) <= 0).all() and (flat % 1 != 0).any())


class Taken(Drawing):
    """What a guest takes the first two numbers of a row for."""

    def crossed(self, placed: Placed) -> str:
        said = {*self._by_words()} | {*self._by_sides(placed)}
        if len(said) != 1:
            return ""
        words, first = self._words(), next(iter(said))
        size = placed.input[1] if self._in_pixels else 1.0
        across = place_across(self._boxes, self._asked.answer_to(MIRRORED), float(size))
        if across is None or across == first:
            return ""
        order = ("x, y, ...", "y, x, ...")
        return (
            f"{self.what}: the guest takes a row's first number for {'xy'[first]}{words}; in the picture's "
            f"mirror image number {across} of a row (from 0) is the one that is turned: rows are "
            f"{order[across]}, and not {order[first]}"
        )

    def _labels(self) -> list[tuple[str, int]]:
        """The word before each number that is written, and whether it goes across (0), down (1) or neither
        is known (-1)."""
        text, found = SIDES.sub(" ", self._alone), []
        for match in NUMBER.finditer(text):
            before = text[max(0, match.start() - LONGEST) : match.start()].rpartition("\n")[2]
            is_across, is_down = (one.search(before) is not None for one in (ACROSS, DOWN))
            found.append((before.strip(), -1 if is_across == is_down else int(is_down)))
        return found

    def _labelled(self) -> Iterator[tuple[str, int, int]]:
        """Words of numbers, their direction, and whether they follow the first number (0) or the second."""
        for (before, direction), line in zip(self._labels(), self._lines, strict=False):
            for place in (0, 1):
                if direction >= 0 and (line.follows(place, place + 2) or line.follows(place + 2, place)):
                    yield before, direction, place

    def _by_words(self) -> Iterator[int]:
        """The place at which the guest says that x is, or y isn't: both have to be said."""
        found = [*self._labelled()]
        if {direction for _, direction, _ in found} == {0, 1}:
            yield from (direction ^ place for _, direction, place in found)

    def _words(self) -> str:
        said = [before.split()[-1] for before, _, place in self._labelled() if place == 0]
        return f' ("{said[0]}")' if said else ""

    def _by_sides(self, placed: Placed) -> Iterator[int]:
        """The place of what is multiplied by the width, where the height is another."""
        x, y = (one.scale * (1.0 if self._in_pixels else one.input) for one in axes(placed))
        if max(x, y) < UNEVEN * min(x, y):
            return
        for first, order in enumerate(((x, y), (y, x))):
            lines = [[*self._along(place)] for place in (0, 1)]
            if all(lines) and all(
                abs(line.factors[place] - order[place]) <= line.room + NEAR * order[place]
                for place in (0, 1)
                for line in lines[place]
            ):
                yield first
