"""The part of a picture that an input shows, in whole pixels and in words.

What is here: `geometry_of`, from where a part lies (`locating.py`) to how it was cut and resized. What is
not: resizing itself (`resizing.py`).
"""

from __future__ import annotations

from ...arrays import numpy
from .locating import Place
from .pointing import SAME
from .resizing import Geometry, unturned

NEARLY, MIDDLE = 0.05, 4
"""By which part a picture that was located between bars may miss its own shape, and by how many pixels the
middle: it is located by few pixels, some of which are bars."""


def geometry_of(
    place: Place, part: tuple[slice, slice], old: tuple[int, int], new: tuple[int, int]
) -> tuple[Geometry | None, bool]:
    """The geometry of an input of which a part lies at a place, and whether it is a usual one."""
    mask = numpy.zeros(new, bool)
    mask[part] = True
    mask = unturned(mask, place.turn)
    rows, columns = (numpy.flatnonzero(mask.any(axis=axis)) for axis in (1, 0))
    tall, wide = mask.shape
    down, across = place.height / len(rows), place.width / len(columns)
    top, left = place.top - rows[0] * down, place.left - columns[0] * across
    is_exact = is_as_it_is(place, down, across)
    sides = as_it_is if is_exact else side
    found = [*sides(top, down, tall, old[0]), *sides(left, across, wide, old[1])]
    (first, last, row, high), (start, end, column, broad) = found[:4], found[4:]
    if (first, start, last, end) == (0, 0, *old) and not is_exact:
        row, high = between_bars(row, high, tall, old[0] * broad / old[1] if broad == wide else 0)
        column, broad = between_bars(column, broad, wide, old[1] * high / old[0] if high == tall else 0)
    if (high, broad) == (tall, wide):
        first, last, start, end = unsqueezed((first, last, start, end), old, (tall, wide))
    if last - first < 2 or end - start < 2 or high < 2 or broad < 2:
        return None, False
    geometry = Geometry("", (first, start, last, end), (high, broad), (row, column), place.turn)
    said, usual = geometry_said(geometry, old, (tall, wide))
    turned = Geometry(
        ", ".join(filter(None, (said, place.turn))), geometry.part, geometry.size, geometry.place, place.turn
    )
    return turned, usual


def between_bars(place: int, length: int, whole: int, wanted: float) -> tuple[int, int]:
    """The place and length of one side of a whole picture that fills the input's other side: as it keeps its
    shape, if it nearly does and lies between two bars that are nearly alike."""
    is_near = abs(length - wanted) <= NEARLY * wanted and round(wanted) < whole
    if not is_near or abs(2 * place + length - whole) > MIDDLE:
        return place, length
    return (whole - round(wanted)) // 2, round(wanted)


def unsqueezed(
    edges: tuple[int, int, int, int], old: tuple[int, int], new: tuple[int, int]
) -> tuple[int, int, int, int]:
    """Edges (top, bottom, left, right) of a part that has almost the shape of the input, in this shape, if
    the part is as high or as wide as the picture."""
    top, bottom, left, right = edges
    if bottom - top == old[0] and right - left != old[1]:
        wanted = round(old[0] * new[1] / new[0])
        if abs(wanted - (right - left)) <= 0.015 * wanted and wanted <= old[1]:
            left = centred(left, right, wanted, old[1])
            return top, bottom, left, left + wanted
    if right - left == old[1] and bottom - top != old[0]:
        wanted = round(old[1] * new[0] / new[1])
        if abs(wanted - (bottom - top)) <= 0.015 * wanted and wanted <= old[0]:
            top = centred(top, bottom, wanted, old[0])
            return top, top + wanted, left, right
    return edges


def centred(start: int, end: int, wanted: int, most: int) -> int:
    """The start of a part of a wanted size, in the middle if it is nearly there."""
    middle = (most - wanted) // 2
    found = round((start + end - wanted) / 2)
    slack = max(2, round(0.01 * wanted))
    if abs(found - middle) <= slack:
        return middle
    return 0 if abs(found) <= slack else min(max(0, found), most - wanted)


def side(start: float, scale: float, count: int, most: int) -> tuple[int, int, int, int]:
    """From where to where one side of a picture was taken, at which place of the input it is, and its size
    there, of the input's first row at `start` and rows `scale` apart."""
    end = start + count * scale
    slack = max(1.0, 0.75 * scale, 0.012 * (end - start))
    if abs(start) <= slack and abs(end - most) <= slack:
        return 0, most, 0, count
    before, after = max(0, round(-start / scale)), max(0, round((end - most) / scale))
    if abs(start) <= slack:
        start, before = 0.0, 0
    if abs(end - most) <= slack:
        end, after = float(most), 0
    return max(0, round(start)), min(most, round(end)), before, max(1, count - before - after)


def is_as_it_is(place: Place, down: float, across: float) -> bool:
    """Whether a part has the picture's own pixels, one for each: it may be one pixel smaller."""
    is_whole = float(place.top).is_integer() and float(place.left).is_integer()
    return down == across == 1 and is_whole and place.like > SAME


def as_it_is(start: float, scale: float, count: int, most: int) -> tuple[int, int, int, int]:
    """The same as `side`, of pixels that were not resized."""
    first, last = max(0, int(start)), min(most, int(start) + count)
    return first, last, first - int(start), last - first


def geometry_said(geometry: Geometry, old: tuple[int, int], new: tuple[int, int]) -> tuple[str, bool]:
    """A geometry in words, and whether it is a usual one."""
    top, left, bottom, right = geometry.part
    tall, wide = bottom - top, right - left
    whole = (tall, wide) == old
    to = f"{geometry.size[1]} x {geometry.size[0]}"
    if geometry.size != new:
        row, column = geometry.place
        middle = (
            abs(2 * row + geometry.size[0] - new[0]) <= 2 and abs(2 * column + geometry.size[1] - new[1]) <= 2
        )
        where = (
            "in the middle"
            if middle
            else "at the top left"
            if not row + column
            else f"at column {column}, row {row}"
        )
        what = "" if whole else f"its part at column {left}, row {top} of {wide} x {tall} "
        return f"{what}fitted to {to} {where}", whole
    if whole:
        return "" if old == new else f"resized to {to}", True
    centred = abs(top - (old[0] - bottom)) <= 2 and abs(left - (old[1] - right)) <= 2
    if (tall, wide) == geometry.size:
        if centred:
            return f"its middle {to}", True
        return (
            f"its top left {to}" if not top + left else f"its part at column {left}, row {top} of {to}",
            not top + left,
        )
    if centred:
        return f"the middle {wide} x {tall} resized to {to}", True
    return f"its part at column {left}, row {top} of {wide} x {tall} resized to {to}", False
