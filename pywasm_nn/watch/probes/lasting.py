"""Times of the rows of an answer to features of a recording, by which it would last much longer than it does.

What is here: `too_long`, for sounds (WAV) and records of sensors (EDF, BDF). What is not: inputs that are the
samples themselves (`times.py`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from struct import error

from ..origin.waves import wave_in
from .asked import NUMBER, Asked, Given
from .times import moved, near

FEWEST_ROWS, FEWEST_BANDS = 16, 8
TIMES = 2.0, 4.0
"""How many times as long rows may be by mistake."""
BIOSEMI, PLAIN = b"\xffBIOSEMI", b"0       "


def too_long(asked: Asked) -> str:
    """Returns what is wrong with the times that are said, or "" if nothing is."""
    known = [*durations(asked.files())]
    for index, output in asked.fetched() if len(known) == 1 else ():
        lengths = output.lengths
        if output.array.dtype.kind != "f" or len(lengths) != 2 or not is_of_features(asked, lengths[0]):
            continue
        file, seconds = known[0]
        own = seconds / lengths[0]
        said = next(filter(None, (step(asked, index, output, one) for one in columns(lengths[1]))), 0.0)
        for by in TIMES:
            if said and near(said, by * own):
                return (
                    f"{output.what}: the guest says times {said:.4g} s a row, so that its {lengths[0]} rows "
                    f"last {said * lengths[0]:.4g} s; {file} lasts {seconds:.4g} s, so that rows are "
                    f"{own:.3g} s apart: is their distance taken for {by:g} times what it is?"
                )
    return ""


def durations(files: Sequence[tuple[str, bytes]]) -> Iterator[tuple[str, float]]:
    """Recordings with how many seconds they last."""
    for name, data in files:
        with suppress(ValueError, error):
            if data[:8] in (BIOSEMI, PLAIN):
                yield name, float(data[236:244]) * float(data[244:252])
            elif data[:4] == b"RIFF":
                wave = wave_in(data)
                yield name, len(wave.samples) / wave.rate


def is_of_features(asked: Asked, rows: int) -> bool:
    """Whether an input has as many columns of several bands as an answer has rows."""
    shapes = [[length for length in one.shape if length != 1] for one in asked.sent]
    return rows >= FEWEST_ROWS and any(
        len(one) == 2 and rows in one and min(one) >= FEWEST_BANDS for one in shapes
    )


def columns(count: int) -> list[int]:
    """The classes of which times may be said: the last, the middle and the first."""
    return [*dict.fromkeys((count - 1, count // 2, 0))]


def step(asked: Asked, index: int, output: Given, column: int) -> float:
    """How much later a time is said for each row by which the largest elements are further down; 0.0 if none
    is."""
    rows, count = output.lengths
    apart = rows // 4

    def said(first: int) -> list[str]:
        places = [row * count + column for row in range(first, first + apart)]
        return NUMBER.findall(asked.text(index, output.filled(places)) or "")

    return moved(said(rows // 8), said(rows // 8 + apart), apart)
