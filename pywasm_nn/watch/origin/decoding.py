"""Files as pictures, sounds and arrays: decoders of PGM, PPM, BMP and PNG (not interlaced) without
any package, of .npy with numpy, and of other pictures with Pillow if it is installed.

What is not here: JPEG without Pillow (`jpeg.py`), WAV (`waves.py`), which file a guest read (`following.py`),
and laying pictures out for a model (`cli.picture`).
"""

from __future__ import annotations

import re
import warnings
import zlib
from io import BytesIO
from struct import unpack
from typing import Any

from ...arrays import numpy
from ...npy import MAGIC, stored_in
from ...records import Frozen, changed
from .big_endian import big_endian_in
from .jpeg import jpeg, orientation
from .layouts import layout_of
from .long_headers import from_byte_54
from .older import simple_picture, white_in, wrongly_simple
from .parts import PORTABLE, starts
from .tagged import asks_for_a_turn, tagged, wrongly_tagged
from .waves import Wave, wave_in

CHANNELS = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}
"""Channels by colour type of PNG."""
PALETTE = 3
PNG, PNG_COLOUR = b"\x89PNG", 25
"""The first bytes of PNG, and the place of its colour type."""
NUMBERED = "numbers of colours in the palette were taken for levels of grey"
BMP_HEADER = 54
PAETH = 4
"""The last of the filters of PNG."""
BAND = 256
"""So many lines of a PNG are made at a time."""
BYTE = 255
MOST_WHITE = 65535
MOST_PIXELS = 100_000_000
MOST_DECODED = 16_000_000
"""The most pixels of a file of a guest's that is decoded."""
ORIENTATION = 0x0112
"""The tag of EXIF."""
JPEG = b"\xff\xd8\xff"
PILLOWS = ("JPEG", "PNG", "PPM", "BMP", "GIF", "WEBP")
"""Formats that Pillow decodes here."""


class Source(Frozen):
    """A decoded file: a picture as u8 [height, width, channels], a sound as f32 [samples] or
    [samples, channels] in -1..1, or another array. `said` describes it: "500 x 375 pixels". `top` is the
    value of white in the file, `turned` says that the file asks for its picture to be turned (Orientation),
    `rate`, `width` (bytes of a sample), `start` (offset of the first sample), `is_float` and `law` are those
    of a sound, `data` are the file's bytes, and `others` the pixels of a picture if these are taken for
    another format, with what is wrong then.
    """

    name: str
    array: Any
    said: str
    is_picture: bool = False
    top: int = BYTE
    turned: bool = False
    rate: int = 0
    width: int = 0
    start: int = 0
    is_float: bool = False
    law: str = ""
    data: bytes = b""
    others: tuple[tuple[str, Any], ...] = ()
    is_ordered: bool = True
    """Whether the file says in which order its colours are."""
    place: tuple[int, int] = (1, 1)
    """Which picture of a file it is, from 1, of how many."""
    with_alpha: Any = None
    """Of a picture that was blended over something, the pixels [height, width, 4] before that."""
    said_white: int = 0
    """The value of white by the file's header, where `top` doesn't have it: of 16 bits, or in digits."""

    @property
    def frame(self) -> int:
        """A sample of a sound takes this many bytes in all of its channels together."""
        return self.width * (1 if self.array.ndim == 1 else self.array.shape[1])

    @property
    def white(self) -> int:
        """The value of white, of any number of bits."""
        return self.said_white or self.top


