"""Pictures in which paper has the largest elements, though the input is named after ink.

What is here: `paper_for_ink`. What is not: models that say by their answers which of both they want
(`whatif/paper.py`).
"""

from __future__ import annotations

import re
from math import isqrt, prod
from typing import Any

from ...arrays import numpy
from ...nn.tensor import Tensor
from ..facts import picture_of
from ..origin import Origin
from ..origin.ranges import SWAPPED
from ..regex import regex

NAMED = regex(r"(?<![a-z])(ink|inked|inkness|strokes?|darkness|blackness)(?![a-z])", re.IGNORECASE)
"""Names of inputs that are largest where something was drawn."""
LEAST, MOST = 8, 1 << 22
"""The shorter side of a picture, and elements."""
BRIGHT, SHADE, DARK = 0.7, 0.3, 0.5
"""How far up in the picture's range paper is at least, what is around it in a picture that was read, and ink
at most."""
HALF = 0.45
"""The part that paper is of such a picture."""
PAPER, INK = 0.8, (0.005, 0.45)
"""The part of the border that is paper, and the part of the picture that is ink."""


def paper_for_ink(tensor: Tensor, called: str, found: Origin | None) -> str:
    """Returns what is wrong with a picture of dark ink on bright paper for an input that is named after ink,
    or "" if nothing is known to be wrong. `called` is the input's name, and `found` says how it came from a
    file, if that is known."""
    named, size = NAMED.search(called), size_of(tensor)
    if named is None or min(size) < LEAST or tensor.size > MOST:
        return ""
    numbers: Any = tensor.numbers()
    if numbers is None:
        return ""
    shown = numbers.reshape(-1, *size).astype("f8")
    low, high = float(shown.min()), float(shown.max())
    if not -float("inf") < low < high < float("inf"):
        return ""
    level = (shown - low) / (high - low)
    edges = [level[:, 0], level[:, -1], level[:, 1:-1, 0], level[:, 1:-1, -1]]
    border = numpy.concatenate([one.reshape(-1) for one in edges])
    is_as_read = found is not None and SWAPPED not in found.steps and (level >= BRIGHT).mean() >= HALF
    ground, dark = (SHADE, SHADE) if is_as_read else (BRIGHT, DARK)
    if (border >= ground).mean() < PAPER or not INK[0] <= (level <= dark).mean() <= INK[1]:
        return ""
    return (
        f"it is named after {named[0].lower()}, and its bright ground has the largest elements (up to "
        f"{high:.3g}), what is drawn on it the smallest ({low:.3g}): are black and white to be swapped?"
    )


def size_of(tensor: Tensor) -> tuple[int, int]:
    """The rows and columns of grey pictures, also of one whose elements lie in one row; (0, 0) for others."""
    picture = picture_of(tensor.shape)
    if picture is not None:
        return (picture.height, picture.width) if picture.channels == 1 else (0, 0)
    count = prod(tensor.shape)
    side = isqrt(count)
    is_row = side * side == count and count in tensor.shape
    return (side, side) if is_row else (0, 0)
