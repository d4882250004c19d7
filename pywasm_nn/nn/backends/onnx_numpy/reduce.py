"""Operators that reduce axes: ReduceX, ArgMax and ArgMin, Softmax and the normalizations."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from typing import Any

import numpy as np

from .model import Array, Ints
from .operators import Result, axes_of, axis_of, operator
from .room import Room

Fold = Callable[..., Any]


def _total(x: Array, **how: Any) -> Any:
    return np.sum(x, dtype=x.dtype, **how)


def _mean(x: Array, **how: Any) -> Any:
    if x.dtype.kind == "f":
        return np.mean(x, dtype=x.dtype, **how)
    return np.trunc(np.mean(x, dtype=np.float64, **how))


def _log_sum_exp(x: Array, axis: Ints, keepdims: bool) -> Any:
    top = np.max(x, axis=axis, keepdims=keepdims)
    top = np.where(np.isfinite(top), top, 0).astype(x.dtype)
    powers = x - top
    np.exp(powers, out=powers)
    return np.log(np.sum(powers, axis=axis, keepdims=keepdims)) + top


_FOLDS: dict[str, Fold] = {
    "ReduceSum": _total,
    "ReduceMean": _mean,
    "ReduceMax": np.max,
    "ReduceMin": np.min,
    "ReduceProd": lambda x, **how: np.prod(x, dtype=x.dtype, **how),
    "ReduceL1": lambda x, **how: _total(np.abs(x), **how),
    "ReduceL2": lambda x, **how: np.sqrt(_total(x * x, **how)),
    "ReduceSumSquare": lambda x, **how: _total(x * x, **how),
    "ReduceLogSum": lambda x, **how: np.log(_total(x, **how)),
    "ReduceLogSumExp": _log_sum_exp,
}


def _folded(room: Room, fold: Fold, x: Array, axes: Ints, keepdims: int) -> Array:
    result = np.asarray(room.fold(fold, x, axes, copies=1), x.dtype)
    return result if keepdims else np.squeeze(result, axes)


def _reduce(name: str, fold: Fold) -> None:
    """The two forms of a reduction: axes as an attribute, and axes as an input (ReduceSum from opset 13,
    others from 18).
    """

    @operator(name)
    def by_attribute(room: Room, x: Array, *, axes: Ints | None = None, keepdims: int = 1) -> Array:
        chosen = tuple(range(x.ndim)) if axes is None else axes_of(axes, x.ndim)
        return _folded(room, fold, x, chosen, keepdims)

    @operator(name, since=13 if name == "ReduceSum" else 18)
    def by_input(
        room: Room, x: Array, axes: Array | None = None, *, keepdims: int = 1, noop_with_empty_axes: int = 0
    ) -> Array:
        if axes is None or not axes.size:
            if noop_with_empty_axes:
                return x
            axes = np.arange(x.ndim)
        chosen = axes_of(axes.ravel(), x.ndim)
        return _folded(room, fold, x, chosen, keepdims)


for _name, _fold in _FOLDS.items():
    _reduce(_name, _fold)


def _arg(name: str, function: Fold) -> None:
    @operator(name)
    def apply(room: Room, x: Array, *, axis: int = 0, keepdims: int = 1, select_last_index: int = 0) -> Array:
        axis = axis_of(axis, x.ndim)

        def find(x: Array, axis: Ints, keepdims: bool) -> Any:
            return function(x, axis=axis[0] if axis else None, keepdims=keepdims)

        found = room.fold(find, np.flip(x, axis) if select_last_index else x, (axis,)[: x.ndim], copies=1)
        if select_last_index:
            found = x.shape[axis] - 1 - found
        return np.asarray(found if keepdims else np.squeeze(found, axis), np.int64)


_arg("ArgMax", np.argmax)
_arg("ArgMin", np.argmin)


def _softmax(room: Room, x: Array, axes: Ints) -> Array:
    if not x.size:
        return x
    powers = room.each(np.subtract, x, room.fold(np.max, x, axes))
    room.each(np.exp, powers, into=powers)
    return room.each(np.divide, powers, room.fold(np.sum, powers, axes), into=powers)


def _log_softmax(room: Room, x: Array, axes: Ints) -> Array:
    if not x.size:
        return x
    shifted = room.each(np.subtract, x, room.fold(np.max, x, axes))
    total = room.fold(lambda part, **how: np.sum(np.exp(part), **how), shifted, axes, copies=1)
    return room.each(np.subtract, shifted, np.log(total), into=shifted)


def _normalize(name: str, function: Callable[[Room, Array, Ints], Array]) -> None:
    @operator(name)
    def over_the_rest(room: Room, x: Array, *, axis: int = 1) -> Array:
        """Before opset 13 the input is treated as a matrix: all axes from `axis` on are reduced together."""
        axis = axis if axis == x.ndim else axis_of(axis, x.ndim)
        return (
            function(room, x, tuple(range(axis, x.ndim)))
            if axis < x.ndim
            else np.asarray(function(room, x[..., None], (x.ndim,))[..., 0])
        )

    @operator(name, since=13)
    def over_one_axis(room: Room, x: Array, *, axis: int = -1) -> Array:
        return function(room, x, (axis_of(axis, x.ndim),)[: x.ndim])


_normalize("Softmax", _softmax)
_normalize("LogSoftmax", _log_softmax)


@operator("BatchNormalization", since=7, training_mode=(0,), spatial=(1,))
def batch_normalization(
    room: Room, x: Array, scale: Array, bias: Array, mean: Array, variance: Array,
    *, epsilon: float = 1e-5, momentum: float = 0.9, training_mode: int = 0, spatial: int = 1,
) -> Array:  # fmt: skip
    """Inference only: `momentum` is for training."""
    factor = scale / np.sqrt(variance + epsilon)
    offset = bias - mean * factor
    per_channel = (-1,) + (1,) * (x.ndim - 2)
    return room.each(
        lambda x, factor, offset: np.asarray(x * factor + offset, x.dtype),
        x, factor.reshape(per_channel), offset.reshape(per_channel),
    )  # fmt: skip


@operator("InstanceNormalization", since=6)
def instance_normalization(
    room: Room, x: Array, scale: Array, bias: Array, *, epsilon: float = 1e-5
) -> Array:
    axes = tuple(range(2, x.ndim))
    per_channel = (-1,) + (1,) * (x.ndim - 2)
    centred = room.each(np.subtract, x, room.fold(np.mean, x, axes))
    deviation = np.sqrt(room.fold(_mean_square, centred, axes, copies=1) + epsilon)
    return room.each(
        lambda x, deviation, scale, bias: np.asarray(x / deviation * scale + bias, x.dtype),
        centred, deviation, scale.reshape(per_channel), bias.reshape(per_channel),
    )  # fmt: skip


def _mean_square(x: Array, **how: Any) -> Any:
    return np.mean(x * x, **how)


@operator("LayerNormalization", since=17, outputs=3, stash_type=(1,))
def layer_normalization(
    room: Room, x: Array, scale: Array, bias: Array | None = None,
    *, axis: int = -1, epsilon: float = 1e-5, stash_type: int = 1,
) -> Result:  # fmt: skip
    """Returns the normalized array, the mean and the inverse of the standard deviation."""
    axes = tuple(range(axis_of(axis, x.ndim), x.ndim))
    mean = room.fold(np.mean, x, axes)
    centred = room.each(np.subtract, x, mean)
    inverse = 1 / np.sqrt(room.fold(_mean_square, centred, axes, copies=1) + epsilon)
    result = room.each(
        lambda x, inverse, scale, *bias: np.asarray(reduce(np.add, bias, x * inverse * scale), x.dtype),
        *(array for array in (centred, inverse, scale, bias) if array is not None),
    )
    return result, mean, inverse
