"""A short input whose bytes are a line of a table in another type than the one that it is sent as.

What is here: `in_another_type`. What is not: inputs of many elements, whose bytes say it themselves
(`changes.rereadings`), and lines as they are (`tables.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...arrays import numpy
from ..changes.rereadings import TITLES
from .tables import Part, Table, line_of

KINDS = {**TITLES, "<i8": "i64", "|i1": "i8"}
FEWEST, MOST_BYTES = 4, 1 << 12
FRACTIONS = 2
"""So many numbers with decimals are in no other line by chance, and of whole ones more are needed."""
FEWEST_WHOLES = 6


def in_another_type(tables: Sequence[tuple[str, Table]], array: Any) -> tuple[str, Part] | None:
    """Returns the file and the part of its table that an input's bytes are in another type, or None if they
    are none."""
    flat = array.reshape(-1)
    if not flat.size >= FEWEST or flat.nbytes > MOST_BYTES or flat.dtype.str not in KINDS:
        return None
    for kind, title in KINDS.items():
        width = numpy.dtype(kind).itemsize
        count = min(flat.size, flat.nbytes // width)
        if kind == flat.dtype.str or count < FEWEST:
            continue
        read = numpy.frombuffer(flat.tobytes(), kind, count)
        if not is_telling(read) or (read.astype("f8") == flat[:count].astype("f8")).all():
            continue
        columns = min(count, array.shape[-1])
        rows = read.astype("f8")[: count // columns * columns].reshape(-1, columns)
        for name, table in tables:
            part = line_of(table, rows)
            if part is None or part.wrong or part.columns is None:
                continue
            own = KINDS[flat.dtype.str]
            short = f", which has room for {count} of the {flat.size} elements" if count < flat.size else ""
            return name, Part(
                f"{part.said} as {title}",
                f"its bytes are {part.said} as {title} ({shown(read)}), and were sent as {own}{short}: is "
                f"the array's type {title} and the tensor's type {own}?",
                part.columns,
            )
    return None


def is_telling(read: Any) -> bool:
    """Whether numbers are in a line by no chance."""
    with numpy.errstate(all="ignore"):
        numbers = read.astype("f8")
        if not numpy.isfinite(numbers).all() or abs(numbers).max() > 1e12:
            return False
        different = numpy.unique(numbers[numbers != 0])
        return bool((different % 1 != 0).sum() >= FRACTIONS or len(different) >= FEWEST_WHOLES)


def shown(read: Any) -> str:
    return ", ".join(f"{one:.4g}" for one in read[:3].tolist()) + " ..."
