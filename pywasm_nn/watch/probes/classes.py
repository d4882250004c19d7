"""A single row of classes: does the guest say the class that is the largest, whichever that is?

What is here: `misplaced`. Each of a few classes is made the largest in turn.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from ..classes import CALENDAR, WITH_BACKGROUND
from .asked import Asked, Given

FEWEST, MOST = 3, 1 << 17
ENOUGH = 3
"""So many classes must be followed to know how the guest counts."""
TOGETHER = 0.05
"""How far probabilities may be from 1 together."""
PATTERN = 0x3F7F7F7F
"""The bits of an f32 near 1, of which all bytes are large; two of them are a small positive f64."""


def misplaced(asked: Asked) -> str:
    """What is wrong with the class that a guest says; "" if nothing is known to be."""
    for index, output in asked.fetched():
        lengths = output.lengths
        if len(lengths) == 1 and FEWEST <= lengths[0] <= MOST and (wrong := of_row(asked, index, output)):
            return wrong
    return ""


def tried(count: int) -> list[int]:
    """The classes that are made the largest: the last, the first and others between."""
    places = [count - 1, 0, count // 3, 2 * count // 3, 1, count - 2]
    return list(dict.fromkeys(places))[:5]


def of_row(asked: Asked, index: int, output: Given) -> str:
    count = output.array.size
    texts: dict[int, str] = {}
    for place in tried(count):
        text = asked.text(index, output.filled([place]))
        if text is not None:
            texts[place] = text
    if len(set(texts.values())) < 2:
        return ""
    said = {place: asked.numbers(text) for place, text in texts.items()}
    shift = followed(said)
    if shift is not None:
        return off_by(output, texts, said, shift) or not_seen(asked, index, said, shift)
    named = {place: asked.names(text, count) for place, text in texts.items()}
    shift = followed(named)
    if shift is not None:
        return "" if shift else not_seen(asked, index, named, 0)
    return otherwise(asked, index, output)


def followed(said: Mapping[int, Sequence[int]]) -> int | None:
    """By how much a number in the texts is higher than the largest class, if it follows it; None if none
    does."""
    for position in range(min(map(len, said.values()), default=0)):
        shifts = Counter(numbers[position] - place for place, numbers in said.items())
        shift, times = shifts.most_common(1)[0]
        if times >= min(ENOUGH, len(said)):
            return shift
    return None


def off_by(output: Given, texts: Mapping[int, str], said: Mapping[int, Sequence[int]], shift: int) -> str:
    """Each class is said as the one beside it."""
    count = output.array.size
    counted = any(re.search(rf"\d ?(?:of|/) ?{count}\b", text) for text in texts.values())
    if shift == 1 and (count in CALENDAR or counted):
        return ""
    if abs(shift) != 1 or (shift < 0 and count in WITH_BACKGROUND):
        return ""
    places = sorted(place for place, numbers in said.items() if place + shift in numbers)
    pairs = ", ".join(f"{place + shift} for {place}" for place in places)
    return (
        f"{output.what}: whichever element is the largest, the guest says the one beside it ({pairs}): is "
        "the index off by one?"
    )


def not_seen(asked: Asked, index: int, said: Mapping[int, Sequence[int]], shift: int) -> str:
    """A guest that follows the other classes does not follow the last, and says the first or the last of
    those that are alike; by how far the last is larger doesn't matter. An answer before may count, too."""
    output = asked.outputs[index]
    last = output.array.size - 1
    if last not in said or not {shift, last - 1 + shift} & {*said[last]}:
        return ""
    text = asked.text(index, output.filled([last], clearly=True))
    again = [] if text is None else asked.numbers(text) or asked.names(text, output.array.size)
    if last + shift in (*said[last], *again):
        return ""
    return (
        f"{output.what}: if its last element, {last}, is the largest, the guest says another one: does the "
        "search end too early?"
    )


def otherwise(asked: Asked, index: int, output: Given) -> str:
    """The bytes are read as another type, or the smallest element is said."""
    return smallest(asked, index, output) or other_type(asked, index, output)


def smallest(asked: Asked, index: int, output: Given) -> str:
    """The smallest of what are no distances, of which it would be meant: those aren't negative, and not 1
    together."""
    array = output.array.astype("f8")
    if array.min() >= 0 and abs(array.sum() - 1) > TOGETHER:
        return ""
    said = {}
    for place in tried(output.array.size)[:ENOUGH]:
        text = asked.text(index, output.filled([place], lowest=True))
        said[place] = [] if text is None else asked.numbers(text) or asked.names(text, output.array.size)
    if followed(said) is None:
        return ""
    return f"{output.what}: the guest says the smallest element and not the largest, whichever that is"


def other_type(asked: Asked, index: int, output: Given) -> str:
    """Elements of f32 that are taken as of 8 bytes, or of one."""
    import numpy

    if output.array.dtype != numpy.dtype("<f4") or output.array.size < 6:
        return ""

    def said(places: Sequence[int]) -> list[int]:
        made: Any = numpy.zeros(output.array.size, "<u4")
        made[list(places)] = PATTERN
        text = asked.text(index, made.view("<f4").reshape(output.array.shape))
        return [] if text is None else asked.numbers(text)

    wide = [(pair, said([2 * pair, 2 * pair + 1])) for pair in (1, 2)]
    if all(pair in numbers and not {2 * pair, 2 * pair + 1} & {*numbers} for pair, numbers in wide):
        return typed(output, "elements of 8 bytes (f64 or i64)")
    narrow = [(place, said([place])) for place in (1, 2)]
    if all(any(one // 4 == place for one in numbers) and place not in numbers for place, numbers in narrow):
        return typed(output, "bytes")
    return ""


def typed(output: Given, as_what: str) -> str:
    return (
        f"{output.what}: the class that the guest says follows the elements as if they were {as_what}; they "
        "are f32, of 4 bytes"
    )
