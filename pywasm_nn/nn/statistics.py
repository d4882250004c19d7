"""A summary of many numbers: mean, spread, extremes, the largest elements.

What is here: functions from numpy arrays to frozen numbers. What is not: access to tensors
(`tensor.Tensor.numbers`), and conclusions about mistakes (`watch.hints`).
"""

from __future__ import annotations

from math import inf, isnan, sqrt
from typing import Any

from ..arrays import numpy
from ..records import Frozen

TOP = 3
"""The number of largest elements to return."""
EXACT = 1 << 12
"""For a tensor with more elements, mean and spread come from about so many, evenly spaced."""
STRIDES = (1, 5, 7)
"""The step of that sample is one of these modulo 12, so that the sample visits all channels of a picture."""


class Statistics(Frozen):
    """Statistics of `elements` numbers. `not_finite` of them are infinite or NaN; mean, std and extremes are
    those of the others, None if there are no others.

    `whole` says whether all are whole numbers. In a large tensor mean, std and whole come from every n-th
    element.
    """

    elements: int
    mean: float | None = None
    std: float | None = None
    minimum: float | None = None
    maximum: float | None = None
    not_finite: int = 0
    whole: bool = False

    def __str__(self) -> str:
        """ "mean 0.41 std 0.27 min -2.1 max 2.6", and the number of elements that aren't finite."""
        found = {"mean": self.mean, "std": self.std, "min": self.minimum, "max": self.maximum}
        told = [f"{name} {brief(value)}" for name, value in found.items() if value is not None]
        if self.not_finite:
            told.append(f"{self.not_finite} of {self.elements} not finite")
        return " ".join(told)


def brief(value: float) -> str:
    return f"{value:.3g}"


def distances(one: Any, other: Any) -> Any:
    """How far apart the elements of two flat arrays are, as f64: 0 where they are equal or both NaN, NaN
    where only one of them is."""
    one, other = one.astype("f8"), other.astype("f8")
    alike = (one == other) | (numpy.isnan(one) & numpy.isnan(other))
    with numpy.errstate(invalid="ignore", over="ignore"):
        return numpy.where(alike, 0.0, numpy.abs(one - other))


def sampled(values: Any) -> Any:
    """All elements, or a sample if there are many."""
    step = -(-len(values) // EXACT)
    while step > 1 and step % 12 not in STRIDES:
        step += 1
    return values[::step]


def statistics(values: Any) -> Statistics:
    """Statistics of a flat numpy array of at least one number."""
    count, lost = len(values), 0
    # Reduced without the arrays' methods, which are three calls of Python's for one.
    minimum, maximum, add = numpy.minimum, numpy.maximum, numpy.add
    low, high = float(minimum.reduce(values)), float(maximum.reduce(values))  # NaN if any element is NaN
    if not (-inf < low and high < inf):
        values = values[numpy.isfinite(values)]
        lost = count - len(values)
        if not len(values):
            return Statistics(count, not_finite=lost)
        low, high = float(minimum.reduce(values)), float(maximum.reduce(values))
    sample = sampled(values).astype("f8")
    mean = float(add.reduce(sample)) / len(sample)
    # Most pictures with fractions are recognised by the extremes, without the whole sample.
    whole = low.is_integer() and high.is_integer() and bool((sample % 1 == 0).all())
    sample -= mean
    sample *= sample
    return Statistics(count, mean, sqrt(float(add.reduce(sample)) / len(sample)), low, high, lost, whole)


def largest(values: Any) -> tuple[tuple[int, float], ...]:
    """Positions and values of the largest elements: in descending order, the first of equal ones first, NaN
    last; all elements if there are few."""
    ranked = values.copy() if values.dtype.kind == "f" else values.astype("f8")
    found: list[tuple[int, float]] = []
    for _ in range(min(TOP, len(ranked))):
        place = int(ranked.argmax())
        if isnan(float(ranked[place])):
            ranked[ranked != ranked] = -inf
            place = int(ranked.argmax())
        if found and ranked[place] == -inf:  # only elements that are NaN or -inf are left
            taken = {place for place, _ in found}
            place = next(place for place in range(len(ranked)) if place not in taken)
        found.append((place, float(values[place])))
        ranked[place] = -inf
    return tuple(found)
