"""Sounds without a header that have two channels, whose samples were taken for one signal.

What is here: `two_channels`, by the samples themselves. What is not: files whose header says how many
channels there are (`sequences.py`).
"""

from __future__ import annotations

from typing import Any

from ..facts import picture_of
from .locating import correlation
from .matching import Origin

SHORTEST = 256
SAME, OTHER, EQUAL = 0.99995, 0.999, 0.03
"""The correlation of samples of the same sound in two channels, the most that it is with the sample behind
them, and by how much the loudness of the two differs."""
SMOOTHER, BEHIND = 0.7, 0.85
"""How much less two samples differ that are two apart than ones beside each other; and those four apart than
those three apart: both as of two sounds, and not of a tone."""
CHANNELS, TINY = 2, 1e-30


def two_channels(array: Any, found: Origin | None) -> str:
    """Returns what is wrong with samples of a sound without a header, or "" if nothing is."""
    if found is None or found.wrong or found.source.is_picture or found.source.rate:
        return ""
    if picture_of(array.shape) is not None or array.size != max(array.shape) or found.source.array is None:
        return ""
    flat = array.reshape(-1).astype("f8")
    flat = flat[: len(flat) // CHANNELS * CHANNELS]
    if found.source.array.ndim != 1 or len(flat) < SHORTEST or not flat.std():
        return ""
    is_half = len(found.source.array) == CHANNELS * array.size
    if not is_louder(flat) and not (is_half and is_smoother(flat)):
        return ""
    return (
        "each sample goes on as the one two before it, and not as the one before: the samples of 2 channels "
        "lie in turns, as if they were one"
    )


def is_louder(flat: Any) -> bool:
    """Whether each second sample is the one before it, times one factor, as of one sound in two channels. So
    are those of a tone with four samples a turn, of which samples two apart differ most."""
    one, other = flat[::2], flat[1::2]
    factor = float(one @ other / max(float(one @ one), TINY))
    if correlation(one, other) < SAME or abs(factor - 1) < EQUAL or factor < EQUAL:
        return False
    return correlation(other[:-1], one[1:]) < OTHER and apart(flat, 2) < apart(flat, 1)


def is_smoother(flat: Any) -> bool:
    """Whether samples two and four apart are more alike than those beside each other and three apart."""
    one, two, three, four = (apart(flat, by) for by in range(1, 5))
    return two < SMOOTHER * one and four < BEHIND * three


def apart(flat: Any, by: int) -> float:
    """Returns how much samples at a distance differ on average."""
    return float(abs(flat[by:] - flat[:-by]).mean())
