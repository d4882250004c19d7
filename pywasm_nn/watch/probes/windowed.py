"""Places in windows of one file that follow each other, such as frames of a film: does the guest add where
each window begins?

What is here: `unmoved`. The answer is made the same for all windows: what is written of each must be later.
What is not: times of windows that overlap (`times.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from ...nn.formats import KNOWN
from ..spoken import Word
from .asked import Asked, Given
from .formulas import numbers

FEWEST_STEPS, FEWEST_WINDOWS, LEAST_BYTES = 6, 2, 1024
PLACES, FEWEST = (1, 2, 3, 4, 5), 2
"""Steps that are made the surest one, and so many of them must get as many numbers."""


def unmoved(asked: Asked) -> str:
    """Returns what is wrong with the places that are written, or "" if nothing is known to be wrong."""
    read = [name for name, data in asked.files() if KNOWN.of_file(name) is None and len(data) >= LEAST_BYTES]
    for index, output in asked.fetched():
        if len({*read}) == 1 and is_by_step(asked, output) and (said := wrong(asked, index, output, read[0])):
            return f"{output.what}: {said}"
    return ""


def is_by_step(asked: Asked, output: Given) -> bool:
    """Whether an output has one number for each step of an input of several steps."""
    array = output.array
    if array.dtype.kind != "f" or len(output.lengths) != 1 or array.size < FEWEST_STEPS:
        return False
    shapes = [[length for length in one.shape if length != 1] for one in asked.sent]
    return any(len(shape) > 1 and shape[0] == array.size and shape.count(array.size) == 1 for shape in shapes)


def wrong(asked: Asked, index: int, output: Given, file: str) -> str:
    """Returns what is wrong with the numbers that are written of the surest step of each window, or "" if
    nothing is."""
    said = {}
    for place in PLACES:
        made = output.array * 0
        made.reshape(-1)[place] = 1
        said[place] = numbers(asked.text(index, made) or "")
    lengths = [*map(len, said.values())]
    usual = max(lengths, key=lengths.count)  # the last window may be shorter
    known = {place: words for place, words in said.items() if len(words) == usual}
    columns = [*zip(*known.values(), strict=True)]
    moving = [at for at, words in enumerate(columns) if len({word.value for word in words}) > 1]
    if len(known) < FEWEST or len(moving) < FEWEST_WINDOWS or not is_line([*known], columns[moving[0]]):
        return ""
    first = [word.text for word in columns[moving[0]]]
    if any([word.text for word in columns[at]] != first for at in moving) or tells_apart(columns, moving):
        return ""
    return (
        f"the guest writes {first[0]} of each of {len(moving)} windows of {file} whose surest step is "
        f"{next(iter(known))}, and nothing that tells the windows apart: is the step at which each begins "
        "not added?"
    )


def is_line(places: Sequence[int], words: Sequence[Word]) -> bool:
    """Whether numbers go up evenly with the places."""
    pairs = pairwise(zip(places, words, strict=True))
    steps = [(other.value - word.value) / (after - place) for (place, word), (after, other) in pairs]
    return steps[0] > 0 and all(abs(step - steps[0]) <= words[0].unit for step in steps)


def tells_apart(columns: Sequence[Any], moving: Sequence[int]) -> bool:
    """Whether other numbers, between those that follow the places, differ from window to window."""
    ends = [*moving, len(columns)]
    behind = [
        [words[0].value for words in columns[at + 1 : end]] for at, end in zip(moving, ends[1:], strict=True)
    ]
    before = [columns[at - 1][0].value for at in moving if at]
    full = behind[:-1] if len(behind) > FEWEST_WINDOWS else behind
    return any(one != full[0] for one in full) or len({*before[1:]}) > 1
