"""How an ONNX model makes whole numbers of its outputs: scale and zero point of its last operation.

What is here: `lasts`. What is not: what it does with inputs (`onnx_firsts.py`). Source:
https://github.com/onnx/onnx/blob/main/docs/Operators.md#QuantizeLinear
"""

from __future__ import annotations

from collections.abc import Mapping

from ..protobuf import LEN, VARINT, Budget, fields
from .onnx_graph import Graph
from .onnx_tensors import MOST_ELEMENTS, RAW, TYPE, Tensors, packed

WIDTHS = {2: (1, False), 3: (1, True)}
"""Types of 8 bits: bytes of an element, and whether it has a sign."""
OWN = 5
"""The field of elements that are not in RAW."""


def lasts(graph: Graph) -> Mapping[str, tuple[float, int]]:
    """By the name of a value that is the result of QuantizeLinear, or of an input that DequantizeLinear
    takes, its scale and zero point. Raises ValueError for broken constants."""
    found = {}
    for node in graph.nodes:
        op, takes, gives = node.op, node.inputs, node.outputs
        is_input = op == "DequantizeLinear" and takes[:1] and takes[0] in graph.inputs
        if len(takes) == 3 and gives and (is_input or op == "QuantizeLinear"):
            scale, zero = graph.constants[takes[1]], byte(graph.constants, takes[2])
            if scale is not None and scale.size == 1 and zero is not None:
                found[takes[0] if is_input else gives[0]] = float(scale.reshape(-1)[0]), zero
    return found


def byte(constants: Tensors, name: str) -> int | None:
    """A constant of 8 bits; None if it is another."""
    data = constants.found.get(name)
    parts = [] if data is None else list(fields(data, Budget(MOST_ELEMENTS)))
    kind = next((value for number, _, value, _ in parts if number == TYPE), 0)
    if kind not in WIDTHS:
        return None
    width, signed = WIDTHS[kind]
    for number, wire, value, payload in parts:
        if number == RAW and len(payload) == width:
            return int.from_bytes(payload, "little", signed=signed)
        if number == OWN:
            own = [value] if wire == VARINT else packed(payload) if wire == LEN else []
            return (own[0] ^ 1 << 63) - (1 << 63) if len(own) == 1 else None
    return None
