"""Every n-th sample of a sound, as guests take them that bring a sound to a lower rate without a filter: of
one channel, or, by mistake, of all channels as they lie in turns.

What is here: `strided`. What is not: rates that are no part of the file's (`sequences.py`).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...arrays import numpy
from ...records import Frozen
from .decoding import Source

STEPS = (2, 3, 4, 5, 6)
"""How many samples one is taken of."""
FEWEST, DIFFERENT = 64, 32
"""So many samples, and different ones among them, are nowhere else by chance."""
LEVELS = 32768
SCALES = (1.0, 1 / 32767, 1 / 32768)
"""What samples of 16 bits are multiplied by."""
MOST = 1 << 22
"""So many samples of a file are searched."""
ORDINALS = {2: "second", 3: "third", 4: "fourth", 5: "fifth", 6: "sixth"}


class Strided(Frozen):
    """Says which samples of a sound elements are, and what is wrong with that. If the sound has one channel,
    they are one of every `step` samples; `step` is 0 if there are several channels."""

    said: str
    wrong: str
    step: int


def strided(flat: Any, source: Source) -> Strided | None:
    """Returns how elements are every n-th sample of a sound of 16 bits, or None if they aren't."""
    filled = numpy.flatnonzero(flat)
    if source.width != 2 or source.is_float or source.array.size > MOST or len(filled) < FEWEST:
        return None
    own = flat[filled[0] : filled[-1] + 1]
    if len(numpy.unique(own)) < DIFFERENT:
        return None
    stored = numpy.rint(source.array * LEVELS).astype("<i2")
    for scale in SCALES:
        whole = numpy.rint(own / scale)
        if abs(whole).max() > LEVELS or not numpy.allclose(whole * scale, own, rtol=1e-5, atol=0):
            continue
        return first_of(whole.astype("<i2").tobytes(), stored, int(filled[0]))
    return None


def first_of(wanted: bytes, stored: Any, lead: int) -> Strided | None:
    """Samples [n] or [n, channels] in which bytes are every n-th one. `lead` zeros come before."""
    zeros = f", after {lead:,} zeros" if lead >= FEWEST // 2 else ""
    for said, wrong, step, samples in ways(stored):
        for phase in range(step):
            data = samples[phase::step].tobytes()
            at = data.find(wanted)
            while at > 0 and at % 2:
                at = data.find(wanted, at + 1)
            if at >= 0:
                begins = at // 2 * step + phase
                which = f"{said}every {ORDINALS[step]} sample, from {begins:,} on{zeros}"
                return Strided(which, wrong, 0 if said else step)
    return None


def ways(stored: Any) -> Iterator[tuple[str, str, int, Any]]:
    """Samples in words, what is wrong with taking every n-th of them, n, and the samples."""
    count = 1 if stored.ndim == 1 else stored.shape[1]
    for step in STEPS:
        if count == 1:
            yield "", "", step, stored.reshape(-1)
            continue
        for channel in range(count):
            yield f"channel {channel}, ", "", step, stored[:, channel]
    for step in STEPS if count > 1 else ():
        if step % count:
            wrong = (
                f"the samples of {count} channels lie in turns, and every {ORDINALS[step]} one was taken, as "
                f"if they were of one channel: its samples lie {count} apart, and every {ORDINALS[step]} "
                f"of them {count * step}"
            )
            yield "of all channels, ", wrong, step, stored.reshape(-1)
