"""Operators that fold axes: ReduceX, ArgMax and ArgMin, Softmax and the normalizations."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .model import Array, Ints
from .operators import Result, axes_of, axis_of, operator

Fold = Callable[..., Any]


def _total(x: Array, **how: Any) -> Any:
    return np.sum(x, dtype=x.dtype, **how)


def _mean(x: Array, **how: Any) -> Any:
    if x.dtype.kind == "f":
        return np.mean(x, dtype=x.dtype, **how)
    return np.trunc(np.mean(x, dtype=np.float64, **how))


def _log_sum_exp(x: Array, axis: Ints, keepdims: bool) -> Any:
    top = np.max(x, axis=axis, keepdims=True)
    top = np.where(np.isfinite(top), top, 0).astype(x.dtype)
    folded = np.log(np.sum(np.exp(x - top), axis=axis, keepdims=True)) + top
    return folded if keepdims else np.squeeze(folded, axis)


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


def _reduce(name: str, fold: Fold) -> None:
    """The two forms of a reduction: axes as an attribute, and as an input (ReduceSum from opset 13, others
    18).
    """

    @operator(name)
    def by_attribute(x: Array, *, axes: Ints | None = None, keepdims: int = 1) -> Array:
        chosen = tuple(range(x.ndim)) if axes is None else axes_of(axes, x.ndim)
        return np.asarray(fold(x, axis=chosen, keepdims=bool(keepdims)), x.dtype)

    @operator(name, since=13 if name == "ReduceSum" else 18)
    def by_input(
        x: Array, axes: Array | None = None, *, keepdims: int = 1, noop_with_empty_axes: int = 0
    ) -> Array:
        if axes is None or not axes.size:
            if noop_with_empty_axes:
                return x
            axes = np.arange(x.ndim)
        chosen = axes_of(axes.ravel(), x.ndim)
        return np.asarray(fold(x, axis=chosen, keepdims=bool(keepdims)), x.dtype)


for _name, _fold in _FOLDS.items():
    _reduce(_name, _fold)


def _arg(name: str, function: Fold) -> None:
    @operator(name)
    def apply(x: Array, *, axis: int = 0, keepdims: int = 1, select_last_index: int = 0) -> Array:
        axis = axis_of(axis, x.ndim)
        if select_last_index:
            found = x.shape[axis] - 1 - function(np.flip(x, axis), axis=axis)
        else:
            found = function(x, axis=axis)
        return np.asarray(np.expand_dims(found, axis) if keepdims else found, np.int64)


_arg("ArgMax", np.argmax)
_arg("ArgMin", np.argmin)


def _softmax(x: Array, axis: int | Ints) -> Array:
    if not x.size:
        return x
    powers = np.exp(x - np.max(x, axis=axis, keepdims=True))
    return np.asarray(powers / np.sum(powers, axis=axis, keepdims=True))


def _log_softmax(x: Array, axis: int | Ints) -> Array:
    if not x.size:
        return x
    shifted = x - np.max(x, axis=axis, keepdims=True)
    return np.asarray(shifted - np.log(np.sum(np.exp(shifted), axis=axis, keepdims=True)))


def _normalize(name: str, function: Callable[[Array, int | Ints], Array]) -> None:
    @operator(name)
    def over_the_rest(x: Array, *, axis: int = 1) -> Array:
        """Before opset 13 the input counts as a matrix: every axis from `axis` on is folded."""
        axis = axis if axis == x.ndim else axis_of(axis, x.ndim)
        return (
            function(x, tuple(range(axis, x.ndim)))
            if axis < x.ndim
            else np.asarray(function(x[..., None], -1)[..., 0])
        )

    @operator(name, since=13)
    def over_one_axis(x: Array, *, axis: int = -1) -> Array:
        return function(x, axis_of(axis, x.ndim))


_normalize("Softmax", _softmax)
_normalize("LogSoftmax", _log_softmax)


@operator("BatchNormalization", since=7, training_mode=(0,), spatial=(1,))
def batch_normalization(
    x: Array, scale: Array, bias: Array, mean: Array, variance: Array,
    *, epsilon: float = 1e-5, momentum: float = 0.9, training_mode: int = 0, spatial: int = 1,
) -> Array:  # fmt: skip
    """Inference only: `momentum` is for training."""
    factor = scale / np.sqrt(variance + epsilon)
    offset = bias - mean * factor
    per_channel = (-1,) + (1,) * (x.ndim - 2)
    return np.asarray(x * factor.reshape(per_channel) + offset.reshape(per_channel), x.dtype)


@operator("InstanceNormalization", since=6)
def instance_normalization(x: Array, scale: Array, bias: Array, *, epsilon: float = 1e-5) -> Array:
    axes = tuple(range(2, x.ndim))
    per_channel = (-1,) + (1,) * (x.ndim - 2)
    centred = x - np.mean(x, axis=axes, keepdims=True)
    deviation = np.sqrt(np.mean(centred * centred, axis=axes, keepdims=True) + epsilon)
    return np.asarray(centred / deviation * scale.reshape(per_channel) + bias.reshape(per_channel), x.dtype)


@operator("LayerNormalization", since=17, outputs=3, stash_type=(1,))
def layer_normalization(
    x: Array, scale: Array, bias: Array | None = None,
    *, axis: int = -1, epsilon: float = 1e-5, stash_type: int = 1,
) -> Result:  # fmt: skip
    """Gives the normalized array, the mean and the inverse of the standard deviation."""
    axes = tuple(range(axis_of(axis, x.ndim), x.ndim))
    mean = np.mean(x, axis=axes, keepdims=True)
    centred = x - mean
    inverse = 1 / np.sqrt(np.mean(centred * centred, axis=axes, keepdims=True) + epsilon)
    result = centred * inverse * scale
    if bias is not None:
        result = result + bias
    return np.asarray(result, x.dtype), np.asarray(mean), np.asarray(inverse)
