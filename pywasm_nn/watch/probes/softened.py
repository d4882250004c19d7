"""Shares of bytes that stand for logits: are these brought to their own scale before softmax?

What is here: `softened`. One element is some steps above all others, and what is written of it says how much
a step is worth. What is not: bytes that are written without softmax (`quantised.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from math import exp
from typing import Any

from ...arrays import numpy
from ..spoken import fit
from .asked import Asked, Given
from .formulas import numbers

FAR, NEAR = (255, 170, 85), (1, 2, 4)
"""How many steps one element is above the others: a step of 1/255 is seen in the first, one of 1 in the
others."""
WAYS = {
    FAR: {1 / 255: "divided by 255", 1 / 256: "divided by 256", 1 / 127: "divided by 127",
          1 / 128: "divided by 128"},
    NEAR: {1.0: "taken as they are"},
}  # fmt: skip
OTHER = 0.05
"""How far a step is from the model's scale, if it is another one."""


def softened(asked: Asked, index: int, output: Given, scale: float) -> str:
    """Returns what is wrong with the shares that are written of bytes, or "" if nothing is."""
    if output.array.size < 2 or len(output.lengths) != 1:
        return ""
    for steps, ways in WAYS.items():
        said = [numbers(one) for one in (asked.text(index, above(output, step)) for step in steps) if one]
        if len(said) < len(steps) or len({*map(len, said)}) > 1:
            return ""
        for words in zip(*said, strict=True):
            if len({word.text for word in words}) < len(words):
                continue
            if fits(words, steps, scale, output.array.size):
                return ""
            for by, how in ways.items():
                if abs(by - scale) > OTHER * scale and fits(words, steps, by, output.array.size):
                    above_all = f"{steps[0]} step{'s' * (steps[0] > 1)} above all others"
                    return (
                        f"the guest writes {words[0].text} for an element that is {above_all}, which is "
                        f"softmax of the bytes {how}; by the model a step is {scale:.4g}: are they to be "
                        "multiplied by that before softmax?"
                    )
    return ""


def above(output: Given, step: int) -> Any:
    """Elements of which one is so many steps above the others, which are as small as can be."""
    least = int(numpy.iinfo(output.array.dtype).min)
    made = numpy.full(output.array.shape, least, output.array.dtype)
    made.reshape(-1)[output.array.size // 2] = least + step
    return made


def fits(words: Sequence[Any], steps: Sequence[int], by: float, count: int) -> bool:
    """Whether words are the largest shares of so many classes, as they are or in percent."""
    shares = [1 / (1 + (count - 1) * exp(-by * step)) for step in steps]
    return any(fit(words, shares, percent) for percent in (1.0, 100.0))
