"""The rest of a longer text behind a shorter one, in a buffer that was not cleared between the two.

What is here: `Remnants`, which compares an input with the one before and both with the texts that were read:
their characters, bytes or words must have the same numbers in both. What is not: pictures (`sent/borders.py`)
and sounds.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from itertools import islice, product
from typing import Any

from .vocabulary import WORD
from .wordings import LETTERS, filled_from, pieces

MOST_ELEMENTS, MOST_TEXTS = 1 << 12, 64
FEWEST = 3
"""Elements that are left of the text before."""
BY_CHANCE = 3
"""So many elements behind the shorter text may be equal to those of the longer one anyway."""
DIFFERENT = 4
"""Different numbers that stand for different parts of texts."""
MOST_AROUND = 1
"""Numbers before a text's, such as that of its beginning, and behind it, such as that of its end."""
SHOWN = 24
BESIDE = 2
"""A text that follows another one where they were read is at most so many places behind it in the list, which
may have each of them twice: without blanks around it, and with those."""
UNITS: Mapping[str, Callable[[str], Sequence[Hashable]]] = {
    "words": lambda text: text.lower().split(),
    "words without marks": lambda text: LETTERS.findall(text.lower()),
    "words and marks": lambda text: WORD.findall(text.lower()),
    "characters": lambda text: text.lower(),
    "bytes": lambda text: text.encode(),
}


class Remnants:
    """Keeps the last input of each kind."""

    def __init__(self) -> None:
        self._before: dict[Hashable, list[int]] = {}

    def wrong(self, way: Hashable, array: Any, texts: Sequence[str]) -> str:
        """Returns what is wrong with an input of the numbers of a text, or "" if nothing is."""
        row = array.reshape(-1)[: MOST_ELEMENTS + 1].tolist()
        before, self._before[way] = self._before.get(way, row), row
        if len(before) != len(row) or len(row) > MOST_ELEMENTS:
            return ""
        start = max((at + 1 for at in range(len(row)) if row[at] != before[at]), default=len(row))
        end = filled_from(before)
        end = len(row) if end == len(row) - 1 else end
        if end - start < FEWEST or len({*row[start:end]}) < 2:
            return ""
        read = [*islice(stripped(texts), MOST_TEXTS)]
        first = ""
        for is_next, said in left_behind(read, row, before, (start, end)):
            if is_next:
                return said
            first = first or said
        return first


def left_behind(
    read: Sequence[str], row: Sequence[int], before: Sequence[int], ends: tuple[int, int]
) -> Iterator[tuple[bool, str]]:
    """Yields hints at texts that a row and the row before may be, each with whether the first text follows
    the second where they were read. `ends` says where the rows differ last, and where the longer one ends."""
    start, end = ends
    ways = product(UNITS.items(), range(MOST_AROUND + 1), range(MOST_AROUND + 1))
    for (what, units), lead, tail in ways:
        known = [(at, text, units(text)) for at, text in enumerate(read)]
        around = lead + tail
        shorter = [
            one for one in known if start <= around + len(one[2]) <= min(start + BY_CHANCE, end - FEWEST)
        ]
        for (at, text, parts), (other_at, other, longer) in product(shorter, known):
            reaches = around + len(longer) == end or around + len(longer) >= end == len(row)
            if not reaches or (tail and not are_ended(row, before, lead + len(parts), lead + len(longer))):
                continue
            is_next = 0 < at - other_at <= BESIDE
            if not is_next and len({*parts, *longer}) == len(parts) + len(longer):
                continue  # texts in which nothing comes again fit all numbers
            if alike((parts, row[lead:]), (longer, before[lead:])):
                yield (
                    is_next,
                    f'"{text[:SHOWN]}" has {len(parts)} {what}, and elements {around + len(parts)} to '
                    f'{end - 1} behind it are still those of the text before, "{other[:SHOWN]}": the '
                    "buffer was not cleared (or filled with padding) between the two",
                )


def are_ended(row: Sequence[int], before: Sequence[int], *ends: int) -> bool:
    """Whether the numbers behind both texts are the same one, which is nowhere in the shorter text."""
    end, longer = ends
    return end < longer < len(before) and row[end] == before[longer] and row[end] not in row[:end]


def stripped(texts: Sequence[str]) -> Iterator[str]:
    """Texts and their lines, without blanks around them, and with those."""
    for text in pieces(texts):
        yield text.strip()
        if text != text.strip():
            yield text


def alike(*pairs: tuple[Sequence[Hashable], Sequence[int]]) -> bool:
    """Whether each part of the texts has one number, and different ones have different numbers, but for one
    number that stands for all unknown parts."""
    numbers: dict[Hashable, int] = {}
    for parts, row in pairs:
        for part, number in zip(parts, row, strict=False):
            if numbers.setdefault(part, number) != number:
                return False
    shared = [number for number in numbers.values() if [*numbers.values()].count(number) > 1]
    return len({*shared}) <= 1 and len({*numbers.values()}) >= DIFFERENT
