"""How an input of whole numbers came from the bytes of a file, one element a byte.

What is here: `bytes_in`, `end_first`, for what begins with a file's end, `begun_half`, for what lacks it,
`begun_alone`, for all of a short file, `begun_whole`, for what is just a longer file's beginning, and
`padding_in`, for what is no byte of the file.
What is not: numbers of words (`vocabulary.py`), and files that were made texts before (`through_text.py`).
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from ...arrays import numpy
from .tables import Part
from .through_text import alike, through_text

FEWEST = 24
"""Fewer bytes are in many files by chance."""
FEWEST_VALUES = 8
MOST = 1 << 16
"""Elements."""
MOST_VALUE = 0x10FFFF
"""Characters have no larger numbers."""
LONGER = 1.25
"""A file that goes on behind a half of an input is so many times as long as that."""
HIGH = 128
SIGNED = "bytes from 128 to 255 were taken as signed (-128 to -1)"
BLANKS = (9, 10, 11, 12, 13, 32)
"""The first and the last are no line ends."""
FEWEST_BLANKS = 3
NO_BYTE, FILLED = 256, 8
"""The number after those of bytes; the part of an input that padding is at least, as 1 of so many."""
FIRSTS = {"0": "digits", "a": "small letters", "A": "capitals"}
BACKWARDS = "it is backwards, the last byte first"
WHY = "was the number of elements given where bytes are counted (memcpy, memory.copy)?"
"""What is said where a part of the elements was moved."""


def bytes_in(data: bytes, array: Any) -> Part | None:
    """Returns which bytes of a file the elements are, and what is wrong with them, or None if they are
    none."""
    flat = array.reshape(-1)
    if not FEWEST <= flat.size <= MOST or not data:
        return None
    whole = flat.astype("i8")
    if (whole != flat).any() or whole.min() < -HIGH or whole.max() > MOST_VALUE:
        return None
    if wrong := through_text(data, whole):
        return Part("its bytes", wrong)
    if whole.max() > 1 << 12:
        return None
    body = numpy.frombuffer(data, "u1").astype("i8")
    signed = numpy.where(body >= HIGH, body - 256, body)
    start = len(data) - len(data.lstrip())
    end = len(data.rstrip())
    readings = ((body, ""), (signed, SIGNED), *lessened(body))
    begun = [
        (alike(whole, own[first:]), first, own, wrong) for first in {0, start} for own, wrong in readings
    ]
    # Of two readings the one with more elements is right: letters are the same with a sign and without one.
    for count, first, own, wrong in sorted(begun, key=lambda one: (-one[0], one[3])):
        if count < FEWEST or len({*whole[:count].tolist()}) < FEWEST_VALUES:
            continue
        if wrong and not (whole[:count] < 0).any():
            continue
        wrong = wrong or backwards(whole[count:], own[: end if start == first else len(own)])
        wrong = wrong or ended(whole[count:], own[first + count :]) or without_blanks(whole, own[first:])
        if count * array.dtype.itemsize == flat.size:
            wrong = wrong or in_part(count, whole[count:], own[first + count :])
        return Part(f"its bytes from {first:,} to {first + count - 1:,}", wrong)
    for own, wrong in readings[:2]:
        if is_of_both_ends(whole, own, {start, 0}, {end, len(own)}):
            return Part("its first bytes and its last ones", wrong)
    if wrong := without_blanks(whole, body):
        return Part("its bytes", wrong)
    if alike(whole, body[:end][::-1]) >= FEWEST and len({*whole[:FEWEST].tolist()}) >= FEWEST_VALUES:
        return Part("its bytes", BACKWARDS, varied=BACKWARDS)
    if place := end_first(data, array):
        return Part(f"its end, and from element {place:,} on its beginning")
    return None


def is_of_both_ends(whole: Any, own: Any, begins: Collection[int], ends: Collection[int]) -> bool:
    """Whether the first half of elements is the beginning of a file's bytes, and the second its end: of many
    files the beginning is all zeros."""
    half = whole.size // 2
    if whole.size % 2 or half < FEWEST or len(own) < half or len({*whole.tolist()}) < FEWEST_VALUES:
        return False
    is_begun = any(alike(whole[:half], own[first:]) == half for first in begins)
    return is_begun and any(alike(whole[half:], own[max(0, last - half) : last]) == half for last in ends)


def end_first(data: bytes, array: Any) -> int:
    """Returns the element at which the beginning of a file lies behind its end, both perhaps padded, or 0 if
    elements are no such two parts."""
    whole, body = array.reshape(-1).astype("i8"), numpy.frombuffer(data, "u1").astype("i8")
    begins, ends = {len(data) - len(data.lstrip()), 0}, {len(data.rstrip()), len(data)}
    for first in begins if whole.size >= 2 * FEWEST else ():
        for place in places_of(body[first : first + FEWEST], whole).tolist():
            count = alike(whole[place:], body[first:])
            if not is_uniform(whole[place + count :]):
                continue
            before = whole[:place][::-1]
            for last in ends:
                reach = alike(before, body[:last][::-1])
                if reach >= FEWEST and is_uniform(before[reach:]) and len({*before[:reach]}) >= FEWEST_VALUES:
                    return int(place)
    return 0


def begun_half(data: bytes, array: Any) -> Any:
    """Returns what elements are with the end of a file in their second half, where they are just the first
    half's bytes of that longer file and padding behind, or None if they are anything else."""
    whole = array.reshape(-1)
    half = whole.size // 2
    end = data.rstrip()[-half:] if half >= FEWEST else b""
    begins = len(data) - len(data.lstrip()), 0
    first = next((one for one in begins if is_run(data[one:], whole[:half])), None)
    if whole.size % 2 or first is None or len(data) - first < LONGER * half or not is_uniform(whole[half:]):
        return None
    return ended_with(array, end)


