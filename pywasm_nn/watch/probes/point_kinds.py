"""Points of several numbers each (x, y, z): does the guest take a number of one kind for one of another?

What is here: `kinds_of`. All first numbers of the points are raised, then all second ones, and so on: what is
written of x, of one point or of the middle of several, follows one kind alone. Where points are taken to be
nearer to each other or farther apart, it follows another one in each line, or several at once. What is not:
single elements that are written in pairs, and pixels that are multiplied (`points.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from ...arrays import numpy
from ...records import Frozen
from .asked import Asked, Given
from .formulas import numbers

LOW, HIGH = 0.55, 0.85
"""Elements as parts of the largest one: such shares pass most thresholds."""
CLEAR, LEAST = 0.2, 4
"""A number follows a kind that moves it by this part of what the one does that moves it most, and by so many
of its last digit."""
NEAR, CORNERS = 0.1, 4
FEWEST_LINES, SHOWN = 3, 4
WAYS = (True, False)
"""The number of a point is written before the one behind it, or after it."""


class Follows(Frozen):
    """By how much raising each kind moves a written number, as parts of the largest move."""

    moves: tuple[float, ...]

    @property
    def kinds(self) -> tuple[int, ...]:
        return tuple([kind for kind, one in enumerate(self.moves) if abs(one) >= CLEAR])

    @property
    def is_mixed(self) -> bool:
        """Whether the kinds are not the same number of rows of several points each, nor of two corners, of
        which sizes and middles are made."""
        are_corners = len(self.moves) >= CORNERS and len({kind % 2 for kind in self.kinds}) == 1
        return len(self.kinds) > 1 and not are_corners and not are_of_rows(self.kinds, len(self.moves))

    def comes_before(self, other: Follows) -> bool:
        """Whether the other number is that of the elements beside these."""
        rolled = (*self.moves[-1:], *self.moves[:-1])
        return rolled != self.moves and are_near(rolled, other.moves) and not are_near(rolled, self.moves)


class Kinds(Frozen):
    """What the numbers of each line follow of so many points of `period` elements; None for those that follow
    no kind."""

    lines: tuple[tuple[Follows | None, ...], ...]
    points: int
    period: int

    @property
    def pairs(self) -> list[tuple[Follows, Follows]]:
        """Numbers that are written beside each other."""
        return [(one, other) for line in self.lines for one, other in pairwise(line) if one and other]

    @property
    def are_right(self) -> bool:
        """Whether several pairs begin with the same kind, and none is of several kinds."""
        starts = [[start for one in self.lines if (start := starts_at(one, forth=way)) >= 0] for way in WAYS]
        are_plain = all(len(number.kinds) == 1 for pair in self.pairs for number in pair)
        return are_plain and any(len(one) > 1 == len({*one}) for one in starts)

    @property
    def mixed(self) -> str:
        """What is wrong if a number is made of several kinds, and the one beside it of those beside these; ""
        if none is."""
        for one, other in self.pairs:
            if one.is_mixed and (one.comes_before(other) or other.comes_before(one)):
                kinds = " and ".join(str(kind + 1) for kind in one.kinds)
                return (
                    f"{self}; one that the guest writes is made of the numbers {kinds} of points, and the "
                    f"one beside it of those beside these: is the number of a point multiplied by "
                    f"{self.period}?"
                )
        return ""

    @property
    def astray(self) -> str:
        """What is wrong if two numbers begin with another kind in each line, "" if they don't."""
        for way in WAYS:
            starts = [start for line in self.lines if (start := starts_at(line, forth=way)) >= 0]
            if len(starts) < FEWEST_LINES or self.period - 1 not in starts:
                continue
            if not are_of_rows(starts, self.period):
                first = ", ".join(str(start + 1) for start in starts[:SHOWN])
                return (
                    f"{self}; two that the guest writes in a line begin with number {first} of a point, so "
                    f"that some are of two points: is the number of a point multiplied by {self.period}?"
                )
        return ""

    def __str__(self) -> str:
        size = self.points * self.period
        return f"its {size} elements are {self.points} points of {self.period} numbers, by shape or likeness"


def kinds_of(asked: Asked, index: int, output: Given, period: int) -> Kinds:
    """What the guest writes of points of so many numbers each."""
    size = output.array.size
    if period < 2 or size % period or size <= period:
        return Kinds((), 0, period)
    return Kinds(lines_of(asked, index, output, period), size // period, period)


def lines_of(asked: Asked, index: int, output: Given, period: int) -> tuple[tuple[Follows | None, ...], ...]:
    """What the numbers of each line follow, in order; () if that can't be said."""
    top = float(abs(output.array).max())
    plain = numpy.full(output.array.size, LOW * top)
    made = [plain]
    for kind in range(period):
        raised = plain.copy()
        raised[kind::period] = HIGH * top
        made.append(raised)
    shape, dtype = output.array.shape, output.array.dtype
    texts = [asked.text(index, one.reshape(shape).astype(dtype)) for one in made]
    own = texts[0] or ""
    said = [numbers(text or "") for text in texts]
    if not said[0] or any(len(one) != len(said[0]) for one in said):
        return ()
    found = iter([follows(words) for words in zip(*said, strict=True)])
    counts = [len(numbers(line)) for line in own.splitlines()]
    if sum(counts) != len(said[0]):
        return ()
    return (*[(*[next(found) for _ in range(count)],) for count in counts],)


def follows(words: Sequence[Any]) -> Follows | None:
    """What a number follows, from what is written of it as it is and with each kind raised."""
    moves = [one.value - words[0].value for one in words[1:]]
    most = max(moves, key=abs)
    return Follows(tuple([one / most for one in moves])) if abs(most) >= LEAST * words[0].unit else None


def starts_at(line: Sequence[Follows | None], *, forth: bool) -> int:
    """The kind of the first of two numbers of a line that are of neighbours, written one after the other
    (`forth`) or the other way round; -1 if there are no such ones."""
    for one, other in pairwise(line):
        pair = (one, other) if forth else (other, one)
        kinds = [number.kinds for number in pair if number is not None]
        if len(kinds) == 2 and len(kinds[0]) == len(kinds[1]) == 1 and one is not None:
            first, second = kinds[0][0], kinds[1][0]
            if second == (first + 1) % len(one.moves):
                return first
    return -1


def are_of_rows(kinds: Sequence[int], period: int) -> bool:
    """Whether kinds are one number each of points, of which a row of so many numbers has several."""
    sizes = [size for size in range(2, period + 1) if period % size == 0]
    return any(len({kind % size for kind in kinds}) == 1 for size in sizes)


def are_near(one: Sequence[float], other: Sequence[float]) -> bool:
    return max(abs(a - b) for a, b in zip(one, other, strict=True)) <= NEAR
