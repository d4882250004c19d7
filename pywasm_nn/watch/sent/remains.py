"""The end of a longer sound, or of a longer file's numbers, behind a shorter one, in a buffer that was not
cleared between the two.

What is here: `Remains`, which compares an input with the one before. What is not: texts (`origin.remnants`),
borders of pictures (`borders.py`), and buffers that are filled in turns: the new part must be the whole of
the file that was read last.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...arrays import numpy
from ...nn.tensor import Tensor
from ..origin.decoding import Source
from ..origin.waves import RATES

FEWEST = 64
"""Elements of either part, which are alike by no chance."""
DIFFERENT = 16
MOST_BYTES = 1 << 21
NEAR = 0.01
"""How far the rate at which samples were taken may be from one of the usual ones, as a part."""
FEW = 2
"""Samples that may be missing at the end."""
SAME, LIKE = 0.999, 0.9
"""The correlation of the same samples, and of those at another rate."""


class Remains:
    """Keeps the last input of each kind."""

    def __init__(self, last: Callable[[], Source | None]) -> None:
        """`last` gives the sound that was read last."""
        self._last = last
        self._before: dict[Any, Any] = {}

    def wrong(self, key: Any, tensor: Tensor, *, is_found: bool) -> str:
        """Returns what is wrong with an input of floats, or "" if nothing is."""
        flat = tensor.numbers() if tensor.nbytes <= MOST_BYTES else None
        if flat is None or flat.dtype.kind not in "fi" or flat.size < 2 * FEWEST:
            return ""
        before = self._before.get(key)
        self._before[key] = flat.copy()
        if is_found or before is None or before.shape != flat.shape or before.dtype != flat.dtype:
            return ""
        differ = numpy.flatnonzero(before != flat)
        start = int(differ[-1]) + 1 if len(differ) else 0
        rest = flat[start:]
        if not FEWEST <= start <= flat.size - FEWEST or len(numpy.unique(rest[:4096])) < DIFFERENT:
            return ""
        sound = self._last()
        if sound is None or not is_whole(sound, flat[:start]):
            return ""
        end = flat.size - 1
        return (
            f"elements 0 to {start - 1} are {sound.name} ({sound.said}), which has no more, and elements "
            f"{start} to {end} behind it are still those of the input before: the buffer was not cleared (or "
            "filled with silence) between the two"
        )


def is_whole(sound: Source, elements: Any) -> bool:
    """Whether elements are a whole sound, at its own rate or another usual one, in any scale."""
    samples, count = sound.array if sound.array.ndim == 1 else sound.array.mean(axis=1), len(elements)
    for rate in (sound.rate, *RATES) if sound.rate else ():
        if abs(len(samples) * rate / sound.rate - count) > FEW + NEAR * count * (rate != sound.rate):
            continue
        places = numpy.arange(count) * (sound.rate / rate)
        wanted = numpy.interp(places, numpy.arange(len(samples)), samples)
        with numpy.errstate(all="ignore"):
            if numpy.corrcoef(wanted, elements.astype("f8"))[0, 1] > (SAME if rate == sound.rate else LIKE):
                return True
    return False
