"""Distances and sizes of points: are the points read as far apart as they are?

What is here: `misstepped`. All x of the points are raised, all y and so on: no distance of two points
changes, nor an angle or a ratio of such. If one does, and doesn't where points are taken to have fewer
numbers, or more, the guest takes them so. What is not: elements that are written as they are (`points.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...arrays import numpy
from ..spoken import Word
from .asked import Asked, Given
from .formulas import numbers
from .point_kinds import are_of_rows
from .points import MOST, declared, period_of

FEWEST = 24
STEPS = (2, 3, 4)
"""As many numbers are points taken to have. What stays with 4 stays with 2, too, and both are said."""
RAISED, CORNERS = 0.25, 4
"""By such a part of the range of all elements; and numbers of a row which may have two corners."""
SAME, OTHER = 1.5, 2.5
"""A number differs by less of its last digit if it is the same, and by more if it isn't."""


def misstepped(asked: Asked) -> str:
    """Returns what is wrong with distances of points that are written, or "" if nothing is."""
    for index, output in asked.fetched():
        array, own = output.array, numbers(asked.control.text)
        if array.dtype.kind != "f" or not FEWEST <= array.size <= MOST or not own or asked.is_batch(output):
            continue
        flat = array.reshape(-1)
        period = declared(output) or period_of(flat)
        mixed = mixed_in(asked, index, output, own, period) if period > 1 else {}
        others = [step for step in STEPS if step % period and period % step] if mixed else []
        kept = [step for step in others if are_kept(asked, index, output, own, step, [*mixed])]
        if kept:
            steps = " or ".join(map(str, kept))
            return (
                f"{output.what}: {own[next(iter(mixed))].text}, which the guest writes, changes if the same "
                f"number of each of {flat.size // period} points of {period} numbers is raised, and doesn't "
                f"if points have {steps}: are its elements read as points of {steps} numbers?"
            )
    return ""


def mixed_in(
    asked: Asked, index: int, output: Given, own: Sequence[Word], period: int
) -> dict[int, Sequence[int]]:
    """The written numbers that are made of several kinds, as no distance is, and of which; {} unless these
    are all kinds together."""
    moves = [moved(asked, index, output, own, period, kind) for kind in range(period)]
    if not all(moves):
        return {}
    found: dict[int, Sequence[int]] = {}
    for place, ways in enumerate(zip(*moves, strict=True)):
        kinds = [kind for kind, way in enumerate(ways) if way]
        are_corners = period >= CORNERS and len({kind % 2 for kind in kinds}) == 1
        if len(kinds) > 1 and not are_corners and not are_of_rows(kinds, period):
            found[place] = kinds
    return found if len({kind for kinds in found.values() for kind in kinds}) == period else {}


def are_kept(
    asked: Asked, index: int, output: Given, own: Sequence[Word], step: int, mixed: Sequence[int]
) -> bool:
    """Whether numbers stay if points have `step` numbers, and every other one follows one kind at most."""
    moves = [moved(asked, index, output, own, step, kind) for kind in range(step)]
    if not all(moves):
        return False
    ways = [*zip(*moves, strict=True)]
    are_same = all(one is False for place in mixed for one in ways[place])
    return are_same and all(sum(map(bool, one)) < 2 for one in ways)


def moved(
    asked: Asked, index: int, output: Given, own: Sequence[Word], step: int, kind: int
) -> list[bool | None]:
    """Whether each number becomes another one if one kind is raised, None if that isn't plain; [] if there
    are other ones then."""
    flat: Any = output.array.reshape(-1).copy()
    flat[kind::step] += RAISED * numpy.ptp(output.array)
    said = numbers(asked.text(index, flat.reshape(output.array.shape)) or "")
    if len(said) != len(own):
        return []
    changes = [abs(one.value - other.value) / one.unit for one, other in zip(own, said, strict=True)]
    return [True if one >= OTHER else False if one <= SAME else None for one in changes]