def decoded(name: str, data: bytes) -> Source | None:
    """Returns the picture, sound or array in the bytes of a file, or None if they are something else, or
    larger than what is decoded."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            if (simple := simple_picture(name, data)) is not None:
                said = f"{simple.shape[1]} x {simple.shape[0]} pixels"
                others = tuple(wrongly_simple(name, data))
                return Source(name, simple, said, True, others=others, said_white=white_in(data))
            if (found := tagged(data)) is not None:
                said = f"{found.shape[1]} x {found.shape[0]} pixels"
                others = tuple(wrongly_tagged(data))
                turned = asks_for_a_turn(data)
                return Source(name, found, said, True, turned=turned, data=data, others=others)
            found = picture_in(data)
            if found is not None:
                said = f"{found.shape[1]} x {found.shape[0]} pixels"
                others = (*commented(data), *paletted(data))
                turned = is_turned(data)
                top, larger = white(data), large_white(data)
                return Source(
                    name, found, said, True, top, turned, data=data, others=others, said_white=larger
                )
            if data[:4] == b"RIFF":
                return sound(name, wave_in(data), data)
            if (heard := big_endian_in(data)) is not None:
                return sound(name, *heard)
            return array_in(name, data) if data.startswith(MAGIC) else None
    except Exception:  # a decoder's error: the file is no source, whatever is wrong with it
        return None


def pictures(name: str, data: bytes) -> list[Source]:
    """Returns what is in the bytes of a file, each picture of several that follow each other as one of its
    own."""
    parts = parted(data)
    found = [one for part in parts if (one := decoded(name, part)) is not None]
    if len(parts) == 1:
        return found
    count = len(found)
    return [
        changed(one, said=f"picture {at} of {count}, {one.said}", place=(at, count))
        for at, one in enumerate(found, 1)
    ]


def parted(data: bytes) -> list[bytes]:
    """The bytes of each of the pictures in a file, in PGM, PPM or PNG; all bytes if there is one thing in it.
    What follows the last picture belongs to it."""
    found = starts(data)
    return [data[start:end] for start, end in zip(found, [*found[1:], len(data)], strict=True)]


def needs_pillow(data: bytes) -> bool:
    """Whether a file that was not decoded is a picture that Pillow may decode, and it isn't there."""
    if not data.startswith((JPEG, b"GIF8", b"\x89PNG")) and data[8:12] != b"WEBP":
        return False
    try:
        import PIL.Image  # noqa: F401 - asks whether it is there
    except ImportError:
        return True
    return False


def picture_in(data: bytes) -> Any:
    """Returns the pixels, with alpha if Pillow finds it, or None if the bytes are no picture."""
    if data[:2] in (b"P5", b"P6"):
        return portable(data)
    try:
        from PIL import Image
    except ImportError:
        if data.startswith(JPEG):
            return jpeg(data)
        return png(data, alpha=True) if data[:8] == b"\x89PNG\r\n\x1a\n" else bitmap(data)
    try:
        image = Image.open(BytesIO(data), formats=PILLOWS)
    except OSError:
        return None
    with image:
        if image.width * image.height > MOST_DECODED:
            return None
        mode = {"L": "L", "1": "L"}.get(image.mode, "RGBA" if "A" in image.getbands() else "RGB")
        pixels = numpy.asarray(image.convert(mode))
    return pixels[:, :, None] if pixels.ndim == 2 else pixels


def commented(data: bytes) -> tuple[tuple[str, Any], ...]:
    """Pixels of a PGM or PPM whose header has a comment, if it is taken for a header without."""
    head = PORTABLE.match(data)
    if head is None or b"#" not in head[0] or int(head[4]) > BYTE:
        return ()
    plain = len(b" ".join(head.group(1, 2, 3, 4))) + 2
    width, height, channels = int(head[2]), int(head[3]), 1 if head[1] == b"5" else 3
    pixels = numpy.frombuffer(data, "u1", width * height * channels, plain)
    said = (
        f"the file's header has {head.end()} bytes, with a comment, and {plain} were skipped: the others are "
        "taken for pixels"
    )
    return ((said, pixels.reshape(height, width, channels)),)


def white(data: bytes) -> int:
    """The value of white in a PGM or PPM of 8 bits; 255 in all others."""
    head = PORTABLE.match(data)
    return min(int(head[4]), BYTE) if head else BYTE


