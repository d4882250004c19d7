"""Accelerations in m/s2 that were sent to an input which is named as one in g.

What is here: `in_metres`, for windows in which hardly anything but gravity is felt. What is not: inputs whose
names say no unit, about which the model is asked (`whatif/sensors.py`), and the other way round: 1 m/s2 is as
well how a train brakes.
"""

from __future__ import annotations

from ...arrays import numpy
from ...nn.tensor import Tensor
from ..regex import regex
from ..units import ALSO, unit_in

UNIT, GRAVITY = "g", ALSO["g"][1]
"""The unit that the name says, and how many m/s2 it is, which are also what gravity is."""
NAMED = regex(r"acc(?:el\w*)?[xyz]?")
"""A word of the name says that it is an acceleration."""
SPACE, FEWEST = 3, 16
"""Axes, and the fewest elements of a window."""
NEAR, CALM = 0.08, 0.2
"""How far a window may be from gravity on average, and how much it may vary, as parts of that."""


def in_metres(tensor: Tensor, called: str) -> str:
    """Returns what is wrong with a window of accelerations by the name of its input, or "" if nothing is."""
    before, unit = unit_in(called)
    if unit != UNIT or not any(map(NAMED.fullmatch, before.split("_"))):
        return ""
    numbers = tensor.numbers()
    if numbers is None or numbers.dtype.kind != "f" or numbers.size < FEWEST:
        return ""
    array = numbers.reshape([one for one in tensor.shape if one != 1]).astype("f8")
    axis = next((at for at, length in enumerate(array.shape) if length == SPACE), None)
    sizes = abs(array) if axis is None else numpy.sqrt((array**2).sum(axis=axis))
    mean = float(sizes.mean())
    if abs(mean / GRAVITY - 1) > NEAR or sizes.std() > CALM * mean:
        return ""
    return (
        f"by its name it is in g, and gravity is {mean:.3g} in its elements, as in m/s2: are they to be "
        f"divided by {GRAVITY}?"
    )
