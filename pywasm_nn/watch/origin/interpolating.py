"""Finds the interpolation with which a part of a picture was resized.

What is here: `matched`, which tries the usual ones in whole pixels and moves the part's edges a little. What
is not: finding the part (`locating.py`), and choosing colours and range (`colours.py`, `ranges.py`).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...arrays import numpy
from ...records import Frozen
from .alike import Fit, rows_alike
from .colours import NAMES, POORLY, SPACES, in_spaces
from .placing import geometry_said
from .resizing import Geometry, interpolations, resized
from .straight import line_through

EXACT, NEAR, SPACED = 0.75, 6.0, 4.0
"""Mean differences in pixels up to which elements are those of the picture, or nearly, and up to which they
are in another colour space."""
ROUNDS = 6
"""So often edges are moved to come nearer."""
COMPARED = 1 << 16
"""Of larger pictures every few rows are compared, with about so many pixels."""


class Match(Frozen):
    """The best interpolation: the pixels it makes with all colours, and by channel of the input and colour
    the line that leads from pixels to elements. Channels of which nothing is known have no lines."""

    name: str
    geometry: Geometry
    made: Any
    table: dict[int, list[tuple[float, float, float]]]

    @property
    def apart(self) -> float:
        return sum(self._least()) / max(1, len(self.table))

    @property
    def worst(self) -> float:
        return max(self._least(), default=0.0)

    def _least(self) -> list[float]:
        return [min(line[2] for line in lines) for lines in self.table.values()]


def matched(fit: Fit, elements: Any, pixels: Any) -> Match:
    """The interpolation, among the usual ones, that comes nearest to the elements."""
    step = max(1, elements.shape[0] * elements.shape[1] // COMPARED)
    good = {channel: rows[::step] for channel, rows in rows_alike(fit, elements.shape).items()}

    def match(name: str, geometry: Geometry, colours: int = 4, good: dict[int, Any] = good) -> Match:
        made = geometry.made(pixels, choices[name], *elements.shape[:2])
        made = in_spaces(made) if colours > 4 else made
        table = {
            channel: [line(elements[rows, :, channel], made[rows, :, colour]) for colour in range(colours)]
            for channel, rows in good.items()
        }
        return Match(name, geometry, made, table)

    choices = interpolations() if fit.geometry.resizes else {"": resized}
    best = min((match(name, fit.geometry) for name in choices), key=lambda one: one.apart)
    for _ in range(ROUNDS if best.apart > EXACT and best.name else 0):
        near = [match(best.name, other) for other in beside(best.geometry, pixels.shape[:2])]
        nearest = min(near, key=lambda one: one.apart, default=best)
        if nearest.apart > 0.98 * best.apart:
            break
        best = nearest
        best = min((match(name, best.geometry) for name in choices), key=lambda one: one.apart)
    channels = elements.shape[2]
    if channels == 3 and good and (best.worst > POORLY or len(good) < channels):
        rows = max(good.values(), key=len)
        other = match(best.name, best.geometry, len(NAMES), dict.fromkeys(range(channels), rows))
        for colours in SPACES:
            lines = [other.table[channel][colour] for channel, colour in enumerate(colours)]
            if all(line[2] < SPACED and line[0] for line in lines):
                table = {channel: only(other.table[channel], colours[channel]) for channel in other.table}
                return Match(best.name, best.geometry, other.made, table)
    return best


def only(lines: list[tuple[float, float, float]], colour: int) -> list[tuple[float, float, float]]:
    """Lines of which only that to one colour fits."""
    return [line if number == colour else (0.0, 0.0, 255.0) for number, line in enumerate(lines)]


def beside(geometry: Geometry, old: tuple[int, int]) -> Iterator[Geometry]:
    """Parts whose edges lie a little further, all that lie in the picture, and aren't empty."""
    usual = geometry_said(Geometry("", geometry.part, geometry.size), old, geometry.size)[1]
    if geometry.place != (0, 0) or geometry.size[0] < 8 or usual:
        return
    top, left, bottom, right = geometry.part
    half = round((bottom - top) / geometry.size[0] / 2), round((right - left) / geometry.size[1] / 2)
    moves = {(1, 0, 0, 0), (-1, 0, 0, 0), (0, 1, 0, 0), (0, -1, 0, 0), (0, 0, 1, 0), (0, 0, -1, 0)}
    moves |= {(0, 0, 0, 1), (0, 0, 0, -1), (*half, *half), (half[0], 0, half[0], 0), (0, half[1], 0, half[1])}
    for one in sorted(moves - {(0, 0, 0, 0)}):
        part = top + one[0], left + one[1], bottom + one[2], right + one[3]
        if 0 <= part[0] < part[2] <= old[0] and 0 <= part[1] < part[3] <= old[1]:
            new = geometry.size
            said, _ = geometry_said(Geometry("", part, new), old, new)
            said = ", ".join(filter(None, (said, geometry.turned)))
            yield Geometry(said, part, new, (0, 0), geometry.turned)


def line(elements: Any, pixels: Any) -> tuple[float, float, float]:
    """Scale and shift with which pixels come nearest to the elements, and the mean difference in pixels."""
    a, b = elements.reshape(-1).astype("f8"), pixels.reshape(-1).astype("f8")
    there = numpy.isfinite(b)
    a, b = a[there], b[there]
    if not len(b) or not b.std():
        return 0.0, float(a.mean()) if len(a) else 0.0, 255.0
    scale, shift = line_through(b, a)
    apart = float(numpy.abs(scale * b + shift - a).mean())
    return scale, shift, min(255.0, apart / abs(scale)) if scale else 255.0
