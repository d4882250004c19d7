"""JPEG without any package: baseline, 8 bits, one or three components; and the turn that a file asks for.

What is here: `jpeg` and `orientation`. What is not: progressive and arithmetic coding, which only Pillow
decodes. Sources: https://www.w3.org/Graphics/JPEG/itu-t81.pdf, https://www.w3.org/Graphics/JPEG/jfif3.pdf,
https://www.cipa.jp/std/documents/e/DC-X008-Translation-2019-E.pdf
"""

from __future__ import annotations

from collections.abc import Iterator
from math import cos, pi, sqrt
from struct import unpack, unpack_from
from typing import Any

from ...arrays import numpy
from ...records import Frozen

SCAN = 0xDA
BASELINE = (0xC0, 0xC1)
QUANTIZATION, HUFFMAN, INTERVAL, EXIF = 0xDB, 0xC4, 0xDD, 0xE1
RESTARTS = range(0xD0, 0xD8)
BEYOND = 1 << 26
SIDE, AREA, LOOK = 8, 64, 16
A_BYTE, A_BLOCK, MOST_SECONDS = 1e-6, 1.1e-5, 0.55
"""About so many seconds each byte and each block takes, and the most that a file may."""
ORIENTATION = 0x0112
ZIGZAG = sorted(range(AREA), key=lambda at: (sum(divmod(at, SIDE)), at if sum(divmod(at, SIDE)) % 2 else -at))
"""The places of coefficients in the order of the file. Those of one slanting line follow each other, up or
down."""


class Component(Frozen):
    """One plane: how many blocks it has across and down in each unit, and its tables by number."""

    number: int
    across: int
    down: int
    table: int


class Codes(Frozen):
    """By the next 16 bits: how many a coefficient takes, how many zeros come before it, and its value; and
    how many bits of it are left to read where 16 are too few, or -1 for one without a value."""

    taken: list[int]
    zeros: list[int]
    value: list[int]
    more: list[int]


def segments(data: bytes) -> Iterator[tuple[int, int, bytes]]:
    """Kinds, places of the end, and contents of the segments before the scan's data."""
    at = 2
    while at + 4 <= len(data):
        if data[at] != 0xFF:
            return
        kind = data[at + 1]
        if kind == 0xFF:
            at += 1
            continue
        (length,) = unpack_from(">H", data, at + 2)
        yield kind, at + 2 + length, data[at + 4 : at + 2 + length]
        if kind == SCAN:
            return
        at += 2 + length


def jpeg(data: bytes) -> Any:
    """Returns the pixels [height, width, 1 or 3] of a baseline JPEG, or None for any other. Raises
    ValueError, IndexError, KeyError or struct.error for broken bytes."""
    quantization: dict[int, Any] = {}
    codes: dict[int, Codes] = {}
    frame: bytes = b""
    interval = 0
    for kind, end, body in segments(data):
        if kind in BASELINE:
            frame = body
        elif kind == QUANTIZATION:
            quantization.update(quantizers(body))
        elif kind == HUFFMAN:
            codes.update(huffman(body))
        elif kind == INTERVAL:
            (interval,) = unpack(">H", body)
        elif kind == SCAN and frame:
            return decoded(frame, body, data[end:], quantization, codes, interval)
    return None


def quantizers(body: bytes) -> Iterator[tuple[int, Any]]:
    """Numbers and tables of a segment, in the order of the file."""
    at = 0
    while at < len(body):
        wide, number = divmod(body[at], 16)
        size = AREA * (1 + bool(wide))
        yield number, numpy.frombuffer(body[at + 1 : at + 1 + size], ">u2" if wide else "u1").astype("f4")
        at += 1 + size


def huffman(body: bytes) -> Iterator[tuple[int, Codes]]:
    """Numbers and codes of a segment; those of the first coefficient have numbers below 16."""
    at = 0
    while at < len(body):
        counts = body[at + 1 : at + 1 + LOOK]
        symbols = body[at + 1 + LOOK : at + 1 + LOOK + sum(counts)]
        yield body[at], codes_of(counts, symbols)
        at += 1 + LOOK + sum(counts)


