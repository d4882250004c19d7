"""Sounds in AIFF and AU, whose samples begin with the higher byte.

What is here: `big_endian_in`. What is not: WAV (`waves.py`). Sources:
https://www.mmsp.ece.mcgill.ca/Documents/AudioFormats/AIFF/AIFF.html,
https://www.mmsp.ece.mcgill.ca/Documents/AudioFormats/AU/AU.html
"""

from __future__ import annotations

from struct import unpack_from
from typing import Any

from ...arrays import numpy
from .waves import LAWS, MOST, Wave, expanded

AU, AIFF = b".snd", b"FORM"
KINDS = {2: ("i", 1), 3: ("i", 2), 4: ("i", 3), 5: ("i", 4), 6: ("f", 4), 7: ("f", 8)}
"""Types and bytes of samples by their number in AU."""
MU_LAW, A_LAW = 1, 27
NUMBERS = {b"NONE": "i", b"twos": "i", b"fl32": "f", b"FL32": "f", b"fl64": "f", b"FL64": "f"}
"""Types of samples by their name in AIFF."""
BIAS = 16383 + 63


def big_endian_in(data: bytes) -> tuple[Wave, bytes] | None:
    """Returns the sound in the bytes of a file, and the file with each sample's lower byte first, as in WAV,
    or None for other files. Raises an error for broken ones."""
    if data[:4] == AU:
        return au(data)
    return aiff(data) if data[:4] == AIFF and data[8:11] == b"AIF" else None


def au(data: bytes) -> tuple[Wave, bytes]:
    start, _, kind, rate, channels = unpack_from(">IIIII", data, 4)
    if kind in (MU_LAW, A_LAW):
        law = LAWS[7 if kind == MU_LAW else 6]
        samples = expanded(data[start : start + MOST], law)
        return Wave(shaped(samples, channels), rate, 1, start, law=law), data
    form, width = KINDS[kind]
    return sound(data, start, len(data), form, width, rate, channels)


def aiff(data: bytes) -> tuple[Wave, bytes]:
    at, head, place = 12, (0, 0, 0), (0, 0)
    rate, form = 0, "i"
    while at + 8 <= len(data):
        size = unpack_from(">I", data, at + 4)[0]
        if data[at : at + 4] == b"COMM":
            head = unpack_from(">HIH", data, at + 8)
            exponent, mantissa = unpack_from(">HQ", data, at + 16)
            rate = round(mantissa * 2.0 ** (exponent - BIAS))
            form = NUMBERS[data[at + 26 : at + 30]] if data[8:12] == b"AIFC" else "i"
        elif data[at : at + 4] == b"SSND":
            place = at + 16 + unpack_from(">I", data, at + 8)[0], at + 8 + size
        at += 8 + size + size % 2
    channels, _, bits = head
    return sound(data, *place, form, (bits + 7) // 8, rate, channels)


def sound(
    data: bytes, start: int, end: int, form: str, width: int, rate: int, channels: int
) -> tuple[Wave, bytes]:
    if not start or not channels or not 1 <= width <= 8:
        raise ValueError("a sound without samples")
    count = min(len(data), end) - start
    body = numpy.frombuffer(data, "u1", min(count // width, MOST) * width, start).reshape(-1, width)
    turned = numpy.ascontiguousarray(body[:, ::-1])
    if form == "f":
        samples = turned.view(f"<f{width}")[:, 0].astype("f8")
    else:
        wide = numpy.zeros((len(turned), 4), "u1")
        wide[:, 4 - width :] = turned
        samples = wide.view("<i4")[:, 0] / 2.0**31
    found = Wave(shaped(samples, channels), rate, width, start, form == "f")
    # A byte has no sign in WAV, so that nothing can be said of how these were misread.
    return found, data[:start] + turned.tobytes() if width > 1 else b""


def shaped(samples: Any, channels: int) -> Any:
    made = numpy.nan_to_num(samples.astype("f4"))[: len(samples) // channels * channels].reshape(-1, channels)
    return made[:, 0] if channels == 1 else made
