"""The filters with which an ONNX model begins to look at a picture, and what it does with their results.

What is here: `filters`. What is not: scales and shifts before them (`onnx_firsts.py`), dense layers
(`onnx_layers.py`), and what follows from the numbers (`watch.sent.filtered`). Source:
https://github.com/onnx/onnx/blob/main/docs/Operators.md
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..protobuf import Budget
from .format import Filters
from .onnx_columns import MOST_FIELDS
from .onnx_graph import Graph, Node, first_nodes

CHANNELS, FEWEST, MOST_SIDE = (1, 3), 8, 11
"""Channels of a picture; fewer filters say too little; and larger ones are none of a first layer."""
DEPTH = 6
PASSING = frozenset({"Cast", "Identity", "Transpose", "Pad"})
"""So many operations that change no element lie before the filters at most."""
NARROW = {
    ("HardSwish",): "hard swish",
    ("HardSigmoid", "Mul"): "hard swish",
    ("Add", "Mul"): "hard swish",
    ("Mul", "Sigmoid"): "SiLU",
}
"""Functions that models use for numbers near 0 alone, by the operations that take the filters' results."""
WIDE = (("Relu",), ("PRelu",), ("LeakyRelu",))
"""Operations that models use for numbers of any size."""
SMALL_STEP = 1e-5
"""A batch normalisation adds this number to variances, if the model doesn't say another one."""


def filters(graph: Graph) -> Mapping[int, Filters]:
    """By the index of an input, the filters that take it as it is."""
    found = {}
    for index, node in first_nodes(graph, PASSING, DEPTH):
        made = read(graph, node) if node.op == "Conv" else None
        if made is not None:
            found[index] = made
    return found


def read(graph: Graph, node: Node) -> Filters | None:
    """The numbers of filters, with those of a normalisation behind them."""
    import numpy

    weights = graph.constants[node.inputs[1]]
    if weights is None or not is_usable(weights.shape):
        return None
    heights: Any = graph.constants[node.inputs[2]] if len(node.inputs) > 2 else numpy.zeros(len(weights))
    after = graph.users.get(node.outputs[0], [])
    if len(after) == 1 and after[0].op == "BatchNormalization":
        scale, shift, mean, variance = (graph.constants[name] for name in after[0].inputs[1:5])
        if any(one is None or one.size != len(weights) for one in (scale, shift, mean, variance, heights)):
            return None
        by = scale / numpy.sqrt(variance + SMALL_STEP)
        weights, heights = weights * by[:, None, None, None], (heights - mean) * by + shift
        after = graph.users.get(after[0].outputs[0], [])
    if heights is None or heights.size != len(weights):
        return None
    then = meant_for(graph, after)
    return None if then is None else Filters(weights, heights.reshape(-1), then[0], then[1])


def is_usable(shape: tuple[int, ...]) -> bool:
    """Whether filters of this shape [units, channels, height, width] are those of a first layer."""
    return len(shape) == 4 and shape[0] >= FEWEST and shape[1] in CHANNELS and max(shape[2:]) <= MOST_SIDE


def meant_for(graph: Graph, after: Sequence[Node]) -> tuple[str, float] | None:
    """The name of the function behind the filters, "" if it takes numbers of any size, and the number at
    which it cuts (0 if it doesn't), or None if it is unknown."""
    ops = tuple(sorted(node.op for node in after))
    if ops == ("Clip",):
        top = top_of(graph, after[0])
        return ("ReLU6", top) if top > 0 else None
    if ops in WIDE:
        return "", 0.0
    return (NARROW[ops], 0.0) if ops in NARROW else None


def top_of(graph: Graph, node: Node) -> float:
    """At which number a node cuts; 0 if that isn't known."""
    if len(node.inputs) > 2:
        most = graph.constants[node.inputs[2]]
        return float(most.reshape(-1)[0]) if most is not None and most.size == 1 else 0.0
    return float(next(iter(node.attribute("max", Budget(MOST_FIELDS))), 0.0))
