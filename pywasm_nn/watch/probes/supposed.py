"""`Supposed`: hints that hold if all answers of a model, one number each, are probabilities, which a single
one doesn't tell.

What is not here: the rules that suppose so (`thresholds.py`).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from ...nn.operation import NNEvent

LOW, HIGH, ENOUGH = 0.05, 0.95, 4
"""From where to where so many answers reach that are probabilities."""


class Supposed:
    """Follows answers; gives hints at the end."""

    def __init__(self) -> None:
        self._spans: dict[Any, tuple[float, float, int]] = {}
        """By model, the least and largest answer, and how many there are."""
        self._hints: dict[Any, str] = {}

    def computed(self, key: Any, event: NNEvent) -> None:
        """A model has answered."""
        for tensor in event.tensors:
            numbers = tensor.numbers()
            if numbers is not None and numbers.size == 1 and numbers.dtype.kind == "f":
                number = float(numbers[0])
                low, high, count = self._spans.get(key, (math.inf, -math.inf, 0))
                self._spans[key] = min(low, number), max(high, number), count + 1
                return

    def suppose(self, key: Any, hint: str) -> None:
        self._hints[key] = hint

    def finish(self) -> Iterator[str]:
        for key, hint in self._hints.items():
            low, high, count = self._spans.get(key, (math.inf, -math.inf, 0))
            if hint and count >= ENOUGH and 0 < low < LOW and HIGH < high <= 1:
                yield f"{hint} ({count} answers are from {low:.2g} to {high:.2g})"
