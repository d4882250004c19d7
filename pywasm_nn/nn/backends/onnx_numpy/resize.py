"""Resize and its predecessor Upsample: nearest and linear, one axis after another."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .model import Array, Ints
from .operators import Result, axes_of, operator
from .room import Room

_COORDINATES = ("half_pixel", "asymmetric", "align_corners", "pytorch_half_pixel")
_ROUNDINGS: dict[str, Callable[[Array], Any]] = {
    "round_prefer_floor": lambda at: np.ceil(at - 0.5),
    "round_prefer_ceil": lambda at: np.floor(at + 0.5),
    "floor": np.floor,
    "ceil": np.ceil,
}


@operator(
    "Resize", since=11, mode=("nearest", "linear"), coordinate_transformation_mode=_COORDINATES,
    nearest_mode=tuple(_ROUNDINGS), antialias=(0,), keep_aspect_ratio_policy=("stretch",),
)  # fmt: skip
def resize(
    room: Room, x: Array, roi: Array | None = None, scales: Array | None = None, sizes: Array | None = None,
    *, mode: str = "nearest", coordinate_transformation_mode: str = "half_pixel",
    nearest_mode: str = "round_prefer_floor", antialias: int = 0, axes: Ints | None = None,
    keep_aspect_ratio_policy: str = "stretch", cubic_coeff_a: float = -0.75, exclude_outside: int = 0,
    extrapolation_value: float = 0.0,
) -> Array:  # fmt: skip
    """`roi` and the last three attributes are for modes that this backend lacks."""
    chosen = tuple(range(x.ndim)) if axes is None else axes_of(axes, x.ndim)
    if sizes is not None and sizes.size:
        lengths = [int(length) for length in sizes.ravel()]
        factors = [n / max(x.shape[axis], 1) for n, axis in zip(lengths, chosen, strict=True)]
    elif scales is not None and scales.size:
        factors = [float(factor) for factor in scales.ravel()]
        lengths = [int(np.floor(x.shape[axis] * f)) for f, axis in zip(factors, chosen, strict=True)]
    else:
        raise ValueError("neither scales nor sizes")
    for axis, length, factor in zip(chosen, lengths, factors, strict=True):
        if (length, factor) == (x.shape[axis], 1):
            continue
        room.look()
        room.shape([*x.shape[:axis], length, *x.shape[axis + 1 :]], x.dtype)
        room.shape([length], np.float64, copies=4)
        at = _coordinates(x.shape[axis], length, factor, coordinate_transformation_mode)
        x = _nearest(x, axis, at, nearest_mode) if mode == "nearest" else _linear(room, x, axis, at)
    return x


@operator("Resize", "Upsample", since=9, mode=("nearest", "linear"))
def resize_10(room: Room, x: Array, scales: Array, *, mode: str = "nearest") -> Result:
    """Before opset 11 there was only one way to position the elements."""
    return resize(
        room, x, None, scales, mode=mode, coordinate_transformation_mode="asymmetric", nearest_mode="floor"
    )


def _coordinates(source: int, target: int, factor: float, mode: str) -> Array:
    """The position in the source of each element of the target, in float32 as in other runtimes, so that
    positions on a border round in the same way.
    """
    at, scale, half = np.arange(target, dtype=np.float32), np.float32(factor), np.float32(0.5)
    if mode == "asymmetric":
        return at / scale
    if mode == "align_corners":
        return at * np.float32(source - 1) / np.float32(max(target - 1, 1))
    if mode == "pytorch_half_pixel" and target <= 1:
        return at * 0
    return (at + half) / scale - half


def _nearest(x: Array, axis: int, at: Array, rounding: str) -> Array:
    index = np.clip(_ROUNDINGS[rounding](at), 0, x.shape[axis] - 1).astype(np.int64)
    return np.asarray(np.take(x, index, axis))


def _linear(room: Room, x: Array, axis: int, at: Array) -> Array:
    at = np.clip(at, 0, x.shape[axis] - 1)
    low = np.floor(at).astype(np.int64)
    high = np.minimum(low + 1, x.shape[axis] - 1)
    spread = (-1,) + (1,) * (x.ndim - 1 - axis)
    share = (at - low).astype(x.dtype).reshape(spread)
    below, above = np.take(x, low, axis), np.take(x, high, axis)
    room.shape(above.shape, above.dtype)
    return room.each(
        lambda below, above, share: below * (1 - share) + above * share, below, above, share, into=below
    )
