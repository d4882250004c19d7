"""Raw buffers of pixels, without a header: from cameras and decoders, in YUV or with 2 to 4 bytes a pixel.

What is here: `buffers`, which decodes the bytes of a file in the formats that its name or size allow, and
what they look like if they are taken for another format. What is not: files with headers (`decoding.py`).
Sources: https://fourcc.org/yuv.php, https://www.itu.int/rec/T-REC-T.871 (YCbCr of JPEG)
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import partial
from math import isqrt
from typing import Any

from ...arrays import numpy
from ...records import Frozen
from ..changes.arrangements import unevenness
from ..facts import Picture
from .pitched import SIZE_IN_NAME, pitched_in

Decoder = Callable[[Any, int, int], Any]
"""Bytes, height and width to pixels [height, width, channels] as u8."""
USUAL = ((640, 480), (320, 240), (1280, 720), (1920, 1080), (176, 144), (352, 288), (160, 120), (640, 360))
"""Widths and heights of cameras."""
MOST_PIXELS = 1 << 22
SMOOTHER = 0.7
"""Planes are no pixels one after the other if their neighbours differ by less than this part of what these
do."""

FOUR, AS_THREE = 4, "4 bytes a pixel (with alpha) were taken for 3"
FEWEST_PIXELS, ALPHAS, NEARER, WHITE = 48, 0.75, 0.6, 255
"""Pixels that show what each fourth byte is; the part of it that is 0 or 255 in an alpha; and by which part
of those three apart bytes four apart differ; white, of which an alpha is where nothing shows through."""


class Format(Frozen):
    """A format of pixels: `names` of files that have it, `halves` the bytes of two pixels, and the same bytes
    `taken` for other formats, by what is wrong then."""

    said: str
    names: tuple[str, ...]
    halves: int
    decode: Decoder
    taken: dict[str, Decoder]


class Buffer(Frozen):
    """Pixels of a buffer, and what they look like if its bytes are taken for another format, by mistake."""

    said: str
    pixels: Any
    others: tuple[tuple[str, Any], ...]
    is_ordered: bool
    """Whether the file's name says in which order the colours are."""


def rgb(y: Any, u: Any, v: Any) -> Any:
    """Planes of the same size (0 to 255) as pixels, by the full range of JPEG."""
    y, u, v = (plane.astype("f4") for plane in (y, u, v))
    red, blue = y + 1.402 * (v - 128), y + 1.772 * (u - 128)
    green = y - 0.344136 * (u - 128) - 0.714136 * (v - 128)
    return (numpy.stack([red, green, blue], 2) + 0.5).clip(0, 255).astype("u1")


def doubled(plane: Any, height: int, width: int) -> Any:
    """A plane of half the height and width in full size."""
    return plane.repeat(2, axis=0).repeat(2, axis=1)[:height, :width]


def planar(data: Any, height: int, width: int, *, first: str = "u") -> Any:
    """Y, then two planes of half the size."""
    half = (height + 1) // 2, (width + 1) // 2
    size, part = height * width, half[0] * half[1]
    y = data[:size].reshape(height, width)
    u, v = (doubled(data[at : at + part].reshape(half), height, width) for at in (size, size + part))
    return rgb(y, *((u, v) if first == "u" else (v, u)))


def half_planar(data: Any, height: int, width: int, *, first: str = "u") -> Any:
    """Y, then a plane in which U and V take turns."""
    half = (height + 1) // 2, (width + 1) // 2
    size = height * width
    pairs = data[size : size + 2 * half[0] * half[1]].reshape(*half, 2)
    u, v = (doubled(pairs[..., at], height, width) for at in (0, 1))
    return rgb(data[:size].reshape(height, width), *((u, v) if first == "u" else (v, u)))


