"""Whether the bytes of a file without a known header are floats, and no whole numbers.

What is here: `of_floats`. What is not: what a guest took them for (`raw_windows.py`).

Whole numbers of any kind, taken as floats, are from next to nothing to more than anything, unless their
upper halves lie around 16,000; and then what is the lower half of a float is no noise over all that 16 bits
hold.
"""

from __future__ import annotations

from itertools import product
from typing import Any

from ...arrays import numpy
from ...records import Frozen

FEWEST, MOST_BYTES = 256, 1 << 16
SMALLEST, LARGEST, AROUND = 1e-9, 1e6, 0.02
"""The sizes of numbers that aren't 0, and the least part of them on each side of their middle, which whole
numbers around some level haven't."""
EVEN, NEXT = (0.9, 1.1), 0.9
"""The deviation of lower halves, as a part of that of numbers that are as likely everywhere, and by how much
they differ from those before, at least."""
FULL = 65536.0


class Floats(Frozen):
    """The bits of each float of a file, the range of all, and by how much they differ from those before."""

    bits: int
    low: float
    high: float
    rough: float


def of_floats(data: bytes, begins: int) -> Floats | None:
    """Returns what the floats in a file's bytes are from a byte on, which may lie within one, or None if they
    are none for certain."""
    found = []
    for width, order in product((4, 8), "<>"):
        for start in range(begins, begins + width):
            body = data[start : start + min(MOST_BYTES, len(data) - start) // width * width]
            if len(body) >= FEWEST * width and (floats := floats_in(body, width, order)) is not None:
                found.append(floats)
    # A float's last three bytes and the next one's first are a float, too, in the other order.
    return min(found, key=lambda one: round(one.rough, 1), default=None)


def floats_in(body: bytes, width: int, order: str) -> Floats | None:
    """The same of bytes that begin with a float."""
    with numpy.errstate(all="ignore"):  # bytes that are no floats
        numbers = numpy.frombuffer(body, f"{order}f{width}").astype("f8")
    sizes = abs(numbers[numbers != 0])
    if not numpy.isfinite(numbers).all() or len(sizes) < FEWEST:
        return None
    if sizes.min() < SMALLEST or sizes.max() > LARGEST:
        return None
    if min((numbers < 0).mean(), (numbers > 0).mean()) < AROUND:
        return None
    words = numpy.frombuffer(body, f"{order}u2").reshape(-1, width // 2)[numbers != 0]
    lower = words[:, 0 if order == "<" else -1].astype("f8")
    rough = float(abs(numpy.diff(numbers)).mean() / numbers.std())
    found = Floats(8 * width, float(numbers.min()), float(numbers.max()), rough)
    return found if is_noise(lower) else None


def is_noise(lower: Any) -> bool:
    """Whether numbers of 16 bits are as likely everywhere, and none says anything of the next one."""
    spread, step = float(lower.std()) / (FULL / 12**0.5), float(abs(numpy.diff(lower)).mean()) / (FULL / 3)
    return EVEN[0] <= spread <= EVEN[1] and step >= NEXT
