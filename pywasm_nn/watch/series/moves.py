"""Windows that were moved, and arrays that were copied, by a number of elements where bytes are counted.

What is here: `moved_in_part` and `copied_in_part`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...arrays import numpy

SIZES = (4, 8)
"""Bytes of an element."""
FEWEST = 4
"""Elements that show a mistake, and their different values."""


def moved_in_part(before: Any, now: Any) -> str:
    """Returns what is wrong with a window, [samples, channels], that came from the one before, or "" if
    nothing is. Its first elements are those of the other from some sample on, and then none has moved."""
    count, width = before.shape
    old, new = before.reshape(-1), now.reshape(-1)
    for size in SIZES:
        for step in range(1, count):
            whole = (count - step) * width
            part = whole // size
            if part < FEWEST or step * width < FEWEST or whole % size:
                continue
            if new[0] != old[step * width] or new[part] != old[part]:
                continue
            moved, stayed = old[step * width : step * width + whole], old[part:whole]
            if (new[:part] != moved[:part]).any() or (new[part:whole] != stayed).any():
                continue
            if len(numpy.unique(stayed)) >= FEWEST and (stayed != moved[part:]).mean() > 0.5:
                return (
                    f"of {whole:,} elements that the window moves by, only {part:,} came to their new place, "
                    f"1 of {size}, and the others stayed: memmove and memcpy count bytes, {size} for each "
                    "element"
                )
    return ""


def copied_in_part(flat: Any, files: Sequence[tuple[str, bytes]]) -> tuple[str, str]:
    """Returns the file and what is wrong with elements of which the first part alone came from it, or "" for
    both if nothing is known to be wrong."""
    for size in {flat.dtype.itemsize} & {*SIZES}:
        part, rest = divmod(flat.size, size)
        begin = flat[:part]
        if rest or part < FEWEST or flat[part:].any() or len(numpy.unique(begin)) < FEWEST:
            continue
        for name, data in files:
            at = data.find(begin.tobytes())
            more = data[at + part * size : at + flat.nbytes]
            if at >= 0 and len(more) == flat.nbytes - part * size and any(more):
                return name, (
                    f"its first {part:,} of {flat.size:,} elements are those of the file, 1 of {size}, and "
                    f"zeros follow: memcpy and the like count bytes, {size} for each element"
                )
    return "", ""