def stepped(data: Any, height: int, width: int, *, first: str = "u", begins_again: bool = False) -> Any:
    """The picture if the rows of U and V were as far apart as those of Y: behind the end of their planes are
    the next ones, and then nothing, or they begin again there."""
    size, part = height * width, (height // 2) * (width // 2)
    rows, columns = (numpy.arange(side) // 2 for side in (height, width))
    at = rows[:, None] * width + columns
    there = numpy.concatenate([data, numpy.zeros(2 * size, "u1")])
    u, v = (there[begins + (at % part if begins_again else at)] for begins in (size, size + part))
    return rgb(data[:size].reshape(height, width), *((u, v) if first == "u" else (v, u)))


def packed(data: Any, height: int, width: int, *, order: str = "yuyv") -> Any:
    """Two pixels in four bytes, which share U and V."""
    pairs = data[: height * width * 2].reshape(height, width // 2, 4)
    y = pairs[..., [at for at, letter in enumerate(order) if letter == "y"]].reshape(height, width)
    u, v = (pairs[..., order.index(letter)].repeat(2, axis=1) for letter in "uv")
    return rgb(y, u, v)


def in_turns(data: Any, height: int, width: int) -> Any:
    """Returns the picture if three bytes of each pixel followed each other, of Y, U and V; bytes that are
    missing are 0."""
    pixels = as_colours(data, height, width)
    return rgb(*(pixels[..., at] for at in range(3)))


def overlapping(data: Any, height: int, width: int) -> Any:
    """Returns the picture if three bytes of each pixel lay at steps of one and a half bytes."""
    at = numpy.arange(height * width) * 3 // 2
    y, u, v = (data[(at + by).clip(0, data.size - 1)].reshape(height, width) for by in range(3))
    return rgb(y, u, v)


def as_colours(data: Any, height: int, width: int) -> Any:
    """Returns the picture if three bytes of each pixel followed each other, of red, green and blue; bytes
    that are missing are 0."""
    there = numpy.zeros(height * width * 3, "u1")
    part = data[: there.size]
    there[: part.size] = part
    return there.reshape(height, width, 3)


def bytes_a_pixel(order: str) -> Decoder:
    """Pixels of one byte for each letter of the order, such as "BGRA"; with alpha if that differs."""

    def decode(data: Any, height: int, width: int) -> Any:
        pixels = data[: height * width * len(order)].reshape(height, width, len(order))
        alpha = pixels[..., order.find("A")]
        letters = "RGBA" if "A" in order and alpha.min() < alpha.max() else "RGB"
        return pixels[..., [order.index(letter) for letter in letters]]

    return decode


def sixteen(data: Any, height: int, width: int, *, kind: str = "<u2") -> Any:
    """5 bits of red, 6 of green, 5 of blue."""
    both = numpy.frombuffer(data.tobytes(), kind)[: height * width].reshape(height, width).astype(int)
    red, green, blue = both >> 11, both >> 5 & 63, both & 31
    return numpy.stack([red * 255 // 31, green * 255 // 63, blue * 255 // 31], 2).astype("u1")


def sixteen_big(data: Any, height: int, width: int) -> Any:
    """The same with the high byte first."""
    return sixteen(data, height, width, kind=">u2")


def with_first(decoder: Any, letter: str) -> Decoder:
    return lambda data, height, width: decoder(data, height, width, first=letter)


def ordered(order: str) -> Decoder:
    return lambda data, height, width: packed(data, height, width, order=order)


def of_planes(first: str) -> dict[str, Decoder]:
    """Ways to look up the rows of U and V at the wrong distance."""
    said = "rows of U and V were looked up as far apart as those of Y, and lie half as far apart"
    return {
        said: with_first(stepped, first),
        f"{said} (behind a plane's end it begins again)": with_first(
            partial(stepped, begins_again=True), first
        ),
    }


SWAPPED = "U and V are swapped ({})"
TURNS = {
    "planes of YUV were taken for pixel after pixel": in_turns,
    "planes of YUV were taken for pixel after pixel, one and a half bytes apart": overlapping,
    "bytes of YUV were taken for red, green and blue": as_colours,
}
FORMATS = (
    Format("I420", ("i420", "iyuv", "yu12", "yuv420p", "yuv420", "yuv"), 3, with_first(planar, "u"),
           {SWAPPED.format("as in YV12"): with_first(planar, "v"),
            "planes of U and V were taken for pairs (NV12)": with_first(half_planar, "u"),
            "planes of V and U were taken for pairs (NV21)": with_first(half_planar, "v")}
           | of_planes("u") | TURNS),
    Format("YV12", ("yv12",), 3, with_first(planar, "v"),
           {SWAPPED.format("as in I420"): with_first(planar, "u")} | of_planes("v") | TURNS),
    Format("NV12", ("nv12",), 3, with_first(half_planar, "u"),
           {SWAPPED.format("as in NV21"): with_first(half_planar, "v"),
            "pairs of U and V were taken for planes (I420)": with_first(planar, "u"),
            "pairs of U and V were taken for planes (YV12)": with_first(planar, "v")} | TURNS),
    Format("NV21", ("nv21",), 3, with_first(half_planar, "v"),
           {SWAPPED.format("as in NV12"): with_first(half_planar, "u"),
            "pairs of V and U were taken for planes (I420)": with_first(planar, "u"),
            "pairs of V and U were taken for planes (YV12)": with_first(planar, "v")} | TURNS),
    Format("YUYV", ("yuyv", "yuy2", "yuv422"), 4, ordered("yuyv"),
           {SWAPPED.format("as in YVYU"): ordered("yvyu"),
            "the bytes of YUYV were taken for UYVY": ordered("uyvy")} | TURNS),
    Format("UYVY", ("uyvy",), 4, ordered("uyvy"),
           {"the bytes of UYVY were taken for YUYV": ordered("yuyv")} | TURNS),
    Format("RGB565", ("rgb565", "565", "rgb565le", "565le"), 4, sixteen,
           {"the two bytes of each pixel (RGB565) are in the opposite order": sixteen_big}),
    Format("RGB565, big-endian", ("rgb565be", "565be"), 4, sixteen_big,
           {"the two bytes of each pixel (RGB565) are in the opposite order": sixteen}),
    Format("RGBA", ("rgba",), 8, bytes_a_pixel("RGBA"), {}),
    Format("BGRA", ("bgra",), 8, bytes_a_pixel("BGRA"), {}),
    Format("ARGB", ("argb",), 8, bytes_a_pixel("ARGB"), {}),
    Format("ABGR", ("abgr",), 8, bytes_a_pixel("ABGR"), {}),
    Format("BGR", ("bgr",), 6, bytes_a_pixel("BGR"), {}),
    Format("RGB", ("rgb",), 6, bytes_a_pixel("RGB"), {}),
)  # fmt: skip
"""The most frequent first. Formats whose names say nothing of them are tried by size: the first of each."""
WITHOUT_ORDER = {"rgb565", "565"}
"""Names of files that don't say which of two bytes is the first: cameras send the higher one first."""
LITTLE, BIG = (one for one in FORMATS if one.said.startswith("RGB565"))


def buffers(name: str, data: bytes, picture: Picture) -> Iterator[Buffer]:
    """The pixels of a file, in the formats that its name says, or else its size allows."""
    words = set(re.split(r"[^a-z0-9]+", name.lower()))
    named = [one for one in FORMATS if words & set(one.names)]
    unnamed = [one for one in FORMATS if one.said in ("I420", "NV12", "YUYV", "RGB", "RGBA")]
    flat = numpy.frombuffer(data, "u1")
    for one in named or unnamed:
        for width, height in sides(name, len(data), one.halves, picture):
            if width % 2 or height % 2:
                continue
            is_open = one is LITTLE and bool(words & WITHOUT_ORDER)
            own = smoother(flat, height, width) if is_open else one
            pixels = own.decode(flat, height, width)
            others = tuple(
                (said, other)
                for said, decode in (own.taken if named else TURNS if own.halves == 3 else {}).items()
                if not numpy.array_equal(other := decode(flat, height, width), pixels)
            )
            yield Buffer(f"{width} x {height} raw pixels, {own.said}", pixels, others, bool(named))
    for frame in pitched_in(name, flat, picture):
        yield Buffer(frame.said, frame.pixels, ((frame.wrong, frame.sheared),), False)


def smoother(data: Any, height: int, width: int) -> Format:
    """The order of bytes in which neighbouring pixels are clearly more alike, the usual one in doubt."""
    big, little = (unevenness(one.decode(data, height, width)) for one in (BIG, LITTLE))
    return BIG if big < SMOOTHER * little else LITTLE


def as_laid(data: Any, height: int, width: int, channels: int) -> tuple[Any, tuple[tuple[str, Any], ...]]:
    """Bytes as pixels [height, width, channels], in planes if they are clearly smoother so, and what they
    look like if they are taken for the other layout."""
    plain = data.reshape(height, width, channels)
    planes = data.reshape(channels, height, width).transpose(1, 2, 0)
    if channels == 1 or unevenness(planes) > SMOOTHER * unevenness(plain):
        return plain, ()
    return planes, (("channel after channel was taken for pixel after pixel", plain),)


def are_of_four(data: Any) -> bool:
    """Whether bytes have a period of four and not of three, and each fourth one is alpha: always the same, or
    mostly black or white, where the others aren't."""
    pixels = data[: len(data) // FOUR * FOUR].reshape(-1, FOUR)
    is_same = len(pixels) > 0 and pixels[0, 3] in (0, WHITE) and (pixels[:, 3] == pixels[0, 3]).all()
    if is_same:
        others = (pixels[:, :3] != pixels[0, 3]).any(axis=1)
        return int(others.sum()) >= FEWEST_PIXELS
    shown = pixels[pixels[:, 3] > 0, :3]
    if len(shown) < FEWEST_PIXELS or ends(pixels[:, 3]) < ALPHAS or ends(shown) > 1 - ALPHAS:
        return False
    flat = data[:MOST_PIXELS].astype("i2")
    third, fourth = (float(abs(flat[by:] - flat[:-by]).mean()) for by in (3, FOUR))
    return fourth < NEARER * third


def ends(levels: Any) -> float:
    """The part of bytes that are 0 or 255."""
    return float(((levels == 0) | (levels == WHITE)).mean())


def sides(name: str, size: int, halves: int, picture: Picture) -> Iterator[tuple[int, int]]:
    """Width and height of a buffer of so many bytes, half as many for each two pixels."""
    count, rest = divmod(size * 2, halves)
    if rest or not 64 <= count <= MOST_PIXELS:
        return
    found = [(int(one), int(other)) for one, other in SIZE_IN_NAME.findall(name)]
    found += [(high, wide) for wide, high in found]
    high = isqrt(max(0, round(count * picture.height / picture.width)))
    found += [(count // high, high)] if high else []
    found += [(isqrt(count), isqrt(count)), *USUAL, *((high, wide) for wide, high in USUAL)]
    seen = set()
    for wide, high in found:
        if wide * high == count and (wide, high) not in seen:
            seen.add((wide, high))
            yield wide, high
