"""What a model's own bytes tell that its inputs and outputs don't: whether it normalises its input itself.

What is here: ONNX, of which the first nodes are read. What is not: formats that keep it in their weights.
"""

from __future__ import annotations

from collections.abc import Sequence
from mmap import ACCESS_READ, mmap
from pathlib import Path

from ...nn.detect import ONNX, detect
from ...nn.protobuf import LEN, Budget, fields, text

GRAPH, NODE = 7, 1
INPUT, OUTPUT, OP_TYPE = 1, 2, 4
"""Numbers of fields in ModelProto, GraphProto and NodeProto
(https://github.com/onnx/onnx/blob/main/onnx/onnx.proto)."""
PASSING = frozenset({"Cast", "Identity", "Transpose", "Reshape", "Squeeze", "Unsqueeze", "Flatten", "Resize"})
"""Nodes that leave values what they are."""
SCALING = frozenset(
    {"Div", "Mul", "Sub", "Add", "BatchNormalization", "InstanceNormalization", "LayerNormalization",
     "QuantizeLinear", "DynamicQuantizeLinear", "MeanVarianceNormalization", "Clip", "Sqrt", "Log"}
)  # fmt: skip
"""Nodes that change the range of what they get."""
MOST_NODES = 64
"""So many nodes are read: a model normalises first."""
MOST_FIELDS = 20_000


def scaled_inside(parts: Sequence[bytes | memoryview | Path]) -> frozenset[str]:
    """Names of values, inputs among them, whose range a model changes before it does anything else."""
    try:
        if not parts:
            return frozenset()
        if not isinstance(parts[0], Path):
            return scaled_in(memoryview(parts[0]).cast("B"))
        with parts[0].open("rb") as file:
            return scaled_in(memoryview(mmap(file.fileno(), 0, access=ACCESS_READ)))
    except (OSError, ValueError):  # gone meanwhile, empty, or no model after all
        return frozenset()


def scaled_in(data: memoryview) -> frozenset[str]:
    """The same for a model's bytes. Raises ValueError if they are broken."""
    if detect(data) != ONNX:
        return frozenset()
    budget = Budget(MOST_FIELDS)
    scaled: set[str] = set()
    sources: dict[str, str] = {}
    for read, (op, inputs, outputs) in enumerate(nodes(data, budget)):
        if read == MOST_NODES:
            break
        if op in PASSING and inputs:
            sources.update((output, sources.get(inputs[0], inputs[0])) for output in outputs)
        elif op in SCALING:
            scaled.update(sources.get(name, name) for name in inputs)
    return frozenset(scaled)


def nodes(data: memoryview, budget: Budget) -> Sequence[tuple[str, list[str], list[str]]]:
    """The first nodes of a model: operator, names of inputs and outputs."""
    found: list[tuple[str, list[str], list[str]]] = []
    for number, wire, _, graph in fields(data, budget):
        if number != GRAPH or wire != LEN:
            continue
        for inner, kind, _, node in fields(graph, budget):
            if inner == NODE and kind == LEN:
                found.append(read_node(node, budget))
                if len(found) > MOST_NODES:
                    return found
    return found


def read_node(node: memoryview, budget: Budget) -> tuple[str, list[str], list[str]]:
    op, inputs, outputs = "", [], []
    for number, wire, _, payload in fields(node, budget):
        if wire != LEN:
            continue
        if number == INPUT:
            inputs.append(text(payload))
        elif number == OUTPUT:
            outputs.append(text(payload))
        elif number == OP_TYPE:
            op = text(payload)
    return op, inputs, outputs
