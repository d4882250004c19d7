"""Pure operations that are too long for an expression of the instruction table
(https://webassembly.github.io/spec/core/exec/numerics.html).

Integers are unsigned and canonical, f64 are Python floats, f32 are Python floats with a 32-bit value. A
32-bit NaN is represented by the double with the same sign, quiet bit, and payload shifted by 29, so that its
bits are kept.
"""

from __future__ import annotations

import math
from math import ceil as _ceil
from math import copysign, fabs
from math import floor as _floor
from math import trunc as _trunc
from struct import Struct

from ..errors import Trap, TrapKind

_F32, _F64, _U32, _U64 = Struct("<f"), Struct("<d"), Struct("<I"), Struct("<Q")
_SIGN32, _QUIET32, _PAYLOAD32 = 0x80000000, 0x00400000, 0x007FFFFF
_SIGN64, _QUIET64 = 1 << 63, 1 << 51
inf, nan = math.inf, math.nan

__all__ = [
    "bits32", "bits64", "ceil", "copysign", "demote", "div_s", "fabs", "fdiv", "float32", "float64", "floor",
    "fmax", "fmin", "i64_to_f32", "inf", "nan", "nan32", "nearest", "promote", "rem_s", "rotl", "rotr",
    "round32", "sqrt", "trunc", "trunc_s", "trunc_sat_s", "trunc_sat_u", "trunc_u",
]  # fmt: skip


def div_s(a: int, b: int, bits: int) -> int:
    """Signed division, rounding to zero. Traps on zero and on the one quotient that doesn't fit."""
    sign = 1 << bits - 1
    a, b = (a ^ sign) - sign, (b ^ sign) - sign
    if b == 0:
        raise Trap(TrapKind.DIVIDE_BY_ZERO)
    quotient = abs(a) // abs(b)
    if (a < 0) != (b < 0):
        quotient = -quotient
    if quotient == sign:
        raise Trap(TrapKind.INTEGER_OVERFLOW)
    return quotient & (sign << 1) - 1


def rem_s(a: int, b: int, bits: int) -> int:
    """Signed remainder with the sign of the dividend."""
    sign = 1 << bits - 1
    a, b = (a ^ sign) - sign, (b ^ sign) - sign
    if b == 0:
        raise Trap(TrapKind.DIVIDE_BY_ZERO)
    remainder = abs(a) % abs(b)
    return (-remainder if a < 0 else remainder) & (sign << 1) - 1


def rotl(a: int, b: int, bits: int) -> int:
    b %= bits
    return (a << b | a >> bits - b) & (1 << bits) - 1


def rotr(a: int, b: int, bits: int) -> int:
    b %= bits
    return (a >> b | a << bits - b) & (1 << bits) - 1


def bits32(a: float) -> int:
    """The 32 bits of an f32."""
    if a == a:
        bits: int = _U32.unpack(_F32.pack(a))[0]
        return bits
    wide: int = _U64.unpack(_F64.pack(a))[0]
    return wide >> 32 & _SIGN32 | 0x7F800000 | wide >> 29 & _PAYLOAD32


def bits64(a: float) -> int:
    """The 64 bits of an f64."""
    bits: int = _U64.unpack(_F64.pack(a))[0]
    return bits


def nan32(bits: int) -> float:
    """The double that represents the f32 NaN with these bits. CPython's unpacking would make it quiet."""
    return float64((bits & _SIGN32) << 32 | 0x7FF0000000000000 | (bits & _PAYLOAD32) << 29)


def float32(bits: int) -> float:
    """The f32 with these bits; a signalling NaN stays signalling."""
    if bits & 0x7F800000 == 0x7F800000 and bits & _PAYLOAD32:
        return nan32(bits)
    value: float = _F32.unpack(_U32.pack(bits))[0]
    return value


def float64(bits: int) -> float:
    """The f64 with these bits."""
    value: float = _F64.unpack(_U64.pack(bits))[0]
    return value


def round32(a: float) -> float:
    """Round to f32, ties to even; too large values become infinite. A NaN is returned as it is.

    https://webassembly.github.io/spec/core/exec/numerics.html#op-fround
    """
    try:
        value: float = _F32.unpack(_F32.pack(a))[0]
        return value
    except OverflowError:
        return copysign(inf, a)


