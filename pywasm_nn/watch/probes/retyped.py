"""A number that follows the answer's bytes as elements of another type than theirs.

What is here: `retyped`. The bytes are made a few values of the other type, all alike. What is not: classes by
such elements (`classes.py`, `offsets.py`), and answers with many numbers (`misread.py`).
"""

from __future__ import annotations

from typing import Any

from ..spoken import Word
from .asked import Asked, Given
from .formulas import numbers

TITLES = {"<f4": "f32", "<f8": "f64", "<i4": "i32", "|u1": "u8", "<i2": "i16", "<f2": "f16"}
"""Types that answers are read as; shorter ones than theirs in place of themselves, or of their halves."""
SHARES, WHOLES = (0.1875, 0.4375, 0.8125), (41, 83, 117)
MOST_BYTES = 1 << 16
FACTORS = (1.0, 100.0)


def retyped(asked: Asked) -> str:
    """What is wrong with the type of elements; "" if nothing is known to be."""
    for index, output in asked.fetched():
        if not numbers(asked.control.text) or output.array.nbytes > MOST_BYTES:
            continue
        for kind, title in TITLES.items():
            are_whole = output.array.dtype.kind in "iu" and "f" not in kind  # their lower bytes are the same
            if kind == output.array.dtype.str or are_whole:
                continue
            if said := follows(asked, index, output, kind):
                own = TITLES.get(output.array.dtype.str, output.array.dtype.name)
                return (
                    f"{output.what}: a number that the guest writes follows the answer's bytes as if they "
                    f"were {title} ({said}); its elements are {own}: is the buffer declared as another type?"
                )
    return ""


def follows(asked: Asked, index: int, output: Given, kind: str) -> str:
    """Such a number, and what it stands for, if the bytes are read as another type; "" if none is."""
    import numpy

    values = SHARES if "f" in kind else WHOLES
    width = numpy.dtype(kind).itemsize
    if output.array.nbytes % width:
        return ""
    factors = FACTORS if "f" in kind else FACTORS[:1]
    said: list[list[Word]] = []
    for value in values:
        made: Any = numpy.full(output.array.nbytes // width, value, kind)
        text = asked.text(index, made.view(output.array.dtype).reshape(output.array.shape))
        said.append(numbers(text or ""))
        fits = any(bool(word.fits(factor * value)) for word in said[-1] for factor in factors)
        if not fits or len(said[-1]) != len(said[0]):
            return ""
    for words in zip(*said, strict=True):
        if len({word.text for word in words}) < len(values):
            continue
        for factor in factors:
            pairs = zip(words, values, strict=True)
            if all(bool(word.fits(factor * value)) for word, value in pairs):
                return f"{words[0].text} for {values[0]}"
    return ""
