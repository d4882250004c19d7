"""Outputs that have a class at each of several steps, such as the letters of a text that is recognised.

What is here: `outputs_of_steps`. What is not: what the classes spell (`recognised.py`, `signs.py`).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...nn.operation import NNEvent

MOST_ELEMENTS = 1 << 22
MOST_DIMENSIONS = 3
"""Of steps and classes: [batch, steps, classes] in any order. A map has more."""


def outputs_of_steps(event: NNEvent, steps: range, classes: range) -> Iterator[tuple[str, Any]]:
    """Yields what each output of a compute is called that has so many steps and classes, and its numbers,
    [steps, classes]. A length of 1 is not counted."""
    if event.operation != "compute" or event.error is not None:
        return
    for index, (spec, tensor) in enumerate(zip(event.specs, event.tensors, strict=False)):
        lengths = [length for length in tensor.shape if length != 1]
        if len(lengths) != 2 or lengths[0] not in steps or lengths[1] not in classes:
            continue
        is_small = len(tensor.shape) <= MOST_DIMENSIONS and tensor.size <= MOST_ELEMENTS
        numbers = tensor.numbers() if is_small else None
        if numbers is not None:
            yield f'output {index} "{spec.name}"', numbers.reshape(lengths)
