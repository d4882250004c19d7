"""Points in the middle that was cut out of a picture, in the picture's pixels, without the place at which the
middle begins: they are written as if it were the picture. And shares of one side that are multiplied by the
other.

What is here: `uncropped`; `misadded`, for any part; and `by_other_side`. All elements are made the same
twice, and then each its own number: that tells how a written number follows an element. What is not: boxes
with scores (`drawn.py`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any

from ...arrays import numpy
from ...records import Frozen
from ..facts import picture_of
from ..origin.comparing import are_shares
from ..whatif.views import MIRRORED, UPSIDE_DOWN
from .asked import Asked, Given, Placed
from .classes import KINDS
from .drawn import OF_THE_INPUT
from .formulas import numbers
from .outside import OF_THE_PART, beside_size, unlike_size
from .points import are_pixels, places_in

FEWEST, MOST = 4, 64
"""Numbers of an answer that has points and nothing else."""
SHARES = 1.5
"""Points in pixels go beyond this."""
LOW, HIGH = 0.25, 0.75
"""Places in the part that are tried."""
NEAR, APART = 0.02, 0.04
"""How far a factor may be from the part's side, and how far the part begins from the picture's end, in parts
of that side."""
NEAR_PLACE, MIDDLE = 0.25, 2
UNITS = (100, 1000)
"""Shares are multiplied by these for other reasons."""
OTHER, ALIKE = 0.05, 0.02
"""By which part sides differ, and by which at most those of a picture and an input that it fills."""
SHARED = 1e-3
"""How near the sum of the shares of classes is to 1."""
MOVED, CLOSE = 0.15, 0.12
"""How far a point moves in a view, and how far it may be from where it should be, in parts of a side."""
TWO, SMALLEST, SPREAD = 2, 32, 0.03
"""The fewest numbers that are places, the least side of an input whose pixels are told from logits, and the
least deviation of points as shares of a side."""
RIGHT = ""
UNSCALED = "in the input's pixels"
UPWARDS = "that are multiplied by the inverse of the scale"
OF_ALL = "that are multiplied by the scale of the whole picture"
TOO_EARLY = "before they are multiplied by the scale"
WAYS = (RIGHT, UNSCALED, UPWARDS, OF_ALL, TOO_EARLY)
"""Ways in which points are made, the right one first."""


class Line(Frozen):
    """A written number is `factor` times an element, and `zero` more. `loose` and `room` are how far these
    may be off."""

    place: int
    factor: float
    zero: float
    loose: float
    room: float

    @property
    def is_in_a_unit(self) -> bool:
        """Whether shares become percents, or thousandths."""
        return any(abs(self.factor - one) <= NEAR * one for one in UNITS)

    def is_by(self, scale: float) -> bool:
        """Whether it is made by this factor, and nothing is added."""
        return (
            abs(self.factor - scale) <= NEAR * scale + 2 * self.room and abs(self.zero) <= 2 * self.room + 1
        )


class Side(Frozen):
    """One direction: the `size` of the picture, from where to where its part goes, and how many pixels the
    input has, which that part fills."""

    size: int
    start: int
    end: int
    input: int

    @property
    def is_alike(self) -> bool:
        """Whether the part has about as many pixels as the input, so that the two hardly differ."""
        return abs((self.end - self.start) / self.input - 1) <= APART

    def is_made(self, line: Line, way: str, *, is_shares: bool) -> bool:
        """Whether a number is made in this way of a place in the input."""
        scale = (self.end - self.start) / self.input
        factor, zero = {
            RIGHT: (scale, self.start),
            UNSCALED: (1.0, self.start),
            UPWARDS: (1 / scale, self.start),
            OF_ALL: (self.size / self.input, self.start),
            TOO_EARLY: (scale, self.start * scale),
        }[way]
        factor *= self.input if is_shares else 1
        return abs(line.factor - factor) <= NEAR * factor + line.loose and abs(line.zero - zero) <= line.room


def uncropped(asked: Asked) -> str:
    """Returns what is wrong with points that are written, or "" if nothing is."""
    placed = next((one.placed for one in asked.sent if one.placed is not None), None)
    text = asked.control.text
    if placed is None or not is_cut(placed) or OF_THE_PART.search(text) or OF_THE_INPUT.search(text):
        return ""
    for index, output in asked.fetched():
        array = output.array
        is_few = FEWEST <= array.size <= MOST and not array.size % 2 and array.dtype.kind == "f"
        is_inside = is_few and array.min() >= 0 and array.max() <= max(SHARES, *placed.input)
        if is_inside and (said := wrong(asked, index, output, placed)):
            return f"{output.what}: {said}"
    return ""


def misadded(asked: Asked) -> str:
    """Returns what is wrong with points in the pixels of the input to which the place is added at which the
    part of the picture begins, or beside which the size of the whole picture is written, or "" if nothing is:
    either shows that the picture's pixels are meant."""
    placed = next((one.placed for one in asked.sent if one.placed is not None), None)
    text = asked.control.text
    if placed is None or placed.lies != (0, 0, *placed.input) or OF_THE_INPUT.search(text):
        return ""
    (height, width), (high, wide) = placed.size, placed.input
    both = (Side(width, *placed.part[1::2], wide), Side(height, *placed.part[::2], high))
    is_part = max(side.start for side in both) > MIDDLE
    if any(side.is_alike for side in both) or not (is_part or beside_size(text, placed)):
        return ""
    for index, output in asked.fetched():
        if asked.is_batch(output) or not (unit := unit_of(output, min(placed.input))):
            continue
        found, is_shares = [*along(asked, index, output, unit)], unit == 1.0
        if is_shares and not is_part:
            found = [line for line in found if not line.is_in_a_unit]
        for way in WAYS if is_part else WAYS[: WAYS.index(UNSCALED) + 1]:
            fits = [
                (line, side)
                for line, side in product(found, both)
                if side.is_made(line, way, is_shares=is_shares)
            ]
            are_many = len(fits) >= (TWO if is_part else FEWEST) or (is_shares and are_of_both(fits, both))
            if are_many and any(side.start > MIDDLE for _, side in fits) == is_part:
                return "" if way == RIGHT else f"{output.what}: {told(way, both, placed, text)}"
    return ""