def large_white(data: bytes) -> int:
    """The value of white in a PGM or PPM of 16 bits; 0 in all others."""
    head = PORTABLE.match(data)
    return int(head[4]) if head and BYTE < int(head[4]) <= MOST_WHITE else 0


def is_turned(data: bytes) -> bool:
    """Whether a file asks for its picture to be turned."""
    try:
        from PIL import Image
    except ImportError:
        return data.startswith(JPEG) and orientation(data) != 1
    if data[:2] in (b"P5", b"P6"):
        return False
    with Image.open(BytesIO(data), formats=PILLOWS) as image:
        return bool(image.getexif().get(ORIENTATION, 1) != 1)


def sound(name: str, found: Wave, data: bytes) -> Source:
    """The samples of a sound, whose bytes begin with the lower one."""
    return Source(
        name,
        found.samples,
        f"{len(found.samples)} samples at {found.rate} Hz",
        rate=found.rate,
        width=found.width if data else 0,
        start=found.start if data else 0,
        is_float=found.is_float,
        law=found.law,
        data=data,
    )


def array_in(name: str, data: bytes) -> Source | None:
    """The array of a .npy file."""
    array = stored_in(data).array
    if array.dtype.kind not in "biuf" or not array.size:
        return None
    return Source(name, array, f"{array.dtype}[{','.join(map(str, array.shape))}]")


def portable(data: bytes) -> Any:
    """PGM or PPM, binary (https://netpbm.sourceforge.net/doc/pgm.html)."""
    if (samples := deep(data)) is not None:
        return (samples[0].astype("f4") * (BYTE / samples[1]) + 0.5).clip(0, BYTE).astype("u1")
    head = PORTABLE.match(data)
    if head is None or not 0 < int(head[4]) <= BYTE:
        raise ValueError("the header is no PGM or PPM")
    shape, size = portable_shape(head)
    if len(data) - head.end() < size:
        raise ValueError("the picture ends early")
    pixels = numpy.frombuffer(data, "u1", size, head.end()).reshape(shape)
    return (pixels.astype("f4") * (BYTE / int(head[4])) + 0.5).astype("u1")


def portable_shape(head: re.Match[bytes]) -> tuple[tuple[int, int, int], int]:
    """The height, width and channels of a PGM or PPM, and how many samples these are. Raises ValueError if
    they are none or too many."""
    channels, width, height = 1 if head[1] == b"5" else 3, int(head[2]), int(head[3])
    return (height, width, channels), sized(width, height) * channels


def bitmap(data: bytes) -> Any:
    """Returns the pixels of a BMP of 24 or 32 bits, without alpha, or of 8 bits with a palette, or None for
    any other."""
    if (numbered := indexed(data)) is not None:
        return numbered[1][numbered[0]][..., 2::-1]
    layout = layout_of(data) if data[:2] == b"BM" else None
    if layout is None or sized(layout.width, layout.height) > MOST_DECODED:
        return None
    stride = abs(layout.stride)
    rows = numpy.frombuffer(data, "u1", stride * layout.height, layout.first).reshape(-1, stride)
    pixels = rows[:, : layout.width * layout.channels].reshape(layout.height, layout.width, -1)[..., 2::-1]
    return pixels if layout.stride > 0 else pixels[::-1]


def indexed(data: bytes) -> tuple[Any, Any] | None:
    """Returns the numbers [height, width] of a BMP of 8 bits, which isn't compressed, and its palette [256,
    4], or None for any other file."""
    if data[:2] != b"BM" or len(data) < BMP_HEADER:
        return None
    first, size, width, height, _, bits, compressed = unpack("<IIiiHHI", data[10:34])
    stride, used = (width + 3) // 4 * 4, min(256, (first - 14 - size) // 4)
    if bits != 8 or compressed or min(width, used) < 1 or sized(width, abs(height)) > MOST_DECODED:
        return None
    rows = numpy.frombuffer(data, "u1", stride * abs(height), first).reshape(-1, stride)[:, :width]
    palette = numpy.zeros((256, 4), "u1")
    palette[:used] = numpy.frombuffer(data, "u1", 4 * used, 14 + size).reshape(-1, 4)
    return (rows[::-1] if height > 0 else rows), palette


