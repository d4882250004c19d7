"""Asks a model for a forecast from a ring that a file holds as it lies in memory, begun at a slot that the
guest's arguments name.

What is here: `Rings`, which finds such an input, and `begun_at_a_slot`. What is not: rings that break visibly
or whose records say where they begin (`series/heads.py`), and parts of a longer series (`series/rings.py`).

Three things speak together: the file is named a ring, and all of it was sent from its first slot on; an
argument may be a slot; and the forecast that the model makes then is like what was so many numbers before it,
and that as sent is not.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from ...arrays import numpy
from ...nn.backend import Graph
from ...nn.tensor import Tensor
from ...records import Frozen
from ..origin.raw_places import numbers_in
from ..origin.straight import line_through
from ..regex import regex
from ..surroundings import Files
from .asking import MOST, Runs

RING = regex(r"(?:^|[^a-z])(?:ring|circular|cyclic)(?:[^a-z]|buf|$)", re.IGNORECASE)
NUMBER = regex(r"(?<![\w.-])\d{1,5}(?![\w.])")
FEWEST, MOST_NUMBERS, FEWEST_AHEAD, LOOKS, MOST_SLOTS = 16, 4096, 4, 3, 4
"""Numbers of a ring, the fewest of a forecast, and the most inputs and slots that are looked at."""
KINDS = ("<f4", "<i2", "<u2", "<f8", "<i4")
NEAR = 1e-4
"""How far elements may be from the file's numbers, as a part of their range."""
TIMES, APART, LIKE = 2.0, 1.3, 0.15
"""How many times as far off the forecast as sent is, and those from other slots are, and how far the right
one is at most, as a part of the range of all numbers."""


class Ring(Frozen):
    """The input that has a ring of so many numbers from an element on, the file's name, and the slots that
    arguments may name."""

    array: Any
    first: int
    count: int
    file: str
    slots: Sequence[int]

    def begun(self, slot: int) -> Any:
        """The input with the ring from a slot on."""
        made = self.array.copy()
        flat = made.reshape(-1)
        flat[self.first : self.first + self.count] = numpy.roll(self.numbers, -slot)
        return made

    @property
    def numbers(self) -> Any:
        return self.array.reshape(-1)[self.first : self.first + self.count]


class Rings:
    """Looks at the first inputs of each model."""

    def __init__(self, files: Files = tuple, arguments: Sequence[str] = ()) -> None:
        self._files = files
        self._numbers = [int(one) for text in arguments for one in NUMBER.findall(text)]
        self._looked: dict[Any, int] = {}

    def take(self, graph: Any, tensor: Tensor, forecast: Tensor) -> Ring | None:
        """Returns the ring in an input to which a model made a forecast, or None if there is none."""
        looked = self._looked[graph] = self._looked.get(graph, 0) + 1
        if looked > LOOKS or not self._numbers or ahead(forecast) is None:
            return None
        numbers = tensor.numbers()
        if numbers is None or numbers.dtype.kind != "f" or numbers.size < FEWEST:
            return None
        array = numbers.reshape(tensor.shape).copy()
        for name, count, there in self._rings():
            slots = sorted({one for one in self._numbers if 0 < one < count})[:MOST_SLOTS]
            for first in {0, array.size - count} if count <= array.size and slots else ():
                if is_whole(array.reshape(-1)[first : first + count].astype("f8"), there):
                    return Ring(array, first, count, name, slots)
        return None

    def _rings(self) -> Iterator[tuple[str, int, Any]]:
        """The numbers of files that are named rings."""
        named = [one for one in self._files() if RING.search(one[0].rsplit("/", 1)[-1])]
        for name, there in numbers_in(named, KINDS):
            if FEWEST <= len(there) <= MOST_NUMBERS:
                yield name, len(there), there


def ahead(forecast: Tensor) -> Any:
    """The numbers of a forecast, or None if they are too few or none."""
    numbers = forecast.numbers()
    is_forecast = numbers is not None and numbers.dtype.kind == "f" and numbers.size >= FEWEST_AHEAD
    return numbers.astype("f8") if numbers is not None and is_forecast else None


def is_whole(flat: Any, there: Any) -> bool:
    """Whether elements are all numbers of a file in their order, perhaps scaled."""
    if not numpy.isfinite(there).all() or not numpy.ptp(there) or not numpy.ptp(flat):
        return False
    slope, height = line_through(there, flat)
    return bool(slope and (abs(slope * there + height - flat) <= NEAR * numpy.ptp(flat)).all())


def off(forecast: Any, numbers: Any) -> float:
    """How far a forecast is from the numbers that are once or several times its length before it, as a part
    of the range of all."""
    numbers, count = numbers.astype("f8"), len(forecast)
    apart = [
        abs(forecast - numbers[len(numbers) - back :][:count]).mean()
        for back in range(count, len(numbers) + 1, count)
    ]
    return float(min(apart, default=numpy.inf) / numpy.ptp(numbers))


def begun_at_a_slot(graph: Graph, ring: Ring, forecast: Tensor, seconds: float, most: float = MOST) -> str:
    """A sentence if a model's forecast follows from a ring that begins at an argument's slot, and not from
    it as it was sent, or "". Raises NNError."""
    sent = ahead(forecast)
    wrong = off(sent, ring.numbers) if sent is not None else 0.0
    found: list[tuple[float, int]] = []
    with Runs(graph, [Tensor.from_numpy(ring.array)], most, seconds=seconds) as runs:
        for slot in ring.slots:
            made = ring.begun(slot)
            outputs = runs.outputs_of(0, made) if runs.left() else []
            other = ahead(outputs[0]) if len(outputs) == 1 else None
            if other is not None:
                found.append((off(other, numpy.roll(ring.numbers, -slot)), slot))
    right, slot = min(found, default=(wrong, 0))
    others = [wrong, *(one for one, at in found if at != slot)]
    if right > LIKE or wrong < TIMES * right or min(others) < APART * right:
        return ""
    return (
        f'input 0 "{graph.inputs[0].name}": all {ring.count} numbers of {ring.file} were sent from its first '
        f"slot on; from slot {slot} on, which the arguments name, the forecast is like what was before it "
        f"(off by {right:.2g} of the range), and as sent it is not ({wrong:.2g}): a ring has to begin with "
        "its oldest sample"
    )
