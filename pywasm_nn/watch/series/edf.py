"""Which signal each sample of a file in EDF or BDF belongs to.

What is here: `signals_in`. What is not: reading samples (`raw_windows.py`). Source: the European Data Format,
https://www.edfplus.info/specs/edf.html
"""

from __future__ import annotations

from ...records import Frozen

FIXED, EACH, LABEL, BEFORE_COUNTS, COUNT = 256, 256, 16, 216, 8
"""Bytes of the header, of it for each signal, of a label, of the fields before the samples of a record, and
of their number."""
MOST_SIGNALS = 256
WIDTHS = {b"0       ": 2, b"\xffBIOSEMI": 3}
"""The bytes of a sample, by how a file begins."""


class Record(Frozen):
    """The signals of a record: their labels, and how many bytes each has of it. The first one begins at byte
    `start` of the file."""

    names: tuple[str, ...]
    sizes: tuple[int, ...]
    start: int

    def signal_at(self, place: int) -> str:
        """Returns the label of the signal of which the byte at a place is, or "" for the header."""
        rest = (place - self.start) % sum(self.sizes)
        for name, size in zip(self.names, self.sizes, strict=True):
            if rest < size:
                return name if place >= self.start else ""
            rest -= size
        return ""


def signals_in(data: bytes) -> Record | None:
    """Returns how records of a file lie, if it has several signals, or None for any other file."""
    width = WIDTHS.get(data[:8])
    if width is None:
        return None
    try:
        start, count = int(data[184:192]), int(data[252:256])
        at = FIXED + count * BEFORE_COUNTS
        fields = [data[at + COUNT * one :][:COUNT] for one in range(count)]
        sizes = tuple(width * int(one) for one in fields)
    except ValueError:
        return None
    if not 1 < count <= MOST_SIGNALS or start != FIXED + EACH * count or min(sizes) <= 0:
        return None
    labels = [data[FIXED + LABEL * one :][:LABEL] for one in range(count)]
    return Record(tuple(one.decode("latin-1").strip() for one in labels), sizes, start)
