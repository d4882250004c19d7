"""A number that follows the answer's bytes as elements of another type than theirs.

What is here: `retyped`; `unlike`, which asks the same before the other rules if all that is written is 0 or
huge; and `as_bytes`, for shares of which bytes are compared with a level. The bytes are made a few values of
the other type, all alike, the last of which may be cut off where the answer ends; an answer that is shorter
than one of them is made as long, as a guest has room for what it reads. What is not: classes by
such elements (`classes.py`, `offsets.py`), and answers with many numbers (`written/misread.py`).
"""

from __future__ import annotations

from typing import Any

from ...arrays import numpy
from ..spoken import Word, fit
from .asked import Asked, Given
from .formulas import numbers

TITLES = {
    "<f4": "f32", "<f8": "f64", "<i4": "i32", "|u1": "u8", "|i1": "i8", "<i2": "i16", "<f2": "f16",
    "<i8": "i64",
}  # fmt: skip
"""Types that answers are read as; shorter ones than theirs in place of themselves, or of their halves."""
SHARES, WHOLES, BELOW = (0.1875, 0.4375, 0.8125), (41, 83, 117), (-41, -83, -117)
OF_BYTES = {2: 0x0101, 4: 0x01010101, 8: 0x0101010101010101}
"""Wholes of which all bytes are alike, so that shorter elements can't be taken for them, by their bytes."""
MOST_BYTES, FEW, HUGE = 1 << 16, 64, 1e6
FACTORS = (1.0, 100.0)
LOW, HIGH, HIGHER = 0x3F, 0xBF, 0xC1
"""A byte below the middle, and two above. Floats that are made of one of them alone are 0.747, -1.498 and
-24.2."""
MIXED = bytes((HIGH, HIGH, HIGH, LOW - 1))
"""The bytes of 0.374, of which most are above the middle."""


def retyped(asked: Asked) -> str:
    """Returns what is wrong with the type of elements, or "" if nothing is."""
    for index, output in asked.fetched():
        if not numbers(asked.control.text) or output.array.nbytes > MOST_BYTES:
            continue
        for kind, title in TITLES.items():
            values = tried(kind, output.array.dtype)
            if values and (said := follows(asked, index, output, kind, values)):
                own = TITLES.get(output.array.dtype.str, output.array.dtype.name)
                return (
                    f"{output.what}: the guest reads the answer's bytes as {title} (from an answer made up "
                    f"of {said}); its elements are {own}: is the buffer declared as another type?"
                )
    return ""


def unlike(asked: Asked) -> str:
    """The same, if numbers are written, and all with a point are 0 or huge, which the answer isn't."""
    words = [word for word in numbers(asked.control.text) if not word.is_whole]
    known = [one.array.reshape(-1).astype("f8") for _, one in asked.fetched()]
    if not words or sum(one.size for one in known) > FEW or any(0 < abs(word.value) < HUGE for word in words):
        return ""
    is_in = any(bool(word.fits(by * one).any()) for word in words for one in known for by in FACTORS)
    return "" if is_in else retyped(asked)


def as_bytes(asked: Asked) -> str:
    """Returns a hint about a level that the bytes of shares pass, or "" if there is none: then 0.747 counts
    as little as 0, and numbers below 0 count."""
    for index, output in asked.fetched():
        array = output.array
        is_share = array.dtype.str == "<f4" and 0 <= array.min() < array.max() <= 1
        if not is_share or array.size < FEW:
            continue

        def says(*octets: int, index: int = index, array: Any = array) -> str | None:
            made = numpy.frombuffer(bytes(octets) * (array.nbytes // len(octets)), array.dtype)
            return asked.text(index, made.reshape(array.shape))

        nothing = says(0)
        if nothing is None or says(LOW) != nothing:
            continue
        if says(HIGH) == says(HIGHER) not in (None, nothing) and says(*MIXED) != nothing:
            return (
                f"{output.what}: its elements are f32 from 0 to 1; the guest writes the same if all are "
                f"0.747 or 0, and another thing if all their bytes are {HIGH} or {HIGHER}, which are numbers "
                "below 0: are bytes of the answer compared with a level of pixels, such as 127?"
            )
    return ""


def tried(kind: str, own: Any) -> tuple[float, ...]:
    """Returns the values that elements are made as another type than their own, or () if the two are read
    alike."""
    other = numpy.dtype(kind)
    if other == own:
        return ()
    if other.kind == "f":
        return SHARES
    if own.kind == "f":
        return WHOLES
    if other.itemsize == own.itemsize:  # only the sign is read otherwise
        return BELOW if other.kind == "i" else tuple(one + 256.0 for one in BELOW if own.itemsize == 1)
    if other.itemsize < own.itemsize:  # the lower bytes of a small number are the same
        return ()
    return tuple(float(one * OF_BYTES[other.itemsize]) for one in WHOLES if other.itemsize < 8)


def follows(asked: Asked, index: int, output: Given, kind: str, values: tuple[float, ...]) -> str:
    """Returns a hint about elements that the guest was given as another type, and what it made of them, if it
    reads such, or "" if it doesn't."""
    width = numpy.dtype(kind).itemsize
    size = max(width, output.array.nbytes)
    factors = FACTORS if "f" in kind else FACTORS[:1]
    said: list[list[Word]] = []
    for value in values:
        made: Any = numpy.full(-(-size // width), value, kind).view("u1")[:size]
        is_longer = size > output.array.nbytes
        own = made[None] if is_longer else made.view(output.array.dtype).reshape(output.array.shape)
        text = asked.text(index, own)
        said.append(numbers(text or ""))
        fits = any(bool(word.fits(factor * value)) for word in said[-1] for factor in factors)
        if not fits or len(said[-1]) != len(said[0]):
            return ""
    for words in zip(*said, strict=True):
        if len({word.text for word in words}) < len(values):
            continue
        for factor in factors:
            if fit(words, values, factor):
                return f"{values[0]:.12g} in {TITLES[kind]} it makes {words[0].text}"
    return ""
