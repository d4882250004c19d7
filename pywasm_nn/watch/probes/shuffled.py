"""Pictures that a guest puts together from several planes (pixel shuffle) and draws with letters: is each
plane at its place within the blocks?

What is here: `exchanged`. The planes of one row or one column of all blocks are white, so that the drawing
has stripes. What is not: pictures in files (`written/enlarged.py`).
"""

from __future__ import annotations

from typing import Any

from ..changes.arrangements import unevenness
from ..written.enlarged import SMOOTHER, Shuffle, shuffles_of
from .asked import Asked, Given
from .maps import ACROSS, unframed

FEWEST = 4
"""The fewest lines of a drawing."""


def exchanged(asked: Asked) -> str:
    """Returns a hint about planes whose rows and columns within a block are exchanged, or "" if they
    aren't."""
    for index, output in asked.fetched():
        shuffle = shuffle_of(asked, output)
        if shuffle is None:
            continue
        planes = output.array.reshape(output.lengths).astype("f8")
        right, wrong = (
            unevenness(next(shuffle.pictures(planes, is_across_first=across))) for across in (False, True)
        )
        drawn = lines_of(asked.control.text) if right < SMOOTHER * wrong else []
        if len(drawn) < FEWEST or len({*drawn}) == 1:
            continue
        by, count = shuffle.by, shuffle.by**2
        columns, rows = (
            stripes(asked.text(index, white(output, planes)) or "", by)
            for planes in (slice(1, count, by), slice(by, 2 * by))
        )
        if columns == "across" or rows == "down" or not (columns or rows):
            continue
        return (
            f"{output.what}: what the guest draws has rows of each block of {by} x {by} pixels where planes "
            f"have columns: the place of plane k within each block is row k / {by}, column k % {by}, and "
            "not the other way round (pixel shuffle)"
        )
    return ""


def shuffle_of(asked: Asked, output: Given) -> Shuffle | None:
    """Returns how planes as large as a picture that was sent make a grey picture, or None if they don't."""
    lengths = output.lengths
    if len(lengths) != 3 or output.array.dtype.kind != "f":
        return None
    if not any([one.height, one.width] == lengths[1:] for one in asked.pictures):
        return None
    return next((one for one in shuffles_of(lengths) if one.colours == 1), None)


def white(output: Given, planes: slice) -> Any:
    """An answer of which these planes are white, and all others black."""
    made = output.array * 0
    made.reshape(output.lengths)[planes] = 1 if output.array.max() < 2 else 255
    return made


def lines_of(text: str) -> list[str]:
    """The lines of a drawing: those of the most frequent length."""
    lines = unframed(text)
    lengths = [len(line) for line in lines if len(line) >= ACROSS]
    usual = max({*lengths}, key=lengths.count, default=0)
    return [line for line in lines if len(line) == usual]


def stripes(text: str, by: int) -> str:
    """Returns "across" if the letters of each line of a drawing come again after so many, "down" if it has
    different lines of one letter, and "" for no stripes."""
    lines = lines_of(text)
    if len(lines) < FEWEST or any(line[by:] != line[:-by] for line in lines):
        return ""
    if any(len({*line}) > 1 for line in lines):
        return "across"
    return "down" if len({*lines}) > 1 else ""
