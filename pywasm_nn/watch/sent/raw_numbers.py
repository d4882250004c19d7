"""Inputs of the numbers of a file in no known format: a header that was taken for numbers, and bytes that
were taken with a sign.

What is here: `misread_raw`. A file whose length is that of some inputs and a few bytes more begins with these
as its header. What is not: pictures, sounds and arrays, which say themselves where their numbers begin
(`origin.runs`), and numbers that a text describes (`origin.laid_out`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from struct import pack
from typing import Any

from ...arrays import numpy
from ...nn.formats import KNOWN
from ...nn.tensor import Tensor
from ...records import Frozen
from ..facts import picture_of
from ..origin.layouts import layout_of, packed_of

KINDS = ("<u2", ">u2", "<i2", ">i2", "u1", "<f4", ">f4", "<i4", "<u4")
"""Types of numbers, the most usual first."""
FEWEST, FEWEST_BYTES, MOST, MOST_FILES = 64, 8, 1 << 18, 4
MOST_HEADER, HEADER = 128, 4096
"""Bytes of a header that are compared, and in which a known format shows."""
POINTS = 12
EXACT = 1e-4
"""How far elements may be from numbers on a line, in parts of their size."""
FAR = 3.0
"""Numbers of a header are so many times the range of all others away from them."""
LETTERS = 4
BYTE = 255.0
SIGNED = 2
"""So many bytes have a sign, and so many have none."""
NEAR, WIDER, FAR_OFF, SHARE = 0.3, 1.35, 0.6, 0.08
"""How far the mean of numbers may be from that of all, in deviations, and by which factor their deviation
differs from that; how far it is off for other numbers; and the least part that has a sign, and that has
none."""
MEDIA = (b"RIFF", b"FORM", b".snd", b"\x89PNG", b"\xff\xd8\xff", b"GIF8", b"II*\0", b"MM\0*", b"YUV4", b"P4")


class Raw(Frozen):
    """Bytes of a file that are `header` bytes and `count` times the numbers of an input, each of `width`
    bytes."""

    name: str
    data: bytes
    header: int
    width: int
    count: int


def misread_raw(tensor: Tensor, files: Sequence[tuple[str, bytes]]) -> str:
    """Returns what is wrong with an input of numbers, or "" if nothing is."""
    numbers = tensor.numbers()
    if numbers is None or numbers.dtype.kind not in "fiu":
        return ""
    is_float = numbers.dtype.kind == "f"
    flat = numbers.astype("f8")
    if not FEWEST_BYTES <= flat.size <= MOST or not numpy.isfinite(flat).all() or not numpy.ptp(flat):
        return ""
    said = (
        with_header(tensor.shape, flat, raw, kind)
        or (with_signs(flat, raw) if is_float and kind == "u1" else "")
        for raw, kind in raws(flat.size, files)
    )
    return next(filter(None, said), "")


def raws(size: int, files: Sequence[tuple[str, bytes]]) -> Iterator[tuple[Raw, str]]:
    """Files without a known format that may have a short header, with the types of their numbers."""
    for name, data in [one for one in reversed(files) if KNOWN.of_file(one[0]) is None][:MOST_FILES]:
        head = data[:HEADER]
        if head.startswith(MEDIA) or layout_of(head) is not None or packed_of(head) is not None:
            continue
        for kind in KINDS:
            width = int(kind[-1])
            count, header = divmod(len(data), size * width)
            if count and header <= MOST_HEADER:
                yield Raw(name, data, header, width, count), kind


def with_header(shape: Sequence[int], flat: Any, raw: Raw, kind: str) -> str:
    """Whether the first elements are the end of the file's header."""
    if not raw.header or flat.size < FEWEST:
        return ""
    for pixels, start in product(orders(shape, flat), range(raw.header)):
        lead = -(-(raw.header - start) // raw.width)
        if lead >= len(pixels):
            continue  # all are header
        is_known = is_beyond(pixels[:, 0], lead) or says_it(raw.data[start : raw.header], start, shape)
        if is_known and is_line(pixels, raw.data, kind, start):
            first = "first element is" if lead == 1 else f"first {lead} elements are"
            whole = f"{raw.count} inputs of {flat.size * raw.width:,} bytes" if raw.count > 1 else "the input"
            return (
                f"compared with {raw.name}, its {first} of the file's header: numbers were read from byte "
                f"{start} on, and begin at byte {raw.header} ({whole} and {raw.header} bytes are the "
                f"{len(raw.data):,} of the file)"
            )
    return ""


def orders(shape: Sequence[int], flat: Any) -> Iterator[Any]:
    """Elements in the orders that they may have in a file: as one column, and pixel by pixel with a column
    for each colour, which may have a scale and shift of its own."""
    yield flat[:, None]
    picture = picture_of(shape)
    if picture is None or picture.channels == 1:
        return
    channels, pixels = picture.channels, picture.height * picture.width
    if flat.size == channels * pixels:
        yield flat.reshape(channels, pixels).T if picture.planar else flat.reshape(pixels, channels)


def is_beyond(flat: Any, lead: int) -> bool:
    """Whether one of the first elements is far away from all others."""
    rest = flat[lead:]
    low, high = float(rest.min()), float(rest.max())
    room = FAR * (high - low)
    return bool(room and (flat[:lead].min() < low - room or flat[:lead].max() > high + room))


def says_it(header: bytes, start: int, shape: Sequence[int]) -> bool:
    """Whether bytes are the beginning of a file, letters and then numbers, or numbers that are the input's
    two sides."""
    if start == 0 and header[:LETTERS].isalnum() and b"\0" in header:
        return True
    picture = picture_of(shape)
    plain = tuple(one for one in shape if one > 1)[-2:]
    sides = plain if picture is None else (picture.height, picture.width)
    if len(sides) < 2:
        return False
    return any(
        all(header.count(pack(f"{order}{word}", side)) >= sides.count(side) for side in sides)
        for (size, word), order in product(((4, "I"), (2, "H")), "<>")
        if max(sides) < 256**size and len(header) >= 2 * size
    )


def is_line(columns: Any, data: bytes, kind: str, start: int) -> bool:
    """Whether the elements of each column are numbers from a byte on, by one scale and shift."""
    if len(data) < start + columns.size * int(kind[-1]):
        return False
    numbers = numpy.frombuffer(data, kind, columns.size, start).reshape(columns.shape)
    return all(on_line(*pair) for pair in zip(columns.T, numbers.T, strict=True))


def on_line(flat: Any, numbers: Any) -> bool:
    """Whether elements are numbers by one scale and shift. A few are compared first."""
    some = numpy.unique([*numpy.linspace(0, flat.size - 1, POINTS).astype(int), flat.argmin(), flat.argmax()])
    return line_of(flat[some], numbers[some]) is not None and line_of(flat, numbers) is not None


def line_of(flat: Any, numbers: Any) -> tuple[float, float] | None:
    """Returns the scale and shift from numbers to elements, or None if these are others."""
    numbers = numbers.astype("f8")
    low, high = int(flat.argmin()), int(flat.argmax())
    apart = numbers[high] - numbers[low]
    if not numpy.isfinite(numbers).all() or not apart:
        return None
    scale = float((flat[high] - flat[low]) / apart)
    shift = float(flat[low] - scale * numbers[low])
    off = abs(scale * numbers + shift - flat)
    return (scale, shift) if bool((off <= EXACT * numpy.ptp(flat)).all()) else None


def with_signs(flat: Any, raw: Raw) -> str:
    """Whether bytes from 128 on became negative, though they were divided by 255 (or 127.5) as bytes without
    a sign are, or standardised by the mean and deviation that they have without a sign."""
    octets = numpy.frombuffer(raw.data, "i1")
    for start in range(raw.header, len(raw.data) - flat.size + 1, flat.size):
        part = octets[start : start + flat.size]
        line = line_of(flat, part)
        if line is None or min((part < 0).sum(), (part >= 0).sum()) < SIGNED:
            continue
        if any(abs(abs(line[0]) * by - 1) < EXACT for by in (BYTE, BYTE / 2)) or fits_unsigned(
            octets[raw.header :], line
        ):
            return (
                f"compared with {raw.name}, bytes from 128 to 255 were taken as signed (-128 to -1): are "
                "they loaded by i32.load8_s, as `char` or as i8?"
            )
    return ""


def fits_unsigned(octets: Any, line: tuple[float, float]) -> bool:
    """Whether the mean that was taken away from bytes, and the deviation by which they were divided, are
    nearly those that they have without a sign, and not those that they have with one."""
    mean, deviation = -line[1] / line[0], 1 / line[0]
    own, other = (one.astype("f8") for one in (octets.view("u1"), octets))
    is_theirs = abs(own.mean() - mean) <= NEAR * deviation and 1 / WIDER <= own.std() / deviation <= WIDER
    is_mixed = min((octets < 0).mean(), (octets >= 0).mean()) >= SHARE
    return bool(deviation > 0 and is_theirs and is_mixed and abs(other.mean() - mean) >= FAR_OFF * deviation)
