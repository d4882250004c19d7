"""Outputs of rows and columns of which a guest says what goes on for a while, or all in all (notes, words,
events): does it follow rows that are as long as columns?

What is here: `exchanged`. Whole rows and columns are made the largest elements in turn; or the elements of
each change their places, which leaves its sum, its largest and how many are large as they are. What is not:
guests that say the number of a row or column (`maps.py`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ...arrays import numpy
from .asked import NUMBER, Asked, Given

FEWEST, LONG, TRIED = 8, 6, 3
"""Rows and columns that an output has, how many times as many of one there may be, and those of each that are
tried, or the orders of their elements."""


def exchanged(asked: Asked) -> str:
    """Returns a hint if something else is said of each row that an answer would have if rows and columns were
    exchanged, and nothing, or what makes no sense, of those that it has, or "" if that isn't so."""
    for index, output in asked.fetched():
        if is_map(output.lengths) and only_turned(asked, index, output):
            height, width = output.lengths
            return (
                f"{output.what}: the guest says another thing of each row as if rows had {height} elements, "
                f"and none of rows or columns as they are; they have {width} ({height} rows of {width}): are "
                "rows and columns exchanged?"
            )
        if is_map(output.lengths) and summed_up_otherwise(asked, index, output):
            height, width = output.lengths
            return (
                f"{output.what}: the guest says the same if elements change their places within rows, or "
                f"columns, as if rows had {height}, and another thing if they do within its own; they have "
                f"{width} ({height} rows of {width}): are rows and columns exchanged?"
            )
    return ""


def summed_up_otherwise(asked: Asked, index: int, output: Given) -> bool:
    """Whether the guest says the same if elements change their places within rows, or columns, of the other
    length, and other things if they do within those that the answer has."""
    height, width = output.lengths
    if max(height, width) % min(height, width) == 0:
        return False  # rows of the one length are parts of the others
    own, turned = (output.array.reshape(shape) for shape in ((height, width), (width, height)))

    def texts(table: Any, axis: int) -> Iterator[str | None]:
        for seed in range(TRIED):
            mixed = numpy.random.default_rng(seed).permuted(table, axis=axis)
            yield asked.text(index, mixed.reshape(output.array.shape))

    said = asked.control.text
    is_same = any(all(one == said for one in texts(turned, axis)) for axis in (1, 0))
    others = [{*texts(own, axis)} for axis in (1, 0)] if is_same else [{said}]
    return all(said not in some and len(some) == TRIED for some in others)


def is_map(lengths: Sequence[int]) -> bool:
    """Whether an output has rows and columns, and no row for each of many boxes."""
    return len(lengths) == 2 and FEWEST <= min(lengths) < max(lengths) <= LONG * min(lengths)


def only_turned(asked: Asked, index: int, output: Given) -> bool:
    """Whether only rows, or columns, of the other length are told apart, and nothing is said of the columns,
    or rows, that are as long. What goes on in an answer's own rows begins and ends anywhere in the others."""
    height, width = output.lengths
    nothing = asked.text(index, output.filled(()))
    if nothing is None:
        return False
    for is_column in (False, True):
        across = said(asked, index, output, width, is_column=not is_column)
        if any(one != nothing for one in across):
            continue
        if are_told_apart([*said(asked, index, output, width, is_column=is_column)], nothing):
            return False
        if are_told_apart([*said(asked, index, output, height, is_column=is_column)], nothing):
            return True
    return False


def are_told_apart(texts: Sequence[str | None], nothing: str) -> bool:
    """Whether another thing is said each time, with the same numbers, but for one at most."""
    known = [one for one in texts if one is not None and len(one.split()) > len(nothing.split())]
    numbers = [NUMBER.findall(one) for one in known]
    if len({*known}) < TRIED or len({*map(len, numbers)}) > 1:
        return False
    same = [len({*column}) == 1 for column in zip(*numbers, strict=True)]
    return same.count(False) <= 1 <= same.count(True)


def said(asked: Asked, index: int, output: Given, length: int, *, is_column: bool) -> Iterator[str | None]:
    """Yields what the guest writes of whole columns, or rows, of an answer whose rows have this length."""
    size = output.array.size
    count = length if is_column else size // length
    for number in (count // 4, count // 2 + 1, count - 1):
        start, step = (number, length) if is_column else (number * length, 1)
        end = size if is_column else start + length
        yield asked.text(index, output.filled(range(start, end, step)))
