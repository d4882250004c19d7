"""Elementwise operators: arithmetic, comparison, activations."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from typing import Any

import numpy as np

from .model import Array
from .operators import operator, same_type
from .room import Room

Ufunc = Callable[..., Any]


def cast(room: Room, x: Array, dtype: Any) -> Array:
    """The array with another element type."""
    return room.each(lambda part: part.astype(dtype), x)


def _binary(name: str, function: Ufunc, since: int = 7) -> None:
    # before opset 7 an attribute `broadcast` aligned shapes in another way
    @operator(name, since=since, until=None)
    def apply(room: Room, a: Array, b: Array) -> Array:
        same_type(a, b)
        return room.each(function, a, b)


def _unary(name: str, function: Ufunc) -> None:
    @operator(name, until=None)
    def apply(room: Room, x: Array) -> Array:
        return room.each(lambda part: np.asarray(function(part), x.dtype), x)


def _variadic(name: str, function: Ufunc) -> None:
    @operator(name, until=None)
    def apply(room: Room, *xs: Array) -> Array:
        same_type(*xs)
        return room.each(lambda *parts: reduce(function, parts), *xs)


def _divide(a: Array, b: Array) -> Array:
    """Integer division rounds towards zero, as in C."""
    if a.dtype.kind == "f":
        return np.asarray(a / b)
    if not np.all(b):
        raise ZeroDivisionError("integer division by zero")
    quotient = a // b
    return np.asarray(quotient + ((quotient * b != a) & ((a < 0) != (b < 0))), a.dtype)


def _sigmoid(x: Array) -> Array:
    return np.asarray(1 / (1 + np.exp(-x)), x.dtype)


_BINARY: dict[str, Ufunc] = {
    "Add": np.add, "Sub": np.subtract, "Mul": np.multiply, "Div": _divide, "Equal": np.equal,
    "Greater": np.greater, "Less": np.less, "And": np.logical_and, "Or": np.logical_or, "Xor": np.logical_xor,
}  # fmt: skip
for _name, _function in _BINARY.items():
    _binary(_name, _function)
_binary("GreaterOrEqual", np.greater_equal, since=12)
_binary("LessOrEqual", np.less_equal, since=12)

_UNARY: dict[str, Ufunc] = {
    "Abs": np.abs, "Neg": np.negative, "Sqrt": np.sqrt, "Exp": np.exp, "Log": np.log, "Floor": np.floor,
    "Ceil": np.ceil, "Round": np.rint, "Sign": np.sign, "Sin": np.sin, "Cos": np.cos, "Tanh": np.tanh,
    "Reciprocal": np.reciprocal, "Not": np.logical_not, "Sigmoid": _sigmoid,
    "Softplus": lambda x: np.logaddexp(x, x.dtype.type(0)), "Softsign": lambda x: x / (1 + np.abs(x)),
    "HardSwish": lambda x: x * np.clip(x / 6 + 0.5, 0, 1), "Relu": lambda x: np.maximum(x, 0),
}  # fmt: skip
for _name, _function in _UNARY.items():
    _unary(_name, _function)

_variadic("Min", np.minimum)
_variadic("Max", np.maximum)
_variadic("Sum", np.add)


@operator("Mean")
def mean(room: Room, *xs: Array) -> Array:
    same_type(*xs)
    return room.each(lambda *parts: np.asarray(reduce(np.add, parts) / len(xs), xs[0].dtype), *xs)


@operator("Pow", since=7)
def power(room: Room, a: Array, b: Array) -> Array:
    """The exponent may have another type than the base; the result has the base's."""
    if a.dtype.kind == "f" and b.size == 1 and b.ndim <= a.ndim and b.reshape(()) in (2, 3):
        square = b.reshape(()) == 2  # pow() is 20 times slower
        return room.each(lambda part: part * part if square else part * part * part, a)
    return room.each(lambda a, b: np.asarray(np.power(a, b)).astype(a.dtype, copy=False), a, b)


@operator("Mod", since=10)
def modulo(room: Room, a: Array, b: Array, *, fmod: int = 0) -> Array:
    same_type(a, b)
    if a.dtype.kind != "f" and not np.all(b):
        raise ZeroDivisionError("integer division by zero")
    return room.each(np.fmod if fmod else np.mod, a, b)


@operator("Where", widen=False)
def where(room: Room, condition: Array, x: Array, y: Array) -> Array:
    same_type(x, y)
    return room.each(np.where, condition, x, y)


@operator("IsNaN")
def is_nan(room: Room, x: Array) -> Array:
    return room.each(np.isnan, x)


