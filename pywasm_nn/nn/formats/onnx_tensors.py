"""The constants of an ONNX model: arrays of floats, their shapes, and whole numbers.

What is here: `Tensors`, and `lengths` and `packed`, which read parts of a tensor. What is not: whose they are
(`onnx_graph.py`). Source: https://github.com/onnx/onnx/blob/main/onnx/onnx.proto
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...records import Frozen
from ..protobuf import LEN, VARINT, Budget, fields, varint

DIMENSIONS, TYPE, FLOATS, RAW, DOUBLES = 1, 2, 4, 9, 10
FLOATING = {1: "<f4", 10: "<f2", 11: "<f8"}
"""Types of floats, with how numpy calls them."""
WHOLE = {6: 4, 7: 8}
"""Types of whole numbers, with the bytes of an element."""
WHOLES = {6: 5, 7: 7}
"""In which field their elements are if they are not in `RAW`."""
MOST_ELEMENTS = 1 << 18


class Tensors(Frozen):
    """The constants of a model, by name; read when they are asked for."""

    found: Mapping[str, memoryview]

    def __getitem__(self, name: str) -> Any:
        """An array of floats, as f64, or None."""
        import numpy

        data = self.found.get(name)
        if data is None:
            return None
        shape, kind, raw = [], 0, b""
        for number, wire, value, payload in fields(data, Budget(MOST_ELEMENTS)):
            if number == DIMENSIONS:
                shape += [value] if wire == VARINT else packed(payload)
            elif number == TYPE:
                kind = value
            elif number in (RAW, FLOATS, DOUBLES):
                raw += bytes(payload)
        count = 1
        for length in shape:
            count *= length
        if kind not in FLOATING or count > MOST_ELEMENTS:
            return None
        own = numpy.dtype(FLOATING[kind])
        return (
            numpy.frombuffer(raw, own).reshape(shape).astype("f8")
            if len(raw) == own.itemsize * count
            else None
        )

    def shape(self, name: str) -> list[int]:
        """The lengths of an array; [] if there is none."""
        data = self.found.get(name)
        return [] if data is None else lengths(data)

    def whole(self, name: str) -> list[int] | None:
        """The elements of an array of i64 or i32, or None."""
        data = self.found.get(name)
        found = [] if data is None else list(fields(data, Budget(MOST_ELEMENTS)))
        kind = next((value for number, _, value, _ in found if number == TYPE), 0)
        width = WHOLE.get(kind)
        if width is None:
            return None
        raw = b"".join(bytes(payload) for number, _, _, payload in found if number == RAW)
        if raw:
            return [
                int.from_bytes(raw[at : at + width], "little", signed=True)
                for at in range(0, len(raw), width)
            ]
        own = [
            one
            for number, wire, _, payload in found
            if number == WHOLES[kind] and wire == LEN
            for one in packed(payload)
        ]
        return [one - (1 << 64) if one >> 63 else one for one in own]


def lengths(tensor: memoryview) -> list[int]:
    """The lengths of a tensor's dimensions."""
    found: list[int] = []
    for number, wire, value, payload in fields(tensor, Budget(MOST_ELEMENTS)):
        if number == DIMENSIONS:
            found += [value] if wire == VARINT else packed(payload)
    return found


def packed(payload: memoryview) -> list[int]:
    found, at = [], 0
    while at < len(payload):
        value, at = varint(payload, at)
        found.append(value)
    return found
