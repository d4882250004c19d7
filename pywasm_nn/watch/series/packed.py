"""Records of whole numbers without a header, such as of a sensor, that a guest reads wrongly into a window.

What is here: `misread_records`, which finds how the first window comes from the beginning of a file, and says
what speaks against that. What is not: records of f32 (`arrays.py`) and inputs of one record (`words.py`).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...arrays import numpy
from ...records import Frozen, changed

TYPES = {
    "<i2": "i16",
    "<u2": "u16",
    ">i2": "big-endian i16",
    ">u2": "big-endian u16",
    "<i4": "i32",
    ">i4": "big-endian i32",
}
OTHER_SIGN = {"<u2": "<i2", ">u2": ">i2", "<i2": "<u2", ">i2": ">u2"}
OTHER_ORDER = {"<i2": ">i2", ">i2": "<i2", "<i4": ">i4", ">i4": "<i4", "<u2": ">u2", ">u2": "<u2"}
MOST_BYTES, MOST_CHANNELS, FEWEST = 1 << 18, 12, 8
MOST_BESIDE = 8
"""Bytes of a record that are in no channel."""
STRAIGHT, DIFFERENT = 1e-5, 5
DIVISORS = (10.0, 100.0, 1000.0, 256.0, 1024.0, 2048.0, 4096.0, 8192.0, 16384.0, 32768.0)
SMOOTHER = 0.35
"""At the right distance and in the right order numbers go on from record to record by less than this part of
what they do otherwise."""
NARROWER, TINY = 8.0, 1e-9
WORD, JUMP, FEWEST_JUMPS = 65536.0, 0.75, 4
"""The range of 16 bits, and how often numbers pass 0 at least, by steps over more than that part of the
range."""


class Way(Frozen):
    """How channels lie in records: their type, how far records are apart, and where the first channel is.
    `divisor` is by what they were divided as whole numbers, 0 for none."""

    kind: str
    apart: int
    begins: int
    factor: float
    divisor: float = 0.0


def fields(data: bytes, kind: str, apart: int, begins: int, count: int, most: int = 1 << 30) -> Any:
    """The channels of records, [records, channels]."""
    width = numpy.dtype(kind).itemsize * count
    records = min(most, (len(data) - begins - width) // apart + 1)
    if records <= 0:
        return numpy.zeros((0, count))
    places = begins + apart * numpy.arange(records)[:, None] + numpy.arange(width)
    return (
        numpy.frombuffer(numpy.frombuffer(data, "u1")[places].tobytes(), kind)
        .reshape(records, count)
        .astype("f8")
    )


def ways(samples: Any, data: bytes, first: int = 0) -> Iterator[Way]:
    """How samples, [samples, channels], come from the records of a file, from one on."""
    count, channels = samples.shape
    whole = bool((samples == numpy.rint(samples)).all())
    for kind in TYPES:
        width = numpy.dtype(kind).itemsize * channels
        for apart in range(width, width + MOST_BESIDE + 1):
            for begins in range(apart - width + 1):
                there = fields(data, kind, apart, begins + first * apart, channels, count)
                if len(there) < count:
                    continue
                size = float((there**2).sum())
                factor = float((samples * there).sum()) / size if size else 0.0
                if factor and abs(samples - factor * there).max() <= STRAIGHT * abs(samples).max():
                    yield Way(kind, apart, begins, factor)
                for divisor in DIVISORS if whole and factor else ():
                    if 0.5 < factor * divisor < 2 and (numpy.trunc(there / divisor) == samples).all():
                        yield Way(kind, apart, begins, 1 / divisor, divisor)


def is_telling(samples: Any, data: bytes) -> bool:
    """Whether samples may be looked for in a file."""
    count, channels = samples.shape
    is_there = channels * 2 * count <= len(data) <= MOST_BYTES
    return (
        count >= FEWEST and channels <= MOST_CHANNELS and is_there and len(numpy.unique(samples)) >= DIFFERENT
    )


def misread_records(samples: Any, data: bytes, number: int = 0) -> str | None:
    """Returns what is wrong with how samples were read from records, "" if nothing is, or None if a later
    window may tell: these have no numbers below 0, or none that fills more than a byte, which in either order
    of bytes is the same but for a factor. `number` is how many windows there were before, one behind the
    other or by a half over each other."""
    count, channels = samples.shape
    starts = sorted({0, number * count, number * (count // 2)})
    found = next(filter(None, ([*ways(samples.astype("f8"), data, at)] for at in starts)), [])
    are_open = any(changed(way, kind=OTHER_SIGN.get(way.kind, "")) in found for way in found)
    read = {(way.kind, way.apart, way.begins) for way in found}
    ordered = [way for way in found if (OTHER_ORDER[way.kind], way.apart, way.begins) not in read]
    for way in found:
        if wrong := as_whole_numbers(way) or ("" if are_open else wrong_sign(way, channels, data)):
            return wrong
    rules = (wrong_order, ordered), (wrong_distance, found)
    wrong = next(filter(None, (rule(way, channels, data) for rule, some in rules for way in some)), "")
    return wrong or (None if are_open or len(ordered) < len(found) else "")


def as_whole_numbers(way: Way) -> str:
    if not way.divisor:
        return ""
    return (
        f"all elements are whole numbers, those of the file's {TYPES[way.kind]} / {way.divisor:g} without "
        f"what is behind the point: whole numbers were divided (x / {way.divisor:g}.0 keeps it)"
    )


def wrong_sign(way: Way, channels: int, data: bytes) -> str:
    """Signed numbers that were taken as unsigned."""
    if way.kind not in ("<u2", ">u2"):
        return ""
    own = fields(data, way.kind, way.apart, way.begins, channels)
    other = fields(data, OTHER_SIGN[way.kind], way.apart, way.begins, channels)
    is_narrower = numpy.ptp(own) >= NARROWER * numpy.ptp(other)
    if not (other < 0).any() or not (is_narrower or jumps_around(own, other)):
        return ""
    line = int((other < 0).any(axis=1).argmax())
    at = line, int((other[line] < 0).argmax())
    return (
        f"its numbers are from {other.min():g} to {other.max():g} as signed 16 bits, and {other[at]:g} was "
        f"read as {own[at]:g}: signed numbers were read as unsigned ones (uint16_t for int16_t)"
    )


def jumps_around(own: Any, other: Any, top: float = WORD) -> bool:
    """Whether numbers below `top` jump from one end of their range to the other again and again, and those
    with a sign, which may be large, too, never do. One number below 0 may stand for none."""
    jumps, others = (abs(numpy.diff(one, axis=0)) for one in (own, other))
    is_often = (jumps > JUMP * top).sum() >= FEWEST_JUMPS and len(numpy.unique(other[other < 0])) >= DIFFERENT
    return bool(is_often and others.max() < top / 2)


def rough(numbers: Any) -> float:
    """By how much numbers change from record to record."""
    return float(abs(numpy.diff(numbers, axis=0)).mean()) if len(numbers) > 1 else 0.0


def unsteady(numbers: Any) -> float:
    """By which part of their deviation numbers change from record to record: small ones are no steadier."""
    return rough(numbers) / max(float(numbers.std()), TINY)


def wrong_distance(way: Way, channels: int, data: bytes) -> str:
    """Records that don't fill the file, and others that do, and go on more smoothly."""
    width = numpy.dtype(way.kind).itemsize * channels
    own = unsteady(fields(data, way.kind, way.apart, way.begins, channels))
    for apart in range(width, way.apart + MOST_BESIDE):
        if len(data) % apart or apart % way.apart == 0:
            continue
        for begins in range(apart - width + 1):
            if unsteady(fields(data, way.kind, apart, begins, channels)) < SMOOTHER * own:
                padded = "a struct has padding, which a file of packed records lacks"
                why = padded if apart < way.apart else "is a field left out?"
                return (
                    f"records were read {way.apart} bytes apart; {len(data) // apart:,} records of {apart} "
                    f"bytes fill the file, and at that distance numbers go on smoothly: {why}"
                )
    return ""


def wrong_order(way: Way, channels: int, data: bytes) -> str:
    """Numbers whose bytes are in the opposite order."""
    own = rough(fields(data, way.kind, way.apart, way.begins, channels))
    other = OTHER_ORDER[way.kind]
    if rough(fields(data, other, way.apart, way.begins, channels)) < SMOOTHER * own:
        return (
            f"its numbers were read as {TYPES[way.kind]}; as {TYPES[other]} they go on smoothly from record "
            "to record: are the bytes of each in the opposite order?"
        )
    return ""
