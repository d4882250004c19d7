"""Instructions over arrays: each element exactly what the instruction gives for it, except the bits of NaNs.

Integers are unsigned arrays of their type's width, truth values arrays of bool. What is not here: when an
instruction traps is in `TRAPS`, and nobody may use its result there.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

Array = Any
UNSIGNED = {32: np.uint32, 64: np.uint64}
SIGNED = {32: np.int32, 64: np.int64}
DTYPES: dict[str, Any] = {
    "i32": np.uint32,
    "i64": np.uint64,
    "f32": np.float32,
    "f64": np.float64,
    "bool": np.bool_,
}
STORED: dict[str, Any] = {
    "u8": np.dtype("u1"), "s8": np.dtype("i1"), "u16": np.dtype("<u2"), "s16": np.dtype("<i2"),
    "u32": np.dtype("<u4"), "s32": np.dtype("<i4"), "u64": np.dtype("<u8"), "f32": np.dtype("<f4"),
    "f64": np.dtype("<f8"),
}  # fmt: skip
"""What memory has at an access."""


def signed(a: Array) -> Array:
    return a.view(np.int32 if a.dtype.itemsize == 4 else np.int64)


def unsigned(a: Array) -> Array:
    return a.view(np.uint32 if a.dtype.itemsize == 4 else np.uint64)


def on_signed(function: Callable[..., Array], a: Array, b: Array) -> Array:
    return function(signed(a), signed(b))


def shift(function: Callable[..., Array], a: Array, b: Array) -> Array:
    return function(a, b & a.dtype.type(a.dtype.itemsize * 8 - 1))


def shr_s(a: Array, b: Array) -> Array:
    return unsigned(np.right_shift(signed(a), signed(b & a.dtype.type(a.dtype.itemsize * 8 - 1))))


def rotl(a: Array, b: Array) -> Array:
    most = a.dtype.type(a.dtype.itemsize * 8 - 1)
    return a << (b & most) | a >> (-b & most)


def rotr(a: Array, b: Array) -> Array:
    return rotl(a, -b)


def quotient(a: Array, b: Array) -> Array:
    """Rounded to zero; numpy rounds down."""
    a, b = signed(a), signed(b)
    down = np.floor_divide(a, b)
    return down + ((down * b != a) & ((a < 0) != (b < 0)))


def div_s(a: Array, b: Array) -> Array:
    return unsigned(quotient(a, b))


def rem_s(a: Array, b: Array) -> Array:
    return unsigned(signed(a) - quotient(a, b) * signed(b))


def narrowed(bits: int, a: Array) -> Array:
    """The sign extension of the lowest bits."""
    whole = SIGNED[a.dtype.itemsize * 8]
    return unsigned(a.astype({8: np.int8, 16: np.int16, 32: np.int32}[bits]).astype(whole))


def as_type(type_: Any, a: Array) -> Array:
    return a.astype(type_)


def from_signed(type_: Any, a: Array) -> Array:
    return signed(a).astype(type_)


def extended(a: Array) -> Array:
    return signed(a).astype(np.int64).view(np.uint64)


def fits(low: float, high: float, a: Array) -> Array:
    """Whether a float is an integer in [low, high) without its fraction."""
    whole = np.trunc(a)
    return (whole >= whole.dtype.type(low)) & (whole < whole.dtype.type(high))


def saturated(type_: Any, low: float, high: float, a: Array) -> Array:
    most, least = np.iinfo(type_).max, np.iinfo(type_).min
    made = np.trunc(np.where(fits(low, high, a), a, a.dtype.type(0))).astype(type_)
    made = np.where(a >= a.dtype.type(high), type_(most), made)
    return unsigned(np.where(a < a.dtype.type(low), type_(least), made))


def least(a: Array, b: Array) -> Array:
    """-0 is less than 0; numpy takes either of them."""
    bits = np.dtype(f"u{a.dtype.itemsize}")
    both = (a.view(bits) | b.view(bits)).view(a.dtype)
    return np.where(a == b, both, np.minimum(a, b))


def greatest(a: Array, b: Array) -> Array:
    bits = np.dtype(f"u{a.dtype.itemsize}")
    both = (a.view(bits) & b.view(bits)).view(a.dtype)
    return np.where(a == b, both, np.maximum(a, b))


def integers(bits: int) -> dict[str, Callable[..., Array]]:
    zero = UNSIGNED[bits](0)
    made: dict[str, Callable[..., Array]] = {
        "and": np.bitwise_and, "or": np.bitwise_or, "xor": np.bitwise_xor, "mul": np.multiply,
        "shl": partial(shift, np.left_shift), "shr_u": partial(shift, np.right_shift), "shr_s": shr_s,
        "rotl": rotl, "rotr": rotr, "div_u": np.floor_divide, "rem_u": np.remainder, "div_s": div_s,
        "rem_s": rem_s, "eq": np.equal, "ne": np.not_equal, "eqz": lambda a: a == zero,
        "extend8_s": partial(narrowed, 8), "extend16_s": partial(narrowed, 16),
    }  # fmt: skip
    for name, function in (
        ("lt", np.less),
        ("le", np.less_equal),
        ("gt", np.greater),
        ("ge", np.greater_equal),
    ):
        made |= {f"{name}_u": function, f"{name}_s": partial(on_signed, function)}
    return {f"i{bits}.{name}": function for name, function in made.items()}


def floats(bits: int) -> dict[str, Callable[..., Array]]:
    made: dict[str, Callable[..., Array]] = {
        "add": np.add, "sub": np.subtract, "mul": np.multiply, "div": np.divide, "sqrt": np.sqrt,
        "abs": np.abs, "neg": np.negative, "ceil": np.ceil, "floor": np.floor, "trunc": np.trunc,
        "nearest": np.rint, "min": least, "max": greatest, "copysign": np.copysign,
        "eq": np.equal, "ne": np.not_equal, "lt": np.less, "le": np.less_equal, "gt": np.greater,
        "ge": np.greater_equal,
    }  # fmt: skip
    type_ = DTYPES[f"f{bits}"]
    for source in (32, 64):
        made[f"convert_i{source}_u"] = partial(as_type, type_)
        made[f"convert_i{source}_s"] = partial(from_signed, type_)
    return {f"f{bits}.{name}": function for name, function in made.items()}


def conversions() -> dict[str, Callable[..., Array]]:
    made: dict[str, Callable[..., Array]] = {
        "i32.wrap_i64": partial(as_type, np.uint32), "i64.extend_i32_u": partial(as_type, np.uint64),
        "i64.extend_i32_s": extended, "i64.extend32_s": partial(narrowed, 32),
        "f64.promote_f32": partial(as_type, np.float64), "f32.demote_f64": partial(as_type, np.float32),
        "i32.reinterpret_f32": unsigned, "i64.reinterpret_f64": unsigned,
        "f32.reinterpret_i32": lambda a: a.view(np.float32),
        "f64.reinterpret_i64": lambda a: a.view(np.float64),
    }  # fmt: skip
    for bits, source in ((32, 32), (32, 64), (64, 32), (64, 64)):
        for sign, type_ in (("s", SIGNED[bits]), ("u", UNSIGNED[bits])):
            between = np.int64 if bits == 32 else type_
            ends = RANGES[bits, sign]
            made[f"i{bits}.trunc_f{source}_{sign}"] = partial(cut, type_, between)
            made[f"i{bits}.trunc_sat_f{source}_{sign}"] = partial(saturated, type_, *ends)
    return made


def cut(type_: Any, between: Any, a: Array) -> Array:
    """A float that `fits` as an integer. C leaves open what a negative number or one beyond 2^31 is as an
    unsigned one, so that the way is through 64 bits where there are some."""
    return unsigned(np.trunc(a).astype(between).astype(type_))


RANGES = {
    (bits, sign): ((-(2.0 ** (bits - 1)), 2.0 ** (bits - 1)) if sign == "s" else (0.0, 2.0**bits))
    for bits in (32, 64)
    for sign in "su"
}
OPERATIONS: dict[str, Callable[..., Array]] = (
    integers(32) | integers(64) | floats(32) | floats(64) | conversions()
)


def unfit(low: float, high: float, a: Array) -> Array:
    return ~fits(low, high, a)


def by_zero(a: Array, b: Array) -> Array:
    return b == b.dtype.type(0)


def overflows(a: Array, b: Array) -> Array:
    bits = a.dtype.itemsize * 8
    lowest = a == a.dtype.type(1 << bits - 1)
    return by_zero(a, b) | lowest & (b == a.dtype.type((1 << bits) - 1))


TRAPS: dict[str, Callable[..., Array]] = {
    **{f"i{bits}.{name}": by_zero for bits in (32, 64) for name in ("div_u", "rem_u", "rem_s")},
    "i32.div_s": overflows,
    "i64.div_s": overflows,
    **{
        f"i{bits}.trunc_f{source}_{sign}": partial(unfit, *RANGES[bits, sign])
        for bits in (32, 64)
        for source in (32, 64)
        for sign in "su"
    },
}
"""Where an instruction traps."""


def has_nan(a: Array) -> bool:
    most = np.maximum.reduce(a, axis=None)
    return bool(most != most)
