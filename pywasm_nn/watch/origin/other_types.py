"""A short input whose bytes are a line of a table in another type than the one that it is sent as.

What is here: `in_another_type`, and `in_upper_halves` for the numbers of any text. What is not: inputs of
many elements, whose bytes say it themselves (`changes.rereadings`), and lines as they are (`tables.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...arrays import numpy
from ..changes.rereadings import IN_HALVES, TITLES, halves_of_floats
from ..regex import regex
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


def in_upper_halves(texts: Sequence[tuple[str, str]], array: Any) -> tuple[str, str] | None:
    """Returns the name of a text and what is wrong, if the first row of an input of f16 is made of the upper
    halves of f32 (bf16) of numbers that follow each other in it, bit by bit, or None if it isn't."""
    if array.dtype.str != "<f2" or not array.size:
        return None
    words = array.reshape(-1).view("<u2")
    width = array.shape[-1] if array.ndim else 1
    row = words[:width] if FEWEST_HALVES <= width <= MOST_BYTES else words
    if len(row) < FEWEST_HALVES or len(numpy.unique(row[row << 1 != 0])) < FEWEST_HALVES - 1:
        return None
    for name, text in texts:
        found = [float(one) for one in NUMBER.findall(text[:MOST_TEXT])]
        with numpy.errstate(over="ignore"):
            bits = numpy.array(found, "<f4").view("<u4")
        for halves in halves_of_floats(bits) if len(bits) >= len(row) else ():
            windows = numpy.lib.stride_tricks.sliding_window_view(halves, len(row))
            same = (windows == row).all(axis=1)
            if same.any():
                at = int(same.argmax())
                shown = ", ".join(f"{one:g}" for one in found[at : at + FEWEST_HALVES])
                return name, f"of {shown} ... {IN_HALVES}"
    return None


NUMBER = regex(r"(?<![\w.])[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d{1,2})?(?![\w.])")
FEWEST_HALVES, MOST_TEXT = 3, 1 << 16
"""So many numbers of 16 bits follow each other in no text by chance; and the letters that are searched."""


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
