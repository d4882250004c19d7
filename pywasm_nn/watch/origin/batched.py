"""Batches of pictures, of which each comes from a file of its own, in the order in which they were read.

What is here: `in_order`, the files of a batch, its first one first, and `later_misread`. What is not: how one
picture came from a file (`matching.py`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from math import prod
from typing import Any

from ...records import changed
from ..budget import Left
from ..facts import picture_of
from .calculated import of_misread
from .colours import in_channels
from .decoding import Source
from .levels import ran_over
from .matching import Origin
from .pointing import at_points
from .readings import first, misread
from .tiny import in_file

MOST, MOST_ROWS, MOST_PIXELS = 4, 8, 1 << 20
"""So many files are tried for an input, so many later pictures of a batch are looked at, and so many pixels
of each."""
PICTURE = 3
"""Dimensions of one picture."""


def count_of(array: Any) -> int:
    """How many pictures an input may have."""
    return prod(array.shape[:-PICTURE]) if array.ndim > PICTURE and picture_of(array.shape) else 1


def in_order(array: Any, files: Iterator[list[Source]]) -> list[list[Source]]:
    """The files of an input, as sources, from those that were read, the last one first: that of the first
    picture of a batch, and then the others."""
    count = count_of(array)
    read = list(islice(files, min(max(MOST, count), max(MOST, MOST_ROWS))))
    if 1 < count <= len(read):
        read.insert(0, read.pop(count - 1))
    return read if count > 1 else read[:MOST]


def later_misread(
    found: Origin | None, array: Any, files: Sequence[Sequence[Source]], left: Left
) -> Origin | None:
    """Returns what was found of a batch's first picture; or a later one, if the first is right, that shows
    its file as if the decoded pixels had been read wrongly. `files` are those of the batch, the first one
    first, then the last one."""
    count = count_of(array)
    if found is None or found.wrong or not 1 < count <= min(len(files), MOST_ROWS):
        return found
    for row, sources in enumerate(reversed(files[1:count]), 1):
        if len(sources) != 1 or not sources[0].is_picture or not left():
            continue
        source, one = sources[0], array.reshape(count, *array.shape[-PICTURE:])[row : row + 1]
        picture = picture_of(one.shape)
        if picture is None or source.array[..., 0].size > MOST_PIXELS:
            continue
        own = first(one, picture)
        if at_points(own, in_channels(source.array), exactly=True) is not None:
            continue
        if own.shape == source.array.shape and (wrong := ran_over(own, in_file(source))):
            return Origin(changed(source, said=said_of(row, count, source)), (), wrong)
        if (calculated := of_misread(own, picture, source)) is not None:
            return changed(calculated, source=changed(source, said=said_of(row, count, source)))
        for wrong, pixels in misread(source.array):
            if at_points(own, in_channels(pixels), exactly=True) is not None:
                return Origin(changed(source, said=said_of(row, count, source)), (), wrong)
    return found


def said_of(row: int, count: int, source: Source) -> str:
    return f"picture {row + 1} of {count} in the batch, {source.said}"
