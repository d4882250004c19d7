"""Pictures in baseline TIFF, which is not compressed, and how programs that read them by hand go wrong.

What is here: `tagged`, the pixels of such a file, `wrongly_tagged`, those of usual mistakes, and
`deep_tagged`, its samples of 16 bits. What is not: other formats (`decoding.py`, `older.py`). Source:
https://www.itu.int/itudoc/itu-t/com16/tiff-fx/docs/tiff6.pdf
"""

from __future__ import annotations

from collections.abc import Iterator
from struct import calcsize, unpack_from
from typing import Any

from ...arrays import numpy
from ...records import Frozen, changed

LITTLE, BIG = b"II*\0", b"MM\0*"
ORDERS = {LITTLE: "<", BIG: ">"}
KINDS = {1: "B", 3: "H", 4: "I"}
"""Types of fields that are whole numbers: bytes, and words of 16 and 32 bits."""
ENTRY, HEADER = 12, 8
WIDTH, HEIGHT, BITS, PACKED, MEANING, STRIPS, CHANNELS, PLANAR = 256, 257, 258, 259, 262, 273, 277, 284
"""Tags; STRIPS is that of StripOffsets, MEANING that of PhotometricInterpretation."""
ROWS, ORIENTATION = 278, 274
DEFAULTS = {BITS: (1,), PACKED: (1,), CHANNELS: (1,), PLANAR: (1,), ORIENTATION: (1,)}
WHITE_IS_ZERO, COLOURED = 0, 2
PLANES = 2
"""The PlanarConfiguration of a plane for each colour."""
MOST = 16_000_000
"""The most pixels that are read."""
MOST_FIELDS, MOST_TURNS = 64, 8


class Tagged(Frozen):
    """What the directory of a file says. Each strip has `rows` rows, the last perhaps fewer. `behind` is the
    first byte behind the directory, and `order` "<" or ">". `is_planar`: strips of all red pixels come first,
    then those of all green ones, and of blue ones. `is_turned`: its rows are not those of the picture from
    above, from left to right."""

    width: int
    height: int
    bits: int
    channels: int
    meaning: int
    rows: int
    strips: tuple[int, ...]
    behind: int
    order: str
    is_planar: bool = False
    is_turned: bool = False

    @property
    def stride(self) -> int:
        """Bytes of a row."""
        return (self.width * self.channels * self.bits + 7) // 8


def directory(data: bytes) -> Tagged | None:
    """Returns the first directory of a file, or None for other files, and for pictures that are compressed,
    in planes, or of another kind than grey, black and white, and colours."""
    order = ORDERS.get(bytes(data[:4]))
    if order is None or len(data) < HEADER:
        return None
    (at,) = unpack_from(f"{order}I", data, 4)
    (count,) = unpack_from(f"{order}H", data, at)
    fields = DEFAULTS | {
        tag: values
        for number in range(min(count, MOST_FIELDS))
        for tag, values in field(data, at + 2 + ENTRY * number, order)
    }
    known = all(tag in fields for tag in (WIDTH, HEIGHT, MEANING, STRIPS))
    if not known or fields[PACKED] != (1,) or len(set(fields[BITS])) > 1:
        return None
    height, channels, meaning = fields[HEIGHT][0], fields[CHANNELS][0], fields[MEANING][0]
    is_planar = fields[PLANAR] == (PLANES,)
    if meaning > COLOURED or (channels > 1) != (meaning == COLOURED) or (is_planar and fields[BITS][0] != 8):
        return None
    rows = min(height, fields.get(ROWS, (height,))[0])
    behind = at + 2 + ENTRY * count + 4  # the place of the next directory follows
    return Tagged(
        fields[WIDTH][0], height, fields[BITS][0], channels, meaning, rows, fields[STRIPS], behind, order,
        is_planar, 1 < fields[ORIENTATION][0] <= MOST_TURNS,
    )  # fmt: skip


def field(data: bytes, at: int, order: str) -> Iterator[tuple[int, tuple[int, ...]]]:
    """The tag and the values of an entry of a directory, if these are whole numbers."""
    tag, kind, count = unpack_from(f"{order}HHI", data, at)
    if kind in KINDS and 0 < count <= len(data):
        form = f"{order}{count}{KINDS[kind]}"
        place = at + HEADER if calcsize(form) <= 4 else unpack_from(f"{order}I", data, at + HEADER)[0]
        if place + calcsize(form) <= len(data):
            yield tag, unpack_from(form, data, place)


