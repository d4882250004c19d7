"""How the three axes of points in space came from the columns of a file, one by one.

What is here: `axes_of`, what is surely wrong with them (`wrong_axes`, `squared`), and `usual`, the same
points as most models want them, about which a model is asked (`whatif.points`). What is not: points whose
axes are as in the file, of which only some were sent, or in the other layout (`clouds.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...arrays import numpy
from ...records import Frozen
from ..origin.straight import line_within
from .parts import parts
from .scans import AXES, Scan

EXACT, NEAR = 1e-4, 1e-3
FAR_FROM_ONE = 0.05
"""A largest distance nearer to 1 is its own square, too."""
MOST_COLUMNS = 16


class Axis(Frozen):
    """An axis of points that were sent: the column, and what its numbers were multiplied by and moved by;
    column -1 of an axis whose numbers are all the same."""

    column: int
    scale: float = 0.0
    move: float = 0.0


def axes_of(own: Any, scan: Scan) -> tuple[tuple[Axis, ...], Any] | None:
    """Returns the axes of points, [points, 3], and the places of these in the file, or None if one axis is no
    column's. Of equal columns the axis's own, and then x, y and z, come before others."""
    columns = range(min(scan.numbers.shape[1], MOST_COLUMNS))
    for places in parts(len(own), len(scan.numbers)):
        found: list[Axis] = []
        for axis, one in enumerate(own.T):
            order = sorted(columns, key=lambda at: (scan.names[at] != AXES[axis], scan.names[at] not in AXES))
            known = axis_of(one, scan.numbers[places], order, EXACT * max(float(abs(own).max()), 1e-9))
            if known is None:
                break
            found.append(known)
        if len(found) == len(AXES) and sum(axis.column < 0 for axis in found) <= 1:
            return tuple(found), places
    return None


def axis_of(one: Any, numbers: Any, order: Sequence[int], reach: float) -> Axis | None:
    """Returns how an axis came from one of the columns of some points, or None if it did not."""
    if one.min() == one.max():
        return Axis(-1, 0.0, float(one[0]))
    for column in order:
        there = numbers[:, column]
        if (line := line_within(one, there, reach)) is not None:
            return Axis(column, *line)
    return None


def wrong_axes(axes: Sequence[Axis], scan: Scan, places: Any) -> str:
    """Returns what is wrong with an axis that is flat, or with columns that begin at another one than x, or
    "" if nothing is."""
    wanted, sent = scan.places, [axis.column for axis in axes]
    if -1 in sent:
        at = sent.index(-1)
        there = scan.numbers[places, wanted[at]]
        kept = [column for place, column in enumerate(sent) if place != at]
        if kept == [column for place, column in enumerate(wanted) if place != at] and there.std():
            return (
                f"all {len(places)} {AXES[at]} that were sent are {axes[at].move + 0.0:.4g}, and the "
                f"file's go from {there.min():.4g} to {there.max():.4g}: was {AXES[at]} left out?"
            )
        return ""
    shift = sent[0] - wanted[0]
    is_row = all(column - first == shift for column, first in zip(sent, wanted, strict=True))
    if shift and is_row and any(column in wanted for column in sent):
        names = ", ".join(f'"{scan.names[column]}"' for column in sent)
        beside = "behind" if shift > 0 else "before"
        return (
            f"x, y and z that were sent are the columns {names}, {abs(shift)} {beside} the file's x, y and "
            "z: were its columns counted from another one?"
        )
    return ""


def squared(own: Any, scale: float) -> str:
    """Returns what is wrong with points about 0 that were multiplied by `scale`: they were divided by the
    square of the largest distance, or "" if they weren't."""
    far = float(numpy.sqrt((own**2).sum(axis=1)).max())
    if abs(own.mean(axis=0)).max() > NEAR * far or abs(far - 1) < FAR_FROM_ONE:
        return ""
    if abs(scale / far**2 - 1) > NEAR:
        return ""
    return (
        f"its points were divided by the square of the largest distance ({1 / far:.4g}), so that the "
        f"farthest one is at {far:.3g} and not at 1: is its square root missing?"
    )


def usual(file: str, own: Any, axes: Sequence[Axis], scan: Scan, places: Any) -> tuple[str, Any] | None:
    """Returns how points differ from what most models want, and those as [points, 3], or None if they
    don't."""
    wanted, sent = scan.places, [axis.column for axis in axes]
    scales = [abs(axis.scale) for axis in axes]
    if sorted(sent) != sorted(wanted):
        return None
    there = scan.numbers[places][:, wanted]
    there = there - there.mean(axis=0)
    there /= float(numpy.sqrt((there**2).sum(axis=1)).max()) or 1.0
    far = float(numpy.sqrt((own**2).sum(axis=1)).max())
    said = []
    if sent != wanted or any(axis.scale < 0 for axis in axes):
        named = ", ".join("-" * (axis.scale < 0) + scan.names[axis.column] for axis in axes)
        said.append(f"the axes as {file} has them (x, y, z; they were sent as {named})")
    if max(scales) > (1 + NEAR) * min(scales):
        by = ", ".join(f"{scale:.3g}" for scale in scales)
        said.append(f"all axes scaled alike (they were multiplied by {by})")
    if abs(own.mean(axis=0)).max() > NEAR * far:
        said.append("the mean at 0")
    if abs(far - 1) > NEAR and (len(said) == 0 or abs(far - 1) > FAR_FROM_ONE):
        said.append(f"the farthest point at 1 (as sent at {far:.3g})")
    return (" and ".join(said), there) if said else None
