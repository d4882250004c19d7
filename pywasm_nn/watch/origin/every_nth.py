"""Inputs whose elements are every second, third, fourth or eighth number of a file, up to the file's end, and
something else after that: a place was multiplied by an element's bytes, or a pixel's, once too often.

What is here: `every_nth`. What is not: samples that are passed over on purpose (`strided.py`), as there are
then as many as elements.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ...arrays import numpy
from ...nn.formats import KNOWN
from ...nn.tensor import Tensor
from ..facts import Picture, picture_of
from .begun import starts_of
from .readings import first
from .straight import line_of

STEPS = {
    2: "the bytes of an element of 16 bits",
    3: "the bytes of a pixel with colours",
    4: "the bytes of an element of 32 bits, or of a pixel with alpha",
    8: "the bytes of an element of 64 bits",
}
"""The factors of places, and what a program takes for the factor."""
FEWEST, LEVELS, MOST, MOST_TRIED = 24, 12, 1 << 20, 4
"""So many elements, with so many different values, are the same by no chance."""
NEAR = 2e-4
"""How far elements may be from a line over the file's numbers, as a part of their range."""


def every_nth(tensor: Tensor, files: Sequence[tuple[str, bytes]]) -> str:
    """Returns what is wrong with an input that is every n-th number of one of the files that were read last,
    or "" if it isn't."""
    numbers = tensor.numbers()
    if numbers is None or not 2 * FEWEST <= numbers.size <= MOST or numbers.dtype.kind not in "fiu":
        return ""
    array = numbers.reshape(tensor.shape)
    for name, data in [one for one in reversed(files) if KNOWN.of_file(one[0]) is None][:MOST_TRIED]:
        picture = picture_of(array.shape)
        for own, channels in orders(array, picture):
            for what, there in numbers_of(data, array):
                if step := step_of(own, there, channels, is_picture=picture is not None):
                    return (
                        f"element i is {what} {step} * i of {name}, and those from "
                        f"{-(-len(there) // step):,} on lie behind its end: is a place multiplied by {step} "
                        f"that counts {what}s already ({step} are {STEPS[step]})?"
                    )
    return ""


def orders(array: Any, picture: Picture | None) -> Iterator[tuple[Any, int]]:
    """The elements as they lie, and pixel after pixel, with the number of channels that lie in turns."""
    if picture is None or picture.channels == 1 or not picture.planar:
        yield array.reshape(-1).astype("f8"), 1 if picture is None else picture.channels
    else:
        yield first(array, picture).reshape(-1).astype("f8"), picture.channels


def numbers_of(data: bytes, array: Any) -> Iterator[tuple[str, Any]]:
    """A file's bytes, as many as there are elements, or its numbers of the input's type, by what they are."""
    for start in dict.fromkeys([*starts_of(data), len(data) - array.size]):
        if start >= 0 and len(data) - start == array.size:
            yield "byte", numpy.frombuffer(data, "u1", offset=start)
    if array.dtype.kind == "f" and len(data) == array.nbytes:
        yield "number", numpy.frombuffer(data, array.dtype)


def step_of(own: Any, there: Any, channels: int, *, is_picture: bool) -> int:
    """Returns the step at which elements are numbers of a file, or 0 if they are not."""
    for step in STEPS:
        wanted = there[::step].astype("f8")
        count = len(wanted) // channels * channels
        part, rest = own[:count].reshape(-1, channels), own[count:]
        made = wanted[:count].reshape(-1, channels)
        if len(part) < FEWEST or not len(rest) or not numpy.isfinite(part).all():
            continue
        if not is_picture and rest.min() == rest.max():
            continue  # a sound at a lower rate, and its padding
        if any(is_line(rest[: len(one)], one) for one in phases(there, step, len(rest))):
            continue  # planes of colours, one after the other
        if all(is_line(part[:, one], made[:, one]) for one in range(channels)):
            return step
    return 0


def phases(there: Any, step: int, most: int) -> Iterator[Any]:
    """The other numbers of a file in turns, at most so many each."""
    for phase in range(1, step):
        yield there[phase::step][:most].astype("f8")


def is_line(own: Any, made: Any) -> bool:
    """Whether all elements lie on a line over a file's numbers."""
    return len(numpy.unique(made)) >= LEVELS and line_of(own, made, NEAR) is not None
