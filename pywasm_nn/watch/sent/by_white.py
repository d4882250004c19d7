"""Numbers of a file that were divided by 255 as if they were pixels of 8 bits, though the largest of them is
15, 16, 31 or 63, or the parts of words of 16 bits (RGB565), also sent as bytes as they are, and numbers that
are all smaller than the mean that was taken away, one of pixels to 255.

What is here: `by_white` and `above_white`, also of parts, such as tiles. What is not: whole pictures that say
themselves which number is white, where a usual range is known (`origin.ranges`), and elements that were
divided by 255 twice (`hints.values`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import product
from math import log2
from typing import Any

from ...arrays import numpy
from ...nn.tensor import Tensor
from ..origin.decoding import decoded
from ..regex import regex

FEWEST, MOST, MOST_BYTES = 48, 1 << 14, 1 << 22
"""Elements of an input, and bytes of a file."""
TOPS = (15, 16, 31, 63)
"""The largest numbers of 4, 5 and 6 bits, and of pixels that were counted in 4 x 4 places."""
WAYS = (("divided by 255", 255.0, 0.0), ("divided by 256", 256.0, 0.0), ("brought to -1..1", 127.5, 1.0))
"""How pixels of 8 bits become elements: number / divisor - shift."""
NEAR, DIFFERENT = 0.01, 5
MOST_PLACES = 64
"""A row of a tile is looked for at so many places at most."""
NUMBER = regex(rb"-?\d+(?:\.\d+)?")
BYTE, WORD, COLOURS = 255, 16, 3
WORDS = (("RGB565", (5, 6, 5)), ("RGB555", (5, 5, 5)), ("RGB444", (4, 4, 4)))
"""Words of 16 bits, and how many of these red, green and blue have."""
MOST_OF_BYTES, MOST_FILES, HALF = 1 << 21, 8, 128
"""Elements of an input of bytes, the last files that it is compared with, and what is taken from signed
ones."""
BITS = 64
"""By chance, all words of an input are among a file's in one case of 2 to that power at most."""
APART, STEPS = 0.02, 3
"""How far elements may be from even levels, in parts of the distance of two, and how many numbers these may
be apart."""
SAME, PART = 2e-4, (0.02, 0.98)
"""A mean and a deviation agree with the program's within `SAME`, and lie within `PART` of 255."""


def by_white(
    tensor: Tensor, files: Sequence[tuple[str, bytes]], known: Callable[[], Any] = lambda: numpy.zeros(0)
) -> str:
    """Returns what is wrong with an input of such numbers, or "" if nothing is known to be wrong. `known`
    gives the sizes of the floats that the program has."""
    numbers = tensor.numbers()
    if numbers is not None and numbers.dtype.itemsize == 1 and FEWEST <= numbers.size <= MOST_OF_BYTES:
        return unspread(numbers.reshape(tensor.shape), files)
    if numbers is None or numbers.dtype.kind != "f" or not FEWEST <= numbers.size <= MOST:
        return ""
    said = divided(numbers, tensor.shape, files) or of_words(numbers.reshape(tensor.shape), files)
    return said or standardised(numbers.astype("f8"), files, known)


def whole_numbers(numbers: Any) -> Iterator[tuple[str, Any]]:
    """Yields the small whole numbers of which these were made, and how, in words."""
    for said, divisor, shift in WAYS:
        made = (numbers.astype("f8") + shift) * divisor
        if not (numpy.isfinite(made).all() and made.min() + NEAR >= 0 and made.max() <= TOPS[-1] + NEAR):
            continue
        whole = made.round()
        if abs(made - whole).max() <= NEAR and len(numpy.unique(whole)) >= DIFFERENT:
            yield said, whole


def divided(numbers: Any, shape: Sequence[int], files: Sequence[tuple[str, bytes]]) -> str:
    """Returns what is wrong with numbers that were divided as if they went to 255, or "" if nothing is."""
    for said, whole in whole_numbers(numbers):
        rows = rows_of(whole.astype("u1"), shape)
        for name, data in files:
            tops = (max(own) for own in bytes_of(data) if max(own, default=0) in TOPS and lie_in(own, rows))
            top, where = next(tops, 0), "the largest in the file is"
            if not top:
                top, where = white_of(name, data, rows), "white in the file is"
            if top:
                return (
                    f"compared with {name}, its numbers were {said} as if they went to 255, and {where} "
                    f"{top}: are they to be divided by {top}, or sent as they are?"
                )
    return ""


