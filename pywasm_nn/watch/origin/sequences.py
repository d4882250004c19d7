"""Works out how a tensor came from a sound.

What is here: `heard`. What is not: pictures (`matching.py`), and sounds that were resampled, filtered or
turned into spectra, of which nothing is said.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .decoding import Source
from .matching import Origin

FEWEST = 64
"""Shorter inputs are found anywhere by chance."""
LIKE = 0.98
"""The correlation of the same samples."""
RANGES = {1.0: "from -1 to 1", 32768.0: "as i16 from -32768 to 32767", 128.0: "as i8"}
HEADER = 44
"""Bytes before the samples of most WAV files."""


def heard(array: Any, source: Source) -> Origin | None:
    """How an input of numbers came from a sound; None if it didn't."""
    import numpy

    if source.is_picture or source.array.dtype.kind != "f" or array.dtype.kind not in "fiu":
        return None
    flat = array.reshape(-1).astype("f8")
    filled = numpy.flatnonzero(flat)
    length = int(filled[-1]) + 1 if len(filled) else 0
    if length < FEWEST:
        return None
    for said, wrong, samples in readings(source):
        at, scale, like = place_of(flat[:length], samples.astype("f8"))
        if like < LIKE:
            continue
        part = f"{said}samples {at:,} to {at + length - 1:,}"
        level = next((words for size, words in RANGES.items() if abs(scale / size - 1) < 0.01), None)
        rest = f"then {flat.size - length:,} zeros" if flat.size > length else ""
        return Origin(source, (part, level or f"times {scale:.4g}", rest), wrong)
    return None


def readings(source: Source) -> Iterator[tuple[str, str, Any]]:
    """What the samples may be: those of the sound, a mean of its channels, or a mistake."""
    samples = source.array
    if samples.ndim == 1:
        yield "", "", samples
        return
    yield "the mean of its channels, ", "", samples.mean(axis=1)
    for channel in range(samples.shape[1]):
        yield f"channel {channel}, ", "", samples[:, channel]
    count = samples.shape[1]
    yield "", f"the samples of {count} channels lie in turns, as if they were one", samples.reshape(-1)


def place_of(part: Any, samples: Any) -> tuple[int, float, float]:
    """Where a part lies in samples, its scale there, and the correlation."""
    import numpy

    count = len(part)
    if count > len(samples):
        return 0, 0.0, 0.0
    size = 1 << (len(samples) + count).bit_length()
    product = numpy.fft.irfft(numpy.fft.rfft(samples, size) * numpy.fft.rfft(part[::-1], size), size)
    match = product[count - 1 : len(samples)]
    energy = numpy.concatenate([[0.0], numpy.cumsum(samples * samples)])
    windows = numpy.sqrt(numpy.maximum(energy[count:] - energy[:-count], 1e-12))
    likeness = match / (windows * float(numpy.sqrt((part * part).sum())))
    at = int(likeness.argmax())
    there = float((samples[at : at + count] ** 2).sum())
    return at, float(match[at]) / there if there else 0.0, float(likeness[at])
