"""Files that are no text, but were decoded as one: the elements that were sent are the bytes of that text, or
the numbers of its characters.

What is here: `through_text`. What is not: the bytes of a file as they are (`bytewise.py`), and characters of
texts (`characters.py`).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...arrays import numpy

FEWEST, FEWEST_VALUES = 24, 8
"""Fewer elements, or different ones among them, are in many files by chance."""
HIGH, NO_BYTE = 0x80, 256
"""The first number of what is no ASCII, and the one after those of bytes, which stands for padding."""
FEWEST_LOST, EACH = 12, 4
"""Elements of 128 and more that came of what is no text, and each of how many is one at least: a text in an
older code has few such letters."""
LONGEST = 4
"""Bytes of a character."""
AS_TEXT = {
    "each byte that is no letter of UTF-8 became the three of U+FFFD (EF BF BD)": ("utf-8", "replace"),
    "each byte from 128 on became a letter, which has two bytes": ("latin-1", "strict"),
}
"""For each sentence on what becomes of bytes that are decoded as a text, the code, and how its decoder treats
bytes that are no letters."""
CHARACTERS = "the numbers of its characters were sent, up to {most:,}, where a byte is 0 to 255"
LOWER = "the lowest bytes of its characters' numbers were sent (253 for each U+FFFD)"
LOWEST, REPLACED = 0xFF, 0xFFFD
"""The lowest byte, and the character that stands for what is none."""
PAIRS = 0x10000
"""Characters from this one on are two units of UTF-16."""


def through_text(data: bytes, whole: Any) -> str:
    """Returns what is wrong with elements that are those of a text that a file was made, which is none,
    or "" if they are anything else."""
    begun = data[: LONGEST * whole.size]
    if not len(begun) or not (b"\0" in data or is_no_text(begun)):
        return ""
    own = alike(whole, numpy.frombuffer(begun, "u1"))
    if b"\0" in data and whole.max() <= NO_BYTE:
        for wrong, (code, errors) in AS_TEXT.items():
            made = numpy.frombuffer(begun[: whole.size].decode(code, errors).encode(), "u1")
            if is_lost(whole, made, own):
                return said(wrong)
    for made in characters(begun, whole):
        if is_lost(whole, made, own) and made[: alike(whole, made)].max() > NO_BYTE:
            return said(CHARACTERS.format(most=int(whole.max())))
        if is_lost(whole, made & LOWEST, own):
            return said(LOWER)
    return ""


def said(wrong: str) -> str:
    return f"the file is no text, but was decoded as one, and {wrong}: read it as bytes"


def is_no_text(begun: bytes) -> bool:
    """Whether bytes are no UTF-8, but for what is cut off at their end."""
    try:
        begun.decode()
    except UnicodeDecodeError as error:
        return error.start < len(begun) - LONGEST
    return False


def is_lost(whole: Any, made: Any, own: int) -> bool:
    """Whether elements begin with these numbers, more of which than of the file's `own` bytes, and many of
    them are no ASCII."""
    count = alike(whole, made)
    lost = int((made[:count] >= HIGH).sum())
    if count < max(FEWEST, own + 1) or lost < FEWEST_LOST:
        return False
    return lost * EACH >= count and len({*whole[:count].tolist()}) >= FEWEST_VALUES


def characters(begun: bytes, whole: Any) -> Iterator[Any]:
    """The numbers of characters, and of units of UTF-16, as decoders make them that look at each byte, and as
    one does that doesn't. A text in an older code may be decoded rightly by its own."""
    text = begun.decode("utf-8", "replace")
    points = numpy.array([*map(ord, text)], "i8")
    yield points
    yield numpy.frombuffer(text.encode("utf-16-le"), "<u2").astype("i8")
    yield numpy.array([*unlooked(begun)], "i8")
    plain = plain_ones(begun, whole)
    if (plain == REPLACED).sum() >= FEWEST_LOST:
        yield plain


def unlooked(begun: bytes) -> Iterator[int]:
    """The units of UTF-16 of a decoder that takes the bytes behind a first one as they come, as that of
    AssemblyScript does."""
    at, end = 0, len(begun) - LONGEST + 1
    while at < end:
        first = begun[at]
        size = 1 if first < HIGH else 2 if first & 0xE0 == 0xC0 else 3 if first & 0xF0 == 0xE0 else 4
        number = first & (0xFF, 0x1F, 0x0F, 0x07)[size - 1]
        for one in begun[at + 1 : at + size]:
            number = number << 6 | one & 0x3F
        at += size
        if number < PAIRS:
            yield number
        else:
            yield 0xD800 | number - PAIRS >> 10
            yield 0xDC00 | number & 0x3FF


def plain_ones(begun: bytes, whole: Any) -> Any:
    """The elements themselves, as far as their ASCII is that of a file, in its order: decoders replace more
    bytes or fewer by one character."""
    body = numpy.frombuffer(begun, "u1")
    places = numpy.flatnonzero(whole < HIGH)
    count = alike(whole[places], body[body < HIGH])
    if count < FEWEST:
        return whole[:0]
    return whole[: int(places[count - 1]) + 1]


def alike(one: Any, other: Any) -> int:
    """Counts the elements that are equal from the first one on."""
    count = min(len(one), len(other))
    differ = (one[:count] != other[:count]).nonzero()[0]
    return int(differ[0]) if len(differ) else count
