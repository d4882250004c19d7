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
DEPTH = 12
UNCHANGED = frozenset({"Cast", "Identity", "Transpose"})
PASSING = UNCHANGED | {"Pad"}
"""So many operations that change no element lie before the filters at most, and so many behind them."""
SHIFTING = frozenset({"Add", "Sub", "Mul", "Div"})
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
    """The numbers of filters, with those of a bias and a normalisation behind them."""
    import numpy

    weights = graph.constants[node.inputs[1]]
    if weights is None or not is_usable(weights.shape):
        return None
    heights: Any = graph.constants[node.inputs[2]] if len(node.inputs) > 2 else numpy.zeros(len(weights))
    if heights is None or heights.size != len(weights):
        return None
    weights, heights, after = with_what_follows(graph, node, weights, heights.reshape(-1))
    then = meant_for(graph, after)
    return None if then is None else Filters(weights, heights, then[0], then[1])


def with_what_follows(
    graph: Graph, node: Node, weights: Any, heights: Any
) -> tuple[Any, Any, Sequence[Node]]:
    """The numbers of filters with those of what scales and shifts their results, and the nodes behind it."""
    after = graph.users.get(node.outputs[0], [])
    for _ in range(DEPTH):
        if len(after) != 1 or not after[0].outputs:
            break
        found = step(graph, after[0], len(weights))
        if found is None:
            break
        by, more = found
        weights, heights = weights * by[:, None, None, None], heights * by + more
        after = graph.users.get(after[0].outputs[0], [])
    return weights, heights, after


def step(graph: Graph, node: Node, count: int) -> tuple[Any, Any] | None:
    """By what a node multiplies the results of so many filters, and what it adds then; or None if it does
    something else."""
    import numpy

    one, zero = numpy.ones(count), numpy.zeros(count)
    if node.op in UNCHANGED:
        return one, zero
    others = [found for name in node.inputs[1:] if (found := graph.constants[name]) is not None]
    if len(others) != len(node.inputs) - 1 or any(other.size not in (1, count) for other in others):
        return None
    numbers = [other.reshape(-1) for other in others]
    if node.op == "BatchNormalization" and len(numbers) == 4:
        by = one * numbers[0] / numpy.sqrt(numbers[3] + SMALL_STEP)
        return by, numbers[1] - numbers[2] * by
    if len(numbers) != 1 or node.op not in SHIFTING:
        return None
    if node.op in ("Add", "Sub"):
        return one, zero + (numbers[0] if node.op == "Add" else -numbers[0])
    if node.op == "Div" and not numbers[0].all():
        return None
    return one * (numbers[0] if node.op == "Mul" else 1 / numbers[0]), zero


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
