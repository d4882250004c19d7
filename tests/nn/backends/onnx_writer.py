"""A writer of small ONNX models, so that tests need no package for it. Source: onnx.proto."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from struct import pack
from typing import Any

import numpy as np

TYPES = {
    "float32": 1, "uint8": 2, "int8": 3, "uint16": 4, "int16": 5, "int32": 6, "int64": 7, "bool": 9,
    "float16": 10, "float64": 11, "uint32": 12, "uint64": 13,
}  # fmt: skip
BFLOAT16 = 16


def varint(value: int) -> bytes:
    value &= (1 << 64) - 1
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def number(field: int, value: int) -> bytes:
    return varint(field << 3) + varint(value)


def block(field: int, content: bytes | str) -> bytes:
    data = content.encode() if isinstance(content, str) else content
    return varint(field << 3 | 2) + varint(len(data)) + data


def tensor(array: np.ndarray[Any, Any], name: str = "") -> bytes:
    dims = b"".join(number(1, length) for length in array.shape)
    raw = np.ascontiguousarray(array).tobytes()
    return dims + number(2, TYPES[array.dtype.name]) + block(8, name) + block(9, raw)


def attribute(name: str, value: Any) -> bytes:
    """An AttributeProto: int, float, str, an array, or a sequence of ints, floats or strs."""
    head = block(1, name)
    if isinstance(value, np.ndarray):
        return head + block(5, tensor(value)) + number(20, 4)
    if isinstance(value, str):
        return head + block(4, value) + number(20, 3)
    if isinstance(value, float):
        return head + varint(2 << 3 | 5) + pack("<f", value) + number(20, 1)
    if isinstance(value, int):
        return head + number(3, value) + number(20, 2)
    if value and isinstance(value[0], float):
        return head + b"".join(varint(7 << 3 | 5) + pack("<f", item) for item in value) + number(20, 6)
    if value and isinstance(value[0], str):
        return head + b"".join(block(9, item) for item in value) + number(20, 8)
    return head + b"".join(number(8, item) for item in value) + number(20, 7)


def node(
    op: str, inputs: Sequence[str], outputs: Sequence[str], domain: str = "", **attributes: Any
) -> bytes:
    parts = [block(1, name) for name in inputs] + [block(2, name) for name in outputs]
    parts += [block(3, f"the_{op}_of_{outputs[0]}"), block(4, op)]
    parts += [block(5, attribute(name, value)) for name, value in attributes.items()]
    return b"".join(parts) + (block(7, domain) if domain else b"")


def value_info(name: str, dtype: str | int, shape: Sequence[int | str] | None) -> bytes:
    element = dtype if isinstance(dtype, int) else TYPES[dtype]
    body = number(1, element)
    if shape is not None:
        dims = (block(2, length) if isinstance(length, str) else number(1, length) for length in shape)
        body += block(2, b"".join(block(1, dim) for dim in dims))
    return block(1, name) + block(2, block(1, body))


@dataclass
class Model:
    """Inputs and outputs: name to type and shape (None: unknown rank). Nodes are messages made by `node`."""

    nodes: Sequence[bytes]
    inputs: Mapping[str, tuple[str | int, Sequence[int | str] | None]]
    outputs: Mapping[str, tuple[str | int, Sequence[int | str] | None]]
    weights: Mapping[str, np.ndarray[Any, Any]] = field(default_factory=dict)
    opset: int = 17

    def graph(self) -> bytes:
        parts = [block(1, message) for message in self.nodes] + [block(2, "g")]
        parts += [block(5, tensor(array, name)) for name, array in self.weights.items()]
        parts += [block(11, value_info(name, *what)) for name, what in self.inputs.items()]
        parts += [block(12, value_info(name, *what)) for name, what in self.outputs.items()]
        return b"".join(parts)

    def data(self) -> bytes:
        return number(1, 8) + block(7, self.graph()) + block(8, number(2, self.opset))
