"""Points in space that lie point by point where the shape says axis by axis (or the other way round), that
were scaled about the origin without being moved there, or of which only the first ones of a sorted file were
sent.

What is here: `Clouds`. Points are found by how models want them: a part of the file's, each axis moved, and
scaled. What is not: reading the files (`scans.py`), points that are in no order of the file.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ...arrays import numpy
from ...records import Frozen
from ..origin.straight import line_within
from ..whatif.points import Usual
from .axes import axes_of, squared, usual, wrong_axes
from .parts import parts
from .scans import AXES, points_in, scan_in

FEWEST = 32
"""Points that fit others by no chance."""
EXACT = 1e-4
NEAR = 1e-3
OFF = 0.25
"""How far the mean is from the middle, in parts of the largest distance, where points were not centred."""
BEYOND = 0.9
"""The part of the points behind the first ones that lie beyond all of these, where a file is sorted."""


class Cloud(Frozen):
    """Points that were sent: how many the file has, whether they are its first ones, and what each axis was
    multiplied by and moved by."""

    count: int
    is_beginning: bool
    scales: tuple[float, ...]
    moves: tuple[float, ...]


class Clouds:
    """Gives the file and a sentence after inputs, and when a guest has ended."""

    def __init__(self) -> None:
        self._sent = 0
        """How many inputs of points there were."""
        self._cut: dict[str, str] = {}
        """By file, what is wrong with sending its first points alone."""
        self._files: set[str] = set()
        self.usual: Usual | None = None
        """The points of the last input as most models want them, if they were sent otherwise."""

    def set(self, array: Any, files: Sequence[tuple[str, bytes]]) -> tuple[str, str]:
        """Returns the file and what is wrong with an input, or "" for both if nothing is known to be
        wrong."""
        self.usual = None
        lengths = [length for length in array.shape if length != 1]
        if len(lengths) != 2 or min(lengths) != len(AXES) or max(lengths) < FEWEST:
            return "", ""
        self._sent += 1
        is_planar, count = lengths[0] == len(AXES), max(lengths)
        flat = array.reshape(-1).astype("f8")
        lying = flat.reshape(len(AXES), count).T, flat.reshape(count, len(AXES))
        own, other = lying if is_planar else lying[::-1]
        for name, data in reversed(files):
            points = points_in(name, data)
            if points is None or len(points) < count:
                continue
            self._files.add(name)
            if (cloud := cloud_of(own, points)) is not None:
                if cloud.is_beginning and (said := cut_off(points, count)):
                    self._cut[name] = said
                return name, not_centred(own, cloud) or self._by_axes(name, data, own, array.shape)
            if cloud_of(other, points) is not None:
                each, axes = (
                    "point by point (x, y, z of each)",
                    "axis by axis (all x, then all y, then all z)",
                )
                lie, say = (each, axes) if is_planar else (axes, each)
                return name, (
                    f"its points lie {lie}, and the shape {list(array.shape)} says {say}: they have to be "
                    "transposed"
                )
            if said := self._by_axes(name, data, own, array.shape):
                return name, said
        return "", ""

    def _by_axes(self, name: str, data: bytes, own: Any, shape: Sequence[int]) -> str:
        """Returns what is wrong with the columns of points, [points, 3], and their scale, or "" if nothing
        is. Keeps how they would be as usual."""
        scan = scan_in(name, data)
        known = axes_of(own, scan) if scan is not None else None
        if scan is None or known is None:
            return ""
        axes, places = known
        scales = [axis.scale for axis in axes]
        said = wrong_axes(axes, scan, places)
        if not said and max(scales) - min(scales) <= NEAR * abs(scales[0]):
            said = squared(own, scales[0])
        other = usual(name, own, axes, scan, places) if not said else None
        if other is not None:
            is_planar = next(length for length in shape if length != 1) == len(AXES)
            array = numpy.ascontiguousarray(other[1].T if is_planar else other[1]).reshape(shape)
            self.usual = Usual(name, other[0], array)
        return said

    def finish(self) -> Iterator[str]:
        """Yields what is wrong with the points that were sent; those that go on with others are parts on
        purpose."""
        if self._sent <= len(self._files):
            yield from (f"compared with {name}, {said}" for name, said in self._cut.items())


def cloud_of(own: Any, points: Any) -> Cloud | None:
    """Returns how points, [points, 3], are a part of a file's, or None if they aren't."""
    for number, places in enumerate(parts(len(own), len(points))):
        there = points[places]
        reach = EXACT * max(float(abs(own).max()), 1e-9)
        lines = [line_within(one, other, reach) for one, other in zip(own.T, there.T, strict=True)]
        if None not in lines and own.std(axis=0).all():
            scales, moves = zip(*(one for one in lines if one is not None), strict=True)
            return Cloud(len(points), number == 0, scales, moves)
    return None


def not_centred(own: Any, cloud: Cloud) -> str:
    """Returns what is wrong with points that were scaled to a distance of 1 from the origin, far from their
    mean, or "" if nothing is."""
    far = float(numpy.sqrt((own**2).sum(axis=1)).max())
    mean = own.mean(axis=0)
    is_moved = any(abs(move) > NEAR for move in cloud.moves)
    is_even = max(cloud.scales) - min(cloud.scales) <= NEAR * abs(cloud.scales[0])
    is_scaled = is_even and abs(cloud.scales[0] - 1) > NEAR
    if is_moved or not is_scaled or abs(far - 1) > NEAR or float(numpy.sqrt((mean**2).sum())) < OFF:
        return ""
    if (own.min(axis=0) <= 0).all() and (own.max(axis=0) >= 0).all():
        return ""  # the origin may be what looks around
    said = ", ".join(f"{one:.2f}" for one in mean)
    return (
        "its points were divided by the largest distance from the origin, and were not centred before: their "
        f"mean is at ({said}) and not at 0"
    )


def cut_off(points: Any, count: int) -> str:
    """Returns what is wrong with the first of a file's points in place of some of all, or "" if nothing
    is."""
    first, rest = points[:count], points[count:]
    for axis in range(len(AXES)) if len(rest) >= count else ():
        for sign, where in ((1, "above"), (-1, "below")):
            beyond = sign * rest[:, axis] >= (sign * first[:, axis]).max()
            if beyond.mean() >= BEYOND:
                return (
                    f"only the first {count:,} of {len(points):,} points were sent, and the file is sorted "
                    f"by {AXES[axis]}: the others lie {where} them; are some of all wanted (every n-th)?"
                )
    return ""
