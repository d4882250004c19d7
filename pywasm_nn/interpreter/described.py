"""Type definitions with the clauses `describes` and `descriptor`
(https://github.com/WebAssembly/custom-descriptors).

They are apart from `types.py`, so that modules without them pay nothing.
"""

from __future__ import annotations

from .types import HeapType, Key, Known, Replace, SubType


class DescribedType(SubType):
    """A type definition that says what it describes, or what describes it."""

    describes: HeapType | None = None
    descriptor: HeapType | None = None

    def replaced(self, by: Replace) -> SubType:
        supers = tuple(map(by, self.supers))
        describes, descriptor = (heap and by(heap) for heap in (self.describes, self.descriptor))
        return DescribedType(self.composite.replaced(by), supers, self.final, describes, descriptor)

    def key(self, known: Known) -> Key:
        clauses = [heap and heap.key(known) for heap in (self.describes, self.descriptor)]
        return SubType.key(self, known), *clauses
