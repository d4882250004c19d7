"""Operators that read shapes, and that change shapes without changing elements."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import numpy as np

from .elementwise import cast
from .model import NUMPY_TYPES, Array, Floats, Ints
from .operators import axes_of, axis_of, operator
from .room import Room


@operator("Identity", widen=False)
def identity(x: Array) -> Array:
    return x


@operator("Dropout", since=12, outputs=2, widen=False, training_mode=(0,))
def dropout(
    room: Room, x: Array, ratio: Array | None = None, training: Array | None = None, *, seed: int = 0
) -> tuple[Array, Array]:
    """Inference: no elements are dropped."""
    if training is not None and training.any():
        raise ValueError("Dropout in training mode")
    return x, room.full(x.shape, True, np.bool_)


@operator("Dropout", since=7, widen=False)
def dropout_11(x: Array, *, ratio: float = 0.5) -> Array:
    return x


@operator("Shape", widen=False)
def shape(x: Array, *, start: int = 0, end: int | None = None) -> Array:
    return np.array(x.shape[slice(start, end)], np.int64)


@operator("Size", widen=False)
def size(x: Array) -> Array:
    return np.array(x.size, np.int64)


@operator("Reshape", since=5, widen=False)
def reshape(room: Room, x: Array, shape: Array, *, allowzero: int = 0) -> Array:
    """0 keeps a length of the input, -1 is computed from the others."""
    wanted = [int(length) for length in shape.ravel()]
    if not allowzero:
        wanted = [x.shape[axis] if length == 0 else length for axis, length in enumerate(wanted)]
    return reshaped(room, x, wanted)


def reshaped(room: Room, x: Array, shape: Sequence[int]) -> Array:
    """The array in another shape: a view if the elements are in order, else a copy."""
    if not x.flags.c_contiguous:
        room.shape(x.shape, x.dtype)
    return x.reshape(shape)


@operator("Flatten", widen=False)
def flatten(room: Room, x: Array, *, axis: int = 1) -> Array:
    axis = axis if axis == x.ndim else axis_of(axis, x.ndim)
    return reshaped(room, x, (prod(x.shape[:axis]), prod(x.shape[axis:])))


@operator("Transpose", widen=False)
def transpose(x: Array, *, perm: Ints | None = None) -> Array:
    return np.transpose(x, None if perm is None else axes_of(perm, x.ndim))


@operator("Squeeze", widen=False)
def squeeze_12(x: Array, *, axes: Ints | None = None) -> Array:
    return np.squeeze(x, None if axes is None else axes_of(axes, x.ndim))


@operator("Squeeze", since=13, widen=False)
def squeeze(x: Array, axes: Array | None = None) -> Array:
    return np.squeeze(x, None if axes is None else axes_of(axes.ravel(), x.ndim))


@operator("Unsqueeze", widen=False)
def unsqueeze_12(x: Array, *, axes: Ints) -> Array:
    return np.expand_dims(x, axes_of(axes, x.ndim + len(axes)))


@operator("Unsqueeze", since=13, widen=False)
def unsqueeze(x: Array, axes: Array) -> Array:
    return np.expand_dims(x, axes_of(axes.ravel(), x.ndim + axes.size))


@operator("Expand", since=8, widen=False)
def expand(room: Room, x: Array, shape: Array) -> Array:
    wanted = tuple(shape.ravel().tolist())
    return np.broadcast_to(x, room.shape(np.broadcast_shapes(x.shape, wanted), x.dtype))


@operator("Constant", widen=False)
def constant(
    *, value: Array | None = None, value_float: float | None = None, value_int: int | None = None,
    value_floats: Floats | None = None, value_ints: Ints | None = None,
) -> Array:  # fmt: skip
    """Exactly one attribute is given, which determines the type."""
    for found, dtype in (
        (value, None), (value_float, np.float32), (value_floats, np.float32), (value_int, np.int64),
        (value_ints, np.int64),
    ):  # fmt: skip
        if found is not None:
            return np.asarray(found, dtype)
    raise ValueError("a constant without a value")


@operator("ConstantOfShape", since=9, widen=False)
def constant_of_shape(room: Room, shape: Array, *, value: Array | None = None) -> Array:
    fill = np.zeros(1, np.float32) if value is None else value
    return np.broadcast_to(fill.reshape(()), room.shape(shape.ravel(), fill.dtype))


@operator("Cast", since=6, widen=False, to=tuple(NUMPY_TYPES))
def cast_to(room: Room, x: Array, *, to: int, saturate: int = 1) -> Array:
    """`saturate` is for 8-bit floats, which this backend lacks."""
    return cast(room, x, NUMPY_TYPES[to])


@operator("CastLike", since=15, widen=False)
def cast_like(room: Room, x: Array, like: Array, *, saturate: int = 1) -> Array:
    return cast(room, x, like.dtype)


@operator("Range", since=27, widen=False, stash_type=(1,))
def range_stashed(room: Room, start: Array, limit: Array, delta: Array, *, stash_type: int = 1) -> Array:
    """From opset 27 on, float16 is computed in float32."""
    return np.asarray(range_(room, start, limit, delta))


@operator("Range", since=11, until=26, widen=False)
def range_(room: Room, start: Array, limit: Array, delta: Array) -> Array:
    first, last, step = (bound.reshape(()).item() for bound in (start, limit, delta))
    count = max(0, int(np.ceil((last - first) / step)))
    room.shape([count], np.float64)  # numpy computes in this type or int64
    return np.arange(first, last, step).astype(start.dtype, copy=False)
