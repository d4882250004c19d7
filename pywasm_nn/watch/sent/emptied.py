"""Inputs of which arithmetic left zeros and ones, or nothing: elements stored too near to each other, pixels
that were brought to 0..1 and cut to bytes, bytes of the program that were divided as whole numbers.

What is here: `Emptied`. What is not: what the guest's instructions do (`origin.arithmetic`), and pixels of a
picture that was divided as whole numbers (`origin`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ...arrays import numpy
from ...interpreter.module import Module
from ...interpreter.runtime.deadline import paused
from ...nn.tensor import Tensor
from ..budget import Budget
from ..facts import picture_of
from ..origin.arithmetic import Arithmetic, arithmetic_of

FEWEST, MOST = 8, 1 << 22
"""Elements of inputs that are looked at."""
MOST_SEARCHED, MOST_BYTES = 1 << 14, 1 << 20
"""Elements of inputs that are looked for among the program's bytes, and so many bytes of those."""
ONES, LEVELS = 3, 5
"""So many elements are as large as can be, and so many different bytes were made 0, by no chance."""
CHANGES = 3
"""The fewest changes between 0 and 1: masks have one or two."""
SMALLEST, LARGEST = 1e-6, 1e6
"""How large numbers are that nothing overwrote: of those made of several numbers' last bytes, of which the
exponent is any, hardly any is so."""
DIVISORS = (255, 16, 15, 127, 100, 99, 64, 63, 32, 31, 10, 9, 8, 7)
"""The largest bytes of usual pictures and tables."""


class Emptied:
    """Gives hints about inputs that are set."""

    def __init__(self, budget: Budget) -> None:
        self._budget = budget
        self._module: Module | None = None
        self._arithmetic: Arithmetic | None = None
        self.names: set[str] = set()
        """Inputs that were explained."""

    def attach(self, module: Module) -> None:
        """A guest begins."""
        self._module = module

    def set(self, name: str, tensor: Tensor) -> Iterator[str]:
        """Yields what is wrong with an input."""
        numbers = tensor.numbers()
        if numbers is None or not FEWEST <= numbers.size <= MOST or name in self.names:
            return
        if not numbers.any() and picture_of(tensor.shape) is None:
            return  # a state begins with zeros, and reading a large program's instructions takes long
        with paused(), numpy.errstate(all="ignore"):
            said = self._far(numbers) or self._cut(numbers) or self._divided(numbers)
        if said:
            self.names.add(name)
            yield f"{name}: {said}"

    @property
    def is_stuck(self) -> bool:
        """Whether a loop of the guest reads the same byte in each round."""
        return self._instructions().is_stuck

    def _instructions(self) -> Arithmetic:
        if self._arithmetic is None and self._module is not None:
            with self._budget.searching() as left:
                self._arithmetic = arithmetic_of(self._module, left)
        return self._arithmetic or Arithmetic()

    def _far(self, numbers: Any) -> str:
        """Elements of which all but the first part, into which all were stored, are 0."""
        width = numbers.itemsize
        if numbers.dtype.kind != "f" or width < 4 or numbers[-(-len(numbers) // 2) :].any():
            return ""
        if is_usual(numbers):
            return ""
        found = self._instructions()
        if found.width != width or numbers[len(numbers) * found.step // width + 1 :].any():
            return ""
        by = "1" if found.step == 1 else f"less than {width}"  # unrolled loops store several in a round
        return (
            f"elements of {width} bytes are stored (f{8 * width}.store) at an address that grows by {by} for "
            f"each, so that each overwrites the one before: is the index to be multiplied by {width}?"
        )

    def _cut(self, numbers: Any) -> str:
        """Whole numbers of which none is beyond 1."""
        if numbers.dtype.kind != "f" and numbers.itemsize > 1:  # such as a mask
            return ""
        if not -1 <= numbers.min() <= numbers.max() <= 1 or (numbers != numbers.round()).any():
            return ""
        divisor = self._instructions().divisor
        kept = " and ".join(f"{one:g}" for one in sorted({*numbers[:MOST_SEARCHED].tolist()}))
        said = (
            f"bytes are divided by {divisor:.4g} and then made bytes again (floats cut to whole numbers), so "
            f"that nothing but {kept} is left: are the bytes to be sent as they are?"
        )
        return said if divisor else ""

    def _divided(self, numbers: Any) -> str:
        """Zeros and ones that stand for bytes of the program."""
        if len(numbers) > MOST_SEARCHED or self._module is None or numbers.dtype.kind != "f":
            return ""
        values = numpy.unique(numbers)
        if len(values) != 2 or values[0] not in (0, -1) or values[1] != 1:
            return ""
        ones = numbers == values[1]
        if not ONES <= int(ones.sum()) <= len(ones) // 2 or numpy.diff(ones).sum() < CHANGES:
            return ""
        segments = [data.init for data in self._module.datas]
        with self._budget.searching() as left:
            for segment in segments if sum(map(len, segments)) <= MOST_BYTES else ():
                found = found_in(ones, numpy.frombuffer(segment, "u1")) if left() else None
                if found is not None:
                    levels, divisor = found
                    by = f"{divisor} as whole numbers (i32.div_u before the conversion to floats)"
                    return (
                        f"its elements have only 2 different values, the bytes in the program {levels}: were "
                        f"they divided by {by}?"
                    )
        return ""


def is_usual(numbers: Any) -> bool:
    """Whether floats are at least a few that nothing overwrote."""
    sizes = abs(numbers[numbers != 0])
    return len(sizes) >= FEWEST and bool(((sizes > SMALLEST) & (sizes < LARGEST)).all())


def found_in(ones: Any, data: Any) -> tuple[int, int] | None:
    """Returns how many different bytes lie where some were divided as whole numbers, and by what, or None if
    no bytes do."""
    count = len(ones)
    if len(data) < count:
        return None
    for divisor in DIVISORS:
        largest = data == divisor
        starts = numpy.arange(len(data) - count + 1)
        for place in in_turns(ones):
            starts = starts[largest[starts + place] == ones[place]]
            if not len(starts):
                break
        for start in starts.tolist():
            own = data[start : start + count]
            levels = len({*own.tolist()})
            if own.max() == divisor and levels > LEVELS:  # a guest may also compare with a threshold
                return levels, divisor
    return None


def in_turns(ones: Any) -> Sequence[int]:
    """The places of elements, those of ones first: few bytes are there."""
    return sorted(range(len(ones)), key=lambda place: not ones[place])
