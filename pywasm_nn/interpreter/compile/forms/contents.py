"""What memory is known to hold at some addresses.

What is here: `Contents`, the facts about memory at one place of a body, and `Known`, which has them beside
those about locals. What is not: when something is kept (`lowering/keeping.py`).
"""

from __future__ import annotations

from .operands import Operand

MOST = 32
"""The most addresses of which something is known; the oldest are forgotten first."""

Place = tuple[str, int]
"""An address: the text of a variable, or nothing, and the number that is added to it."""
Held = tuple[int, Operand, int]
"""How many bytes are known, the variable or constant with their value, and the variables in it and in the
address, as bits of `Operand.reads`."""


class Contents:
    """For each address what memory holds there. Two addresses with the same variable are as far apart as
    their numbers, because no sum wraps."""

    __slots__ = ("held", "reads")

    def __init__(self, held: dict[Place, Held], reads: int) -> None:
        self.held = held
        self.reads = reads
        """The variables in all of it, and perhaps others."""

    def copy(self) -> Contents:
        return Contents(self.held.copy(), self.reads)

    def hold(self, place: Place, width: int, value: Operand, base: int) -> None:
        """Memory holds a value at a place, whose address reads the variables `base`."""
        if len(self.held) >= MOST:
            del self.held[next(iter(self.held))]
        reads = value.reads | base
        self.held[place] = width, value, reads
        self.reads |= reads

    def overwrite(self, place: Place, width: int) -> None:
        """Something is stored at a place: forget what may be there, which is all that is reached by another
        variable."""
        base, start = place
        stop, kept, reads = start + width, {}, 0
        for other, held in self.held.items():
            text, at = other
            if text == base and (at >= stop or at + held[0] <= start):
                kept[other] = held
                reads |= held[2]
        self.held = kept
        self.reads = reads

    def forget(self, bit: int) -> None:
        """A variable changes."""
        if not self.reads & bit:
            return
        self.held = {place: held for place, held in self.held.items() if not held[2] & bit}
        self.reads &= ~bit

    def both(self, other: Contents | None) -> Contents | None:
        """What is known on two ways that meet."""
        if other is None:
            return None
        there = other.held
        held = {place: held for place, held in self.held.items() if there.get(place) is held}
        return Contents(held, self.reads) if held else None


class Known(dict[int, Operand]):
    """Facts about locals: the operand for reading a local, if more is known than its type; and about memory.
    It has no `__init__` but that of a dictionary, because it is copied wherever control divides."""

    __slots__ = ("contents",)

    contents: Contents | None

    def copy(self) -> Known:
        contents = self.contents
        return known_of(self, contents and contents.copy())


def known_of(locals_: dict[int, Operand], contents: Contents | None = None) -> Known:
    """These facts about locals, and what is known of memory."""
    made = Known(locals_)
    made.contents = contents
    return made
