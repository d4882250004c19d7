"""Pictures of which all rows, or all columns, are the same one of the picture that was read: the step from
row to row became 0 where height / rows was divided as whole numbers, or the row is left out of an index.

What is here: `one_line`. What is not: inputs of one pixel (`sent/one_element.py`), and steps that were
rounded down to 1 or more (`matching.py`).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...arrays import numpy
from ..changes.arrangements import interleaved
from ..facts import picture_of
from .decoding import Source

MOST, LEVELS = 1 << 22, 6
"""Elements of all lines that are compared, and different ones in a line."""
DIFFER = 4.0
"""A picture's rows differ from one of them by at least this many levels on average."""
EXACT = 0.9999
"""The correlation of the same pixels."""
CHANNELS = 3


def one_line(array: Any, source: Source) -> str:
    """Returns what is wrong with an input that is one line of a picture again and again, or "" if it isn't
    that."""
    picture = picture_of(array.shape)
    if picture is None or not source.is_picture:
        return ""
    own, colours = interleaved(array, picture)[..., :CHANNELS], source.array[..., :CHANNELS]
    are_rows, are_columns = (bool((own == own.take([0], axis=axis)).all()) for axis in (1, 2))
    if are_rows == are_columns:
        return ""
    called = "row" if are_rows else "column"
    line, lines = (own[0, 0], colours) if are_rows else (own[0, :, 0], colours.swapaxes(0, 1))
    if len(numpy.unique(line)) < LEVELS or line.shape[-1] != lines.shape[-1]:
        return ""
    lines = lines[: MOST // line.size]
    for columns in taken(lines.shape[1], len(line)):
        at = line_among(lines[:, columns].astype("f4"), line.astype("f4"))
        if at is None or abs(lines - lines[at].astype("f4")).mean() < DIFFER:
            continue
        height, width = source.array.shape[:2]
        return (
            f"compared with {source.name}, all its {called}s are {called} {at} of {width} x {height} pixels: "
            f"is the step from {called} to {called} 0, as of whole numbers that were divided, or is the "
            f"{called} left out of the index?"
        )
    return ""


def taken(have: int, want: int) -> Iterator[Any]:
    """Places of pixels along a line: at whole steps, and as the nearest ones are taken."""
    places = numpy.arange(want)
    for step in dict.fromkeys((have // want, *(step for step in (1, 2, 3) if step * want <= have))):
        if step:
            yield places * step
    yield places * have // want
    yield (2 * places + 1) * have // (2 * want)
    yield numpy.rint(places * ((have - 1) / max(1, want - 1))).astype(int)


def line_among(lines: Any, own: Any) -> int | None:
    """Returns which of many lines [lines, pixels, channels] has become these elements, also with the channels
    reversed, or None if none has."""
    for shown in (own, own[..., ::-1]):
        away = shown - shown.mean(axis=0)
        others = lines - lines.mean(axis=1, keepdims=True)
        size = numpy.sqrt((others**2).sum(axis=1) * (away**2).sum(axis=0))
        with numpy.errstate(all="ignore"):
            like = ((others * away).sum(axis=1) / size).min(axis=1)
        best = int(numpy.nan_to_num(like, nan=-1.0).argmax())
        if like[best] > EXACT:
            return best
    return None
