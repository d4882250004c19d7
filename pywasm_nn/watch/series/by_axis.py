"""Records of a sensor in a file without a header whose window was sent axis after axis, where the shape says
sample after sample, or as they lie there axis after axis.

What is here: `by_axis`. What is not: tables of text (`exchanged.py`), and records that are read wrongly
(`packed.py`).
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
STRAIGHT = 1e-5
SMOOTHER = 0.5
"""Samples go on from one to the next by less than this part of what they do in the wrong order."""


def by_axis(samples: Any, data: bytes) -> str:
    """Returns what is wrong with the order of samples, [samples, channels], that come from a file's first
    numbers, or "" if nothing is."""
    count, channels = samples.shape
    if count < FEWEST or not 1 < channels <= MOST_CHANNELS or channels >= count:
        return ""
    flat = samples.astype("f8").reshape(-1)
    turned = flat.reshape(channels, count).T
    if roughness(turned) > SMOOTHER * roughness(flat.reshape(count, channels)):
        return ""
    for kind, called in TYPES.items():
        size = numpy.dtype(kind).itemsize
        if len(data) < flat.size * size:
            continue
        numbers = numpy.frombuffer(data, kind, flat.size).astype("f8")
        if factor_of(turned.reshape(-1), numbers, STRAIGHT):
            return (
                f"its {called} go on smoothly sample by sample ({channels} numbers each), and were sent "
                f"channel by channel ({count} samples each); the shape says {count} samples of {channels} "
                "numbers: they were transposed on the way"
            )
        if channels in AXES and factor_of(flat, numbers, STRAIGHT):
            return (
                f"its {called} go on smoothly channel by channel ({count} samples each), and were sent "
                f"so; the shape says {count} samples of {channels} numbers: they have to be transposed"
            )
    return ""