def rows_of(whole: Any, shape: Sequence[int]) -> list[bytes]:
    """Returns the rows of numbers of such a shape, of all colours of each pixel, or all as one row."""
    sides = [one for one in shape if one > 1]
    wide = sides[-2] * sides[-1] if len(sides) > 2 and sides[-1] == COLOURS else sides[-1]
    return [bytes(row) for row in whole.reshape(-1, wide)]


def lie_in(own: bytes, rows: Sequence[bytes]) -> bool:
    """Whether rows lie in a file's numbers, one behind the other or an equal step apart, as those of a tile
    lie in a picture."""
    if b"".join(rows) in own:
        return True
    if len(rows) < 2:
        return False
    first, other = sorted(sorted(range(len(rows)), key=lambda at: -len({*rows[at]}))[:2])  # the liveliest two
    for start in places_of(rows[first], own):
        for end in places_of(rows[other], own):
            step, rest = divmod(end - start, other - first)
            begin = start - first * step
            if rest or step < len(rows[0]) or begin < 0:
                continue
            if all(own.startswith(row, begin + at * step) for at, row in enumerate(rows)):
                return True
    return False


def places_of(row: bytes, own: bytes) -> Iterator[int]:
    """Yields the first places of a row in numbers."""
    at = -1
    for _ in range(MOST_PLACES):
        if (at := own.find(row, at + 1)) < 0:
            return
        yield at


def white_of(name: str, data: bytes, rows: Sequence[bytes]) -> int:
    """Returns which number is white by the header of a picture in which rows lie, or 0 if it isn't small, or
    they don't."""
    source = decoded(name, data) if len(data) <= MOST_BYTES else None
    if source is None or not source.is_picture or not 1 < source.top <= TOPS[-1]:
        return 0
    stored = (source.array * (source.top / BYTE)).round().astype("u1")
    return source.top if lie_in(stored.tobytes(), rows) else 0


def of_words(numbers: Any, files: Sequence[tuple[str, bytes]]) -> str:
    """Returns what is wrong with pixels whose colours are the parts of a file's words as they are, divided as
    if each had 8 bits, or "" if nothing is."""
    for said, whole in whole_numbers(numbers):
        for (kind, bits), words in packed_from(whole.astype("u2")):
            name = next((name for name, data in files if len(data) <= MOST_BYTES and words in data), "")
            if name:
                tops = ", ".join(str((1 << bit) - 1) for bit in bits)
                return (
                    f"compared with {name}, the colours of its pixels of 16 bits ({kind}) were {said} as if "
                    f"they went to 255, and they go to {tops} (red, green, blue): are they to be divided by "
                    "these, or scaled up first?"
                )
    return ""


def unspread(numbers: Any, files: Sequence[tuple[str, bytes]]) -> str:
    """Returns what is wrong with an input of bytes that are the parts of a file's words as they are, also of
    a tile or of every second pixel, or "" if nothing is."""
    colours = numbers.astype("i4") + HALF * (numbers.dtype.kind == "i")
    if not TOPS[0] // 2 < colours.max() <= TOPS[-1]:
        return ""
    near = [one for one in files if FEWEST <= len(one[1]) <= MOST_BYTES][-MOST_FILES:]
    known = [(name, there) for name, data in near for there in words_of(data)]
    for (kind, bits), packed in packed_from(colours.astype("u2")) if near else ():
        words = numpy.unique(numpy.frombuffer(packed, "<u2"))
        for name, there in known:
            if are_among(words, there):
                tops = ", ".join(str((1 << bit) - 1) for bit in bits)
                return (
                    f"compared with {name}, its bytes are the parts of pixels of 16 bits ({kind}) as they "
                    f"are, to {tops} (red, green, blue), which is nearly black: are they to be spread to "
                    "0..255?"
                )
    return ""


