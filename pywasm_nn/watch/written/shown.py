"""What copies of a guest show of classes: which whole numbers it writes for which class as the largest.

What is here: `Shown`. What is not: what is wrong with them (`classes.py`).
"""

from __future__ import annotations

from collections.abc import Mapping

from ...records import Frozen

FEWEST = 2
"""There is no shift if it fails for this many classes: one class may be out of a list."""


class Shown(Frozen):
    """Maps an output, and the class that was made its largest, to the whole numbers that the guest wrote."""

    numbers: Mapping[int, Mapping[int, frozenset[int]]]

    @property
    def fixed(self) -> frozenset[int]:
        """The whole numbers that are written whichever class is the largest."""
        every = [said for of_one in self.numbers.values() for said in of_one.values()]
        return frozenset.intersection(*every) if every else frozenset()

    def refutes(self, index: int, shift: int) -> bool:
        """Whether a guest doesn't write the class and so many more, whatever it writes of one answer: digits
        may be names of classes."""
        said = self.numbers.get(index, {})
        return sum(place + shift not in numbers for place, numbers in said.items()) >= FEWEST
