"""What an ONNX model knows of each element of its inputs: the numbers at which its trees split, those by
which it scales it or that it saw of it in training, and how many rows the table has in which it is looked up.

What is here: `columns`. What is not: pictures (`onnx_firsts.py`), and what follows from the numbers
(`watch.wanted`). Sources: https://github.com/onnx/onnx/blob/main/docs/Operators.md,
https://github.com/onnx/onnx/blob/main/docs/Operators-ml.md
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod
from typing import Any

from ..protobuf import Budget
from .format import Column
from .onnx_graph import Graph, Node

MOST_FIELDS = 250_000
"""Of larger forests nothing is known: reading these takes a quarter of a second."""
MOST_COLUMNS = 4096
DEPTH = 12
"""So many operations lie between an input and what says something of it at most."""
PASSING = frozenset({"Cast", "Identity", "Reshape", "Flatten", "Squeeze", "Unsqueeze"})
FLATTENING = frozenset({"Cast", "Identity", "Reshape", "Flatten"})
AS_IT_IS = frozenset({"Cast", "Identity"})
REPEATING = PASSING | {"Expand"}
TREES = frozenset({"TreeEnsembleClassifier", "TreeEnsembleRegressor"})
LEAF = b"LEAF"
AFFINE = frozenset({"Sub", "Div", "Mul", "Add"})


def columns(graph: Graph) -> Mapping[int, Sequence[Column]]:
    """By the index of an input, what is known of each of its elements. Raises ValueError for broken
    attributes."""
    budget = Budget(MOST_FIELDS)
    found: dict[int, Sequence[Column]] = {}
    for index, name in enumerate(graph.inputs):
        known = Known(name, graph, budget)
        known.follow(name, None, DEPTH)
        if made := known.columns():
            found[index] = made
    return found


class Known:
    """Collects what the nodes after one input say of its elements."""

    def __init__(self, name: str, graph: Graph, budget: Budget) -> None:
        """`name` is the input's."""
        self._inputs = {name}
        """Values that are the input as it is, or of another type, also in a shape that has its elements in
        one dimension as before."""
        self._name = name
        wide = [length for length in graph.shapes.get(name, ())[1:] if length != 1]
        self._width = wide[0] if len(wide) == 1 else 0
        self._flat = prod(wide) if len(wide) > 1 else 0
        """Of several dimensions, how many elements they have: with one for each a map may be laid flat."""
        self._users, self._constants = graph.users, graph.constants
        self._budget = budget
        self._splits: dict[int, set[float]] = {}
        self._centres: dict[int, tuple[float, float, bool]] = {}
        self._sizes: dict[int, int] = {}
        """Of element -1, those of all elements."""

    def follow(self, name: str, chosen: Sequence[int] | None, depth: int) -> None:
        """Look at the nodes that take a value, which has the chosen elements of the input; None: all."""
        if depth == 0:
            return
        for node in self._users.get(name, ()):
            self._budget.spend()
            if node.op in REPEATING and node.inputs[:1] == (name,) and node.outputs:
                passing = PASSING if self._width else FLATTENING if self._flat else AS_IT_IS
                if node.op in passing and name in self._inputs:
                    self._inputs.add(node.outputs[0])
                self.follow(node.outputs[0], chosen, depth - 1)
            elif node.op in TREES:
                self._trees(node, chosen)
            elif node.op == "Scaler":
                offsets, scales = (node.attribute(one, self._budget) for one in ("offset", "scale"))
                self._centred(chosen, offsets, [1 / one if one else 0.0 for one in scales], is_own=True)
            elif node.op == "BatchNormalization" and len(node.inputs) == 5 and node.inputs[0] == name:
                self._normalised(node, chosen)
            elif node.op in AFFINE and chosen is None and name in self._inputs:
                self._shifted(node, name)
            elif node.op == "Gather" and len(node.inputs) == 2:
                self._gathered(node, name, chosen, depth)
            elif node.op in ("Equal", "OneHot") and chosen is None:
                self._one_hot(node, name)
            elif node.op == "Slice" and node.inputs[:1] == (name,) and chosen is None:
                part = self._part(node)
                if part is not None:
                    self.follow(node.outputs[0], part, depth - 1)

    def _trees(self, node: Node, chosen: Sequence[int] | None) -> None:
        """Where trees split, by the element that they look at."""
        places, numbers, modes = (
            node.attribute(f"nodes_{one}", self._budget) for one in ("featureids", "values", "modes")
        )
        for place, number, mode in zip(places, numbers, modes, strict=False):
            own = place if chosen is None else chosen[place] if place < len(chosen) else MOST_COLUMNS
            if mode != LEAF and own < MOST_COLUMNS:
                self._splits.setdefault(own, set()).add(number)

    def _centred(self, chosen: Any, middle: Sequence[float], width: Sequence[float], *, is_own: bool) -> None:
        """Means and deviations of elements; `is_own`: the model itself takes them away and divides."""
        places = range(len(middle)) if chosen is None else chosen
        if not 1 < len(middle) == len(width) == len(places) <= MOST_COLUMNS:
            return
        for place, mean, deviation in zip(places, middle, width, strict=True):
            self._centres.setdefault(place, (float(mean), abs(float(deviation)), is_own))

    def _normalised(self, node: Node, chosen: Sequence[int] | None) -> None:
        """Keeps what a batch normalisation of the input itself saw in training."""
        mean, variance = (self._constants[name] for name in node.inputs[3:])
        if mean is not None and variance is not None and mean.any():
            self._centred(
                chosen, mean.tolist(), [max(one, 0.0) ** 0.5 for one in variance.tolist()], is_own=False
            )

    def _shifted(self, node: Node, name: str) -> None:
        """A mean that is taken away by the first operation, and a deviation by which the next one divides."""
        mean = self._vector(node, name)
        if mean is None or node.op not in ("Sub", "Add") or not node.outputs or node.inputs[0] != name:
            return
        if self._width and len(mean) != self._width:
            return  # of rows that are shorter than the input's
        if self._flat and name != self._name and len(mean) != self._flat:
            return
        mean = mean if node.op == "Sub" else -mean
        after = self._users.get(node.outputs[0], ())
        by = self._vector(after[0], node.outputs[0]) if len(after) == 1 else None
        if by is None or after[0].op not in ("Mul", "Div") or not by.all() or len(by) != len(mean):
            return
        self._centred(None, mean.tolist(), (by if after[0].op == "Div" else 1 / by).tolist(), is_own=True)

    def _vector(self, node: Node, name: str) -> Any:
        """The other operand of a node, if it is a constant with one number for each element."""
        others = [one for one in node.inputs if one != name]
        found = self._constants[others[0]] if len(others) == 1 else None
        if found is None or not found.ndim or not found.shape[-1] == found.size > 1:
            return None
        return found.reshape(-1)

    def _gathered(self, node: Node, name: str, chosen: Sequence[int] | None, depth: int) -> None:
        """Elements that are chosen by a constant, or that choose rows of one."""
        table, places = node.inputs
        if table == name and chosen is None:
            indices = self._constants.whole(places)
            if indices is not None and all(0 <= one < MOST_COLUMNS for one in indices):
                self.follow(node.outputs[0], indices, depth - 1)
        elif places == name and (shape := self._constants.shape(table)):
            axis = node.attribute("axis", self._budget)
            for one in (-1,) if chosen is None else chosen:
                self._sizes.setdefault(one, shape[0] if not any(axis) else 0)

    def _one_hot(self, node: Node, name: str) -> None:
        """Elements that are made zeros and a one: by how many, or as they equal one of the numbers from 0."""
        others = [one for one in node.inputs[:2] if one != name]
        numbers = self._constants.whole(others[0]) if others else None
        if numbers is None:
            return
        if node.op == "OneHot" and len(numbers) == 1:
            self._sizes.setdefault(-1, numbers[0])
        elif node.op == "Equal" and len(numbers) > 1 and numbers == [*range(len(numbers))]:
            self._sizes.setdefault(-1, len(numbers))

    def _part(self, node: Node) -> Sequence[int] | None:
        """The elements of a slice along the last dimension of [N, elements]."""
        given = [self._constants.whole(name) for name in node.inputs[1:4]]
        if len(given) != 3 or any(one is None or len(one) != 1 for one in given):
            return None
        start, end, axis = (one[0] for one in given if one is not None)
        return range(start, end) if axis in (1, -1) and 0 <= start < end <= MOST_COLUMNS else None

    def columns(self) -> tuple[Column, ...]:
        """All elements up to the last one with a split, a mean or a table."""
        every = self._sizes.get(-1, 0)
        count = 1 + max((*self._splits, *self._centres, *self._sizes), default=-1)
        if every and not count:
            return (Column(rows=every, is_all=True),)
        return tuple(
            Column(
                tuple(sorted(self._splits.get(place, ()))),
                self._centres.get(place),
                self._sizes.get(place, every),
            )
            for place in range(count)
        )
