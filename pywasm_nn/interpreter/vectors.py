"""Pure operations on vectors that are too long for an expression of the instruction table
(https://webassembly.github.io/spec/core/exec/numerics.html), and the masks that expressions use.

A v128 is an unsigned int of 128 bits, lane 0 lowest. Integer lanes are added and compared all at once, in
that one int: the highest bit of each lane is kept out of the sum, so that no carry leaves the lane, and
corrected afterwards. Other operations unpack the lanes and pack them again.

The choices of relaxed instructions are fixed here and in the table: relaxed_madd rounds twice, relaxed_dot is
signed and wraps, all others do the same as their strict counterparts.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from operator import add, eq, ge, gt, le, lt, mul, ne, sub
from struct import Struct

from .numerics import demote, round32

__all__ = [
    "ALL", "EVEN8", "EVEN16", "HALF", "HIGH8", "HIGH16", "HIGH32", "HIGH64", "LOW8", "LOW16", "LOW32",
    "LOW64", "ONES8", "ONES16", "ONES32", "ONES64", "POPCOUNTS", "SIGNS", "add", "add_sat_s", "add_sat_u",
    "compare_f32x4", "compare_f64x2", "convert_f32x4_s", "convert_f32x4_u", "convert_f64x2_s",
    "convert_f64x2_u", "demote_f64x2", "dot_add_i8x16", "dot_i8x16", "dot_i16x8", "eq", "extend_s",
    "extend_u", "extmul_s", "extmul_u", "ge", "gt", "le", "less_s", "less_u", "lt", "madd_f32x4",
    "madd_f64x2", "map_f32x4", "map_f64x2", "mul", "mul_i16x8", "narrow_s", "narrow_u", "ne",
    "promote_f32x4", "q15mulr", "sub", "sub_sat_s", "sub_sat_u", "trunc_sat_f32x4", "trunc_sat_f64x2",
    "zip_f32x4", "zip_f64x2",
]  # fmt: skip

ALL = (1 << 128) - 1
HALF = (1 << 64) - 1
ONES8, ONES16, ONES32, ONES64 = (ALL // ((1 << bits) - 1) for bits in (8, 16, 32, 64))
"""The value 1 in every lane."""
HIGH8, HIGH16, HIGH32, HIGH64 = ONES8 << 7, ONES16 << 15, ONES32 << 31, ONES64 << 63
"""The sign bit of every lane."""
LOW8, LOW16, LOW32, LOW64 = ALL ^ HIGH8, ALL ^ HIGH16, ALL ^ HIGH32, ALL ^ HIGH64
"""All bits except the sign bit of every lane."""
EVEN8, EVEN16 = ONES16 * 0xFF, ONES32 * 0xFFFF
"""The even lanes."""
POPCOUNTS = bytes(byte.bit_count() for byte in range(256))
"""The number of set bits of each byte."""
SIGNS = b"0" * 128 + b"1" * 128
"""The sign bit of each byte, as a binary digit."""
ONES = {8: ONES8, 16: ONES16, 32: ONES32, 64: ONES64}
HIGH = {8: HIGH8, 16: HIGH16, 32: HIGH32, 64: HIGH64}
LOW = {8: LOW8, 16: LOW16, 32: LOW32, 64: LOW64}

I8X16, U8X16, I16X8, U16X8 = Struct("<16b"), Struct("<16B"), Struct("<8h"), Struct("<8H")
I32X4, U32X4, F32X4, F64X2 = Struct("<4i"), Struct("<4I"), Struct("<4f"), Struct("<2d")
F32X2 = Struct("<2f")
WIDEN_S = {
    8: (Struct("<8b").unpack, I16X8.pack),
    16: (Struct("<4h").unpack, I32X4.pack),
    32: (Struct("<2i").unpack, Struct("<2q").pack),
}
"""By bits of a lane: unpack half a vector, and pack lanes twice as wide."""
WIDEN_U = {
    8: (Struct("<8B").unpack, U16X8.pack),
    16: (Struct("<4H").unpack, U32X4.pack),
    32: (Struct("<2I").unpack, Struct("<2Q").pack),
}
NARROW_S = {16: (I16X8, I8X16, -0x80, 0x7F), 32: (I32X4, I16X8, -0x8000, 0x7FFF)}
"""By bits of a lane: the vector, the vector with lanes half as wide, and the range of these lanes."""
NARROW_U = {16: (I16X8, U8X16, 0, 0xFF), 32: (I32X4, U16X8, 0, 0xFFFF)}
from_bytes = int.from_bytes


# Integer lanes


def less_u(a: int, b: int, bits: int) -> int:
    """A mask with all bits of the lanes where a < b, unsigned."""
    high = HIGH[bits]
    difference = (a | high) - (b & LOW[bits])
    less = (difference ^ (a ^ b) & (a ^ difference)) & high ^ high
    return (less << 1) - (less >> bits - 1)


def less_s(a: int, b: int, bits: int) -> int:
    """A mask with all bits of the lanes where a < b, signed."""
    high = HIGH[bits]
    difference = (a | high) - (b & LOW[bits])
    less = (difference ^ (a ^ b) & (b ^ difference)) & high ^ high
    return (less << 1) - (less >> bits - 1)


def add_sat_u(a: int, b: int, bits: int) -> int:
    high, low = HIGH[bits], LOW[bits]
    total = (a & low) + (b & low) ^ (a ^ b) & high
    over = (a & b | (a | b) & (total ^ ALL)) & high
    return total | (over << 1) - (over >> bits - 1)


def add_sat_s(a: int, b: int, bits: int) -> int:
    high, low = HIGH[bits], LOW[bits]
    total = (a & low) + (b & low) ^ (a ^ b) & high
    over = (total ^ a) & (total ^ b) & high
    if not over:
        return total
    limit = (a >> bits - 1 & ONES[bits]) + low
    return total ^ (total ^ limit) & ((over << 1) - (over >> bits - 1))


def sub_sat_u(a: int, b: int, bits: int) -> int:
    high = HIGH[bits]
    difference = (a | high) - (b & LOW[bits])
    fits = (difference ^ (a ^ b) & (a ^ difference)) & high
    return (difference ^ (a ^ b ^ high) & high) & ((fits << 1) - (fits >> bits - 1))


def sub_sat_s(a: int, b: int, bits: int) -> int:
    high, low = HIGH[bits], LOW[bits]
    difference = (a | high) - (b & low) ^ (a ^ b ^ high) & high
    over = (a ^ b) & (a ^ difference) & high
    if not over:
        return difference
    limit = (a >> bits - 1 & ONES[bits]) + low
    return difference ^ (difference ^ limit) & ((over << 1) - (over >> bits - 1))


def mul_i16x8(a: int, b: int) -> int:
    a0, a1, a2, a3, a4, a5, a6, a7 = U16X8.unpack(a.to_bytes(16, "little"))
    b0, b1, b2, b3, b4, b5, b6, b7 = U16X8.unpack(b.to_bytes(16, "little"))
    lanes = U16X8.pack(
        a0 * b0 & 0xFFFF, a1 * b1 & 0xFFFF, a2 * b2 & 0xFFFF, a3 * b3 & 0xFFFF,
        a4 * b4 & 0xFFFF, a5 * b5 & 0xFFFF, a6 * b6 & 0xFFFF, a7 * b7 & 0xFFFF,
    )  # fmt: skip
    return from_bytes(lanes, "little")


def q15mulr(a: int, b: int) -> int:
    """Products of 15-bit fractions, rounded and saturating: only -1 times -1 doesn't fit."""
    x, y = I16X8.unpack(a.to_bytes(16, "little")), I16X8.unpack(b.to_bytes(16, "little"))
    products = [p * q + 0x4000 >> 15 for p, q in zip(x, y, strict=True)]
    if 0x8000 in products:
        products = [min(product, 0x7FFF) for product in products]
    return from_bytes(I16X8.pack(*products), "little")


