"""The class of an answer whose elements are read as others of another width.

What is here: `of_another_width`: one element of the other width is made large, and all else is 0. What is
not: elements that are read with another sign (`classes.py`), and the numbers that are written of them
(`retyped.py`).
"""

from __future__ import annotations

from functools import partial
from typing import Any

from ...arrays import numpy
from .asked import Asked, Given

FEWEST, FEWEST_OTHERS = 6, 2
LARGE = b"\x7f\x3f"
"""The last bytes of an element that is large as a number of each type."""
TITLES = {
    8: "elements of 8 bytes (f64 or i64)",
    4: "elements of 4 bytes (f32 or i32)",
    2: "elements of 2 bytes (f16 or i16)",
    1: "bytes",
}


def of_another_width(asked: Asked, index: int, output: Given) -> str:
    """Returns a hint about elements that are read in another width than their own, or "" if the class follows
    them as they are, or nothing that is known."""
    size = output.array.dtype.itemsize
    if output.array.size < FEWEST and output.array.nbytes < FEWEST_OTHERS * max(TITLES):
        return ""
    for width, title in TITLES.items():
        count = output.array.nbytes // width
        if width == size or count < FEWEST_OTHERS:
            continue
        places = (1, 2, min(count, output.array.size) - 1) if count > FEWEST_OTHERS else (0, 1)
        if follows_its_own(asked, index, output):
            return ""
        others = (*places[1:], places[0])
        if all(map(partial(follows, asked, index, output, width), places, others)):
            own = output.array.dtype
            return (
                f"{output.what}: the class that the guest says follows the elements as if they were {title}; "
                f"they are {OWN.get(own.str, own.name)}, of {size} byte{'s' * (size > 1)}"
            )
    return ""


OWN = {"<f4": "f32", "<f8": "f64", "<f2": "f16", "|u1": "u8", "|i1": "i8", "<i8": "i64", "<i4": "i32"}


def follows_its_own(asked: Asked, index: int, output: Given) -> bool:
    """Whether the class is that of the largest of the elements as they are, or the one beside it."""
    count = output.array.size
    shifts: list[set[int]] = []
    for place in (0, count // 2, count - 1):
        text = asked.text(index, output.filled([place])) or ""
        shifts.append({one - place for one in asked.named(text, count)} & {-1, 0, 1})
    return any(sum(shift in one for one in shifts) > 1 for shift in (-1, 0, 1))


def follows(asked: Asked, index: int, output: Given, width: int, place: int, other: int) -> bool:
    """Whether a place is said if the element of another width there is the only one that isn't 0, and not the
    place of the largest of its own width, nor another one."""
    data = bytearray(output.array.nbytes)
    data[width * place : width * (place + 1)] = LARGE[-width:].rjust(width, b"\0")
    made: Any = numpy.frombuffer(bytes(data), output.array.dtype).reshape(output.array.shape)
    own = int(numpy.argmax(made))
    text = asked.text(index, made) or ""
    said = asked.named(text, output.array.size)
    return place in said and other not in said and own not in said