@operator("Clip", since=11)
def clip(room: Room, x: Array, low: Array | None = None, high: Array | None = None) -> Array:
    """If `high` is below `low`, the result is `high`."""
    same_type(*(array for array in (x, low, high) if array is not None))
    if low is not None:
        x = room.each(np.maximum, x, low.reshape(()))
    if high is not None:
        x = room.each(np.minimum, x, high.reshape(()))
    return x


@operator("Clip")
def clip_6(room: Room, x: Array, *, min: float | None = None, max: float | None = None) -> Array:
    low, high = (None if bound is None else np.array(bound, x.dtype) for bound in (min, max))
    return np.asarray(clip(room, x, low, high))


@operator("LeakyRelu")
def leaky_relu(room: Room, x: Array, *, alpha: float = 0.01) -> Array:
    return room.each(lambda x: np.asarray(np.where(x < 0, x * alpha, x), x.dtype), x)


@operator("PRelu", since=7)
def parametric_relu(room: Room, x: Array, slope: Array) -> Array:
    same_type(x, slope)
    return room.each(lambda x, slope: np.where(x < 0, x * slope, x), x, slope)


@operator("Elu")
def elu(room: Room, x: Array, *, alpha: float = 1.0) -> Array:
    return room.each(lambda x: np.asarray(np.where(x < 0, alpha * np.expm1(np.minimum(x, 0)), x), x.dtype), x)


@operator("Selu")
def selu(
    room: Room,
    x: Array,
    *,
    alpha: float = 1.67326319217681884765625,
    gamma: float = 1.05070102214813232421875,
) -> Array:
    return room.each(
        lambda x: np.asarray(gamma * np.where(x <= 0, alpha * np.expm1(np.minimum(x, 0)), x), x.dtype), x
    )


@operator("HardSigmoid")
def hard_sigmoid(room: Room, x: Array, *, alpha: float = 0.2, beta: float = 0.5) -> Array:
    return room.each(lambda x: np.asarray(np.clip(alpha * x + beta, 0, 1), x.dtype), x)


@operator("Gelu", since=20, approximate=("none", "tanh"))
def gelu(room: Room, x: Array, *, approximate: str = "none") -> Array:
    return room.each(lambda x: _gelu(x, approximate), x)


def _gelu(x: Array, approximate: str) -> Array:
    if approximate == "tanh":
        inner = np.tanh(0.7978845608028654 * (x + 0.044715 * x * x * x))  # sqrt(2 / pi)
    else:
        inner = _erf(x * 0.7071067811865476)
    return np.asarray(0.5 * x * (1 + inner), x.dtype)


# W. J. Cody, "Rational Chebyshev approximations for the error function", Math. Comp. 23 (1969), 631-637.
_NEAR_P = (1.85777706184603153e-1, 3.16112374387056560e0, 1.13864154151050156e2, 3.77485237685302021e2,
           3.20937758913846947e3)  # fmt: skip
_NEAR_Q = (1.0, 2.36012909523441209e1, 2.44024637934444173e2, 1.28261652607737228e3,
           2.84423683343917062e3)  # fmt: skip
_FAR_P = (2.15311535474403846e-8, 5.64188496988670089e-1, 8.88314979438837594e0, 6.61191906371416295e1,
          2.98635138197400131e2, 8.81952221241769090e2, 1.71204761263407058e3, 2.05107837782607147e3,
          1.23033935479799725e3)  # fmt: skip
_FAR_Q = (1.0, 1.57449261107098347e1, 1.17693950891312499e2, 5.37181101862009858e2, 1.62138957456669019e3,
          3.29079923573345963e3, 4.36261909014324716e3, 3.43936767414372164e3,
          1.23033935480374942e3)  # fmt: skip


def _erf(x: Array) -> Array:
    """The error function, exact to the last one or two bits of float64; numpy has none."""
    wide = x.astype(np.float64)
    near = np.clip(wide, -0.5, 0.5)
    square = near * near
    inside = near * np.polyval(_NEAR_P, square) / np.polyval(_NEAR_Q, square)
    far = np.clip(np.abs(wide), 0.46875, 6.0)  # erf(6) is 1 in float64
    outside = 1 - np.exp(-far * far) * np.polyval(_FAR_P, far) / np.polyval(_FAR_Q, far)
    result = np.where(np.abs(wide) <= 0.46875, inside, np.copysign(outside, wide))
    return np.where(np.isnan(wide), wide, result).astype(x.dtype)


_unary("Erf", _erf)