def dot_i16x8(a: int, b: int) -> int:
    """Sums of the products of adjacent signed lanes, twice as wide."""
    a0, a1, a2, a3, a4, a5, a6, a7 = I16X8.unpack(a.to_bytes(16, "little"))
    b0, b1, b2, b3, b4, b5, b6, b7 = I16X8.unpack(b.to_bytes(16, "little"))
    lanes = U32X4.pack(
        a0 * b0 + a1 * b1 & 0xFFFFFFFF, a2 * b2 + a3 * b3 & 0xFFFFFFFF,
        a4 * b4 + a5 * b5 & 0xFFFFFFFF, a6 * b6 + a7 * b7 & 0xFFFFFFFF,
    )  # fmt: skip
    return from_bytes(lanes, "little")


def dot_i8x16(a: int, b: int) -> int:
    """Sums of the products of adjacent signed lanes, twice as wide."""
    x = I8X16.unpack(a.to_bytes(16, "little"))
    y = I8X16.unpack(b.to_bytes(16, "little"))
    products = list(map(mul, x, y))
    sums = [products[i] + products[i + 1] & 0xFFFF for i in range(0, 16, 2)]
    return from_bytes(U16X8.pack(*sums), "little")


def dot_add_i8x16(a: int, b: int, c: int) -> int:
    """Sums of the products of four adjacent signed lanes and the lanes of c, in 32 bits."""
    x = I16X8.unpack(dot_i8x16(a, b).to_bytes(16, "little"))
    lanes = U32X4.unpack(c.to_bytes(16, "little"))
    sums = [x[2 * i] + x[2 * i + 1] + lane & 0xFFFFFFFF for i, lane in enumerate(lanes)]
    return from_bytes(U32X4.pack(*sums), "little")


