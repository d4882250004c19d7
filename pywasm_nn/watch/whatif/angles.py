"""Asks a model about angles, as they were sent and in radians: were degrees sent?

What is here: `Angles`, which keeps inputs that are named after angles, and `in_radians`. A network whose
inputs are far too large is sure of few answers; in radians the same places get more.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from ...nn.backend import Graph
from ...nn.tensor import Tensor
from ..regex import regex
from .asking import MOST, Runs
from .sureness import Answer, mean

NAMED = regex(
    r"(?:^|[^a-z])(?:lat|lon|lng|latlon|latlng|latitude|longitude|angles?|bearing|azimuth|heading|theta|yaw|pitch"
    r"|roll)(?:[^a-z]|$)",
    re.IGNORECASE,
)
ROWS, MOST_ELEMENTS, FEWEST = 5, 8, 3
"""So many different inputs are asked about, in both ways; elements of one; different answers in radians."""
TURN, HALF_TURN, RADIANS = 360.0, 180.0, 3.141592653589793
SATURATED, SURE = 0.995, 0.8
"""The least mean probability of the answers to degrees, and to radians."""


class Angles:
    """Inputs of a graph that may be degrees."""

    def __init__(self) -> None:
        self._rows: dict[Any, list[Any]] = {}

    def take(self, graph: Any, name: str, tensor: Tensor) -> None:
        """An input was set."""
        if tensor.size > MOST_ELEMENTS or not NAMED.search(name):
            return
        numbers, kept = tensor.numbers(), self._rows.setdefault(graph, [])
        if numbers is None or numbers.dtype.kind != "f" or len(kept) >= ROWS:
            return
        row = numbers.reshape(tensor.shape).copy()
        if not any((one.shape != row.shape) or (one == row).all() for one in kept):
            kept.append(row)

    def due(self, graph: Any) -> list[Any]:
        """Returns the inputs to ask about, once, or [] if there are too few, or they are no degrees."""
        rows = self._rows.get(graph, [])
        if len(rows) < ROWS:
            return []
        self._rows[graph] = [*rows, rows[0]]  # asked once
        sizes = [float(abs(row).max()) for row in rows]
        are_large = 2 * sum(size > 2 * RADIANS for size in sizes) > ROWS
        return rows if len(rows) == ROWS and are_large and max(sizes) <= TURN else []


def in_radians(
    graph: Graph, inputs: Sequence[Tensor], rows: Sequence[Any], seconds: float, most: float = MOST
) -> str | None:
    """A sentence if inputs should have been in radians. Raises NNError."""
    with Runs(graph, inputs, most, seconds=seconds) as runs:

        def answers(factor: float) -> list[Answer]:
            made = [(row * factor).astype(row.dtype) for row in rows]
            found = [runs.changed(0, row) for row in made if runs.left()]
            return [one for one in found if one is not None]

        sent, turned = answers(1.0), answers(RADIANS / HALF_TURN)
    if not len(sent) == len(turned) == len(rows) or mean(sent) < SATURATED or mean(turned) < SURE:
        return None
    few, many = (len({one.place for one in each}) for each in (sent, turned))
    if many < max(FEWEST, few + 1):
        return None
    return (
        f'input 0 "{graph.inputs[0].name}": {len(rows)} inputs as they were sent get {few} '
        f"answer{'s' if few > 1 else ''}, and in radians (times pi / 180) {many}, at {mean(turned):.2f} on "
        "average: were degrees sent?"
    )