def begun_alone(data: bytes, array: Any) -> Any:
    """Returns what elements are with the end of a file in their second half, too, where they are the bytes of
    a file that (nearly) fits into the first half, and what is no byte behind, or None if they are anything
    else."""
    whole = array.reshape(-1)
    half = whole.size // 2
    for body in dict.fromkeys((data.lstrip(), data)):
        count = min(len(body.rstrip()), half)
        if whole.size % 2 or count < FEWEST or len(body) >= LONGER * half:
            continue
        if is_run(body, whole[:count]) and whole[-1] == NO_BYTE and is_uniform(whole[min(len(body), half) :]):
            return ended_with(array, data.rstrip()[-half:])
    return None


def begun_whole(data: bytes, array: Any) -> Any:
    """Returns what elements are with the end of a file in their second half, where all of them are just the
    first bytes of that longer file, or None if they are anything else."""
    whole = array.reshape(-1)
    half = whole.size // 2
    begins = len(data) - len(data.lstrip()), 0
    is_begun = any(len(data) - at >= LONGER * whole.size and is_run(data[at:], whole) for at in begins)
    if whole.size % 2 or half < FEWEST or not is_begun:
        return None
    return ended_with(array, data.rstrip()[-half:])


def ended_with(array: Any, end: bytes) -> Any:
    """The elements with these bytes as the last ones."""
    made = array.reshape(-1).copy()
    made[made.size - len(end) :] = numpy.frombuffer(end, "u1")
    return made.reshape(array.shape)


def padding_in(data: bytes, array: Any) -> int:
    """Returns the byte with which an input of a file's bytes is filled up, of which the file itself has far
    fewer, or -1 if there is no such one. A file's bytes may be in an input twice, at both of its ends."""
    whole = array.reshape(-1)
    most = whole.size // FILLED
    counts = numpy.bincount(whole[(whole >= 0) & (whole < NO_BYTE)].astype("i8"), minlength=NO_BYTE)
    value = int(counts.argmax())
    return value if len(data) < whole.size and counts[value] >= 2 * data.count(value) + most > 0 else -1