def extend_s(a: int, bits: int) -> int:
    """Half a vector of signed lanes, each made twice as wide."""
    unpack, pack = WIDEN_S[bits]
    return from_bytes(pack(*unpack(a.to_bytes(8, "little"))), "little")


def extend_u(a: int, bits: int) -> int:
    """Half a vector of unsigned lanes, each made twice as wide."""
    unpack, pack = WIDEN_U[bits]
    return from_bytes(pack(*unpack(a.to_bytes(8, "little"))), "little")


def extmul_s(a: int, b: int, bits: int) -> int:
    """Products of two halves of signed lanes, twice as wide."""
    unpack, pack = WIDEN_S[bits]
    return from_bytes(
        pack(*map(mul, unpack(a.to_bytes(8, "little")), unpack(b.to_bytes(8, "little")))), "little"
    )


def extmul_u(a: int, b: int, bits: int) -> int:
    """Products of two halves of unsigned lanes, twice as wide."""
    unpack, pack = WIDEN_U[bits]
    return from_bytes(
        pack(*map(mul, unpack(a.to_bytes(8, "little")), unpack(b.to_bytes(8, "little")))), "little"
    )


def narrow_s(a: int, b: int, bits: int) -> int:
    """The signed lanes of a, then those of b, half as wide: the nearest signed number that fits."""
    return narrowed(a, b, *NARROW_S[bits])


def narrow_u(a: int, b: int, bits: int) -> int:
    """The signed lanes of a, then those of b, half as wide: the nearest unsigned number that fits."""
    return narrowed(a, b, *NARROW_U[bits])


def narrowed(a: int, b: int, wide: Struct, narrow: Struct, low: int, high: int) -> int:
    lanes = wide.unpack(a.to_bytes(16, "little")) + wide.unpack(b.to_bytes(16, "little"))
    try:
        return from_bytes(narrow.pack(*lanes), "little")
    except struct.error:
        clamped = [low if lane < low else high if lane > high else lane for lane in lanes]
        return from_bytes(narrow.pack(*clamped), "little")


# Float lanes. Unpacking an f32 may make a signalling NaN quiet, so operations that keep bits work on the int.


def pack_f32x4(w: float, x: float, y: float, z: float) -> int:
    """Four numbers as f32 lanes; too large ones become infinite, where packing alone would raise
    OverflowError."""
    return from_bytes(F32X4.pack(round32(w), round32(x), round32(y), round32(z)), "little")


def map_f32x4(function: Callable[[float], float], a: int) -> int:
    """Apply a function to each lane; its results must fit into f32."""
    w, x, y, z = F32X4.unpack(a.to_bytes(16, "little"))
    return from_bytes(F32X4.pack(function(w), function(x), function(y), function(z)), "little")


def zip_f32x4(function: Callable[[float, float], float], a: int, b: int) -> int:
    """Apply a function to each pair of lanes."""
    a0, a1, a2, a3 = F32X4.unpack(a.to_bytes(16, "little"))
    b0, b1, b2, b3 = F32X4.unpack(b.to_bytes(16, "little"))
    w, x, y, z = function(a0, b0), function(a1, b1), function(a2, b2), function(a3, b3)
    try:
        return from_bytes(F32X4.pack(w, x, y, z), "little")
    except OverflowError:
        return pack_f32x4(w, x, y, z)