def codes_of(counts: bytes, symbols: bytes) -> Codes:
    size = 1 << LOOK
    zeros, value, more = (numpy.zeros(size, "i4") for _ in range(3))
    taken = numpy.full(size, BEYOND, "i4")  # what is no code leads out of the data
    code, at = 0, 0
    for length, count in enumerate(counts, 1):
        for symbol in symbols[at : at + count]:
            start, end = code << (LOOK - length), (code + 1) << (LOOK - length)
            run, bits = divmod(symbol, 16)
            zeros[start:end] = run
            taken[start:end] = length
            if length + bits <= LOOK:
                taken[start:end] = length + bits
                rest = (numpy.arange(start, end) >> (LOOK - length - bits)) & ((1 << bits) - 1)
                half = 1 << bits >> 1
                value[start:end] = numpy.where(rest < half, rest - (1 << bits) + 1, rest) if bits else 0
            else:
                more[start:end] = bits
            if not bits:
                more[start:end] = -1  # the end of a block, or 16 zeros
            code += 1
        at += count
        code <<= 1
    return Codes(taken.tolist(), zeros.tolist(), value.tolist(), more.tolist())


def decoded(
    frame: bytes,
    scan: bytes,
    data: bytes,
    quantization: dict[int, Any],
    codes: dict[int, Codes],
    interval: int,
) -> Any:
    """The pixels of a frame and its only scan."""
    depth, height, width, count = unpack_from(">BHHB", frame)
    if depth != 8 or count not in (1, 3) or not height * width or scan[0] != count:
        return None
    parts = [
        Component(frame[at], frame[at + 1] >> 4, frame[at + 1] & 15, frame[at + 2])
        for at in range(6, 6 + 3 * count, 3)
    ]
    if count == 1:
        parts = [Component(parts[0].number, 1, 1, parts[0].table)]
    tables = {scan[at]: divmod(scan[at + 1], 16) for at in range(1, 1 + 2 * count, 2)}
    most = max(one.across for one in parts), max(one.down for one in parts)
    units = -(-width // (SIDE * most[0])), -(-height // (SIDE * most[1]))
    per = sum(one.across * one.down for one in parts)
    pairs = [
        (number, codes[tables[one.number][0]], codes[16 + tables[one.number][1]])
        for number, one in enumerate(parts)
        for _ in range(one.across * one.down)
    ]
    total = units[0] * units[1]
    if A_BYTE * len(data) + A_BLOCK * total * per > MOST_SECONDS:
        return None
    coefficients = numpy.zeros(total * per * AREA, "f4")
    begin, step = 0, interval or total
    for part in restarts(data):
        places, values = coefficients_of(part, pairs, min(step, total - begin), begin * per)
        coefficients[places] = values
        begin += step
        if begin >= total:
            break
    blocks = coefficients.reshape(total, per, AREA)
    planes, begin = [], 0
    for one in parts:
        own = one.across * one.down
        pixels = inverse(blocks[:, begin : begin + own] * quantization[one.table])
        begin += own
        planes.append(plane_of(pixels, one, units, most, (height, width)))
    return colours(planes)


def plane_of(
    pixels: Any, one: Component, units: tuple[int, int], most: tuple[int, int], size: tuple[int, int]
) -> Any:
    """Blocks [units, blocks, 8, 8] of a component as a plane of the picture's size, in which the largest
    component has `most` blocks across and down in each unit."""
    height, width = size
    grid = pixels.reshape(units[1], units[0], one.down, one.across, SIDE, SIDE).transpose(0, 2, 4, 1, 3, 5)
    plane = grid.reshape(units[1] * one.down * SIDE, units[0] * one.across * SIDE)
    tall, wide = -(-height * one.down // most[1]), -(-width * one.across // most[0])
    plane = plane[:tall, :wide].clip(0, 255).round()
    return enlarged(plane, most[1] // one.down, most[0] // one.across)[:height, :width]


def restarts(data: bytes) -> Iterator[bytes]:
    """The bytes between the markers in a scan, as they were before they were told from markers."""
    start = at = 0
    while (at := data.find(b"\xff", at)) >= 0 and at + 1 < len(data):
        if data[at + 1] and data[at + 1] != 0xFF:
            yield data[start:at].replace(b"\xff\x00", b"\xff")
            if data[at + 1] not in RESTARTS:
                return
            start = at + 2
        at += 2
    yield data[start:].replace(b"\xff\x00", b"\xff")


def coefficients_of(
    data: bytes, pairs: list[tuple[int, Codes, Codes]], units: int, block: int
) -> tuple[list[int], list[int]]:
    """Places and values of what isn't 0, block by block, each in the order of the file."""
    bytes_ = numpy.frombuffer(data + bytes(8), "u1").astype("u4")
    words = ((bytes_[:-3] << 24) | (bytes_[1:-2] << 16) | (bytes_[2:-1] << 8) | bytes_[3:]).tolist()
    last = [0] * (1 + max(number for number, _, _ in pairs))
    places: list[int] = []
    values: list[int] = []
    bit, end = 0, 8 * len(data) + LOOK
    for _ in range(units):
        for number, first, others in pairs:
            base = block * AREA
            block += 1
            codes, place = first, 0
            while place < AREA:
                look = words[bit >> 3] >> (LOOK - (bit & 7)) & 0xFFFF
                bit += codes.taken[look]
                value, more = codes.value[look], codes.more[look]
                if more:
                    if more < 0:
                        if place and codes.zeros[look] == 0:
                            break
                        if place:
                            place += LOOK
                            continue
                    else:
                        rest = words[bit >> 3] >> (32 - (bit & 7) - more) & ((1 << more) - 1)
                        bit += more
                        value = rest if rest >> (more - 1) else rest - (1 << more) + 1
                if place:
                    place += codes.zeros[look]
                else:
                    last[number] += value
                    value, codes = last[number], others
                places.append(base + place)
                values.append(value)
                place += 1
        if bit > end:
            raise ValueError("the picture ends early")
    return places, values


def inverse(coefficients: Any) -> Any:
    """Blocks [..., 64] of coefficients in the order of the file as pixels [..., 8, 8] around 128."""
    basis = numpy.array(
        [
            [sqrt((1 if u else 0.5) / 4) * cos((2 * x + 1) * u * pi / 16) for x in range(SIDE)]
            for u in range(SIDE)
        ],
        "f4",
    )
    order = numpy.empty(AREA, int)
    order[ZIGZAG] = numpy.arange(AREA)
    there = coefficients[..., order].reshape(*coefficients.shape[:-1], SIDE, SIDE)
    return basis.T @ there @ basis + 128


def enlarged(plane: Any, down: int, across: int) -> Any:
    """A plane made as large as the others. Pixels of twice as many columns or rows are three parts of the
    nearest and one of the next, as in all usual decoders."""
    for axis, times in ((0, down), (1, across)):
        plane = doubled(plane, axis) if times == 2 else plane.repeat(times, axis=axis)
    return plane


def doubled(plane: Any, axis: int) -> Any:
    count = plane.shape[axis]
    before = plane.take(numpy.maximum(numpy.arange(count) - 1, 0), axis)
    after = plane.take(numpy.minimum(numpy.arange(count) + 1, count - 1), axis)
    pair = numpy.stack([3 * plane + before, 3 * plane + after], axis + 1) / 4
    shape = list(plane.shape)
    shape[axis] *= 2
    return pair.reshape(shape)


def colours(planes: list[Any]) -> Any:
    """Y, Cb and Cr as red, green and blue, or grey alone."""
    if len(planes) == 1:
        return planes[0].astype("u1")[..., None]
    y, cb, cr = planes[0], planes[1] - 128, planes[2] - 128
    made = numpy.stack([y + 1.402 * cr, y - 0.344136 * cb - 0.714136 * cr, y + 1.772 * cb], 2)
    return (made + 0.5).clip(0, 255).astype("u1")


def orientation(data: bytes) -> int:
    """The turn that a JPEG asks for, 1 to 8; 1, which is none, if it doesn't say."""
    for kind, _, body in segments(data):
        if kind == EXIF and body[:6] == b"Exif\0\0":
            order = "<" if body[6:8] == b"II" else ">"
            (first,) = unpack_from(f"{order}I", body, 10)
            (count,) = unpack_from(f"{order}H", body, 6 + first)
            for at in range(8 + first, 8 + first + 12 * count, 12):
                tag, _, _, value = unpack_from(f"{order}HHIH", body, at)
                if tag == ORIENTATION:
                    return int(value)
    return 1