def are_of_both(fits: Sequence[tuple[Line, Side]], both: Sequence[Side]) -> bool:
    """Whether one number is made of a share by one side, and another one by the other side: hardly anything
    else has these two factors."""
    each = [[line for line, own in fits if own is side] for side in both]
    return any(one is not other for one in each[0] for other in each[1])


def unit_of(output: Given, side: int) -> float:
    """How many units of an output that may be points are as long as the input: its side in pixels, or 1.0;
    or 0.0 if its elements are none."""
    array = output.array
    if array.dtype.kind != "f" or array.size < FEWEST or KINDS.search(output.what):
        return 0.0
    flat = array.reshape(-1)
    if are_pixels(places_in(flat), side):
        return float(side) if side >= SMALLEST else 0.0
    is_within = -SHARES < flat.min() < flat.max() <= SHARES and flat.std() > SPREAD
    return 1.0 if is_within and not are_shares(flat) else 0.0


def by_other_side(asked: Asked) -> str:
    """Returns what is wrong with a share of the height that is multiplied by the width, or the other way
    round, or "" if nothing is. Which side it is a share of the model says, by its answer to the picture
    upside down or in the mirror: such a share is then as far from the other end."""
    size = whole(asked)
    if size is None or abs(size[0] / size[1] - 1) <= OTHER:
        return ""
    sides = (("height", "width", "upside down", UPSIDE_DOWN), ("width", "height", "in the mirror", MIRRORED))
    for index, output in asked.fetched():
        array = output.array
        is_few = 2 <= array.size <= MOST and not array.size % 2 and array.dtype.kind == "f"
        if not is_few or array.min() < 0 or array.max() > 1 or abs(float(array.sum()) - 1) < SHARED:
            continue
        found = [*lines(asked, index, output, 1.0)]
        for (name, wrong, how, view), own, other in zip(sides, size, size[::-1], strict=True):
            crossed = [one for one in found if one.is_by(other) and not one.is_by(own) and other not in UNITS]
            near = min(CLOSE, abs(1 - own / other) / 3)
            turned = asked.answer_to(view).get(index) if crossed else None
            for line in crossed:
                if turned is not None and is_turned(array, turned, line.place % 2, near):
                    there, again = array.flat[line.place], turned.flat[line.place]
                    return (
                        f"{output.what}: the guest writes element {line.place} ({there:.3f}) times {other}, "
                        f"the picture's {wrong}; it is {again:.3f} for the picture {how}, so that it is a "
                        f"share of the {name}, which is {own}"
                    )
    return ""


def is_turned(array: Any, turned: Any, place: int, near: float) -> bool:
    """Whether of each two elements the one at this place is as far from the other end in a view, and the
    other one is where it was."""
    if turned.size != array.size:
        return False
    own, again = (one.reshape(-1, 2).astype("f8") for one in (array, turned))
    apart, moved = abs(own + again - 1)[:, place], abs(own - again)
    is_far, stays = moved[:, place].min() > MOVED, moved[:, 1 - place].max() <= CLOSE
    return bool(apart.max() <= near and is_far and stays)


