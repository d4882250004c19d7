"""Inputs of one dimension as the pixels of a picture: `as_picture` and `in_rows`."""

from __future__ import annotations

from math import isqrt
from typing import Any

from ..facts import picture_of

MOST_IN_ROWS = 256
"""Inputs of more pictures than so many are no pictures in rows."""


def as_picture(array: Any, pixels: Any) -> Any:
    """An input of one dimension in rows and columns: those of a picture, or as many of both."""
    side = isqrt(array.shape[-1]) if array.ndim else 0
    made = in_rows(array, *pixels.shape[:2])
    return in_rows(array, side, side) if made is array else made


def in_rows(array: Any, height: int, width: int) -> Any:
    """The first of some inputs of one dimension as grey pixels in rows; any other array as it is."""
    is_flat = array.ndim > 0 and picture_of(array.shape) is None
    if not is_flat or array.shape[-1] != height * width or array.size > MOST_IN_ROWS * height * width:
        return array
    return array.reshape(-1, height, width, 1)[:1]
