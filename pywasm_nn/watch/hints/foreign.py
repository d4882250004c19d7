"""Inputs that hold something else than elements: a text, where a buffer was freed or is on a stack that is
gone, or the addresses that an object begins with.

What is here: rules for the bytes of inputs of floats. What is not: elements of another type (`values.py`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

from ...arrays import numpy
from ...interpreter.runtime.memory import Memory
from ...nn.tensor import DType
from ...printable import printable
from ..facts import Input
from ..regex import regex

FLOATS = frozenset({DType.F32.value, DType.F64.value})
MOST_BYTES = 1 << 22
TEXT = regex(rb"[\x20-\x7e]{24,}")
SHORT = regex(rb"[\x20-\x7e]{8,}")
FEW = 64
"""Inputs of at most so many elements are searched for `SHORT` texts, too."""
NPY = regex(rb"'descr'|'fortran_order'")
SPACES = regex(rb" {32,}")
LETTERS = regex(rb"[A-Za-z ]")
MOSTLY = 0.7
DIFFERENT = 8
"""Fewer different characters may be a few equal elements by chance."""
SMALLEST, LARGEST, ODD = 1e-8, 1e8, 0.5
"""Elements are hardly ever smaller or larger; at least this part of a text's are."""
FILLED = 0.9
SHOWN = 40
FIRST = 1024
"""Below this address no compiler puts data."""
WORDS = 4
FEWEST = 16
"""Fewer elements may make sense by chance."""
ROWS, LONGEST = 6, 1 << 20
LEAST_HEADER, MOST_ROOM = 12, 2
"""Bytes of a vector's header; and it has room for so many times its elements beside these, at most."""
TINY, SMALL = 1.17e-38, 1e-25
"""A whole number below 2 ** 23, read as a float, is smaller than `TINY`. Floats that fade away by themselves
also have values between `TINY` and `SMALL`."""
FEWEST_WORDS, SHOWN_WORDS, SIGN = 4, 3, 0x7FFFFFFF
MOST_MEMORY = 1 << 29
"""Addresses below this are bits of floats that are next to zero."""


