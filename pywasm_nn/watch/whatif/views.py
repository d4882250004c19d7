"""Other views of a picture: a part of it twice as large or twice as high, its mirror image, upside down,
moved, and none of it; and numbers that are scaled.

What is here: `View`, and `seen`, the picture so; `Rescaled` and `rescaled` for any numbers. What is not:
asking a model (`following.py`), and what its answer says of the numbers of cells (`probes/cell_sizes.py`,
`cell_sides.py`, `cell_offsets.py`), of windows (`probes/raw_window.py`) and of classes
(`probes/backgrounds.py`).
"""

from __future__ import annotations

from typing import Any

from ...arrays import numpy
from ...nn.tensor import Tensor
from ...records import Frozen
from ..facts import picture_of


class View(Frozen):
    """The half of the rows and of the columns that begin at `top` and `left` (0 to 0.5), as large as all of
    them; None for all as they are. `is_mirrored`: left and right are exchanged, `is_upside_down`: top and
    bottom. `moved`: by so many pixels to the right and down; what leaves it comes in at the other end.
    `level`: all elements are so far from the smallest to the largest one, 0 to 1; None if they are the
    picture's."""

    top: float | None = None
    left: float | None = None
    is_mirrored: bool = False
    is_upside_down: bool = False
    level: float | None = None
    moved: int = 0


class Rescaled(Frozen):
    """Numbers from which one is taken away, and which are then divided by another."""

    taken: float
    divided: float


MIRRORED, UPSIDE_DOWN = View(is_mirrored=True), View(is_upside_down=True)


def seen(tensor: Tensor, view: View) -> Any:
    """Returns a picture in another view, in the same shape, or None for anything but one picture of even
    sides."""
    numbers, picture = tensor.numbers(), picture_of(tensor.shape)
    if numbers is None or picture is None or picture.height % 2 or picture.width % 2:
        return None
    array = numbers.reshape(tensor.shape)
    if array.ndim == 4 and len(array) > 1:
        return None
    if view.level is not None:
        low, high = float(array.min()), float(array.max())
        return numpy.full_like(array, low + view.level * (high - low))
    down, across = (-2, -1) if picture.planar else (-3, -2)
    for axis, start, size in ((down, view.top, picture.height), (across, view.left, picture.width)):
        if start is not None:
            first = round(start * size)
            array = array.take(range(first, first + size // 2), axis=axis).repeat(2, axis=axis)
    for axis, is_turned in ((down, view.is_upside_down), (across, view.is_mirrored)):
        array = numpy.flip(array, axis) if is_turned else array
    if view.moved:
        array = numpy.roll(array, (view.moved, view.moved), (down, across))
    return numpy.ascontiguousarray(array)


def rescaled(tensor: Tensor, by: Rescaled) -> Any:
    """Returns floats that are scaled, in the same shape, or None for other elements."""
    numbers = tensor.numbers()
    if numbers is None or numbers.dtype.kind != "f":
        return None
    return ((numbers.astype("f8") - by.taken) / by.divided).astype(numbers.dtype).reshape(tensor.shape)
