"""A sound that would just fit into an input at another rate, and was sent as it is: cut off, or with silence
behind it; and logarithms of a sound whose samples may have to be in another range.

What is here: `at_another_rate` and `in_another_range`, about which a model is asked (`whatif.points`), and
`windows_of`, for a sound that is sent window by window (`whatif.at_rates`). What is not: rates that models
and programs name (`sounds.py`, `own_rate.py`), and sounds beside it (`whatif.ways`).
"""

from __future__ import annotations

from math import prod
from typing import Any

from ...arrays import numpy
from ...nn.tensor import Tensor
from ..origin import Origin
from ..whatif.at_rates import Windows
from ..whatif.points import Usual
from ..whatif.ways import resampled

WANTED = (48000, 44100, 32000, 24000, 22050, 16000, 11025, 8000)
"""Rates that models want, the highest first."""
FEWEST, MOST_BYTES = 4000, 1 << 22
SHORTEST, LONGER, MOST = 400, 4, 1 << 22
"""The fewest samples of a window, how many times as long its sound is, and the most samples of that."""
FITS = 1.02
"""A sound that is so much longer than an input fits, too."""
CUT, HALF = 1.1, 0.52
"""How much longer a sound is that is cut off, and the most of an input that one at half the rate takes up."""
UPWARDS = 16000
"""Models of higher rates are few, and short sounds many."""
NEAR = 0.1
"""The part of the elements' deviation by which they may differ from those of the file."""


def at_another_rate(found: Origin, tensor: Tensor) -> Usual | None:
    """Returns a whole sound as it fits into an input at another usual rate, or None if it was sent at a rate
    at which it fits, or it isn't known well enough how it was sent."""
    array, size, source = tensor.numpy(), prod(tensor.shape), found.source
    if not source.rate or found.wrong or found.span is None or found.span[0] or found.span[2]:
        return None
    if array is None or size < FEWEST or tensor.nbytes > MOST_BYTES or max(array.shape) != size:
        return None
    rate, count = source.rate, len(source.array)
    wanted = fitting_rate(rate, count, size)
    known = scaled(array.reshape(-1).astype("f8"), source.array) if wanted else None
    if known is None:
        return None
    samples, scale = known
    made = resampled(samples, rate, wanted)[:size] * scale
    made = numpy.concatenate([made, numpy.zeros(size - made.size)]).reshape(array.shape)
    channels = 1 if source.array.ndim == 1 else source.array.shape[1]
    in_turns = channels > 1 and rate == wanted * channels
    turns = f", or its {channels} channels, which lie in turns, taken for one" if in_turns else ""
    sent = f"the first {size:,} of {count:,}" if count > size else f"{count:,}"
    said = (
        f"all of {source.name} resampled from {rate:,} to {wanted:,} Hz, so that it fits (sent were {sent} "
        f"samples as they are, not resampled{turns}),"
    )
    return Usual(source.name, said, made if array.dtype.kind == "f" else made.round())


def windows_of(index: int, found: Origin, tensor: Tensor) -> Windows | None:
    """Returns a window of a sound that is much longer, or None if an input is another one."""
    array, size, source = tensor.numpy(), prod(tensor.shape), found.source
    if not source.rate or found.wrong or found.span is None or found.span[2] or array is None:
        return None
    if array.dtype.kind != "f" or not SHORTEST <= size == max(array.shape):
        return None
    rest = source.array[found.span[0] :]
    known = scaled(array.reshape(-1).astype("f8"), rest) if LONGER * size <= len(rest) <= MOST else None
    return None if known is None else Windows(index, source.name, source.rate, size, known[0] * known[1])


def in_another_range(found: Origin) -> Usual | None:
    """Returns features of a sound made of samples from -1 to 1, if they were made of whole numbers, or the
    other way round, or None if it isn't known. Models of either range are usual."""
    if found.otherwise is None or found.wrong or not found.source.rate:
        return None
    said, array = next(iter(found.otherwise.in_other_range()), ("", None))
    return Usual(found.source.name, said.removeprefix("with "), array) if said else None


def fitting_rate(rate: int, count: int, size: int) -> int:
    """Returns the highest usual rate at which so many samples fit into an input, if they are cut off or fill
    less than half of it at their own, or 0 if there is none."""
    if count > CUT * size:
        return next((one for one in WANTED if one < rate and count * one <= FITS * size * rate), 0)
    is_short = rate < UPWARDS and count * UPWARDS <= FITS * size * rate
    return UPWARDS if is_short and count <= HALF * size else 0


def scaled(flat: Any, sound: Any) -> tuple[Any, float] | None:
    """The samples of a sound, or of one channel or the mean of several, of which an input has the first, and
    by what these were multiplied; or None if there are none."""
    if sound.ndim == 1:
        ways = [sound]
    else:
        ways = [sound.mean(axis=1), *sound.T]
    for samples in ways:
        own = samples[: flat.size].astype("f8")
        given = flat[: own.size]
        scale = float(given @ own / max(float(own @ own), 1e-30))
        if numpy.std(given - scale * own) <= NEAR * numpy.std(given) > 0:
            return samples.astype("f8"), scale
    return None