def words_of(data: bytes) -> Iterator[Any]:
    """Yields for each word of 16 bits whether a file has it, from its first byte on and from the second."""
    for start in (0, 1):
        there = numpy.zeros(1 << WORD, bool)
        there[numpy.frombuffer(data[start : start + (len(data) - start) // 2 * 2], "<u2")] = True
        yield there


def are_among(words: Any, there: Any) -> bool:
    """Whether different words are all among a file's, which they aren't by chance."""
    return bool(there[words].all()) and len(words) * log2(len(there) / int(there.sum())) >= BITS


def packed_from(colours: Any) -> Iterator[tuple[tuple[str, tuple[int, int, int]], bytes]]:
    """The words of 16 bits that have some colours as their parts, in either order of bytes, with the colours'
    names and bits: of pixels in an input that has an axis of three colours."""
    for axis in [at for at, side in enumerate(colours.shape) if side == COLOURS]:
        parts = numpy.moveaxis(colours, axis, 0).reshape(COLOURS, -1)
        for (kind, bits), step in product(WORDS, (1, -1)):
            own = parts[::step]
            if any(int(one.max()) >> bit for one, bit in zip(own, bits, strict=True)):
                continue
            words = own[0] << bits[1] + bits[2] | own[1] << bits[2] | own[2]
            if len(numpy.unique(words)) < DIFFERENT:
                continue
            for order, alpha in product("<>", (0, 1 << sum(bits)) if sum(bits) < WORD else (0,)):
                yield (kind, bits), (words | alpha).astype(f"{order}u2").tobytes()


def standardised(own: Any, files: Sequence[tuple[str, bytes]], known: Callable[[], Any]) -> str:
    """What is wrong with numbers that were brought to -1..1 or so by a mean and a deviation of the program's,
    which are those of pixels to 255: the mean is larger than all numbers."""
    levels, step = levels_of(own)
    if own.max() >= 0 or levels is None:  # nothing is above the mean
        return ""
    for name, data in files:
        for numbers in bytes_of(data):
            top = max(numbers, default=0)
            if top not in TOPS:
                continue
            for times in range(1, STEPS + 1):
                line = line_in(numbers, levels * times, step / times, float(own.min()), top)
                said = line and above_white([line], top)
                if said and has_both(known(), *line):
                    return f"compared with {name}, {said}"
    return ""


def levels_of(own: Any) -> tuple[Any, float]:
    """Returns the levels of elements, whole numbers from 0 on, and how far apart two are, or None if they
    don't lie on a few even levels."""
    there = numpy.unique(own)
    steps = numpy.diff(there)
    if not DIFFERENT <= len(there) <= BYTE or not numpy.isfinite(there).all():
        return None, 0.0
    step = float(steps[steps > APART * steps.max()].min())
    levels = (own - own.min()) / step
    whole = levels.round()
    if whole.max() > TOPS[-1] or abs(levels - whole).max() > APART:
        return None, 0.0
    return whole.astype("i8"), float(own.max() - own.min()) / float(whole.max())


def line_in(
    numbers: bytes, levels: Any, step: float, low: float, top: int
) -> tuple[float, float] | tuple[()]:
    """Returns by which factor numbers became elements, and what was added, if they are levels of elements
    above a least number, or () if no part of them is."""
    for least in range(top - int(levels.max()) + 1):
        if bytes((levels + least).astype("u1")) in numbers:
            return step, low - step * least
    return ()


def above_white(lines: Sequence[tuple[float, float]], top: float) -> str:
    """What is wrong if the mean that was taken away from numbers, and the deviation by which they were
    divided, may be those of pixels to 255, and the mean is larger than the largest number. `lines` are a
    factor and what is added, of each channel."""
    means = [-plus / times for times, plus in lines]
    parts = [one / BYTE for one in (*means, *(1 / times for times, _ in lines))]
    if min(means) <= top or not all(PART[0] <= one <= PART[1] for one in parts):
        return ""
    return (
        f"its numbers go to {top:g}, and the mean that was taken away is {means[0]:.4g}, more than all of "
        f"them ({means[0] / BYTE:.4g} of 255): are they to be divided by {top:g} and not by 255 first?"
    )


def has_both(known: Any, times: float, plus: float) -> bool:
    """Whether a program has the mean and the deviation of numbers, also as parts of 255."""
    return any(
        all((abs(known - one * by) <= SAME * one * by).any() for one in (-plus / times, 1 / times))
        for by in (1.0, 1 / BYTE, 1 / (BYTE + 1))
    )


def bytes_of(data: bytes) -> Iterator[bytes]:
    """The numbers of a file, each as a byte: those that its bytes are, and those of a text."""
    if not FEWEST <= len(data) <= MOST_BYTES:
        return
    yield data
    if b"\0" not in data:
        found: list[Any] = [float(one) for one in NUMBER.findall(data)]
        yield bytes(int(one) if 0 <= one < BYTE and one == int(one) else BYTE for one in found)
