"""The calls and instructions that a trace shows: functions by name, index or glob, and ranges of offsets.

What is not here: the levels of a trace (`trace.py`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from fnmatch import fnmatchcase
from typing import Self

from ..records import Frozen
from .regex import regex

RANGE = regex(r"(0x[0-9a-fA-F]+)-(0x[0-9a-fA-F]+)")


class Filter(Frozen):
    """The functions and offsets to show. An empty filter shows everything; otherwise it shows functions whose
    name matches or whose index is named, and instructions at offsets in a range (both ends included)."""

    names: tuple[str, ...] = ()
    indices: frozenset[int] = frozenset()
    ranges: tuple[tuple[int, int], ...] = ()

    @classmethod
    def of(cls, texts: Iterable[str]) -> Self:
        """Read "square", "$square", "read_*", "12", "0x41-0x60". Raises ValueError for a range that ends
        before it begins, and for no text at all."""
        names, indices, ranges = [], set(), []
        for text in texts:
            if found := RANGE.fullmatch(text):
                first, last = (int(end, 16) for end in found.groups())
                if last < first:
                    raise ValueError(f"the range {text} ends before it begins")
                ranges.append((first, last))
            elif text.isascii() and text.isdigit():
                indices.add(int(text))
            elif text.removeprefix("$"):
                names.append(text.removeprefix("$"))
            else:
                raise ValueError("write a function's name, index or glob, or a range as 0x41-0x60")
        return cls(tuple(names), frozenset(indices), tuple(ranges))

    @property
    def chooses_functions(self) -> bool:
        return bool(self.names or self.indices)

    def shows_function(self, funcidx: int, label: str) -> bool:
        """Whether calls of a function are shown; `label` is its name from `Labels.function`."""
        if funcidx in self.indices:
            return True
        name = label.removeprefix("$")
        return any(fnmatchcase(name, pattern) for pattern in self.names)

    def idle(self, labels: Sequence[str]) -> Iterator[str]:
        """Names and indices that choose no function of a module; `labels` are its functions' names, in
        order."""
        for name in self.names:
            alone = Filter((name,))
            if not any(alone.shows_function(funcidx, label) for funcidx, label in enumerate(labels)):
                yield name
        yield from (str(index) for index in sorted(self.indices) if index >= len(labels))

    def shows_offset(self, offset: int) -> bool:
        return any(first <= offset <= last for first, last in self.ranges)
