"""Sequences of letters that a file has in lines of one length, such as FASTA, and inputs in which the lines'
ends take the places of letters.

What is here: `line_ends_in`. What is not: texts of words, whose lines may end anywhere, and where an end may
be a letter like any other.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...arrays import numpy

MOST_TEXT = 1 << 16
FEWEST_LINES, SHORTEST = 2, 8
"""Lines of a sequence, and letters in each but the last."""
FEWEST, MOST_PLACES = 16, 1 << 14
"""Places of an input."""
FEWEST_LETTERS = 3
"""Different letters; fewer lie alike by chance."""
NONE = -1
"""The number of a place that no kind has."""
MOST_BEGINNINGS = 256
LETTERS = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz*-.0123456789")
BREAKS = (10, 13)


def line_ends_in(array: Any, files: Sequence[tuple[str, bytes]]) -> str:
    """Returns what is wrong with an input, letters as numbers or as zeros and a one each (one-hot), which has
    places for the lines' ends of the last such file, or "" if none is known to."""
    several = [one for one in numbered(array) if FEWEST <= len(one) <= MOST_PLACES]
    for name, data in reversed(files) if several else ():
        found = wrapped_in(data) if len(data) <= MOST_TEXT and b"\0" not in data else None
        if found is None:
            continue
        for own in several:
            places = ends_at(own, *found)
            number = int(own[places[0]]) if places else 0
            if not places or number in BREAKS:
                continue  # the bytes of the file itself
            shown = ", ".join(map(str, places[:3])) + (" ..." if len(places) > 3 else "")
            what = "are of no kind" if number == NONE else f"are all {number}"
            return (
                f"places {shown} {what}, and are the ends of the lines of {name}: line breaks were taken "
                "for letters, and are to be left out"
            )
    return ""


def numbered(array: Any) -> list[Any]:
    """The numbers of the letters of an input, whichever of its two dimensions the places are."""
    shape = tuple(length for length in array.shape if length != 1)
    if array.dtype.kind in "iu" and len(shape) == 1:
        return [array.reshape(-1)]
    if len(shape) != 2 or not 0 < array.size <= MOST_PLACES * 64 or not ((array == 0) | (array == 1)).all():
        return []
    flat = array.reshape(shape)
    return [
        numpy.where(kinds.any(axis=1), kinds.argmax(axis=1), NONE)
        for kinds in (flat, flat.T)
        if kinds.sum(axis=1).max() == 1
    ]


def wrapped_in(data: bytes) -> tuple[Any, list[int]] | None:
    """The characters of a file that has a sequence in lines of one length, behind lines that begin with ">"
    or ";", and where lines begin; None for other files."""
    text = data.decode("latin-1")
    lines = text.splitlines(keepends=True)
    own = [line.rstrip("\r\n") for line in lines if not line.startswith((">", ";"))]
    while own and not own[-1]:
        own.pop()
    length = len(own[0]) if own else 0
    is_even = all(len(line) == length for line in own[:-1]) and len(own[-1]) <= length if own else False
    is_one = all(line.isalpha() or set(line) <= LETTERS for line in own)
    if len(own) < FEWEST_LINES or length < SHORTEST or not is_even or not is_one:
        return None
    begins = numpy.cumsum([0, *map(len, lines)])[:-1].tolist()
    return numpy.frombuffer(text.encode("latin-1"), "u1"), begins


def ends_at(own: Any, text: Any, begins: Sequence[int]) -> list[int]:
    """The places of an input that are lines' ends of a text; none if the input isn't the text, with a number
    for each letter, from the beginning of some line on."""
    for begin in begins[:MOST_BEGINNINGS]:
        there = text[begin : begin + len(own)]
        numbers = own[: len(there)]
        is_end = numpy.isin(there, BREAKS)
        inner = numpy.flatnonzero(is_end & (numpy.arange(len(there)) < len(there) - 1))
        if len(there) < FEWEST or not len(inner) or len(there) < len(own) // 2:
            continue
        kinds = {int(letter): set(numbers[there == letter].tolist()) for letter in numpy.unique(there)}
        letters = [next(iter(found)) for letter, found in kinds.items() if letter not in BREAKS]
        if any(len(found) > 1 for found in kinds.values()):
            continue
        if len({one for one in letters if one != NONE}) >= FEWEST_LETTERS:
            return inner.tolist()
    return []
