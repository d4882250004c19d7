"""Answers that a guest brings to another scale than the model's: with another zero point, or by a sigmoid
where the classes exclude each other; and the smallest elements in place of the largest.

What is here: rules, each a function of a `Round` that returns a sentence or "". What is not: elements that
are read as another type, or twice scaled (`misread.py`), and taken from the wrong places (`misplaced.py`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from ...arrays import numpy
from ..origin.comparing import sigmoid, softmax
from ..regex import regex
from ..subjects import CLASS_WORDS
from .misread import MOST_ROWS, Fetched, Round, are_shares, fits, told

FEWEST = 5
"""Classes."""
LISTED = 3
HIGHEST = 60.0
"""Logits are smaller."""
OPEN, OFTEN = 0.5, 0.25
"""A sigmoid above OPEN says yes; not so many classes can hold at once."""
ALL = (1.0, 100.0)
"""What a share near to all is written as, and many other things."""
HALF = 128
OF_CLASSES = regex(rf"\b(?:{CLASS_WORDS})(?:e?s)?\b", re.IGNORECASE)
"""A text with one of these words is about what a model chooses."""
LEAST = regex(
    r"\b(?:low|least|small|min(?:imal|imum)?\b|cheap|cold|weak|bottom|worst|unlike|rare|exclu|ruled? out)",
    re.IGNORECASE,
)
"""A guest with one of these words looks for the smallest elements."""


def affine_of(output: Fetched) -> tuple[Any, float, float] | None:
    """Returns the whole numbers of a quantised output, its scale and zero point, or None if it isn't
    quantised."""
    if numpy.dtype(output.dtype or "<f4").kind not in "iu":
        return None
    raw = numpy.frombuffer(output.data, output.dtype).astype("f8")
    numbers = output.flat
    if raw.size != numbers.size or raw.max() == raw.min() or (raw == numbers).all():
        return None
    high, low = int(raw.argmax()), int(raw.argmin())
    scale = float((numbers[high] - numbers[low]) / (raw[high] - raw[low]))
    return (raw, scale, round(float(raw[high] - numbers[high] / scale), 3)) if scale else None


def other_zero(of: Round) -> str:
    """The largest element by the model's scale and another zero point, or with its bytes' other sign."""
    words = [word for word in of.text.words if told(word)]
    for output in of.outputs:
        right = (output.flat, softmax(output.rows), sigmoid(output.flat))
        known = affine_of(output)
        if known is None or any(bool(fits(word, one).any()) for word in words for one in right):
            continue
        if len(words) > output.flat.size + LISTED:
            continue  # of so many some is near anything
        raw, scale, zero = known
        best = int(raw.argmax())
        ways = {
            f"the zero point {other}": raw[best] - other for other in sorted({0, HALF, -HALF, -zero} - {zero})
        }
        if len(output.data) == raw.size:
            kind = "|u1" if numpy.dtype(output.dtype).kind == "i" else "|i1"
            ways[f"the bytes as {kind[1]}8"] = float(numpy.frombuffer(output.data, kind)[best]) - zero
        for said, value in ways.items():
            word = next((word for word in words if bool(fits(word, scale * value))), None)
            if word is not None:
                return (
                    f"{output.what}: the guest says {word.text}, which is the largest element, {best}, by "
                    f"{said} and the scale {scale:.4g}; the model's zero point is {zero:g}, by which it is "
                    f"{output.flat[best]:.4g}"
                )
    return ""


def many_hold(of: Round) -> str:
    """The sigmoid of the largest logit, where it would hold of many classes: those exclude each other."""
    words = [word for word in of.text.words if not word.is_whole]
    alone = len(words) == 1 and told(words[0])  # of several labels, and of several rows, several are said
    for output in of.outputs if alone and words[0].value not in ALL else ():
        for row in output.rows if len(output.rows) <= MOST_ROWS and abs(output.flat).max() < HIGHEST else ():
            shares = sigmoid(row)
            often = int((shares > OPEN).sum())
            best = int(row.argmax())
            if len(row) < FEWEST or row.min() >= 0 or row.max() <= 1 or often < max(LISTED, OFTEN * len(row)):
                continue
            said = [word for word in words if bool(fits(word, float(shares[best])))]
            meant = float(softmax(row)[best])
            other = [float(row[best]), *softmax(output.rows).max(axis=-1).tolist()]  # of any row
            if meant < OPEN:
                continue  # several of the largest are alike, as of labels that hold together
            if len(said) == 1 and not any(bool(fits(word, one)) for word in words for one in other):
                return (
                    f"{output.what}: the guest says {said[0].text} of element {best}, which is its sigmoid; "
                    f"by that {often} of {len(row)} classes would hold at once: softmax gives {meant:.4g}"
                )
    return ""


def smallest(of: Round) -> str:
    """Returns a hint if a guest says several indices with their values, and these are the smallest elements;
    or "". Of distances, errors and the like it means the smallest: such elements aren't negative, and not 1
    together. Somebody may also want the coldest hours of a forecast: those elements are no shares, and
    nothing is said of classes."""
    for output in of.outputs:
        rows = output.rows
        if rows.min() >= 0 and not are_shares(rows[0]):
            continue
        if rows.shape[0] != 1 or rows.shape[1] < 2 * LISTED or LEAST.search(of.text):
            continue
        flat = output.flat
        if not are_shares(flat) and not OF_CLASSES.search(of.text):
            continue
        listed = list(dict.fromkeys(indices(of, flat)))
        if len(listed) < LISTED or int(flat.argmax()) in of.text.wholes or 2 * len(listed) > len(flat):
            continue
        if flat[listed].max() <= sorted(flat)[len(listed) - 1]:
            return (
                f"{output.what}: the guest lists elements {', '.join(map(str, listed[:5]))}, which are the "
                f"smallest; the largest is {flat.argmax()} ({flat.max():.4g}): are they sorted the wrong way?"
            )
    return ""


def indices(of: Round, flat: Any) -> Iterator[int]:
    """Indices that stand in a line with their values."""
    shares = softmax(flat)
    for line in of.text.lines:
        for one in line:
            index = int(one.value) if one.is_whole else -1
            if 0 <= index < len(flat) and any(
                bool(fits(word, flat[index])) or bool(fits(word, shares[index]))
                for word in line
                if not word.is_whole
            ):
                yield index


RULES = (other_zero, many_hold, smallest)


def misscaled(of: Round) -> str:
    """Returns what is wrong with the scale or the order of what a guest says, or "" if nothing is."""
    return next(filter(None, (rule(of) for rule in RULES)), "")
