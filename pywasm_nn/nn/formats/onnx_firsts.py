"""What an ONNX model does with an input first of all: a scale and shift by numbers in the model, and the mean
and deviation that its first normalised layer saw in training.

What is here: `firsts`. What is not: properties (`onnx.py`), and what follows from the numbers
(`watch.firsts`). Source: https://github.com/onnx/onnx/blob/main/docs/Operators.md
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from .format import First, Normalisation
from .onnx_graph import Graph, Node

PASSING = frozenset({"Cast", "Identity", "Transpose"})
SHIFTING = frozenset({"Add", "Sub", "Mul", "Div"})
BENDING = frozenset({"Log", "Sqrt", "Pow", "Exp", "Abs", "Reciprocal"})
"""A scale or shift before these is a part of them, as the 1 of log(1 + x) is, and says of no mean."""
CHANNELS = (1, 3)
FEWEST = 8
"""A layer of fewer filters says too little."""
EXPLAINED = 0.98
"""The part of the means after a layer that the mean before it must explain."""
LARGE = 0.5
"""Filters of at least this part of the largest sum let a picture's brightness through."""


def firsts(graph: Graph) -> Mapping[int, First]:
    """Returns what is done with the first input that is no constant. Raises ValueError for broken
    constants."""
    found = followed(graph.inputs[0], graph) if graph.inputs else None
    return {0: found} if found else {}


def followed(name: str, graph: Graph) -> First | None:
    """Returns what is done with a value, up to the first layer."""
    scale: tuple[float, ...] = (1.0,) * 3
    shift: tuple[float, ...] = (0.0,) * 3
    is_changed = False
    for _ in graph.nodes:
        using = graph.users.get(name, [])
        if len(using) != 1:
            break
        op, inputs = using[0].op, using[0].inputs
        if op in SHIFTING and len(inputs) == 2:
            other = by_channel(graph.constants[inputs[1 - inputs.index(name)]])
            if other is None or (op in ("Sub", "Div") and inputs[0] != name) or not all(other):
                break
            scale, shift = step(op, scale, shift, other)
            is_changed = True
        elif op in ("Conv", "BatchNormalization"):
            trained = layer(using[0], graph)
            return First(scale, shift, is_changed, before(trained, scale, shift))
        elif op in BENDING:
            return None
        elif op not in PASSING:
            break
        name = using[0].outputs[0]
    return First(scale, shift, True) if is_changed else None


def by_channel(array: Any) -> tuple[float, ...] | None:
    """One number for each of three channels; None for anything else."""
    if array is None or array.size not in CHANNELS:
        return None
    flat = tuple(float(one) for one in array.reshape(-1))
    return flat * (3 // len(flat))


def step(
    op: str, scale: Sequence[float], shift: Sequence[float], other: Sequence[float]
) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Scales and shifts after one more operation."""
    if op in ("Mul", "Div"):
        by = [one if op == "Mul" else 1 / one for one in other]
        return tuple(a * b for a, b in zip(scale, by, strict=True)), tuple(
            a * b for a, b in zip(shift, by, strict=True)
        )
    sign = 1 if op == "Add" else -1
    return tuple(scale), tuple(a + sign * b for a, b in zip(shift, other, strict=True))


def layer(node: Node, graph: Graph) -> tuple[float, float] | None:
    """Mean and deviation of what a first layer was trained on."""
    import numpy

    inputs, constants = node.inputs, graph.constants
    if node.op == "BatchNormalization":
        mean, variance = constants[inputs[3]], constants[inputs[4]]
        if mean is None or variance is None or mean.size > CHANNELS[-1] or not mean.any():
            return None
        return float(mean.mean()), float(numpy.sqrt(variance.mean()))
    using = graph.users.get(node.outputs[0], [])
    weights = constants[inputs[1]]
    bias = constants[inputs[2]] if len(inputs) > 2 else 0.0
    if len(using) != 1 or using[0].op != "BatchNormalization" or weights is None or weights.ndim != 4:
        return None
    if len(weights) < FEWEST or weights.shape[1] not in CHANNELS or bias is None:
        return None
    mean, variance = (constants[name] for name in using[0].inputs[3:5])
    if mean is None or variance is None or mean.size != len(weights) or not mean.any():
        return None
    sums, wanted = weights.sum(axis=(2, 3)), mean - bias
    found = numpy.linalg.lstsq(sums, wanted, rcond=None)[0]
    if float(((sums @ found - wanted) ** 2).sum()) > (1 - EXPLAINED) * float((wanted**2).sum()):
        return None
    whole = numpy.abs(sums.sum(axis=1))
    large = whole >= LARGE * whole.max()
    deviation = float(numpy.median(numpy.sqrt(variance[large]) / whole[large]))
    average = float((sums.sum(axis=1) * wanted).sum() / (whole**2).sum())
    return average, deviation


def before(
    trained: tuple[float, float] | None, scale: Sequence[float], shift: Sequence[float]
) -> Normalisation | None:
    """Mean and deviation of an input, of those after its scale and shift."""
    if trained is None or not all(scale):
        return None
    mean = tuple((trained[0] - b) / a for a, b in zip(scale, shift, strict=True))
    return mean, tuple(trained[1] / abs(a) for a in scale)
