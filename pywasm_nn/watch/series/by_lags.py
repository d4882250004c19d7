"""Windows of several channels whose elements lie time by time where the shape says channel by channel, or the
other way round, whatever file they come from: the order in which numbers go on smoothly is the right one.

What is here: `by_lags`. What is not: windows that are found in a table (`exchanged.py`) or in records
(`by_axis.py`), and pictures (`hints.values`).
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

from ...arrays import numpy

DIMENSIONS = 3
"""Windows, and the channels and times of each; in either order."""
MOST_CHANNELS, FEWEST_TIMES, LONGER = 32, 24, 2
"""There are at least so many times as many times as channels."""
FEWEST_VALUES = 8
"""Zeros and ones, and few levels, go on in any order."""
MOST_WINDOWS, MOST_LAGS = 8, 16
SMOOTHER = 0.5
"""Neighbours in the right order differ by less than this part of what those in a wrong one do."""
AXES, LONG, LIKE = (3, 6, 9), 8, 0.6
"""Channels of sensors: others may be frames of one signal; so many times as many places, that are no chance;
and by how much of their spread levels may differ from channel to channel."""
EVENLY, JUMP = 1.5, 4.0
"""Where no channel begins steps are at most so many times as large as elsewhere; where one begins, at least
so many times."""


def by_lags(array: Any) -> str:
    """Returns what is wrong with the order of the elements of windows, or "" if nothing is."""
    if array.ndim != DIMENSIONS or array.dtype.kind not in "fiu":
        return ""
    first, second = array.shape[1:]
    channels, times = min(first, second), max(first, second)
    if not 1 < channels <= MOST_CHANNELS or times < max(FEWEST_TIMES, LONGER * channels):
        return ""
    windows = [*telling(array)]
    shape = f"the shape {list(array.shape)} says"
    if windows and first == channels and all(is_by_times(one, channels, times) for one in windows):
        return (
            f"its elements go on smoothly time by time ({channels} numbers each), and {shape} channel by "
            f"channel ({times} numbers each): they have to be transposed"
        )
    if windows and first == times and all(is_by_channels(one, channels, times) for one in windows):
        return (
            f"its elements go on smoothly channel by channel ({times} numbers each), and {shape} time by "
            f"time ({channels} numbers each): they have to be transposed"
        )
    by_place = [one.reshape(times, channels) if first == times else one.reshape(channels, times).T
                for one in windows]  # fmt: skip
    if windows and all(are_in_turns_in_each(one) for one in by_place):
        return (
            f"in each of its {channels} channels every {ordinal(channels)} element goes on smoothly, around "
            f"the same {channels} levels, and those between don't: places of {channels} numbers each were "
            "read as if all of one channel came first (is the index channel * places + place, in place of "
            "place * channels + channel?)"
        )
    if windows and all(is_one_channel(one) for one in by_place):
        return (
            f"its {channels} channels go on as one: each element is followed by that of the next channel, "
            "and the last one's by the first one's next: numbers that lie channel by channel were read as if "
            f"each place had {channels} of them (is the index place * channels + channel, in place of "
            "channel * places + place?)"
        )
    return ""


def ordinal(number: int) -> str:
    return {2: "second", 3: "third"}.get(number, f"{number}th")


def are_in_turns_in_each(window: Any) -> bool:
    """Whether each channel of a window, [times, channels], holds the numbers of as many channels in turns, as
    those are alike so many places apart, and at no other distance."""
    times, channels = window.shape
    if channels not in AXES or times < LONG * channels:
        return False
    lags = [lag for lag in range(1, 2 * channels + 1) if lag % channels]
    for own in window.T:
        inside = float(steps(own, channels).mean())
        if any(inside >= SMOOTHER * float(steps(own, lag).mean()) for lag in lags):
            return False
    levels = window[: times // channels * channels].reshape(-1, channels, channels).mean(axis=0).T
    spread = float(numpy.ptp(levels[0]))
    turns = [[float(abs(numpy.roll(one, by) - levels[0]).max()) for by in range(channels)] for one in levels]
    return all(min(one) <= LIKE * spread for one in turns)


def is_one_channel(window: Any) -> bool:
    """Whether the elements of a window, [times, channels], are one smooth series: from channel to channel as
    from the last one to the first one's next, and over as many as there are channels far more."""
    times, channels = window.shape
    if channels not in AXES or times < LONG * channels:
        return False
    own = steps(window.reshape(-1), 1)
    crossing = numpy.arange(1, window.size) % channels == 0
    inside, across = float(own[~crossing].mean()), float(own[crossing].mean())
    if not inside or not 1 / EVENLY < across / inside < EVENLY:
        return False
    means = [float(steps(window.reshape(-1), lag).mean()) for lag in range(1, channels + 1)]
    return means[0] < SMOOTHER * means[-1] and all(one < other for one, other in pairwise(means))


def telling(array: Any) -> Iterator[Any]:
    """The elements of the first windows, if these have enough different values."""
    for one in array[:MOST_WINDOWS]:
        flat = one.reshape(-1).astype("f8")
        if not numpy.isfinite(flat).all():
            return
        if len(numpy.unique(flat)) >= FEWEST_VALUES:
            yield flat


def steps(flat: Any, lag: int) -> Any:
    """By how much each element differs from the one so many places before it."""
    return abs(flat[lag:] - flat[:-lag])


def is_by_times(flat: Any, channels: int, times: int) -> bool:
    """Whether each element is like the one as many places before it as there are channels, and like none
    nearer or a little farther, also where the shape says that a channel begins."""
    own = steps(flat, channels)
    crossing = numpy.arange(channels, flat.size) % times < channels
    inside = float(own[~crossing].mean())
    if not inside or own[crossing].mean() > EVENLY * inside:
        return False
    nearest = min(channels - 1, MOST_LAGS)
    others = [*range(channels - nearest, channels), *range(channels + 1, channels + nearest + 1), 1]
    return all(inside < SMOOTHER * float(steps(flat, lag).mean()) for lag in others)


def is_by_channels(flat: Any, channels: int, times: int) -> bool:
    """Whether each element is like the one before it, also where the shape says that a time begins, but not
    where a channel would begin."""
    own = steps(flat, 1)
    places = numpy.arange(1, flat.size)
    begins = places % times == 0
    inside = float(own[~begins].mean())
    if not inside or own[~begins & (places % channels == 0)].mean() > EVENLY * inside:
        return False
    if own[begins].min() < JUMP * inside:
        return False
    return inside < SMOOTHER * float(steps(flat, channels).mean())
