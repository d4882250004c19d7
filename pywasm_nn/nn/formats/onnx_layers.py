"""The first dense layer of an ONNX model, for models of a few numbers: its weights say around which numbers
it tells inputs apart.

What is here: `layers`. What is not: pictures (`onnx_firsts.py`), single elements (`onnx_columns.py`), and
what follows from the weights (`watch.whatif.scaling`). Source:
https://github.com/onnx/onnx/blob/main/docs/Operators.md
"""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite
from typing import Any

from ..protobuf import Budget
from .format import Layer
from .onnx_columns import MOST_FIELDS, PASSING
from .onnx_graph import Graph, Node, first_nodes

MOST_ELEMENTS, FEWEST_UNITS, MOST_UNITS = 64, 6, 4096
"""Wider inputs are no lines of tables, and fewer units say little."""
DEPTH = 8
"""So many operations that change no number lie before the layer at most."""


def layers(graph: Graph) -> Mapping[int, Layer]:
    """By the index of an input, the dense layer that takes it as it is."""
    found = {}
    for index, node in first_nodes(graph, PASSING, DEPTH):
        made = dense(graph, node)
        if made is not None:
            found[index] = made
    return found


def dense(graph: Graph, node: Node) -> Layer | None:
    """The weights [units, elements] and heights of a node that multiplies a value by a constant."""
    if node.op not in ("Gemm", "MatMul"):
        return None
    weights = graph.constants[node.inputs[1]]
    if weights is None or weights.ndim != 2:
        return None
    heights: Any = None
    if node.op == "Gemm":
        budget = Budget(MOST_FIELDS)
        turned = [node.attribute(one, budget) for one in ("transA", "transB")]
        if any(turned[0]):
            return None
        weights = weights if any(turned[1]) else weights.T
        heights = graph.constants[node.inputs[2]] if len(node.inputs) > 2 else None
    else:
        weights = weights.T
        after = graph.users.get(node.outputs[0], [])
        others = [one for one in after[0].inputs if one != node.outputs[0]] if len(after) == 1 else []
        if after and after[0].op == "Add" and others:
            heights = graph.constants[others[0]]
    units, elements = weights.shape
    if not 1 < elements <= MOST_ELEMENTS or not FEWEST_UNITS <= units <= MOST_UNITS:
        return None
    if heights is None or heights.size != units or not heights.any():
        return None  # a layer that was never trained has none
    if not isfinite(float(abs(weights).sum() + abs(heights).sum())):
        return None
    return Layer(weights, heights.reshape(-1))
