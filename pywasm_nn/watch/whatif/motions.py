"""Windows of an accelerometer's axes, alone or with a gyroscope's, as a guest would send them that made
another choice.

What is here: `window_among`, which finds such an input, and `of_axes`, its changes. What is not: asking about
them (`several.py`), which names a change only if files are named after other classes than the model chose.

Gravity says the unit: on average, what an accelerometer measures is 1 g, or 9.81 m/s2, whatever moves. So a
change of the unit is only tried if gravity then is as it should be, and no other number is.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import hypot
from typing import Any

from ...arrays import numpy
from ...nn.tensor import Tensor
from ..origin.turned import roughness

AXES, FEWEST_STEPS = (3, 6, 9), 16
SPACE = 3
"""Axes of a sensor."""
GRAVITY, MILLI = 9.80665, 1000.0
NEAR = 0.08
"""Gravity is so near to what it should be, on average over a window."""
POWERS = (*range(-4, 0), *range(1, 15))
"""A sensor's ranges (2, 4, 8, 16 g) differ by powers of two, and a whole number of 16 bits is 1 g or more."""
BALANCED = 1e-3
"""Axes from which their means were taken away have means of at most this part of their deviation."""
SMOOTHER = 0.7
"""Samples in the right order differ from the next ones by at most this part of what they do in the wrong
one."""
ORDERS = {
    "x and y": (1, 0, 2),
    "y and z": (0, 2, 1),
    "x and z": (2, 1, 0),
    "x, y and z for y, z and x": (2, 0, 1),
    "x, y and z for z, x and y": (1, 2, 0),
}
"""The place from which each axis is taken, by the words of the hint."""
TABLES_OF_POINTS = (".xyz", ".pts", ".asc", ".xyzn", ".xyzrgb")
POINTS = (".ply", ".pcd", ".off", ".obj", ".stl", ".las", *TABLES_OF_POINTS)
"""Endings of files of points in space, which have three axes and no gravity."""
EXCHANGED = "exchanged (axes"
ENLARGED = "in m/s2, times"
"""Larger numbers may get an answer by themselves."""


def window_among(inputs: Sequence[Tensor]) -> int | None:
    """Returns the index of the only input that is a window of axes, or None if there is none, or several."""
    found = [index for index, tensor in enumerate(inputs) if steps_and_axes(tensor.shape) is not None]
    return found[0] if len(found) == 1 else None


def steps_and_axes(shape: Sequence[int]) -> tuple[int, int, bool] | None:
    """Returns how many steps and axes there are, and whether a step's axes lie together, or None for other
    shapes."""
    lengths = [length for length in shape if length != 1]
    if len(lengths) != 2 or max(lengths) < FEWEST_STEPS:
        return None
    axes = min(lengths)
    return (max(lengths), axes, lengths[1] == axes) if axes in AXES else None


def is_told(said: str) -> bool:
    """Whether a window's elements speak for the change. Else another change may be right, too."""
    return EXCHANGED not in said and ", as in " not in said


def is_of_points(file: str) -> bool:
    """Whether a file of this name has points in space, and not what a sensor measured in time."""
    return file.lower().endswith(POINTS)


def of_axes(array: Any) -> Iterator[tuple[str, Any]]:
    """Changed copies of a window, each with what was changed, those first for which its elements speak."""
    known = steps_and_axes(array.shape)
    if known is None or array.dtype.kind != "f":
        return
    steps, axes, are_together = known

    def back(rows: Any) -> Any:
        return (rows if are_together else rows.T).reshape(array.shape)

    flat = array.astype("f8")
    rows = flat.reshape(steps, axes) if are_together else flat.reshape(axes, steps).T
    other = flat.reshape(axes, steps).T if are_together else flat.reshape(steps, axes)
    if roughness(other) < SMOOTHER * roughness(rows):
        sent = "axis after axis" if are_together else "step after step"
        yield f"in the other order (it was sent {sent}, the model wants {list(array.shape)})", back(other)
        return
    for said, made in (*with_gravity(rows), *in_units(rows), *exchanged(rows)):
        yield said, back(made)


def with_gravity(rows: Any) -> Iterator[tuple[str, Any]]:
    """Axes from which their means were taken away, with gravity."""
    means, deviations = rows[:, :SPACE].mean(axis=0), rows[:, :SPACE].std(axis=0)
    if not (abs(means) <= BALANCED * deviations).all():
        return
    for gravity in (1.0, GRAVITY):
        for place, axis in ((2, "z"), (1, "y"), (0, "x")):
            added = gravity * (numpy.arange(rows.shape[1]) == place)
            said = f"with gravity left in ({gravity:.3g} along {axis}; as sent each axis has a mean of 0)"
            yield said, rows + added


def in_units(rows: Any) -> Iterator[tuple[str, Any]]:
    """Axes in other units, in which gravity is 1 g or 9.81 m/s2."""
    size = hypot(*rows[:, :SPACE].mean(axis=0).tolist())
    sent = f"gravity is {size:.3g} as sent"

    def divided(by: float) -> Any:
        made = rows.copy()
        made[:, :SPACE] /= by
        return made

    if is_near(size, GRAVITY):
        yield f"in g, divided by 9.80665 ({sent}, as in m/s2)", divided(GRAVITY)
    elif is_near(size, 1):
        yield f"{ENLARGED} 9.80665 ({sent}, as in g)", divided(1 / GRAVITY)
    elif is_near(size, MILLI):
        yield f"in g, divided by 1000 ({sent}: it is in mg)", divided(MILLI)
    for power in POWERS:
        factor = 2.0**power
        way = f"divided by {factor:g}" if power > 0 else f"times {1 / factor:g}"
        if is_near(size, factor) or is_near(size, factor * GRAVITY):
            yield f"{way}, as for another range of the sensor ({sent})", divided(factor)


def is_near(size: float, wanted: float) -> bool:
    return abs(size / wanted - 1) <= NEAR


def exchanged(rows: Any) -> Iterator[tuple[str, Any]]:
    """Each sensor's axes in other orders."""
    sensors = range(0, rows.shape[1], SPACE)
    for said, order in ORDERS.items():
        yield (
            f"with {said} {EXCHANGED} of each step)",
            rows[:, [first + place for first in sensors for place in order]],
        )
