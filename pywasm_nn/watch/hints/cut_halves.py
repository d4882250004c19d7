"""Inputs of f16 whose bytes are the upper halves of f32 (bf16): floats that were cut, and not converted.

What is here: `cut_halves`, by floats in the guest's memory of which they are the upper halves one after the
other, or, if there are enough of them, by the range that they leave out; and `CutRows`, by the same of
several inputs, and by zeros and a one (one-hot) of which the one is 1.875. What is not: numbers of files and
arguments (`origin.other_types`), and pictures (`origin.matching`).
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

from ...arrays import numpy
from ...interpreter.runtime.memory import Memory
from ...nn.tensor import DType
from ..changes.rereadings import IN_HALVES, UPPER, halves_of_floats, upper_halves
from ..facts import Input

FEWEST, DIFFERENT, MOST = 3, 3, 1 << 16
"""Elements of an input, and different ones that aren't 0: others are in memory by chance."""
EXPONENTS = (0x3000, 0x4700)
"""Upper halves of all floats from 5e-10 to 32,768 lie between these, without their sign."""
BOTH = 1 / 8
"""The least part of elements with each sign by which it is known that those around 0 are missing."""
MOST_MEMORY, MOST_PLACES = 1 << 26, 1 << 12
"""Bytes that are searched, and places at which the rarest element lies."""

ONE, FEWEST_PLACES, MOSTLY = 0x3F80, 3, 0.9
"""The upper half of 1, which is 1.875 as f16; the fewest places that have it or nothing, each in another row;
and the part of all other elements that lie where upper halves do (what is nearly 0 lies elsewhere)."""
MOST_ROWS, MOST_WIDTH = 64, 256


class CutRows:
    """Keeps the rows of small inputs of f16, one of which alone says too little."""

    def __init__(self) -> None:
        self._rows: dict[Hashable, list[Any]] = {}

    def take(self, key: Hashable, given: Input) -> str | None:
        """Returns what is wrong with the rows of an input so far, or None if nothing is known to be."""
        values, width = given.values, given.tensor.shape[-1] if given.tensor.shape else 0
        if values is None or given.tensor.dtype != DType.F16.value or not FEWEST <= width <= MOST_WIDTH:
            return None
        rows = self._rows.setdefault((key, width), [])
        if len(rows) >= MOST_ROWS:
            return None
        rows += [*values.reshape(-1, width)[: MOST_ROWS - len(rows)].copy()]
        every = numpy.stack(rows)
        is_known = len(rows) >= FEWEST and (have_ones(every) or around_nothing(every.reshape(-1)))
        return f"{given}: {IN_HALVES}" if is_known else None


def have_ones(rows: Any) -> bool:
    """Whether rows of f16 have zeros and a one, of which the one is what the upper half of 1 is, and beside
    them other numbers that lie where upper halves do."""
    words = rows.view("<u2")
    places = ((words == 0) | (words == ONE)).all(axis=0)
    ones = [words[:, place] == ONE for place in numpy.flatnonzero(places) if words[:, place].any()]
    known = rows[:, ~places][rows[:, ~places] != 0]
    if len({one.tobytes() for one in ones}) < FEWEST_PLACES or len(numpy.unique(known)) < DIFFERENT:
        return False
    sizes = abs(known.astype("f4"))
    return bool(((sizes >= UPPER[0]) & (sizes < UPPER[1])).mean() >= MOSTLY)


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
    below = float((known < 0).mean()) if len(known) else 0.0
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