def tagged(data: bytes) -> Any:
    """Returns the pixels as u8 [height, width, channels], 255 is white, or None for other files. Raises an
    error for broken ones."""
    known = directory(data) if data[:4] in ORDERS else None
    if known is None or not 0 < known.width * known.height <= MOST or known.bits not in (1, 8, 16):
        return None
    pixels = levels(known, body_of(known, data))
    return 255 - pixels if known.meaning == WHITE_IS_ZERO else pixels


def asks_for_a_turn(data: bytes) -> bool:
    """Whether such a file says that its picture is to be turned or mirrored to be looked at (Orientation)."""
    known = directory(data) if data[:4] in ORDERS else None
    return known is not None and known.is_turned


def body_of(known: Tagged, data: bytes) -> bytes:
    """The bytes of all rows."""
    planes = known.channels if known.is_planar else 1
    whole = known.stride * known.height // planes
    size, each = known.stride * known.rows // planes, len(known.strips) // planes
    parts = []
    for number, start in enumerate(known.strips):
        left = whole - number % max(1, each) * size
        parts.append(data[start : start + min(size, left)])
    return b"".join(parts)


def levels(known: Tagged, body: bytes) -> Any:
    """The numbers of rows in a byte each: of 16 bits the higher one, of one bit 0 and 255."""
    rows = numpy.frombuffer(body, "u1", known.stride * known.height).reshape(known.height, -1)
    if known.bits == 1:
        return 255 * numpy.unpackbits(rows, axis=1)[:, : known.width, None]
    if known.is_planar:
        return rows.reshape(known.channels, known.height, known.width).transpose(1, 2, 0)
    if known.bits == 16:
        rows = rows[:, known.order == "<" :: 2]
    return rows.reshape(known.height, known.width, known.channels)


def deep_tagged(data: bytes) -> tuple[Any, int] | None:
    """Returns the samples [height, width, channels] of a file of 16 bits, and the value of white, or None for
    others."""
    known = directory(data) if data[:4] in ORDERS else None
    if known is None or known.bits != 16 or known.meaning == WHITE_IS_ZERO:
        return None
    count = known.height * known.width * known.channels
    body = body_of(known, data)
    if len(body) < 2 * count or count > MOST:
        return None
    samples = numpy.frombuffer(body, f"{known.order}u2", count).astype("u2")
    return samples.reshape(known.height, known.width, known.channels), 65535


def wrongly_tagged(data: bytes) -> Iterator[tuple[str, Any]]:
    """Pixels as usual mistakes make them of such a file, with what is wrong."""
    known = directory(data) if data[:4] in ORDERS else None
    if known is None or known.bits != 8 or not known.width * known.height:
        return
    is_inverted = known.meaning == WHITE_IS_ZERO
    if is_inverted:
        said = "in this TIFF 0 is white (PhotometricInterpretation 0), and it was taken for black"
        yield said, levels(known, body_of(known, data))
    if known.is_planar:
        said = (
            "its colours lie plane after plane (PlanarConfiguration 2), and were read as if those of each "
            "pixel lay side by side"
        )
        yield said, levels(changed(known, is_planar=False), body_of(known, data))
    size, first = known.stride * known.height, known.strips[0]
    places = {HEADER: "the header", known.behind - 4: "the directory", known.behind: "the directory"}
    for place, what in places.items():
        if place != first and len(data) >= place + size:
            pixels = levels(known, data[place : place + size])
            said = (
                f"its pixels were taken from byte {place:,}, right behind {what}; StripOffsets says that "
                f"they begin at byte {first:,}"
            )
            yield said, 255 - pixels if is_inverted else pixels
    body = data[first : first + size]
    if len(known.strips) > 1 and len(body) == size and body != body_of(known, data):
        said = "its strips were read one behind the other; StripOffsets says that each has a place of its own"
        pixels = levels(known, body)
        yield said, 255 - pixels if is_inverted else pixels
