"""A bounded reader of protobuf's wire format: it yields one field after another, without copying.

What is here: `fields` and a few conversions that its users share. What is not: any schema. `formats` and the
numpy backend know the meanings of fields. The bytes may be hostile: every length is checked before use,
nothing recurses, and a `Budget` bounds the work. Malformed bytes always raise ValueError. Source:
https://protobuf.dev/programming-guides/encoding/
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

VARINT, I64, LEN, I32 = 0, 1, 2, 5
"""Wire types. Groups (3 and 4) were never used by a model format and are refused."""

SLICE = 20_000
"""Fields between two calls of `patience`: about 20 ms."""
_FIXED = {I64: 8, I32: 4}
_MAX_VARINT = 10


class Budget:
    """The number of fields that may still be read before the message counts as hostile. `patience` is called
    after each slice of fields, and may raise.
    """

    __slots__ = ("_patience", "_rest", "left")

    def __init__(self, fields: int = 8_000_000, patience: Callable[[], object] = lambda: None) -> None:
        self.left = 0
        """Fields left in this slice."""
        self._rest = fields
        self._patience = patience

    def spend(self, fields: int = 1) -> None:
        """Count fields, or an object that takes the memory of so many fields."""
        self.left -= fields
        if self.left < 0:
            self._refill()

    def _refill(self) -> None:
        self._patience()
        self._rest += self.left
        if self._rest < 0:
            raise ValueError("too many protobuf fields")
        self.left = min(self._rest, SLICE)
        self._rest -= self.left


def varint(data: memoryview, at: int) -> tuple[int, int]:
    """The unsigned 64-bit number at `at`, and the position after it."""
    value = 0
    for shift in range(0, 7 * _MAX_VARINT, 7):
        if at >= len(data):
            raise ValueError("protobuf ends inside a number")
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value & 0xFFFF_FFFF_FFFF_FFFF, at
    raise ValueError("protobuf number is longer than 10 bytes")


def fields(data: memoryview, budget: Budget) -> Iterator[tuple[int, int, int, memoryview]]:
    """The fields of a message: field number, wire type, value (for VARINT, else 0) and payload (a view; empty
    for VARINT).
    """
    at, end = 0, len(data)
    empty = data[:0]
    while at < end:
        budget.spend()
        tag, at = varint(data, at)
        number, wire = tag >> 3, tag & 7
        if not 0 < number < 1 << 29:
            raise ValueError(f"protobuf field number {number} is out of range")
        if wire == VARINT:
            value, at = varint(data, at)
            yield number, wire, value, empty
            continue
        if wire == LEN:
            length, at = varint(data, at)
        elif wire in _FIXED:
            length = _FIXED[wire]
        else:
            raise ValueError(f"protobuf wire type {wire}")
        if length > end - at:
            raise ValueError(f"protobuf field {number} claims {length} bytes, {end - at} are left")
        yield number, wire, 0, data[at : at + length]
        at += length


def signed(value: int) -> int:
    """A varint as int64."""
    return value - (1 << 64) if value >> 63 else value


def packed(payload: memoryview, budget: Budget) -> list[int]:
    """The varints of a packed repeated field, as int64."""
    values, at = [], 0
    while at < len(payload):
        budget.spend()
        value, at = varint(payload, at)
        values.append(signed(value))
    return values


def text(payload: memoryview) -> str:
    """A string field; invalid UTF-8 is escaped and never an error."""
    return bytes(payload).decode("utf-8", "backslashreplace")
