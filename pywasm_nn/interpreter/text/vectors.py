"""Vectors and lanes (https://webassembly.github.io/spec/core/text/instructions.html#vector-instructions)."""

from __future__ import annotations

from .cursor import Cursor
from .numbers import float_bits, integer, is_integer, is_number, unsigned

SHAPES = {
    "i8x16": (integer, 8), "i16x8": (integer, 16), "i32x4": (integer, 32), "i64x2": (integer, 64),
    "f32x4": (float_bits, 32), "f64x2": (float_bits, 64),
}  # fmt: skip
"""How a lane of each shape is read, and its width in bits."""


def vector(cursor: Cursor) -> int:
    """The immediate of v128.const: a shape and its lanes, lowest first."""
    word = cursor.words[cursor.at]
    if word not in SHAPES:
        cursor.fail("a shape")
    cursor.at += 1
    convert, bits = SHAPES[word]
    end = cursor.at
    while is_number(cursor.words[end]):
        end += 1
    if end - cursor.at != 128 // bits:
        if cursor.words[end] not in ("(", ")", "") and end - cursor.at < 128 // bits:
            cursor.at = end
            cursor.fail("a number")
        raise cursor.error("wrong number of lane literals", end)
    return sum(cursor.number(convert, bits) << shift for shift in range(0, 128, bits))


def lane(cursor: Cursor) -> int:
    """A lane index; validation checks its range."""
    if not is_integer(cursor.words[cursor.at]):
        cursor.fail("a lane")
    return cursor.number(unsigned, 8)


def lanes(cursor: Cursor) -> bytes:
    """The immediate of i8x16.shuffle: 16 lane indices."""
    found = []
    while is_number(cursor.words[cursor.at]):
        at = cursor.at
        try:
            found.append(unsigned(cursor.words[at], 8))
        except ValueError:
            raise cursor.error("i8 constant out of range", at) from None
        cursor.at += 1
    if len(found) != 16:
        raise cursor.error("invalid lane length", cursor.at)
    return bytes(found)
