"""Pictures in formats that programs write themselves because they are simple: TGA, PAM, and PBM, PGM and PPM
in digits.

What is here: `simple_picture`, and `wrongly_simple`, what mistakes make of such files. What is not: PGM and
PPM of bytes, BMP and PNG (`decoding.py`), and TIFF (`tagged.py`). Sources:
https://netpbm.sourceforge.net/doc/, https://www.loc.gov/preservation/digital/formats/fdd/fdd000180.shtml
"""

from __future__ import annotations

from collections.abc import Iterator
from struct import unpack_from
from typing import Any

from ...arrays import numpy
from ..regex import regex

MOST = 16_000_000
"""The most pixels that are read."""
BYTE = 255
DIGITS = {b"P1": 1, b"P2": 1, b"P3": 3}
COMMENT = regex(rb"#[^\n]*\n")
HEAD = regex(rb"P[123](?:\s+#[^\n]*)*\s+(\d{1,6})\s+(\d{1,6})\s")
WHITE = regex(rb"\s*(\d{1,5})\s")
"""The number for white, which ends the header of PGM and PPM in digits. PBM has none."""
PAM, PAM_END, TOP = b"P7", b"ENDHDR\n", regex(rb"\nMAXVAL\s+(\d{1,5})\s")
TGA_HEADER = 18
COLOURS, GREY, PACKED = 2, 3, 8
"""Kinds of TGA; packed ones have a larger number by so much."""
FROM_TOP = 0x20


def simple_picture(name: str, data: bytes) -> Any:
    """Returns the pixels as u8 [height, width, channels], or None for other files. Raises an error for broken
    ones."""
    if data[:2] in DIGITS:
        return in_digits(data)
    if data[:3] == PAM + b"\n":
        return arbitrary(data)
    return truevision(data) if name.lower().endswith(".tga") else None


def in_digits(data: bytes) -> Any:
    """PBM, PGM or PPM whose pixels are written as numbers."""
    kind, channels = data[:2], DIGITS[data[:2]]
    words = COMMENT.sub(b" ", data[2:]).split()
    width, height = int(words[0]), int(words[1])
    size = sized(width, height) * channels
    if kind == b"P1":
        bits = numpy.frombuffer(b"".join(words[2:])[:size], "u1") - 48
        return (BYTE * (1 - bits)).astype("u1").reshape(height, width, 1)
    numbers = numpy.array(words[3 : 3 + size], "f4") * (BYTE / int(words[2]))
    return (numbers + 0.5).clip(0, BYTE).astype("u1").reshape(height, width, channels)


def white_in(data: bytes) -> int:
    """The value of white that PGM or PPM in digits, or PAM, says; 0 for others."""
    if data[:2] in (b"P2", b"P3") and (head := HEAD.match(data)) and (said := WHITE.match(data, head.end())):
        return int(said[1])
    found = TOP.search(data[: data.find(PAM_END)]) if data[:2] == PAM else None
    return int(found[1]) if found else 0


def arbitrary(data: bytes) -> Any:
    """PAM of 8 bits."""
    head, _, body = data.partition(PAM_END)
    fields = dict(line.split(None, 1) for line in head.split(b"\n")[1:] if b" " in line)
    width, height, depth, top = (int(fields[one]) for one in (b"WIDTH", b"HEIGHT", b"DEPTH", b"MAXVAL"))
    if not 0 < top <= BYTE or not 1 <= depth <= 4:
        raise ValueError("a PAM of another depth")
    pixels = numpy.frombuffer(body, "u1", sized(width, height) * depth).reshape(height, width, depth)
    pixels = pixels[..., [0, 0, 0, 1]] if depth == 2 else pixels
    return (pixels.astype("f4") * (BYTE / top) + 0.5).astype("u1")


def wrongly_simple(name: str, data: bytes) -> Iterator[tuple[str, Any]]:
    """Pixels as usual mistakes make them of such a file, with what is wrong."""
    if data[:2] in DIGITS:
        yield from digits_as_bytes(data)
    if not name.lower().endswith(".tga") or data[:2] in DIGITS or data[2] & PACKED:
        return
    if length := data[0]:
        said = (
            f"its pixels were taken from byte {TGA_HEADER}, right behind the header; the ID field there has "
            f"{length} bytes, and the pixels begin behind it"
        )
        yield said, truevision(data, 0)
    if not length:
        said = "the file's header of 18 bytes was not passed over"
        yield said, truevision(data, -TGA_HEADER)


def digits_as_bytes(data: bytes) -> Iterator[tuple[str, Any]]:
    """The bytes of the digits of a picture, taken for its pixels."""
    kind, head = data[:2].decode(), HEAD.match(data)
    white = WHITE.match(data, head.end()) if head and kind != "P1" else head
    if head is None or white is None:
        return
    width, height, top = int(head[1]), int(head[2]), int(white[1]) if kind != "P1" else 1
    size = sized(width, height) * DIGITS[data[:2]]
    body = data[white.end() : white.end() + size]
    if not 0 < top <= BYTE or len(body) < size:
        return
    pixels = numpy.frombuffer(body, "u1").reshape(height, width, -1)
    said = (
        f"the bytes of its text were taken for pixels: the file begins with {kind}, so that its pixels are "
        "numbers in digits, with blanks between them"
    )
    yield said, pixels.astype("f4") * (BYTE / top) if top < BYTE else pixels


def truevision(data: bytes, length: int | None = None) -> Any:
    """TGA in grey, or of 24 or 32 bits, packed or not. `length` is that of the field before the pixels, if it
    isn't what the file says."""
    length, has_map, kind = data[0] if length is None else length, data[1], data[2]
    width, height, bits, how = unpack_from("<HHBB", data, 12)
    if has_map or kind & ~PACKED not in (COLOURS, GREY) or bits not in (8, 24, 32):
        raise ValueError("a TGA of another kind")
    channels = bits // 8
    body, size = data[TGA_HEADER + length :], sized(width, height) * channels
    pixels = numpy.frombuffer(unpacked(body, size, channels) if kind & PACKED else body, "u1", size)
    rows = pixels.reshape(height, width, channels)
    rows = rows if how & FROM_TOP else rows[::-1]
    return rows[..., [2, 1, 0, 3][:channels]] if channels > 1 else rows


def unpacked(body: bytes, size: int, channels: int) -> bytes:
    """Pixels of a TGA in which equal ones are written once."""
    made, at = bytearray(), 0
    while len(made) < size:
        count = (body[at] & 127) + 1
        step = channels if body[at] & 128 else channels * count
        part = body[at + 1 : at + 1 + step]
        made += part * count if body[at] & 128 else part
        at += 1 + step
    return bytes(made[:size])


def sized(width: int, height: int) -> int:
    """The number of pixels. Raises ValueError if it is zero or too large."""
    if not 0 < width * height <= MOST:
        raise ValueError(f"a picture of {width} x {height} pixels")
    return width * height
