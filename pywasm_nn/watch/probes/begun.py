"""A search for the largest element that begins with 0, of elements that are all below 0: what it begins with
stays the largest.

What is here: `begun_at_zero`, for one row of classes and for several rows. In copies the same elements are
given as they are, and all moved above 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...arrays import numpy
from ..regex import regex
from .asked import Asked, Given

VALUE = regex(r"-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?(?=\s*(?:%|per ?cent))|-?\d+\.\d+(?:[eE][-+]?\d+)?|-?\bnan\b")
"""How sure a class is, which may follow the answer where the class doesn't."""
FEWEST, MOST = 3, 1 << 17
LARGE, NEARLY = -1.0, -0.01
"""The least that is tried for the largest element below 0: powers of e of elements far below -1 are all 0. A
logarithm of a probability is so near to 0 that nobody takes the class for unsure."""
TOGETHER = 0.02
"""How far probabilities may be from 1 together."""


def begun_at_zero(asked: Asked) -> str:
    """Returns a hint if a guest says the same class for all elements below 0, and follows those above, or ""
    if it doesn't."""
    for index, output in asked.fetched():
        array = output.array
        if array.dtype.kind not in "fi" or not FEWEST <= array.size <= MOST:
            continue
        if not array.min() < array.max() <= 0:
            continue
        for axis in ends_of(array.shape):
            with numpy.errstate(all="ignore"):
                sums = numpy.exp(array.astype("f8")).sum(axis=axis)
            are_logs = array.dtype.kind == "f" and bool((abs(sums - 1) < TOGETHER).all())
            if array.shape[axis] >= FEWEST and says_one(asked, index, output, axis, are_logs=are_logs):
                return (
                    f"{output.what}: all its elements are negative, and the guest says the same whichever is "
                    "the largest; it doesn't of positive ones: does the search begin with 0 as the largest "
                    "(or with the smallest number above 0, FLT_MIN)?"
                )
    return ""


def ends_of(shape: Sequence[int]) -> list[int]:
    """The first and the last axis with more than one element: classes are along one of them."""
    axes = [axis for axis, length in enumerate(shape) if length > 1]
    return [*dict.fromkeys((axes[-1], axes[0]))]


def says_one(asked: Asked, index: int, output: Given, axis: int, *, are_logs: bool) -> bool:
    """Whether one class is said for all that are tried, and others if they are moved above 0: the first one
    for the first. Logarithms of probabilities are never above 0, so it is no matter what is said of them."""
    first, *others = dict.fromkeys((0, output.array.shape[axis] - 1, output.array.shape[axis] // 2))
    most = NEARLY if are_logs else LARGE
    own = {said(asked, index, output, axis, place, most=most) for place in (first, *others)}
    if len(own) > 1 or not all(own):
        return False
    moved = [said(asked, index, output, axis, place, above=True) for place in (first, *others)]
    return all(moved) and len({*moved}) == len(moved) and (are_logs or moved[0] in own)


def said(
    asked: Asked,
    index: int,
    output: Given,
    axis: int,
    place: int,
    *,
    above: bool = False,
    most: float = LARGE,
) -> str:
    """Returns what is written if this class is the largest of each row, without how sure it is. The largest
    is at least `most` if it isn't `above` 0."""
    array: Any = output.array
    low, high = array.min(), array.max()
    if array.dtype.kind == "i" and above:
        low, high = 1, numpy.iinfo(array.dtype).max // 2
    made = numpy.full(array.shape, low, array.dtype)
    made.swapaxes(0, axis)[place] = high
    if array.dtype.kind == "f":
        made += 1 - low if above else max(most - high, 0)
    return VALUE.sub("#", asked.text(index, made) or "")
