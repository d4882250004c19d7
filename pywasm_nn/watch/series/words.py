"""Whole numbers of a file without a header, of which each input has some: signed ones taken as unsigned, and
unsigned ones as signed.

What is here: `unsigned_words` and `signed_words`.
"""

from __future__ import annotations

from typing import Any

from ...arrays import numpy
from ..sheets.rows import straight
from .packed import jumps_around

TYPES = (("<i2", "<u2"), (">i2", ">u2"))
NARROWER = 8.0
"""Signed numbers reach so many times less far than the same taken as unsigned."""
MOST_BYTES = 1 << 16
FEWEST, FEWEST_OF_A_SIGN = 6, 2
"""The fewest elements of an input that are divided by numbers of their own, and of either sign."""
WHOLE, TOP, WIDER = 0.02, 32767, 1.5
"""How far divisors may be from whole numbers, the largest signed number of 16 bits, and how many times as far
elements reach with their sign."""


def unsigned_words(rows: Any, data: bytes) -> str:
    """Returns what is wrong with inputs, [inputs, elements], that follow each other in a file, or "" if
    nothing is."""
    width = rows.shape[1]
    for signed, unsigned in TYPES:
        size = width * numpy.dtype(signed).itemsize
        if not data or len(data) > MOST_BYTES or len(data) < size * len(rows) or len(data) % size:
            continue
        right, wrong = (
            numpy.frombuffer(data, kind, width * len(rows)).reshape(rows.shape).astype("f8")
            for kind in (signed, unsigned)
        )
        own, other = straight(rows, right).fits.diagonal(), straight(rows, wrong).fits.diagonal()
        for element in numpy.flatnonzero(other & ~own).tolist():
            narrow, wide = numpy.ptp(right[:, element]), numpy.ptp(wrong[:, element])
            is_wrong = wide >= NARROWER * narrow or jumps_around(wrong[:, element], right[:, element])
            if is_wrong:
                at = int(right[:, element].argmin())
                return (
                    f"element {element} of its inputs is from {right[:, element].min():g} to "
                    f"{right[:, element].max():g} in the file, and {right[at, element]:g} was read as "
                    f"{wrong[at, element]:g}: signed numbers were loaded as unsigned ones (load16_u for "
                    "load16_s)"
                )
    return ""


def signed_words(flat: Any, data: bytes) -> str:
    """Returns what is wrong with elements that are numbers of 16 bits, taken as signed, each divided by a
    whole number of its own, or "" if nothing is. Signed ones never reach divisors above 32,767."""
    size = 2 * flat.size
    if flat.size < FEWEST or not data or len(data) > MOST_BYTES or len(data) % size:
        return ""
    for signed, unsigned in TYPES:
        own = numpy.frombuffer(data, signed).reshape(-1, flat.size).astype("f8")
        right = numpy.frombuffer(data, unsigned).reshape(own.shape).astype("f8")
        fits = (numpy.sign(own) == numpy.sign(flat)).all(axis=1) & (own != 0).all(axis=1)
        for words, others in zip(own[fits], right[fits], strict=True):
            if are_beyond(flat, words, others):
                at = int((words < 0).argmax())
                return (
                    f"element {at} is {others[at]:g} in the file, and was read as {words[at]:g} and divided "
                    f"by {words[at] / flat[at]:,.0f}: unsigned numbers of 16 bits were loaded as signed ones "
                    "(load16_s for load16_u)"
                )
    return ""


def are_beyond(flat: Any, words: Any, others: Any) -> bool:
    """Whether elements are signed words, of which none is 0, divided by whole numbers that these never reach,
    and nearer to each other if the words have no sign."""
    divisors, negative = words / flat, words < 0
    are_whole = bool((abs(divisors - numpy.rint(divisors)) <= WHOLE).all()) and numpy.ptp(divisors) >= 1
    is_mixed = FEWEST_OF_A_SIGN <= negative.sum() <= flat.size - FEWEST_OF_A_SIGN
    is_above = (divisors[negative] > TOP).sum() >= FEWEST_OF_A_SIGN
    return bool(
        are_whole and is_mixed and is_above and numpy.ptp(flat) >= WIDER * numpy.ptp(others / divisors)
    )
