"""Floats of a file that were read in the other byte order, and scaled before they were sent.

What is here: `in_other_order`, for those that were scaled by one number, and for lines of which each
element was scaled by numbers of its own that a file has. What is not: elements that are the file's bytes
(`origin/readings.py`, `changes.rereadings`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ...arrays import numpy
from ...nn.formats import KNOWN
from ..changes.rereadings import TITLES, is_plausible
from ..loops.units_behind import as_numbers
from ..origin import Origin
from ..origin.decoding import Source
from ..origin.garbled import of_floats_in_other_order
from ..sheets.formulas import RIGHTLY
from ..sheets.scaler_files import is_binary, lists_of

MOST_BYTES, MOST_ROWS, FEWEST, MOST = 1 << 18, 256, 3, 128
"""Bytes of a file, its lines and elements of one."""
EXACT, SOME, CLEAR = 1e-3, 1e-2, 2
"""Elements are the same within this part. So many numbers are no zeros by the order in which they were read:
others leave only what was taken away."""
Files = Sequence[tuple[str, bytes]]


def in_other_order(array: Any, files: Files) -> Origin | None:
    """Returns how an input is the floats of a file, read with their bytes in the other order and scaled, or
    None if it isn't."""
    return of_floats_in_other_order(array, files) or by_columns(array, files)


def by_columns(array: Any, files: Files) -> Origin | None:
    """Returns how an input is a line of a file's floats, each scaled by its own mean and deviation, or range,
    or None if it isn't: by these the numbers are usual ones in the order in which they weren't read."""
    row = array.reshape(-1)
    if row.dtype.kind != "f" or not FEWEST <= row.size <= MOST or usual(row):
        return None
    for name, data in reversed(files):
        if not 0 < len(data) <= MOST_BYTES or KNOWN.of_file(name) is not None or not is_binary(data):
            continue
        others = [one for one in files if one[1] != data]
        for lists in lists_of(others, row.size):
            for order, kind, read, meant in both_orders(data, row.size):
                line = first_made(row, read, lists.both)
                if line < 0 or is_plausible(read[line]):
                    continue
                if not lists.may_fit(meant[line]) and not lists.is_range_of(meant[line]):
                    continue
                wrong = (
                    f"its numbers ({TITLES['<' + kind]}) are {order}-endian, and were read with their bytes "
                    f"in the opposite order, then scaled by {lists.where}"
                )
                return Origin(Source(name, None, f"{len(data):,} bytes"), (f"line {line + 1}",), wrong)
    return None


def usual(row: Any) -> bool:
    """Whether elements are as those of scaled lines are: few are far from 0."""
    return bool(numpy.isfinite(row).all() and abs(row).max() < 1 / SOME and numpy.ptp(row) > 0)


def both_orders(data: bytes, width: int) -> Iterator[tuple[str, str, Any, Any]]:
    """Yields the order of a file's floats, their kind, and its last lines as they come of the wrong order and
    of the right one."""
    for kind in ("f4", "f8"):
        count = len(data) // (width * numpy.dtype(kind).itemsize)
        begin = len(data) - count * width * numpy.dtype(kind).itemsize
        for order, right, other in (("big", ">", "<"), ("little", "<", ">")):
            read, meant = (
                as_numbers(data[begin:], way + kind)[: count * width].reshape(count, width)[:MOST_ROWS]
                for way in (other, right)
            )
            yield order, kind, read, meant


def first_made(row: Any, read: Any, both: tuple[Any, Any]) -> int:
    """Returns the first of the lines, [lines, elements], of which elements are the numbers by a usual
    formula, and no numbers where these are none, or -1."""
    made_so = numpy.zeros(len(read), bool)
    with numpy.errstate(all="ignore"):
        is_clear = (~numpy.isfinite(read) | (abs(read) > SOME)).sum(axis=1) >= CLEAR
        for formula in RIGHTLY if is_clear.any() else ():
            made = formula(read, *both).astype(row.dtype)
            is_known = numpy.isfinite(made) & numpy.isfinite(row)
            near = (abs(made - row) <= EXACT * (1 + abs(row))) | ~is_known
            is_one = near.all(axis=1) & (numpy.isfinite(made) == numpy.isfinite(row)).all(axis=1)
            made_so |= is_clear & is_one & is_known.any(axis=1)
    return int(made_so.argmax()) if made_so.any() else -1