def begins_in(data: bytes, array: Any) -> bool:
    """Whether an input, or half of it, begins with all bytes of a file, or is just its first ones."""
    whole = array.reshape(-1)
    for body in (data, data.lstrip()):
        own = numpy.frombuffer(body[: whole.size], "u1")
        count, written = alike(whole, own), len(body[: whole.size].rstrip())
        if count >= min(written, whole.size // 2) and len({*whole[:count].tolist()}) >= FEWEST_VALUES:
            return True
    return False


def is_run(data: bytes, elements: Any) -> bool:
    """Whether elements are the first bytes of these, and not all alike."""
    own = numpy.frombuffer(data[: elements.size], "u1")
    return own.size == elements.size > 0 and not is_uniform(own) and bool((own == elements).all())


def places_of(part: Any, whole: Any) -> Any:
    """Where a part lies among elements, behind the first ones."""
    if len(part) < FEWEST or len({*part.tolist()}) < FEWEST_VALUES:
        return numpy.zeros(0, "i8")
    runs = numpy.lib.stride_tricks.sliding_window_view(whole[FEWEST:], FEWEST)
    likely = numpy.flatnonzero(runs[:, 0] == part[0])
    return likely[(runs[likely] == part).all(axis=1)] + FEWEST


def is_uniform(elements: Any) -> bool:
    """Whether elements are all the same, such as padding, or none."""
    return not len(elements) or bool((elements == elements[0]).all())


def lessened(body: Any) -> list[tuple[Any, str]]:
    """Bytes less the number of the first digit or letter, though others are among them, and what is wrong
    with that."""
    return [
        (body - ord(first), f"{ord(first)} ('{first}') was taken away from each byte, as of {what} alone: "
         "bytes below it became negative")
        for first, what in FIRSTS.items()
    ]  # fmt: skip


def without_blanks(whole: Any, body: Any) -> str:
    """Whether elements are the bytes of a text without its blanks and line ends, to its end or their own.
    Sequences of letters, such as of genes, are broken into lines that nobody sends, and cells of one length,
    as of a board, or bytes as digits, are kept apart by what is none of them."""
    kept = body[~numpy.isin(body, BLANKS)]
    count = alike(whole, kept)
    places = numpy.flatnonzero(~numpy.isin(body, BLANKS))
    if count < FEWEST or len({*whole[:count].tolist()}) < FEWEST_VALUES:
        return ""
    left = int(places[count - 1]) + 1 - count
    blanks = int(numpy.isin(body[: count + left], BLANKS[::5]).sum())
    rest = whole[count:]
    cells = body[: count + left].astype("u1").tobytes().split()[:-1]
    goes_on = len(rest) and (count < len(kept) or (rest != rest[0]).any())
    if blanks < FEWEST_BLANKS or len({*map(len, cells)}) < 2 or goes_on:
        return ""
    return (
        f"blanks and line ends are left out, {left} of the first {count + left} bytes: were they read by "
        '`cin >>` or scanf(" %c"), or taken for separators?'
    )


def ended(rest: Any, body: Any) -> str:
    """Whether equal elements follow where the file goes on with a byte that is 0."""
    if min(len(rest), len(body)) < FEWEST or body[0] or not body[1:].any() or (rest != rest[0]).any():
        return ""
    return (
        f"only what is before the first byte 0 was taken, and {len(body):,} bytes follow: was the length "
        "that of a text (strlen)?"
    )


def in_part(count: int, rest: Any, body: Any) -> str:
    """Whether equal elements follow so many bytes where the file goes on."""
    if len(rest) < FEWEST or len(body) < len(rest) or (rest != rest[0]).any():
        return ""
    return f"the first {count:,} bytes alone are there, though the file goes on: {WHY}"


def backwards(rest: Any, body: Any) -> str:
    """Whether what follows the beginning of a file, and padding, is its end, the last byte first."""
    if len(rest) < FEWEST:
        return ""
    same = (rest != rest[0]).nonzero()[0]
    for part in (rest, rest[int(same[0]) :] if len(same) else rest[:0]):
        for other in (part, numpy.trim_zeros(part)):
            count = min(len(other), len(body))
            if count < FEWEST or len({*other.tolist()}) < FEWEST_VALUES:
                continue
            for size in (count, min(count, FEWEST)):
                if (other[:size] == body[::-1][:size]).all() or (other[-size:] == body[-size:][::-1]).all():
                    return "behind the beginning of the file is its end backwards, the last byte first"
    return ""
