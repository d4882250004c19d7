"""The axes of an accelerometer in another order, where windows of several motions show it together.

What is here: `orders_of`, which orders there are to ask about. What is not: asking (`sensors.py`), and
windows of files that are named after a class (`motions.py`).

Gravity alone says nothing: a sensor may be worn in any way. But it lies along one axis in all windows, which
a model that learned another order doubts; in one order alone the model then tells all motions apart, and
hardly doubts any.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ...arrays import numpy
from .motions import ORDERS, SPACE

ALONG = 0.8
"""The least part of gravity that lies along one axis, in each window."""
AXES = "xyz"


def orders_of(rows: Sequence[Any]) -> Iterator[tuple[str, str, list[int]]]:
    """Yields the words for each order, where gravity lies as sent, and the columns that make it."""
    axis = axis_of_gravity(rows)
    if axis is None:
        return
    sensors = range(0, rows[0].shape[1], SPACE)
    for said, order in ORDERS.items():
        yield (
            f"with {said} exchanged",
            f"gravity lies along {AXES[axis]} in all of them",
            [first + place for first in sensors for place in order],
        )


def axis_of_gravity(rows: Sequence[Any]) -> int | None:
    """Returns the axis along which gravity lies in all windows, or None if there is none."""
    means = [one[:, :SPACE].mean(axis=0) for one in rows]
    axes = {int(abs(one).argmax()) for one in means}
    along = min(abs(one).max() / max(float(numpy.linalg.norm(one)), 1e-9) for one in means)
    return axes.pop() if len(axes) == 1 and along >= ALONG else None