def whole(asked: Asked) -> tuple[int, int] | None:
    """Returns height and width of the picture that fills the only input, or None if that isn't known."""
    if len(asked.sent) != 1:
        return None
    sent, last = asked.sent[0], asked.last_picture()
    if (placed := sent.placed) is not None:
        fills = placed.lies == (0, 0, *placed.input) and placed.part == (0, 0, *placed.size)
        return placed.size if fills else None
    if last is None or (own := picture_of(sent.shape)) is None:
        return None
    height, width = last[1].shape[:2]
    return (height, width) if abs(own.height * width / (own.width * height) - 1) <= ALIKE else None


def is_cut(placed: Placed) -> bool:
    """Whether the middle of a picture fills the input, in another size, and begins away from the corner.
    Another part may be chosen for itself, such as a face, and have pixels of its own."""
    top, left, bottom, right = placed.part
    height, width = placed.size
    if max(abs(top + bottom - height), abs(left + right - width)) > MIDDLE:
        return False
    sides = bottom - top, right - left
    fills = placed.lies == (0, 0, *placed.input)
    is_other = all(abs(side / own - 1) > APART for side, own in zip(sides, placed.input, strict=True))
    return fills and is_other and max(top / sides[0], left / sides[1]) > APART


def wrong(asked: Asked, index: int, output: Given, placed: Placed) -> str:
    """Returns what is wrong with numbers that follow one output's elements, or "" if nothing is."""
    top, left, bottom, right = placed.part
    is_shares = output.array.max() <= SHARES
    high, wide = (
        side / (1 if is_shares else own)
        for side, own in zip((bottom - top, right - left), placed.input, strict=True)
    )
    found = [*lines(asked, index, output, 1.0 if is_shares else float(min(placed.input)))]
    if len({line.place for line in found}) < FEWEST:
        return ""
    for scales in ((wide, high), (high, wide)):
        if all(line.is_by(scales[line.place % 2]) for line in found):
            height, width = placed.size
            return (
                f"the guest writes points as {wide:.4g} times the elements; the input shows the middle of "
                f"the picture ({width} x {height}), which begins at column {left}, row {top}: is that not "
                "added to x and y?"
            )
    return ""


def told(way: str, both: Sequence[Side], placed: Placed, text: str) -> str:
    """Returns what is wrong with points that the guest makes in this way."""
    if not any(side.start > MIDDLE for side in both):
        return unlike_size(text, placed, "points")
    across, down = both
    wide, high = (side.end - side.start for side in both)
    return (
        f"the guest adds {across.start} and {down.start}, where the part of the picture begins "
        f"that the input shows, to points {way}; {wide} x {high} pixels were resized to {across.input} x "
        f"{down.input}: are places in the input to be multiplied by {wide / across.input:.4g} and "
        f"{high / down.input:.4g} first?"
    )


def along(asked: Asked, index: int, output: Given, unit: float) -> Iterator[Line]:
    """The written numbers that follow the elements along a line, whichever of them they follow."""
    low, high = LOW * unit, HIGH * unit
    made = [(output.array * 0 + one).astype(output.array.dtype) for one in (low, high)]
    said = [numbers(text) for one in made if (text := asked.text(index, one))]
    if len(said) < len(made) or len({*map(len, said)}) > 1:
        return
    for one, other in zip(*said, strict=True):
        factor, loose = (other.value - one.value) / (high - low), 2 * one.unit / (high - low)
        if abs(other.value - one.value) > 4 * one.unit:
            yield Line(-1, factor, one.value - factor * low, loose, 2 * one.unit + loose * low)


def lines(asked: Asked, index: int, output: Given, unit: float) -> Iterator[Line]:
    """The written numbers that follow one element each along a line."""
    array = output.array
    low, high = LOW * unit, HIGH * unit
    ramp = numpy.linspace(low, high, array.size).reshape(array.shape)
    made = [one.astype(array.dtype) for one in (array * 0 + low, array * 0 + high, ramp)]
    said = [numbers(text) for one in made if (text := asked.text(index, one))]
    if len(said) < len(made) or len({*map(len, said)}) > 1:
        return
    for one, other, rising in zip(*said, strict=True):
        factor = (other.value - one.value) / (high - low)
        if abs(other.value - one.value) <= 4 * one.unit:
            continue
        place = (rising.value - one.value) / (other.value - one.value) * (array.size - 1)
        if abs(place - round(place)) < NEAR_PLACE and 0 <= round(place) < array.size:
            loose = 2 * one.unit / (high - low)
            yield Line(round(place), factor, one.value - factor * low, loose, 2 * one.unit + 1)
