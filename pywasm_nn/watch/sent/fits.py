"""Pictures of the sky (FITS), of which the numbers are read from too early a byte: headers are filled with
blanks up to a whole number of blocks of 2880 bytes, and these are no pixels.

What is here: `from_header`. What is not: the order of bytes (`grids.py`). Source:
https://fits.gsfc.nasa.gov/fits_standard.html
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...arrays import numpy
from ...nn.tensor import Tensor
from ...records import Frozen
from ..regex import regex
from .grids import rows_of

BLOCK, CARD, MOST_CARDS = 2880, 80, 720
MAGIC, END = b"SIMPLE  =", b"END     "
NUMBER = regex(rb"([A-Z0-9]+) *= *(-?[0-9]+)")
MOST_FILES, FEWEST_ROWS = 4, 2


class Sky(Frozen):
    """The picture of a file: its rows and columns, the bytes of a pixel, where the header's last card ends,
    and where the pixels begin."""

    rows: int
    columns: int
    width: int
    ends: int
    begins: int


def sky_in(data: bytes) -> Sky | None:
    """The picture in the bytes of a file; None if there is none."""
    if not data.startswith(MAGIC):
        return None
    said: dict[bytes, int] = {}
    for at in range(0, min(len(data), MOST_CARDS * CARD), CARD):
        card = data[at : at + CARD]
        if card.startswith(END):
            rows, columns, bits = (said.get(one, 0) for one in (b"NAXIS2", b"NAXIS1", b"BITPIX"))
            ends = at + CARD
            known = Sky(rows, columns, abs(bits) // 8, ends, -(-ends // BLOCK) * BLOCK)
            return known if min(rows, columns, known.width) > 0 else None
        if (number := NUMBER.match(card)) is not None:
            said[number[1]] = int(number[2])
    return None


def from_header(tensor: Tensor, files: Sequence[tuple[str, bytes]]) -> str:
    """Returns what is wrong with an input whose first rows are what the blanks of a header become, or "" if
    nothing is known to be wrong."""
    rows, channels = rows_of(tensor)
    for name, data in [*reversed(files)][:MOST_FILES] if rows is not None and channels == 1 else ():
        sky = sky_in(data)
        if sky is not None and (said := filled(rows, sky)):
            return f"compared with {name}, {said}"
    return ""


def filled(rows: Any, sky: Sky) -> str:
    """Returns what is wrong with rows of which the first ones, just as many as the filling would make, are
    equal, or "" if nothing is."""
    filling = sky.begins - sky.ends
    high, wide = sky.rows / len(rows), sky.columns / rows.shape[1]
    there = filling / sky.width / sky.columns / high
    whole = int(there)
    is_near = abs(high - wide) < 0.01 * high and high >= 1
    if not is_near or not FEWEST_ROWS <= whole < len(rows) - FEWEST_ROWS:
        return ""
    same = (rows == rows[0, 0]).all(axis=1)
    rest = rows[whole + 1 :]
    if not same[:whole].all() or same[whole + 1 :].any() or numpy.ptp(rest) == 0:
        return ""
    if rest.min() <= rows[0, 0] <= rest.max() and (rest == rows[0, 0]).mean() > 1 / len(rows):
        return ""
    return (
        f"its first {whole} rows are all equal, as the {filling:,} blanks are that fill the header from byte "
        f"{sky.ends:,} on (behind END): pixels begin at byte {sky.begins:,}, the next block of {BLOCK}"
    )