def paletted(data: bytes) -> tuple[tuple[str, Any], ...]:
    """The numbers of a palette, if they are taken for levels of grey and are none."""
    if data.startswith(PNG) and data[PNG_COLOUR : PNG_COLOUR + 1] == bytes([PALETTE]):
        try:
            numbers, pixels = png(data, numbered=True)[..., None], png(data)
        except ValueError:  # only Pillow decodes it
            return ()
        return () if (pixels == numbers).all() else as_grey(numbers)
    numbered = indexed(data)
    if numbered is None:
        return ()
    (height, width), (first,) = numbered[0].shape, unpack("<I", data[10:14])
    stride = (width + 3) // 4 * 4
    rows = numpy.frombuffer(data, "u1", stride * height, BMP_HEADER).reshape(height, stride)[:, :width, None]
    palette = (
        f"its pixels were taken from byte {BMP_HEADER}, right behind the header; a palette is there, and "
        f"they begin at byte {first:,}"
    )
    turned = (palette, rows[::-1]), (f"{palette}; and the picture is upside down", rows)
    early = (*from_byte_54(data, numbered[0]), *turned)
    if (numbered[1][:, :3] == numpy.arange(256)[:, None])[numbered[0]].all():
        return early if first > BMP_HEADER else ()
    return (*as_grey(numbered[0][..., None]), *early)


def as_grey(numbers: Any) -> tuple[tuple[str, Any], ...]:
    """Numbers of a palette [height, width, 1] as the pixels of a picture, grey or in three channels."""
    return (NUMBERED, numbers), (NUMBERED, numbers.repeat(3, axis=2))


def deep(data: bytes) -> tuple[Any, int] | None:
    """Returns the samples [height, width, channels] of a PGM or PPM of 16 bits, and the value of white, or
    None if the file is no such one, or ends early."""
    head = PORTABLE.match(data)
    if head is None or not BYTE < int(head[4]) <= MOST_WHITE:
        return None
    shape, size = portable_shape(head)
    if len(data) - head.end() < 2 * size:
        return None
    samples = numpy.frombuffer(data, ">u2", size, head.end()).reshape(shape)
    return samples.astype("u2"), int(head[4])


