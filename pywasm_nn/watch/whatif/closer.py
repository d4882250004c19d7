"""A part of a picture, twice as large: what a model says of things that are nearer.

What is here: `enlarged`. What is not: asking a model (`following.py`), and what its answer says of how sizes
are given (`probes/cell_sizes.py`).
"""

from __future__ import annotations

from typing import Any

from ...nn.tensor import Tensor
from ..facts import picture_of


def enlarged(tensor: Tensor, top: float, left: float | None) -> Any:
    """Returns the half of a picture's rows and columns that begins there (0 to 0.5), as large as all of it,
    or None for anything but one picture of even sides. Without `left` all columns stay as they are, so that
    things become twice as high."""
    numbers, picture = tensor.numbers(), picture_of(tensor.shape)
    if numbers is None or picture is None or picture.height % 2 or picture.width % 2:
        return None
    array = numbers.reshape(tensor.shape)
    if array.ndim == 4 and len(array) > 1:
        return None
    down, across = (-2, -1) if picture.planar else (-3, -2)
    for axis, start, size in ((down, top, picture.height), (across, left, picture.width)):
        if start is None:
            continue
        first = round(start * size)
        array = array.take(range(first, first + size // 2), axis=axis).repeat(2, axis=axis)
    return array
