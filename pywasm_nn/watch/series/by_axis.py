"""Records of a sensor in a file without a header whose window was sent axis after axis, where the shape says
sample after sample, or as they lie there axis after axis.

What is here: `by_axis`, by how smoothly numbers go on, and `by_levels`, of several windows in which each axis
is around a level of its own, as gravity has it. What is not: tables of text (`exchanged.py`), and records
that are read wrongly (`packed.py`).
"""

from __future__ import annotations

from typing import Any

from ...arrays import numpy
from ..origin.straight import factor_of
from ..origin.turned import roughness

TYPES = {"<i2": "i16", "<f4": "f32", "<f8": "f64", "<i4": "i32", "<u2": "u16"}
MOST_CHANNELS, FEWEST = 12, 16
AXES = (3, 6, 9)
"""Channels of sensors. Others may be the samples of one channel, cut into parts."""
STRAIGHT, TINY, HUGE = 1e-5, 1e-30, 1e30
FEWEST_WINDOWS, MOST_WINDOWS = 3, 64
OWN, MOSTLY, OTHER, JUMP, PARTS = 0.25, 0.65, 0.8, 0.5, 8
"""A window of three axes that lie one behind the other has three parts. The variance within these is at most
the share `OWN` of the window's in the median of all windows, and the share `MOSTLY` in each. The variance
within every third element is the share `OTHER` at least. From one part to the next, where their means are
farthest apart, the numbers jump by the share `JUMP` of that, as the means of the last and the first of
`PARTS` pieces of a part say: in a slow drift they would go on. They do so in more than `MOSTLY` of all
windows."""
BROKEN = 1.5
"""Numbers jump between two channels by so many times what 95 % of them do within a channel."""
SMOOTHER, TRANSPOSED = 0.5, 0.75
"""Samples go on from one to the next by less than this part of what they do in the wrong order; and where
they were transposed, which no guest does to a file in the shape's order: a sensor that lies still has noise.
"""


def by_axis(samples: Any, data: bytes) -> str:
    """Returns what is wrong with the order of samples, [samples, channels], that come from a file's first
    numbers, or "" if nothing is."""
    count, channels = samples.shape
    if count < FEWEST or not 1 < channels <= MOST_CHANNELS or channels >= count:
        return ""
    flat = samples.astype("f8").reshape(-1)
    turned = flat.reshape(channels, count).T
    smoother = roughness(turned) / max(roughness(flat.reshape(count, channels)), TINY)
    if smoother > TRANSPOSED:
        return ""
    for kind, called in TYPES.items():
        size = numpy.dtype(kind).itemsize
        if len(data) < flat.size * size:
            continue
        with numpy.errstate(all="ignore"):
            numbers = numpy.frombuffer(data, kind, flat.size).astype("f8")
        if not abs(numbers).max() < HUGE:  # these bytes are no floats
            continue
        if factor_of(turned.reshape(-1), numbers, STRAIGHT):
            return (
                f"its {called} go on smoothly sample by sample ({channels} numbers each), and were sent "
                f"channel by channel ({count} samples each); the shape says {count} samples of {channels} "
                "numbers: they were transposed on the way"
            )
        is_axis = smoother <= SMOOTHER and channels in AXES and not goes_on(turned)
        if is_axis and factor_of(flat, numbers, STRAIGHT):
            return (
                f"its {called} go on smoothly channel by channel ({count} samples each), and were sent "
                f"so; the shape says {count} samples of {channels} numbers: they have to be transposed"
            )
    return ""


def goes_on(turned: Any) -> bool:
    """Whether the numbers of all channels, one behind the other, go on as if they were those of one. A slow
    drift of channels that are alike looks so if it is sent sample by sample."""
    ends = abs(turned[0, 1:] - turned[-1, :-1])
    return float(ends.max()) < BROKEN * float(numpy.quantile(abs(numpy.diff(turned, axis=0)), 0.95))


def by_levels(samples: Any, data: bytes) -> str:
    """Returns what is wrong with samples, [samples, channels], or "" if nothing is. They are a file's first
    numbers as they lie there, and the rest of the file has windows of the same size. It is wrong if each axis
    lies behind the one before in these, around its own level."""
    count, channels = samples.shape
    if count < FEWEST or channels not in AXES or channels >= count:
        return ""
    flat = samples.astype("f8").reshape(-1)
    for kind, called in TYPES.items():
        numbers = numpy.frombuffer(data, kind, len(data) // numpy.dtype(kind).itemsize)
        windows = numbers[: len(numbers) // flat.size * flat.size].reshape(-1, flat.size)[:MOST_WINDOWS]
        if len(windows) < FEWEST_WINDOWS or len(numbers) % flat.size:
            continue
        if not factor_of(flat, windows[0].astype("f8"), STRAIGHT):
            continue
        if numpy.isfinite(windows).all() and are_levels(windows.astype("f8"), count, channels):
            return (
                f"its {called} are {len(windows)} windows in which each of {channels} channels of {count} "
                "numbers lies behind the one before, around a level of its own, and were sent so; the shape "
                f"says {count} samples of {channels} numbers: they have to be transposed"
            )
    return ""


def are_levels(windows: Any, count: int, channels: int) -> bool:
    """Whether in windows the numbers of each channel lie behind one another, and not those of each sample."""
    behind, beside = windows.reshape(-1, channels, count), windows.reshape(-1, count, channels)
    whole = windows.var(axis=1)
    if not whole.all():
        return False
    own = behind.var(axis=2).mean(axis=1) / whole
    if numpy.median(own) > OWN or own.max() > MOSTLY:
        return False
    if (beside.var(axis=1).mean(axis=1) < OTHER * whole).any():
        return False
    few, levels = max(1, count // PARTS), behind.mean(axis=2)
    apart = abs(numpy.diff(levels, axis=1))
    jumps = abs(behind[:, 1:, :few].mean(axis=2) - behind[:, :-1, -few:].mean(axis=2))
    largest = apart.argmax(axis=1)[:, None]
    jump = numpy.take_along_axis(jumps, largest, 1) >= JUMP * numpy.take_along_axis(apart, largest, 1)
    return bool(jump.mean() > MOSTLY)
