"""Bytes that were sent with another zero than they have: signed ones as unsigned, or the other way round.

What is here: `other_zero`. What is not: bytes of which one part alone is signed (`hints/prompts.py`), and
pictures, which have no negative numbers.
"""

from __future__ import annotations

import re
from typing import Any

from ...arrays import numpy
from ...nn.tensor import DType, Tensor
from ..facts import picture_of
from ..regex import regex

FEWEST, DIFFERENT = 32, 12
"""Elements, and different ones among them."""
END, GAP = 24, 96
"""So near to the ends of the range are the lowest and highest numbers, and so many are missing in a row."""
NARROWER = 2.0
"""The range of the numbers is so many times smaller with the other zero."""
LEAST, MOST_CLIPPED = 0.08, 0.5
"""The part of the elements at either end, and the most that are 0 or 255, as where sounds are cut off."""
ROUND = regex(r"hue|angle|phase|heading|direction|mask|image|pixel|picture", re.IGNORECASE)
"""Names of inputs whose numbers go round, or that are pictures."""
HALF, WHOLE = 128, 256


def other_zero(tensor: Tensor, called: str) -> str:
    """Returns what is wrong with bytes that lie at both ends of their range and never between them, as
    numbers around 0 do whose sign was lost, and as numbers around 128 do that were taken as signed, or "" if
    nothing is. `called` is the input's name."""
    if tensor.dtype not in (DType.U8, DType.I8) or tensor.size < FEWEST:
        return ""
    values: Any = tensor.numbers()
    if values is None or picture_of(tensor.shape) is not None or ROUND.search(called):
        return ""
    zero = HALF if tensor.dtype is DType.I8 else 0
    own = values.astype("i2") + zero
    other = (own + HALF) % WHOLE
    there = numpy.unique(own)
    steps = numpy.diff(there)
    if len(there) < DIFFERENT or there[0] > END or there[-1] < WHOLE - 1 - END or steps.max() < GAP:
        return ""
    low, clipped = float((own < HALF).mean()), float(numpy.isin(own, (0, WHOLE - 1)).mean())
    is_narrower = numpy.ptp(own) >= NARROWER * numpy.ptp(other)
    if not LEAST <= low <= 1 - LEAST or clipped > MOST_CLIPPED or not is_narrower:
        return ""
    at = int(steps.argmax())
    lows, highs = there[: at + 1] - zero, there[at + 1 :] - zero
    said = f"its elements are {lows[0]} to {lows[-1]} and {highs[0]} to {highs[-1]}, and never between: "
    if zero:
        return (
            f"{said}bytes around 128 ({other.min()} to {other.max()}) were sent as signed ones: is 128 to be "
            "taken away from each?"
        )
    return (
        f"{said}signed bytes ({other.min() - HALF} to {other.max() - HALF}) were sent as unsigned ones: is "
        "128 to be added to each, so that 0 is in the middle?"
    )
