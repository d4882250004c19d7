"""Sums and differences of pixels that did not fit into the bytes that hold them.

What is here: `sums` and `differences`, planes as they come of arithmetic in bytes beside the right ones, and
`wrapped`, which says that an input is one of them, whole and resized in a simple way.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...arrays import numpy
from ...records import Frozen
from ..origin.interpolating import line

LEVELS = 256
CLOSE = 0.008
"""How far elements may be on average from those that were made, a part of their range (they are rounded)."""
FARTHER = 2.5
"""How much farther they must be from the right ones."""
SHOWN = 0.004
"""The part of the pixels that must have run over."""


class Plane(Frozen):
    """A plane of numbers as it comes of arithmetic that runs over, and the right ones that may be meant."""

    made: Any
    right: tuple[Any, ...]
    said: str


def sums(pixels: Any) -> Iterator[Plane]:
    """Greys of a picture of colours, [height, width, 3] as u8."""
    red, green, blue = (pixels[..., at].astype("i8") for at in range(3))
    said = (
        "{} was added up in {}, which holds {} at most: brighter pixels begin again at 0, and come out dark"
    )
    right = (red + green + blue) / 3, (77 * red + 150 * green + 29 * blue) / LEVELS
    byte, word = ("a byte", 255), ("16 bits", 65535)
    for weights, divisor, size, holds in (
        ((1, 1, 1), 3, LEVELS, byte),
        ((2, 5, 1), 8, LEVELS, byte),
        ((30, 59, 11), 100, LEVELS, byte),
        ((77, 150, 29), LEVELS, 1 << 15, ("16 bits with a sign", 32767)),
        ((299, 587, 114), 1000, 1 << 16, word),
    ):
        whole = sum(by * one for by, one in zip(weights, (red, green, blue), strict=True))
        rest = whole % size if size != 1 << 15 else (whole + size) % (2 * size) - size
        shown = "red + green + blue" if divisor == 3 else f"{weights[0]} x red + ... (/ {divisor})"
        yield Plane(rest // divisor, (*right, whole / divisor), said.format(shown, *holds))


def differences(one: Any, other: Any) -> Iterator[Plane]:
    """The difference of two planes of bytes."""
    apart = one.astype("i8") - other
    yield Plane(
        apart % LEVELS,
        (apart, abs(apart), numpy.maximum(apart, 0), numpy.maximum(-apart, 0)),
        "pixels were taken away from those of another picture in bytes, which hold nothing below 0: where it "
        "gets a little darker, the difference is near 255",
    )


def wrapped(own: Any, planes: Iterator[Plane]) -> str:
    """Returns what is wrong with elements [height, width], or "" if nothing is."""
    for plane in planes:
        if not any((abs(plane.made - one) > LEVELS / 8).mean() > SHOWN for one in plane.right[-1:]):
            continue
        several = [*ways(plane.made.shape, own.shape)]
        made = [resized(plane.made) for resized in several]
        apart = min((line(own, one)[2] / numpy.ptp(one) for one in made if numpy.ptp(one)), default=1.0)
        if apart > CLOSE:
            continue
        plain = min(line(own, one(right))[2] for one in several for right in plane.right)
        if plain / LEVELS > FARTHER * CLOSE:
            return plane.said
    return ""


def ways(old: tuple[int, ...], new: tuple[int, ...]) -> Iterator[Any]:
    """Simple ways to resize a plane: the pixels at even steps, or the means of blocks."""
    (tall, wide), (height, width) = old, new
    if height > tall or width > wide:
        return
    for shift in (0.0, 0.5) if old != new else (0.0,):
        rows = ((numpy.arange(height) + shift) * tall / height).astype(int)
        columns = ((numpy.arange(width) + shift) * wide / width).astype(int)
        yield lambda plane, rows=rows, columns=columns: plane[rows[:, None], columns]
    if old != new and not tall % height and not wide % width:
        yield lambda plane: plane.reshape(height, tall // height, width, wide // width).mean(axis=(1, 3))
