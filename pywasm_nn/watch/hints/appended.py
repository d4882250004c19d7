"""Elements that lie behind the zeros which were sent: a vector that was made with as many zeros as it should
hold (`std::vector<float> row(13)`, `vec![0.0; 13]`), and to which the elements were then appended.

What is here: whether as many numbers that make sense lie right behind an input. What is not: whether all the
guest's inputs are zeros (`values.py`).
"""

from __future__ import annotations

from ...arrays import numpy
from ...interpreter.runtime.memory import Memory
from ..facts import Input

FEWEST, MOST_BYTES = 2, 1 << 22
KINDS = {"f32": "<f4", "f64": "<f8"}
LEAST_FILLED = 0.5
"""At least this part of the elements behind is not 0."""


def are_behind(given: Input, memory: Memory | None, address: int) -> bool:
    """Whether an input of zeros is followed in memory by as many numbers that make sense."""
    size, tensor = given.tensor.size, given.tensor
    if memory is None or tensor.dtype not in KINDS or tensor.elements < FEWEST or size > MOST_BYTES:
        return False
    if tensor.minimum != 0 or tensor.maximum != 0 or address + 2 * size > memory.size:
        return False
    from ..changes.rereadings import is_plausible  # slow to import, and few inputs need it

    there = numpy.frombuffer(bytes(memory.view(address + size, size)), KINDS[tensor.dtype])
    return bool(len(there) == tensor.elements and (there != 0).mean() >= LEAST_FILLED and is_plausible(there))
