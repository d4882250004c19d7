"""A picture or mask that a guest prints as letters: are its lines the answer's rows, from above, and does it
show what there is, or the rest?

What is here: `turned`, for which the upper half of the answer is made the largest, and then its left half,
and `inverted`, for which all of it is. What is not: pictures that are written to files
(`written/painted.py`), and places in numbers (`maps.py`).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import Any

from ...arrays import numpy
from ..regex import regex
from ..written.sketched import GROUNDS, MARKS
from .asked import Asked, Given
from .maps import NUMBER

FEWEST, SIZES = 4, range(8, 2049)
Grid = Sequence[Sequence[bool]]
LITTLE, MUCH, BETWEEN = 0.1, 0.9, (0.25, 0.75)
"""Shares of the least and the most of a mask, and those on both sides of a usual threshold."""
OF_A_MASK = regex(
    r"segment|(?:^|[^a-z])seg|mask|matt(?:e|ing)|salien|selfie|foreground|u-?2-?net|unet", re.IGNORECASE
)
"""Names of models and outputs that say where something is."""
REST = regex(
    r"\b(?:no|not|non|un\w+|without|absen\w*|background|ground|rest|outside|remain\w*|others?|empty|free|clear"
    r"|remov\w+|replac\w+|blur\w*|transparent|hidden|cut|miss\w*|below|low|dark|normal|ok|clean|healthy|good|bg)\b",
    re.IGNORECASE,
)
"""Words for what is beside the thing, or is not there."""


def turned(asked: Asked) -> str:
    """Returns how a printed picture is turned, or "" if it isn't."""
    for index, output in asked.fetched():
        lengths = output.lengths
        if len(lengths) == 2 and all(one in SIZES for one in lengths) and (wrong := of(asked, index, output)):
            return f"{output.what}: {wrong}"
    return ""


def of(asked: Asked, index: int, output: Given) -> str:
    height, width = output.lengths
    if not is_printed(asked.control.text):
        return ""
    rows, columns_ = numpy.mgrid[:height, :width]
    upper = grid_of(asked, index, output, rows < height // 2)
    left = grid_of(asked, index, output, columns_ < width // 2)
    if upper is None or left is None:
        return ""
    if is_upper(columns(upper)) and is_upper(left):
        return (
            f"the guest prints its {height} rows of {width} as columns: the upper half of it stands at the "
            "left: are rows and columns exchanged?"
        )
    if is_upper(upper[::-1]) and is_upper(columns(left)):
        return "the guest prints its last row first: the picture stands on its head"
    return ""


def is_printed(text: str) -> bool:
    """Whether a text has some lines of equal length."""
    lengths = Counter(len(line) for line in text.splitlines() if len(line) >= FEWEST)
    return max(lengths.values(), default=0) >= FEWEST


def columns(grid: Grid) -> Grid:
    return [*zip(*grid, strict=True)]


def is_upper(grid: Grid) -> bool:
    """Whether the first half of the lines is full, and the last half empty; one between may be either."""
    first, last = len(grid) // 2 - 1, -(-len(grid) // 2) + 1
    return all(map(all, grid[:first])) and not any(map(any, grid[last:]))


def grid_of(asked: Asked, index: int, output: Given, high: Any) -> Grid | None:
    """Returns where letters are as if all elements were large, if these are, or None if no lines of equal
    length are."""
    low, top = output.filled([]), output.filled([0]).reshape(-1)[0]
    full, empty, half = (
        (asked.text(index, numpy.where(places.reshape(low.shape), top, low)) or "").splitlines()
        for places in (high | True, high & False, high)
    )
    if not len(full) == len(empty) == len(half):
        return None
    kept = [
        one for one in zip(full, empty, half, strict=True) if one[0] != one[1] and not is_sentence(*one[:2])
    ]
    if len(kept) < FEWEST or any(not FEWEST <= len(kept[0][0]) == len(text) for one in kept for text in one):
        return None
    found = [
        [letter == on for on, off, letter in zip(*one, strict=True) if on != off]
        for one in kept
        if all(letter in (on, off) for on, off, letter in zip(*one, strict=True))
    ]
    return found if len(found) == len(kept) and len({*map(len, found)}) == 1 else None


def is_sentence(one: str, other: str) -> bool:
    """Whether two lines are words with other numbers, such as how much of a picture something covers."""
    words = NUMBER.sub("#", one)
    return words == NUMBER.sub("#", other) and any(letter.isalpha() for letter in words)


def inverted(asked: Asked) -> str:
    """Returns what is wrong if a guest marks what a mask says is not there, and says of its share that it is
    that of the thing, or "" if it doesn't."""
    for index, output in asked.fetched():
        array = output.array
        is_mask = array.dtype.kind == "f" and len(output.lengths) == 2 and is_of_shares(array)
        names = f"{output.what} {asked.model} {' '.join(name for name, _ in asked.files())}"
        if not is_mask or not is_printed(asked.control.text) or not OF_A_MASK.search(names):
            continue
        low, high = (asked.text(index, array * 0 + array.dtype.type(one)) or "" for one in BETWEEN)
        lines = [
            pair for pair in zip(low.splitlines(), high.splitlines(), strict=False) if pair[0] != pair[1]
        ]
        drawn = [pair for pair in lines if len(pair[0]) == len(pair[1]) >= FEWEST and not is_sentence(*pair)]
        said = next((pair for pair in lines if is_sentence(*pair) and falls(*pair)), None)
        if len(drawn) < FEWEST or said is None or REST.search(low) or REST.search(high):
            continue
        marks, grounds = ({*"".join(texts)} for texts in zip(*drawn, strict=True))
        if marks <= {*MARKS} and grounds <= {*GROUNDS}:
            return (
                f'{output.what}: of shares of {BETWEEN[0]} the guest prints "{"".join(sorted(marks))}" and '
                f'says "{said[0].strip()}", and of {BETWEEN[1]} "{said[1].strip()}": a share is large where '
                "something is: is the comparison the wrong way round?"
            )
    return ""


def is_of_shares(array: Any) -> bool:
    """Whether elements are from 0 to 1, some of them near to each end."""
    return bool(0 <= array.min() <= LITTLE and MUCH <= array.max() <= 1)


def falls(one: str, other: str) -> bool:
    """Whether the first number that differs in two lines is larger in the first one, and 0 in the other."""
    pairs = zip(NUMBER.findall(one), NUMBER.findall(other), strict=False)
    moved = next(((float(a), float(b)) for a, b in pairs if a != b), (0.0, 0.0))
    return moved[0] > moved[1] == 0
