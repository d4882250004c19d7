"""WAV files (RIFF) of whole numbers of 8 to 32 bits, of floats, and of mu-law and A-law (G.711).

What is here: `wave_in`. What is not: how an input came from a sound (`sequences.py`). Source:
https://www.mmsp.ece.mcgill.ca/Documents/AudioFormats/WAVE/WAVE.html
"""

from __future__ import annotations

import re
from struct import unpack_from
from typing import Any

from ...arrays import numpy
from ...records import Frozen

WHOLE, FLOAT, EXTENSIBLE = 1, 3, 0xFFFE
RAW = {"s16": "<i2", "s16le": "<i2", "pcm16": "<i2", "i16": "<i2", "int16": "<i2", "s16be": ">i2"}
"""Types of samples without a header, by what names of files say."""
LAWS = {6: "A-law", 7: "mu-law"}
"""Formats of samples; the last one has the number of another further behind."""
SUB_FORMAT = 24
KINDS = {*((WHOLE, one) for one in (1, 2, 3, 4)), (FLOAT, 4), (FLOAT, 8), *((law, 1) for law in LAWS)}
"""Formats with the bytes of a sample."""
MOST = 16_000_000
"""The most samples that are read."""
RATES = (8000, 11025, 16000, 22050, 24000, 32000, 44100, 48000)
"""Usual numbers of samples a second."""


class Wave(Frozen):
    """The samples of a file as f32 in -1..1, [samples] or [samples, channels]. `width` is the bytes of one,
    `start` the offset of the first."""

    samples: Any
    rate: int
    width: int
    start: int
    is_float: bool = False
    law: str = ""
    """How samples of a byte are coded, if they are no plain numbers."""


def wave_in(data: bytes) -> Wave:
    """The sound in the bytes of a WAV file. Raises ValueError or struct.error for anything else; a file
    whose length isn't known yet, or that ends early, is read as far as it goes."""
    if data[:4] != b"RIFF" or data[8:12] != b"WAVE":
        raise ValueError("no WAV file")
    head: tuple[int, ...] = ()
    at = 12
    while data[at : at + 4] != b"data":
        size = unpack_from("<I", data, at + 4)[0]
        if data[at : at + 4] == b"fmt ":
            head = unpack_from("<HHIIHH", data, at + 8)
            if head[0] == EXTENSIBLE:
                head = (unpack_from("<H", data, at + 8 + SUB_FORMAT)[0], *head[1:])
        at += 8 + size + size % 2
    if not head:
        raise ValueError("samples without a format")
    form, channels, rate, bits = head[0], head[1], head[2], head[5]
    start, width = at + 8, bits // 8
    if not channels or (form, width) not in KINDS:
        raise ValueError(f"samples of format {form} and {bits} bits")
    size = min(unpack_from("<I", data, at + 4)[0] or len(data), len(data) - start, MOST * width)
    body = data[start : start + size // (width * channels) * width * channels]
    if form in LAWS:
        samples = expanded(body, LAWS[form])
    else:
        samples = whole(body, width) if form == WHOLE else numpy.frombuffer(body, f"<f{width}")
    made = numpy.nan_to_num(samples.astype("f4")).reshape(-1, channels)
    return Wave(made[:, 0] if channels == 1 else made, rate, width, start, form == FLOAT, LAWS.get(form, ""))


def raw(name: str, data: bytes) -> tuple[Any, Any] | None:
    """Returns samples of a file without a header whose name says their type, in -1..1, and with their bytes
    in the opposite order, or None for others."""
    words = re.split(r"[^a-z0-9]+", name.lower())
    kind = next((RAW[word] for word in words if word in RAW), "")
    if not kind or len(data) < 2:
        return None
    body = data[: min(len(data), 2 * MOST) // 2 * 2]
    samples = numpy.frombuffer(body, kind)
    return samples / 32768.0, samples.byteswap() / 32768.0


def expanded(body: bytes, law: str) -> Any:
    """Samples of mu-law or A-law in -1..1: a sign, an exponent of three bits, and four bits more."""
    octets = numpy.frombuffer(body, "u1").astype("i4")
    turned = 255 - octets if law == LAWS[7] else octets ^ 0x55
    exponent, more = turned >> 4 & 7, turned & 15
    if law == LAWS[7]:
        size = (((more << 3) + 132) << exponent) - 132
        sign = numpy.where(turned & 128, -1, 1)
    else:
        size = numpy.where(
            exponent > 0, ((more << 4) + 264) << numpy.maximum(exponent - 1, 0), (more << 4) + 8
        )
        sign = numpy.where(turned & 128, 1, -1)
    return sign * size / 32768.0


def whole(body: bytes, width: int) -> Any:
    """Samples of whole numbers as floats in -1..1."""
    octets = numpy.frombuffer(body, "u1")
    if width == 1:  # these alone have no sign
        return (octets.astype("f4") - 128) / 128
    if width == 3:
        wide = numpy.zeros((len(octets) // 3, 4), "u1")
        wide[:, 1:] = octets.reshape(-1, 3)
        return wide.view("<i4")[:, 0].astype("f8") / (1 << 31)
    return numpy.frombuffer(body, f"<i{width}") / float(1 << 8 * width - 1)