def map_f64x2(function: Callable[[float], float], a: int) -> int:
    """Apply a function to each lane."""
    x, y = F64X2.unpack(a.to_bytes(16, "little"))
    return from_bytes(F64X2.pack(function(x), function(y)), "little")


def zip_f64x2(function: Callable[[float, float], float], a: int, b: int) -> int:
    """Apply a function to each pair of lanes."""
    a0, a1 = F64X2.unpack(a.to_bytes(16, "little"))
    b0, b1 = F64X2.unpack(b.to_bytes(16, "little"))
    return from_bytes(F64X2.pack(function(a0, b0), function(a1, b1)), "little")


def compare_f32x4(test: Callable[[float, float], bool], a: int, b: int) -> int:
    """A mask with all bits of the lanes where the test holds."""
    a0, a1, a2, a3 = F32X4.unpack(a.to_bytes(16, "little"))
    b0, b1, b2, b3 = F32X4.unpack(b.to_bytes(16, "little"))
    return (
        (0xFFFFFFFF if test(a0, b0) else 0)
        | (0xFFFFFFFF << 32 if test(a1, b1) else 0)
        | (0xFFFFFFFF << 64 if test(a2, b2) else 0)
        | (0xFFFFFFFF << 96 if test(a3, b3) else 0)
    )


def compare_f64x2(test: Callable[[float, float], bool], a: int, b: int) -> int:
    """A mask with all bits of the lanes where the test holds."""
    a0, a1 = F64X2.unpack(a.to_bytes(16, "little"))
    b0, b1 = F64X2.unpack(b.to_bytes(16, "little"))
    return (HALF if test(a0, b0) else 0) | (HALF << 64 if test(a1, b1) else 0)


def madd_f32x4(a: int, b: int, c: int) -> int:
    """a * b + c, with the product rounded."""
    return zip_f32x4(add, zip_f32x4(mul, a, b), c)


def madd_f64x2(a: int, b: int, c: int) -> int:
    """a * b + c, with the product rounded."""
    return zip_f64x2(add, zip_f64x2(mul, a, b), c)


def convert_f32x4_s(a: int) -> int:
    return from_bytes(F32X4.pack(*I32X4.unpack(a.to_bytes(16, "little"))), "little")


def convert_f32x4_u(a: int) -> int:
    return from_bytes(F32X4.pack(*U32X4.unpack(a.to_bytes(16, "little"))), "little")


def convert_f64x2_s(a: int) -> int:
    """The two lower lanes of four signed ones."""
    return from_bytes(F64X2.pack(*I32X4.unpack(a.to_bytes(16, "little"))[:2]), "little")


def convert_f64x2_u(a: int) -> int:
    """The two lower lanes of four unsigned ones."""
    return from_bytes(F64X2.pack(*U32X4.unpack(a.to_bytes(16, "little"))[:2]), "little")


def trunc_sat_f32x4(function: Callable[[float, int], int], a: int) -> int:
    """Integers from floats by `numerics.trunc_sat_s` or `trunc_sat_u`."""
    w, x, y, z = F32X4.unpack(a.to_bytes(16, "little"))
    return function(w, 32) | function(x, 32) << 32 | function(y, 32) << 64 | function(z, 32) << 96


def trunc_sat_f64x2(function: Callable[[float, int], int], a: int) -> int:
    """Integers of 32 bits from two doubles, the upper lanes zero."""
    x, y = F64X2.unpack(a.to_bytes(16, "little"))
    return function(x, 32) | function(y, 32) << 32


def demote_f64x2(a: int) -> int:
    """Two floats from two doubles, the upper lanes zero."""
    lanes = F64X2.unpack(a.to_bytes(16, "little"))
    return from_bytes(F32X2.pack(*map(demote, lanes)), "little")


def promote_f32x4(a: int) -> int:
    """Two doubles from the two lower floats. Multiplying by 1 only makes a signalling NaN quiet."""
    x, y = F32X2.unpack((a & HALF).to_bytes(8, "little"))
    return from_bytes(F64X2.pack(x * 1.0, y * 1.0), "little")
