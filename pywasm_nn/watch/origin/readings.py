"""What the elements of an input may be if a mistake was made: of another type, in another layout, sheared.

What is here: `readings` of a tensor, and `misread` of a picture that was decoded. What is not: whether one of
them shows the picture (`matching.py`).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...arrays import numpy
from ...records import Frozen, changed
from ..changes.arrangements import alpha_ignored, interleaved, other_layout
from ..changes.encodings import IMAGENET, IMAGENET_DEVIATION, USUAL
from ..changes.rereadings import TITLES
from ..facts import Picture

BEYOND = 1e7
"""Elements of pictures are smaller, whatever is wrong with their range."""
MOST_LAGS = 3
WIDEST = 65536
SIGNED = 2.0
"""How far, in pixels, signed bytes may be from their range: by interpolation."""
FEWEST_NEGATIVE = 0.01


class Reading(Frozen):
    """An input's first picture as floats [height, width, channels], with the mistake that was made if this
    shows the picture."""

    wrong: str
    pixels: Any
    planar: bool
    is_certain: bool = False
    """Whether the elements themselves speak for it."""
    is_turned: bool = False
    """Whether the mistake is that the picture was turned."""
    is_in_bytes: bool = False
    """Whether the pixels are a file's bytes, and no line over these."""


def readings(array: Any, picture: Picture) -> Iterator[Reading]:
    """The elements as they are, and put right as if a mistake had been made, the most frequent first."""
    planar = picture.planar
    yield Reading("", first(array, picture), planar)
    if alpha := alpha_ignored(array, picture):
        wrong = "every fourth element is alpha: 4 bytes a pixel were taken for 3"
        yield Reading(wrong, first(alpha[1], picture), planar, True)
    if picture.channels > 1:
        yield in_other_layout(array, picture)
        yield from converted(first(array, picture), planar)
    yield from of_other_types(array, picture)
    yield from unsigned(array, picture)
    if picture.height != picture.width:
        yield from sides_swapped(array, picture)
    yield from unsheared(first(array, picture), planar)


def in_other_layout(array: Any, picture: Picture) -> Reading:
    """The elements of several channels as if they lay in the layout that the shape isn't."""
    has, lies = ("NCHW", "NHWC") if picture.planar else ("NHWC", "NCHW")
    wrong = f"the shape says {has}, the elements lie as in {lies}"
    return Reading(wrong, first(other_layout(array, picture), picture), not picture.planar)


def first(array: Any, picture: Picture) -> Any:
    """The first picture as floats [height, width, channels]; what is no number becomes 0."""
    pixels = interleaved(array.reshape(-1, *array.shape[-3:])[:1], picture)[0]
    return numpy.nan_to_num(pixels.astype("f4"), nan=0.0, posinf=0.0, neginf=0.0)


def converted(pixels: Any, planar: bool) -> Iterator[Reading]:
    """Pixels of a buffer in another layout than the guest took it for when it made that of the shape."""
    height, width, channels = pixels.shape
    planes = pixels.reshape(channels, height, width).transpose(1, 2, 0)
    yield Reading("channel after channel was taken for pixel after pixel", planes, planar)
    flat = pixels.transpose(2, 0, 1).reshape(height, width, channels)
    yield Reading("pixel after pixel was taken for channel after channel", flat, planar)


def sides_swapped(array: Any, picture: Picture) -> Iterator[Reading]:
    turned = changed(picture, height=picture.width, width=picture.height)
    said = f"height and width are swapped: the elements are a picture of {turned.width} x {turned.height}"
    for layout in (turned, changed(turned, planar=not turned.planar)):
        size = layout.height, layout.width
        shape = (layout.channels, *size) if layout.planar else (*size, layout.channels)
        flat = array.reshape(-1)[: array[..., 0].size * array.shape[-1]]
        own = flat[: layout.channels * size[0] * size[1]].reshape(shape)
        yield Reading(said, first(own[None], layout), layout.planar)
        if layout.channels == 1:
            return


