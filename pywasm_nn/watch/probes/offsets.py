"""Elements that a guest reads at other addresses: each a byte after the one before, or half as wide as they
are.

What is here: `misaddressed`; labels of which only the first half is read show it in texts of any form. What
is not: rows of other lengths (`batches.py`).
"""

from __future__ import annotations

from typing import Any

from ...arrays import numpy
from ..regex import regex
from .asked import Asked, Given, places_that_differ
from .batches import TOKEN

MOST_CLASSES, FEWEST_ROWS, MOST_ROWS = 1 << 12, 3, 512
HIGH, OTHER, SURE = 0x45, 0x43, 0x3F
"""The last byte of a large f32, of another one, and of one near 1."""
DECIMALS = regex(r"-?\d+\.\d+(?:[eE][-+]?\d+)?|-?\d+[eE][-+]?\d+")
DIGITS, MOST_DIGITS = regex(r"\d+"), 9
"""A number with more digits than labels have is what 64 bits make whose upper half isn't 0."""
TRIED, FIRST = (1, 2), (0, 1)
"""The places of elements that are changed, and those in shorter answers."""


def misaddressed(asked: Asked) -> str:
    """Returns what is wrong with the addresses of the elements that a guest reads, or "" if nothing is."""
    for index, output in asked.fetched():
        wrong = by_bytes(asked, index, output) or by_halves(asked, index, output)
        wrong = wrong or by_upper_halves(asked, index, output) or of_each_row(asked, index, output)
        if wrong:
            return f"{output.what}: {wrong}"
    return ""


def of_each_row(asked: Asked, index: int, output: Given) -> str:
    """The same of the elements of each row, if there is one for each of several inputs."""
    shape = output.array.shape
    is_batch = len(shape) == 2 and asked.is_batch(output)
    if not is_batch or not 2 <= shape[0] <= MOST_ROWS or (row := asked.of_row(index)) is None:
        return ""
    return by_bytes(row, index, row.outputs[index])


def by_bytes(asked: Asked, index: int, output: Given) -> str:
    """Each element is read one byte after the one before. Of these answers element 0 is the largest, and what
    lies one, two or three bytes after it would be larger."""
    if (
        output.array.dtype.str != "<f4"
        or len(output.lengths) != 1
        or not 3 <= output.array.size <= MOST_CLASSES
    ):
        return ""

    def said(place: int, byte: int) -> str:
        data = numpy.zeros(4 * output.array.size, "u1")
        data[3 + place] = byte
        data[3] = SURE
        return DECIMALS.sub("#", asked.text(index, data.view("<f4").reshape(output.array.shape)) or "")

    texts: list[str] = []
    for place in (0, 1, 2):
        texts.append(said(place, HIGH))
        if not all(texts) or len({*texts}) < len(texts):
            return ""
    if [said(place, OTHER) for place in (1, 2)] != texts[1:]:  # it writes the bytes themselves
        return ""
    return (
        "the guest says another class if the bytes between its elements change, though the first element is "
        "the largest in all: is each read one byte after the one before, because an index was not "
        "multiplied by 4, the size of an element?"
    )


def by_halves(asked: Asked, index: int, output: Given) -> str:
    """Elements of 8 bytes, one for each of several inputs, that are read as if they had 4."""
    lengths, array = output.lengths, output.array
    if len(lengths) != 1 or array.dtype.itemsize != 8 or not FEWEST_ROWS <= lengths[0] <= MOST_ROWS:
        return ""
    low, high = array.min(), array.max()
    if low == high:
        low, high = low * 0, low * 0 + 1
    lines = []
    tried = TRIED if lengths[0] > 2 * max(TRIED) else FIRST
    for place in (None, *tried):
        made: Any = array * 0 + low
        if place is not None:
            made.reshape(-1)[place] = high
        lines.append(units(asked.text(index, made) or "", lengths[0]))
    found = [places_that_differ(lines[0], one) for one in lines[1:]]
    if any(len(one) != len(lines[0]) for one in lines) or len(lines[0]) < lengths[0] or not all(found):
        return ""
    always = set.intersection(*map(set, found))
    own = [[line for line in one if line not in always] for one in found]
    if any(len(one) != 1 for one in own):
        return ""
    if [one[0] // 2 for one in own] != [*tried] or own[1][0] - own[0][0] != 2:
        return ""
    return (
        f"what the guest says of {lengths[0]} inputs follows it as if each element took two places: they are "
        f"{array.dtype.name}, of 8 bytes; are they read as elements of 4 bytes?"
    )


def by_upper_halves(asked: Asked, index: int, output: Given) -> str:
    """Labels of 8 bytes, one for each of several inputs, that are read as if they had 4: those of the last
    inputs change nothing, and the upper halves of the first ones do, which are 0 in all labels. Each label in
    an upper half must make another text: one that is read as 64 bits is a huge number, or none that is
    known."""
    array = output.array
    count = array.size
    if array.dtype.kind not in "iu" or array.dtype.itemsize != 8 or not 2 <= count <= MOST_ROWS:
        return ""
    flat = array.reshape(-1)
    if len(output.lengths) != 1 or not asked.is_batch(output) or flat.min() < 0 or flat.max() >> 31:
        return ""
    own = asked.control.text

    def says(changes: dict[int, int]) -> str:
        words = flat.astype("<i8").view("<i4").copy()
        for place, label in changes.items():
            words[place] = label
        return asked.text(index, words.view("<i8").astype(array.dtype).reshape(array.shape)) or ""

    behind = range(count // 2 + count % 2, count)
    for label in LABELS:
        if says({2 * place: label for place in behind}) != own:
            return ""
    texts = [says({1: label}) for label in LABELS]
    most = max(MOST_DIGITS, longest(own))
    if any(not one.strip() or longest(one) > most for one in texts) or len({own, *texts}) < len(texts) + 1:
        return ""
    if count > 2 and says({3: LABELS[0]}) in (own, ""):
        return ""
    return (
        f"what the guest says of {count} inputs doesn't change with the labels of the last {len(behind)}, "
        f"but does with the upper halves of the first ones, which are 0: they are {array.dtype.name}, of 8 "
        "bytes; are they read as elements of 4 bytes?"
    )


LABELS = (1, 2)
"""Labels that any model has, and of which each is written otherwise."""


def longest(text: str) -> int:
    """How many digits the longest number of a text has."""
    return max(map(len, DIGITS.findall(text)), default=0)


def units(text: str, count: int) -> list[str]:
    """The parts of a text of which each may be said of one input: its lines, or, of the first line with so
    many, its words or letters."""
    lines = text.splitlines()
    if len(lines) >= count:
        return lines
    parts = [part for line in lines for part in (line.split(), TOKEN.findall(line), [*line.strip()])]
    return next((part for part in parts if len(part) == count), lines)
