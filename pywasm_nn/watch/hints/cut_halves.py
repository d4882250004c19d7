"""Inputs of f16 whose bytes are the upper halves of f32 (bf16): floats that were cut, and not converted.

What is here: `cut_halves`, by floats in the guest's memory of which they are the upper halves one after the
other, or, if there are enough of them, by the range that they leave out. What is not: numbers of files and
arguments (`origin.other_types`), and pictures (`origin.matching`).
"""

from __future__ import annotations

from typing import Any

from ...arrays import numpy
from ...interpreter.runtime.memory import Memory
from ...nn.tensor import DType
from ..changes.rereadings import IN_HALVES, halves_of_floats, upper_halves
from ..facts import Input

FEWEST, DIFFERENT, MOST = 3, 3, 1 << 16
"""Elements of an input, and different ones that aren't 0: others are in memory by chance."""
EXPONENTS = (0x3000, 0x4700)
"""Upper halves of all floats from 5e-10 to 32,768 lie between these, without their sign."""
BOTH = 1 / 8
"""The least part of elements with each sign by which it is known that those around 0 are missing."""
MOST_MEMORY, MOST_PLACES = 1 << 26, 1 << 12
"""Bytes that are searched, and places at which the rarest element lies."""


def cut_halves(given: Input, memory: Memory | None) -> str | None:
    """Returns what is wrong with elements of f16, or None if nothing is known to be."""
    values: Any = given.values
    if values is None or given.tensor.dtype != DType.F16.value or not FEWEST <= len(values) <= MOST:
        return None
    words = values.view("<u2")
    sizes = words[words << 1 != 0] & 0x7FFF
    if len(numpy.unique(words[words << 1 != 0])) < DIFFERENT:
        return None
    if ((sizes < EXPONENTS[0]) | (sizes >= EXPONENTS[1])).any():
        return None
    is_known = around_nothing(values) or (memory is not None and in_memory(words, memory))
    return f"{given}: {IN_HALVES}" if is_known else None


def around_nothing(values: Any) -> bool:
    """Whether many elements, of both signs, leave out all that is around 0, as upper halves do."""
    known = values[values != 0]
    below = float((known < 0).mean())
    return BOTH <= below <= 1 - BOTH and upper_halves(values) is not None


def in_memory(words: Any, memory: Memory) -> bool:
    """Whether floats with these upper halves lie in memory, one after the other."""
    count = min(memory.size, MOST_MEMORY) // 4
    floats = numpy.frombuffer(bytes(memory.view(0, 4 * count)), "<u4")
    for halves in halves_of_floats(floats):
        first = int((words << 1 != 0).argmax())
        places = numpy.flatnonzero(halves[: count - len(words) + 1 + first] == words[first]) - first
        for place in places[places >= 0][:MOST_PLACES].tolist():
            if (halves[place : place + len(words)] == words).all():
                return True
    return False
