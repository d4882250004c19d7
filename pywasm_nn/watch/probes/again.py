"""Softmax of elements that are shares already: of bytes that stand for shares, and of so many classes that
the numbers that are written of shares have no digits left.

What is here: `of_bytes` and `of_many`. Answers are given whose softmax is well known. What is not: numbers
that show it for shares themselves (`shares.py`), and bytes that stand for logits (`softened.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from math import exp, log
from typing import Any

from ...arrays import numpy
from ..spoken import Word
from .asked import Asked, Given
from .formulas import numbers

TOPS = (251, 202, 143, 92)
"""Steps of one element above all others, which have none."""
BESIDE = (-1.2, 0.4, 1.3)
"""Elements about which softmax is between 0.2 and 0.8, beside the logarithm of the number of the others."""
SHARES = (0.92, 0.71, 0.55)
STEPS = 0.9 / 256, 1.1 / 255
"""A step of bytes that stand for shares."""
TOGETHER = 0.6, 1.05
"""The least and the greatest sum of shares, many of which were rounded to 0."""
FEWEST = 3
ROUNDED = 0.1
"""Shares are written at least so exactly."""


def of_bytes(asked: Asked, index: int, output: Given) -> str:
    """Returns a hint about softmax of bytes that stand for shares, or "" if they don't, or another number is
    written of them."""
    least = lowest(output)
    if least is None or not numbers(asked.control.text):
        return ""
    count, step = output.array.size, output.affine[0] if output.affine else 1 / 255
    if place_of_all(asked, index, output, TOPS, least, [one * step for one in TOPS], 2 * step) is not None:
        return ""
    near = sorted({max(1, round(log(count - 1)) + more) for more in (0, 1, 2)})
    for steps, by, how in ((TOPS, step, ""), (TOPS, 1 / 255, ""), (near, 1.0, " as they are")):
        wanted = [largest(one * by, count) for one in steps]
        words = place_of_all(asked, index, output, steps, least, wanted)
        if words is not None:
            return (
                f"its bytes stand for probabilities already (times {step:.4g}), and the number that is said "
                f"is the softmax of the bytes{how} (softmax applied twice): {words[0].text} for a "
                f"probability of {steps[0] * step:.3g}"
            )
    return ""


def lowest(output: Given) -> int | None:
    """Returns the byte that stands for 0, if bytes stand for shares that are 1 together, or None if they
    don't."""
    kind = output.array.dtype
    if kind.kind not in "iu" or kind.itemsize != 1 or output.array.size < FEWEST:
        return None
    scale, zero = output.affine or (1 / 255, 0.0)
    total = scale * float((output.array.astype("f8") - zero).sum())
    is_share = STEPS[0] <= scale <= STEPS[1] and zero == numpy.iinfo(kind).min
    return int(zero) if is_share and TOGETHER[0] <= total <= TOGETHER[1] else None


def place_of_all(
    asked: Asked,
    index: int,
    output: Given,
    steps: Sequence[float],
    least: float,
    wanted: Sequence[float],
    room: float = 0.0,
) -> list[Word] | None:
    """Returns the numbers at one place of what is written that are the wanted ones, as they are or in
    percent, if one element is so many steps above all others, or None if there are none."""
    said = []
    for step in steps:
        made: Any = numpy.full(output.array.shape, least, output.array.dtype)
        made.reshape(-1)[output.array.size // 2] = least + step
        said.append(numbers(asked.text(index, made) or ""))
    if not all(said) or len({*map(len, said)}) > 1:
        return None
    for words in zip(*said, strict=True):
        for factor in (1.0, 100.0):
            pairs = zip(words, wanted, strict=True)
            near = all(
                bool(word.fits(factor * one)) or abs(word.value - factor * one) < room * factor
                for word, one in pairs
            )
            is_share = all(word.unit <= ROUNDED * factor for word in words)  # and not the number of a class
            if near and is_share and len({word.text for word in words}) > 1:
                return [*words]
    return None


def largest(above: float, count: int) -> float:
    """The largest share by softmax of so many elements, of which one is so far above the others."""
    return 1 / (1 + (count - 1) * exp(-above))


def of_many(asked: Asked, index: int, output: Given) -> str:
    """Returns a hint about softmax of shares, if what is written has too few digits to show it for shares, or
    "" if it isn't so."""
    count = output.array.size
    if place_of_all(asked, index, output, SHARES, 0.0, SHARES) is not None:
        return ""
    above = [log(count - 1) + more for more in BESIDE]
    words = place_of_all(asked, index, output, above, 0.0, [largest(one, count) for one in above])
    if words is None:
        return ""
    return (
        "its elements are probabilities already, and the number that is said is their softmax (softmax "
        f"applied twice), which makes {largest(1.0, count):.2g} at most of any of {count}"
    )
