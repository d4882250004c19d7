"""Windows whose samples follow each other from the last one to the first one of a file's numbers, of one
channel or of several, each perhaps scaled.

What is here: `backwards`. What is not: single columns of a table, and what was made of these
(`origin/tables.py`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ...arrays import numpy
from ...nn.formats import KNOWN
from ..loops.units_behind import as_numbers, is_among
from ..origin.tables import table_in
from .rings import laid_out

FEWEST, DIFFERENT, MOST_CHANNELS = 16, 12, 12
"""Samples of a window, different ones of a channel, and channels."""
MOST_BYTES = 1 << 17
KINDS = ("<i2", "<f4", "<f8", "<i4", ">i2")
"""Bytes are left out: those of texts and pictures are turned on purpose."""


def backwards(array: Any, files: Sequence[tuple[str, bytes]]) -> tuple[str, str]:
    """Returns the file and what is wrong with a window, or "" for both if nothing is known to be wrong."""
    if array.dtype.kind != "f":
        return "", ""
    read = [(name, data) for name, data in files if KNOWN.of_file(name) is None and len(data) <= MOST_BYTES]
    for samples in laid_out(array):
        channels = [one for one in samples.T.astype("f8") if len({*one.tolist()}) >= DIFFERENT]
        if len(samples) < FEWEST or len(channels) < min(samples.shape[1], 1 + samples.shape[1] // 2):
            continue
        if samples.shape[1] > MOST_CHANNELS:
            continue
        for name, data in read:
            for columns in columns_in(data, samples.shape[1]):
                if are_backwards(channels, columns):
                    return name, (
                        f"its {len(samples)} samples are numbers of the file in the opposite order, the last "
                        "one first: does the model want the oldest first?"
                    )
    return "", ""


def are_backwards(channels: Sequence[Any], columns: Sequence[Any]) -> bool:
    """Whether each channel is a part of a column from its end on, and none is one as it lies there."""
    for own in channels:
        if not any(is_among(own[::-1], column) for column in columns):
            return False
    return not any(is_among(own, column) for own in channels for column in columns)


def columns_in(data: bytes, channels: int) -> Iterator[list[Any]]:
    """The columns of a file's numbers, in each way in which they may be read; of a table only if it says that
    it goes on in time."""
    table = table_in(data)
    if table is not None:
        known = numpy.isfinite(table.numbers).all(axis=0)
        if table.direction > 0 and known.any() and channels > 1:
            yield [*table.numbers[:, known].T]
        return
    for kind in KINDS:
        for first in range(numpy.dtype(kind).itemsize):
            numbers = as_numbers(data[first:], kind)
            yield [numbers[at::channels] for at in range(channels)]
