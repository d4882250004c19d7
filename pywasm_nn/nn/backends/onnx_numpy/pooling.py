"""Pooling: MaxPool, AveragePool and the global ones."""

from __future__ import annotations

import numpy as np

from .model import Array, Ints
from .operators import operator
from .room import Room
from .windows import AUTO_PADS, windows_of


@operator("MaxPool", auto_pad=AUTO_PADS, storage_order=(0,))
def max_pool(
    room: Room, x: Array, *, kernel_shape: Ints, strides: Ints | None = None, pads: Ints | None = None,
    dilations: Ints | None = None, auto_pad: str = "NOTSET", ceil_mode: int = 0, storage_order: int = 0,
) -> Array:  # fmt: skip
    windows = windows_of(_spatial(x), kernel_shape, strides, pads, dilations, auto_pad, bool(ceil_mode))
    lowest = -np.inf if x.dtype.kind == "f" else np.iinfo(x.dtype).min
    padded = windows.padded(room, x, lowest)
    y = room.full((*x.shape[:2], *windows.output), lowest, x.dtype)
    for offset in windows.offsets():
        room.look()
        np.maximum(y, windows.shifted(padded, offset), out=y)
    return y


@operator("AveragePool", auto_pad=AUTO_PADS)
def average_pool(
    room: Room, x: Array, *, kernel_shape: Ints, strides: Ints | None = None, pads: Ints | None = None,
    dilations: Ints | None = None, auto_pad: str = "NOTSET", ceil_mode: int = 0, count_include_pad: int = 0,
) -> Array:  # fmt: skip
    """Pads count with `count_include_pad`; elements that ceil_mode adds at the end never count."""
    windows = windows_of(_spatial(x), kernel_shape, strides, pads, dilations, auto_pad, bool(ceil_mode))
    padded = windows.padded(room, x, 0)
    y = room.full((*x.shape[:2], *windows.output), 0, x.dtype)
    for offset in windows.offsets():
        room.look()
        np.add(y, windows.shifted(padded, offset), out=y)
    y /= windows.counts(room, with_pads=bool(count_include_pad)).astype(x.dtype)
    return y


def _spatial(x: Array) -> Ints:
    if x.ndim < 3:
        raise ValueError(f"an input of rank {x.ndim} has no spatial dimensions")
    return x.shape[2:]


@operator("GlobalAveragePool")
def global_average_pool(room: Room, x: Array) -> Array:
    return room.fold(np.mean, x, tuple(range(2, 2 + len(_spatial(x)))))


@operator("GlobalMaxPool")
def global_max_pool(room: Room, x: Array) -> Array:
    return room.fold(np.max, x, tuple(range(2, 2 + len(_spatial(x)))))