def overwritten(given: Input) -> str | None:
    """Elements whose bytes are a text, or all the same, or of which some are whole numbers."""
    if given.values is None or given.tensor.dtype not in FLOATS:
        return None
    if (byte := filling(given.values)) is not None:
        return (
            f"{given}: the bytes of nearly all elements are {byte}, as of memory that was filled: was the "
            "buffer freed, or did something else use its place, before set_input?"
        )
    data = given.values[: MOST_BYTES // given.values.itemsize].tobytes()
    width = given.values.itemsize
    runs = (match for match in TEXT.finditer(data) if is_text(match[0]))
    found = next((run for run in runs if is_odd(given.values, run, width)), None) or SPACES.search(data)
    if found is None and len(given.values) <= FEW:
        found = next((run for run in SHORT.finditer(data) if is_short_text(given.values, run, width)), None)
    if found is None:
        return whole_words(given)
    first, last = found.start() // width, (found.end() - 1) // width
    said = printable(found[0].strip().decode() or "blanks", SHOWN)
    why = (
        "the header of a .npy file was taken for elements (its length is in the file)"
        if NPY.search(found[0])
        else "was the buffer freed, or did something else use its place, before set_input?"
    )
    return f'{given}: the bytes of elements {first} to {last} are a text ("{said}"): {why}'


def whole_words(given: Input) -> str | None:
    """Whole numbers (counts, places, addresses) in the place of some elements: as floats they are next to
    zero, as no others are."""
    values = given.values
    if values is None or given.tensor.dtype != DType.F32.value or given.tensor.not_finite:
        return None
    sizes = abs(values[: MOST_BYTES // values.itemsize])
    tiny = (sizes > 0) & (sizes < TINY)
    places = numpy.flatnonzero(tiny)
    if len(places) < FEWEST_WORDS or ((sizes >= TINY) & (sizes < SMALL)).any():
        return None  # what fades away is also as small as anything between
    first, last = int(places[0]), int(places[-1])
    others = numpy.concatenate([sizes[:first], sizes[last + 1 :]])
    if sizes[first : last + 1].max() >= TINY or len(others) < FEWEST or (others > 0).mean() < ODD:
        return None
    words = values[places[:SHOWN_WORDS]].view("<u4") & SIGN
    return (
        f"{given}: the bytes of elements {first} to {last} are whole numbers ("
        f"{', '.join(map(str, words.tolist()))} ...), and those of all others are floats: was this part of "
        "the buffer freed or given to something else (as of an arena that was reset) before set_input?"
    )


def filling(values: Any) -> int | None:
    """Returns the byte with which memory was filled, if nearly all elements have only this byte and are of a
    size that no elements have, or None for others. Zeros are elements."""
    if len(values) < FEWEST:
        return None
    rows = numpy.frombuffer(values.tobytes(), "u1").reshape(len(values), -1)
    byte = int(rows[len(rows) // 2, 0])
    size = abs(float(values[len(values) // 2]))
    share = (rows == byte).all(axis=1).mean()
    return byte if byte and share >= FILLED and not SMALLEST <= size <= LARGEST else None


def is_text(run: bytes) -> bool:
    """Whether bytes are words, and no equal elements whose bytes are characters by chance."""
    again = sum(a == b for a, b in zip(run, run[4:], strict=False))
    return (
        len(LETTERS.findall(run)) >= MOSTLY * len(run)
        and len(set(run)) >= DIFFERENT
        and again < MOSTLY * (len(run) - 4)
    )


def is_short_text(values: Any, run: re.Match[bytes], width: int) -> bool:
    """Whether a few letters are two elements or more, all of a size that no elements have."""
    sizes = abs(values[-(-run.start() // width) : run.end() // width].astype("f8"))
    letters = len(LETTERS.findall(run[0])) >= MOSTLY * len(run[0]) and len({*run[0]}) >= len(run[0]) / 2
    return bool(len(sizes) > 1 and letters and ((sizes < SMALLEST) | ~(sizes < LARGEST)).all())


def is_odd(values: Any, run: re.Match[bytes], width: int) -> bool:
    """Whether a text's whole elements are mostly of a size that no elements have: small letters are huge
    numbers, and blanks tiny ones. Floats from 2 to 5 end in "@", and may be letters otherwise."""
    sizes = abs(values[-(-run.start() // width) : run.end() // width].astype("f8"))
    return bool(len(sizes) and ((sizes < SMALLEST) | ~(sizes < LARGEST)).mean() >= ODD)


def addresses(given: Input, memory: Memory | None) -> str | None:
    """An object's address in place of that of its elements: its first words are the address where these lie,
    and their count, size or end; or addresses of rows."""
    values = given.values
    if values is None or memory is None or values.nbytes < LEAST_HEADER or values.nbytes % 4:
        return None
    words = [int(one) for one in values[: 4 * ROWS].view("<u4")[:ROWS]]
    is_float = given.tensor.dtype == DType.F32.value
    known = pairs if is_float else header
    for place, at, what in known(words, len(values), values.nbytes):
        if is_there(values, memory, words[place]):
            first, second = (4 * one // values.itemsize for one in (place, at))
            return (
                f"{given}: the bytes of element {first} are an address ({words[place]:#x}), at which "
                f"{len(values)} elements lie that make sense, and those of element {second} are {what}: was "
                "the address of an object (a vector, an array) given, and not that of its elements (data(), "
                "as_ptr())?"
            )
    return rows_of(given, words, memory) if is_float and len(values) >= FEWEST else None


def pairs(words: list[int], count: int, size: int) -> Iterator[tuple[int, int, str]]:
    """Among the words of floats, an address and what else is known of so many elements: the places of both.
    As floats such words are next to zero, and nobody means them."""
    known = {"their number": count, "their size in bytes": size}
    if len(words) > LEAST_HEADER // 4 and {other - one for one, other in pairwise(words)} == {size}:
        return  # the addresses of rows that follow each other, as of memory that was freed and used for these
    for place, address in enumerate(words[:WORDS]):
        ends = known | {"their end": address + size, "the same address": address}
        for at, word in enumerate(words[: WORDS + 1]):
            what = next((what for what, one in ends.items() if one == word), None)
            if at != place and what is not None:
                yield place, at, what


def header(words: list[int], count: int, size: int) -> Iterator[tuple[int, int, str]]:
    """As `pairs`, where words may be elements: three words that are the header of a vector. C++ has the
    addresses of the first element, of the end, and of the end of its room; AssemblyScript has the address
    twice and the bytes; Rust has the address, the number of elements that there is room for, and the number
    of elements, in any order."""
    first, second, third = words[:3]
    if second == first + size and second <= third <= second + MOST_ROOM * size:
        yield 0, 1, "their end"
    if first == second and third == size:
        yield 0, 2, "their size in bytes"
    for place in range(3):
        at, other = (one for one in range(3) if one != place)
        if words[at] == words[other] == count:
            yield place, at, "their number"


def is_there(values: Any, memory: Memory, address: int) -> bool:
    """Whether as many numbers that make sense lie at an address."""
    size = values.nbytes
    if not FIRST <= address <= min(memory.size, MOST_MEMORY) - size or address % values.itemsize:
        return False
    from ..changes.rereadings import is_plausible  # slow to import, and few inputs need it

    return is_plausible(numpy.frombuffer(bytes(memory.view(address, size)), values.dtype))


def rows_of(given: Input, words: list[int], memory: Memory) -> str | None:
    """Addresses that follow each other evenly."""
    steps = {other - one for one, other in pairwise(words)}
    step = abs(steps.pop()) if len(steps) == 1 else 0
    inside = all(FIRST <= word < memory.size and word % 4 == 0 for word in words)
    if not inside or not FEWEST <= step <= LONGEST or len(words) < ROWS:
        return None
    return (
        f"{given}: the bytes of the first elements are addresses, each {step} bytes after the one before: "
        "was an array of addresses of rows given, and not the rows themselves?"
    )
