"""Values of the binary format (https://webassembly.github.io/spec/core/binary/values.html).

Every reader takes the bytes and a position, and returns the value and the position after it. At the end of
the bytes indexing raises IndexError by itself, so the fast path needs no check; the callers that start
reading turn it into MalformedError.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable
from typing import Any, TypeVar

from ...errors import MalformedError
from ..pace import FEW, Patience, pieces

T = TypeVar("T")
Reader = Callable[[bytes, int], tuple[T, int]]
AnyReader = Reader[Any]

UNEXPECTED_END = "unexpected end of section or function"
MOST_ENTRIES = 1_000_000
"""Entries of a section or a list: a limit of the JavaScript API."""


def read_unsigned(data: bytes, pos: int, bits: int) -> tuple[int, int]:
    """An unsigned integer: at most ceil(bits / 7) bytes, and no bits beyond `bits`."""
    value = shift = 0
    for byte in data[pos : pos + bits // 7]:
        pos += 1
        if byte < 0x80:
            return value | byte << shift, pos
        value |= (byte & 0x7F) << shift
        shift += 7
    if shift < bits:
        byte = data[pos]
        if byte & 0x7F >= 1 << bits - shift:
            raise MalformedError("integer too large", pos)
        pos += 1
        if byte < 0x80:
            return value | byte << shift, pos
    raise MalformedError("integer representation too long", pos)


def read_signed(data: bytes, pos: int, bits: int) -> tuple[int, int]:
    """A signed integer: at most ceil(bits / 7) bytes, and all bits beyond `bits` equal to the sign."""
    value = shift = 0
    for byte in data[pos : pos + bits // 7]:
        pos += 1
        if byte < 0x80:
            return value | (byte << shift if byte < 0x40 else byte - 0x80 << shift), pos
        value |= (byte & 0x7F) << shift
        shift += 7
    if shift < bits:
        byte = data[pos]
        beyond = -1 << bits - shift - 1 & 0x7F
        if byte & beyond not in (0, beyond):
            raise MalformedError("integer too large", pos)
        pos += 1
        if byte < 0x80:
            return value | (byte << shift if byte < 0x40 else byte - 0x80 << shift), pos
    raise MalformedError("integer representation too long", pos)


def read_u32(data: bytes, pos: int) -> tuple[int, int]:
    byte = data[pos]
    if byte < 0x80:
        return byte, pos + 1
    second = data[pos + 1]
    if second < 0x80:
        return byte & 0x7F | second << 7, pos + 2
    return read_unsigned(data, pos, 32)


def read_u64(data: bytes, pos: int) -> tuple[int, int]:
    byte = data[pos]
    if byte < 0x80:
        return byte, pos + 1
    second = data[pos + 1]
    if second < 0x80:
        return byte & 0x7F | second << 7, pos + 2
    return read_unsigned(data, pos, 64)


def read_s33(data: bytes, pos: int) -> tuple[int, int]:
    return read_signed(data, pos, 33)


def read_i32(data: bytes, pos: int) -> tuple[int, int]:
    """A signed 32-bit integer in its canonical form: unsigned. Unrolled for positive numbers of up to four
    bytes, as addresses are."""
    byte = data[pos]
    if byte < 0x40:
        return byte, pos + 1
    if byte >= 0x80:
        second = data[pos + 1]
        if second < 0x40:
            return byte - 0x80 + (second << 7), pos + 2
        if second >= 0x80:
            third = data[pos + 2]
            if third < 0x40:
                return byte - 0x4080 + (second << 7) + (third << 14), pos + 3
            if third >= 0x80:
                fourth = data[pos + 3]
                if fourth < 0x40:
                    return byte - 0x204080 + (second << 7) + (third << 14) + (fourth << 21), pos + 4
    value, pos = read_signed(data, pos, 32)
    return value & 0xFFFFFFFF, pos


def read_i64(data: bytes, pos: int) -> tuple[int, int]:
    """A signed 64-bit integer in its canonical form: unsigned."""
    byte = data[pos]
    if byte < 0x40:
        return byte, pos + 1
    value, pos = read_signed(data, pos, 64)
    return value & 0xFFFFFFFFFFFFFFFF, pos


def read_bytes(data: bytes, pos: int, count: int) -> tuple[bytes, int]:
    """Exactly `count` bytes. `count` is negative if a custom section is shorter than its name."""
    if not 0 <= count <= len(data) - pos:
        raise IndexError
    return data[pos : pos + count], pos + count


def read_f32(data: bytes, pos: int) -> tuple[int, int]:
    """The bits of an f32."""
    raw, pos = read_bytes(data, pos, 4)
    return int.from_bytes(raw, "little"), pos


def read_f64(data: bytes, pos: int) -> tuple[int, int]:
    """The bits of an f64."""
    raw, pos = read_bytes(data, pos, 8)
    return int.from_bytes(raw, "little"), pos


def read_v128(data: bytes, pos: int) -> tuple[int, int]:
    """A vector."""
    raw, pos = read_bytes(data, pos, 16)
    return int.from_bytes(raw, "little"), pos


def read_lane(data: bytes, pos: int) -> tuple[int, int]:
    """A lane index, one byte."""
    return data[pos], pos + 1


def read_lanes(data: bytes, pos: int) -> tuple[bytes, int]:
    """16 lane indices, one byte each."""
    return read_bytes(data, pos, 16)


def read_size(data: bytes, pos: int) -> tuple[int, int]:
    """The size of a section, function or name, in bytes."""
    size, after = data[pos], pos + 1
    if size >= 0x80:
        size, after = read_u32(data, pos)
    if size > len(data) - after:
        raise MalformedError("length out of bounds", pos)
    return size, after


def read_name(data: bytes, pos: int) -> tuple[str, int]:
    """A name; like all readers here that are called for thousands of short values, it looks for one of a
    single byte itself."""
    size, start = data[pos], pos + 1
    if size >= 0x80 or size > len(data) - start:
        size, start = read_size(data, pos)
    try:
        return data[start : start + size].decode("utf-8"), start + size
    except UnicodeDecodeError as error:
        raise MalformedError("malformed UTF-8 encoding", start + error.start) from None


def read_indices(data: bytes, pos: int, count: int, patience: Patience) -> tuple[array[int], int]:
    """So many indices. Pieces whose indices all have one byte are taken whole."""
    found = array("I")
    for piece in pieces(count, patience, FEW):
        size = piece.stop - piece.start
        written = data[pos : pos + size]
        if written.isascii() and len(written) == size:
            found.extend(written)
            pos += size
            continue
        for _ in range(size):
            index = data[pos]
            if index < 0x80:
                pos += 1
            else:
                index, pos = read_u32(data, pos)
            found.append(index)
    return found, pos


def read_count(data: bytes, pos: int, most: int = MOST_ENTRIES) -> tuple[int, int]:
    """The number of entries that follow."""
    count, after = read_u32(data, pos)
    if count > most and count <= len(data) - pos:  # a larger count ends in an unexpected end
        raise MalformedError(f"too many entries: there may be {most}", pos)
    return count, after


def read_vector(data: bytes, pos: int, read: Reader[T]) -> tuple[tuple[T, ...], int]:
    """A count and elements. Every element takes at least a byte, so a false count soon reaches the end."""
    length, pos = read_count(data, pos)
    elements = []
    for _ in range(length):
        element, pos = read(data, pos)
        elements.append(element)
    return tuple(elements), pos