def i64_to_f32(a: int) -> float:
    """Round a 64-bit integer to f32 once: going through f64 would round twice."""
    magnitude = abs(a)
    excess = magnitude.bit_length() - 53
    if excess > 0:
        # Bits below an f64's mantissa matter only if any is set: fold them into the lowest bit.
        sticky = magnitude & (1 << excess) - 1
        magnitude = (magnitude >> excess | (1 if sticky else 0)) << excess
    return round32(float(-magnitude if a < 0 else magnitude))


def demote(a: float) -> float:
    """f64 to f32; a NaN keeps sign and upper payload and becomes quiet."""
    if a == a:
        return round32(a)
    return float64(bits64(a) & ~((1 << 29) - 1) | _QUIET64)


def promote(a: float) -> float:
    """f32 to f64; a NaN becomes quiet."""
    return a if a == a else float64(bits64(a) | _QUIET64)


def fdiv(a: float, b: float) -> float:
    """IEEE division: no exception for zero."""
    if b:
        return a / b
    if a != a or a == 0:
        return nan
    return copysign(inf, a) * copysign(1.0, b) if b == b else nan


def sqrt(a: float) -> float:
    return math.sqrt(a) if a >= 0 else (quiet(a) if a != a else nan)


def ceil(a: float) -> float:
    return copysign(_ceil(a), a) if -4503599627370496.0 < a < 4503599627370496.0 else quiet(a)


def floor(a: float) -> float:
    return copysign(_floor(a), a) if -4503599627370496.0 < a < 4503599627370496.0 else quiet(a)


def trunc(a: float) -> float:
    return copysign(_trunc(a), a) if -4503599627370496.0 < a < 4503599627370496.0 else quiet(a)


def nearest(a: float) -> float:
    """Round to the nearest integer, ties to even."""
    return copysign(round(a), a) if -4503599627370496.0 < a < 4503599627370496.0 else quiet(a)


def quiet(a: float) -> float:
    """The number itself; a NaN becomes quiet."""
    return a + 0.0 if a != a else a


def fmin(a: float, b: float) -> float:
    """The smaller number; -0 is below 0, and NaN is returned if any operand is NaN."""
    if a != a or b != b:
        return a + b
    if a == b:
        return a if copysign(1.0, a) < 0 else b
    return a if a < b else b


def fmax(a: float, b: float) -> float:
    """The larger number; 0 is above -0, and NaN is returned if any operand is NaN."""
    if a != a or b != b:
        return a + b
    if a == b:
        return b if copysign(1.0, a) < 0 else a
    return a if a > b else b


def _trunc_checked(a: float, low: int, high: int) -> int:
    if a != a:
        raise Trap(TrapKind.INVALID_CONVERSION)
    if a in (inf, -inf) or not low <= (value := int(a)) <= high:
        raise Trap(TrapKind.INTEGER_OVERFLOW)
    return value


def trunc_s(a: float, bits: int) -> int:
    """Float to signed integer, towards zero; traps if it doesn't fit."""
    sign = 1 << bits - 1
    return _trunc_checked(a, -sign, sign - 1) & (sign << 1) - 1


def trunc_u(a: float, bits: int) -> int:
    """Float to unsigned integer, towards zero; traps if it doesn't fit."""
    return _trunc_checked(a, 0, (1 << bits) - 1)


def _trunc_clamped(a: float, low: int, high: int) -> int:
    if a != a:
        return 0
    if a in (inf, -inf):
        return high if a > 0 else low
    return max(low, min(high, int(a)))


def trunc_sat_s(a: float, bits: int) -> int:
    """Float to signed integer, towards zero; NaN becomes 0, other values are clamped."""
    sign = 1 << bits - 1
    return _trunc_clamped(a, -sign, sign - 1) & (sign << 1) - 1


def trunc_sat_u(a: float, bits: int) -> int:
    """Float to unsigned integer, towards zero; NaN becomes 0, other values are clamped."""
    return _trunc_clamped(a, 0, (1 << bits) - 1)
