"""Boxes that are written in the pixels of the input, some of which lie outside of the picture, which is
smaller, or beside which the picture's size is written.

What is here: `beyond_picture`, and `beside_size`. What is not: that they are in the input's pixels
(`gridded.py`, `drawn.py`, `outlined.py`).
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from ..regex import regex
from .asked import NUMBER, Placed

BEYOND, WITHIN = 1.03, 1.05
"""By so much a number is larger than the picture, and at most so much larger than the input."""
LARGER = 1.1
"""The input shows the picture so much larger."""
OF_ALL = regex(
    r"\b(?:of|in|on) (?:the|a|this) (?:whole |full |original )?"
    r"(?:page|photo(?:graph)?|picture|image|frame|scan|sheet|screen(?:shot)?)\b",
    re.IGNORECASE,
)
OF_THE_PART = regex(r"\b(?:crop|cropped|cut|part|square|patch|roi|inside|relative)\b", re.IGNORECASE)
"""Words for a whole picture, and for a part of one."""


def beyond_picture(text: str, places: tuple[Sequence[int], Sequence[int]], placed: Placed) -> str:
    """Returns what is wrong with a text's boxes, in the input's pixels, that lie beyond the picture, or "" if
    none does. `places` are the numbers of a box that go across and down, counted in what is written of one
    box alone."""
    (height, width), (high, wide) = placed.size, placed.input
    if not is_enlarged(placed):
        return ""
    farthest = [0.0, 0.0]
    for line in rows_in(text, max((*places[0], *places[1]), default=0)):
        for axis, own in enumerate(places):
            farthest[axis] = max([farthest[axis], *(line[at] for at in own)])
    ends, most = (width, height), (wide, high)
    if any(far > WITHIN * end for far, end in zip(farthest, most, strict=True)):
        return ""
    if not any(far > BEYOND * end for far, end in zip(farthest, ends, strict=True)):
        return ""
    return (
        f"the guest writes boxes in the {wide} x {high} pixels of the input, up to {farthest[0]:g} across "
        f"and {farthest[1]:g} down; the picture has {width} x {height}, and lies there as {placed.lies[3]} x "
        f"{placed.lies[2]}: are they not divided by {placed.lies[3] / width:.4g}?"
    )


def is_enlarged(placed: Placed) -> bool:
    """Whether a whole picture lies in the input, in a larger size than its own."""
    height, width = placed.size
    by = min(placed.lies[2] / height, placed.lies[3] / width)
    return by >= LARGER and placed.part == (0, 0, height, width)


def is_of_all(text: str, placed: Placed) -> bool:
    """Whether a text says that it is about the whole picture, of which the input shows a part: by its size or
    a word for it, and none for a part."""
    height, width = placed.size
    is_told = bool(size_in(text, width, height)) or OF_ALL.search(text) is not None
    return is_told and not OF_THE_PART.search(text)


def size_in(text: str, width: int, height: int) -> str:
    """Returns the size of a picture as a text writes it, or "" if the text doesn't."""
    found = re.search(rf"(?<![\w.]){width} ?(?:x|\u00d7|by|,) ?{height}(?![\w.])", text)
    return found[0] if found is not None else ""


def beside_size(text: str, placed: Placed) -> str:
    """The size of the whole picture that lies in the input in another one, as a text has it, or "" if it has
    not, or has the input's."""
    (height, width), (high, wide) = placed.size, placed.input
    beside, own = size_in(text, width, height), size_in(text, wide, high)
    is_whole = placed.part == (0, 0, height, width)
    down, across = height / placed.lies[2], width / placed.lies[3]
    is_other = min(max(one, 1 / one) for one in (down, across)) > LARGER
    return beside if is_whole and is_other and not own else ""


def unlike_size(text: str, placed: Placed, what: str) -> str:
    """Returns what is wrong with things in the input's pixels beside the size of the picture, or ""."""
    (high, wide), beside = placed.input, beside_size(text, placed)
    down, across = placed.size[0] / placed.lies[2], placed.size[1] / placed.lies[3]
    return beside and (
        f"the guest writes {what} in the {wide} x {high} pixels of the input, and beside them "
        f'"{beside}", the size of the picture: are they not multiplied by {across:.4g} and {down:.4g}?'
    )


def rows_in(text: str, last: int) -> list[list[float]]:
    """The numbers of each line that has a box: of a text's lines with numbers those alike in their count, of
    which there are most. Places are counted from the text's first number in what is written of one box."""
    lines = [[float(one) for one in NUMBER.findall(line)] for line in text.splitlines()]
    counts = [len(line) for line in lines if len(line) >= 4]
    if not counts:
        return []
    usual = max(set(counts), key=counts.count)
    first = next(at for at, line in enumerate(lines) if len(line) == usual)
    before = sum(len(line) for line in lines[:first])
    return [[0.0] * before + line for line in lines if len(line) == usual and before + usual > last]