def of_other_types(array: Any, picture: Picture) -> Iterator[Reading]:
    """The bytes as elements of another type or byte order, as many as there are; the rest is 0."""
    own = array.dtype
    data = array.tobytes()
    title = TITLES.get(own.newbyteorder("<").str, own.name)
    kinds = [*(own.newbyteorder(">").str,), "<f8", "<f4", "|u1", "<f2", "<i4", "<u2", "<i2", ">f8"]
    for kind in kinds:
        if kind == own.str or (own.itemsize == 1 and kind in ("|u1", "|i1", ">u1", ">i1")):
            continue
        width = numpy.dtype(kind).itemsize
        read = numpy.frombuffer(data[: len(data) // width * width], kind)[: array.size]
        with numpy.errstate(all="ignore"):
            sane = numpy.isfinite(read) & (abs(read.astype("f8")) < BEYOND)
        filled = read[: max(1, int(numpy.flatnonzero(read)[-1]) + 1) if read.any() else 1]
        if not sane.all() or filled.size < 48 or len(set(filled[:4096].tolist())) < 3:
            continue
        made = numpy.zeros(array.size, "f4")
        made[: read.size] = read
        name = TITLES.get(numpy.dtype(kind).newbyteorder("<").str, numpy.dtype(kind).name)
        if kind == own.newbyteorder(">").str:
            said = f"the bytes of each element of {title} are in the opposite order (big-endian)"
        else:
            order = ", big-endian" if kind.startswith(">") else ""
            said = f"the bytes are elements of {name}{order}, but were sent as {title}"
        yield Reading(said, first(made.reshape(array.shape), picture), picture.planar)


def unsigned(array: Any, picture: Picture) -> Iterator[Reading]:
    """Elements made of signed bytes: those below 0 are 256 too small, before they were brought to a range."""
    said = "bytes from 128 to 255 were taken as signed (-128 to -1)"
    pixels = first(array, picture)
    if array.dtype.kind != "f":
        if array.dtype.itemsize == 1:
            yield Reading(
                "signed and unsigned bytes are swapped (off by 128)",
                pixels_flipped(array, picture),
                picture.planar,
            )
        return
    usual = (
        *((one.mean, one.deviation) for one in USUAL),
        ((0.0,), (128.0,)),
        (IMAGENET[::-1], IMAGENET_DEVIATION[::-1]),
    )
    for mean, deviation in usual:
        if len(mean) not in (1, picture.channels):
            continue
        bytes_ = pixels * numpy.array(deviation, "f4") + numpy.array(mean, "f4")
        low, high = float(bytes_.min()), float(bytes_.max())
        if low < -128 - SIGNED or high > 127 + SIGNED or low > -SIGNED or high - low < 64:
            continue
        below = bytes_ < -0.5
        if below.mean() >= FEWEST_NEGATIVE:
            put_right = numpy.where(below, bytes_ + 256, bytes_)
            yield Reading(said, put_right, picture.planar, is_in_bytes=True)


def pixels_flipped(array: Any, picture: Picture) -> Any:
    return first((array.view("|u1") ^ 0x80), picture)


def unsheared(pixels: Any, planar: bool) -> Iterator[Reading]:
    """Pixels whose rows begin at another distance than the width: all of them, or those that were left after
    some were passed over at the end of each row."""
    _, width, channels = pixels.shape
    flat = pixels.reshape(-1, channels)
    for distance in row_distances(flat.mean(axis=1), width):
        by = abs(distance - width)
        rows = len(flat) // distance
        said = f"rows are sheared by {by} pixels: they lie {distance} apart and not {width}"
        if rows >= 8:
            yield Reading(said, flat[: rows * distance].reshape(rows, distance, channels), planar)
        skipped = width - distance
        if not 0 < skipped < width // 2:
            continue
        place = numpy.arange(len(flat))
        place = place // width * (width + skipped) + place % width
        kept = place < len(flat)
        made = numpy.zeros_like(flat)
        there = numpy.zeros(len(flat), bool)
        made[place[kept]], there[place[kept]] = flat[kept], True
        last = numpy.maximum.accumulate(numpy.where(there, numpy.arange(len(flat)), 0))
        apart = f"each was read {width + skipped} after the one before, not {width}"
        said = f"rows are sheared by {skipped} pixels: {apart}"
        yield Reading(said, made[last].reshape(pixels.shape), planar)


def row_distances(flat: Any, width: int) -> list[int]:
    """Distances at which the elements of a flat picture are most like those before, other than its width."""
    some = flat[:WIDEST].astype("f8")
    some = some - some.mean()
    size = 1 << (2 * len(some)).bit_length()
    spectrum = numpy.fft.rfft(some, size)
    likeness = numpy.fft.irfft(spectrum * numpy.conj(spectrum), size)[: 2 * width + 2]
    likeness = likeness / numpy.maximum(len(some) - numpy.arange(len(likeness)), 1)
    near = range(max(8, width // 2), min(2 * width, len(some) // 4))
    peaks = [
        d
        for d in near
        if likeness[d] >= likeness[d - 1] and likeness[d] >= likeness[d + 1] and likeness[d] > 0
    ]
    peaks.sort(key=lambda d: -likeness[d])
    return [d for d in peaks[:MOST_LAGS] if d != width]


def misread(pixels: Any) -> Iterator[tuple[str, Any]]:
    """A decoded picture [height, width, 3], its bytes read as if they lay in another way."""
    height, width, channels = pixels.shape
    if channels < 3:
        return
    colours = numpy.ascontiguousarray(pixels[..., :3])
    alpha = numpy.full((height, width, 1), 255, "u1") if channels == 3 else pixels[..., 3:]
    size = height * width * 3
    for said, four in (
        ("4 bytes a pixel (with alpha) were taken for 3", (colours, alpha)),
        ("4 bytes a pixel (alpha first) were taken for 3", (alpha, colours)),
    ):
        flat = numpy.concatenate(four, 2).reshape(-1)
        yield f"{said} in the picture as it was decoded", flat[:size].reshape(height, width, 3)
    if height != width:
        said = "width and height of the picture as it was decoded were swapped"
        yield said, colours.reshape(width, height, 3)
    short = numpy.zeros(height * width * 4, "u1")
    short[:size] = colours.reshape(-1)
    seen = short.reshape(height, width, 4)[..., :3]
    yield "3 bytes a pixel were taken for 4 in the picture as it was decoded", seen
    if stride := -(width * 3) % 4:
        rows = numpy.pad(colours.reshape(height, width * 3), ((0, 0), (0, stride)))
        flat = rows.reshape(-1)[:size]
        yield "the padding at the end of rows was taken for pixels", flat.reshape(height, width, 3)
    yield (
        "channel after channel was taken for pixel after pixel",
        colours.transpose(2, 0, 1).reshape(height, width, 3),
    )


def misstepped(pixels: Any, wanted: int) -> Iterator[tuple[str, Any]]:
    """A decoded picture [height, width, colours], its pixels looked up at wrong distances: a row begins as
    many pixels after the one before as the input is wide (`wanted`), or as the picture is high, or as many
    bytes as it has pixels in a row. Of a picture without colours pixels may have a byte each."""
    height, width, colours = pixels.shape
    own = numpy.ascontiguousarray(pixels[..., :3] if colours >= 3 else pixels[..., :1].repeat(3, axis=2))
    flat = numpy.concatenate([own.reshape(-1), numpy.zeros(4 * width * 3, own.dtype)])
    single = flat.strides[0]
    pixel = 3 * single
    distances = {wanted: "the input's width, not the picture's", height: "the height, not the width"}
    for distance, what in distances.items():
        if distance == width:
            continue
        most = min(height, (height * width - width) // distance + 1)
        said = f"rows of {width} pixels were looked up {distance} pixels apart, which is {what}"
        yield said, shown(flat, most, width, (distance * pixel, pixel, single))
    if (own[..., :1] == own).all():
        return
    said = f"rows of {width} pixels were looked up {width} bytes apart, as if each had one byte, not 3"
    yield said, shown(flat, height, width, (width * single, pixel, single))


def shown(flat: Any, height: int, width: int, strides: tuple[int, int, int]) -> Any:
    """Elements at some distances (rows, pixels, colours) as a picture."""
    return numpy.lib.stride_tricks.as_strided(flat, (height, width, 3), strides, writeable=False).copy()
