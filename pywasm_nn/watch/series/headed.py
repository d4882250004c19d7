"""Samples of 16 bits in a file without a header, of which a text of the same name says what they are (a
record of WFDB: .hea and .dat): is the converter's zero taken away, and one lead read?

What is here: `headed`. A number of the text by which all elements become samples is what they were divided
by. What is not: sounds, whose files say all that themselves (`sent/sounds.py`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from ...arrays import numpy
from ...records import Frozen
from ..regex import regex

MOST_TEXT, MOST_BYTES, FEWEST, DIFFERENT = 1 << 14, 1 << 23, 32, 8
MOST_LEADS, MOST_NUMBERS = 16, 24
WHOLE = 0.02
"""How far elements may be from whole numbers when they are what they were again."""
LEAST_ZERO, NEAR, FAR = 64, 0.05, 3.0
"""A zero, how far from it the usual sample is at most, and how many deviations it is away from 0."""
ROUGH = 2.0
NUMBER = regex(r"(?<![\w.])\d+(?:\.\d+)?(?![\w.])")
ZERO = regex(r"(?:zero|offset|baseline)\W{1,4}(\d+)\b(?!\.\d)", re.IGNORECASE)
SIGNAL = regex(r"\n\S+ \d+\S* [\d.]+(?:\((\d+)\))?(?:/\S+)?(?: \d+(?: (\d+))?)?")
"""A line of a record: file, format, samples a unit with the zero that this has, bits, and the converter's
zero."""
LEADS = regex(r"(?:channels?|leads?|signals?|n_?chan|n_?sig)\W{1,4}(\d+)\b", re.IGNORECASE)
RECORD = regex(r"(?:^|\n)\s*[\w-]+ (\d+) \d+")
"""The first line of a record of WFDB: its name, how many leads, how many samples a second."""


class Place(Frozen):
    """Where elements lie among the samples: from where on, every how many, and what was taken away and
    divided by."""

    start: int
    step: int
    taken: float
    divided: float


def headed(array: Any, files: Sequence[tuple[str, bytes]]) -> tuple[str, str]:
    """Returns the file and what is wrong with elements that come from it, or "" for both if nothing is known
    to be wrong."""
    flat = array.reshape(-1).astype("f8")
    if flat.size < FEWEST or len(numpy.unique(flat)) < DIFFERENT:
        return "", ""
    for name, text, other, data in pairs(files):
        samples = numpy.frombuffer(data[: len(data) // 2 * 2], "<i2")
        leads = leads_in(name, text)
        place = place_of(flat, samples, text, leads)
        if place is None:
            continue
        if said := not_zeroed(name, text, samples, place) or as_one_lead(array, samples, place, leads):
            return other, said
    return "", ""


def pairs(files: Sequence[tuple[str, bytes]]) -> Iterator[tuple[str, str, str, bytes]]:
    """Texts with their names, and the files of samples of the same name that were read, too."""
    for name, text in files:
        if not 0 < len(text) <= MOST_TEXT or b"\0" in text:
            continue
        stem = name.rpartition(".")[0]
        for other, data in files:
            is_beside = other != name and stem and stem in (other, other.rpartition(".")[0])
            if is_beside and b"\0" in data and 2 * FEWEST <= len(data) <= MOST_BYTES:
                yield name, text.decode("utf-8", "replace"), other, data


def leads_in(name: str, text: str) -> int:
    """Returns how many leads a text says that there are, or 1 if it doesn't."""
    found = RECORD.match(text) if name.endswith(".hea") else LEADS.search(text)
    return int(found[1]) if found and 1 <= int(found[1]) <= MOST_LEADS else 1


def place_of(flat: Any, samples: Any, text: str, leads: int) -> Place | None:
    """Returns where elements lie among samples, by a divisor and a zero that stand in a text, or None if
    nowhere."""
    numbers = sorted({float(one) for one in NUMBER.findall(text)})[:MOST_NUMBERS]
    ways = {step: [samples[at::step] for at in range(step)] for step in {1, leads}}
    for divided in [one for one in numbers if one > 1]:
        made = flat * divided
        if abs(made - numpy.rint(made)).max() > WHOLE:
            continue
        for taken in (0.0, *[one for one in numbers if one.is_integer() and one >= LEAST_ZERO]):
            own = numpy.rint(made + taken)
            if abs(own).max() >= 1 << 15:
                continue
            for step, parts in ways.items():
                for first, part in enumerate(parts):
                    at = within(own.astype("<i2"), part)
                    if at >= 0:
                        return Place(first + at * step, step, taken, divided)
    return None


def within(own: Any, part: Any) -> int:
    """Returns where words lie among others, or -1 if nowhere."""
    data, words = part.tobytes(), own.tobytes()
    at = data.find(words)
    while at % 2 and at >= 0:
        at = data.find(words, at + 1)
    return at // 2 if at >= 0 else -1


def not_zeroed(name: str, text: str, samples: Any, place: Place) -> str:
    """Samples that are far from 0 by a number of the text, which was not taken away."""
    if place.taken:
        return ""
    part = samples[place.start % place.step :: place.step].astype("f8")
    usual = float(numpy.median(part))
    if abs(part.mean()) < FAR * part.std():
        return ""
    for zero in zeros_in(name, text):
        if zero >= LEAST_ZERO and abs(usual - zero) <= NEAR * zero:
            return (
                f"its samples were divided by {place.divided:g}, and the converter's zero, {zero:g} in "
                f"{name}, was not taken away: they lie about {usual:g}, so that all elements are "
                f"{zero / place.divided:.3g} too high"
            )
    return ""


def zeros_in(name: str, text: str) -> set[float]:
    """The zeros of converters that a text names."""
    if name.endswith(".hea"):
        return {float(one[1] or one[2] or 0) for one in SIGNAL.finditer(text)}
    return {float(one) for one in ZERO.findall(text)}


def as_one_lead(array: Any, samples: Any, place: Place, leads: int) -> str:
    """Samples of several leads, which lie one beside the other, as those of one lead."""
    lengths = [length for length in array.shape if length != 1]
    if leads < 2 or place.step != 1 or len(lengths) != 1 or samples.size % leads:
        return ""
    is_one = len(array.shape) > 2 or place.start % leads or array.size % leads
    whole = samples.astype("f8")
    rough = [float(abs(whole[by:] - whole[:-by]).mean()) for by in (1, leads)]
    if not is_one or rough[0] < ROUGH * rough[1]:
        return ""
    every = "second" if leads == 2 else f"{leads}th"
    return (
        f"it has {leads} leads, whose samples lie one beside the other, and {array.size} samples were read "
        f"one behind the other, as if it had one lead: take every {every}"
    )