def png(data: bytes, *, alpha: bool = False, numbered: bool = False) -> Any:
    """PNG (https://www.w3.org/TR/png-3/): one channel or three; four with `alpha`, if there is any. With
    `numbered`, the numbers [height, width] of a picture with a palette."""
    at, packed, palette, header, clear = 8, b"", b"", b"", b""
    while at + 8 <= len(data):
        (length,) = unpack(">I", data[at : at + 4])
        kind, body = data[at + 4 : at + 8], data[at + 8 : at + 8 + length]
        header = body if kind == b"IHDR" else header
        palette = body if kind == b"PLTE" else palette
        clear = body if kind == b"tRNS" else clear
        packed += body if kind == b"IDAT" else b""
        at += 12 + length
    if len(header) != 13:
        raise ValueError("the PNG has no header")
    width, height, depth, colour, _, _, interlaced = unpack(">IIBBBBB", header)
    if interlaced or colour not in CHANNELS or depth not in (1, 2, 4, 8, 16):
        raise ValueError("only PNG that isn't interlaced is read without Pillow")
    channels = CHANNELS[colour]
    sized(width, height)
    stride = (width * channels * depth + 7) // 8
    size = (stride + 1) * height
    raw = zlib.decompressobj().decompress(packed, size)
    if len(raw) < size:
        raise ValueError("the picture ends early")
    rows = numpy.frombuffer(raw, "u1").reshape(height, stride + 1)
    pixels = samples(unfiltered(rows, max(1, channels * depth // 8)), width, channels, depth)
    if numbered:
        return pixels[:, :, 0]
    if colour == PALETTE:
        table = numpy.full((256, 4), BYTE, "u1")
        table[: len(palette) // 3, :3] = numpy.frombuffer(palette, "u1").reshape(-1, 3)
        table[: len(clear), 3] = numpy.frombuffer(clear[:256], "u1")
        return table[pixels[:, :, 0]][..., : 4 if alpha and clear else 3]
    if depth < 8:
        pixels = pixels * (BYTE // ((1 << depth) - 1))
    if alpha:
        return pixels[:, :, [0, 0, 0, 1]] if channels == 2 else pixels
    return pixels[:, :, : 1 if channels <= 2 else 3]


def samples(rows: Any, width: int, channels: int, depth: int) -> Any:
    """Bytes [height, bytes] of so many bits a sample as pixels [height, width, channels] of a byte each: of
    16 bits the high one."""
    height = len(rows)
    if depth >= 8:
        return rows.reshape(height, width, channels, -1)[..., 0]
    bits = numpy.unpackbits(rows, axis=1).reshape(height, -1, depth)
    numbers = (bits * (1 << numpy.arange(depth)[::-1]).astype("u1")).sum(axis=2, dtype="u1")
    return numbers[:, : width * channels].reshape(height, width, channels)


def sized(width: int, height: int) -> int:
    """The number of pixels of a picture. Raises ValueError if it is zero or too large."""
    if not 0 < width * height <= MOST_PIXELS:
        raise ValueError(f"a picture of {width} x {height} pixels")
    return width * height


def unfiltered(rows: Any, step: int) -> Any:
    """Lines of a PNG without their filters (section 9)."""
    height, width = rows.shape[0], (rows.shape[1] - 1) // step
    kinds = rows[:, 0]
    if kinds.max(initial=0) > PAETH:
        raise ValueError(f"PNG filter {kinds.max()}")
    lines = rows[:, 1:].reshape(height, width, step)
    out = numpy.zeros((height + 1, width, step), "u1")  # the first line is the one above the picture
    for start in range(0, height, BAND):
        end = min(height, start + BAND)
        out[start + 1 : end + 1] = band(kinds[start:end], lines[start:end], out[start])
    return out[1:].reshape(height, -1)


def band(kinds: Any, lines: Any, above: Any) -> Any:
    """Some lines without their filters. Each byte depends on those to its left, above it and between both, so
    that all pixels of a slanting line are made at once."""
    height, width, step = lines.shape
    # Pixel x of line y is kept at x + y + 1, so that the pixels of a slanting line are in a column.
    slanting = numpy.zeros((height + 1, width + height + 1, step), "i2")
    slanting[0, :width] = above
    for column in range(1, width + height):
        over = slice(max(0, column - width), min(height, column))
        own = slice(over.start + 1, over.stop + 1)
        left, up, corner = slanting[own, column - 1], slanting[over, column - 1], slanting[over, column - 2]
        at = numpy.arange(over.start, over.stop)
        guess = predicted(kinds[at, None], left, up, corner if column > 1 else 0 * left)
        slanting[own, column] = (lines[at, column - 1 - at] + guess) & BYTE
    y = numpy.arange(height)[:, None]
    return slanting[y + 1, y + 1 + numpy.arange(width)]


def predicted(kinds: Any, left: Any, up: Any, corner: Any) -> Any:
    """Returns what is added to bytes of lines with these filters."""
    from_left, from_up, from_corner = abs(up - corner), abs(left - corner), abs(left + up - 2 * corner)
    other = numpy.where(from_up <= from_corner, up, corner)
    paeth = numpy.where((from_left <= from_up) & (from_left <= from_corner), left, other)
    return numpy.choose(kinds, [numpy.zeros_like(left), left, up, (left + up) // 2, paeth])
